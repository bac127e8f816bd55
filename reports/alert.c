/* SPDX-License-Identifier: MIT */
/*
 * States of an alert and what its body tells. Invariant: `alert_move` is the only way by which a
 * state changes, and each change is in the body's history.
 */
#include "alert.h"

#include "base/mem.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	[ALERT_SUSPECTED] = "suspected",
	[ALERT_CONFIRMING] = "confirming",
	[ALERT_CONFIRMED] = "confirmed",
	[ALERT_LOCATING] = "locating",
	[ALERT_LOCATED] = "located",
	[ALERT_REFUTED] = "refuted",
	[ALERT_ACCEPTED] = "accepted",
	[ALERT_FIXED] = "fixed",
};

#define BIT(state) (1u << (state))
#define ENDED      (BIT(ALERT_ACCEPTED) | BIT(ALERT_FIXED))

/* Where each may go. What has ended is opened again as suspected. */
static const unsigned moves[ALERT_STATES] = {
	[ALERT_SUSPECTED] =
		BIT(ALERT_CONFIRMING) | BIT(ALERT_CONFIRMED) | BIT(ALERT_REFUTED) | ENDED,
	[ALERT_CONFIRMING] =
		BIT(ALERT_SUSPECTED) | BIT(ALERT_CONFIRMED) | BIT(ALERT_REFUTED) | ENDED,
	[ALERT_CONFIRMED] = BIT(ALERT_LOCATING) | ENDED,
	[ALERT_LOCATING] = BIT(ALERT_CONFIRMED) | BIT(ALERT_LOCATED) | ENDED,
	[ALERT_LOCATED] = ENDED,
	[ALERT_REFUTED] = BIT(ALERT_SUSPECTED),
	[ALERT_ACCEPTED] = BIT(ALERT_SUSPECTED),
	[ALERT_FIXED] = BIT(ALERT_SUSPECTED),
};

const char *alert_state_name(enum alert_state s)
{
	return (unsigned)s < ALERT_STATES ? names[s] : NULL;
}

int alert_state_parse(const char *name)
{
	for (int i = 0; name && i < ALERT_STATES; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

bool alert_may(enum alert_state from, enum alert_state to)
{
	return (unsigned)from < ALERT_STATES && (unsigned)to < ALERT_STATES &&
	       (moves[from] & BIT(to));
}

bool alert_over(enum alert_state s)
{
	return s == ALERT_REFUTED || (BIT(s) & ENDED);
}

char *alert_subject(const json_t *body)
{
	static const char *const keys[] = {
		"kind", "type", "board", "line", "job", "suite", "name", "tool"};
	const json_t *labels = json_object_get(body, "labels");
	AUTOFREE char *sorted =
		json_is_object(labels) ? json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	json_t *list = json_array();
	char *subject;

	/* A test or a boot breaks on a type; a level is one board's. */
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		bool metric = !strcmp(json_text(body, "kind", ""), "metric");

		if (!strcmp(keys[i], "board") && !metric)
			continue;
		json_array_append_new(list, json_string(json_text(body, keys[i], "")));
	}
	json_array_append_new(list, json_string(sorted ? sorted : ""));
	subject = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	return subject;
}

static void note(
	json_t *body, enum alert_state to, const char *who, const char *reason, int64_t now_ms)
{
	json_t *history = json_object_get(body, "history");
	json_t *entry = json_pack("{s:s, s:s?, s:s?, s:I}", "state", names[to], "who", who,
		"reason", reason, "at_ms", (json_int_t)now_ms);

	if (!json_is_array(history)) {
		history = json_array();
		json_object_set_new(body, "history", history);
	}
	json_array_append_new(history, entry);
	if (json_array_size(history) > ALERT_HISTORY_MAX)
		json_array_remove(history, 0);
}

/* What was found before is the history's; the search begins anew. */
static void forget(json_t *body)
{
	static const char *const keys[] = {"measures", "pending", "no_other", "blame", "suspects",
		"first_bad", "stuck", "unusable", "cannot", "acknowledged"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		json_object_del(body, keys[i]);
}

int alert_move(json_t *body, enum alert_state *state, enum alert_state to, const char *who,
	const char *reason, int64_t now_ms, struct err *e)
{
	if (!alert_may(*state, to))
		return err_set(e, BLAME_JOB, "an alert that is %s cannot become %s", names[*state],
			(unsigned)to < ALERT_STATES ? names[to] : "that");
	if (alert_over(*state))
		forget(body);
	note(body, to, who, reason, now_ms);
	*state = to;
	return 0;
}
