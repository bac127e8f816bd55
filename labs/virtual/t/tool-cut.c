/* SPDX-License-Identifier: MIT */
/*
 * tool-cut PORT: a network that can be cut. Prints a port of its own on standard output and passes
 * what connects there on to PORT of this host, both ways. SIGUSR1 cuts: nothing passes any more and
 * nobody is told. SIGUSR2 mends: what was connected before is reset, as after a change of address,
 * with all that was on the way.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAIRS 64
#define BYTES 65536

struct way {
	char bytes[BYTES];
	size_t at, n;
	bool end, told;
};
static struct pair {
	int fd[2]; /* who came, PORT; -1: free */
	struct way way[2];
} pairs[PAIRS];
static unsigned short to_port;
static bool cut;

static void drop(struct pair *p)
{
	struct linger now = {1, 0};

	for (int i = 0; i < 2; i++) {
		if (p->fd[i] < 0)
			continue;
		setsockopt(p->fd[i], SOL_SOCKET, SO_LINGER, &now, sizeof now);
		close(p->fd[i]);
		p->fd[i] = -1;
	}
	for (int i = 0; i < 2; i++)
		p->way[i].at = p->way[i].n = p->way[i].end = p->way[i].told = 0;
}

static int make_socket(unsigned short port, bool ours)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_port = htons(port);
	if (fd < 0 || (ours ? bind(fd, (void *)&a, sizeof a) || listen(fd, 64)
			    : connect(fd, (void *)&a, sizeof a))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void take(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct pair *p = pairs;

	while (p < pairs + PAIRS && p->fd[0] >= 0)
		p++;
	if (fd < 0 || p == pairs + PAIRS) {
		close(fd);
		return;
	}
	p->fd[0] = fd;
	p->fd[1] = make_socket(to_port, false);
	if (p->fd[1] < 0) {
		drop(p);
		return;
	}
	for (int i = 0; i < 2; i++)
		fcntl(p->fd[i], F_SETFL, O_NONBLOCK);
}

/* From side i to the other. False: the pair is gone. */
static bool pass(struct pair *p, int i)
{
	struct way *w = &p->way[i];
	ssize_t n = 0;

	if (w->n == w->at && !w->end) {
		w->at = w->n = 0;
		n = read(p->fd[i], w->bytes, BYTES);
		if (n > 0)
			w->n = (size_t)n;
		w->end = n == 0;
	}
	if (n >= 0 && w->n > w->at) {
		n = write(p->fd[!i], w->bytes + w->at, w->n - w->at);
		if (n > 0)
			w->at += (size_t)n;
	}
	if (n < 0 && errno != EAGAIN) {
		drop(p);
		return false;
	}
	if (w->end && w->at == w->n && !w->told) {
		w->told = true;
		shutdown(p->fd[!i], SHUT_WR);
	}
	if (p->way[0].told && p->way[1].told)
		drop(p);
	return p->fd[0] >= 0;
}

static void on_signal(int fd)
{
	struct signalfd_siginfo si;

	if (read(fd, &si, sizeof si) != sizeof si)
		return;
	cut = si.ssi_signo == SIGUSR1;
	if (cut)
		return;
	for (struct pair *p = pairs; p < pairs + PAIRS; p++)
		drop(p);
}

static void watch(struct pollfd *fds, int listener, int signals)
{
	nfds_t n = 2;

	fds[0] = (struct pollfd){signals, POLLIN, 0};
	fds[1] = (struct pollfd){cut ? -1 : listener, POLLIN, 0};
	for (struct pair *p = pairs; p < pairs + PAIRS; p++)
		for (int i = 0; i < 2; i++) {
			const struct way *in = &p->way[i], *out = &p->way[!i];
			short events = (short)((in->at == in->n && !in->end ? POLLIN : 0) |
					       (out->n > out->at ? POLLOUT : 0));

			fds[n++] = (struct pollfd){cut || !events ? -1 : p->fd[i], events, 0};
		}
	if (poll(fds, n, -1) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	static struct pollfd fds[2 + 2 * PAIRS];
	int listener = make_socket(0, true), signals;
	struct sockaddr_in a;
	socklen_t len = sizeof a;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (argc != 2 || listener < 0 || signals < 0)
		return 2;
	for (struct pair *p = pairs; p < pairs + PAIRS; p++)
		p->fd[0] = p->fd[1] = -1;
	to_port = (unsigned short)atoi(argv[1]);
	getsockname(listener, (void *)&a, &len);
	printf("%u\n", ntohs(a.sin_port));
	fflush(stdout);
	for (;;) {
		watch(fds, listener, signals);
		if (fds[0].revents)
			on_signal(signals);
		else if (fds[1].revents)
			take(listener);
		else
			for (int i = 0; i < PAIRS * 2; i++)
				if (fds[2 + i].revents && pairs[i / 2].fd[0] >= 0 &&
					pass(&pairs[i / 2], 0) && pass(&pairs[i / 2], 1))
					continue;
	}
}
