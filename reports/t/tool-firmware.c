/* SPDX-License-Identifier: MIT */
/*
 * What a played real-time board does from power-on, with a vendor's loaders and applications: by
 * its boot mode the ROM, then each loader, asks on the console for the next image, or all of them
 * come from a medium. What an application prints stands in $HILAB_BOARD/answers (tool-replay.c).
 * `tool-firmware LOADERS BANNER`, on a terminal. An image is one line: "loader N" or "app NAME".
 * Invariant: no application starts before its loaders came, in their order.
 */
#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define LINE_BYTES 512
#define ASK_MS     1000

static const char *root; /* DIR/NAME.root */

/* As a terminal has it. */
static void print(const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			putchar('\r');
		putchar(*text);
	}
	fflush(stdout);
}

/* The first line of a file; "": there is none. */
static void read_line(const char *path, char *out, size_t n)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	*out = 0;
	if (!fs_read(path, &text, NULL))
		snprintf(out, n, "%.*s", (int)strcspn(buf_str(&text), "\r\n"), buf_str(&text));
}

/* One image, off the line; asks until somebody sends. False: the power went. */
static bool take(char line[LINE_BYTES])
{
	struct pollfd p = {.fd = 0, .events = POLLIN};
	size_t n = 0;
	char c;

	do {
		fputs("CCC", stdout);
		fflush(stdout);
	} while (poll(&p, 1, ASK_MS) == 0);
	while (read(0, &c, 1) == 1 && c != '\n')
		if (n + 1 < LINE_BYTES)
			line[n++] = c;
	line[n] = 0;
	fputs("\006", stdout);
	fflush(stdout);
	return n > 0;
}

/* " 3 7 9\tCOMMAND" of `list`: is it of `run NAME`, and which of its texts is the next one? */
static int next_of(struct str line, const char *name)
{
	ptrdiff_t tab = str_chr(line, '\t');
	struct str numbers, all, word = {0}, command;
	char asked[32];
	AUTOFREE char *count = NULL;
	AUTOFREE char *start = mem_printf("run %s ", name);
	int64_t n = -1, of = 0;

	if (tab < 0)
		return -1;
	command = str_make(line.p + tab + 1, line.n - (size_t)tab - 1);
	if (!str_starts(command, start))
		return -1;
	numbers = all = str_make(line.p, (size_t)tab);
	while (str_word(&all, &word))
		of++;
	str_word(&numbers, &word);
	count = mem_printf("%s/answers/%.*s.count", root, STR_ARG(word));
	read_line(count, asked, sizeof asked);
	for (long i = strtol(asked, NULL, 10) % of; i > 0; i--)
		str_word(&numbers, &word);
	snprintf(asked, sizeof asked, "%ld\n", strtol(asked, NULL, 10) + 1);
	fs_write(count, asked, strlen(asked), 0644, NULL);
	return str_i64(word, &n) ? -1 : (int)n;
}

/*
 * The text of an application, or, as `boot`, of the loader's profile. Two commands of one
 * application (ipc-round-trip from each core) are asked in the order of the job.
 */
static void start(const char *name)
{
	AUTOFREE char *path = mem_printf("%s/answers/list", root);
	AUTOFREE char *turn = mem_printf("%s/answers/%s.turn", root, name);
	AUTOBUF list = BUF_INIT(BUF_CAP_BYTES);
	AUTOFREE char *start = mem_printf("\trun %s ", name);
	struct str rest, line;
	char asked[32];
	long skip, of = 0;

	if (!fs_read(path, &list, NULL))
		for (const char *at = buf_str(&list); (at = strstr(at, start)); at++)
			of++;
	read_line(turn, asked, sizeof asked);
	skip = of ? strtol(asked, NULL, 10) % of : 0;
	rest = str_make(buf_str(&list), list.len);
	while (of && str_line(&rest, &line)) {
		AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
		AUTOFREE char *answer = NULL;
		int n;

		if (str_find(line, str_of(start)) < 0 || skip-- > 0)
			continue;
		n = next_of(line, name);
		answer = mem_printf("%s/answers/%d.text", root, n);
		snprintf(asked, sizeof asked, "%ld\n", strtol(asked, NULL, 10) + 1);
		fs_write(turn, asked, strlen(asked), 0644, NULL);
		if (!fs_read(answer, &text, NULL))
			print(buf_str(&text));
		break;
	}
	print("\nAll tests have passed!!\n");
}

/* Over the console. */
static bool from_uart(int loaders, const char *banner)
{
	char line[LINE_BYTES], want[32];

	print("02000000011a0000616d3237\n");
	for (int i = 1; i <= loaders; i++) {
		snprintf(want, sizeof want, "loader %d", i);
		do {
			if (!take(line))
				return false;
		} while (strcmp(line, want));
		print(banner);
	}
	if (!take(line))
		return false;
	if (!strcmp(line, "app app"))
		print("IPC RPMsg echo\n");
	else if (!strncmp(line, "app ", 4))
		start(line + 4);
	return true;
}

int main(int argc, char **argv)
{
	AUTOFREE char *mode_path = NULL, *card_path = NULL, *banner = NULL;
	char mode[32], card[LINE_BYTES];
	struct termios t;

	root = getenv("HILAB_BOARD");
	if (argc != 3 || !root)
		return 2;
	tcgetattr(0, &t);
	cfmakeraw(&t);
	tcsetattr(0, TCSANOW, &t);
	mode_path = mem_printf("%s/answers/mode", root);
	card_path = mem_printf("%.*s.card", (int)strlen(root) - 5, root);
	banner = mem_printf("%s\n", argv[2]);
	read_line(mode_path, mode, sizeof mode);
	read_line(card_path, card, sizeof card);
	if (!strcmp(mode, "uart") || !*mode) {
		if (!from_uart(atoi(argv[1]), banner))
			return 0;
	} else {
		print(banner);
		print("Image loading done, switching to application ...\n");
		start(!strncmp(card, "app ", 4) ? card + 4 : "boot");
	}
	while (read(0, card, sizeof card) > 0) /* until the power goes */
		;
	return 0;
}
