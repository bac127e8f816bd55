/* SPDX-License-Identifier: MIT */
#ifndef SCHED_T_ESTATE_H
#define SCHED_T_ESTATE_H

/*
 * An estate to try the scheduler on: the real store in a temporary file, two board types, a clock
 * that stands until it is moved, and verbs with the turns around them. A verb that should work and
 * does not ends the test.
 */

#include "base/t/tap.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/json.h"
#include "sched/sched.h"

#include <stdlib.h>
#include <unistd.h>

#define ESTATE_START_MS INT64_C(1800000000000)

struct estate {
	char dir[64];
	struct store *store;
	struct sched *sched;
	struct types types;
	struct type alpha, beta;
	int64_t now_ms;
	bool checks; /* type alpha has a health check */
	int64_t check_every_ms;
	struct buf events; /* "job 1 queued\n"... */
};

#define DIE(e) die_(__LINE__, e)
__attribute__((unused)) static void die_(int line, const struct err *e)
{
	printf("Bail out! line %d: %s\n", line, e->msg);
	exit(1);
}

static void estate_event(void *arg, const struct sched_event *ev)
{
	struct estate *x = arg;
	const char *what = json_text(ev->body, "state", json_text(ev->body, "health", ""));

	buf_printf(&x->events, "%s %s", ev->kind, ev->name ? ev->name : "");
	if (!ev->name)
		buf_printf(&x->events, "%lld", (long long)ev->id);
	buf_printf(&x->events, " %s\n", what);
}

static char *estate_health_job(void *arg, const char *type, int64_t *every_ms)
{
	struct estate *x = arg;

	*every_ms = x->check_every_ms;
	return x->checks && !strcmp(type, "alpha") ? mem_strdup("check.yaml") : NULL;
}

static int estate_compile(void *arg, struct arena *a, const char *path, const char *board,
	struct store_job *job, struct err *e)
{
	(void)arg;
	(void)a;
	(void)path;
	(void)board;
	(void)e;
	job->name = "check";
	job->plans = "[{\"role\":null,\"plan\":{\"job\":\"check\"}}]";
	job->timeout_ms = 60000;
	return 0;
}

static char *estate_dir(void *arg, int64_t run, const char *role)
{
	(void)arg;
	return mem_printf("runs/%lld%s%s", (long long)run, role ? "/" : "", role ? role : "");
}

__attribute__((unused)) static struct sched *estate_sched(struct estate *x)
{
	struct sched_hooks h = {.arg = x,
		.event = estate_event,
		.health_job = estate_health_job,
		.compile = estate_compile,
		.part_dir = estate_dir};
	struct err e = {0};
	struct sched *s = sched_new(x->store, &x->types, &h, &e);

	if (!s)
		DIE(&e);
	return s;
}

__attribute__((unused)) static void estate_open(struct estate *x)
{
	static const char *alpha_has[] = {"mmc", "ethernet"}, *alpha_tags[] = {"desk"};
	AUTOFREE char *path = NULL;
	struct err e = {0};

	*x = (struct estate){.dir = "/tmp/hilab-sched-XXXXXX", .now_ms = ESTATE_START_MS};
	x->alpha = (struct type){.name = "alpha",
		.soc = "soc1",
		.peripherals = {alpha_has, 2},
		.tags = {alpha_tags, 1}};
	x->beta = (struct type){.name = "beta", .soc = "soc2"};
	map_set(&x->types.by_name, "alpha", &x->alpha);
	map_set(&x->types.by_name, "beta", &x->beta);
	buf_init(&x->events, (size_t)64 << 20);
	clock_set_test(x->now_ms);
	if (!mkdtemp(x->dir)) {
		printf("Bail out! no folder\n");
		exit(1);
	}
	path = fs_join(x->dir, "hilab.db");
	x->store = store_open(path, false, &e);
	if (!x->store)
		DIE(&e);
	x->sched = estate_sched(x);
}

