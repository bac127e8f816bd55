/* SPDX-License-Identifier: MIT */
/*
 * tool-judge-night STORE [TYPES [METRICS [NIGHTS [SEED]]]]: fills a new store with nights of that
 * many board types and figures each (20, 500, 365, 1), judges the last but one anew and the last
 * one from kept state, and prints how long both took on the processor, the most memory, and what
 * was found. In the last nights each tenth figure of each type is a tenth less.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "reports/judge.h"
#include "store/control.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define DAY_MS      86400000LL
#define STEP_NIGHTS 12 /* before the end a tenth of the figures get worse */

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - drand48())) * cos(2 * acos(-1) * drand48());
}

static int64_t add_night(
	struct store *s, int type, int metrics, int night, int nights, struct err *e)
{
	AUTOFREE char *name = mem_printf("type%d", type);
	AUTOFREE char *board = mem_printf("board%d", type);
	AUTOFREE char *version = mem_printf("1.%d", night);
	AUTOFREE struct store_event *events = mem_array((size_t)metrics, sizeof *events);
	struct store_run run = {.job = "nightly",
		.board = board,
		.type = name,
		.build = "sdk",
		.build_version = version,
		.started_ms = (night + 1) * DAY_MS + type};
	int failed;

	for (int i = 0; i < metrics; i++) {
		double level = night >= nights - STEP_NIGHTS && i % 10 == 0 ? 90 : 100;

		events[i] = (struct store_event){(uint64_t)i * 1000,
			mem_printf("{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t%d\","
				   "\"name\":\"x.m%d\",\"value\":%.6g,\"unit\":\"MB/s\","
				   "\"better\":\"higher\"}",
				i / 5, i, level * (1 + 0.02 * normal())),
			0};
	}
	failed = store_run_add(s, &run, e) ||
		 store_run_events(s, run.id, events, (size_t)metrics, e) ||
		 store_run_end(s, run.id, "pass", NULL, NULL, run.started_ms + 1, e);
	for (int i = 0; i < metrics; i++)
		free((char *)events[i].line);
	return failed ? -1 : run.id;
}

/* One night of all types in one transaction; the first run's number, -1. */
static int64_t fill_night(
	struct store *s, int types, int metrics, int night, int nights, struct err *e)
{
	int64_t first = 0;

	if (store_turn_begin(s, e))
		return -1;
	for (int t = 0; t < types; t++) {
		int64_t run = add_night(s, t, metrics, night, nights, e);

		if (run < 0)
			return -1;
		first = first ? first : run;
	}
	return store_turn_commit(s, e) ? -1 : first;
}

static int judge_night(struct store *s, int64_t first, int types, const char *what, struct err *e)
{
	size_t standing = 0, suspected = 0, figures = 0;
	struct rusage usage;
	double began = cpu_s();
	struct judge j;

	judge_init(&j, s, NULL, true);
	for (int t = 0; t < types; t++)
		if (judge_run(&j, first + t, e) < 0)
			return -1;
	judge_settle(&j);
	vec_each (&j.runs, r) {
		standing += (*r)->standing;
		suspected += (*r)->suspected;
		figures += (*r)->n_figures;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%s: %zu figures, %zu regressions, %zu known, %zu suspected; %.2f s, %ld MiB\n",
		what, figures, judge_regressions(&j), standing, suspected, cpu_s() - began,
		usage.ru_maxrss / 1024);
	judge_done(&j);
	return 0;
}

static int number(int argc, char **argv, int at, int preset)
{
	return argc > at ? atoi(argv[at]) : preset;
}

int main(int argc, char **argv)
{
	int types = number(argc, argv, 2, 20), metrics = number(argc, argv, 3, 500);
	int nights = number(argc, argv, 4, 365);
	int64_t first = 0;
	struct err e = {0};
	struct store *s = argc > 1 ? store_open(argv[1], false, &e) : NULL;
	int failed = !s || types < 1 || metrics < 1 || nights < 2;

	srand48(number(argc, argv, 5, 1));
	for (int n = 0; !failed && n < nights; n++) {
		first = fill_night(s, types, metrics, n, nights, &e);
		failed = first < 0;
		if (!failed && n == nights - 2)
			failed = judge_night(s, first, types, "anew", &e);
	}
	if (!failed)
		failed = judge_night(s, first, types, "from kept state", &e);
	if (!failed)
		failed = judge_night(s, first, types, "the same again", &e);
	if (failed)
		fprintf(stderr, "tool-judge-night: %s\n", e.msg);
	store_close(s);
	return failed != 0;
}
