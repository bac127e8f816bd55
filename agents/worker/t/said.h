/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_T_SAID_H
#define AGENTS_WORKER_T_SAID_H

/* A watched console that says what a test wants, and what was told of it: in got, anew each time.
 */

#include "agents/worker/crash.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <unistd.h>

static const struct crash_rules *rules; /* of what is said */
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

__attribute__((unused)) static bool side; /* the console that is spoken on */

/* Says text to a watched console that `typed` was sent to, in reads of `first`, then `most` bytes.
 */
static inline int say_in(
	const char *text, size_t first, size_t most, const char *typed, bool twin, struct crash *c)
{
	struct bench b;
	struct console *console = calloc(1, sizeof *console);
	struct err e = {0};
	size_t n = strlen(text), step;
	int rc;

	memset(&got, 0, sizeof got);
	bench_init(&b);
	console->name = side ? "mcu" : "main";
	if (typed)
		console->n_typed =
			(size_t)snprintf(console->typed, sizeof console->typed, "%s", typed);
	crash_watch(c, &b, console, twin, rules, on_crash, NULL, &e);
	c->side = side;
	for (size_t at = 0; at < n; at += step) {
		step = at ? most : first;
		step = n - at < step ? n - at : step;
		console->taps[0].fn(console->taps[0].arg, str_make(text + at, step), 1000 + at, 0);
	}
	rc = crash_flush(c, &e);
	free(console);
	c->console = NULL;
	bench_done(&b);
	return rc;
}

static inline int say(const char *text, size_t most, const char *typed, bool twin, struct crash *c)
{
	return say_in(text, most, most, typed, twin, c);
}

static inline void done(struct crash *c)
{
	c->bench = NULL;
	close(c->timer_fd);
	buf_done(&c->excerpt);
}

#endif
