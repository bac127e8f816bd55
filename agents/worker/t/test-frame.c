/* SPDX-License-Identifier: MIT */
/*
 * Result frames under everything a console does to them: lines printed into them at every place,
 * reads cut anywhere, bytes lost, doubled, changed. What must hold: never a frame that was not
 * sent; with one insertion none missing.
 */
#include "agents/worker/frame.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <stdlib.h>

#define RUN    "k3f9x2"
#define FRAMES 6

static uint64_t rng;

static unsigned draw(unsigned below)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (unsigned)(rng % below);
}

static const char *const payloads[FRAMES][2] = {
	{"go", ""},
	{"result", "mount-ext4|pass"},
	{"metric", "fio.write.bw|12.5|MB/s|bs=4k|rw=write"},
	{"result", "a b|fail|why: %40%25%7C é"},
	{"f", "H4sIAAAAAAAAA8tIzcnJVyjPL8pJUVAo5AIAF8OO3A8AAAA="},
	{"end", "0|z|4085027772|15|0"},
};

struct got {
	unsigned n[FRAMES], wrong;
};

static void on_frame(void *arg, const struct frame *f)
{
	struct got *g = arg;

	if (f->seq < FRAMES && !strcmp(f->kind, payloads[f->seq][0]) &&
		str_is(f->payload, payloads[f->seq][1]))
		g->n[f->seq]++;
	else
		g->wrong++;
}

/* Feeds text in reads of at most `most` bytes (0: as a whole); how many of the frames came. */
static unsigned play(struct str text, unsigned most, struct got *g)
{
	struct frames *fs = frames_new(RUN, on_frame, g);
	unsigned whole = 0;

	memset(g, 0, sizeof *g);
	while (text.n) {
		size_t n = most ? 1 + draw(most) : text.n;

		if (n > text.n)
			n = text.n;
		frames_feed(fs, str_make(text.p, n));
		text = str_make(text.p + n, text.n - n);
	}
	frames_free(fs);
	for (unsigned i = 0; i < FRAMES; i++)
		whole += g->n[i] == 1;
	return whole;
}

static void sent(struct buf *out)
{
	buf_reset(out);
	for (unsigned i = 0; i < FRAMES; i++) {
		AUTOBUF one = BUF_INIT(8192);

		frame_format(RUN, i, payloads[i][0], payloads[i][1], &one);
		buf_add(out, one.data, one.len - 1);
		buf_puts(out, "\r\n");
	}
}

static void insert(const struct buf *in, size_t at, const char *text, struct buf *out)
{
	buf_reset(out);
	buf_add(out, in->data, at);
	buf_puts(out, text);
	buf_add(out, in->data + at, in->len - at);
}

static const char *const lines[] = {
	"[   12.345678] mmc0: new high speed SDHC card at address 4567\r\n",
	"\r\n[   12.345678] usb 1-1: new device\r\n",
	"\x1b[0;33m[    1.0] warning: \x1b[m mail root@board @ 12\r\n",
	"@hil 9 12 k3f9x2 1 result x|pass@\r\n",
	"@\n",
	"\n",
	"[    9.9] broken escape \x1b[12\n",
	"[ 1.1] WARNING: at kernel/x.c:1\n[ 1.2] Call trace:\n[ 1.3]  foo+0x1/0x2\n[ 1.4] ---\n",
	"@hil 17 1 k3f9x2 0 end 0@hil @hil 999999 9 @@@@\r\n",
};

static void test_insert(void)
{
	AUTOBUF text = BUF_INIT(1 << 20);
	AUTOBUF hit = BUF_INIT(1 << 20);

	sent(&text);
	for (size_t l = 0; l < ARRAY_LEN(lines); l++) {
		unsigned missing = 0, wrong = 0, total = 0;

		for (size_t at = 0; at <= text.len; at++) {
			static const unsigned reads[] = {0, 1, 40};

			for (size_t r = 0; r < ARRAY_LEN(reads); r++) {
				struct got g;

				insert(&text, at, lines[l], &hit);
				missing +=
					play(str_make(hit.data, hit.len), reads[r], &g) != FRAMES;
				wrong += g.wrong;
				total++;
			}
		}
		ok(!missing, "inserted line %zu: none missing in %u plays", l, total);
		ok(!wrong, "inserted line %zu: none wrong", l);
	}
}

