/* SPDX-License-Identifier: MIT */
/*
 * Frames under fire: runs of frames, damaged by class, judged by an oracle that never decodes
 * (oracle.h). Invariant of the decoder that is tested: no verdict is ever wrong, no result is told
 * twice, and a result is missing only where its own bytes were hit; with lines printed in at one
 * place none is missing at all. The same damage done to LAVA's signals stands beside it in a table.
 *
 * HILAB_FIRE=N   runs of each class (10000; `make check-long` has 1000000)
 * HILAB_SEED=N   repeats a run
 */
#include "agents/worker/frame.h"
#include "base/clock.h"
#include "base/t/tap.h"
#include "lava.h"
#include "oracle.h"

#define RUN      "k3f9x2"
#define FRAMES   8
#define PAYLOAD  160
#define CLASSES  8
#define PER_TEST 10000

static uint64_t rng;

static unsigned draw(unsigned below)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (unsigned)((rng >> 11) % below);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

struct sent {
	char kind[FRAMES][8], payload[FRAMES][PAYLOAD];
	char id[FRAMES][24], result[FRAMES][8]; /* of results; else "" */
	struct span frame[FRAMES], signal[FRAMES];
};

static const char *const statuses[] = {"pass", "fail", "skip", "error"};

static void make_result(struct sent *s, unsigned i)
{
	static const char *const whys[] = {"", "", "|exit status 3", "|read 12 of 512 bytes",
		"|%40 %7C %25 \xc3\xa9 <b> \"x\"", "|pass"};

	/* one of them may have the same name as its neighbour: never to be mixed up either */
	snprintf(s->id[i], sizeof s->id[i], "case-%u", draw(3) ? i : draw(FRAMES));
	snprintf(s->result[i], sizeof s->result[i], "%s", statuses[draw(3)]);
	snprintf(s->kind[i], sizeof s->kind[i], "result");
	snprintf(s->payload[i], PAYLOAD, "%s|%s%s", s->id[i], s->result[i], whys[draw(6)]);
}

static void make_other(struct sent *s, unsigned i)
{
	size_t n;

	s->id[i][0] = s->result[i][0] = 0;
	if (draw(2)) {
		snprintf(s->kind[i], sizeof s->kind[i], "metric");
		snprintf(s->payload[i], PAYLOAD, "fio.%s.bw|%u.%u|MB/s|bs=%uk",
			draw(2) ? "read" : "write", draw(900), draw(10), 4 << draw(5));
		return;
	}
	snprintf(s->kind[i], sizeof s->kind[i], "f");
	n = 1 + draw(PAYLOAD - 2);
	for (size_t k = 0; k < n; k++)
		s->payload[i][k] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[draw(
				64)];
	s->payload[i][n] = 0;
}

/* A new run of frames, and of signals with the same results, each with a shell's lines around. */
static void make(struct sent *s, struct buf *frames, struct buf *signals)
{
	memset(s, 0, sizeof *s);
	buf_reset(frames);
	buf_reset(signals);
	for (unsigned i = 0; i < FRAMES; i++) {
		if (i % 4 == 3)
			make_other(s, i);
		else
			make_result(s, i);
		if (!draw(3)) {
			buf_printf(frames, "reading %u MB at 12.5 MB/s\r\n", draw(100));
			buf_printf(signals, "reading %u MB at 12.5 MB/s\r\n", draw(100));
		}
		s->frame[i].start = (int32_t)frames->len;
		frame_format(RUN, i, s->kind[i], s->payload[i], frames);
		s->frame[i].end = (int32_t)frames->len - 1;
		frames->len--;
		buf_puts(frames, "\r\n");
		s->signal[i].start = (int32_t)signals->len;
		if (s->id[i][0])
			buf_printf(signals, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s RESULT=%s>\r\n",
				s->id[i], s->result[i]);
		s->signal[i].end = (int32_t)signals->len;
	}
}

/* ---- damage ---------------------------------------------------------------------------------- */

static const char *const lines[] = {
	"[   12.345678] mmc0: new high speed SDHC card at address 4567\r\n",
	"\r\n[   12.345678] usb 1-1: new high-speed USB device number 2\r\n",
	"\x1b[0;33m[    1.000000] warning: \x1b[0m mail root@board @ 12\r\n",
	"@hil 31 123456789 " RUN " 1 result case-1|pass@\r\n",
	"[    9.9] result case-2|pass RESULT=pass TEST_CASE_ID=case-2\r\n",
	"\n",
	"[    1.1] WARNING: CPU: 0 at kernel/x.c:1 f+0x1/0x2\r\n[    1.2] Call trace:\r\n[    1.3] "
	" foo+0x1/0x2\r\n[    1.4] ---[ end trace 0000000000000000 ]---\r\n",
	"[    2.0] audit: op=load key=value a=b=c > /dev/null\r\n",
	"@\r\n",
};

