/* SPDX-License-Identifier: MIT */
/*
 * A session: a board that somebody has leased. People type into its consoles and switch its power
 * by lines of the inbox; what the board says goes raw into the logs, and nothing else touches it.
 * Invariant: nothing but a power switch is waited for without everything else being served, and
 * what is not typed is told.
 */
#include "worker.h"

#include "base/clock.h"
#include "inbox.h"
#include "io/base64.h"
#include "io/json.h"

#include <errno.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SESSION_PENDING_BYTES ((size_t)256 << 10) /* taken for a console that is slower */
#define SESSION_LINES         64                  /* handled before the consoles are served again */
#define SESSION_DAMAGED       32                  /* lines that are told to be damaged */
#define SESSION_POWER_MS      60000               /* for one switch of the power */

/* What is to be typed into one console. */
struct feed {
	struct buf pending;
	int64_t next_ms;  /* when the line takes its next byte, where it is paced */
	uint64_t dropped; /* bytes not told yet */
	bool told;        /* that some were dropped, since the line took some */
	const char *why;
};
struct session {
	struct worker *w;
	struct inbox inbox;
	int until_fd; /* readable when the time is up, by the wall clock however it is set */
	unsigned damaged;
	const char *over; /* why it ended; NULL: it goes on */
	struct feed feeds[WORKER_CONSOLES];
};

static void warn(struct session *s, const char *text)
{
	AUTOFREE char *clean = journal_text(text);

	bench_event(&s->w->bench, "warn", "{s:s}", "text", clean);
}

/* Of a crash people are told, and go on typing. */
static int on_crash(void *session, const struct crash_report *r, struct err *e)
{
	struct session *s = session;

	(void)e;
	if (!s->w->bench.releasing && r->level != CRASH_RESET)
		worker_crash_tell(s->w, r);
	return 0;
}

/* ---- typing -------------------------------------------------------------------------------- */

static struct console *console_of(struct session *s, const struct feed *f)
{
	return &s->w->consoles[f - s->feeds];
}

/* At once when it begins, the rest in one: a reader who holds down a key does not fill the journal.
 */
static void tell_dropped(struct session *s, struct feed *f, bool flush)
{
	if (!f->dropped || (f->told && !flush))
		return;
	bench_event(&s->w->bench, "input-dropped", "{s:s, s:I, s:s}", "console",
		console_of(s, f)->name, "bytes", (json_int_t)f->dropped, "why", f->why);
	f->dropped = 0;
	f->told = true;
}

static void drop(struct session *s, struct feed *f, size_t n, const char *why)
{
	f->dropped += n;
	f->why = why;
	tell_dropped(s, f, false);
}

/* As much as the line takes now. Returns when it takes the next byte: 0: as poll says. */
static void feed_now(struct session *s, struct feed *f)
{
	struct console *c = console_of(s, f);
	bool paced = c->opts.char_delay_us > 0;
	struct str rest = {f->pending.data, f->pending.len};
	struct err e = {0};

	if (!rest.n)
		return;
	if (!paced || clock_ms() >= f->next_ms) {
		if (console_send_now(c, &rest, paced ? 1 : rest.n, &e) && !err_is(&c->broken))
			warn(s, e.msg);
		if (rest.n < f->pending.len)
			f->next_ms = clock_ms() + (c->opts.char_delay_us + 999) / 1000;
		buf_eat(&f->pending, f->pending.len - rest.n);
	}
	if (rest.n && c->fd < 0) {
		buf_reset(&f->pending);
		drop(s, f, rest.n, "the line is away");
	} else if (!rest.n) {
		tell_dropped(s, f, true);
		f->told = false;
	}
}

static void type(struct session *s, struct feed *f, struct str bytes)
{
	struct console *c = console_of(s, f);

	if (c->fd < 0)
		drop(s, f, bytes.n, "the line is away");
	else if (buf_add(&f->pending, bytes.p, bytes.n))
		drop(s, f, bytes.n, "the line is slower than what is typed");
	f->pending.overflow = false;
	feed_now(s, f);
}

