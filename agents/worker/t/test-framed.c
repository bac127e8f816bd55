/* SPDX-License-Identifier: MIT */
/*
 * A firmware's own command line in place of a shell: the real one (firmware/r5f) on a PTY, over a
 * clean line, one that other lines are printed into, and one that loses bytes.
 */
#include "board.h"

#include "agents/worker/shell.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/t/tap.h"

static struct {
	unsigned results, failed, metrics;
} got;

static void on_frame(void *arg, const struct frame *f)
{
	(void)arg;
	got.results += !strcmp(f->kind, "result");
	got.failed += !strcmp(f->kind, "result") && str_find(f->payload, STR_LIT("|fail|")) > 0;
	got.metrics += !strcmp(f->kind, "metric");
}

static void run_case(struct shell *s, const char *label)
{
	AUTOBUF out = BUF_INIT(SHELL_OUTPUT_BYTES);
	AUTOBUF want = BUF_INIT(SHELL_OUTPUT_BYTES);
	struct shell_outcome o;
	struct err e = {0};

	ok(!shell_run(s, "version", &out, &o, &e), "%s: a command runs %s", label, e.msg);
	ok(o.captured && !o.exit, "%s: its output comes whole", label);
	is_str(buf_str(&out), "hilab-r5f\nr5f-test\n04030201\nam275x\ntest\n", "%s: exact", label);

	buf_reset(&out);
	ok(!shell_run(s, "run ipc-rpmsg messages=60", &out, &o, &e) && o.captured,
		"%s: output of many frames %s", label, e.msg);
	for (unsigned i = 0; i < 60; i++)
		buf_printf(&want, "%u: 50%% | @hil of what is printed\n", i);
	is_str(buf_str(&out), buf_str(&want), "%s: each byte of it", label);

	got.results = got.failed = got.metrics = 0;
	ok(!shell_run(s, "run ipc-notify messages=40", NULL, &o, &e), "%s: results %s", label,
		e.msg);
	is_int(got.results, 40, "%s: all of them", label);
	is_int(got.metrics, 40, "%s: and their figures", label);
	is_int(got.failed, 4, "%s: as they were", label);
	is_int(o.exit, 1, "%s: the exit status of a suite with failures", label);
	is_int(o.lost, 0, "%s: nothing is lost", label);

	ok(!shell_run(s, "walk", NULL, &o, &e), "%s: no such command %s", label, e.msg);
	is_int(o.exit, 127, "%s: has the status of that", label);
}

static void open_line(struct bench *b, struct console *c, struct shell *s)
{
	struct err e = {0};

	bench_init(b);
	bench_push(b, "the test", 120000);
	*c = (struct console){.fd = -1};
	ok(!console_open(c, &board_driver, "main", NULL, b, &(struct console_opts){0}, &e),
		"the line opens %s", e.msg);
	*s = (struct shell){.bench = b,
		.console = c,
		.prompt = pattern_new("^r5f> ", &e),
		.framed = true,
		.on_frame = on_frame};
	ok(console_expect(c, &s->prompt, 1, 10000, NULL, &e) == 0, "the prompt comes %s", e.msg);
	ok(!shell_open(s, &e), "the command line opens %s", e.msg);
}

static void close_line(struct bench *b, struct console *c, struct shell *s)
{
	pattern_free(s->prompt);
	shell_close(s);
	console_close(c);
	bench_done(b);
	board_stop();
}

static void try_line(const char *label)
{
	struct bench b;
	struct console c;
	struct shell s;

	open_line(&b, &c, &s);
	run_case(&s, label);
	close_line(&b, &c, &s);
}

/* What such a command line cannot take, and a command that goes on for ever. */
static void test_limits(void)
{
	struct bench b;
	struct console c;
	struct shell s;
	struct shell_outcome o;
	struct err e = {0};

	open_line(&b, &c, &s);
	is_int(shell_run(&s, "version\nlist", NULL, &o, &e), -1, "two lines");
	is_int(e.blame, BLAME_JOB, "are the job's fault: %s", e.msg);
	bench_push(&b, "the step", 1000);
	is_int(shell_run(&s, "run ipc-round-trip", NULL, &o, &e), -1, "a command without an end");
	is_int(e.blame, BLAME_TIMEOUT, "is ended by the step's deadline");
	bench_pop(&b);
	ok(s.running, "and still runs");
	err_clear(&e);
	ok(!shell_interrupt(&s, &e), "^C ends it %s", e.msg);
	ok(!shell_run(&s, "list", NULL, &o, &e) && !o.exit, "and the next one runs %s", e.msg);
	close_line(&b, &c, &s);
}

int main(void)
{
	const char *build = getenv("HILAB_BUILD");
	AUTOFREE char *firmware =
		mem_printf("%s/firmware/r5f/t/tool-r5f", build ? build : "build/release");

	signal(SIGPIPE, SIG_IGN);
	board_shell[0] = firmware;
	try_line("clean");
	test_limits();
	board_noise = 500;
	try_line("noisy");
	board_loss = 2000;
	try_line("lossy");
	return tap_done();
}
