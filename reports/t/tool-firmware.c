/* SPDX-License-Identifier: MIT */
/*
 * The command line of a played firmware: what a real-time side's firmware does with framed commands
 * (firmware/r5f/doc/r5f.md), with the answers of $HILAB_BOARD/answers (tool-replay.c) in place of
 * measurements. Reads stdin to its end. Invariant: a command that it has no answer to ends with 1.
 */
#include "agents/worker/frame.h"

#include "base/fs.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES  8192
#define PIECE_BYTES 450 /* of output in a frame */

static const char *root;
static char run[16];
static uint32_t first, next; /* numbers of the command in hand's frames */
static struct buf frames[FRAME_SEQ_MAX / 256];

static void put(const char *kind, const char *payload)
{
	struct buf *b = &frames[(next - first) % ARRAY_LEN(frames)];

	buf_done(b);
	*b = (struct buf)BUF_INIT(FRAME_LINE_BYTES);
	frame_format(run, next++, kind, payload, b);
	fputs(buf_str(b), stdout);
}

/* " 3 7 9\tCOMMAND" of `list`: the next of its texts; -1: it knows no such command. */
static int number_of(const char *command)
{
	AUTOFREE char *path = mem_printf("%s/answers/list", root);
	AUTOBUF list = BUF_INIT(BUF_CAP_BYTES);
	struct str rest, line, word;

	if (fs_read(path, &list, NULL))
		return -1;
	rest = str_make(list.data, list.len);
	while (str_line(&rest, &line)) {
		ptrdiff_t tab = str_chr(line, '\t');
		struct str numbers = str_make(line.p, tab < 0 ? 0 : (size_t)tab), all = numbers;
		int64_t n = 0, of = 0, asked = 0;
		AUTOFREE char *count = NULL;
		AUTOBUF text = BUF_INIT(32);

		if (tab < 0 ||
			!str_is(str_make(line.p + tab + 1, line.n - (size_t)tab - 1), command))
			continue;
		while (str_word(&all, &word))
			of++;
		str_word(&numbers, &word);
		count = mem_printf("%s/answers/%.*s.count", root, STR_ARG(word));
		if (!fs_read(count, &text, NULL))
			str_i64(str_trim(str_make(text.data, text.len)), &asked);
		for (int64_t i = asked++ % of; i > 0; i--)
			str_word(&numbers, &word);
		buf_reset(&text);
		buf_printf(&text, "%lld\n", (long long)asked);
		fs_write(count, text.data, text.len, 0644, NULL);
		return str_i64(word, &n) ? -1 : (int)n;
	}
	return -1;
}

static int answer(const char *command, struct buf *out)
{
	AUTOFREE char *path = NULL;
	int n;

	if (!strcmp(command, "version"))
		return buf_printf(out, "played\n1\n0\n%s\nsd\n", getenv("HILAB_HOSTNAME"));
	n = number_of(command);
	path = mem_printf("%s/answers/%d.text", root, n);
	return n < 0 ? 1 : fs_read(path, out, NULL);
}

/* Output in hexadecimal digits, and how it ended. */
static void tell(const struct buf *out, int status, bool capture)
{
	AUTOFREE char *end = mem_printf("%d|x|%u|%zu|0", status,
		(unsigned)frame_cksum(str_make(out->data, out->len)), out->len);
	AUTOFREE char *plain = mem_printf("%d", status);

	if (!capture)
		fwrite(out->data, 1, out->len, stdout);
	for (size_t at = 0; capture && at < out->len; at += PIECE_BYTES) {
		char hex[2 * PIECE_BYTES + 1] = "";

		for (size_t i = 0; i < PIECE_BYTES && at + i < out->len; i++)
			snprintf(hex + 2 * i, 3, "%02x", (unsigned char)out->data[at + i]);
		put("f", hex);
	}
	put("end", capture ? end : plain);
}

/* "RUN SEQ CRC MODE COMMAND" */
static void run_command(struct str rest)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct str word[4];
	uint64_t seq, crc;

	for (size_t i = 0; i < ARRAY_LEN(word); i++)
		if (!str_word(&rest, &word[i]))
			return;
	rest = str_trim(rest);
	if (str_u64(word[1], &seq) || str_u64(word[2], &crc))
		return;
	snprintf(run, sizeof run, "%.*s", STR_ARG(word[0]));
	first = next = (uint32_t)seq;
	if (!frame_crc_is(rest, (uint32_t)crc)) {
		put("bad", "");
		return;
	}
	put("go", "");
	{
		AUTOFREE char *command = mem_strndup(rest.p, rest.n);
		int status = answer(command, &out);

		tell(&out, status, *word[3].p == 'c');
	}
}

/* "RUN [SEQ...]": frames again; without numbers the newest. */
static void repeat(struct str rest)
{
	struct str word;
	uint64_t seq = next - 1;
	bool any = str_word(&rest, &word) && str_word(&rest, &word);

	do {
		if ((!any || !str_u64(word, &seq)) && seq >= first && seq < next)
			fputs(buf_str(&frames[(seq - first) % ARRAY_LEN(frames)]), stdout);
	} while (any && str_word(&rest, &word));
}

int main(void)
{
	const char *prompt = getenv("PS1");
	char line[LINE_BYTES];

	root = getenv("HILAB_BOARD");
	if (!root || !prompt)
		return 2;
	for (;;) {
		struct str s;

		fputs(prompt, stdout);
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin))
			return 0;
		s = str_trim(str_of(line));
		if (str_starts(s, "hil r "))
			run_command(str_make(s.p + 6, s.n - 6));
		else if (str_starts(s, "hil a "))
			repeat(str_make(s.p + 6, s.n - 6));
	}
}
