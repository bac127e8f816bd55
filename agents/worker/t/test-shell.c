/* SPDX-License-Identifier: MIT */
/*
 * The board's shell against real shells on a PTY: dash, bash, busybox with and without cksum; over
 * a clean line, one that kernel lines are printed into, and one that loses bytes.
 */
#include "board.h"

#include "agents/worker/shell.h"
#include "base/clock.h"
#include "base/t/tap.h"

#include <sys/stat.h>

/* What the bench notes, for whoever reads a failing test. */
static void on_event(void *arg, json_t *event)
{
	const char *text = json_string_value(json_object_get(event, "text"));

	(void)arg;
	printf("# %s\n", text ? text : "?");
	json_decref(event);
}

static struct {
	unsigned results, metrics;
	char last[256];
} got;

static void on_frame(void *arg, const struct frame *f)
{
	(void)arg;
	got.results += !strcmp(f->kind, "result");
	got.metrics += !strcmp(f->kind, "metric");
	snprintf(got.last, sizeof got.last, "%.*s", STR_ARG(f->payload));
}

/* Short output goes another way than long, or than what no terminal would show as it is. */
#define PRINTED(format, want)                                                                      \
	{                                                                                          \
		format, want, sizeof want - 1                                                      \
	}
static const struct {
	const char *format, *want;
	size_t n;
} outputs[] = {PRINTED("", ""), PRINTED("\\n", "\n"), PRINTED("plain\\n", "plain\n"),
	PRINTED("no end", "no end"), PRINTED("a\\tb\\n", "a\tb\n"), PRINTED("a\\000b\\n", "a\0b\n"),
	PRINTED("caf\\303\\251\\n", "caf\303\251\n"),
	PRINTED(" 1%%|@ $x `y` \\\\ \"q\" ~\\n\\n  |%%25@hil\\n",
		" 1%|@ $x `y` \\ \"q\" ~\n\n  |%25@hil\n")};

static void run_case(struct shell *s, const char *label)
{
	AUTOBUF out = BUF_INIT(SHELL_OUTPUT_BYTES);
	AUTOBUF command = BUF_INIT(SHELL_COMMAND_BYTES * 2);
	struct shell_outcome o;
	struct err e = {0};

	ok(!shell_run(s, "exit 3", NULL, &o, &e), "%s: a command runs %s", label, e.msg);
	is_int(o.exit, 3, "%s: its exit status", label);

	ok(!shell_run(s,
		   "printf 'a\\tb \"c\" $HOME\\n'; echo 'x!y\\' \"it's\" '%s'\n\nprintf "
		   "'\\001\\377'",
		   &out, &o, &e),
		"%s: a command with everything in it %s", label, e.msg);
	is_str(buf_str(&out), "a\tb \"c\" $HOME\nx!y\\ it's %s\n\001\377", "%s: output exact",
		label);
	ok(o.captured && !o.exit, "%s: whole", label);

	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		buf_reset(&out);
		buf_reset(&command);
		buf_printf(&command, "printf '%s'", outputs[i].format);
		ok(!shell_run(s, buf_str(&command), &out, &o, &e) && o.captured, "%s: prints %s %s",
			label, outputs[i].format, e.msg);
		ok(out.len == outputs[i].n && !memcmp(buf_str(&out), outputs[i].want, out.len),
			"%s: every byte of it", label);
	}
	buf_reset(&command);

	buf_reset(&out);
	memset(&got, 0, sizeof got);
	ok(!shell_run(s,
		   "hil_result one pass; hil_result two fail 'because 50% | @'\n"
		   "hil_metric m 1.5 MB/s bs=4k; echo out; echo err >&2",
		   &out, &o, &e),
		"%s: a command that tells results %s", label, e.msg);
	is_int(got.results, 2, "%s: results", label);
	is_int(got.metrics, 1, "%s: metrics", label);
	is_str(got.last, "m|1.5|MB/s|bs=4k", "%s: payload", label);
	is_str(buf_str(&out), "out\nerr\n", "%s: no frame in the output", label);

	buf_reset(&out);
	ok(!shell_run(s, "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done", &out, &o,
		   &e),
		"%s: much output %s", label, e.msg);
	ok(o.captured && out.len == 28893 && str_ends(str_make(out.data, out.len), "line 3000\n"),
		"%s: all of it (%zu bytes)", label, out.len);

	buf_puts(&command, "true ");
	while (command.len < 3000)
		buf_printf(&command, "'quoted \"%zu\" $x' ", command.len);
	ok(!shell_run(s, buf_str(&command), NULL, &o, &e) && !o.exit, "%s: a command of 3 kB %s",
		label, e.msg);
	is_int(o.lost, 0, "%s: nothing lost", label);
}

