/* SPDX-License-Identifier: MIT */
/*
 * Commands on the board's shell. Invariant: what a command did is known from frames alone, whose
 * sequence numbers are complete or counted as lost, and the file that it was typed into had the
 * right CRC before it ran.
 */
#include "base/clock.h"
#include "shell-inner.h"
#include "unpack.h"

#include <limits.h>

#define ASK_NUMBERS 20 /* sequence numbers in one question */

/* Asks for the missing frames of the command that ended; returns how many stay lost. */
static int recover(struct shell *s, unsigned *lost, struct err *e)
{
	unsigned before = UINT_MAX;

	for (int i = 0;; i++) {
		AUTOBUF line = BUF_INIT(2 * SHELL_LINE_BYTES);
		unsigned asked = 0;
		int64_t until = clock_ms() + SHELL_ANSWER_MS;

		*lost = 0;
		buf_printf(
			&line, s->framed ? "hil a %s" : "sh %s/x a", s->framed ? s->run : s->dir);
		for (uint32_t n = s->first; n < s->end_seq; n++) {
			if (frames_seen(s->frames, n))
				continue;
			++*lost;
			if (asked++ < ASK_NUMBERS)
				buf_printf(&line, " %u", (unsigned)n);
		}
		if (*lost < before)
			i = 0; /* some came: the tries are those without any */
		before = *lost;
		if (!*lost || i == SHELL_TRIES)
			return 0;
		if (shell_type(s, buf_str(&line), e))
			return -1;
		do {
			if (bench_wait_pump(s->bench, SHELL_SILENCE_MS / 2, e) < 0)
				return -1;
		} while (clock_ms() - s->console->last_byte_ms < SHELL_SILENCE_MS / 2 &&
			 clock_ms() < until);
	}
}

/* The output out of its pieces; captured stays false when anything is missing or wrong. */
static void unpack(
	struct shell *s, const char *const fields[], struct buf *output, struct shell_outcome *out)
{
	AUTOBUF text = BUF_INIT(4 * SHELL_OUTPUT_BYTES);
	uint64_t crc, length;

	for (uint32_t i = 0; i < SHELL_FRAMES; i++)
		if (s->pieces[i])
			buf_puts(&text, s->pieces[i]);
	if (str_u64(str_of(fields[2]), &crc) || str_u64(str_of(fields[3]), &length) ||
		str_u64(str_of(fields[4]), &out->left_out))
		return;
	out->captured =
		length <= SHELL_OUTPUT_BYTES && !unpack_output(str_make(buf_str(&text), text.len),
							fields[1], length, (uint32_t)crc, output);
}

static int take_end(struct shell *s, struct buf *output, struct shell_outcome *out, struct err *e)
{
	AUTOBUF text = BUF_INIT(2 * sizeof s->end);
	const char *fields[FRAME_FIELDS];
	size_t n;

	if (recover(s, &out->lost, e))
		return -1;
	n = frame_fields(str_of(s->end), &text, fields);
	if (str_i64(str_of(fields[0]), &out->exit))
		return err_set(e, BLAME_BUG, "helper tells the exit status '%s'", fields[0]);
	if (output && n == 5)
		unpack(s, fields, output, out);
	shell_drop_pieces(s);
	s->first = s->end_seq + 1;
	return 0;
}

/* One line, as a command line takes it. */
static int start_framed(
	struct shell *s, const char *command, uint32_t crc, bool capture, struct err *e)
{
	AUTOBUF line = BUF_INIT(2 * SHELL_COMMAND_BYTES);

	buf_printf(&line, "hil r %s %u %u %c %s", s->run, (unsigned)s->first, (unsigned)crc,
		capture ? 'c' : 'l', command);
	s->running = true;
	return shell_type(s, buf_str(&line), e);
}

/* The command's file onto the board, and started. */
static int start(struct shell *s, const char *command, bool capture, struct err *e)
{
	char line[SHELL_LINE_BYTES];
	struct str text = str_of(command);
	uint32_t crc = s->cksum ? frame_cksum(text) : frame_crc32(text);

	snprintf(line, sizeof line, "sh %s/x r %u %c", s->dir, (unsigned)crc, capture ? 'c' : 'l');
	for (int i = 0; i < SHELL_TRIES; i++) {
		int r;

		s->went = s->bad = s->ended = false;
		s->damaged = frames_damaged(s->frames);
		if (s->framed ? start_framed(s, command, crc, capture, e)
			      : shell_put(s, command, "c", line, &s->running, e))
			return -1;
		r = shell_wait_flag(s, &s->went, SHELL_ANSWER_MS, e);
		if (r < 0)
			return -1;
		if (!r)
			return err_set(e, BLAME_INFRA,
				"the shell on console '%s' does not start the command",
				s->console->name);
		if (!s->bad)
			return 0;
		s->running = false;
		s->first = s->end_seq + 1;
	}
	return err_set(
		e, BLAME_INFRA, "the command arrives damaged on console '%s'", s->console->name);
}

int shell_run(struct shell *s, const char *command, struct buf *output, struct shell_outcome *out,
	struct err *e)
{
	if (strlen(command) > SHELL_COMMAND_BYTES)
		return err_set(e, BLAME_JOB, "command of %zu bytes is longer than %zu",
			strlen(command), SHELL_COMMAND_BYTES);
	if (s->framed && strpbrk(command, "\r\n"))
		return err_set(e, BLAME_JOB,
			"this board has no shell: its command line takes one line, and no 'env'");
	if (!s->installed)
		return err_set(e, BLAME_JOB, "no shell on the board: a login has to come before");
	*out = (struct shell_outcome){.exit = -1};
	shell_drop_pieces(s);
	if (start(s, command, output, e))
		return -1;
	if (shell_wait_flag(s, &s->ended, INT64_MAX, e) < 0)
		return -1;
	s->running = false;
	return take_end(s, output, out, e);
}

int shell_interrupt(struct shell *s, struct err *e)
{
	struct shell_outcome out;

	if (!s->installed)
		return -1;
	if (!s->running)
		return 0;
	if (console_send(s->console, STR_LIT("\x03"), e) ||
		shell_wait_flag(s, &s->ended, SHELL_STOP_MS, e) < 0)
		return -1;
	if (!s->ended)
		return err_set(e, BLAME_TIMEOUT, "the board's shell does not come back");
	s->running = false;
	return take_end(s, NULL, &out, e);
}
