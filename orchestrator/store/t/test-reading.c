/* SPDX-License-Identifier: MIT */
/*
 * Readings of a run: the one that counts is what the verbs tell, the worker's own comes back whole,
 * and kill -9 of a process that adds them leaves whole ones only.
 */
#include "storetest.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 200

static int add(struct store *s, int64_t run, const char *verdict, const char *status, size_t n,
	int64_t *id, struct err *e)
{
	struct store_result *results = mem_array(n, sizeof *results);
	const struct store_metric metric = {
		"s", "t", "fio.read.bw", "MB/s", 7, NAN, 9, 0, "{}", 2, NULL};
	const struct store_env env = {"tool", "2", 1};
	struct store_reading r = {.run = run,
		.at_ms = 5,
		.version = "1",
		.verdict = verdict,
		.changes = "{}",
		.results = results,
		.metrics = &metric,
		.envs = &env,
		.n_results = n,
		.n_metrics = 1,
		.n_envs = 1};
	int failed;

	for (size_t i = 0; i < n; i++)
		results[i] = (struct store_result){.suite = "s",
			.name = "n",
			.status = status,
			.at_ms = 1,
			.log_offset = -1,
			.part = i % 3};
	failed = store_reading_add(s, &r, e);
	if (id)
		*id = r.id;
	free(results);
	return failed;
}

static int on_run(void *arg, const struct store_run *run)
{
	snprintf(arg, 64, "%s %lld", run->verdict ? run->verdict : "-", (long long)run->reading);
	return 0;
}

static int on_metric(void *arg, const struct store_metric *m)
{
	snprintf(arg, 64, "%g %s %g %u", m->value, m->unit, m->max, m->part);
	return 0;
}

static int on_env(void *arg, const char *name, const char *value)
{
	snprintf(arg, 64, "%s=%s", name, value);
	return 0;
}

static int on_reading(void *arg, const struct store_reading *r)
{
	size_t n = strlen(arg);

	snprintf((char *)arg + n, 64 - n, "%lld%s ", (long long)r->id, r->counts ? "*" : "");
	return 0;
}

static int on_count(void *arg, const char *status, int64_t n)
{
	size_t had = strlen(arg);

	snprintf((char *)arg + had, 64 - had, "%s=%lld ", status, (long long)n);
	return 0;
}

static void check_counting(struct store *s, const char *run, const char *counts, const char *why)
{
	char text[64] = "", told[64] = "";

	store_run_get(s, 1, on_run, text, NULL);
	is_str(text, run, "%s: the run", why);
	store_result_counts(s, 1, on_count, told, NULL);
	is_str(told, counts, "%s: its results", why);
}

static void test_verbs(struct store *s)
{
	struct err e = {0};
	char text[64] = "";
	int64_t id = 0;

	is_int(add(s, 1, "fail", "fail", 4, NULL, &e), -1, "none of a run that goes on");
	has_str(e.msg, "or it goes on", "it says so");
	err_clear(&e);
	is_int(add(s, 9, "fail", "fail", 4, NULL, &e), -1, "none of no run");
	err_clear(&e);
	store_run_end(s, 1, "pass", NULL, NULL, 9, &e);
	check_counting(s, "pass 0", "pass=5 ", "before");
	is_int(add(s, 1, "fail", "fail", 4, &id, &e), 0, "a reading %s", e.msg);
	is_int(id, 1, "has a number");
	check_counting(s, "fail 1", "fail=4 ", "after");
	store_metrics(s, 1, on_metric, text, &e);
	is_str(text, "7 MB/s 9 2", "its figures, of which part");
	store_envs(s, 1, on_env, text, &e);
	is_str(text, "tool=2", "and its environment");
	is_int(add(s, 1, "great", "pass", 4, NULL, &e), -1, "none with a foreign verdict");
	err_clear(&e);
	is_int(add(s, 1, "incomplete", "great", 4, NULL, &e), -1, "nor a foreign status");
	err_clear(&e);
	check_counting(s, "fail 1", "fail=4 ", "which change nothing");
	is_int(add(s, 1, "incomplete", "miss", 3, &id, &e), 0, "another one %s", e.msg);
	check_counting(s, "incomplete 2", "miss=3 ", "the newest counts");
	is_int(store_reading_use(s, 1, 0, &e), 0, "until it is said otherwise");
	check_counting(s, "pass 0", "pass=5 ", "the worker's own");
	is_int(store_reading_use(s, 1, 3, &e), -1, "not one that is not there");
	err_clear(&e);
	store_reading_use(s, 1, 1, &e);
	text[0] = 0;
	store_readings(s, 1, on_reading, text, &e);
	is_str(text, "1* 2 ", "all are listed, and which counts");
}

/* Adds for ever, a byte for each that was acknowledged. */
static void writer(const char *path, int fd)
{
	struct store *s = store_open(path, false, NULL);

	while (s && !add(s, 1, "fail", "fail", ROWS, NULL, NULL) && write(fd, "x", 1) == 1)
		;
	_exit(1);
}

static int kill_after(const char *path, int wanted)
{
	int fds[2], acks = 0, status;
	char c[64];
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		close(fds[0]);
		writer(path, fds[1]);
	}
	close(fds[1]);
	while (acks < wanted && (n = read(fds[0], c, 1)) > 0)
		acks += (int)n;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	while ((n = read(fds[0], c, sizeof c)) > 0)
		acks += (int)n;
	close(fds[0]);
	return acks;
}

static int count_reading(void *n, const struct store_reading *r)
{
	(void)r;
	return ++*(int *)n, 0;
}

int main(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("reading.db"));
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	int before = 2, acks, after;

	is_int(storetest_run(s), 1, "a run");
	is_int(storetest_add(s, 1, 0, 5, 10, &e), 0, "and its results");
	test_verbs(s);
	store_close(s);
	for (int round = 1; round <= 6; round++) {
		acks = kill_after(path, round % 3 + 1);
		s = store_open(path, false, &e);
		if (!ok(s != NULL, "round %d: it opens after the kill %s", round, e.msg))
			break;
		after = 0;
		store_readings(s, 1, count_reading, &after, &e);
		ok(acks > 0 && after >= before + acks && after <= before + acks + 1,
			"round %d: %d acknowledged, %d before, %d after", round, acks, before,
			after);
		is_int(storetest_results(s, 1), ROWS, "the one that counts is whole");
		before = after;
		store_close(s);
	}
	s = store_open(path, false, &e);
	store_reading_use(s, 1, 0, &e);
	check_counting(s, "pass 0", "pass=5 ", "the worker's own was never touched");
	store_close(s);
	storetest_done();
	return tap_done();
}
