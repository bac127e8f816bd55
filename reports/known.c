/* SPDX-License-Identifier: MIT */
/* Known issues against what went wrong. Invariant: a pattern that is not given fits everything, one
 * that is given never fits what is missing. */
#include "known.h"

#include "base/vec.h"

#include <fnmatch.h>
#include <string.h>

struct loading {
	struct known_issues *l;
	VEC(struct store_known) all;
};

static int take(void *arg, const struct store_known *k)
{
	struct loading *x = arg;
	struct arena *a = &x->l->arena;
	struct store_known kept = *k;

	kept.job = arena_strdup(a, k->job);
	kept.suite = arena_strdup(a, k->suite);
	kept.test = arena_strdup(a, k->test);
	kept.message = arena_strdup(a, k->message);
	kept.type = arena_strdup(a, k->type);
	kept.line = arena_strdup(a, k->line);
	kept.from_version = arena_strdup(a, k->from_version);
	kept.to_version = arena_strdup(a, k->to_version);
	kept.reason = arena_strdup(a, k->reason);
	kept.who = arena_strdup(a, k->who);
	vec_push(&x->all, kept);
	return 0;
}

int known_issues_load(struct known_issues *l, struct store *s, int64_t at_ms, struct err *e)
{
	struct loading x = {.l = l};
	int r;

	*l = (struct known_issues){0};
	r = store_knowns(s, at_ms, take, &x, e);
	if (r >= 0 && x.all.n) {
		l->p = arena_alloc(&l->arena, x.all.n * sizeof *l->p);
		memcpy(l->p, x.all.p, x.all.n * sizeof *l->p);
		l->n = x.all.n;
	}
	vec_done(&x.all);
	if (r >= 0)
		return 0;
	known_issues_done(l);
	return -1;
}

void known_issues_done(struct known_issues *l)
{
	arena_done(&l->arena);
	*l = (struct known_issues){0};
}

static bool fits(const char *pattern, const char *text)
{
	return !pattern || (text && !fnmatch(pattern, text, 0));
}

static bool within(const struct store_known *k, const char *version)
{
	if ((k->from_version || k->to_version) && !version)
		return false;
	return (!k->from_version || strverscmp(version, k->from_version) >= 0) &&
	       (!k->to_version || strverscmp(version, k->to_version) <= 0);
}

const struct store_known *known_issues_find(
	const struct known_issues *l, const struct known_case *c)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct store_known *k = &l->p[i];

		if (fits(k->job, c->job) && fits(k->suite, c->suite) && fits(k->test, c->test) &&
			fits(k->message, c->message) && fits(k->type, c->type) &&
			fits(k->line, c->line) && within(k, c->version))
			return k;
	}
	return NULL;
}
