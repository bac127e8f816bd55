/* SPDX-License-Identifier: MIT */
/*
 * What is run next for an alert. Invariant: nothing is kept but the body; what was measured so far
 * is weighed anew each time, so that the same body always gives the same answer.
 */
#include "alert.h"

#include "io/json.h"
#include "reports/stats/locate.h"

#include <math.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static json_t *list_of(json_t *body, const char *key)
{
	json_t *list = json_object_get(body, key);

	if (!json_is_array(list)) {
		list = json_array();
		json_object_set_new(body, key, list);
	}
	return list;
}

static struct evidence evidence_of(const json_t *body)
{
	return (struct evidence){
		.test = !is(json_text(body, "kind", ""), "metric"),
		.good = json_num(body, "before", NAN),
		.bad = json_num(body, "after", NAN),
		.deviation = json_num(body, "deviation", NAN),
		.flake = json_num(body, "flake", 0.05),
		.escape = json_num(body, "escape", 0.05),
	};
}

struct phase { /* the runs of one kind */
	size_t told, lost;
	double sum;    /* of their values */
	double weight; /* of what they say */
};

static struct phase phase_of(const json_t *body, const char *what, const struct evidence *ev)
{
	struct phase p = {0};
	json_t *m;
	size_t i;

	json_array_foreach (json_object_get(body, "measures"), i, m) {
		double value = json_num(m, "value", NAN);

		if (!is(json_text(m, "what", ""), what))
			continue;
		if (!isfinite(value)) {
			p.lost++;
			continue;
		}
		p.told++;
		p.sum += value;
		p.weight += evidence_weight(ev, value);
	}
	return p;
}

static int64_t allowed(const json_t *body, const char *what)
{
	const json_t *cannot = json_object_get(body, "cannot");

	if (json_object_get(cannot, what))
		return 0;
	return json_int(json_object_get(body, "policy"), what, 0);
}

static void stuck(json_t *body, const char *why)
{
	json_object_set_new(body, "stuck", json_string(why));
}

/* One more of that kind? Not when it is decided, or there may be no more. */
static bool more(const struct phase *p, int64_t most)
{
	return (int64_t)p->told < most && p->lost < ALERT_LOST_MAX &&
	       confirm_answer(p->weight) == CONFIRM_MORE;
}

/* The other board has a level of its own: measured with the good build, the change scaled. */
static struct evidence other_evidence(const json_t *body, const struct evidence *ev)
{
	struct phase good = phase_of(body, "other-good", ev);
	struct evidence there = *ev;
	double scale;

	if (ev->test || !good.told || !isfinite(ev->good) || ev->good == 0)
		return there;
	scale = good.sum / (double)good.told / ev->good;
	there.good = ev->good * scale;
	there.bad = ev->bad * scale;
	there.deviation = fabs(ev->deviation * scale) * sqrt(1 + 1 / (double)good.told);
	return there;
}

enum verdict_of { UNDECIDED, ASKED, SAYS_YES, SAYS_NO };

static enum verdict_of conclude(const struct phase *p)
{
	switch (confirm_answer(p->weight)) {
	case CONFIRM_YES:
		return SAYS_YES;
	case CONFIRM_NO:
		return SAYS_NO;
	default:
		return UNDECIDED;
	}
}

static enum verdict_of same_board(const json_t *body, const char *what, const char *version,
	const struct evidence *ev, struct alert_ask *ask)
{
	struct phase p = phase_of(body, what, ev);

	if (more(&p, allowed(body, what))) {
		*ask = (struct alert_ask){
			.what = what, .version = version, .board = json_text(body, "board", NULL)};
		return ASKED;
	}
	return conclude(&p);
}

static enum verdict_of other_board(
	const json_t *body, const struct evidence *ev, struct alert_ask *ask)
{
	const char *good = json_text(body, "good", NULL);
	const struct phase level = phase_of(body, "other-good", ev);
	struct evidence there = other_evidence(body, ev);
	struct phase p = phase_of(body, "other", &there);

	*ask = (struct alert_ask){.what = "other",
		.version = json_text(body, "bad", NULL),
		.not_board = json_text(body, "board", NULL)};
	if (!allowed(body, "other") || json_flag(body, "no_other", false))
		return UNDECIDED;
	if (!ev->test && good && !level.told && level.lost < ALERT_LOST_MAX &&
		allowed(body, "good")) {
		ask->what = "other-good";
		ask->version = good;
		return ASKED;
	}
	/* Without a level of its own its figures say nothing. */
	if (!ev->test && !level.told)
		return UNDECIDED;
	return more(&p, allowed(body, "other")) ? ASKED : conclude(&p);
}

