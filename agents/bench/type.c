/* SPDX-License-Identifier: MIT */
/*
 * Typing a line. Invariant: Enter is sent only behind a line whose echo came back whole; what the
 * board may have got wrong is killed first. The first try sends the line at once; each further one
 * sends fewer characters between two looks at the echo, so that a UART that loses characters under
 * load is still got through (the echo is the flow control).
 */
#include "agents/bench/console.h"
#include "agents/bench/echo.h"

#include "base/clock.h"
#include "base/str.h"

#include <stdio.h>

#define QUIET_MS        30    /* before the first character */
#define QUIET_LIMIT_MS  2000  /* a board that never stops is typed at all the same */
#define ECHO_MS         1000  /* without a byte: no more echo is coming; doubled by each try */
#define ECHO_LIMIT_MS   12000 /* of one try, whatever comes */
#define SETTLE_MS       150   /* after a wrong echo or a kill */
#define SETTLE_LIMIT_MS 2000

#define CTRL_C "\003"
#define CTRL_U "\025"

static const size_t pieces[CONSOLE_TYPE_TRIES] = {ECHO_TEXT_BYTES, 16, 4, 1};

/* Until the echo of want is there or cannot come any more. -1: cancel, deadline, dead line. */
static int wait_echo(struct console *c, struct str want, int64_t patience_ms, int64_t until_ms,
	enum echo *how, struct err *e)
{
	for (;;) {
		int64_t now = clock_ms(),
			wait = until_ms - now < patience_ms ? until_ms - now : patience_ms;
		uint64_t before = c->received_bytes;

		*how = echo_compare(want, expect_pending(c->expect));
		if (*how != ECHO_NOT_YET)
			return 0;
		if (err_is(&c->broken)) {
			if (e)
				*e = c->broken;
			return -1;
		}
		if (wait <= 0)
			return 0;
		if (bench_wait_pump(c->bench, wait, e) < 0)
			return -1;
		if (c->received_bytes == before && clock_ms() - now >= wait)
			return 0;
	}
}

/* Try number i. A host that stands still for a moment must not count as a board without echo. */
static int try_once(struct console *c, struct str text, int i, enum echo *how, struct err *e)
{
	size_t piece = pieces[i];
	int64_t until_ms = clock_ms() + ECHO_LIMIT_MS;

	*how = ECHO_SAME;
	for (size_t at = 0; at < text.n && *how == ECHO_SAME; at += piece) {
		size_t n = text.n - at < piece ? text.n - at : piece;

		if (console_send(c, str_make(text.p + at, n), e) ||
			wait_echo(c, str_make(text.p, at + n), (int64_t)ECHO_MS << i, until_ms, how,
				e))
			return -1;
	}
	return 0;
}

/* Empties the board's input line. ^U where it was seen to work, ^C from the second time on. */
static int kill_line(struct console *c, int tries, struct err *e)
{
	uint64_t before;

	if (console_quiet(c, SETTLE_MS, SETTLE_LIMIT_MS, e) < 0)
		return -1;
	before = c->received_bytes;
	if (!tries && (console_send(c, STR_LIT(CTRL_U), e) ||
			      console_quiet(c, SETTLE_MS, SETTLE_LIMIT_MS, e) < 0))
		return -1;
	/* An editor that killed a line has erased it on the screen, too. */
	if ((tries || c->received_bytes == before) &&
		(console_send(c, STR_LIT(CTRL_C), e) ||
			console_quiet(c, SETTLE_MS, SETTLE_LIMIT_MS, e) < 0))
		return -1;
	expect_skip(c->expect);
	return 0;
}

/* ready: the board said last that it waits for a line. */
static int type_echoed(struct console *c, struct str text, bool ready, struct err *e)
{
	char want[160], got[240] = "";
	enum echo how = ECHO_NOT_YET;

	for (int i = 0; i < CONSOLE_TYPE_TRIES; i++) {
		if (!(ready && !i) && console_quiet(c, QUIET_MS, QUIET_LIMIT_MS, e) < 0)
			return -1;
		expect_skip(c->expect);
		if (try_once(c, text, i, &how, e))
			return -1;
		if (how == ECHO_SAME) {
			expect_skip(c->expect);
			return console_send(c, STR_LIT("\r"), e);
		}
		str_printable(expect_pending(c->expect), got, sizeof got);
		bench_note(c->bench, "console '%s': typed '%s', echo is '%s'", c->name,
			str_printable(text, want, sizeof want), got);
		c->retypes++;
		if (kill_line(c, i, e))
			return -1;
	}
	return err_set(e, BLAME_INFRA, "no true echo in %d tries: wanted '%s', got '%s'",
		CONSOLE_TYPE_TRIES, str_printable(text, want, sizeof want), got);
}

int console_type(struct console *c, const char *text, bool echo, struct err *e)
{
	struct str line = str_of(text);

	if (line.n > ECHO_TEXT_BYTES)
		return err_set(e, BLAME_JOB, "a line of %zu bytes cannot be typed (at most %d)",
			line.n, ECHO_TEXT_BYTES);
	if (!echo) {
		if (console_quiet(c, QUIET_MS, QUIET_LIMIT_MS, e) < 0)
			return -1;
		expect_skip(c->expect);
		if (console_send(c, line, e) || console_send(c, STR_LIT("\r"), e))
			return -1;
		return 0;
	}
	if (type_echoed(c, line, false, e))
		return err_wrap(e, "console '%s': type a line", c->name);
	return 0;
}

int console_type_at_prompt(struct console *c, const char *text, struct err *e)
{
	struct str line = str_of(text);
	bool ready;

	if (line.n > ECHO_TEXT_BYTES)
		return console_type(c, text, true, e);
	if (bench_wait_pump(c->bench, 0, e) < 0) /* what waits unread counts as talk */
		return -1;
	ready = !str_trim(expect_pending(c->expect)).n;
	if (type_echoed(c, line, ready, e))
		return err_wrap(e, "console '%s': type a line", c->name);
	return 0;
}
