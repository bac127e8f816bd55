/* SPDX-License-Identifier: MIT */
/*
 * Finds the last words of a Linux kernel in console bytes. Invariant: only a line that begins the
 * report counts, never the same words inside a command line ("panic=10"); what is kept of it is
 * bounded.
 */
#include "crash.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const char *const words[] = {
	"Kernel panic - not syncing",
	"Unable to handle kernel ",
	"Internal error: Oops",
	"Internal error: undefined instruction",
	NULL,
};
#define FATAL 0 /* index of the one after which nothing follows */

static void arm(struct crash *c)
{
	struct itimerspec when = {.it_value = {.tv_sec = CRASH_REST_MS / 1000,
					  .tv_nsec = CRASH_REST_MS % 1000 * 1000000L}};

	timerfd_settime(c->timer_fd, 0, &when, NULL);
}

static void take_line(struct crash *c)
{
	char shown[sizeof c->line];

	c->line[c->n] = 0;
	str_printable(str_make(c->line, c->n), shown, sizeof shown);
	for (int i = 0; words[i] && !c->seen; i++) {
		const char *at = strstr(shown, words[i]);

		if (!at)
			continue;
		if (i != FATAL && c->excerpt.len)
			break;
		snprintf(c->what, sizeof c->what, "%s", at);
		buf_printf(&c->excerpt, "%s\n", shown);
		c->seen = i == FATAL;
		if (c->seen)
			arm(c);
		else
			bench_note(c->bench, "kernel: %s", c->what);
		return;
	}
	if (c->excerpt.len)
		buf_printf(&c->excerpt, "%s\n", shown); /* past its cap: dropped */
}

static void on_bytes(void *arg, struct str raw, uint64_t offset, int64_t at_ms)
{
	struct crash *c = arg;

	(void)offset;
	(void)at_ms;
	for (size_t i = 0; i < raw.n; i++) {
		char b = raw.p[i];

		if (b == '\n' || c->n == sizeof c->line - 1) {
			take_line(c);
			c->n = 0;
		}
		if (b != '\n' && b != '\r')
			c->line[c->n++] = b;
	}
}

static int on_timer(void *arg, short revents, struct err *e)
{
	struct crash *c = arg;
	uint64_t times;

	(void)revents;
	if (read(c->timer_fd, &times, sizeof times) < 0 || c->told || c->bench->releasing)
		return 0;
	c->told = true;
	bench_event(c->bench, "warn", "{s:s}", "text", buf_str(&c->excerpt));
	return err_set(e, BLAME_BUILD, "the kernel gave up: %s", c->what);
}

int crash_watch(struct crash *c, struct bench *b, struct console *console, struct err *e)
{
	*c = (struct crash){.bench = b};
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
	c->seen = c->told = false;
	c->n = 0;
	buf_reset(&c->excerpt);
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