/* ---- confirming ---- */

static void confirmed(
	json_t *body, enum alert_state *state, const char *blame, const char *why, int64_t now_ms)
{
	if (blame)
		json_object_set_new(body, "blame", json_string(blame));
	alert_move(body, state, ALERT_CONFIRMED, NULL, why, now_ms, NULL);
}

/* True: it asks. False: the state has moved. */
static bool confirm(json_t *body, enum alert_state *state, struct alert_ask *ask, int64_t now_ms)
{
	const struct evidence ev = evidence_of(body);
	const char *good = json_text(body, "good", NULL);
	enum verdict_of same = same_board(body, "same", json_text(body, "bad", NULL), &ev, ask);
	enum verdict_of before = UNDECIDED, other;

	if (same == ASKED)
		return true;
	if (same == SAYS_NO) {
		alert_move(body, state, ALERT_REFUTED, NULL,
			"run again on the same board, it is as before", now_ms, NULL);
		return false;
	}
	if (same == UNDECIDED) {
		stuck(body, "the runs on the same board decide nothing");
		alert_move(body, state, ALERT_SUSPECTED, NULL, NULL, now_ms, NULL);
		return false;
	}
	if (good)
		before = same_board(body, "good", good, &ev, ask);
	if (before == ASKED)
		return true;
	if (before == SAYS_YES) {
		confirmed(body, state, "board", "the build that was good is as bad on this board",
			now_ms);
		return false;
	}
	other = other_board(body, &ev, ask);
	if (other == ASKED)
		return true;
	if (other == SAYS_NO && before != SAYS_NO)
		confirmed(body, state, "board", "another board of the type is as before", now_ms);
	else if (other == SAYS_NO)
		confirmed(body, state, "build",
			"with this build and this board; another board is as before", now_ms);
	else if (other == SAYS_YES)
		confirmed(body, state, "build", "on another board of the type too", now_ms);
	else
		confirmed(body, state, before == SAYS_NO ? "build" : NULL,
			before == SAYS_NO ? "the build that was good is good on this board" : NULL,
			now_ms);
	return false;
}

/* ---- locating ---- */

static size_t build_index(const json_t *builds, const char *version)
{
	const json_t *b;
	size_t i;

	json_array_foreach ((json_t *)builds, i, b)
		if (version && json_is_string(b) && is(json_string_value(b), version))
			return i;
	return SIZE_MAX;
}

/* All that was measured with builds of the list says something of them. */
static void locate_read(struct locate *l, const json_t *body, size_t *lost)
{
	const json_t *builds = json_object_get(body, "builds");
	const struct evidence ev = evidence_of(body);
	json_t *m, *version;
	size_t i;

	locate_init(l, json_array_size(builds) - 1, &ev);
	*lost = 0;
	json_array_foreach (json_object_get(body, "measures"), i, m) {
		size_t build = build_index(builds, json_text(m, "version", NULL));
		double value = json_num(m, "value", NAN);

		if (!is(json_text(m, "what", ""), "locate"))
			continue;
		*lost = isfinite(value) ? 0 : *lost + 1;
		if (build != SIZE_MAX && isfinite(value))
			locate_add(l, build, value);
	}
	json_array_foreach (json_object_get(body, "unusable"), i, version)
		locate_unusable(l, build_index(builds, json_string_value(version)));
}

static void tell_suspects(json_t *body, const struct locate *l)
{
	const json_t *builds = json_object_get(body, "builds");
	json_t *list = json_array();
	bool shown[LOCATE_BUILDS + 1] = {0};

	for (size_t k = 0; k < ALERT_SUSPECTS && k < l->n; k++) {
		size_t best = 0;
		double p = -1;

		for (size_t i = 1; i <= l->n; i++) {
			double pi = shown[i] ? -1 : locate_probability(l, i);

			if (pi > p) {
				p = pi;
				best = i;
			}
		}
		shown[best] = true;
		json_array_append_new(
			list, json_pack("{s:O, s:f}", "version", json_array_get(builds, best),
				      "probability", p));
	}
	json_object_set_new(body, "suspects", list);
}