static void insert_line(struct tape *t, size_t at, unsigned which)
{
	tape_insert(t, at, lines[which], strlen(lines[which]));
}

static size_t place(const struct tape *t)
{
	return t->n ? draw((unsigned)t->n) : 0;
}

static void fire_insert(struct tape *t)
{
	insert_line(t, draw((unsigned)t->n + 1), draw(ARRAY_LEN(lines)));
}

static void fire_reads(struct tape *t)
{
	(void)t; /* every class is read in pieces of all sizes; this one is nothing else */
}

static void fire_drop(struct tape *t)
{
	for (unsigned k = 1 + draw(4); k; k--)
		tape_drop(t, place(t), 1 + draw(draw(2) ? 3 : 200));
}

static void fire_duplicate(struct tape *t)
{
	for (unsigned k = 1 + draw(3); k; k--) {
		size_t at = place(t), n = 1 + draw(draw(2) ? 3 : 400);
		char copy[400];

		if (n > t->n - at)
			n = t->n - at;
		memcpy(copy, t->bytes + at, n);
		tape_insert(t, draw(2) ? at + n : draw((unsigned)t->n + 1), copy, n);
	}
}

static void fire_corrupt(struct tape *t)
{
	for (unsigned k = 1 + draw(6); k; k--) {
		size_t at = place(t);

		if (draw(2))
			tape_change(t, at, (char)(t->bytes[at] ^ 1 << draw(8)));
		else
			tape_change(t, at, (char)draw(256));
	}
}

static size_t line_end(const struct tape *t, size_t at)
{
	while (at < t->n && t->bytes[at] != '\n')
		at++;
	return at < t->n ? at + 1 : at;
}

/* Whole lines in another order, or any two pieces. */
static void fire_reorder(struct tape *t)
{
	for (unsigned k = 1 + draw(3); k; k--) {
		size_t a = place(t), n, b, m;

		if (draw(2)) {
			a = line_end(t, a);
			b = line_end(t, a);
			n = b - a;
			if (b < t->n)
				b = line_end(t, b + draw((unsigned)(t->n - b)));
			m = line_end(t, b) - b;
		} else {
			n = draw(60);
			if (a + n >= t->n)
				continue;
			b = a + n + draw((unsigned)(t->n - a - n));
			m = draw(60);
			if (b + m > t->n)
				m = t->n - b;
		}
		tape_swap(t, a, n, b, m);
	}
}

static void fire_truncate(struct tape *t)
{
	size_t at = place(t);

	if (draw(2))
		t->n = at;
	else
		tape_drop(t, 0, at);
}

static void fire_all(struct tape *t)
{
	static void (*const some[])(struct tape *) = {
		fire_insert, fire_drop, fire_duplicate, fire_corrupt, fire_reorder};

	for (unsigned k = 2 + draw(3); k; k--)
		some[draw(ARRAY_LEN(some))](t);
}

static const struct class
{
	const char *name;
	void (*fire)(struct tape *t);
	bool harmless; /* nothing may be missing */
} classes[CLASSES] = {
	{"insert a line", fire_insert, true},
	{"split, join reads", fire_reads, true},
	{"drop", fire_drop, false},
	{"duplicate", fire_duplicate, false},
	{"corrupt", fire_corrupt, false},
	{"reorder", fire_reorder, false},
	{"truncate", fire_truncate, false},
	{"several of them", fire_all, false},
};

/* ---- judging --------------------------------------------------------------------------------- */

struct score {
	uint64_t right, missed, wrong, careless; /* careless: missed though whole */
};

struct play {
	const struct sent *sent;
	unsigned told[FRAMES], wrong;
};

static void on_frame(void *arg, const struct frame *f)
{
	struct play *p = arg;

	if (f->seq < FRAMES && !strcmp(f->kind, p->sent->kind[f->seq]) &&
		str_is(f->payload, p->sent->payload[f->seq]) && !p->told[f->seq])
		p->told[f->seq]++;
	else
		p->wrong++;
}

static void play_frames(
	const struct sent *s, const struct tape *t, const struct class *c, struct score *score)
{
	struct play p = {.sent = s};
	struct frames *fs = frames_new(RUN, on_frame, &p);
	unsigned most = draw(3) ? 1u << draw(10) : TAPE_BYTES;

	for (size_t at = 0; at < t->n;) {
		size_t n = 1 + draw(most);

		if (n > t->n - at)
			n = t->n - at;
		frames_feed(fs, str_make(t->bytes + at, n));
		at += n;
	}
	frames_free(fs);
	score->wrong += p.wrong;
	for (unsigned i = 0; i < FRAMES; i++) {
		score->right += p.told[i];
		score->missed += !p.told[i];
		score->careless +=
			!p.told[i] && (c->harmless || oracle_whole(t, s->frame[i], false));
		/* and the oracle agrees with itself: what is harmless leaves all of it */
		score->careless += c->harmless && !oracle_whole(t, s->frame[i], true);
	}
}