/* ---- lines of the inbox -------------------------------------------------------------------- */

static struct feed *find_feed(struct session *s, const json_t *line)
{
	struct err e = {0};
	struct console *c = worker_console(s->w, json_text(line, "console", NULL), &e);

	if (!c)
		warn(s, e.msg);
	return c ? &s->feeds[c - s->w->consoles] : NULL;
}

static void on_input(struct session *s, const json_t *line)
{
	AUTOBUF bytes = BUF_INIT(INBOX_DATA_BYTES);
	struct feed *f = find_feed(s, line);

	if (!f)
		return;
	if (base64_parse(str_of(json_text(line, "data", "")), &bytes))
		warn(s, "an input of the inbox is damaged or too long: it is not typed");
	else
		type(s, f, str_make(buf_str(&bytes), bytes.len));
}

static void on_break(struct session *s, const json_t *line)
{
	struct feed *f = find_feed(s, line);
	struct err e = {0};

	if (f && console_break(console_of(s, f), &e))
		warn(s, e.msg);
}

static void on_power(struct session *s, const json_t *line)
{
	static const char *const words[] = {"on", "off", "cycle"};
	const char *word = json_text(line, "action", "");
	struct worker *w = s->w;
	struct err e = {0};
	size_t action = 0;
	int r;

	while (action < ARRAY_LEN(words) && strcmp(words[action], word))
		action++;
	if (action == ARRAY_LEN(words)) {
		r = err_set(&e, BLAME_JOB, "'%.40s' is no action: on, off or cycle", word);
	} else {
		bench_push(&w->bench, "power", SESSION_POWER_MS);
		r = worker_power(w, (int)action, &e);
		bench_pop(&w->bench);
	}
	{
		AUTOFREE char *clean = r ? journal_text(e.msg) : NULL;

		bench_event(&w->bench, "power-done", "{s:I, s:b, s:s*}", "n",
			(json_int_t)json_int(line, "n", 0), "ok", !r, "message", clean);
	}
}

/* Wall clock: the timer follows it when it is set. */
static int end_at(struct session *s, int64_t wall_ms, struct err *e)
{
	struct itimerspec once = {
		.it_value = {.tv_sec = wall_ms / 1000, .tv_nsec = wall_ms % 1000 * 1000000}};

	if (wall_ms <= clock_wall_ms())
		s->over = "its time is up";
	else if (timerfd_settime(s->until_fd, TFD_TIMER_ABSTIME, &once, NULL))
		return err_sys(e, BLAME_BUG, errno, "set the timer of the session's end");
	return 0;
}

static void on_until(struct session *s, const json_t *line)
{
	struct err e = {0};

	if (end_at(s, json_int(line, "at", 0), &e))
		warn(s, e.msg);
}

static void on_line(struct session *s, const json_t *line)
{
	static const struct {
		const char *kind;
		void (*fn)(struct session *s, const json_t *line);
	} kinds[] = {
		{"break", on_break}, {"input", on_input}, {"power", on_power}, {"until", on_until}};
	const char *kind = json_text(line, "kind", "");

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].kind, kind)) {
			kinds[i].fn(s, line);
			return;
		}
	{
		AUTOFREE char *text = mem_printf("a session takes no line of kind '%.40s'", kind);

		warn(s, text);
	}
}

/* What has come, but no more than fits between two looks at the consoles. False: there is more. */
static bool take_lines(struct session *s, struct err *e)
{
	for (int i = 0; i < SESSION_LINES && !s->over; i++) {
		AUTOJSON *line = NULL;
		struct err damaged = {0};
		int r = inbox_next(&s->inbox, &line, &damaged);

		if (r > 0) {
			on_line(s, line);
		} else if (r == 0) {
			return true;
		} else if (damaged.blame == BLAME_BUG) {
			if (s->damaged++ < SESSION_DAMAGED)
				warn(s, damaged.msg);
		} else {
			*e = damaged;
			return true;
		}
	}
	return false;
}

/* ---- the loop ------------------------------------------------------------------------------ */

