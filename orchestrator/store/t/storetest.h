/* SPDX-License-Identifier: MIT */
#ifndef STORE_T_STORETEST_H
#define STORE_T_STORETEST_H

/* A folder of its own for each test, events by number, and counters of what a store holds. */

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "store/control.h"

#include <stdlib.h>

static char storetest_dir[64];

static UNUSED const char *storetest_path(const char *name)
{
	static char path[128];

	if (!*storetest_dir) {
		snprintf(storetest_dir, sizeof storetest_dir, "/tmp/hilab-store-XXXXXX");
		if (!mkdtemp(storetest_dir))
			exit(99);
	}
	snprintf(path, sizeof path, "%s/%s", storetest_dir, name);
	return path;
}

static UNUSED void storetest_done(void)
{
	if (*storetest_dir)
		fs_remove_tree(storetest_dir, NULL);
}

static UNUSED int64_t storetest_run(struct store *s)
{
	struct store_run run = {.job = "smoke",
		.board = "b1",
		.type = "t",
		.soc = "am62axx",
		.lab = "l",
		.twin = true,
		.started_ms = 1000,
		.dir = "/nowhere"};
	struct err e = {0};

	if (store_run_add(s, &run, &e))
		tap_text("run_add", e.msg);
	return run.id;
}

static UNUSED struct store_job storetest_job(const char *submitter)
{
	return (struct store_job){.name = "smoke",
		.kind = "job",
		.submitter = submitter,
		.state = "queued",
		.priority = 5,
		.text = "job: smoke\n",
		.file = "smoke.yaml",
		.params = "{\"a\":1}",
		.plans = "[{\"plan\":{}}]",
		.wants = "[{\"type\":\"t\"}]",
		.build = "sdk 9",
		.timeout_ms = 60000,
		.queue_timeout_ms = 3600000,
		.submitted_ms = 1000};
}

static UNUSED int count_result(void *n, const struct store_result *r)
{
	(void)r;
	return ++*(int *)n, 0;
}

static UNUSED int count_metric(void *n, const struct store_metric *m)
{
	(void)m;
	return ++*(int *)n, 0;
}

static UNUSED int count_event(void *n, const char *kind, const struct store_event *ev)
{
	(void)kind;
	(void)ev;
	return ++*(int *)n, 0;
}

static UNUSED int storetest_results(struct store *s, int64_t run)
{
	int n = 0;

	return store_results(s, run, count_result, &n, NULL) ? -1 : n;
}

/* Result number i, at offset i * 1000. The text is the caller's to free. */
static UNUSED char *storetest_line(int i, size_t padding)
{
	AUTOFREE char *pad = mem_alloc(padding + 1);

	memset(pad, 'x', padding);
	return mem_printf(
		"{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"n%d\",\"status\":\"pass\","
		"\"why\":\"%s\",\"at\":5}",
		i, pad);
}

static UNUSED int storetest_add(
	struct store *s, int64_t run, int from, int n, size_t padding, struct err *e)
{
	struct store_event *events = mem_array((size_t)n, sizeof *events);
	int failed;

	for (int i = 0; i < n; i++)
		events[i] = (struct store_event){
			(uint64_t)(from + i) * 100000, storetest_line(from + i, padding)};
	failed = store_run_events(s, run, events, (size_t)n, e);
	for (int i = 0; i < n; i++)
		free((char *)events[i].line);
	free(events);
	return failed;
}

#endif
