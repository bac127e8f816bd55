/* SPDX-License-Identifier: MIT */
/*
 * tool-serve DIR: serves DIR over HTTP (busybox httpd, started for each connection) on a
 * free port of the loopback, whose number it prints once it listens. Ends with its standard input.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void answer(int c, const char *dir)
{
	if (!fork()) {
		dup2(c, 0);
		dup2(c, 1);
		execlp("busybox", "busybox", "httpd", "-i", "-h", dir, (char *)NULL);
		_exit(127);
	}
	close(c);
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc != 2 || fd < 0 || bind(fd, (struct sockaddr *)&a, n) || listen(fd, 8) ||
		getsockname(fd, (struct sockaddr *)&a, &n))
		return 1;
	printf("%d\n", ntohs(a.sin_port));
	if (fflush(stdout))
		return 1;
	signal(SIGCHLD, SIG_IGN); /* nobody waits for the answers */
	for (;;) {
		struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = 0, .events = POLLIN}};

		if (poll(p, 2, -1) < 0 || p[1].revents)
			return 0;
		if (p[0].revents)
			answer(accept4(fd, NULL, NULL, SOCK_CLOEXEC), argv[1]);
	}
}
