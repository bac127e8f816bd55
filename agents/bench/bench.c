/* SPDX-License-Identifier: MIT */
/*
 * The worker's one wait. Invariant: nothing outside the process is waited for without the nearest
 * deadline, cancel and every pump being watched in the same poll; and a deadline that has passed is
 * reported before readiness, so that a board that never stops talking cannot outlive its step.
 */
#include "agents/bench/bench.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define WAIT_FDS 16 /* most descriptors one bench_wait is asked for */

void bench_init(struct bench *b)
{
	*b = (struct bench){.cancel_fd = -1};
}

void bench_done(struct bench *b)
{
	map_each (&b->vars, v)
		free(v->value);
	map_done(&b->vars);
	*b = (struct bench){.cancel_fd = -1};
}

/* A stack or table that is too small is a mistake in this program, found by its first test. */
static NORETURN void overflow(const char *what, int limit)
{
	fprintf(stderr, "bench: more than %d %s\n", limit, what);
	abort();
}

void bench_push(struct bench *b, const char *what, int64_t timeout_ms)
{
	int64_t now = clock_ms();

	if (b->n_deadlines == BENCH_DEADLINES)
		overflow("nested deadlines", BENCH_DEADLINES);
	if (timeout_ms < 0)
		timeout_ms = 0;
	b->deadlines[b->n_deadlines++] = (struct deadline){
		.what = what,
		.at_ms = timeout_ms > INT64_MAX - now ? INT64_MAX : now + timeout_ms,
		.length_ms = timeout_ms,
	};
}

void bench_pop(struct bench *b)
{
	if (!b->n_deadlines)
		overflow("pops than pushes of deadlines", 0);
	b->n_deadlines--;
	if (b->release_base > b->n_deadlines)
		b->release_base = b->n_deadlines;
}

void bench_release_begin(struct bench *b)
{
	b->releasing = true;
	b->release_base = b->n_deadlines;
}

static const struct deadline *nearest(const struct bench *b)
{
	const struct deadline *d = NULL;

	for (unsigned i = b->release_base; i < b->n_deadlines; i++)
		if (!d || b->deadlines[i].at_ms < d->at_ms)
			d = &b->deadlines[i];
	return d;
}

int64_t bench_left_ms(const struct bench *b)
{
	const struct deadline *d = nearest(b);
	int64_t left;

	if (!d || d->at_ms == INT64_MAX)
		return INT64_MAX;
	left = d->at_ms - clock_ms();
	return left > 0 ? left : 0;
}

void bench_pump_add(struct bench *b, int fd, bench_pump_fn *fn, void *arg)
{
	if (b->n_pumps == BENCH_PUMPS)
		overflow("pumps", BENCH_PUMPS);
	b->pumps[b->n_pumps].fd = fd;
	b->pumps[b->n_pumps].fn = fn;
	b->pumps[b->n_pumps++].arg = arg;
}

void bench_pump_del(struct bench *b, int fd)
{
	for (unsigned i = 0; i < b->n_pumps; i++)
		if (b->pumps[i].fd == fd) {
			b->n_pumps--;
			memmove(&b->pumps[i], &b->pumps[i + 1],
				(b->n_pumps - i) * sizeof b->pumps[0]);
			return;
		}
}

/* -1 when the run must stop here: canceled, or the nearest deadline has passed. */
static int check(struct bench *b, struct err *e)
{
	const struct deadline *d = nearest(b);
	char length[32];

	if (b->canceled && !b->releasing)
		return err_set(e, BLAME_CANCEL, "canceled");
	if (d && bench_left_ms(b) == 0)
		return err_set(e, BLAME_TIMEOUT, "%s: not done in %s", d->what,
			str_format_ms(d->length_ms, length, sizeof length));
	return 0;
}

/*
 * Serves the pumps that poll found ready. A pump may add and delete pumps (a dead console does), so
 * each is looked up again before it is called. Returns how many were served, or -1.
 */
static int serve(struct bench *b, const struct pollfd *ready, unsigned n, struct err *e)
{
	int served = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		if (!ready[i].revents)
			continue;
		while (k < b->n_pumps && b->pumps[k].fd != ready[i].fd)
			k++;
		if (k == b->n_pumps)
			continue;
		served++;
		if (b->pumps[k].fn(b->pumps[k].arg, ready[i].revents, e))
			return -1;
	}
	return served;
}

static void take_cancel(struct bench *b)
{
	struct signalfd_siginfo info;

	while (read(b->cancel_fd, &info, sizeof info) > 0)
		;
	b->canceled = true;
}

struct turn {
	int64_t until_ms; /* own limit, INT64_MAX: none */
	bool wake_on_pump;
};

