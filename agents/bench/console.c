/* SPDX-License-Identifier: MIT */
/*
 * Consoles. Invariant: a byte is in the log before anything looks at it; a line that died, a full
 * disk or a full log is reported exactly once, by whatever waits then, and the console is given up
 * (`broken`), so that the release steps are not held up by it. Bytes are never dropped silently.
 */
#include "agents/bench/console.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define READ_BYTES     ((size_t)64 << 10)
#define REOPEN_MS      10000 /* preset of opts.reopen_ms */
#define REOPEN_PACE_MS 100
#define LAST_READS     16 /* at most, before a console is closed */
#define TAIL_BYTES     96 /* last bytes seen, in error texts */

static int pump(void *arg, short revents, struct err *e);
static int reopen_pump(void *arg, short revents, struct err *e);

static void close_line(struct console *c)
{
	if (c->fd >= 0)
		bench_pump_del(c->bench, c->fd);
	if (c->drv->close)
		c->drv->close(c);
	else if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static void stop_timer(struct console *c)
{
	if (c->timer_fd < 0)
		return;
	bench_pump_del(c->bench, c->timer_fd);
	close(c->timer_fd);
	c->timer_fd = -1;
}

/* For good: nobody waits on this console from here on without being told why. */
static int give_up(struct console *c, struct err *e)
{
	close_line(c);
	stop_timer(c);
	err_wrap(e, "console '%s'", c->name);
	if (e)
		c->broken = *e;
	else
		err_set(&c->broken, BLAME_INFRA, "console '%s': given up", c->name);
	return -1;
}

static int broken(const struct console *c, struct err *e)
{
	if (!err_is(&c->broken))
		return 0;
	if (e)
		*e = c->broken;
	return -1;
}

/* The line went away. Attempts to get it back run from the pump of a timer. */
static int die(struct console *c, struct err *e)
{
	struct itimerspec every = {
		.it_value = {.tv_nsec = REOPEN_PACE_MS * 1000000L},
		.it_interval = {.tv_nsec = REOPEN_PACE_MS * 1000000L},
	};

	close_line(c);
	c->dead_since_ms = clock_ms();
	c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->timer_fd < 0 || timerfd_settime(c->timer_fd, 0, &every, NULL)) {
		err_sys(e, BLAME_INFRA, errno, "timer");
		return give_up(c, e);
	}
	bench_pump_add(c->bench, c->timer_fd, reopen_pump, c);
	bench_note(c->bench, "console '%s': the line went away", c->name);
	bench_inquire(c->bench);
	return 0;
}

static int reopen_pump(void *arg, short revents, struct err *e)
{
	struct console *c = arg;
	struct err why = {0};
	int64_t away_ms = clock_ms() - c->dead_since_ms;
	uint64_t ticks;
	char text[32];

	(void)revents;
	if (read(c->timer_fd, &ticks, sizeof ticks) < 0)
		return 0;
	if (!c->drv->open(c, &why)) {
		stop_timer(c);
		c->dead_since_ms = 0;
		c->reopens++;
		bench_pump_add(c->bench, c->fd, pump, c);
		bench_note(c->bench, "console '%s': open again after %s", c->name,
			str_format_ms(away_ms, text, sizeof text));
		return 0;
	}
	close_line(c);
	if (away_ms < c->opts.reopen_ms)
		return 0;
	err_set(e, BLAME_INFRA, "the line went away and is not back after %s: %s",
		str_format_ms(away_ms, text, sizeof text), why.msg);
	return give_up(c, e);
}

static int log_bytes(struct console *c, const char *p, size_t n, int64_t at_ms, struct err *e)
{
	uint64_t offset = c->base_bytes + c->received_bytes;
	bool full = offset + n > c->opts.log_cap_bytes;
	char line[64];
	int len;

	if (c->log_fd < 0)
		return 0;
	if (full)
		n = (size_t)(c->opts.log_cap_bytes - offset);
	len = snprintf(line, sizeof line, "%" PRIu64 " %" PRId64 "\n", offset, at_ms);
	if (fs_write_all(c->log_fd, p, n) || fs_write_all(c->idx_fd, line, (size_t)len))
		return err_sys(e, BLAME_INFRA, errno, "write the log");
	if (full)
		return err_set(e, BLAME_TEST, "the log reached its cap of %s",
			str_format_bytes((int64_t)c->opts.log_cap_bytes, line, sizeof line));
	return 0;
}

