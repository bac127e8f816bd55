/* SPDX-License-Identifier: MIT */
/*
 * Interrupt latency as the published tables have it: how late a timer's interrupt gets a real-time
 * task going, as a histogram, with and without load. Invariant: the bins add up to the wake-ups.
 */
#include "test.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BINS      1000 /* of a microsecond; the last one takes all that is later */
#define PRIORITY  80
#define TASKS_MAX 16

static unsigned bins[BINS + 1];

/* Messages through a pipe to and fro, as hackbench does: processes that wake each other. */
static pid_t start_task(void)
{
	pid_t parent = getpid(), pid = fork();
	int to[2], from[2];
	char c = 0;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || pipe(to) < 0 || pipe(from) < 0)
		_exit(1);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		while (read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1)
			;
		_exit(0);
	}
	while (write(to[1], &c, 1) == 1 && read(from[0], &c, 1) == 1)
		;
	_exit(0);
}

static bool real_time(void)
{
	struct sched_param p = {.sched_priority = PRIORITY};

	mlockall(MCL_CURRENT | MCL_FUTURE);
	return sched_setscheduler(0, SCHED_FIFO, &p) == 0;
}

static void later(struct timespec *t, long ns)
{
	t->tv_nsec += ns;
	while (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
}

static void measure(int64_t loops, long interval_us, const char *load)
{
	int64_t sum = 0, worst = 0, best = INT64_MAX;
	struct timespec due;

	memset(bins, 0, sizeof bins);
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (int64_t i = 0; i < loops; i++) {
		int64_t late;

		later(&due, interval_us * 1000);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
			;
		late = (now_ns() - ((int64_t)due.tv_sec * 1000000000 + due.tv_nsec)) / 1000;
		if (late < 0) {
			test_fail("wake", "a timer ended early");
			return;
		}
		bins[late < BINS ? late : BINS]++;
		sum += late;
		worst = late > worst ? late : worst;
		best = late < best ? late : best;
		if (late > interval_us)
			clock_gettime(CLOCK_MONOTONIC, &due);
	}
	test_pass("wake");
	test_metric("irq_latency.min", (double)best, "us", "load=%s", load);
	test_metric("irq_latency.avg", (double)sum / (double)loops, "us", "load=%s", load);
	test_metric("irq_latency.max", (double)worst, "us", "load=%s", load);
}

/* The bins with the most wake-ups: a whole histogram is no table. */
static void print_bins(int64_t loops, const char *load)
{
	int64_t keep = option_number("bins");
	unsigned sum = 0;

	for (int i = 0; i <= BINS; i++)
		sum += bins[i];
	test_check(sum == (unsigned)loops, "histogram", "%u wake-ups in the bins, not %lld", sum,
		(long long)loops);
	while (keep-- > 0) {
		int most = 0;

		for (int i = 1; i <= BINS; i++)
			if (bins[i] > bins[most])
				most = i;
		if (!bins[most])
			break;
		test_metric("irq_latency.samples", bins[most], "samples",
			"bin_us=%d load=%s of=%lld", most, load, (long long)loops);
		bins[most] = 0;
	}
}

static void run(void)
{
	int64_t loops = option_number("loops"), tasks = option_number("tasks");
	const char *load = tasks ? "100" : "0";
	pid_t pids[TASKS_MAX];
	int n = 0;

	if (loops < 1) {
		test_error("wake", "--loops wants at least 1");
		return;
	}
	while (n < tasks && n < TASKS_MAX)
		pids[n++] = start_task();
	if (real_time())
		test_pass("real-time");
	else
		test_skip("real-time", "no real-time priority: %s", strerror(errno));
	measure(loops, (long)option_number("interval"), load);
	while (n) {
		kill(pids[--n], SIGKILL);
		waitpid(pids[n], NULL, 0);
	}
	print_bins(loops, load);
}

const struct driver_test test_latency = {
	.name = "irq-latency",
	.what = "timer interrupt to running task: histogram, idle and under load",
	.needs = "nothing; real-time priority where it counts",
	.options = {{"loops", "1001", "wake-ups"},
		{"interval", "1000", "microseconds between them"},
		{"tasks", "0", "pairs of processes that pass messages meanwhile"},
		{"bins", "10", "fullest bins that become figures"}, {0}},
	.run = run,
};
