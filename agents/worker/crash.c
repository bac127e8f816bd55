/* SPDX-License-Identifier: MIT */
/*
 * Finds what a Linux kernel says about itself, and a boot loader's first line, in console bytes.
 * Invariant: only a line that begins such a report counts, never the same words inside a command
 * line ("panic=10") or its echo; what is kept of it is bounded; each report is told once.
 */
#include "crash.h"

#include "base/str.h"
#include "io/console-text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define REPLAY_US    1000000 /* a line that much older than the newest was printed before */
#define BANNER_BYTES 7       /* "2023.01" */

/*
 * The first row that fits decides. begins: right behind the line's time; with: further on in it.
 * of_time: about time that passed, which on a twin is its host's fault.
 *
 * Why not all are failures: WARNING, UBSAN, KCSAN and a task that waits long are what a kernel
 * finds odd, and shipped kernels have them on a good day (a hung task is a slow card). An oops, a
 * BUG, memory used wrong (KASAN, KFENCE, KMSAN) and a lockup are proof that the thing under test
 * is broken, also where the board's shell lives on and every test that is left passes.
 */
static const struct row {
	const char *begins, *with, *name;
	enum crash_level level;
	bool of_time;
} rows[] = {
	{"Kernel panic - not syncing", NULL, "panic", CRASH_DEAD, false},
	{"---[ end Kernel panic", NULL, "panic", CRASH_DEAD, false},
	{"Rebooting in ", "second", "panic", CRASH_DEAD, false},
	{"Unable to handle kernel ", NULL, "oops", CRASH_FAIL, false},
	{"Internal error: ", NULL, "oops", CRASH_FAIL, false},
	{"Oops: ", NULL, "oops", CRASH_FAIL, false},
	{"kernel BUG at ", NULL, "bug", CRASH_FAIL, false},
	{"general protection fault", NULL, "oops", CRASH_FAIL, false},
	{"Bad mode in ", NULL, "oops", CRASH_FAIL, false},
	{"SError Interrupt on CPU", NULL, "serror", CRASH_FAIL, false},
	{"Unhandled fault: ", NULL, "fault", CRASH_FAIL, false},
	{"list_add corruption", NULL, "list", CRASH_FAIL, false},
	{"list_del corruption", NULL, "list", CRASH_FAIL, false},
	{"BUG: KASAN: ", NULL, "kasan", CRASH_FAIL, false},
	{"BUG: KFENCE: ", NULL, "kfence", CRASH_FAIL, false},
	{"BUG: KMSAN: ", NULL, "kmsan", CRASH_FAIL, false},
	{"BUG: KCSAN: ", NULL, "kcsan", CRASH_WARN, false},
	{"BUG: soft lockup", NULL, "soft-lockup", CRASH_FAIL, true},
	{"Watchdog detected hard LOCKUP", NULL, "hard-lockup", CRASH_FAIL, true},
	{"BUG: workqueue lockup", NULL, "workqueue", CRASH_FAIL, true},
	{"BUG: ", NULL, "bug", CRASH_FAIL, false},
	{"INFO: rcu", "stall", "rcu-stall", CRASH_FAIL, true},
	{"INFO: task ", "blocked for more than", "hung-task", CRASH_WARN, true},
	{"INFO: possible ", "detected", "lockdep", CRASH_WARN, false},
	{"WARNING: ", NULL, "warning", CRASH_WARN, false},
	{"UBSAN: ", NULL, "ubsan", CRASH_WARN, false},
	{NULL},
};

/* What stands between a line's time and the words above. */
static const char *const prefixes[] = {"watchdog: ", "NMI watchdog: ", "rcu: ", NULL};

static const char *const banners[] = {"U-Boot SPL ", "U-Boot TPL ", "U-Boot ", NULL};

static void arm(struct crash *c)
{
	struct itimerspec when = {.it_value = {.tv_sec = CRASH_REST_MS / 1000,
					  .tv_nsec = CRASH_REST_MS % 1000 * 1000000L}};

	timerfd_settime(c->timer_fd, 0, &when, NULL);
}

/* ---- one line -------------------------------------------------------------------------------- */

/* Most lines differ in the first byte already: every line of a console comes here. */
static bool begins(const char *text, const char *words)
{
	return *text == *words && !strncmp(text, words, strlen(words));
}

/* The row that text begins with, and where its words end. */
static const struct row *find_row(const char *text, const char **end)
{
	for (const char *const *p = prefixes; *p; p++)
		if (begins(text, *p)) {
			text += strlen(*p);
			break;
		}
	for (const struct row *r = rows; r->begins; r++)
		if (begins(text, r->begins) && (!r->with || strstr(text, r->with))) {
			*end = text + strlen(r->begins);
			return r;
		}
	return NULL;
}