static int take(struct console *c, const char *p, size_t n, struct err *e)
{
	int64_t now = clock_ms(), at_ms = now - c->opts.run_start_ms;
	struct str raw = {p, n};
	int rc = log_bytes(c, p, n, at_ms, e);

	for (unsigned i = 0; i < c->n_taps; i++)
		c->taps[i].fn(c->taps[i].arg, raw, c->base_bytes + c->received_bytes, at_ms);
	expect_feed(c->expect, raw);
	c->received_bytes += n;
	c->last_byte_ms = now;
	if (!c->first_byte_ms)
		c->first_byte_ms = now;
	return rc ? give_up(c, e) : 0;
}

static int pump(void *arg, short revents, struct err *e)
{
	static char buf[READ_BYTES];
	struct console *c = arg;
	ssize_t n = read(c->fd, buf, sizeof buf);

	if (n > 0)
		return take(c, buf, (size_t)n, e);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n < 0 && errno == EAGAIN && !(revents & (POLLHUP | POLLERR | POLLNVAL)))
		return 0;
	return die(c, e);
}

static int open_log(struct console *c, const char *suffix, int *fd, struct err *e)
{
	AUTOFREE char *name = mem_printf("console-%s.%s", c->name, suffix);
	AUTOFREE char *path = fs_join(c->opts.dir, name);

	*fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (*fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open '%s'", path);
	return 0;
}

static int open_logs(struct console *c, struct err *e)
{
	struct stat st;

	if (!c->opts.dir)
		return 0;
	if (open_log(c, "log", &c->log_fd, e) || open_log(c, "idx", &c->idx_fd, e))
		return -1;
	if (!fstat(c->log_fd, &st))
		c->base_bytes = (uint64_t)st.st_size;
	return 0;
}

/* Can a line that does not open now come by itself, as one does that the board's power feeds? */
static bool comes_later(const struct err *e)
{
	return e->blame == BLAME_INFRA && e->sys != EBUSY && e->sys != EACCES && e->sys != EPERM;
}

static int open_line(struct console *c, struct err *e)
{
	struct err why = {0};

	if (!c->drv->open(c, &why)) {
		bench_pump_add(c->bench, c->fd, pump, c);
		return 0;
	}
	if (c->opts.may_be_away && comes_later(&why))
		return die(c, e);
	if (e)
		*e = why;
	return -1;
}

int console_open(struct console *c, const struct console_driver *drv, const char *name, void *conf,
	struct bench *b, const struct console_opts *opts, struct err *e)
{
	*c = (struct console){.drv = drv, .bench = b, .name = name, .conf = conf};
	c->fd = c->log_fd = c->idx_fd = c->timer_fd = -1;
	c->opts = *opts;
	if (!c->opts.log_cap_bytes)
		c->opts.log_cap_bytes = CONSOLE_LOG_BYTES;
	if (!c->opts.reopen_ms)
		c->opts.reopen_ms = REOPEN_MS;
	c->expect = expect_new();
	if (b->n_pumps == BENCH_PUMPS) {
		console_close(c);
		return err_set(
			e, BLAME_CONFIG, "console '%s': more than %d are open", name, BENCH_PUMPS);
	}
	if (open_logs(c, e) || open_line(c, e)) {
		console_close(c);
		return err_wrap(e, "console '%s'", name);
	}
	return 0;
}

/* What the board said since the last wait belongs to the log, too. */
static void last_words(struct console *c)
{
	struct pollfd p = {.events = POLLIN};
	struct err why = {0};

	for (int i = 0; i < LAST_READS && c->fd >= 0; i++) {
		p.fd = c->fd;
		if (poll(&p, 1, 0) <= 0)
			return;
		if (pump(c, p.revents, &why))
			bench_note(c->bench, "%s", why.msg);
	}
}

void console_close(struct console *c)
{
	if (!c->drv)
		return;
	last_words(c);
	close_line(c);
	stop_timer(c);
	if (c->log_fd >= 0)
		close(c->log_fd);
	if (c->idx_fd >= 0)
		close(c->idx_fd);
	expect_free(c->expect);
	*c = (struct console){.fd = -1, .log_fd = -1, .idx_fd = -1, .timer_fd = -1};
}

void console_tap(struct console *c, console_tap_fn *fn, void *arg)
{
	if (c->n_taps == CONSOLE_TAPS) {
		fprintf(stderr, "console: more than %d taps\n", CONSOLE_TAPS);
		abort();
	}
	c->taps[c->n_taps].fn = fn;
	c->taps[c->n_taps++].arg = arg;
}

void console_untap(struct console *c, console_tap_fn *fn, void *arg)
{
	for (unsigned i = 0; i < c->n_taps; i++)
		if (c->taps[i].fn == fn && c->taps[i].arg == arg) {
			c->n_taps--;
			memmove(&c->taps[i], &c->taps[i + 1], (c->n_taps - i) * sizeof *c->taps);
			return;
		}
}

int console_break(struct console *c, struct err *e)
{
	if (broken(c, e))
		return -1;
	if (!c->drv->send_break)
		return err_set(e, BLAME_CONFIG, "console '%s': driver '%s' cannot send a break",
			c->name, c->drv->d.name);
	if (c->fd < 0)
		return err_set(e, BLAME_INFRA, "console '%s': the line is away", c->name);
	if (c->drv->send_break(c, e))
		return err_wrap(e, "console '%s': send a break", c->name);
	return 0;
}

/* Waits until the line is there and takes bytes. */
static int wait_writable(struct console *c, struct err *e)
{
	struct pollfd p = {.events = POLLOUT};

	if (broken(c, e))
		return -1;
	if (c->fd < 0)
		return bench_wait_pump(c->bench, INT64_MAX, e) < 0 ? -1 : 0;
	p.fd = c->fd;
	return bench_wait(c->bench, &p, 1, INT64_MAX, e) < 0 ? -1 : 0;
}

static int char_delay(struct console *c, int timer, struct err *e)
{
	int64_t us = c->opts.char_delay_us;
	struct itimerspec once = {
		.it_value = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}};
	struct pollfd p = {.fd = timer, .events = POLLIN};

	if (timerfd_settime(timer, 0, &once, NULL))
		return err_sys(e, BLAME_BUG, errno, "timer");
	return bench_wait(c->bench, &p, 1, INT64_MAX, e) < 0 ? -1 : 0;
}

