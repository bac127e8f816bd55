/* SPDX-License-Identifier: MIT */
#ifndef STORE_ALERTS_H
#define STORE_ALERTS_H

/*
 * Alerts (what became worse, and what was done to be sure of it and to find the build that did it)
 * and known issues (what is expected to go wrong for a while). What states an alert has and what
 * its body says is reports/alert.h's.
 */

#include "store.h"

struct store_alert {
	int64_t id; /* filled when it is added */
	const char
		*subject; /* what it is about, the same for the same thing: one open alert each */
	const char *state;
	const char *type;                        /* of the boards */
	int64_t nightly, run;                    /* that saw it first; 0: none */
	int64_t opened_ms, changed_ms, ended_ms; /* wall; 0: not yet */
	const char *body;                        /* JSON object */
};
/* BLAME_JOB: another alert of that subject is open. */
int store_alert_add(struct store *s, struct store_alert *a, struct err *e);
/* Saves state, changed_ms, ended_ms, body. BLAME_BUG: there is none. */
int store_alert_save(struct store *s, const struct store_alert *a, struct err *e);
typedef int store_alert_fn(void *arg, const struct store_alert *a);
/* 1 found (fn called once), 0, -1. */
int store_alert_get(struct store *s, int64_t id, store_alert_fn *fn, void *arg, struct err *e);
struct store_alert_filter { /* NULL, 0: any */
	bool open;          /* not ended */
	const char *subject, *type;
	int64_t nightly, before, limit; /* before: ids below */
};
/* Newest first. */
int store_alerts(struct store *s, const struct store_alert_filter *f, store_alert_fn *fn, void *arg,
	struct err *e);

struct store_known {
	int64_t id;
	/* What it is looked for in: patterns of fnmatch(3) without flags; NULL: any. message is
	 * matched with the result's `why` or the run's message. */
	const char *job, *suite, *test, *message, *type, *line;
	const char *from_version, *to_version; /* builds, both included; NULL: open */
	const char *reason, *who;
	int64_t made_ms, expires_ms; /* 0: never */
};
int store_known_add(struct store *s, struct store_known *k, struct err *e);
int store_known_del(struct store *s, int64_t id, struct err *e); /* 1 deleted, 0 not there */
typedef int store_known_fn(void *arg, const struct store_known *k);
/* Oldest first; at_ms: those that had not expired then; 0: all. */
int store_knowns(struct store *s, int64_t at_ms, store_known_fn *fn, void *arg, struct err *e);

#endif