/* "U-Boot SPL 2023.01", "U-Boot 2024.10-rc2 (Oct ...": a name and a version, from the line's
 * start, as U-Boot breaks the line before it. */
static bool is_banner(const char *line)
{
	while (*line && (*line <= ' ' || *line & 0x80))
		line++;
	for (const char *const *b = banners; *b; b++) {
		const char *v;

		if (!begins(line, *b))
			continue;
		v = line + strlen(*b);
		if (strlen(v) < BANNER_BYTES)
			continue;
		for (int i = 0; i < BANNER_BYTES; i++)
			if (i == 4 ? v[i] != '.' : v[i] < '0' || v[i] > '9')
				return false;
		return true;
	}
	return false;
}

/* Were these words typed, with the line's time if it has one? Then this is them, on their way back.
 */
static bool is_echo(const struct crash *c, const char *from, const char *end)
{
	return memmem(c->console->typed, c->console->n_typed, from, (size_t)(end - from));
}

static int64_t head_us(const char *head)
{
	const char *open = strchr(head, '[');
	long long s = 0, us = 0;

	return open && sscanf(open + 1, "%10lld.%6lld", &s, &us) == 2 ? s * 1000000 + us : 0;
}

/* The text behind the line's time, and where that begins, wherever in the line; NULL: it has none.
 */
static const char *behind_head(struct crash *c, const char **head, bool *replay)
{
	for (char *p = c->line; (p = strpbrk(p, "<[")); p++) {
		int n = console_kernel_head(str_make(p, c->n - (size_t)(p - c->line)));
		const char *text = p + n;
		int64_t us;

		if (n <= 0)
			continue;
		*head = p;
		us = head_us(p);
		c->line_us = us;
		*replay = c->heads && us + REPLAY_US < c->newest_us;
		c->heads = true;
		if (us > c->newest_us)
			c->newest_us = us;
		if (p[n - 1] == '[' && (text = strstr(text, "] "))) /* its caller */
			text += 2;
		return text ? text : p + n;
	}
	return NULL;
}

static void begin(struct crash *c, enum crash_level level, const char *name, const char *text)
{
	if (!c->open) {
		buf_reset(&c->excerpt);
		c->offset = c->line_offset;
		arm(c);
	}
	if (!c->open)
		c->open_us = c->line_us;
	c->open = true;
	c->level = level;
	c->name = name;
	str_printable(str_of(text), c->what, sizeof c->what);
	if (level == CRASH_DEAD) {
		c->seen = true;
		arm(c);
	}
}

/* A row's words: the report that they begin, or belong to. */
static void note_row(struct crash *c, const struct row *r, const char *text)
{
	enum crash_level level = r->of_time && c->twin ? CRASH_WARN : r->level;

	if (c->open && c->level == CRASH_RESET) /* the kernel of the next boot has come so far */
		crash_flush(c, &c->due);
	if (!c->open || level > c->level || (level == CRASH_WARN && c->level == CRASH_WARN)) {
		c->counts[level]++;
		if (!c->open || level > c->level)
			begin(c, level, r->name, text);
	}
}

static void take_line(struct crash *c)
{
	char shown[sizeof c->line];
	const struct row *r = NULL;
	const char *text, *from = c->line, *end = c->line;
	bool replay = false;

	c->line[c->n] = 0;
	if (c->open && c->level >= CRASH_DEAD && strstr(c->line, "@hil ")) {
		c->open = c->seen = false; /* it lives: these were only words */
		c->counts[c->level]--;
		return;
	}
	text = behind_head(c, &from, &replay);
	if (text || !c->heads)
		r = find_row(text ? text : c->line, &end);
	if (r && !text && r->level == CRASH_WARN)
		r = NULL; /* boot loaders warn, too */
	if (r && (!replay || r->level == CRASH_DEAD) && !is_echo(c, from, end)) {
		note_row(c, r, text ? text : c->line);
	} else if (!r && !c->from_log && is_banner(c->line) &&
		   !is_echo(c, c->line, c->line + strlen(c->line)) && !c->seen) {
		if (c->open && c->level < CRASH_DEAD)
			crash_flush(c, NULL); /* never ends a wait */
		c->heads = false;
		c->newest_us = 0;
		if (!c->open || c->level != CRASH_RESET) {
			c->counts[CRASH_RESET]++;
			begin(c, CRASH_RESET, "reset", c->line);
		}
	}
	if (c->open) /* past its cap: dropped */
		buf_printf(&c->excerpt, "%s\n",
			str_printable(str_make(c->line, c->n), shown, sizeof shown));
}