/* So that an echo is known as one, whoever looks at the bytes that come. */
static void remember(struct console *c, const char *p, size_t n)
{
	size_t keep = sizeof c->typed - n;

	if (n >= sizeof c->typed) {
		p += n - sizeof c->typed;
		n = sizeof c->typed;
		keep = 0;
	}
	if (c->n_typed > keep) {
		memmove(c->typed, c->typed + c->n_typed - keep, keep);
		c->n_typed = keep;
	}
	memcpy(c->typed + c->n_typed, p, n);
	c->n_typed += n;
}

int console_send_now(struct console *c, struct str *bytes, size_t most, struct err *e)
{
	ssize_t n;

	if (broken(c, e))
		return -1;
	if (c->fd < 0)
		return 0;
	n = write(c->fd, bytes->p, bytes->n < most ? bytes->n : most);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return die(c, e);
	if (n > 0) {
		remember(c, bytes->p, (size_t)n);
		bytes->p += n;
		bytes->n -= (size_t)n;
		c->sent_bytes += (uint64_t)n;
		c->last_sent_ms = clock_ms();
	}
	return 0;
}

/* Through the wait even when the line would take more: cancel and deadlines are looked at. */
static int send_some(struct console *c, struct str *bytes, size_t most, struct err *e)
{
	return wait_writable(c, e) ? -1 : console_send_now(c, bytes, most, e);
}

