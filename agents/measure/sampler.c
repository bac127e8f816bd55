/* SPDX-License-Identifier: MIT */
/*
 * The clock behind instruments. Invariant: it never waits and never ends what it runs beside: an
 * instrument that fails is closed to further questions, and what it did is told at the stop.
 *
 * The text grows without end only in theory: each SAMPLER_BLOCK_BYTES of it all intervals double,
 * so that a day fits; figures are means over time, which does not mind.
 */
#include "agents/measure/sampler.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SAMPLER_BLOCK_BYTES ((size_t)1 << 20)
#define SAMPLER_TEXT_BYTES  ((size_t)48 << 20)
#define WINDOW_MAX_MS       ((int64_t)24 * 3600 * 1000)

const struct param sampler_params[] = {
	{"rails", PARAM_STRINGS, offsetof(struct sampler_window, rails), .preset = "all",
		.help = "names of power rails, as the lab file has them; all: each that an "
			"instrument of the board reads, and their sum",
		.example = "[vdd_core, vdd_mpu]"},
	{"settle", PARAM_DURATION, offsetof(struct sampler_window, settle_ms), .preset = "0",
		.max = WINDOW_MAX_MS, .help = "time to pass before the first reading that counts"},
	{"for", PARAM_DURATION, offsetof(struct sampler_window, for_ms), .max = WINDOW_MAX_MS,
		.help = "how long is measured; not given: to the end of the step",
		.example = "10s"},
	{"highest", PARAM_BOOL, offsetof(struct sampler_window, highest), .preset = "no",
		.help = "also tell the highest voltage of all these rails, as the rail 'all'"},
	{0},
};

struct channel { /* one instrument, and what goes on with it */
	struct instrument in;
	int timer_fd;
	int64_t asked_ms; /* when the round in hand began; 0: none */
	uint64_t rounds, late;
	bool silent; /* it failed, or its window is over */
};

struct sampler {
	struct bench *bench;
	struct arena arena;
	struct sampler_window w;
	bool all;       /* the rails wanted are all there are */
	bool own_total; /* an instrument reads the total itself */
	struct channel channels[INSTRUMENTS_MAX];
	size_t n;
	int epoll_fd;
	bool running;
	int64_t start_ms;
	size_t next_block; /* bytes of text at which the intervals double */
	struct buf text;
	uint64_t readings; /* lines of it */
	struct err failed;
};

/* ---- readings ------------------------------------------------------------------------------- */

static int64_t since_ms(const struct sampler *s)
{
	return clock_ms() - s->start_ms - s->w.settle_ms;
}

static void silence(struct channel *c)
{
	const struct itimerspec off = {0};

	c->silent = true;
	c->asked_ms = 0;
	timerfd_settime(c->timer_fd, 0, &off, NULL);
}

static void fail(struct sampler *s, struct channel *c, struct err *e)
{
	err_wrap(e, "instrument '%s'", c->in.name);
	if (!err_is(&s->failed))
		s->failed = *e;
	bench_note(s->bench, "%s", e->msg);
	silence(c);
	if (c->in.fd >= 0)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, c->in.fd, NULL);
}

static void put(struct sampler *s, int64_t at_ms, const char *rail, double value, const char *unit)
{
	if (isfinite(value) &&
		!buf_printf(&s->text, "%lld %s %.10g %s\n", (long long)at_ms, rail, value, unit))
		s->readings++;
}

/* What holds for all rails together, as they were last read. */
static void put_whole(struct sampler *s, int64_t at_ms)
{
	double sum = 0, highest = NAN;

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->channels[i].in.n; k++) {
			const struct rail *r = &s->channels[i].in.rails[k];

			if (r->counted)
				sum += r->kept_mw;
			if (!(r->kept_v <= highest))
				highest = r->kept_v;
		}
	if (s->all && !s->own_total)
		put(s, at_ms, RAIL_TOTAL, sum, "mW");
	if (s->w.highest)
		put(s, at_ms, "all", highest, "V");
}

static void arm(struct channel *c, int64_t first_ms)
{
	int64_t every = c->in.interval_ms;
	struct itimerspec t = {.it_interval = {every / 1000, every % 1000 * 1000000}};

	if (first_ms < 1)
		first_ms = 1;
	t.it_value = (struct timespec){first_ms / 1000, first_ms % 1000 * 1000000};
	timerfd_settime(c->timer_fd, 0, &t, NULL);
}

static void slow_down(struct sampler *s)
{
	s->next_block += SAMPLER_BLOCK_BYTES;
	for (size_t i = 0; i < s->n; i++)
		if (!s->channels[i].silent) {
			s->channels[i].in.interval_ms *= 2;
			arm(&s->channels[i], s->channels[i].in.interval_ms);
		}
}

