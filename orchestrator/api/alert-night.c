/* SPDX-License-Identifier: MIT */
/*
 * A night that is over is judged, and what became worse is an alert. Judging reads much: a child
 * process does it. Invariant: a night is judged after its end was committed; one whose judging was
 * cut short by the server's end is judged when it begins again.
 */
#include "api/alert.h"
#include "api/output.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it says ---- */

static int take_id(void *arg, const struct store_alert *a)
{
	*(int64_t *)arg = a->id;
	return 1;
}

/* It is good again: an alert of it is over. */
static int mend(struct server *s, const json_t *body, struct err *e)
{
	AUTOFREE char *subject = alert_subject(body);
	const struct store_alert_filter f = {.open = true, .subject = subject};
	AUTOFREE char *why = NULL;
	struct alert a;
	int64_t id = 0;
	int r;

	if (store_alerts(s->store, &f, take_id, &id, e) < 0)
		return -1;
	if (!id)
		return 0;
	r = alert_get(s, id, &a, e);
	if (r <= 0)
		return r;
	why = mem_printf("good again in run %lld", (long long)json_int(body, "run", 0));
	/* A run that was made for it is not needed any more, but may go on. */
	json_object_del(a.body, "pending");
	r = alert_move(a.body, &a.state, ALERT_FIXED, NULL, why, clock_wall_ms(), e);
	if (!r)
		r = alert_save(s, &a, e);
	alert_done(&a);
	return r;
}

static int take_policy(void *arg, const struct store_nightly *n)
{
	*(json_t **)arg = n->policy ? json_loads(n->policy, 0, NULL) : NULL;
	return 1;
}

/* *opened: so many were. */
static int open_all(
	struct server *s, int64_t nightly, const json_t *doc, size_t *opened, struct err *e)
{
	AUTOJSON *policy = NULL;
	json_t *body;
	size_t i;

	if (store_nightly_get(s->store, nightly, take_policy, &policy, e) < 0)
		return -1;
	json_array_foreach (json_object_get(doc, "better"), i, body)
		if (mend(s, body, e) < 0)
			return -1;
	json_array_foreach (json_object_get(doc, "worse"), i, body) {
		int64_t id;

		if (i == ALERT_OPEN_MAX) {
			log_warn("nightly %lld: %zu became worse, alerts of %d", (long long)nightly,
				json_array_size(json_object_get(doc, "worse")), ALERT_OPEN_MAX);
			break;
		}
		if (policy)
			json_object_set(body, "policy", policy);
		id = alerts_open(s, body, nightly, e);
		if (id < 0 && e->blame != BLAME_JOB)
			return -1;
		if (id < 0) {
			log_warn("nightly %lld: %s", (long long)nightly, e->msg);
			err_clear(e);
		}
		*opened += id > 0;
	}
	return 0;
}

static void judged(void *arg, int64_t nightly, struct buf *text, const char *how)
{
	struct server *s = arg;
	AUTOJSON *doc = NULL;
	struct err e = {0};
	size_t opened = 0;

	doc = text->overflow ? NULL
			     : json_parse(str_make(text->data, text->len), "what was judged", &e);
	if (!doc) {
		log_error("nightly %lld cannot be judged (%s)", (long long)nightly, how);
	} else if (store_turn_begin(s->store, &e) || open_all(s, nightly, doc, &opened, &e) ||
		   store_nightly_judged(s->store, nightly, &e)) {
		log_error("nightly %lld: %s", (long long)nightly, e.msg);
		s->spoiled = true;
	} else {
		log_info("nightly %lld is judged: %zu alerts", (long long)nightly, opened);
	}
}

void alerts_night(struct server *s, int64_t nightly)
{
	char number[24];
	const char *argv[] = {"/proc/self/exe", "judge", "--night", number, "--json", "--store",
		store_path(s->store), NULL};
	struct err e = {0};

	snprintf(number, sizeof number, "%lld", (long long)nightly);
	if (!output_start(s, argv, judged, s, nightly, &e))
		log_error("nightly %lld: judge: %s", (long long)nightly, e.msg);
}

static int judge_one(void *arg, const struct store_nightly *n)
{
	alerts_night(arg, n->id);
	return 0;
}

void alerts_nights(struct server *s)
{
	struct err e = {0};

	if (store_nightlies_unjudged(s->store, judge_one, s, &e) < 0)
		log_error("nights that are to be judged: %s", e.msg);
}
