/* SPDX-License-Identifier: MIT */
#ifndef WORKER_T_BOARD_H
#define WORKER_T_BOARD_H

/*
 * A board for tests: a real shell on a PTY, behind a line that can do to its bytes what serial
 * lines do. Use: set board_*, console_open with board_driver, board_stop at the end.
 */

#include "agents/bench/console.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *board_shell[4] = {"/bin/sh", NULL};
static const char *board_path; /* PATH of the shell; NULL: ours */
static unsigned board_noise;   /* a kernel line after about this many bytes; 0: none */
static unsigned board_loss;    /* eight bytes are lost after about this many; 0: none */
static char board_tmp[64];     /* where it keeps its files; "": /tmp */
static unsigned board_deaf;    /* every so many-th Enter is lost; 0: none */
static pid_t board_pid;

static unsigned board_draw(unsigned below)
{
	static uint32_t state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % below;
}

__attribute__((noreturn)) static void board_line(int fd, int shell)
{
	struct pollfd fds[] = {{fd, POLLIN, 0}, {shell, POLLIN, 0}};
	unsigned next = board_noise ? 1 + board_draw(2 * board_noise) : 0, lines = 0;
	unsigned enters = 0;
	unsigned loss = board_loss ? 1 + board_draw(2 * board_loss) : 0;
	char piece[4096];

	for (;;) {
		ssize_t n;

		if (poll(fds, 2, -1) < 0)
			_exit(1);
		if (fds[0].revents) {
			n = read(fd, piece, sizeof piece);
			if (n <= 0)
				_exit(0);
			for (ssize_t i = 0; i < n; i++)
				if ((!board_deaf || piece[i] != '\r' || ++enters % board_deaf) &&
					write(shell, piece + i, 1) != 1)
					_exit(0);
		}
		if (!fds[1].revents)
			continue;
		n = read(shell, piece, sizeof piece);
		if (n <= 0)
			_exit(0);
		for (ssize_t i = 0; i < n; i++) {
			char noise[80];

			if (board_noise && !next--) {
				int m = snprintf(noise, sizeof noise,
					"[%5u.%06u] usb 1-1: new device number %u\r\n", lines,
					lines, lines);

				lines++;
				next = 1 + board_draw(2 * board_noise);
				if (write(fd, noise, (size_t)m) < 0)
					_exit(0);
			}
			if (board_loss && !loss--) {
				loss = 1 + board_draw(2 * board_loss);
				i += 7;
				continue;
			}
			if (write(fd, piece + i, 1) != 1)
				_exit(0);
		}
	}
}

static int board_open(struct console *c, struct err *e)
{
	int ends[2], shell;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return err_set(e, BLAME_BUG, "socketpair");
	board_pid = fork();
	if (!board_pid) {
		pid_t pid = forkpty(&shell, NULL, NULL, NULL);

		if (!pid) {
			signal(SIGINT, SIG_DFL);
			if (board_tmp[0])
				setenv("TMPDIR", board_tmp, 1);
			setenv("PS1", "root@board:~# ", 1);
			setenv("TERM", "vt100", 1);
			if (board_path)
				setenv("PATH", board_path, 1);
			execv(board_shell[0], (char **)board_shell);
			_exit(127);
		}
		close(ends[0]);
		board_line(ends[1], shell);
	}
	close(ends[1]);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	c->fd = ends[0];
	return 0;
}

static const struct console_driver board_driver = {
	.d = {.name = "board", .brief = "a shell on a PTY"},
	.open = board_open,
};

__attribute__((unused)) static void board_stop(void)
{
	if (board_pid > 0) {
		kill(board_pid, SIGKILL);
		waitpid(board_pid, NULL, 0);
	}
	board_pid = 0;
}

#endif
