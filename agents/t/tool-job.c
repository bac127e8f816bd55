/* SPDX-License-Identifier: MIT */
/*
 * What tests of the worker need and no command gives alone:
 *	tool-job make JOB.yaml LAB.yaml DIR [NAME=VALUE...]	a job folder
 *	tool-job run DIR [worker|self SIGNAL TEXT]	run_job on it; prints its events and its
 *status; as an event with TEXT comes, the signal goes to the worker or to this process
 */
#include "agents/boot/boot.h"
#include "agents/deploy/deploy.h"
#include "agents/jobdir.h"
#include "agents/measure/measure.h"
#include "agents/run.h"
#include "builds/build.h"
#include "io/json.h"
#include "io/yaml.h"
#include "jobs/images.h"
#include "jobs/job.h"
#include "reports/parse/parse.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct job_setting settings[16];
static struct arena arena;
static struct types types;
static struct lab lab;
static struct plan plan;
static struct build build;
static struct diag diag;

static int told(void)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	diag_print(&diag, &text);
	fputs(buf_str(&text), stderr);
	return 2;
}

static int make(int argc, char **argv)
{
	struct job_tables tables = {
		deploy_drivers(), boot_drivers(), measure_drivers(), parse_drivers()};
	struct err e = {0};
	const struct node *doc;
	size_t n = 0;

	for (int i = 3; i < argc && n < 16; i++) {
		char *equals = strchr(argv[i], '=');

		if (!equals)
			return fprintf(stderr, "no NAME=VALUE: '%s'\n", argv[i]), 2;
		*equals = 0;
		settings[n++] = (struct job_setting){argv[i], equals + 1};
	}
	doc = yaml_load(&arena, argv[0], &diag);
	if (!doc || types_load_default(&types, &diag) || lab_load(&lab, argv[1], &types, &diag) ||
		job_compile(&plan, doc, settings, n, &tables, &diag))
		return told();
	if (plan.build) {
		AUTOFREE char *path = build_locate(plan.build, &e);

		if (!path || build_load(&build, path, &diag))
			return fprintf(stderr, "%s\n", e.msg), told();
		if (plan_use_build(&plan, &build, lab.boards[0].type->soc, NULL, &e))
			return fprintf(stderr, "%s\n", e.msg), 5;
	}
	if (jobdir_make(argv[2], &plan, &lab, &lab.boards[0], &e))
		return fprintf(stderr, "%s\n", e.msg), 3;
	return 0;
}

static struct {
	const char *match; /* in an event: time to send a signal; NULL: never */
	int sig;
	bool self; /* to this process, as Ctrl-C would; else to the worker */
	pid_t worker;
} strike;

static void on_event(void *arg, const char *line, uint64_t offset, const json_t *event)
{
	const char *kind = json_text(event, "kind", "");

	(void)arg;
	printf("%llu %s\n", (unsigned long long)offset, line);
	fflush(stdout);
	if (!strcmp(kind, "run-start"))
		strike.worker = (pid_t)json_int(event, "pid", 0);
	if (strike.match && strstr(line, strike.match) && strike.worker > 0) {
		strike.match = NULL;
		kill(strike.self ? getpid() : strike.worker, strike.sig);
	}
}

static int run(const char *dir)
{
	struct run_opts o = {.dir = dir, .exe = getenv("HILAB")};
	struct run_status s;
	struct err e = {0};

	if (run_job(&o, on_event, NULL, &s, &e))
		return fprintf(stderr, "%s\n", e.msg), 9;
	printf("%s %s %s: %s\n", verdict_name(s.verdict), err_blame_name(s.blame), s.power,
		s.message);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 5 && !strcmp(argv[1], "make")) {
		int status = make(argc - 2, argv + 2);

		plan_done(&plan);
		build_done(&build);
		lab_done(&lab);
		types_done(&types);
		diag_done(&diag);
		arena_done(&arena);
		return status;
	}
	if (argc == 6 && !strcmp(argv[1], "run")) {
		strike.self = !strcmp(argv[3], "self");
		strike.sig = atoi(argv[4]);
		strike.match = argv[5];
		return run(argv[2]);
	}
	if (argc == 3 && !strcmp(argv[1], "run"))
		return run(argv[2]);
	return fprintf(stderr, "usage: tool-job make|run ...\n"), 2;
}
