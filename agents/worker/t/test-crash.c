/* SPDX-License-Identifier: MIT */
/*
 * What a console's bytes say about the kernel: each kind of report once, whatever the reads; and
 * the same words where they mean nothing: typed, echoed, printed by a program, read from a log.
 */
#include "agents/worker/crash.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <unistd.h>

static struct {
	unsigned n[CRASH_LEVELS], all;
	struct crash_report last;
	char name[32], what[200], excerpt[CRASH_EXCERPT_BYTES + 1];
} got;

static int on_crash(void *arg, const struct crash_report *r, struct err *e)
{
	(void)arg;
	got.n[r->level]++;
	got.all++;
	got.last = *r;
	snprintf(got.name, sizeof got.name, "%s", r->name);
	snprintf(got.what, sizeof got.what, "%s", r->what);
	snprintf(got.excerpt, sizeof got.excerpt, "%s", r->excerpt);
	return r->level >= CRASH_DEAD ? err_set(e, BLAME_BUILD, "%s", r->what) : 0;
}

/* Says text in reads of `most` bytes to a watched console that `typed` was sent to. */
static int say(const char *text, size_t most, const char *typed, bool twin, struct crash *c)
{
	struct bench b;
	struct console *console = calloc(1, sizeof *console);
	struct err e = {0};
	size_t n = strlen(text);
	int rc;

	memset(&got, 0, sizeof got);
	bench_init(&b);
	console->name = "main";
	if (typed)
		console->n_typed =
			(size_t)snprintf(console->typed, sizeof console->typed, "%s", typed);
	crash_watch(c, &b, console, twin, on_crash, NULL, &e);
	for (size_t at = 0; at < n; at += most)
		console->taps[0].fn(console->taps[0].arg,
			str_make(text + at, n - at < most ? n - at : most), 1000 + at, 0);
	rc = crash_flush(c, &e);
	free(console);
	c->console = NULL;
	bench_done(&b);
	return rc;
}

static void done(struct crash *c)
{
	c->bench = NULL;
	close(c->timer_fd);
	buf_done(&c->excerpt);
}

struct want {
	const char *text, *name; /* name NULL: nothing is told */
	enum crash_level level;
};

static const struct want kernel[] = {
	{"Kernel panic - not syncing: VFS: Unable to mount root fs", "panic", CRASH_DEAD},
	{"Rebooting in 5 seconds..", "panic", CRASH_DEAD},
	{"Unable to handle kernel NULL pointer dereference at virtual address 00000008", "oops",
		CRASH_FAIL},
	{"Internal error: Oops: 0000000096000004 [#1] SMP", "oops", CRASH_FAIL},
	{"Internal error: Oops - undefined instruction: 0 [#1] SMP ARM", "oops", CRASH_FAIL},
	{"kernel BUG at fs/inode.c:123!", "bug", CRASH_FAIL},
	{"BUG: KASAN: slab-out-of-bounds in f+0x1/0x2", "kasan", CRASH_FAIL},
	{"BUG: KFENCE: use-after-free read in f+0x1/0x2", "kfence", CRASH_FAIL},
	{"BUG: KCSAN: data-race in f / g", "kcsan", CRASH_WARN},
	{"BUG: scheduling while atomic: swapper/0/0/0x2", "bug", CRASH_FAIL},
	{"watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [x:1]", "soft-lockup", CRASH_FAIL},
	{"NMI watchdog: Watchdog detected hard LOCKUP on cpu 1", "hard-lockup", CRASH_FAIL},
	{"rcu: INFO: rcu_sched self-detected stall on CPU", "rcu-stall", CRASH_FAIL},
	{"INFO: task fio:123 blocked for more than 120 seconds.", "hung-task", CRASH_WARN},
	{"WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2", "warning", CRASH_WARN},
	{"UBSAN: shift-out-of-bounds in x.c:1:2", "ubsan", CRASH_WARN},
	{"Kernel command line: console=ttyS0 panic=10 oops=panic", NULL, 0},
	{"pstore: Kernel panic - not syncing: of a former boot", NULL, 0},
	{"INFO: lockdep is turned off.", NULL, 0},
	{"random: crng init done", NULL, 0},
	{"mmc0: error -110 whilst initialising SD card", NULL, 0},
};