static bool locate(json_t *body, enum alert_state *state, struct alert_ask *ask, int64_t now_ms)
{
	const json_t *builds = json_object_get(body, "builds");
	size_t build = 0, first, last, lost;
	struct locate l;

	locate_read(&l, body, &lost);
	tell_suspects(body, &l);
	if (locate_next(&l, &build, &first, &last)) {
		if (lost < ALERT_LOST_MAX && (int64_t)l.measures < allowed(body, "locate")) {
			*ask = (struct alert_ask){.what = "locate",
				.version = json_string_value(json_array_get(builds, build)),
				.board = json_text(body, "board", NULL)};
			return true;
		}
		stuck(body, lost < ALERT_LOST_MAX ? "the runs that may be spent on it are used up"
						  : "the lab had no result for it");
		alert_move(body, state, ALERT_CONFIRMED, NULL, NULL, now_ms, NULL);
		return false;
	}
	if (first != last) {
		stuck(body, "builds that cannot be measured stand between the suspects");
		alert_move(body, state, ALERT_CONFIRMED, NULL, NULL, now_ms, NULL);
		return false;
	}
	json_object_set(body, "first_bad", json_array_get(builds, first));
	alert_move(body, state, ALERT_LOCATED, NULL, NULL, now_ms, NULL);
	return false;
}

/* ---- the whole ---- */

static bool may_locate(const json_t *body)
{
	const json_t *builds = json_object_get(body, "builds");

	return json_array_size(builds) >= 2 && allowed(body, "locate") > 0 &&
	       !is(json_text(body, "blame", ""), "board");
}

bool alert_next(json_t *body, enum alert_state *state, struct alert_ask *ask, int64_t now_ms)
{
	if (json_object_get(body, "pending"))
		return false;
	while (!json_object_get(body, "stuck")) {
		enum alert_state was = *state;
		bool asks = false;

		if (was == ALERT_SUSPECTED && allowed(body, "same") > 0)
			alert_move(body, state, ALERT_CONFIRMING, NULL, NULL, now_ms, NULL);
		else if (was == ALERT_CONFIRMING)
			asks = confirm(body, state, ask, now_ms);
		else if (was == ALERT_CONFIRMED && may_locate(body))
			alert_move(body, state, ALERT_LOCATING, NULL, NULL, now_ms, NULL);
		else if (was == ALERT_LOCATING)
			asks = locate(body, state, ask, now_ms);
		if (asks || *state == was)
			return asks;
	}
	return false;
}

void alert_pending(json_t *body, const struct alert_ask *ask, int64_t job)
{
	json_object_set_new(body, "pending",
		json_pack("{s:I, s:s, s:s?}", "job", (json_int_t)job, "what", ask->what, "version",
			ask->version));
}

void alert_cannot(json_t *body, const struct alert_ask *ask, const char *why)
{
	json_t *cannot = json_object_get(body, "cannot");

	if (is(ask->what, "locate") && ask->version) {
		json_array_append_new(list_of(body, "unusable"), json_string(ask->version));
		return;
	}
	if (!cannot) {
		cannot = json_object();
		json_object_set_new(body, "cannot", cannot);
	}
	json_object_set_new(cannot, is(ask->what, "other-good") ? "other" : ask->what,
		json_string(why ? why : ""));
}

void alert_told(json_t *body, int64_t run, const char *board, double value, bool unusable)
{
	const json_t *pending = json_object_get(body, "pending");
	const char *version = json_text(pending, "version", NULL);
	json_t *m = json_pack("{s:s, s:s?, s:s?, s:I}", "what", json_text(pending, "what", ""),
		"version", version, "board", board, "run", (json_int_t)run);

	if (isfinite(value))
		json_object_set_new(m, "value", json_real(value));
	json_array_append_new(list_of(body, "measures"), m);
	if (unusable && version && is(json_text(pending, "what", ""), "locate"))
		json_array_append_new(list_of(body, "unusable"), json_string(version));
	json_object_del(body, "pending");
}
