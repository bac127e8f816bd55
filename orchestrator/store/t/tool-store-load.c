/* SPDX-License-Identifier: MIT */
/*
 * tool-store-load [JOBS]: what the store of a controller takes, on the disk of /tmp. Prints one
 * line a figure: jobs a second by so many a turn, with documents and plans that they share or that
 * are all different; runs ended a second, each in a turn of its own; the time and the memory that a
 * list of all queued jobs takes; the size of the file.
 */
#include "storetest.h"

#include "base/clock.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES 1500  /* of a job document */
#define PLAN_BYTES 12000 /* of a compiled job */
#define RUN_EVENTS 40    /* lines of a run's journal */

static int failed;

static void must(int answer, const struct err *e)
{
	if (answer < 0 && !failed++)
		fprintf(stderr, "tool-store-load: %s\n", e->msg);
}

static char *filled(size_t bytes, const char *head, int n)
{
	char *text = mem_alloc(bytes + 1);

	memset(text, 'x', bytes);
	text[snprintf(text, bytes, "%s%d ", head, n)] = ' ';
	return text;
}

static void add_one(struct store *s, int i, bool shared)
{
	AUTOFREE char *text = filled(TEXT_BYTES, "job: ", shared ? 0 : i);
	AUTOFREE char *plans = filled(PLAN_BYTES, "[", shared ? 0 : i);
	struct store_job job = storetest_job(i % 2 ? "alice" : "ci");
	struct err e = {0};

	job.text = text, job.plans = plans;
	must(store_job_add(s, &job, &e), &e);
}

static void add_jobs(struct store *s, int jobs, int a_turn, bool shared)
{
	int64_t start_us = clock_us(), us;
	struct err e = {0};

	for (int i = 0; i < jobs && !failed; i++) {
		must(store_turn_begin(s, &e), &e);
		add_one(s, i, shared);
		if (i % a_turn == a_turn - 1 || i == jobs - 1)
			must(store_turn_commit(s, &e), &e);
	}
	us = clock_us() - start_us;
	printf("%-12s %5d jobs, %2d a turn: %8.0f jobs/s %8.0f turns/s\n",
		shared ? "shared" : "different", jobs, a_turn, jobs * 1e6 / (double)us,
		jobs * 1e6 / a_turn / (double)us);
}

static void end_run(struct store *s, int64_t job, struct store_event *events)
{
	struct store_job saved = storetest_job("ci");
	struct store_run run = {.job = "smoke", .started_ms = 1, .attempt = 1, .job_id = job};
	struct store_part p = {.job = job, .agent = "h", .board = "b", .state = "assigned"};
	struct err e = {0};

	must(store_turn_begin(s, &e), &e);
	must(store_run_add(s, &run, &e), &e);
	p.run = run.id;
	must(store_part_add(s, &p, &e), &e);
	must(store_turn_commit(s, &e), &e);
	must(store_turn_begin(s, &e), &e);
	must(store_part_events(s, run.id, 0, events, RUN_EVENTS, &e), &e);
	p.state = "ended", p.verdict = "pass";
	must(store_part_save(s, &p, &e), &e);
	must(store_run_end(s, run.id, "pass", NULL, NULL, 2, &e), &e);
	saved.id = job, saved.state = "done", saved.verdict = "pass", saved.last_run = run.id;
	must(store_job_save(s, &saved, &e), &e);
	must(store_turn_commit(s, &e), &e);
}

static void end_runs(struct store *s, int runs)
{
	struct store_event events[RUN_EVENTS];
	int64_t start_us, us;

	for (int i = 0; i < RUN_EVENTS; i++)
		events[i] = (struct store_event){(uint64_t)i * 200, storetest_line(i, 60)};
	start_us = clock_us();
	for (int i = 0; i < runs && !failed; i++)
		end_run(s, i + 1, events);
	us = clock_us() - start_us;
	printf("%-12s %5d runs of %d events: %5.0f runs/s (two turns each)\n", "ended", runs,
		RUN_EVENTS, runs * 1e6 / (double)us);
	for (int i = 0; i < RUN_EVENTS; i++)
		free((char *)events[i].line);
}

static long resident_kib(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static int count_job(void *n, const struct store_job *j)
{
	(void)j;
	return ++*(int *)n, 0;
}

static void list_jobs(struct store *s)
{
	const struct store_job_filter f = {.open = true, .oldest_first = true};
	int64_t start_us = clock_us();
	struct err e = {0};
	int n = 0;

	must(store_jobs(s, &f, count_job, &n, &e), &e);
	printf("%-12s %5d open jobs in %.1f ms; the process has %ld KiB\n", "listed", n,
		(double)(clock_us() - start_us) / 1000, resident_kib());
}

int main(int argc, char **argv)
{
	int jobs = argc > 1 ? atoi(argv[1]) : 10000;
	AUTOFREE char *path = mem_strdup(storetest_path("load.db"));
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	struct stat st = {0};

	if (!s || jobs < 1) {
		fprintf(stderr, "usage: tool-store-load [JOBS] %s\n", e.msg);
		return 2;
	}
	add_jobs(s, jobs, 16, true);
	list_jobs(s);
	end_runs(s, jobs / 10 + 1);
	add_jobs(s, jobs / 10 + 1, 1, true);
	add_jobs(s, jobs / 4 + 1, 16, false);
	store_close(s);
	if (!stat(path, &st))
		printf("%-12s %.1f MiB\n", "the file", (double)st.st_size / (1 << 20));
	storetest_done();
	return failed != 0;
}