/* One poll. Returns as bench_wait, or -2: nothing to report, go on. */
static int turn(
	struct bench *b, struct pollfd *fds, unsigned n, const struct turn *t, struct err *e)
{
	struct pollfd all[WAIT_FDS + BENCH_PUMPS + 1];
	unsigned n_pumps = b->n_pumps, total = n;
	int64_t now = clock_ms(), left = bench_left_ms(b);
	int64_t own = t->until_ms == INT64_MAX ? INT64_MAX
		      : t->until_ms > now      ? t->until_ms - now
					       : 0;
	bool watch_cancel = b->cancel_fd >= 0 && !b->releasing;
	int ready = 0, served, rc;

	if (n)
		memcpy(all, fds, n * sizeof *fds);
	for (unsigned i = 0; i < n_pumps; i++)
		all[total++] = (struct pollfd){.fd = b->pumps[i].fd, .events = POLLIN};
	if (watch_cancel)
		all[total++] = (struct pollfd){.fd = b->cancel_fd, .events = POLLIN};
	if (left > own)
		left = own;
	rc = poll(all, total, left > 60000 ? 60000 : (int)left);
	if (rc < 0 && errno != EINTR)
		return err_sys(e, BLAME_BUG, errno, "poll");
	if (rc < 0)
		return -2;
	if (watch_cancel && all[total - 1].revents) {
		take_cancel(b);
		return check(b, e);
	}
	served = serve(b, all + n, n_pumps, e);
	if (served < 0)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		fds[i].revents = all[i].revents;
		ready += fds[i].revents != 0;
	}
	if (ready)
		return ready;
	if (served && t->wake_on_pump)
		return served;
	if (t->until_ms != INT64_MAX && clock_ms() >= t->until_ms)
		return 0;
	return -2;
}

void bench_inquire(struct bench *b)
{
	b->inquiry_due = b->inquiry && !b->inquiring && !b->releasing;
}

static int inquire(struct bench *b, struct err *e)
{
	int rc;

	if (!b->inquiry_due)
		return 0;
	b->inquiry_due = false;
	b->inquiring = true;
	rc = b->inquiry(b->inquiry_arg, e);
	b->inquiring = false;
	return rc;
}

static int wait_on(struct bench *b, struct pollfd *fds, unsigned n, int64_t timeout_ms,
	bool wake_on_pump, struct err *e)
{
	int64_t now = clock_ms();
	struct turn t = {.until_ms = INT64_MAX, .wake_on_pump = wake_on_pump};
	int rc;

	if (n > WAIT_FDS)
		overflow("descriptors in one wait", WAIT_FDS);
	if (timeout_ms < 0)
		timeout_ms = 0;
	if (timeout_ms < INT64_MAX - now)
		t.until_ms = now + timeout_ms;
	do {
		if (check(b, e) || inquire(b, e))
			return -1;
		rc = turn(b, fds, n, &t, e);
		if (inquire(b, e))
			return -1;
	} while (rc == -2);
	return rc;
}

int bench_wait(struct bench *b, struct pollfd *fds, unsigned n, int64_t timeout_ms, struct err *e)
{
	return wait_on(b, fds, n, timeout_ms, false, e);
}

int bench_wait_pump(struct bench *b, int64_t timeout_ms, struct err *e)
{
	int rc = wait_on(b, NULL, 0, timeout_ms, true, e);

	return rc > 0 ? 1 : rc;
}

int bench_pause(struct bench *b, int64_t ms, struct err *e)
{
	return wait_on(b, NULL, 0, ms, false, e);
}

static json_t *event_new(const char *kind)
{
	json_t *j = json_object();

	json_object_set_new(j, "kind", json_string(kind));
	return j;
}

void bench_event(struct bench *b, const char *kind, const char *fields, ...)
{
	AUTOFREE char *fmt = NULL;
	json_t *j, *more;
	json_error_t je;
	va_list ap;

	if (!b->journal)
		return;
	j = event_new(kind);
	if (fields && *fields) {
		fmt = *fields == '{' ? mem_strdup(fields) : mem_printf("{%s}", fields);
		va_start(ap, fields);
		more = json_vpack_ex(&je, 0, fmt, ap);
		va_end(ap);
		/* Text that is not UTF-8 cannot be packed: the event still says that it was. */
		if (more)
			json_object_update_new(j, more);
		else
			json_object_set_new(j, "unpacked", json_string(je.text));
	}
	b->journal(b->journal_arg, j);
}

void bench_note(struct bench *b, const char *fmt, ...)
{
	char text[1024];
	json_t *j, *s;
	va_list ap;

	if (!b->journal)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	s = json_string(text);
	for (char *c = text; !s && *c; c++)
		if (*c & 0x80)
			*c = '?';
	if (!s)
		s = json_string(text);
	j = event_new("note");
	json_object_set_new(j, "text", s);
	b->journal(b->journal_arg, j);
}
