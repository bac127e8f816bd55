/* SPDX-License-Identifier: MIT */
/*
 * What the validation of a job costs within a process: `tool-check-speed JOB [N]` reads and checks
 * it N times (1000), compiles it as often, and prints the mean CPU time of each in ms.
 */
#include "base/mem.h"
#include "io/yaml.h"
#include "jobs/job.h"
#include "reports/parse/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int once(const char *path, const struct job_tables *tables, bool compile)
{
	struct arena arena = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_load(&arena, path, &diag);
	struct plan plan = {0};
	int rc = -1;

	if (doc && compile)
		rc = job_compile(&plan, doc, NULL, 0, tables, &diag);
	else if (doc)
		rc = job_check(doc, tables, &diag);
	plan_done(&plan);
	diag_done(&diag);
	arena_done(&arena);
	return rc;
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct job_tables tables = {.parsers = parse_drivers()};
	int n = argc > 2 ? atoi(argv[2]) : 1000;

	if (argc < 2 || n < 1) {
		fprintf(stderr, "usage: tool-check-speed JOB [N]\n");
		return 2;
	}
	for (int compile = 0; compile < 2; compile++) {
		double from_ms = cpu_ms();

		for (int i = 0; i < n; i++)
			if (once(argv[1], &tables, compile)) {
				fprintf(stderr, "tool-check-speed: '%s' is not right\n", argv[1]);
				return 1;
			}
		printf("%.4f%c", (cpu_ms() - from_ms) / n, compile ? '\n' : ' ');
	}
	return 0;
}
