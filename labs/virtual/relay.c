/* SPDX-License-Identifier: MIT */
/*
 * USB relay boards as seen from their serial port. Invariant: `contact` is where the contacts
 * are, `shown` what a host reads back; they differ only under a fault.
 */
#include "labs/virtual/relay.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

#define LINE_BYTES  64 /* a Numato command is at most 25; longer lines are cut */
#define LCUS_START  0xa0
#define LCUS_STATUS 0xff
#define LCUS_FRAME  4
#define ID_BYTES    8

const char *const relay_models[] = {"lcus", "numato", NULL};
const char *const relay_faults[] = {"ok", "dead", "lying", "stuck", NULL};

struct relay {
	enum relay_model model;
	unsigned channels;
	relay_move_fn *fn;
	void *arg;
	uint32_t contact, shown; /* bit = channel */
	enum relay_fault faults[RELAY_CHANNELS_MAX];
	bool dead;
	char id[ID_BYTES + 1];
	unsigned char frame[LCUS_FRAME];
	char line[LINE_BYTES];
	size_t len; /* of frame or line */
};

struct relay *relay_new(
	enum relay_model model, unsigned channels, relay_move_fn *fn, void *arg, struct err *e)
{
	unsigned max = model == RELAY_LCUS ? RELAY_LCUS_MAX : RELAY_CHANNELS_MAX;
	struct relay *r;

	if (!channels || channels > max) {
		err_set(e, BLAME_CONFIG, "a relay board '%s' has 1 to %u channels, not %u",
			relay_models[model], max, channels);
		return NULL;
	}
	r = mem_alloc(sizeof *r);
	r->model = model;
	r->channels = channels;
	r->fn = fn;
	r->arg = arg;
	memcpy(r->id, "00000000", sizeof r->id);
	return r;
}

void relay_free(struct relay *r)
{
	free(r);
}

bool relay_closed(const struct relay *r, unsigned channel)
{
	return channel < r->channels && r->contact >> channel & 1;
}

void relay_break(struct relay *r, unsigned channel, enum relay_fault fault)
{
	if (fault == RELAY_DEAD || fault == RELAY_GOOD)
		r->dead = fault == RELAY_DEAD;
	if (channel >= r->channels)
		return;
	r->faults[channel] = fault == RELAY_DEAD ? RELAY_GOOD : fault;
	if (fault == RELAY_GOOD)
		r->shown = (r->shown & ~(1u << channel)) | (r->contact & 1u << channel);
}

static void put_bit(uint32_t *word, unsigned bit, bool on)
{
	*word = on ? *word | 1u << bit : *word & ~(1u << bit);
}

void relay_drop(struct relay *r, unsigned channel)
{
	if (channel >= r->channels)
		return;
	put_bit(&r->contact, channel, false);
	put_bit(&r->shown, channel, false);
}

static void move(struct relay *r, unsigned channel, bool close)
{
	enum relay_fault fault = r->faults[channel];
	bool was = r->contact >> channel & 1;

	if (fault != RELAY_LYING)
		put_bit(&r->shown, channel, close);
	if (fault == RELAY_STUCK || was == close)
		return;
	put_bit(&r->contact, channel, close);
	if (r->fn)
		r->fn(r->arg, channel, close);
}

/* ---- LCUS ----------------------------------------------------------------------------------- */

/* Whether the frame can still become a good one. */
static bool lcus_plausible(const struct relay *r)
{
	const unsigned char *f = r->frame;

	return f[0] == LCUS_START && (r->len < 2 || (f[1] >= 1 && f[1] <= r->channels)) &&
	       (r->len < 3 || f[2] <= 1) &&
	       (r->len < 4 || f[3] == (unsigned char)(f[0] + f[1] + f[2]));
}

static void lcus_byte(struct relay *r, unsigned char byte, struct buf *reply)
{
	if (byte == LCUS_STATUS) { /* never part of a frame: no sum of an LCUS board reaches it */
		r->len = 0;
		for (unsigned c = 0; c < r->channels; c++)
			buf_printf(reply, "CH%u:%s\r\n", c + 1, r->shown >> c & 1 ? "ON " : "OFF");
		return;
	}
	r->frame[r->len++] = byte;
	while (r->len && !lcus_plausible(r))
		memmove(r->frame, r->frame + 1, --r->len);
	if (r->len == LCUS_FRAME) {
		r->len = 0;
		move(r, r->frame[1] - 1u, r->frame[2]);
	}
}

/* ---- Numato --------------------------------------------------------------------------------- */

/* "0".."9", "A".."V" -> 0..31; -1: none of this board's channels. */
static int numato_channel(const struct relay *r, struct str s)
{
	int c;

	if (s.n != 1)
		return -1;
	c = isdigit((unsigned char)*s.p) ? *s.p - '0' : toupper((unsigned char)*s.p) - 'A' + 10;
	return c >= 0 && c < (int)r->channels ? c : -1;
}

static void numato_all(struct relay *r, struct str hex)
{
	unsigned long bits;
	char text[16] = "";

	if (!hex.n || hex.n > 8)
		return;
	memcpy(text, hex.p, hex.n);
	if (strspn(text, "0123456789abcdefABCDEF") != hex.n)
		return;
	bits = strtoul(text, NULL, 16);
	for (unsigned c = 0; c < r->channels; c++)
		move(r, c, bits >> c & 1);
}

static void numato_relay(struct relay *r, struct str verb, struct str what, struct buf *reply)
{
	int c = numato_channel(r, what);

	if (str_is(verb, "readall"))
		buf_printf(reply, "%0*x\n\r", (int)((r->channels + 7) / 8 * 2), r->shown);
	else if (str_is(verb, "writeall"))
		numato_all(r, what);
	else if (c < 0)
		return;
	else if (str_is(verb, "read"))
		buf_puts(reply, r->shown >> c & 1 ? "on\n\r" : "off\n\r");
	else if (str_is(verb, "on") || str_is(verb, "off"))
		move(r, (unsigned)c, str_is(verb, "on"));
}

static void numato_line(struct relay *r, struct buf *reply)
{
	struct str rest = str_make(r->line, r->len), word = {0}, verb = {0}, what = {0};

	str_word(&rest, &word);
	str_word(&rest, &verb);
	str_word(&rest, &what);
	if (str_is(word, "relay"))
		numato_relay(r, verb, what, reply);
	else if (str_is(word, "ver"))
		buf_puts(reply, "00000008\n\r");
	else if (str_is(word, "id") && str_is(verb, "get"))
		buf_printf(reply, "%s\n\r", r->id);
	else if (str_is(word, "id") && str_is(verb, "set") && what.n == ID_BYTES)
		memcpy(r->id, what.p, ID_BYTES);
	else if (str_is(word, "reset"))
		numato_all(r, STR_LIT("0"));
}

static void numato_byte(struct relay *r, char byte, struct buf *reply)
{
	if (byte == '\n')
		return;
	if (byte != '\r') {
		buf_putc(reply, byte);
		if (r->len < sizeof r->line)
			r->line[r->len++] = byte;
		return;
	}
	buf_puts(reply, "\n\r");
	numato_line(r, reply);
	buf_putc(reply, '>');
	r->len = 0;
}

void relay_feed(struct relay *r, struct str bytes, struct buf *reply)
{
	for (size_t i = 0; i < bytes.n && !r->dead; i++) {
		if (r->model == RELAY_LCUS)
			lcus_byte(r, (unsigned char)bytes.p[i], reply);
		else
			numato_byte(r, bytes.p[i], reply);
	}
}
