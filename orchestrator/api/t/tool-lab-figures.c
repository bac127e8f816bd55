/* SPDX-License-Identifier: MIT */
/*
 * What became of many jobs: `tool-lab-figures wait ENDPOINT` returns when nothing is queued or
 * running any more. `tool-lab-figures jobs ENDPOINT FIRST LAST` prints of those jobs: how many
 * passed, how many did not, the ms from the first submission to the last end, then median and 99th
 * percentile of the ms from submission to the worker's own start, and from the worker's end to the
 * board being free. ENDPOINT is the server's endpoint.json, beside which its runs are.
 */
#include "base/fs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/http-client.h"
#include "io/json.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_MS   50
#define ANSWER_MS 60000
#define PAGE      500

struct figures {
	VEC(double) started_ms, freed_ms;
	long passed, failed;
	int64_t first_ms, last_ms;
	const char *runs; /* folder */
};

static int fail(const char *what, const char *text)
{
	fprintf(stderr, "tool-lab-figures: %s: %s\n", what, text);
	return -1;
}

/* A new reference; NULL after telling. */
static json_t *get(struct http_client *c, const char *path)
{
	const struct http_ask ask = {.method = "GET", .path = path, .timeout_ms = ANSWER_MS};
	struct http_answer a = {0};
	struct err e = {0};
	json_t *j = NULL;

	http_call(c, &ask, &a);
	if (http_answer_check(&a, &e) || !(j = http_answer_json(&a, &e)))
		fail(path, e.msg);
	http_answer_done(&a);
	return j;
}

static int wait_for_all(struct http_client *c)
{
	for (;;) {
		AUTOJSON *j = get(c, "/api/v1/health");
		const json_t *counts = json_object_get(j, "counts");

		if (!counts)
			return fail("health", "no counts");
		if (!json_int(counts, "queued", 1) && !json_int(counts, "running", 1))
			return 0;
		poll(NULL, 0, POLL_MS);
	}
}

/* The worker's own times are in the status of its last run. */
static int add_job(struct figures *f, const json_t *job)
{
	const json_t *runs = json_object_get(job, "runs");
	int64_t run = json_integer_value(json_array_get(runs, json_array_size(runs) - 1));
	AUTOFREE char *path = mem_printf("%s/%lld/status", f->runs, (long long)run);
	int64_t submitted_ms = json_int(job, "submitted_ms", 0);
	int64_t ended_ms = json_int(job, "ended_ms", 0);
	AUTOJSON *status = NULL;
	struct err e = {0};

	if (strcmp(json_text(job, "verdict", ""), "pass") != 0) {
		if (!f->failed++)
			fail(json_text(job, "verdict", "no verdict"),
				json_text(job, "message", ""));
		return 0;
	}
	status = json_read(path, &e);
	if (!status)
		return fail(path, e.msg);
	f->passed++;
	vec_push(&f->started_ms, (double)(json_int(status, "started_ms", 0) - submitted_ms));
	vec_push(&f->freed_ms, (double)(ended_ms - json_int(status, "ended_ms", 0)));
	if (!f->first_ms || submitted_ms < f->first_ms)
		f->first_ms = submitted_ms;
	if (ended_ms > f->last_ms)
		f->last_ms = ended_ms;
	return 0;
}

static int gather(struct http_client *c, int64_t first, int64_t last, struct figures *f)
{
	int64_t before = last + 1;

	while (before > first) {
		AUTOFREE char *path =
			mem_printf("/api/v1/jobs?limit=%d&before=%lld", PAGE, (long long)before);
		AUTOJSON *j = get(c, path);
		const json_t *job;
		size_t i;

		if (!json_array_size(json_object_get(j, "jobs")))
			return j ? 0 : -1;
		json_array_foreach (json_object_get(j, "jobs"), i, job) {
			before = json_int(job, "job", 0);
			if (before >= first && add_job(f, job))
				return -1;
		}
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_spread(double *p, size_t n)
{
	if (n)
		qsort(p, n, sizeof *p, by_value);
	printf(" %.0f %.0f", n ? p[n / 2] : 0, n ? p[n * 99 / 100] : 0);
}

int main(int argc, char **argv)
{
	AUTOJSON *endpoint = NULL;
	AUTOFREE char *dir = NULL, *runs = NULL;
	struct http_client_opts o = {0};
	struct http_client *c;
	struct figures f = {0};
	struct err e = {0};
	int rc;

	if (argc < 3 || (strcmp(argv[1], "wait") != 0 && argc != 5)) {
		fprintf(stderr,
			"usage: tool-lab-figures wait ENDPOINT | jobs ENDPOINT FIRST LAST\n");
		return 2;
	}
	dir = fs_dirname(argv[2]);
	f.runs = runs = fs_join(dir, "runs");
	endpoint = json_read(argv[2], &e);
	o.base = json_text(endpoint, "url", "");
	o.token = json_text(endpoint, "token", "");
	c = endpoint ? http_client_new(NULL, &o, &e) : NULL;
	if (!c)
		return fail(argv[2], e.msg), 2;
	if (!strcmp(argv[1], "wait")) {
		rc = wait_for_all(c);
	} else {
		rc = gather(c, atoll(argv[3]), atoll(argv[4]), &f);
		printf("%ld %ld %lld", f.passed, f.failed, (long long)(f.last_ms - f.first_ms));
		print_spread(f.started_ms.p, f.started_ms.n);
		print_spread(f.freed_ms.p, f.freed_ms.n);
		putchar('\n');
	}
	vec_done(&f.started_ms);
	vec_done(&f.freed_ms);
	http_client_free(c);
	return rc ? 1 : 0;
}
