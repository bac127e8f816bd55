/* SPDX-License-Identifier: MIT */
/*
 * What the controller bears: `tool-call-load URL CONNECTIONS COUNT[@RATE] METHOD [BODY
 * [HEADER...]]` sends COUNT requests over so many kept connections, one at a time on each and no
 * more than RATE a second, and prints answers per second, then median and 99th percentile of their
 * time in ms. BODY is a file, or - for none. It does as little itself as it can, since it shares
 * the machine with what it measures. Fails when an answer is not 2xx.
 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1024
#define ANSWER_BYTES    ((size_t)64 << 20)

struct line { /* one connection */
	int fd;
	struct buf in;
	int64_t sent_us;
	bool busy;
};
struct load {
	struct sockaddr_in to;
	struct buf request;
	struct line *lines;
	int n_lines, epoll;
	long count, sent, done, rate; /* rate 0: as fast as it goes */
	int64_t from_us;
	double *took_ms;
};

static int fail(const char *what, const char *text)
{
	fprintf(stderr, "tool-call-load: %s: %s\n", what, text);
	return -1;
}

/* "http://127.0.0.1:PORT/PATH" */
static int parse_url(const char *url, struct load *l, const char **path)
{
	char host[64];
	int port, n = 0;

	if (sscanf(url, "http://%63[0-9.]:%d%n", host, &port, &n) != 2 || url[n] != '/')
		return fail(url, "not http://ADDRESS:PORT/PATH");
	l->to = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	*path = url + n;
	return inet_pton(AF_INET, host, &l->to.sin_addr) == 1 ? 0 : fail(host, "no address");
}

static int make_request(struct load *l, const char *path, char **argv)
{
	AUTOBUF body = BUF_INIT(ANSWER_BYTES);
	struct err e = {0};

	buf_init(&l->request, ANSWER_BYTES);
	if (argv[1] && strcmp(argv[1], "-") != 0 && fs_read(argv[1], &body, &e))
		return fail(argv[1], e.msg);
	buf_printf(&l->request, "%s %s HTTP/1.1\r\nHost: load\r\n", argv[0], path);
	for (char **h = argv[1] ? argv + 2 : argv + 1; *h; h++)
		buf_printf(&l->request, "%s\r\n", *h);
	if (body.len)
		buf_printf(&l->request, "Content-Type: application/json\r\n");
	if (strcmp(argv[0], "GET") != 0)
		buf_printf(&l->request, "Content-Length: %zu\r\n", body.len);
	buf_puts(&l->request, "\r\n");
	buf_add(&l->request, buf_str(&body), body.len);
	return 0;
}

/* ms until the next one may go */
static int due_ms(const struct load *l)
{
	int64_t due_us;

	if (!l->rate || l->sent == l->count)
		return 0;
	due_us = l->from_us + l->sent * 1000000 / l->rate - clock_us();
	return due_us > 0 ? (int)(due_us / 1000 + 1) : 0;
}

static int send_next(struct load *l, struct line *c)
{
	c->busy = l->sent < l->count && !due_ms(l);
	if (!c->busy)
		return 0;
	l->sent++;
	c->sent_us = clock_us();
	return fs_write_all(c->fd, buf_str(&l->request), l->request.len) ? fail("send", "lost") : 0;
}

static int open_line(struct load *l, struct line *c)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = c};
	int one = 1;

	buf_init(&c->in, ANSWER_BYTES);
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&l->to, sizeof l->to) ||
		epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->fd, &ev))
		return fail("connect", "refused");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return send_next(l, c);
}

/* The length of a whole answer at the head of in; 0: not whole yet, -1: not a good one. */
static ssize_t whole_answer(struct buf *in)
{
	const char *text = buf_str(in), *end = strstr(text, "\r\n\r\n"), *length;
	size_t n;

	if (!end)
		return 0;
	if (strncmp(text, "HTTP/1.1 2", 10) != 0)
		return fail("answer", text);
	length = strcasestr(text, "\r\nContent-Length:");
	if (!length || length > end)
		return fail("answer", "no length");
	n = (size_t)(end + 4 - text) + strtoul(length + 17, NULL, 10);
	return in->len < n ? 0 : (ssize_t)n;
}

static int take(struct load *l, struct line *c)
{
	ssize_t n = buf_read(&c->in, c->fd, 1 << 20);

	if (n <= 0)
		return fail("receive", "the server hung up");
	n = whole_answer(&c->in);
	if (n <= 0)
		return (int)n;
	buf_eat(&c->in, (size_t)n);
	l->took_ms[l->done++] = (double)(clock_us() - c->sent_us) / 1e3;
	return send_next(l, c);
}

static int run(struct load *l)
{
	struct epoll_event events[64];

	l->from_us = clock_us();
	for (int i = 0; i < l->n_lines; i++)
		if (open_line(l, &l->lines[i]))
			return -1;
	while (l->done < l->count) {
		int wait_ms = due_ms(l);
		int n = epoll_wait(l->epoll, events, ARRAY_LEN(events), wait_ms ? wait_ms : 60000);

		if (n < 0 || (!n && !wait_ms))
			return fail("wait", "no answer in a minute");
		for (int i = 0; i < n; i++)
			if (take(l, events[i].data.ptr))
				return -1;
		for (int i = 0; l->rate && i < l->n_lines; i++)
			if (!l->lines[i].busy && send_next(l, &l->lines[i]))
				return -1;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct load l = {0};
	const char *path;
	int64_t took_us;

	if (argc >= 5) {
		l.n_lines = atoi(argv[2]);
		l.count = strtol(argv[3], NULL, 10);
		l.rate = strchr(argv[3], '@') ? atol(strchr(argv[3], '@') + 1) : 0;
	}
	if (l.n_lines < 1 || l.n_lines > CONNECTIONS_MAX || l.count < 1) {
		fprintf(stderr, "usage: tool-call-load URL CONNECTIONS COUNT[@RATE] METHOD [BODY "
				"[HEADER...]]\n");
		return 2;
	}
	l.lines = mem_array((size_t)l.n_lines, sizeof *l.lines);
	l.took_ms = mem_array((size_t)l.count, sizeof *l.took_ms);
	l.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (parse_url(argv[1], &l, &path) || make_request(&l, path, argv + 4))
		return 2;
	if (run(&l))
		return 1;
	took_us = clock_us() - l.from_us;
	qsort(l.took_ms, (size_t)l.count, sizeof *l.took_ms, by_value);
	printf("%.0f %.3f %.3f\n", (double)l.count * 1e6 / (double)took_us, l.took_ms[l.count / 2],
		l.took_ms[l.count * 99 / 100]);
	return 0;
}