static void on_signal(void *arg, const char *id, const char *result)
{
	struct play *p = arg;

	for (unsigned i = 0; i < FRAMES; i++)
		if (!p->told[i] && p->sent->id[i][0] && !strcmp(p->sent->id[i], id) &&
			!strcmp(p->sent->result[i], result)) {
			p->told[i]++;
			return;
		}
	p->wrong++; /* of another name or status, or told once more than it was sent */
}

static void play_signals(const struct sent *s, const struct tape *t, struct score *score)
{
	struct play p = {.sent = s};

	lava_decode(t->bytes, t->n, on_signal, &p);
	score->wrong += p.wrong;
	for (unsigned i = 0; i < FRAMES; i++) {
		if (!s->id[i][0])
			continue;
		score->right += p.told[i];
		score->missed += !p.told[i];
	}
}

static void show(const char *name, const struct score *a, const struct score *b)
{
	printf("# %-18s %10llu %9llu %6llu | %10llu %9llu %7llu\n", name,
		(unsigned long long)a->right, (unsigned long long)a->missed,
		(unsigned long long)a->wrong, (unsigned long long)b->right,
		(unsigned long long)b->missed, (unsigned long long)b->wrong);
}

static void fire(const struct class *c, unsigned runs, struct tape *t)
{
	AUTOBUF frames = BUF_INIT(TAPE_BYTES);
	AUTOBUF signals = BUF_INIT(TAPE_BYTES);
	struct score ours = {0}, theirs = {0};
	struct sent s;

	for (unsigned i = 0; i < runs; i++) {
		make(&s, &frames, &signals);
		tape_put(t, frames.data, frames.len);
		c->fire(t);
		play_frames(&s, t, c, &ours);
		tape_put(t, signals.data, signals.len);
		c->fire(t);
		play_signals(&s, t, &theirs);
	}
	show(c->name, &ours, &theirs);
	is_int(ours.wrong, 0, "%s: no wrong verdict in %u runs", c->name, runs);
	is_int(ours.careless, 0, "%s: %s", c->name,
		c->harmless ? "none missing" : "none missing that came whole");
	if (!c->harmless)
		ok(ours.missed > 0, "%s: the damage was real", c->name);
}

/* One line at every place of a run, each line, whatever the place. */
static void fire_everywhere(struct tape *t)
{
	AUTOBUF frames = BUF_INIT(TAPE_BYTES);
	AUTOBUF signals = BUF_INIT(TAPE_BYTES);
	struct score ours = {0}, theirs = {0};
	struct sent s;
	unsigned places = 0;

	make(&s, &frames, &signals);
	for (unsigned l = 0; l < ARRAY_LEN(lines); l++) {
		for (size_t at = 0; at <= frames.len; at++, places++) {
			tape_put(t, frames.data, frames.len);
			insert_line(t, at, l);
			play_frames(&s, t, &classes[0], &ours);
		}
		for (size_t at = 0; at <= signals.len; at++) {
			tape_put(t, signals.data, signals.len);
			insert_line(t, at, l);
			play_signals(&s, t, &theirs);
		}
	}
	show("a line everywhere", &ours, &theirs);
	is_int(ours.wrong, 0, "a line at each of %u places: no wrong verdict", places);
	is_int(ours.missed + ours.careless, 0, "a line at each of %u places: none missing", places);
}

int main(void)
{
	const char *seed = getenv("HILAB_SEED"), *count = getenv("HILAB_FIRE");
	unsigned runs = count ? (unsigned)strtoul(count, NULL, 10) : PER_TEST;
	struct tape *t = mem_alloc(sizeof *t);

	rng = seed ? strtoull(seed, NULL, 10) : (uint64_t)clock_us();
	rng += !rng;
	printf("# HILAB_SEED=%llu HILAB_FIRE=%u: runs of each class, %d frames each\n",
		(unsigned long long)rng, runs, FRAMES);
	printf("# %-18s %10s %9s %6s | %10s %9s %7s\n", "", "right", "missed", "wrong",
		"LAVA right", "missed", "wrong");
	fire_everywhere(t);
	for (int i = 0; i < CLASSES; i++)
		fire(&classes[i], runs, t);
	free(t);
	return tap_done();
}
