/* SPDX-License-Identifier: MIT */
/*
 * Frames and kept output. Invariant: a frame that was printed is kept under its number as it was
 * printed, and what stands in frames of kind f is all of the output that was kept.
 */
#include "frames.h"

#include "board.h"
#include "drivers/tests/hil.h"
#include "out.h"

static struct {
	char run[FRAMES_TOKEN];
	uint32_t seq;
	bool active;
	struct {
		uint32_t seq;
		char text[FRAMES_BYTES];
	} kept[FRAMES_KEPT];
} frames;

static struct {
	char text[OUTPUT_BYTES];
	size_t n, left_out;
	bool on;
} output;

static void put_line(const char *text, size_t n)
{
	for (; n; n--, text++) {
		if (*text == '\n')
			board_put('\r');
		board_put((uint8_t)*text);
	}
}

void out_put(const char *bytes, size_t n)
{
	size_t room = sizeof output.text - output.n;

	if (!output.on) {
		put_line(bytes, n);
		return;
	}
	if (n > room) {
		output.left_out += n - room;
		n = room;
	}
	memcpy(output.text + output.n, bytes, n);
	output.n += n;
}

void frames_begin(const char *run, uint32_t seq)
{
	if (strcmp(run, frames.run)) {
		snprintf(frames.run, sizeof frames.run, "%s", run);
		for (size_t i = 0; i < FRAMES_KEPT; i++)
			frames.kept[i].text[0] = 0;
	}
	frames.seq = seq;
	frames.active = true;
}

void frames_end(void)
{
	frames.active = false;
}

bool frames_active(void)
{
	return frames.active;
}

uint32_t frames_next(void)
{
	return frames.seq;
}

bool frames_again(const char *run, uint32_t seq)
{
	const char *text = frames.kept[seq % FRAMES_KEPT].text;

	if (strcmp(run, frames.run) || !*text || frames.kept[seq % FRAMES_KEPT].seq != seq)
		return false;
	put_line(text, strlen(text));
	return true;
}

void hil_send(const char *kind, const char *fields)
{
	static char body[FRAMES_BYTES - 40];
	char *kept = frames.kept[frames.seq % FRAMES_KEPT].text;
	int n;

	if (!frames.active)
		return;
	n = snprintf(body, sizeof body, "%s %lu %s%s%s", frames.run, (unsigned long)frames.seq,
		kind, *fields ? " " : "", fields);
	if (n >= (int)sizeof body)
		n = sizeof body - 1;
	frames.kept[frames.seq % FRAMES_KEPT].seq = frames.seq;
	frames.seq++;
	n = snprintf(kept, FRAMES_BYTES, "@hil %d %lu %s@\n", n,
		(unsigned long)hil_cksum(body, (size_t)n), body);
	put_line(kept, (size_t)n);
}

/* ---- output ---------------------------------------------------------------------------------- */

void output_begin(void)
{
	output.n = output.left_out = 0;
	output.on = true;
}

/* Packing p: lines joined by |, with % @ | as %25 %40 %7C. */
static size_t encode(char c, char *to)
{
	if (c == '%' || c == '@' || c == '|')
		return (size_t)sprintf(to, "%%%02X", (unsigned char)c);
	*to = c == '\n' ? '|' : c < ' ' || c > '~' ? '?' : c;
	return 1;
}

void output_end(uint32_t *crc, size_t *bytes, size_t *left_out)
{
	static char piece[PIECE_BYTES + 4];
	size_t n = 0;

	output.on = false;
	for (size_t i = 0; i < output.n; i++) {
		n += encode(output.text[i], piece + n);
		if (n < PIECE_BYTES - 3 && i + 1 < output.n)
			continue;
		piece[n] = 0;
		hil_send("f", piece);
		n = 0;
	}
	*crc = hil_cksum(output.text, output.n);
	*bytes = output.n;
	*left_out = output.left_out;
}