static unsigned n_broken(const struct worker *w)
{
	unsigned n = 0;

	for (size_t i = 0; i < w->n_consoles; i++)
		n += err_is(&w->consoles[i].broken);
	return n;
}

/* One wait for anything. -1: the session cannot go on. */
static int wait_turn(struct session *s, bool more, struct err *e)
{
	struct worker *w = s->w;
	struct pollfd fds[2 + WORKER_CONSOLES] = {
		{.fd = s->inbox.watch_fd, .events = POLLIN}, {.fd = s->until_fd, .events = POLLIN}};
	int64_t wait_ms = more ? 0 : INT64_MAX;
	unsigned n = 2, broken = n_broken(w);
	struct err why = {0};

	for (size_t i = 0; i < w->n_consoles; i++) {
		struct feed *f = &s->feeds[i];
		int64_t rest_ms = f->next_ms - clock_ms();

		if (!f->pending.len)
			continue;
		if (w->consoles[i].opts.char_delay_us && rest_ms > 0)
			wait_ms = rest_ms < wait_ms ? rest_ms : wait_ms;
		else if (w->consoles[i].fd >= 0)
			fds[n++] = (struct pollfd){.fd = w->consoles[i].fd, .events = POLLOUT};
	}
	if (bench_wait(&w->bench, fds, n, wait_ms, &why) >= 0) {
		if (fds[1].revents)
			s->over = "its time is up";
		return 0;
	}
	if (w->bench.canceled)
		s->over = "somebody ended it";
	else if (!bench_left_ms(&w->bench))
		s->over = "its hard end has come";
	else if (n_broken(w) > broken)
		warn(s, why.msg); /* the others, and the power, are still of use */
	else if (e)
		*e = why;
	return s->over || n_broken(w) > broken ? 0 : -1;
}

static int loop(struct session *s, struct err *e)
{
	while (!s->over) {
		bool more = !take_lines(s, e);

		if (err_is(e))
			return -1;
		if (s->w->journal.lost)
			return err_sys(e, BLAME_INFRA, s->w->journal.lost,
				"cannot write the journal of '%s'", s->w->dir);
		worker_power_seen(s->w);
		for (size_t i = 0; i < s->w->n_consoles; i++)
			feed_now(s, &s->feeds[i]);
		if (!s->over && wait_turn(s, more, e))
			return -1;
	}
	return 0;
}

static int begin(struct session *s, struct err *e)
{
	struct worker *w = s->w;
	json_t *names = json_array();

	for (size_t i = 0; i < WORKER_CONSOLES; i++)
		buf_init(&s->feeds[i].pending, SESSION_PENDING_BYTES);
	for (size_t i = 0; i < w->n_consoles; i++)
		json_array_append_new(names, json_string(w->consoles[i].name));
	s->until_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->until_fd < 0 || inbox_open(&s->inbox, w->dir, e)) {
		json_decref(names);
		return s->until_fd < 0 ? err_sys(e, BLAME_BUG, errno, "make a timer") : -1;
	}
	worker_crash_fn(w, on_crash, s);
	bench_event(&w->bench, "session-start", "{s:o}", "consoles", names);
	return 0;
}

void worker_session(struct worker *w)
{
	struct session s = {.w = w, .inbox = {.fd = -1, .watch_fd = -1}, .until_fd = -1};
	struct err e = {0};

	if (begin(&s, &e) || loop(&s, &e))
		tally_error(&w->tally, &e);
	else
		w->tally.counts[STATUS_DONE]++; /* it was there to be used: that is all it promises
						 */
	for (size_t i = 0; i < WORKER_CONSOLES; i++) {
		if (i < w->n_consoles)
			tell_dropped(&s, &s.feeds[i], true);
		buf_done(&s.feeds[i].pending);
	}
	worker_crash_flush(w, NULL);
	bench_event(&w->bench, "session-end", "{s:s}", "why", s.over ? s.over : e.msg);
	worker_crash_fn(w, worker_crash, w); /* s ends here */
	inbox_close(&s.inbox);
	attr_close(&s.until_fd);
}