int console_send(struct console *c, struct str bytes, struct err *e)
{
	AUTOCLOSE int timer = -1;

	if (c->opts.char_delay_us)
		timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	while (bytes.n) {
		size_t left = bytes.n;

		if (send_some(c, &bytes, timer >= 0 ? 1 : READ_BYTES, e))
			return err_wrap(e, "send on console '%s'", c->name);
		if (timer >= 0 && bytes.n < left && char_delay(c, timer, e))
			return err_wrap(e, "send on console '%s'", c->name);
	}
	return 0;
}

/* "waiting for 'a' or 'b', last seen '...'" before the error that is there. */
static void wrap_expect(struct console *c, struct pattern *const *patterns, size_t n, struct err *e)
{
	AUTOBUF what = BUF_INIT(160);
	struct str tail = expect_pending(c->expect);
	char seen[TAIL_BYTES * 2];

	for (size_t i = 0; i < n; i++)
		if (buf_printf(&what, "%s'%s'", i ? " or " : "", pattern_text(patterns[i])))
			break;
	if (what.overflow)
		buf_printf(&what, " ...");
	if (tail.n > TAIL_BYTES) {
		tail.p += tail.n - TAIL_BYTES;
		tail.n = TAIL_BYTES;
	}
	if (!c->received_bytes)
		err_wrap(e, "console '%s', waiting for %s, nothing ever seen", c->name,
			buf_str(&what));
	else
		err_wrap(e, "console '%s', waiting for %s, last seen '%s'", c->name, buf_str(&what),
			str_printable(tail, seen, sizeof seen));
}

static int expect_once(struct console *c, struct pattern *const *patterns, size_t n,
	int64_t until_ms, struct expect_match *m, struct err *e)
{
	int64_t now = clock_ms();
	int rc = expect_search(c->expect, patterns, n, m);

	if (rc < 0)
		return err_set(e, BLAME_JOB, "a pattern is too costly to match");
	if (rc)
		return 1;
	if (broken(c, e))
		return -1;
	if (now >= until_ms)
		return CONSOLE_TIMEOUT;
	return bench_wait_pump(c->bench, until_ms == INT64_MAX ? INT64_MAX : until_ms - now, e) < 0
		       ? -1
		       : 0;
}

int console_expect(struct console *c, struct pattern *const *patterns, size_t n, int64_t timeout_ms,
	struct expect_match *m, struct err *e)
{
	struct expect_match own;
	int64_t now = clock_ms(), until_ms = INT64_MAX;
	char text[32];
	int rc;

	if (timeout_ms < INT64_MAX - now)
		until_ms = now + timeout_ms;
	if (!m)
		m = &own;
	do {
		rc = expect_once(c, patterns, n, until_ms, m, e);
	} while (!rc);
	if (rc > 0) {
		m->raw_start += c->base_bytes;
		m->raw_end += c->base_bytes;
		return m->which;
	}
	if (rc == CONSOLE_TIMEOUT)
		err_set(e, BLAME_TIMEOUT, "nothing in %s",
			str_format_ms(timeout_ms, text, sizeof text));
	wrap_expect(c, patterns, n, e);
	return rc;
}

int console_quiet(struct console *c, int64_t quiet_ms, int64_t limit_ms, struct err *e)
{
	int64_t start = clock_ms();

	/* What waits unread counts as talk. */
	if (bench_wait_pump(c->bench, 0, e) < 0)
		return -1;
	for (;;) {
		int64_t last = c->last_byte_ms, now, wait;

		if (last < c->last_sent_ms)
			last = c->last_sent_ms;
		if (!last)
			last = start;
		if (broken(c, e))
			return -1;
		now = clock_ms();
		if (now - last >= quiet_ms)
			return 1;
		if (now - start >= limit_ms)
			return 0;
		wait = quiet_ms - (now - last);
		if (wait > limit_ms - (now - start))
			wait = limit_ms - (now - start);
		if (bench_wait_pump(c->bench, wait, e) < 0)
			return -1;
	}
}