static void test_kernel(void)
{
	static const size_t reads[] = {1, 7, 4096};

	for (size_t i = 0; i < ARRAY_LEN(kernel); i++) {
		const struct want *w = &kernel[i];
		char text[600], what[200] = "";

		snprintf(text, sizeof text,
			"hello\r\n[   12.345678] usb 1-1: new\r\nprogress 5%%[   12.500000][  T12] "
			"%s\r\n[   12.500001]  more of it\r\n",
			w->text);
		for (size_t r = 0; r < ARRAY_LEN(reads); r++) {
			struct crash c;

			say(text, reads[r], NULL, false, &c);
			if (got.all != !!w->name || (w->name && strcmp(got.name, w->name)) ||
				(w->name && got.last.level != w->level))
				snprintf(what, sizeof what, "%u told, '%s', level %d", got.all,
					got.name, got.last.level);
			if (w->name &&
				(!strstr(got.excerpt, "more of it") || got.last.offset != 1036))
				snprintf(what, sizeof what, "excerpt '%s' at %llu", got.excerpt,
					(unsigned long long)got.last.offset);
			done(&c);
		}
		ok(!what[0], "'%.40s': %s%s", w->text, w->name ? w->name : "nothing", what);
	}
}

static const char oops[] =
	"[    9.000000] 8<--- cut here ---\r\n"
	"[    9.000001] Unable to handle kernel NULL pointer dereference at 0\r\n"
	"[    9.000002] Internal error: Oops: 805 [#1] SMP ARM\r\n"
	"[    9.000003] CPU: 0 PID: 1\r\n";

static void test_reports(void)
{
	struct crash c;
	struct err e = {0};
	char text[4096];

	say(oops, 5, NULL, false, &c);
	ok(got.all == 1 && !strcmp(got.name, "oops"), "an oops of two lines is one");
	ok(strstr(got.excerpt, "CPU: 0 PID: 1") && strstr(got.excerpt, "Internal error"),
		"with its trace");
	is_int(c.counts[CRASH_FAIL], 1, "counted once");
	is_int(crash_flush(&c, &e), 0, "and told once");
	done(&c);

	snprintf(text, sizeof text,
		"%s[    9.1] x\r\n[    9.100000] Kernel panic - not syncing: "
		"Fatal exception\r\n\r\nU-Boot SPL 2023.01 (Jan 01)\r\n",
		oops);
	is_int(say(text, 50, NULL, false, &c), -1, "a panic ends the wait");
	ok(got.all == 1 && got.last.level == CRASH_DEAD && c.told, "what follows it is its own");
	ok(strstr(got.what, "Fatal exception") && strstr(got.excerpt, "NULL pointer"),
		"the oops before stands in its excerpt");
	crash_forget(&c);
	ok(!c.told && !c.seen, "until the next boot");
	done(&c);

	say("[   10.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!\r\n", 9, NULL, true,
		&c);
	is_int(got.last.level, CRASH_WARN, "a stall on a twin is its host's");
	done(&c);

	text[0] = 0;
	for (int i = 0; i < 40; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			"[   11.%06d] WARNING: at x.c:%d f+0x1/0x2\r\n", i, i);
	say(text, 100, NULL, false, &c);
	is_int(c.counts[CRASH_WARN], 40, "warnings are counted");
	ok(got.all == 1 && strlen(got.excerpt) <= CRASH_EXCERPT_BYTES, "one bounded excerpt");
	done(&c);
}

static void test_reset(void)
{
	static const char *const are[] = {"\r\nU-Boot SPL 2023.01-ti (Jan 01 2026 - 00:00:00)\r\n",
		"half a li\r\n\r\n\r\nU-Boot 2024.10-rc2 (Oct 01)\r\n"};
	static const char *const are_not[] = {"ver=U-Boot 2023.01 (Jan)\r\n",
		"U-Boot environment\r\n", "the U-Boot 2023.01 manual\r\n",
		"U-Boot 2023.01 (Jan)\r\n@hil 12 2852406647 k3f9x2 3 end 0@\r\n"};
	struct crash c;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(are); i++) {
		is_int(say(are[i], 3, NULL, false, &c), -1, "a banner is a reset (%zu)", i);
		is_int(got.n[CRASH_RESET], 1, "told once (%zu)", i);
		done(&c);
	}
	for (size_t i = 0; i < ARRAY_LEN(are_not); i++) {
		is_int(say(are_not[i], 3, NULL, false, &c), 0, "no reset (%zu)", i);
		is_int(got.all, 0, "nothing told (%zu)", i);
		done(&c);
	}
	say("[    9.000001] BUG: scheduling while atomic: x/1/0x2\r\nU-Boot SPL 2023.01 (J)\r\n", 3,
		NULL, false, &c);
	ok(got.n[CRASH_FAIL] == 1 && got.n[CRASH_RESET] == 1, "a failure before a reset is told");
	done(&c);
	rc = say("U-Boot SPL 2023.01 (J)\r\n[    0.000000] Booting Linux\r\n"
		 "[    1.000000] Kernel panic - not syncing: x\r\n",
		3, NULL, false, &c);
	ok(got.n[CRASH_DEAD] == 0 && got.n[CRASH_RESET] == 1 && rc == -1, "a reset is told first");
	is_int(crash_flush(&c, NULL), -1, "then the panic of a boot that was quick");
	is_int(got.n[CRASH_DEAD], 1, "once");
	done(&c);
}