__attribute__((unused)) static void estate_close(struct estate *x)
{
	sched_free(x->sched);
	store_close(x->store);
	fs_remove_tree(x->dir, NULL);
	map_done(&x->types.by_name);
	buf_done(&x->events);
	clock_set_test(0);
}

__attribute__((unused)) static void turn(struct estate *x)
{
	struct err e = {0};

	if (store_turn_begin(x->store, &e))
		DIE(&e);
}

__attribute__((unused)) static void commit(struct estate *x)
{
	struct err e = {0};

	if (store_turn_commit(x->store, &e))
		DIE(&e);
}

/* Whatever became of the process: the memory is gone, the store is there. */
__attribute__((unused)) static void restart(struct estate *x)
{
	sched_free(x->sched);
	x->sched = estate_sched(x);
}

__attribute__((unused)) static void pass_ms(struct estate *x, int64_t ms)
{
	struct err e = {0};

	x->now_ms += ms;
	clock_set_test(x->now_ms);
	turn(x);
	if (sched_tick(x->sched, &e))
		DIE(&e);
	commit(x);
}

/*
 * "a1 a2:beta": boards of an agent, of type alpha unless said otherwise; runs: JSON list of what
 * it has, NULL none. Returns the answer.
 */
__attribute__((unused)) static json_t *hello_with(
	struct estate *x, const char *agent, const char *boards, int64_t max_jobs, const char *runs)
{
	AUTOFREE char *copy = mem_strdup(boards);
	json_t *list = json_array(), *answer = NULL;
	AUTOJSON *hello = NULL;
	struct err e = {0};

	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		char *type = strchr(word, ':');

		if (type)
			*type++ = 0;
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:[]}", "name", word, "type",
				      type ? type : "alpha", "revision", "A", "consoles"));
	}
	hello = json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "agent", agent, "lab", "lab",
		"version", "0.1", "protocol", 1, "max_jobs", (json_int_t)max_jobs, "boards", list,
		"runs", runs ? json_loads(runs, 0, NULL) : json_array());
	turn(x);
	if (sched_hello(x->sched, hello, &answer, &e))
		DIE(&e);
	commit(x);
	return answer;
}

__attribute__((unused)) static void hello(struct estate *x, const char *agent, const char *boards)
{
	json_decref(hello_with(x, agent, boards, 0, NULL));
}

__attribute__((unused)) static void seen(struct estate *x, const char *agent)
{
	struct err e = {0};

	turn(x);
	if (sched_seen(x->sched, agent, &e))
		DIE(&e);
	commit(x);
}

struct ask {                   /* what a test submits; zero: presets */
	const char *wants;     /* preset: any board of type alpha */
	const char *submitter; /* preset: ann */
	const char *plans;
	int priority;
	int64_t timeout_ms, queue_timeout_ms;
};
#define ALPHA "[{\"type\":\"alpha\"}]"
#define PLAN  "[{\"role\":null,\"plan\":{\"job\":\"j\"}}]"

__attribute__((unused)) static int64_t submit_with(struct estate *x, const struct ask *ask)
{
	struct store_job job = {.name = "smoke", .kind = "job", .params = "{}"};
	struct err e = {0};

	job.submitter = ask->submitter ? ask->submitter : "ann";
	job.wants = ask->wants ? ask->wants : ALPHA;
	job.plans = ask->plans ? ask->plans : PLAN;
	job.priority = ask->priority;
	job.timeout_ms = ask->timeout_ms ? ask->timeout_ms : 60000;
	job.queue_timeout_ms = ask->queue_timeout_ms;
	turn(x);
	if (sched_submit(x->sched, &job, &e))
		DIE(&e);
	commit(x);
	return job.id;
}
#define submit(x, ...) submit_with(x, &(struct ask){__VA_ARGS__})

__attribute__((unused)) static void cancel(struct estate *x, int64_t job, const char *who)
{
	struct err e = {0};

	turn(x);
	if (sched_cancel(x->sched, job, who, &e))
		DIE(&e);
	commit(x);
}