/* A round is whole. One that was asked for within the window and answered after it is none. */
static void take(struct sampler *s, struct channel *c)
{
	int64_t at_ms = since_ms(s);

	c->asked_ms = 0;
	if (s->w.for_ms && at_ms > s->w.for_ms)
		return;
	for (size_t i = 0; i < c->in.n; i++) {
		struct rail *r = &c->in.rails[i];

		if (!isfinite(r->mw))
			r->mw = r->v * r->ma;
		put(s, at_ms, r->name, r->mw, "mW");
		put(s, at_ms, r->name, r->v, "V");
		put(s, at_ms, r->name, r->ma, "mA");
		r->kept_mw = r->mw;
		r->kept_v = r->v;
	}
	c->rounds++;
	if (c == &s->channels[0])
		put_whole(s, at_ms);
	if (s->text.len >= s->next_block)
		slow_down(s);
}

static void settle_round(struct sampler *s, struct channel *c, int r, struct err *e)
{
	if (r < 0)
		fail(s, c, e);
	else if (r)
		take(s, c);
}

static bool overdue(const struct channel *c)
{
	return c->asked_ms && clock_ms() - c->asked_ms > c->in.answer_ms;
}

static void no_answer(struct sampler *s, struct channel *c)
{
	struct err e = {0};
	char text[32];

	err_set(&e, BLAME_INFRA, "no answer in %s",
		str_format_ms(c->in.answer_ms, text, sizeof text));
	fail(s, c, &e);
}

static void ask(struct sampler *s, struct channel *c)
{
	struct err e = {0};

	for (size_t i = 0; i < c->in.n; i++)
		c->in.rails[i].mw = c->in.rails[i].v = c->in.rails[i].ma = NAN;
	if (!c->asked_ms)
		c->asked_ms = clock_ms();
	settle_round(s, c, c->in.drv->ask(&c->in, &e), &e);
}

static void tick(struct sampler *s, struct channel *c)
{
	uint64_t times;

	if (read(c->timer_fd, &times, sizeof times) != sizeof times || c->silent)
		return;
	c->late += times - 1;
	if (!c->asked_ms && s->w.for_ms && since_ms(s) > s->w.for_ms)
		silence(c);
	else if (!c->asked_ms || !c->in.drv->hear)
		ask(s, c);
	else
		c->late++;
	if (overdue(c))
		no_answer(s, c);
}

static void hear(struct sampler *s, struct channel *c)
{
	struct err e = {0};

	if (!c->silent)
		settle_round(s, c, c->in.drv->hear(&c->in, &e), &e);
}

/* Of the bench: never its business when an instrument fails. What was answered in time is heard
 * before the time is looked at: it may be this process that was away. */
static int pump(void *arg, short revents, struct err *unused)
{
	struct sampler *s = arg;
	struct epoll_event ready[2 * INSTRUMENTS_MAX];
	int n = epoll_wait(s->epoll_fd, ready, ARRAY_LEN(ready), 0);

	(void)revents, (void)unused;
	for (int i = 0; i < n; i++)
		if (ready[i].data.u32 % 2)
			hear(s, &s->channels[ready[i].data.u32 / 2]);
	for (int i = 0; i < n; i++)
		if (!(ready[i].data.u32 % 2))
			tick(s, &s->channels[ready[i].data.u32 / 2]);
	return 0;
}

/* ---- open ----------------------------------------------------------------------------------- */

static bool wanted(const void *arg, const char *rail)
{
	const struct sampler *s = arg;

	for (size_t i = 0; !s->all && i < s->w.rails.n; i++)
		if (!strcmp(s->w.rails.p[i], rail))
			return true;
	return s->all;
}

static bool is_read(const struct sampler *s, const char *rail)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->channels[i].in.n; k++)
			if (!strcmp(s->channels[i].in.rails[k].name, rail))
				return true;
	return false;
}

/* Reads the lab file's section. 1: there is no instrument for it. */
static int load(struct sampler *s, const struct node *instruments, struct err *e)
{
	node_each (instruments, map) {
		struct channel *c = &s->channels[s->n];

		if (s->n == INSTRUMENTS_MAX)
			return err_set(e, BLAME_CONFIG, "a board has at most %d instruments",
				INSTRUMENTS_MAX);
		if (instrument_load(&c->in, map, wanted, s, &s->arena, e))
			return -1;
		c->timer_fd = -1;
		s->n += c->in.n > 0;
	}
	s->own_total = is_read(s, RAIL_TOTAL);
	for (size_t i = 0; !s->all && i < s->w.rails.n; i++)
		if (!is_read(s, s->w.rails.p[i])) {
			err_set(e, BLAME_CONFIG, "no instrument reads rail '%s' of this board",
				s->w.rails.p[i]);
			return 1;
		}
	if (s->n)
		return 0;
	err_set(e, BLAME_CONFIG, "the lab has no instrument at this board");
	return 1;
}

