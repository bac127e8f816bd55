/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_JOURNAL_H
#define AGENTS_WORKER_JOURNAL_H

/*
 * The journal of a run: `events.jsonl` in the job folder, one JSON object a line, appended and
 * never rewritten; and `status`, renamed into place last. Together with the console logs they are
 *the whole interface between a worker and everybody else (agent, `hilab run`, store, people).
 *
 * Every event: {"seq": from 0, "at": wall clock ms, "ms": since run start, "kind": ...} and, by
 *kind:
 *
 *	run-start   job board type soc lab twin build build_version steps pid
 *	step-start  step (index) name step_kind timeout_ms
 *	step-end    step name outcome ("ok"|"failed"|"not-run") [took_ms attempts] [blame message]
 *	attempt     of ("result"|"metric") attempt, and what that event has: an attempt that does
 *not count retry       name attempt message: why that attempt was not the last flake       name
 *attempts why: passed, but not at once bootmode    mode (written before it changes) power state
 *("on"|"off"|"unknown") stage       name ms_since_power_on identity    role want got same (bool)
 *	result      suite name status [why] [log_offset] [console] [parser]
 *	metric      suite test name value [min max resolution] unit labels {name: value} [better]
 *		    [parser]
 *	env         name value [parser]
 *	note        text
 *	warn        text [crash (console log_offset | source: "dmesg")] [parser]
 *	artifact    name bytes
 *	release     what ok [message]
 *	barrier, tell, heard (from key bytes text), session-start, input-dropped, power-done,
 *	session-end: see inbox.h
 *	run-end     verdict blame message power
 *
 * status: {"verdict","blame","message","power","started_ms","ended_ms","counts":{status: n}}.
 * No `status` after the worker's death is the crash report. Readers take whole lines only: a line
 *without \n is still being written.
 */

#include "base/err.h"
#include "base/verdict.h"

#include <jansson.h>
#include <stdint.h>

struct journal {
	int fd;
	const char *dir; /* borrowed */
	int64_t start_ms, start_wall_ms;
	uint64_t seq;
	int bell_fd; /* a byte is written to it after each event; 0: none. Not closed */
	int lost;    /* errno of the first failed write; 0: none. Nothing is written after it */
};

int journal_open(struct journal *j, const char *dir, struct err *e); /* appends when it is there */
void journal_close(struct journal *j);
/* Takes the reference to event, adds seq, at and ms, writes one line with one write(2). */
void journal_add(void *journal, json_t *event);
/* A board's bytes as text that JSON can hold: what is not UTF-8 and control bytes but \n and \t
 * become
 * '?'. Heap; NULL gives NULL. */
char *journal_text(const char *bytes);

struct run_status {
	enum verdict verdict;
	enum err_blame blame;
	char message[ERR_MSG_BYTES];
	char power[16];
	int64_t started_ms, ended_ms; /* wall */
	int counts[STATUS_COUNT];     /* by enum status */
};
int run_status_save(const struct run_status *s, const char *dir, struct err *e);
/* 0 read, 1 not there (the worker died or still runs), -1 damaged. */
int run_status_load(struct run_status *s, const char *dir, struct err *e);

#endif
