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

#define REPLAY_US 1000000 /* a line that much older than the newest was printed before */

static void arm(struct crash *c)
{
	struct itimerspec when = {.it_value = {.tv_sec = CRASH_REST_MS / 1000,
					  .tv_nsec = CRASH_REST_MS % 1000 * 1000000L}};

	timerfd_settime(c->timer_fd, 0, &when, NULL);
}

/* ---- one line -------------------------------------------------------------------------------- */

/* Were these words typed, with the line's time if it has one? Then this is them, on their way back.
 */
static bool is_echo(const struct crash *c, const char *from, const char *end)
{
	return memmem(c->console->typed, c->console->n_typed, from, (size_t)(end - from));
}

static int64_t number(const char **p)
{
	int64_t n = 0;

	for (int i = 0; i < 10 && **p >= '0' && **p <= '9'; i++)
		n = n * 10 + *(*p)++ - '0';
	return n;
}

/* Of a head as console_kernel_head() takes it, from its bracket. */
static int64_t head_us(const char *head)
{
	int64_t s;

	head++;
	while (*head == ' ')
		head++;
	s = number(&head);
	head += *head == '.';
	return s * 1000000 + number(&head);
}

static bool is_told(const struct crash *c, int64_t us)
{
	for (unsigned i = 0; i < c->n_told; i++)
		if (us >= c->told_us[i] - REPLAY_US && us <= c->told_us[i] + REPLAY_US)
			return true;
	return false;
}

/* The text behind the line's time, and where that begins, wherever in the line; NULL: it has none.
 */
static const char *behind_head(struct crash *c, const char **head, bool *replay)
{
	for (char *p = c->line; (p = strchr(p, '[')); p++) {
		int n = console_kernel_head(str_make(p, c->n - (size_t)(p - c->line)));
		const char *text = p + n;
		int64_t us;

		if (n <= 0)
			continue;
		*head = p;
		us = head_us(p);
		c->line_us = us;
		*replay =
			c->heads && (us + REPLAY_US < c->newest_us ||
					    (us < c->newest_us && !c->from_log && is_told(c, us)));
		c->heads = true;
		if (us > c->newest_us)
			c->newest_us = us;
		if (p[n - 1] == '[' && (text = strstr(text, "] "))) /* its caller */
			text += 2;
		return text ? text : p + n;
	}
	return NULL;
}

static enum crash_rule rule_of(const struct crash *c, enum crash_kind_id kind)
{
	return c->rules ? (enum crash_rule)c->rules->rule[kind] : crash_kinds[kind].rule;
}

static int tell(struct crash *c, struct err *e)
{
	struct crash_report r = {c->level, c->kind, crash_kinds[c->kind].name, rule_of(c, c->kind),
		c->what, buf_str(&c->excerpt), c->known, c->offset, c->last,
		c->reports >= CRASH_REPORTS, c->from_log, c->console};
	int rc;

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
	if (r.kind == CRASH_KIND_RESET) /* what the kernel before it said is over */
		c->broken[0] = 0;
	return rc;
}

static void begin(
	struct crash *c, enum crash_level level, enum crash_kind_id kind, const char *text)
{
	if (!c->open) {
		buf_reset(&c->excerpt);
		c->offset = c->line_offset;
		c->open_us = c->line_us;
		arm(c);
	}
	c->open = true;
	c->level = level;
	c->kind = kind;
	c->known = NULL;
	c->last = false;
	str_printable(str_of(text), c->what, sizeof c->what);
	if (level == CRASH_DEAD) {
		c->seen = true;
		arm(c);
	}
}

static bool is_booting(const struct crash *c)
{
	return !c->logged_in || (c->from_log && c->line_us < c->login_us);
}

/* A line that somebody made an exception of: told with the reason, and nothing comes of it. */
static void note_known(struct crash *c, enum crash_kind_id kind, const char *text, const char *why)
{
	c->n_known++;
	if (c->open)
		return;
	begin(c, CRASH_WARN, kind, text);
	c->known = why;
}

/* The words of a report: they begin it, or belong to it. */
static void note(struct crash *c, const struct crash_words *w, const char *text)
{
	static const enum crash_level levels[] = {[CRASH_RULE_FAIL] = CRASH_FAIL,
		[CRASH_RULE_WARN] = CRASH_WARN,
		[CRASH_RULE_IGNORE] = CRASH_WARN,
		[CRASH_RULE_STOP] = CRASH_DEAD};
	enum crash_rule rule = rule_of(c, w->kind);
	enum crash_level level =
		crash_kinds[w->kind].of_time && c->twin ? CRASH_WARN : levels[rule];
	const char *why =
		c->rules ? crash_rules_excuse(c->rules, w->kind, text, is_booting(c)) : NULL;

	if (rule == CRASH_RULE_IGNORE || why) {
		c->n_ignored += !why;
		if (why)
			note_known(c, w->kind, text, why);
		return;
	}
	/* the kernel of the next boot has come so far; what is known hides nothing */
	if (c->open && (c->level == CRASH_RESET || c->known))
		tell(c, &c->due);
	if (!c->open || level > c->level || (level == CRASH_WARN && c->level == CRASH_WARN)) {
		c->counts[level]++;
		c->kinds[w->kind]++;
		if (!c->open || level > c->level || w->names)
			begin(c, level, w->kind, text);
		c->last |= w->last;
	} else if (w->names && w->kind == c->kind) {
		str_printable(str_of(text), c->what, sizeof c->what);
	}
}