static int watch(struct sampler *s, int fd, unsigned mark, struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = mark};

	if (fd < 0 || epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return err_sys(e, BLAME_INFRA, errno, "watch an instrument");
	return 0;
}

static int open_all(struct sampler *s, struct err *e)
{
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "watch instruments");
	for (unsigned i = 0; i < s->n; i++) {
		struct channel *c = &s->channels[i];

		c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
		if (instrument_open(&c->in, s->bench, e) || watch(s, c->timer_fd, 2 * i, e) ||
			(c->in.fd >= 0 && watch(s, c->in.fd, 2 * i + 1, e)))
			return -1;
	}
	return 0;
}

struct sampler *sampler_open(struct bench *b, const struct node *instruments,
	const struct sampler_window *w, bool *skip, struct err *e)
{
	struct sampler *s = mem_alloc(sizeof *s);
	int r;

	s->bench = b;
	s->w = *w;
	s->all = w->rails.n == 1 && !strcmp(w->rails.p[0], "all");
	s->epoll_fd = -1;
	s->next_block = SAMPLER_BLOCK_BYTES;
	buf_init(&s->text, SAMPLER_TEXT_BYTES);
	r = load(s, instruments, e);
	*skip = r > 0;
	if (!r && !open_all(s, e))
		return s;
	sampler_drop(s);
	return NULL;
}

/* ---- start and stop ------------------------------------------------------------------------- */

void sampler_start(struct sampler *s)
{
	buf_puts(&s->text, "rails 1\n");
	for (size_t i = 0; i < s->n; i++) {
		const struct instrument *in = &s->channels[i].in;

		buf_printf(&s->text, "instrument %s %s%s%s\n", in->name, in->drv->d.name,
			*in->id ? " " : "", in->id);
		arm(&s->channels[i], s->w.settle_ms);
	}
	s->start_ms = clock_ms();
	s->running = true;
	bench_pump_add(s->bench, s->epoll_fd, pump, s);
}

bool sampler_over(const struct sampler *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->channels[i].silent)
			return err_is(&s->failed);
	return true;
}

uint64_t sampler_rounds(const struct sampler *s)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < s->n; i++)
		if (s->channels[i].rounds < least)
			least = s->channels[i].rounds;
	return least;
}

void sampler_drop(struct sampler *s)
{
	if (!s)
		return;
	if (s->running)
		bench_pump_del(s->bench, s->epoll_fd);
	for (size_t i = 0; i < s->n; i++) {
		instrument_close(&s->channels[i].in);
		if (s->channels[i].timer_fd >= 0)
			close(s->channels[i].timer_fd);
	}
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	buf_done(&s->text);
	arena_done(&s->arena);
	free(s);
}

/* What was measured is not what was asked for. */
static int judge(struct sampler *s, int64_t took_ms, struct err *e)
{
	char took[32], all[32];

	for (size_t i = 0; i < s->n; i++)
		if (overdue(&s->channels[i]))
			no_answer(s, &s->channels[i]);
	if (err_is(&s->failed)) {
		if (e)
			*e = s->failed;
		return -1;
	}
	if (took_ms < s->w.for_ms || took_ms < 0)
		return err_set(e, BLAME_TEST, "it ended after %s, and its rails needed %s",
			str_format_ms(took_ms + s->w.settle_ms, took, sizeof took),
			str_format_ms(s->w.settle_ms + s->w.for_ms, all, sizeof all));
	if (!sampler_rounds(s))
		return err_set(e, BLAME_INFRA, "not each instrument gave a reading in %s",
			str_format_ms(took_ms, took, sizeof took));
	return 0;
}

int sampler_stop(struct sampler *s, struct buf *text, struct err *e)
{
	int64_t took_ms = since_ms(s);
	int r = judge(s, took_ms, e);

	for (size_t i = 0; i < s->n; i++) {
		unsigned long long late = s->channels[i].late, rounds = s->channels[i].rounds;

		if (late)
			buf_printf(&s->text, "late %s %llu of %llu\n", s->channels[i].in.name, late,
				late + rounds);
	}
	if (!r)
		buf_printf(&s->text, "end %lld %llu\n",
			(long long)(s->w.for_ms ? s->w.for_ms : took_ms),
			(unsigned long long)s->readings);
	buf_add(text, buf_str(&s->text), s->text.len);
	sampler_drop(s);
	return r;
}