static void test_words(void)
{
	static const char line[] = "echo 'Kernel panic - not syncing' >/tmp/hil.k3f9x2/c";
	char text[600];
	struct crash c;

	snprintf(text, sizeof text, "[    1.000000] x\r\nroot@hil:~# %s\r\n", line);
	say(text, 11, NULL, false, &c);
	is_int(got.all, 0, "words in a command line");
	done(&c);
	say("[    1.000000] x\r\nKernel panic - not syncing\r\nWARNING: this is a test\r\n", 11,
		NULL, false, &c);
	is_int(got.all, 0, "words of a program, where kernel lines carry their time");
	done(&c);
	say("Kernel panic - not syncing: no clock\r\n", 11, NULL, false, &c);
	is_int(got.n[CRASH_DEAD], 1, "a kernel whose lines carry no time");
	done(&c);
	say("Kernel panic - not syncing' >/tmp/hil.k3f9x2/c\r\n", 11, line, false, &c);
	is_int(got.all, 0, "a typed line that wrapped right before the words");
	done(&c);
	say("> [    1.000000] Kernel panic - not syncing: typed\r\n", 11,
		"[    1.000000] Kernel panic - not syncing: typed", false, &c);
	is_int(got.all, 0, "typed words with a time of their own");
	done(&c);
	say("[   50.000000] x\r\n[    3.000000] WARNING: at x.c:1\r\n[    3.000001] BUG: old\r\n",
		11, NULL, false, &c);
	is_int(got.all, 0, "the kernel's log, read again");
	done(&c);
	say("[   50.000000] Kernel panic - not syncing: x\r\n"
	    "@hil 12 2852406647 k3f9x2 3 end 0@\r\n",
		11, NULL, false, &c);
	ok(!got.all && !c.seen && !c.counts[CRASH_DEAD], "last words, and it lives");
	done(&c);
	say("U-Boot SPL 2021.01\r\nWARNING: Caches not enabled\r\n", 11, NULL, false, &c);
	is_int(got.n[CRASH_WARN], 0, "a boot loader's warning");
	done(&c);
}

/* A console whose kernel was silenced for part of the time, and the kernel's log of all of it. */
static void test_scan(void)
{
	struct console *console = calloc(1, sizeof *console);
	struct crash c;

	console->name = "main";
	say("[   10.000000] WARNING: CPU: 0 PID: 1 at a.c:1\r\n[   10.000100] Call trace:\r\n", 99,
		NULL, false, &c);
	is_int(got.n[CRASH_WARN], 1, "told over the console");
	memset(&got, 0, sizeof got);
	c.console = console;
	crash_scan(&c, STR_LIT("[    1.000000] WARNING: CPU: 0 PID: 1 at early.c:1\n--\n"
			       "[   10.000000] WARNING: CPU: 0 PID: 1 at a.c:1\n"
			       "[   10.000100] Call trace:\n--\n"
			       "[   20.000000] BUG: KASAN: use-after-free in f\n"
			       "[   20.000300]  g+0x1\n"
			       "[   30.000000] U-Boot SPL 2023.01\n"
			       "[   40.000000] WARNING: CPU: 0 PID: 1 at b.c:1\n"));
	is_int(got.n[CRASH_WARN], 2, "what the log alone has, and not again what was told");
	is_int(got.n[CRASH_FAIL], 1, "also what proves it broken");
	is_int(got.all, 3, "and nothing else");
	ok(got.last.from_log, "as of the log");
	is_int(c.counts[CRASH_WARN], 3, "it counts");
	is_int(crash_worst(&c), CRASH_FAIL, "the kernel is known to be broken");
	memset(&got, 0, sizeof got);
	crash_scan(&c, STR_LIT("[   20.000000] BUG: KASAN: use-after-free in f\n"));
	is_int(got.all, 0, "a log read again tells nothing again");
	crash_scan(&c, STR_LIT(""));
	crash_scan(&c, STR_LIT("\n[\n[   x] BUG: \nBUG: no time\n"));
	is_int(got.all, 0, "nor do lines that are none of it");
	free(console);
	done(&c);
}

int main(void)
{
	test_scan();
	test_kernel();
	test_reports();
	test_reset();
	test_words();
	return tap_done();
}
