/* SPDX-License-Identifier: MIT */
/*
 * Watches a night until its last job is done. Invariant: its jobs are asked for after the stream of
 * changes began, so that none is missed.
 */
#include "cli/nightly.h"

#include "base/map.h"
#include "base/mem.h"
#include "io/json.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAIN_FIRST_MS 250
#define AGAIN_MAX_MS   5000

struct waiting {
	struct remote *r; /* for calls while the stream is open */
	int64_t nightly;
	struct sse sse;
	struct map jobs; /* number -> its view, a reference */
	size_t done, failed, running;
	bool quiet, live, drawn;
	bool fresh;        /* the jobs were asked for over this connection */
	bool over, broken; /* broken: it cannot be asked; exit_status says why */
	int exit_status;
};

static bool is_done(const json_t *job)
{
	return !strcmp(json_text(job, "state", ""), "done");
}

/* Adds a view to the counts, or (by -1) takes one that was there out of them; NULL: none. */
static void count(struct waiting *w, const json_t *job, int by)
{
	if (!job)
		return;
	if (is_done(job)) {
		w->done += (size_t)by;
		if (strcmp(json_text(job, "verdict", ""), "pass") != 0)
			w->failed += (size_t)by;
	} else if (strcmp(json_text(job, "state", ""), "queued") != 0) {
		w->running += (size_t)by;
	}
}

static void draw(struct waiting *w)
{
	if (w->quiet || !w->live)
		return;
	fprintf(stderr, "\r\033[Knightly %lld: %zu of %zu done", (long long)w->nightly, w->done,
		w->jobs.n);
	if (w->failed)
		fprintf(stderr, " (%zu not passed)", w->failed);
	fprintf(stderr, ", %zu running, %zu waiting", w->running, w->jobs.n - w->done - w->running);
	w->drawn = true;
}

static void tell_done(struct waiting *w, const json_t *job)
{
	const json_t *board = json_array_get(json_object_get(job, "boards"), 0);
	const char *message = json_text(job, "message", NULL);

	if (w->quiet)
		return;
	if (w->drawn)
		fputs("\r\033[K", stderr);
	fprintf(stderr, "job %lld %s%s%s: %s%s%s\n", (long long)json_int(job, "job", 0),
		json_text(job, "name", "?"), board ? " on " : "",
		board ? json_string_value(board) : "", json_text(job, "verdict", "done"),
		message ? ": " : "", message ? message : "");
}

/* A job as it is now; takes no reference. */
static void take(struct waiting *w, json_t *job)
{
	char key[24];
	json_t *old;

	snprintf(key, sizeof key, "%lld", (long long)json_int(job, "job", 0));
	old = map_find(&w->jobs, key);
	if (is_done(job) && !(old && is_done(old)))
		tell_done(w, job);
	count(w, old, -1);
	count(w, job, 1);
	map_set(&w->jobs, key, json_incref(job));
	json_decref(old);
	w->over = w->done == w->jobs.n;
}

/* All jobs of the night. */
static void ask(struct waiting *w)
{
	AUTOFREE char *path = mem_printf("/nightlies/%lld", (long long)w->nightly);
	AUTOJSON *view = remote_call(w->r, "GET", path, NULL, &w->exit_status);
	json_t *job;
	size_t i;

	w->broken = !view;
	json_array_foreach (json_object_get(view, "jobs"), i, job)
		take(w, job);
	/* Of one none of whose entries could be submitted there is nothing to wait for. */
	w->over |= view && json_int(view, "ended_ms", 0);
	draw(w);
}

static void on_event(void *arg, const char *id, const char *name, const char *data)
{
	struct waiting *w = arg;
	AUTOJSON *j = NULL;

	(void)id;
	if (!strcmp(name, "lost")) {
		ask(w);
		return;
	}
	if (strcmp(name, "job") != 0)
		return;
	j = json_loads(data, 0, NULL);
	if (!j || json_int(j, "nightly", 0) != w->nightly)
		return;
	take(w, j);
	draw(w);
}

static int on_bytes(void *arg, struct str bytes)
{
	struct waiting *w = arg;

	if (!w->fresh) {
		w->fresh = true;
		ask(w);
	}
	if (!w->over && !w->broken && sse_feed(&w->sse, bytes, on_event, w))
		return -1;
	return w->over || w->broken;
}

static int watch(struct remote *r, struct waiting *w)
{
	int64_t wait_ms = AGAIN_FIRST_MS;
	bool ever = false;

	while (!w->over) {
		int failed;

		w->fresh = w->broken = false;
		sse_init(&w->sse);
		failed = remote_stream(r, "/events", on_bytes, w, &w->exit_status);
		sse_done(&w->sse);
		if (w->over)
			break;
		/* What was refused, or never answered at all, will not get better. */
		if ((failed || w->broken) && (!ever || w->exit_status == EXIT_USAGE))
			return w->exit_status;
		wait_ms = w->fresh ? AGAIN_FIRST_MS : wait_ms * 2;
		ever |= w->fresh;
		poll(NULL, 0, (int)(wait_ms < AGAIN_MAX_MS ? wait_ms : AGAIN_MAX_MS));
	}
	return 0;
}

int nightly_wait(struct remote *r, const struct nightly_args *a, int64_t nightly)
{
	struct remote calls;
	struct waiting w = {.r = &calls,
		.nightly = nightly,
		.quiet = a->quiet,
		.live = cli_tty(STDERR_FILENO),
		.exit_status = EXIT_INCOMPLETE};
	int status;

	if (remote_open(&calls, a->server, "nightly"))
		return EXIT_USAGE;
	status = watch(r, &w);
	if (w.drawn)
		fputs("\r\033[K", stderr);
	map_each (&w.jobs, entry)
		json_decref(entry->value);
	map_done(&w.jobs);
	remote_done(&calls);
	return status;
}
