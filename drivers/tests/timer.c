/* SPDX-License-Identifier: MIT */
/*
 * The board's timers, as a program meets them: does the clock move evenly, how far apart are two
 * readings, and how late does a sleep wake up. Needs no device and no right. Invariant: figures are
 * measured, a clock that does not move is a failure and never a figure.
 *
 *	cc -O2 -o timer timer.c && ./timer [SLEEPS]
 */
#include "hil.h"

#include <time.h>

#define READS    100000
#define SLEEPS   50
#define SLEEP_NS 2000000L
#define LATE_BAD 1000 /* times the sleep: not late but broken */

static int64_t now_ns(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_MONOTONIC, &t) ? -1 : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void test_reads(void)
{
	int64_t start = now_ns(), last = start, back = 0, step = INT64_MAX;

	for (int i = 0; i < READS; i++) {
		int64_t now = now_ns();

		if (now < last)
			back++;
		else if (now > last && now - last < step)
			step = now - last;
		last = now;
	}
	if (back)
		hil_result("monotonic", HIL_FAIL, "went back %lld times", (long long)back);
	else if (last == start)
		hil_result("monotonic", HIL_FAIL, "stood still over %d reads", READS);
	else
		hil_result("monotonic", HIL_PASS, NULL);
	if (last > start)
		hil_metric("timer.read", (double)(last - start) / READS, "ns", NULL);
	if (step != INT64_MAX)
		hil_metric("timer.step", (double)step, "ns", NULL);
}

static void test_sleeps(int sleeps)
{
	const struct timespec length = {.tv_nsec = SLEEP_NS};
	int64_t worst = 0, sum = 0;
	int early = 0;

	for (int i = 0; i < sleeps; i++) {
		int64_t start = now_ns(), late;

		while (nanosleep(&length, NULL) && errno == EINTR)
			;
		late = now_ns() - start - SLEEP_NS;
		early += late < 0;
		worst = late > worst ? late : worst;
		sum += late;
	}
	if (early)
		hil_result("sleep", HIL_FAIL, "woke up early %d times of %d", early, sleeps);
	else if (worst > LATE_BAD * SLEEP_NS)
		hil_result("sleep", HIL_FAIL, "%lld ms late", (long long)(worst / 1000000));
	else
		hil_result("sleep", HIL_PASS, NULL);
	hil_metric("timer.late.avg", (double)sum / sleeps / 1000, "us", "sleep=2ms");
	hil_metric("timer.late.max", (double)worst / 1000, "us", "sleep=2ms");
}

int main(int argc, char **argv)
{
	int sleeps = argc > 1 ? atoi(argv[1]) : SLEEPS;

	hil_plan("timer", 2);
	test_reads();
	test_sleeps(sleeps > 0 ? sleeps : SLEEPS);
	return hil_done();
}
