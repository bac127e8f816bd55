/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_ALERT_H
#define REPORTS_ALERT_H

/*
 * What is done about something that became worse: it is run again before it is believed, on the
 * same board, with the build that was good, and on another board; then the builds between are
 * bisected (stats/locate.h). Everything is decided from the alert's body, a JSON object that the
 * store keeps, so that a restart loses nothing and the same body always asks for the same:
 *
 *	kind     "metric", "test" or "boot"
 *	job suite name labels unit better type twin line    what it is about (labels: of a metric)
 *	board    where it was seen; source: the controller's job that saw it
 *	good bad versions of `line`: the last one without, the first one with it; absent: not known
 *	before after deviation    of a metric: levels, and one run's noise
 *	flake escape              of a test: how often it fails on a good build, passes on a bad one
 *	confidence                of who suspected it, 0 to 1
 *	policy   {"same", "good", "other", "locate"}: runs at most of each kind; 0: none of it
 *	builds   versions from good (first) to bad (last), for the bisection
 *	measures [{"what", "board", "version", "run", "value"}]: value is missing when the run told
 *	         nothing; what: "same" "good" "other-good" "other" "locate"
 *	pending  {"job", "what", "version"}: the run that is under way
 *	no_other true: there is no other board of the type
 *	blame    "build" or "board", when that is known
 *	suspects [{"version", "probability"}], likeliest first; first_bad: the one that is it
 *	stuck    why nothing more is done
 *	acknowledged {"who", "reason", "at_ms"}
 *	history  [{"state", "who", "reason", "at_ms"}]
 */

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define ALERT_LOST_MAX    3  /* runs of one kind that told nothing, by the lab's fault */
#define ALERT_HISTORY_MAX 64 /* newest kept */
#define ALERT_SUSPECTS    10 /* shown */

enum alert_state {
	ALERT_SUSPECTED,
	ALERT_CONFIRMING,
	ALERT_CONFIRMED,
	ALERT_LOCATING,
	ALERT_LOCATED,
	/* ended: */
	ALERT_REFUTED,
	ALERT_ACCEPTED,
	ALERT_FIXED,
	ALERT_STATES
};
const char *alert_state_name(enum alert_state s);
int alert_state_parse(const char *name); /* -1: none of ours */
bool alert_may(enum alert_state from, enum alert_state to);
bool alert_over(enum alert_state s);

/* Identity of what it is about: two alerts of the same are one. Heap. */
char *alert_subject(const json_t *body);
/* Moves and notes who, why and when. BLAME_JOB: it may not. who, reason NULL: by itself. */
int alert_move(json_t *body, enum alert_state *state, enum alert_state to, const char *who,
	const char *reason, int64_t now_ms, struct err *e);

struct alert_ask { /* a run of `source` that is wanted; texts are the body's */
	const char *what;
	const char *version; /* NULL: as the source was */
	const char *board;   /* on which; NULL: on any but `not_board` */
	const char *not_board;
};
/* What now? True: that run, and nothing before it has ended. False: nothing; state may have moved
 * (more than once), with history told. */
bool alert_next(json_t *body, enum alert_state *state, struct alert_ask *ask, int64_t now_ms);
/* The run was submitted. */
void alert_pending(json_t *body, const struct alert_ask *ask, int64_t job);
/* Is what is judged better (a body as of alert-judged.h) the end of it? A figure has to be nearer
 * to the level before than to the one after. */
bool alert_mended(const json_t *body, const json_t *better);
/* It cannot be submitted: that kind of run is left out from here on. */
void alert_cannot(json_t *body, const struct alert_ask *ask, const char *why);
/* The pending run has ended. value: NAN, it told nothing; unusable: and never will with that
 * build, which is to blame for it. */
void alert_told(json_t *body, int64_t run, const char *board, double value, bool unusable);

#endif