static void test_damage(void)
{
	enum { PLAYS = 5000 };
	AUTOBUF text = BUF_INIT(1 << 20);
	AUTOBUF bad = BUF_INIT(1 << 20);
	unsigned wrong = 0, doubled = 0, lost = 0;

	for (unsigned i = 0; i < PLAYS; i++) {
		struct got g;

		sent(&text);
		for (unsigned k = draw(4) + 1; k; k--) {
			size_t at = draw((unsigned)text.len), n = 1 + draw(30);

			switch (draw(4)) {
			case 0: /* lost */
				if (at + n > text.len)
					n = text.len - at;
				memmove(text.data + at, text.data + at + n, text.len - at - n);
				text.len -= n;
				text.data[text.len] = 0;
				break;
			case 1: /* changed, though never to a NUL, which would end the C text */
				text.data[at] = (char)(1 + draw(255));
				break;
			case 2: /* said twice */
				insert(&text, at, buf_str(&text) + draw((unsigned)text.len), &bad);
				buf_reset(&text);
				buf_add(&text, bad.data, bad.len);
				break;
			default:
				insert(&text, at, lines[draw(ARRAY_LEN(lines))], &bad);
				buf_reset(&text);
				buf_add(&text, bad.data, bad.len);
			}
		}
		lost += FRAMES - play(str_make(text.data, text.len), draw(2) * 50, &g);
		wrong += g.wrong;
		for (unsigned f = 0; f < FRAMES; f++)
			doubled += g.n[f] > 1;
	}
	ok(!wrong, "%u damaged plays: no wrong frame", PLAYS);
	ok(!doubled, "no frame twice");
	ok(lost > 0, "some were lost (%u): the damage was real", lost);
}

static void test_forms(void)
{
	AUTOBUF fields_text = BUF_INIT(8192);
	AUTOBUF text = BUF_INIT(4 << 20);
	const char *fields[FRAME_FIELDS];
	struct got g;

	is_int(frame_cksum(STR_LIT("123456789")), 930766865, "the CRC of cksum");
	ok(frame_crc_is(STR_LIT("123456789"), 0xcbf43926), "the CRC of a gzip trailer");
	ok(!frame_crc_is(STR_LIT("123456789"), 1), "no other");

	is_int(frame_fields(STR_LIT("a%7Cb|pass||50%25 of %zz"), &fields_text, fields), 4,
		"fields of a payload");
	is_str(fields[0], "a|b", "decoded");
	is_str(fields[2], "", "an empty one");
	is_str(fields[3], "50% of %zz", "a broken escape stays");
	is_int(frame_fields(str_make(NULL, 0), &fields_text, fields), 1, "an empty payload");

	sent(&text);
	for (char *p = text.data; (p = strstr(p, RUN)); p++)
		*p = 'z';
	is_int(play(str_make(text.data, text.len), 0, &g), 0, "another run's frames are ignored");

	buf_reset(&text);
	for (int i = 0; i < 100000; i++)
		buf_puts(&text, "progress 50%\r");
	frame_format(RUN, 1, payloads[1][0], payloads[1][1], &text);
	is_int(play(str_make(text.data, text.len), 0, &g), 1, "a frame after a megabyte of line");
}

/* Bytes chosen to cost most: the work must grow with the bytes, not with their square. */
static void test_cost(void)
{
	enum { MANY = 1 << 20 };
	char *text = mem_alloc(MANY);
	struct got g;

	for (size_t i = 0; i < MANY; i++)
		text[i] = "@hil 4000 1 "[i % 12];
	for (size_t i = 200; i < MANY; i += 200)
		text[i] = '\n';
	is_int(play(str_make(text, MANY), 0, &g), 0, "a megabyte of frame starts ends");
	memset(text, '@', MANY);
	is_int(play(str_make(text, MANY), 0, &g), 0, "a megabyte of '@' ends");
	free(text);
}

int main(void)
{
	const char *seed = getenv("HILAB_SEED");

	rng = seed ? strtoull(seed, NULL, 10) : (uint64_t)clock_us();
	rng += !rng;
	printf("# HILAB_SEED=%llu\n", (unsigned long long)rng);
	test_forms();
	test_insert();
	test_damage();
	test_cost();
	return tap_done();
}