/* A boot loader speaks: all that was known of the kernel is over. */
static void note_reset(struct crash *c)
{
	enum crash_rule rule = rule_of(c, CRASH_KIND_RESET);
	enum crash_level level = rule == CRASH_RULE_WARN ? CRASH_WARN : CRASH_RESET;
	const char *why =
		c->rules ? crash_rules_excuse(c->rules, CRASH_KIND_RESET, c->line, false) : NULL;

	if (c->open && c->level < CRASH_DEAD)
		tell(c, NULL); /* never ends a wait */
	c->heads = c->logged_in = false;
	c->newest_us = 0;
	if (rule == CRASH_RULE_IGNORE) {
		c->n_ignored++;
	} else if (why) {
		note_known(c, CRASH_KIND_RESET, c->line, why);
	} else if (!c->open || c->level != CRASH_RESET) {
		c->counts[level]++;
		c->kinds[CRASH_KIND_RESET]++;
		begin(c, level, CRASH_KIND_RESET, c->line);
	}
}

/* The words that this line has, if it is one that counts. *text is where they begin. */
static bool find(struct crash *c, struct crash_words *w, const char **text)
{
	bool replay = false;
	const char *from = c->line, *behind = behind_head(c, &from, &replay);

	*text = behind ? behind : c->line;
	while (!behind && **text == '\r')
		(*text)++;
	if (!crash_kind_find(*text, !c->side && (behind || !c->heads), w))
		return false;
	if (!behind && crash_kinds[w->kind].rule == CRASH_RULE_WARN)
		return false; /* boot loaders warn, too */
	return (!replay || w->last) && !is_echo(c, from, w->end);
}

static void take_line(struct crash *c)
{
	char shown[sizeof c->line];
	struct crash_words w;
	const char *text;

	while (c->n && c->line[c->n - 1] == '\r')
		c->n--;
	c->line[c->n] = 0;
	if (c->open && c->level >= CRASH_DEAD && (c->last || c->level == CRASH_RESET) &&
		strstr(c->line, "@hil ")) {
		c->open = c->seen = false; /* it lives: these were only words */
		c->counts[c->level]--;
		c->kinds[c->kind]--;
		return;
	}
	if (find(c, &w, &text))
		note(c, &w, text);
	else if (!c->from_log && !c->side && !c->seen && crash_is_banner(c->line) &&
		 !is_echo(c, c->line, c->line + c->n))
		note_reset(c);
	if (c->open) /* past its cap: dropped */
		buf_printf(&c->excerpt, "%s\n",
			str_printable(str_make(c->line, c->n), shown, sizeof shown));
}

static void take_byte(struct crash *c, char b, uint64_t offset)
{
	if (console_escape(&c->escape, (unsigned char)b) || !b)
		return;
	if (c->n == sizeof c->line - 1) {
		take_line(c);
		c->n = 0;
	}
	if (!c->n)
		c->line_offset = offset;
	c->line[c->n++] = b;
}

/* Bytes of one line. Most have neither an escape nor a NUL in them, and fit. */
static void take_bytes(struct crash *c, struct str raw, uint64_t offset)
{
	if (c->escape.state == CONSOLE_PLAIN && raw.n < sizeof c->line - c->n &&
		!memchr(raw.p, 0x1b, raw.n) && !memchr(raw.p, 0, raw.n)) {
		if (!c->n)
			c->line_offset = offset;
		memcpy(c->line + c->n, raw.p, raw.n);
		c->n += raw.n;
		return;
	}
	for (size_t i = 0; i < raw.n; i++)
		take_byte(c, raw.p[i], offset + i);
}

static void on_bytes(void *arg, struct str raw, uint64_t offset, int64_t at_ms)
{
	struct crash *c = arg;

	(void)at_ms;
	while (raw.n) {
		const char *end = memchr(raw.p, '\n', raw.n);
		size_t n = end ? (size_t)(end - raw.p) : raw.n;

		if (n)
			take_bytes(c, str_make(raw.p, n), offset);
		if (end) {
			(void)console_escape(&c->escape, '\n'); /* ends one that was cut off */
			if (!c->n)
				c->line_offset = offset;
			take_line(c);
			c->n = 0;
			n++;
		}
		raw = str_make(raw.p + n, raw.n - n);
		offset += n;
	}
}

int crash_flush(struct crash *c, struct err *e)
{
	if (err_is(&c->due)) { /* what could not end a wait then */
		if (e)
			*e = c->due;
		c->due = (struct err){0};
		return -1;
	}
	return c->open ? tell(c, e) : 0;
}

/* ---- the kernel's own log -------------------------------------------------------------------- */

/* Every line of it begins with its time. */
static void peek_time(struct crash *c)
{
	bool replay;
	const char *head;

	(void)behind_head(c, &head, &replay);
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
	memcpy(c->kinds, scan.kinds, sizeof c->kinds);
	c->n_known = scan.n_known;
	c->n_ignored = scan.n_ignored;
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

int crash_watch(struct crash *c, struct bench *b, struct console *console, bool twin,
	const struct crash_rules *rules, crash_fn *fn, void *arg, struct err *e)
{
	*c = (struct crash){
		.bench = b, .console = console, .twin = twin, .rules = rules, .fn = fn, .arg = arg};
	buf_init(&c->excerpt, CRASH_EXCERPT_BYTES);
	c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->timer_fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "make a timer");
	bench_pump_add(b, c->timer_fd, on_timer, c);
	console_tap(console, on_bytes, c);
	return 0;
}

void crash_logged_in(struct crash *c)
{
	c->logged_in = true;
	c->login_us = c->newest_us;
}

void crash_forget(struct crash *c)
{
	c->seen = c->told = c->open = c->heads = c->logged_in = false;
	c->due = (struct err){0};
	c->broken[0] = 0;
	c->n_told = 0;
	c->newest_us = c->login_us = 0;
	c->escape = (struct console_escape){0};
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
