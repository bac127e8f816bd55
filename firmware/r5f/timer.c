/* SPDX-License-Identifier: MIT */
/*
 * The clock and the timer: how far apart two readings are, how late a timer's event is seen.
 * Invariant: a clock that does not move and a timer that does not fire are failures, never figures.
 */
#include "suites.h"

#include "board.h"
#include "drivers/tests/hil.h"

#define READS   10000
#define EVENTS  50
#define WAIT_NS 1000000000ull
#define TICKS   100000u

static void test_clock(const struct suite_args *args)
{
	uint32_t start = board_cycles(), last = start, step = UINT32_MAX;

	for (int i = 0; i < READS; i++) {
		uint32_t now = board_cycles();

		if (now != last && now - last < step)
			step = now - last;
		last = now;
	}
	if (last == start) {
		hil_result("clock", HIL_FAIL, "stood still over %d reads", READS);
		return;
	}
	hil_result("clock", HIL_PASS, NULL);
	if (!args->figures)
		return;
	hil_metric("timer.read", (double)(last - start) / READS, "ns", NULL);
	hil_metric("timer.step", step, "ns", NULL);
}

/* Nanoseconds until the timer's next event is seen; 0: none came. */
static uint64_t next_event(void)
{
	uint64_t start = board_ns();

	while (!board_timer_fired())
		if (board_ns() - start > WAIT_NS)
			return 0;
	return board_ns() - start + 1;
}

/* The period is what most events agree on: their mean; how far single ones are off is what polling
 * sees late. */
static void test_timer(const struct suite_args *args)
{
	uint64_t all[EVENTS], sum = 0, worst = 0;
	double mean;

	board_timer_start(TICKS);
	if (!next_event()) {
		hil_result("timer", HIL_FAIL, "no event in a second");
		return;
	}
	for (int i = 0; i < EVENTS; i++) {
		all[i] = next_event();
		if (!all[i]) {
			hil_result("timer", HIL_FAIL, "no event after %d", i);
			return;
		}
		sum += all[i];
	}
	mean = (double)sum / EVENTS;
	for (int i = 0; i < EVENTS; i++)
		if (all[i] > mean && all[i] - mean > worst)
			worst = (uint64_t)(all[i] - mean);
	hil_result("timer", HIL_PASS, NULL);
	if (!args->figures)
		return;
	hil_metric("timer.period", mean / 1000, "us", "source=ttc");
	hil_metric("timer.late.max", (double)worst / 1000, "us", "source=ttc how=polled");
}

int suite_timer(const struct suite_args *args)
{
	hil_n = hil_bad = 0;
	hil_plan("timer", 2);
	test_clock(args);
	test_timer(args);
	return hil_done();
}

/* QEMU 7.2 to 10.0 give the R5 pair no interrupt controller: a line has no way to a core. */
int suite_interrupts(const struct suite_args *args)
{
	(void)args;
	hil_n = hil_bad = 0;
	hil_plan("interrupts", 1);
	hil_result("latency", HIL_SKIP, "this chip's real-time cores have no interrupt controller");
	return hil_done();
}