static void try_shell(const char *label, bool with_prompt)
{
	struct bench b;
	struct console c = {0};
	struct console_opts opts = {0};
	struct shell s = {.bench = &b, .console = &c, .on_frame = on_frame};
	struct err e = {0};
	int64_t start = clock_ms();

	bench_init(&b);
	b.journal = on_event;
	bench_push(&b, label, 120000);
	ok(!console_open(&c, &board_driver, "main", NULL, &b, &opts, &e), "%s: console", label);
	if (with_prompt)
		s.prompt = pattern_new("root@board:~# ", &e);
	if (ok(!shell_open(&s, &e), "%s: shell opens %s", label, e.msg)) {
		printf("# %s: opened in %lld ms\n", label, (long long)(clock_ms() - start));
		run_case(&s, label);
	}
	shell_close(&s);
	pattern_free(s.prompt);
	console_close(&c);
	bench_done(&b);
	board_stop();
}

static void test_stop(void)
{
	struct bench b;
	struct console c = {0};
	struct console_opts opts = {0};
	struct shell s = {.bench = &b, .console = &c, .on_frame = on_frame};
	AUTOBUF command = BUF_INIT(SHELL_COMMAND_BYTES * 2);
	struct shell_outcome o;
	struct err e = {0};

	bench_init(&b);
	b.journal = on_event;
	bench_push(&b, "job", 60000);
	console_open(&c, &board_driver, "main", NULL, &b, &opts, &e);
	is_int(shell_run(&s, "true", NULL, &o, &e), -1, "no shell before it is opened");
	is_int(e.blame, BLAME_JOB, "the job's fault");
	ok(!shell_open(&s, &e), "opens %s", e.msg);
	bench_push(&b, "step 'hang'", 700);
	is_int(shell_run(&s, "sleep 100", NULL, &o, &e), -1, "a command that hangs");
	is_int(e.blame, BLAME_TIMEOUT, "meets the deadline: %s", e.msg);
	ok(s.running, "and may still run");
	bench_pop(&b);
	ok(!shell_interrupt(&s, &e), "^C brings the shell back %s", e.msg);
	ok(!shell_run(&s, "exit 7", NULL, &o, &e) && o.exit == 7, "which goes on %s", e.msg);
	while (command.len <= SHELL_COMMAND_BYTES)
		buf_puts(&command, "true;");
	is_int(shell_run(&s, buf_str(&command), NULL, &o, &e), -1, "too long a command");
	is_int(e.blame, BLAME_JOB, "is told: %s", e.msg);
	shell_close(&s);
	console_close(&c);
	bench_done(&b);
	board_stop();
}

static void test_lines(void)
{
	const char *text = "it's 100% \\n \t!\n\x01\xff end";
	struct str rest = str_of(text);
	AUTOBUF line = BUF_INIT(1024);

	shell_put_line(&rest, "/tmp/c", true, SHELL_LINE_BYTES, &line);
	is_str(buf_str(&line), "printf 'it\\047s 100%% \\\\n \\011\\041\\n\\001\\377 end'>/tmp/c",
		"text as printf's format");
	is_int(rest.n, 0, "all of it");
}

/* busybox alone, so that its own tools are met, with its crc32 or (second) with gzip only. */
static void busybox_path(char *dir, size_t n, bool crc32)
{
	static const char *const tools[] = {"sh", "ash", "cat", "rm", "ln", "mkdir", "chmod", "tr",
		"sed", "cut", "wc", "head", "mv", "gzip", "base64", "od", "tail", "fold", "stty",
		"dmesg", "sleep", "crc32", NULL};
	char path[300];

	snprintf(dir, n, "/tmp/hilab-test.XXXXXX");
	if (!mkdtemp(dir))
		return;
	for (int i = 0; tools[i]; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, tools[i]);
		if ((crc32 || strcmp(tools[i], "crc32")) && symlink("/usr/bin/busybox", path))
			printf("# %s\n", path);
	}
}

static void remove_dir(const char *dir)
{
	const char *argv[] = {"rm", "-rf", dir, NULL};

	if (!fork()) {
		execvp(argv[0], (char **)argv);
		_exit(127);
	}
	wait(NULL);
}

int main(void)
{
	char dir[64];

	signal(SIGPIPE, SIG_IGN);
	snprintf(board_tmp, sizeof board_tmp, "/tmp/hilab-test.XXXXXX");
	ok(mkdtemp(board_tmp), "a folder for the board's files");
	test_lines();
	board_shell[0] = "/bin/dash";
	try_shell("dash", true);
	test_stop();
	board_shell[0] = "/bin/bash";
	board_shell[1] = "--norc";
	try_shell("bash", true);
	board_shell[1] = NULL;

	for (int i = 0; i < 2; i++) {
		char sh[96];

		busybox_path(dir, sizeof dir, i == 0);
		snprintf(sh, sizeof sh, "%s/sh", dir);
		board_shell[0] = sh;
		board_path = dir;
		try_shell(i ? "busybox gzip" : "busybox crc32", false);
		remove_dir(dir);
	}
	board_path = NULL;
	board_shell[0] = "/bin/dash";
	board_deaf = 4;
	try_shell("deaf", true);
	board_deaf = 0;
	board_noise = 800;
	try_shell("noisy", true);
	board_loss = 3000;
	try_shell("lossy", true);
	remove_dir(board_tmp);
	return tap_done();
}
