/* SPDX-License-Identifier: MIT */
/*
 * What a program costs: `tool-cost N PROGRAM [ARG...]` runs it N times and prints the median wall
 * time in ms, the median CPU time in ms and the largest resident set in KiB, those of the
 * processes that it waited for with them. Its output goes to standard error. Fails when a run did.
 */
#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define RUNS_MAX 1000

extern char **environ;

struct cost {
	double wall_ms, cpu_ms;
	long rss_kib;
};

static int start(char **argv, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, 2, 1);
	rc = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (rc)
		fprintf(stderr, "tool-cost: start '%s': %s\n", argv[0], strerror(rc));
	return rc ? -1 : 0;
}

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static int measure(char **argv, struct cost *c)
{
	int64_t from_us = clock_us();
	struct rusage use;
	int status;
	pid_t pid;

	if (start(argv, &pid))
		return -1;
	while (wait4(pid, &status, 0, &use) < 0)
		if (errno != EINTR)
			return -1;
	*c = (struct cost){(double)(clock_us() - from_us) / 1e3,
		ms(use.ru_utime) + ms(use.ru_stime), use.ru_maxrss};
	if (status)
		fprintf(stderr, "tool-cost: '%s' ended with status %d\n", argv[0],
			WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return status ? -1 : 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[1], NULL, 10) : 0, rss_kib = 0;
	AUTOFREE double *wall = NULL, *cpu = NULL;

	if (n < 1 || n > RUNS_MAX) {
		fprintf(stderr, "usage: tool-cost N PROGRAM [ARG...]\n");
		return 2;
	}
	wall = mem_alloc((size_t)n * sizeof *wall);
	cpu = mem_alloc((size_t)n * sizeof *cpu);
	for (long i = 0; i < n; i++) {
		struct cost c;

		if (measure(argv + 2, &c))
			return 1;
		wall[i] = c.wall_ms;
		cpu[i] = c.cpu_ms;
		if (c.rss_kib > rss_kib)
			rss_kib = c.rss_kib;
	}
	qsort(wall, (size_t)n, sizeof *wall, by_value);
	qsort(cpu, (size_t)n, sizeof *cpu, by_value);
	printf("%.2f %.2f %ld\n", wall[n / 2], cpu[n / 2], rss_kib);
	return 0;
}
