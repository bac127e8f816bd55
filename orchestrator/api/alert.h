/* SPDX-License-Identifier: MIT */
#ifndef API_ALERT_H
#define API_ALERT_H

/*
 * Between the files that look after alerts (reports/alert.h says what they are): alerts.c answers
 * calls, alert-drive.c runs what they ask for, alert-again.c makes a job of an earlier one,
 * alert-value.c reads what its run told, alert-night.c has a night judged.
 */

#include "api/api.h"
#include "reports/alert.h"
#include "store/alerts.h"

#define ALERT_PRIORITY   (-20)                   /* of the runs: people's come first */
#define ALERT_QUEUE_MS   ((int64_t)12 * 3600000) /* they wait for a board at most */
#define ALERT_OPEN_MAX   1000 /* a night that breaks everything is told, not searched */
#define ALERT_BODY_BYTES ((size_t)256 << 10)

struct alert { /* one row, with its body read */
	int64_t id;
	enum alert_state state;
	json_t *body;         /* owned */
	char *subject, *type; /* owned */
	int64_t nightly, run, opened_ms, changed_ms, ended_ms;
};
/* 1, 0 no such, -1. */
int alert_get(struct server *s, int64_t id, struct alert *a, struct err *e);
int alert_save(struct server *s, struct alert *a, struct err *e);
void alert_done(struct alert *a);
json_t *alert_view(const struct alert *a); /* new reference */

/* ---- alert-drive.c ---- */
struct alerts;
struct alerts *alerts_new(struct server *s, struct err *e); /* finds the runs under way */
void alerts_free(struct alerts *al);
/*
 * Opens one: what the body leaves out is taken from its source, a job that has run. The turn is
 * open. Its number; 0: one of that subject is open already; -1. BLAME_JOB: it is about nothing that
 * is here.
 */
int64_t alerts_open(struct server *s, json_t *body, int64_t nightly, struct err *e);
/* Does what the alert asks for now, and saves it. The turn is open. */
int alerts_drive(struct server *s, struct alert *a, struct err *e);
/* Is it one that an alert waits for? */
bool alerts_await(struct server *s, int64_t job);
/* That job is done; told after the commit. Those of no alert are passed over. */
void alerts_job_done(struct server *s, int64_t job);

/* ---- alert-night.c ---- */
void alerts_night(struct server *s, int64_t nightly); /* has it judged; it is over, and committed */
void alerts_nights(struct server *s); /* those that were not when the server ended */

/* ---- alert-again.c ---- */
/* Submits the source once more, on that board with that version. 1 and *job; 0: it cannot be done,
 * why says so; -1: the store failed. */
int alert_again(struct server *s, const struct alert *a, const struct alert_ask *ask, int64_t *job,
	struct buf *why, struct err *e);

/* ---- alert-value.c ---- */
struct alert_value {
	double value; /* NAN: it told nothing */
	bool unusable;
	int64_t run;
	char *board; /* heap; NULL: it had none */
};
int alert_value_of(
	struct server *s, const json_t *body, int64_t job, struct alert_value *v, struct err *e);

#endif
