/* SPDX-License-Identifier: MIT */
/*
 * The combinations of a nightly. Invariant: every job, board and build that a plan names is in one
 * combination at least, or the plan is wrong; and so is every exclusion.
 */
#include "jobs/nightly-inner.h"

#include "base/fs.h"

#include <string.h>

static bool is(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool is_among(const struct param_strings *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (is(words->p[i], word))
			return true;
	return !words->n;
}

bool nightly_fits(const struct nightly_reading *r, const struct nightly_use *use,
	const struct nightly_target *t)
{
	const char *soc = t->of ? t->of->soc : t->soc;

	if (use->soc && soc && strcmp(use->soc, soc) != 0)
		return false;
	return !use->type || !t->of || type_is(r->types, t->of, use->type);
}

const char *nightly_soc(const struct nightly_reading *r, const struct nightly_use *use,
	const struct nightly_target *t)
{
	const struct type *own = r->types && use->type ? type_find(r->types, use->type) : NULL;

	if (t->of && t->of->soc)
		return t->of->soc;
	return t->soc ? t->soc : use->soc ? use->soc : own ? own->soc : NULL;
}

/* The plan's tags and the job's own: what is laid over a job replaces. */
static struct param_strings tags_of(struct nightly_reading *r, const struct nightly_use *use)
{
	struct param_strings all = {0};

	if (!r->tags.n || use->several)
		return all;
	all.p = arena_alloc(r->a, (r->tags.n + use->tags.n) * sizeof *all.p);
	for (size_t i = 0; i < use->tags.n; i++)
		all.p[all.n++] = use->tags.p[i];
	for (size_t i = 0; i < r->tags.n; i++)
		if (!use->tags.n || !is_among(&use->tags, r->tags.p[i]))
			all.p[all.n++] = arena_strdup(r->a, r->tags.p[i]);
	return all;
}

int nightly_entry_add(struct nightly_reading *r, const struct nightly_use *use,
	const struct nightly_target *t, const char *build)
{
	struct nightly_entry entry = {.file = use->file,
		.job = use->name,
		.match = {.type = arena_strdup(r->a, t->type),
			.board = arena_strdup(r->a, t->board),
			.soc = arena_strdup(r->a, t->soc),
			.tags = tags_of(r, use)},
		.build = build ? build : use->build,
		.params = use->params,
		.n_params = use->n_params,
		.at = use->at};

	entry.at.file = r->file;
	if (r->entries.n == NIGHTLY_ENTRIES_MAX)
		return nightly_tell(
			r, use->at, "more than %d jobs in one nightly", NIGHTLY_ENTRIES_MAX);
	vec_push(&r->entries, entry);
	return 0;
}

/* ---- exclusions ---- */

struct exclusion {
	struct nightly_exclude x;
	const struct node *node;
	bool met;
};
typedef VEC(struct exclusion) exclusions;

/* Its name, its file, or the file's name without ".yaml". */
static bool is_job(const struct nightly_use *use, const char *word)
{
	const char *base = fs_basename(use->written);
	size_t n = strlen(word);

	return is(use->name, word) || is(use->written, word) ||
	       (!strncmp(base, word, n) && is(base + n, ".yaml"));
}

static bool is_excluded(exclusions *list, const struct nightly_use *use,
	const struct nightly_target *t, const struct nightly_build *b)
{
	bool found = false;

	vec_each (list, it) {
		const struct nightly_exclude *x = &it->x;

		if ((x->job && !is_job(use, x->job)) || (x->type && !is(x->type, t->type)) ||
			(x->board && !is(x->board, t->board)) ||
			(x->build && !is(x->build, b->name)))
			continue;
		it->met = found = true;
	}
	return found;
}

static void read_exclusions(struct nightly_reading *r, const struct node *list, exclusions *out)
{
	for (size_t i = 0; list && i < list->n; i++) {
		struct exclusion it = {.node = list->kids[i]};

		if (schema_fill(r->a, nightly_exclude_params, "an entry of 'exclude'", it.node,
			    &it.x, r->diag))
			r->bad = true;
		else if (!it.x.job && !it.x.type && !it.x.board && !it.x.build)
			nightly_tell(r, it.node->at, "this would exclude everything");
		else
			vec_push(out, it);
	}
}

/* Is a word of an exclusion a job, type, board or build of the plan? Tells when not. */
static bool is_known(struct nightly_reading *r, const struct node *map, const char *key)
{
	size_t n = 0, most = r->uses.n + r->targets.n + r->builds.n;
	const char **names = arena_alloc(r->a, (most + 1) * sizeof *names);
	const struct node *word = node_find(map, key);
	bool found = !word;

	if (!strcmp(key, "job"))
		vec_each (&r->uses, use) {
			names[n++] = use->name;
			found |= word && is_job(use, word->text);
		}
	else if (!strcmp(key, "build"))
		vec_each (&r->builds, b)
			names[n++] = b->name;
	else
		vec_each (&r->targets, t)
			names[n++] = !strcmp(key, "type") ? t->type : t->board;
	for (size_t i = 0; i < n && word;)
		if (names[i]) {
			found |= !strcmp(names[i++], word->text);
		} else {
			names[i] = names[--n];
		}
	if (!found)
		nightly_unknown(r, word->at, key, word->text, names, n);
	return found;
}

static void check_exclusions(struct nightly_reading *r, exclusions *list)
{
	static const char *const keys[] = {"job", "type", "board", "build"};

	vec_each (list, it) {
		bool known = true;

		if (it->met || r->incomplete)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			known = is_known(r, it->node, keys[k]) && known;
		if (known)
			nightly_tell(r, it->node->at,
				"these do not meet anyway: there is nothing to exclude");
	}
}

/* ---- what meets what ---- */

/* The builds for one job on one target. A job that deploys nothing is there once. */
static int add_builds(struct nightly_reading *r, struct nightly_use *use, struct nightly_target *t,
	exclusions *ex)
{
	static const struct nightly_build none;
	const char *soc = nightly_soc(r, use, t);
	bool met = false;

	if (!use->build || use->several)
		return is_excluded(ex, use, t, &none) ? 0 : nightly_entry_add(r, use, t, NULL);
	vec_each (&r->builds, b) {
		if ((soc && b->soc && strcmp(soc, b->soc) != 0) ||
			(b->name && !is_among(&use->builds, b->name)))
			continue;
		met = b->met = true;
		if (!is_excluded(ex, use, t, b) && nightly_entry_add(r, use, t, b->use))
			return -1;
	}
	if (!met && !t->no_build && !r->incomplete) {
		t->no_build = true;
		nightly_tell(r, t->type || t->soc || t->board ? t->at : use->at,
			"no build of the plan is for soc '%s', which job '%s' runs on here", soc,
			use->name);
	}
	return 0;
}

static void check_met(struct nightly_reading *r)
{
	if (r->incomplete)
		return;
	vec_each (&r->uses, use)
		if (!use->met)
			nightly_tell(r, use->at,
				"job '%s' is for %s '%s', and so is no board that the plan names",
				use->name, use->soc ? "soc" : "type",
				use->soc ? use->soc : use->type);
	vec_each (&r->targets, t)
		if (!t->met && (t->type || t->soc || t->board))
			nightly_tell(r, t->at, "no job of the plan fits %s '%s'",
				t->type  ? "type"
				: t->soc ? "soc"
					 : "board",
				t->type  ? t->type
				: t->soc ? t->soc
					 : t->board);
	vec_each (&r->builds, b)
		if (!b->met)
			nightly_tell(r, b->at, "no job of the plan runs with build '%s'%s%s%s",
				b->name, b->soc ? ", which is for soc '" : "", b->soc ? b->soc : "",
				b->soc ? "'" : "");
}

void nightly_matrix(struct nightly_reading *r, const struct node *exclude)
{
	exclusions ex = {0};
	int rc = 0;

	read_exclusions(r, exclude, &ex);
	vec_each (&r->uses, use) {
		struct nightly_target anywhere = {.at = use->at};

		if (use->several) {
			use->met = true;
			rc = rc ? rc : add_builds(r, use, &anywhere, &ex);
		}
		vec_each (&r->targets, t) {
			if (rc || use->several || (t->type && !is_among(&use->types, t->type)) ||
				!nightly_fits(r, use, t))
				continue;
			use->met = t->met = true;
			rc = add_builds(r, use, t, &ex);
		}
	}
	if (!rc) {
		check_met(r);
		check_exclusions(r, &ex);
	}
	vec_done(&ex);
}
