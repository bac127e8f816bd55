/* SPDX-License-Identifier: MIT */
/*
 * A played board without hilab: `tool-line bridge CONSOLE` connects its terminal with a console's
 * serial port, as telnet to a port server does; `tool-line board CONSOLE RELAY PROMPT` switches
 * contact 1 of an LCUS relay on, waits for the prompt, types one command, waits for the prompt,
 * switches off and prints the ms that took: the board's own share of a trivial job.
 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define WAIT_MS    10000
#define SEEN_BYTES 4096
#define PIECE      4096

static const char relay_on[] = "\xA0\x01\x01\xA2", relay_off[] = "\xA0\x01\x00\xA1";

static int open_raw(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios t;

	if (fd < 0 || tcgetattr(fd, &t)) {
		fprintf(stderr, "tool-line: '%s': %s\n", path, strerror(errno));
		return -1;
	}
	cfmakeraw(&t);
	tcsetattr(fd, TCSANOW, &t);
	return fd;
}

static int bridge(const char *path)
{
	AUTOCLOSE int fd = open_raw(path);
	struct pollfd p[2] = {{.fd = 0, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	const int to[2] = {fd, 1};
	struct termios t;
	char piece[PIECE];

	if (fd < 0)
		return 1;
	if (!tcgetattr(0, &t)) {
		cfmakeraw(&t);
		tcsetattr(0, TCSANOW, &t);
	}
	for (;;) {
		if (poll(p, 2, -1) < 0)
			return 1;
		for (int i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? read(p[i].fd, piece, sizeof piece) : 1;

			if (n <= 0)
				return i;
			if (p[i].revents && fs_write_all(to[i], piece, (size_t)n))
				return 1;
		}
	}
}

static int wait_for(int fd, const char *prompt)
{
	char seen[SEEN_BYTES + 1];
	size_t n = 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (n < SEEN_BYTES && poll(&p, 1, WAIT_MS) > 0) {
		ssize_t got = read(fd, seen + n, SEEN_BYTES - n);

		if (got <= 0)
			break;
		n += (size_t)got;
		seen[n] = 0;
		if (strstr(seen, prompt))
			return 0;
	}
	fprintf(stderr, "tool-line: no '%s'\n", prompt);
	return -1;
}

static int board(const char *console, const char *relay, const char *prompt)
{
	AUTOCLOSE int line = open_raw(console);
	AUTOCLOSE int contact = open_raw(relay);
	int64_t from_us = clock_us();

	if (line < 0 || contact < 0 || fs_write_all(contact, relay_on, 4) ||
		wait_for(line, prompt) || fs_write_all(line, "true\r", 5) || wait_for(line, prompt))
		return 1;
	printf("%.2f\n", (double)(clock_us() - from_us) / 1e3);
	return fs_write_all(contact, relay_off, 4) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "bridge"))
		return bridge(argv[2]);
	if (argc == 5 && !strcmp(argv[1], "board"))
		return board(argv[2], argv[3], argv[4]);
	fprintf(stderr, "usage: tool-line bridge CONSOLE | board CONSOLE RELAY PROMPT\n");
	return 2;
}