static void on_bytes(void *arg, struct str raw, uint64_t offset, int64_t at_ms)
{
	struct crash *c = arg;

	(void)at_ms;
	for (size_t i = 0; i < raw.n; i++) {
		char b = raw.p[i];

		if (b == '\n' || c->n == sizeof c->line - 1) {
			take_line(c);
			c->n = 0;
		}
		if (!c->n)
			c->line_offset = offset + i;
		if (b && b != '\n' && b != '\r')
			c->line[c->n++] = b;
	}
}

/* ---- telling --------------------------------------------------------------------------------- */

int crash_flush(struct crash *c, struct err *e)
{
	struct crash_report r = {c->level, c->name, c->what, buf_str(&c->excerpt), c->offset,
		c->reports >= CRASH_REPORTS, c->from_log};
	int rc;

	if (err_is(&c->due)) { /* what could not end a wait then */
		if (e)
			*e = c->due;
		c->due = (struct err){0};
		return -1;
	}
	if (!c->open)
		return 0;
	c->open = false;
	c->reports++;
	if (c->open_us && c->n_told < CRASH_REPORTS)
		c->told_us[c->n_told++] = c->open_us;
	c->failures += r.level == CRASH_FAIL || r.level == CRASH_DEAD;
	if (r.level == CRASH_FAIL && !c->broken[0])
		snprintf(c->broken, sizeof c->broken, "%s", c->what);
	rc = c->fn(c->arg, &r, e);
	if (rc && r.level == CRASH_DEAD)
		c->told = true;
	if (r.level == CRASH_RESET) /* what the kernel before it said is over */
		c->broken[0] = 0;
	return rc;
}

/* ---- the kernel's own log -------------------------------------------------------------------- */

/* Every line of it begins with its time. */
static void peek_time(struct crash *c)
{
	bool replay;
	const char *head;

	(void)behind_head(c, &head, &replay);
}

static bool is_told(const struct crash *c, int64_t us)
{
	for (unsigned i = 0; i < c->n_told; i++)
		if (us >= c->told_us[i] - REPLAY_US && us <= c->told_us[i] + REPLAY_US)
			return true;
	return false;
}

void crash_scan(struct crash *c, struct str text)
{
	struct crash scan = *c;
	struct str line;

	scan.open = false;
	scan.from_log = scan.heads = true;
	scan.due = (struct err){0};
	scan.newest_us = scan.open_us = 0;
	scan.timer_fd = -1;
	buf_init(&scan.excerpt, CRASH_EXCERPT_BYTES);
	while (str_line(&text, &line)) {
		scan.line_us = 0;
		scan.n = line.n < sizeof scan.line ? line.n : sizeof scan.line - 1;
		memcpy(scan.line, line.p, scan.n);
		scan.line[scan.n] = 0;
		peek_time(&scan);
		if (scan.open && scan.line_us > scan.open_us + REPLAY_US)
			crash_flush(&scan, NULL);
		if (scan.open || !is_told(&scan, scan.line_us))
			take_line(&scan);
	}
	crash_flush(&scan, NULL);
	buf_done(&scan.excerpt);
	memcpy(c->counts, scan.counts, sizeof c->counts);
	memcpy(c->told_us, scan.told_us, sizeof c->told_us);
	memcpy(c->broken, scan.broken, sizeof c->broken);
	c->n_told = scan.n_told;
	c->reports = scan.reports;
	c->failures = scan.failures;
}

enum crash_level crash_worst(const struct crash *c)
{
	return c->told ? CRASH_DEAD : c->broken[0] ? CRASH_FAIL : CRASH_WARN;
}

static int on_timer(void *arg, short revents, struct err *e)
{
	struct crash *c = arg;
	uint64_t times;

	(void)revents;
	if (read(c->timer_fd, &times, sizeof times) < 0)
		return 0;
	return crash_flush(c, e);
}

int crash_watch(struct crash *c, struct bench *b, struct console *console, bool twin, crash_fn *fn,
	void *arg, struct err *e)
{
	*c = (struct crash){.bench = b, .console = console, .twin = twin, .fn = fn, .arg = arg};
	buf_init(&c->excerpt, CRASH_EXCERPT_BYTES);
	c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->timer_fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "make a timer");
	bench_pump_add(b, c->timer_fd, on_timer, c);
	console_tap(console, on_bytes, c);
	return 0;
}

void crash_forget(struct crash *c)
{
	c->seen = c->told = c->open = c->heads = false;
	c->due = (struct err){0};
	c->broken[0] = 0;
	c->n_told = 0;
	c->newest_us = 0;
	c->n = 0;
}

void crash_done(struct crash *c)
{
	buf_done(&c->excerpt);
	if (c->bench && c->timer_fd >= 0) {
		bench_pump_del(c->bench, c->timer_fd);
		close(c->timer_fd);
	}
	*c = (struct crash){.timer_fd = -1};
}