__attribute__((unused)) static void started(struct estate *x, int64_t run, unsigned part)
{
	struct err e = {0};

	turn(x);
	if (sched_part_started(x->sched, run, part, &e))
		DIE(&e);
	commit(x);
}

__attribute__((unused)) static void ended(
	struct estate *x, int64_t run, unsigned part, const char *verdict, const char *blame)
{
	AUTOJSON *status = json_pack("{s:s, s:s, s:s, s:s}", "verdict", verdict, "blame", blame,
		"message", strcmp(verdict, "pass") ? "so it ended" : "", "power", "off");
	struct err e = {0};

	turn(x);
	if (sched_part_ended(x->sched, run, part, status, &e))
		DIE(&e);
	commit(x);
}

/* ---- looking ---- */

/* A field of a job as it is now, open or done, as text in a static buffer. */
static int field(void *arg, const struct store_job *job)
{
	char *out = arg;

	snprintf(out, 512, "%s %s %s %lld %s", job->state, job->verdict ? job->verdict : "-",
		job->blame ? job->blame : "-", (long long)job->attempts,
		job->message ? job->message : "");
	return 1;
}
/* "done fail test 1 so it ended" */
__attribute__((unused)) static const char *job_now(struct estate *x, int64_t job)
{
	static char text[512];
	struct err e = {0};

	text[0] = 0;
	if (store_job_get(x->store, job, field, text, &e) < 0)
		DIE(&e);
	return text;
}

/* The run that an open job has, or had last. */
__attribute__((unused)) static int64_t run_of(struct estate *x, int64_t job)
{
	AUTOJSON *j = sched_job_json(x->sched, job);
	json_t *runs = json_object_get(j, "runs");
	size_t n = json_array_size(runs);

	return n ? json_integer_value(json_array_get(runs, n - 1)) : 0;
}

/* Boards of an open job: "a1 a2". */
__attribute__((unused)) static const char *boards_of(struct estate *x, int64_t job)
{
	static char text[512];
	AUTOJSON *j = sched_job_json(x->sched, job);
	json_t *boards = json_object_get(j, "boards");
	size_t len = 0;

	text[0] = 0;
	for (size_t i = 0; i < json_array_size(boards); i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i ? " " : "",
			json_string_value(json_array_get(boards, i)));
	return text;
}

__attribute__((unused)) static const char *waits(struct estate *x, int64_t job)
{
	static char text[1024];
	AUTOBUF out = BUF_INIT(1 << 16);

	sched_waits(x->sched, job, &out);
	snprintf(text, sizeof text, "%s", buf_str(&out));
	return text;
}

/* "idle good", "busy unknown offline" */
__attribute__((unused)) static const char *board_now(struct estate *x, const char *board)
{
	static char text[128];
	AUTOJSON *j = sched_board_json(x->sched, board);

	snprintf(text, sizeof text, "%s %s%s", json_text(j, "state", "none"),
		json_text(j, "health", "none"), json_flag(j, "online", false) ? "" : " offline");
	return text;
}

/* Commands of an agent that were not acknowledged, as "start 1/0, cancel 1/0"; all are then. */
__attribute__((unused)) static const char *commands(struct estate *x, const char *agent)
{
	static char text[4096];
	size_t len = 0;
	int64_t ack = 0;
	json_t *list;

	text[0] = 0;
	while ((list = sched_commands(x->sched, agent, ack))) {
		for (size_t i = 0; i < json_array_size(list); i++) {
			const json_t *j = json_array_get(list, i);
			const json_t *line = json_object_get(j, "line");

			len += (size_t)snprintf(text + len, sizeof text - len, "%s%s %lld/%lld%s%s",
				len ? ", " : "", json_text(j, "do", ""),
				(long long)json_int(j, "run", 0), (long long)json_int(j, "part", 0),
				line ? " " : "", line ? json_text(line, "kind", "?") : "");
			ack = json_int(j, "seq", 0);
		}
		json_decref(list);
	}
	return text;
}

#endif
