/* SPDX-License-Identifier: MIT */
/*
 * Follows a job by the controller's server-sent events. Invariant: a line of a journal is shown
 * once, whatever happens to the connection.
 */
#include "cli/follow.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "io/json.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX      16 /* of a job */
#define AGAIN_FIRST_MS 250
#define AGAIN_MAX_MS   5000

struct following {
	const struct follow_opts *o;
	struct sse sse;
	struct progress parts[PARTS_MAX]; /* one a board */
	bool several;                     /* more than one of them did something */
	char after[256];                  /* where to go on */
	char state[16];                   /* last one shown */
	char waits[256];
	int64_t run;    /* of the lines shown last; 0: none yet */
	char why[256];  /* how it ended */
	json_t *job;    /* the last view; NULL: none yet */
	bool done, any; /* any: something came over this connection */
};

static void clear(struct following *f)
{
	for (size_t i = 0; i < PARTS_MAX; i++)
		progress_done(&f->parts[i]);
}

/* Of several parts none has a live line: they would take turns in it. */
static struct progress *part_of(struct following *f, const json_t *j)
{
	int64_t part = json_int(j, "part", 0);

	if (part > 0 && !f->several) {
		f->several = true;
		clear(f);
		for (size_t i = 0; i < PARTS_MAX; i++)
			f->parts[i].live = false;
	}
	return &f->parts[part > 0 && part < PARTS_MAX ? part : 0];
}

static void show_state(struct following *f, const json_t *job)
{
	const char *state = json_text(job, "state", ""), *waits = json_text(job, "waits", "");

	if (f->o->quiet || (!strcmp(state, f->state) && !strcmp(waits, f->waits)))
		return;
	if (!strcmp(state, "queued") && *waits) {
		clear(f);
		fprintf(stderr, "waits: %s\n", waits);
	} else if (!f->o->steps && strcmp(state, f->state)) {
		fprintf(stderr, "job %lld: %s\n", (long long)json_int(job, "job", 0), state);
	}
	snprintf(f->state, sizeof f->state, "%s", state);
	snprintf(f->waits, sizeof f->waits, "%s", waits);
}

static void on_run(struct following *f, const json_t *j)
{
	int64_t run = json_int(j, "run", 0);
	const json_t *event = json_object_get(j, "event");
	struct progress *p = part_of(f, j);

	if (run != f->run && f->run && !f->o->quiet) {
		clear(f);
		fprintf(stderr, "run %lld was given up: %s, once more as run %lld\n",
			(long long)f->run, f->why, (long long)run);
	}
	f->run = p->run = run;
	if (!strcmp(json_text(event, "kind", ""), "run-end"))
		snprintf(f->why, sizeof f->why, "%s",
			json_text(event, "message", "trouble of the lab"));
	if (f->o->steps)
		progress_event(p, event);
}

static void on_event(void *arg, const char *id, const char *name, const char *data)
{
	struct following *f = arg;
	json_t *j = json_loads(data, 0, NULL);

	f->any = true;
	if (*id)
		snprintf(f->after, sizeof f->after, "%s", id);
	if (!strcmp(name, "run")) {
		on_run(f, j);
	} else if (!strcmp(name, "job") && j) {
		show_state(f, j);
		f->done = !strcmp(json_text(j, "state", ""), "done");
		json_decref(f->job);
		f->job = json_incref(j);
	}
	json_decref(j);
}

static int on_bytes(void *arg, struct str bytes)
{
	struct following *f = arg;

	if (sse_feed(&f->sse, bytes, on_event, f))
		return -1;
	progress_tick(&f->parts[0]);
	return f->done;
}

/* One connection. -1: *exit_status says why nothing can come of it. */
static int once(struct remote *r, int64_t job, struct following *f, int *exit_status)
{
	AUTOFREE char *after = http_encode(f->after);
	AUTOFREE char *path = mem_printf(
		"/jobs/%lld/events%s%s", (long long)job, *f->after ? "?after=" : "", after);
	int r1;

	f->any = false;
	sse_init(&f->sse);
	r1 = remote_stream(r, path, on_bytes, f, exit_status);
	sse_done(&f->sse);
	return f->done || f->any ? 0 : r1;
}

static int follow(struct remote *r, int64_t job, struct following *f)
{
	int64_t wait_ms = AGAIN_FIRST_MS;
	int exit_status = EXIT_INCOMPLETE;
	bool first = true;

	while (!f->done) {
		int failed = once(r, job, f, &exit_status);

		if (f->done)
			break;
		/* What was refused, or never answered at all, will not get better. */
		if (failed && (first || exit_status == EXIT_USAGE))
			return exit_status;
		wait_ms = f->any ? AGAIN_FIRST_MS : wait_ms * 2;
		first = false;
		poll(NULL, 0, (int)(wait_ms < AGAIN_MAX_MS ? wait_ms : AGAIN_MAX_MS));
	}
	return verdict_exit_of(
		json_text(f->job, "verdict", "incomplete"), json_text(f->job, "blame", "none"));
}

static int to_stdout(void *arg, struct str bytes)
{
	(void)arg;
	return fwrite(bytes.p, 1, bytes.n, stdout) != bytes.n;
}

int follow_report(struct remote *r, int64_t run, const char *format)
{
	AUTOFREE char *path = mem_printf("/runs/%lld/report?format=%s", (long long)run, format);
	int exit_status = EXIT_INCOMPLETE;

	if (remote_stream(r, path, to_stdout, NULL, &exit_status))
		return exit_status;
	return fflush(stdout) ? EXIT_INCOMPLETE : 0;
}

int job_follow(struct remote *r, int64_t job, const struct follow_opts *o)
{
	struct following f = {.o = o};
	struct metric_table metrics = {0};
	const json_t *runs;
	int status, failed;

	report_load_metrics(&metrics, NULL);
	for (size_t i = 0; i < PARTS_MAX; i++)
		progress_init(&f.parts[i], &metrics, o->quiet || !o->steps);
	status = follow(r, job, &f);
	clear(&f);
	runs = json_object_get(f.job, "runs");
	if (f.done && o->report && json_array_size(runs)) {
		failed = follow_report(r,
			json_integer_value(json_array_get(runs, json_array_size(runs) - 1)),
			o->report);
		status = failed && status == EXIT_PASS ? failed : status;
	} else if (f.done && !json_array_size(runs) && !o->quiet) {
		fprintf(stderr, "job %lld: %s: %s\n", (long long)job,
			json_text(f.job, "verdict", ""),
			json_text(f.job, "message", "it never ran"));
	}
	json_decref(f.job);
	metric_table_done(&metrics);
	return status;
}
