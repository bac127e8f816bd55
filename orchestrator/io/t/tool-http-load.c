/* SPDX-License-Identifier: MIT */
/*
 * Posts per second over keep-alive connections, each with one request under way.
 *   tool-http-load [-c CONNECTIONS] [-s SECONDS] [-p PATH] [-b BODY] [-t TOKEN] [PORT]
 * Without a port it starts a server of its own, in a child, that holds every request until the end
 * of the loop's turn; its CPU time is printed too. One line of JSON.
 */
#include "io/http.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1024
#define SAMPLES_MAX     (1 << 20)

static struct loop *loop;

/* ---- a server of our own ---- */

static struct http_request *held[CONNECTIONS_MAX];
static unsigned n_held;

static void on_body(void *arg, struct http_request *r, struct str body)
{
	(void)arg;
	(void)body;
	held[n_held++] = r;
}

static void on_request(void *arg, struct http_request *r)
{
	http_body(r, HTTP_BODY_BYTES, on_body, arg);
}

static void on_turn(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < n_held; i++)
		http_reply_json(held[i], 201, json_pack("{s:i}", "job", 12));
	n_held = 0;
}

static pid_t serve(unsigned *port)
{
	struct http_opts o = {.address = "127.0.0.1", .on_request = on_request};
	struct http_server *s;
	int fd[2];
	pid_t pid;

	if (pipe(fd))
		exit(1);
	pid = fork();
	if (pid) {
		close(fd[1]);
		if (read(fd[0], port, sizeof *port) != sizeof *port)
			exit(1);
		close(fd[0]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loop = loop_new(NULL);
	s = http_server_new(loop, &o, NULL);
	if (!s)
		_exit(1);
	loop_turn(loop, on_turn, NULL);
	*port = http_server_port(s);
	if (write(fd[1], port, sizeof *port) == sizeof *port)
		loop_run(loop, NULL);
	_exit(0);
}

/* ---- the load ---- */

struct client {
	int fd;
	struct buf in;
	int64_t sent_us;
};

static struct client clients[CONNECTIONS_MAX];
static const char *request;
static size_t request_bytes;
static uint64_t n_good, n_bad;
static uint32_t *samples;
static size_t n_samples;

static void ask(struct client *c)
{
	c->sent_us = clock_us();
	if (send(c->fd, request, request_bytes, MSG_NOSIGNAL) != (ssize_t)request_bytes)
		perror("send"), exit(1);
}

/* The bytes of the answer that is there in whole, 0: not yet. */
static size_t whole(const struct client *c)
{
	const char *z = buf_str(&c->in), *end = strstr(z, "\r\n\r\n");
	const char *length = end ? strcasestr(z, "content-length:") : NULL;
	size_t n;

	if (!length || length > end)
		return 0;
	n = (size_t)(end + 4 - z) + strtoul(length + 15, NULL, 10);
	return c->in.len >= n ? n : 0;
}

static void on_answer(void *arg, uint32_t events)
{
	struct client *c = arg;
	size_t n;

	(void)events;
	if (buf_read(&c->in, c->fd, 65536) <= 0)
		fprintf(stderr, "a connection ended\n"), exit(1);
	n = whole(c);
	if (!n)
		return;
	if (!strncmp(buf_str(&c->in), "HTTP/1.1 2", 10))
		n_good++;
	else if (!n_bad++)
		fprintf(stderr, "%s\n", buf_str(&c->in));
	if (n_samples < SAMPLES_MAX)
		samples[n_samples++] = (uint32_t)(clock_us() - c->sent_us);
	buf_eat(&c->in, n);
	ask(c);
}

static void on_end(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static double cpu_s(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

static void load(unsigned port, unsigned connections, unsigned seconds)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int64_t begin;
	double took;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	loop = loop_new(NULL);
	samples = mem_array(SAMPLES_MAX, sizeof *samples);
	for (unsigned i = 0; i < connections; i++) {
		struct client *c = &clients[i];

		c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
		if (connect(c->fd, (struct sockaddr *)&at, sizeof at))
			perror("connect"), exit(1);
		buf_init(&c->in, BUF_CAP_BYTES);
		loop_fd(loop, c->fd, EPOLLIN, on_answer, c);
		ask(c);
	}
	begin = clock_us();
	loop_timer(loop, (int64_t)seconds * 1000, on_end, NULL);
	loop_run(loop, NULL);
	took = (double)(clock_us() - begin) / 1e6;
	qsort(samples, n_samples, sizeof *samples, by_value);
	printf("{\"connections\":%u,\"seconds\":%.2f,\"good\":%llu,\"bad\":%llu,"
	       "\"per_second\":%.0f",
		connections, took, (unsigned long long)n_good, (unsigned long long)n_bad,
		(double)(n_good + n_bad) / took);
	if (n_samples)
		printf(",\"p50_us\":%u,\"p99_us\":%u", samples[n_samples / 2],
			samples[n_samples * 99 / 100]);
	free(samples);
}

static char *compose(const char *path, const char *body, const char *token)
{
	AUTOFREE char *who =
		token ? mem_printf("Authorization: Bearer %s\r\n", token) : mem_strdup("");

	return mem_printf("POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: "
			  "application/json\r\nContent-Length: %zu\r\n\r\n%s",
		path, who, strlen(body), body);
}

int main(int argc, char **argv)
{
	const char *path = "/api/v1/jobs", *body = "{\"text\":\"name: x\"}", *token = NULL;
	unsigned connections = 16, seconds = 3, port = 0;
	struct rusage u;
	pid_t pid = 0;
	int opt;

	while ((opt = getopt(argc, argv, "c:s:p:b:t:")) != -1) {
		switch (opt) {
		case 'c':
			connections = (unsigned)atoi(optarg);
			break;
		case 's':
			seconds = (unsigned)atoi(optarg);
			break;
		case 'p':
			path = optarg;
			break;
		case 'b':
			body = optarg;
			break;
		case 't':
			token = optarg;
			break;
		default:
			return 2;
		}
	}
	if (!connections || connections > CONNECTIONS_MAX)
		return 2;
	if (optind < argc)
		port = (unsigned)atoi(argv[optind]);
	else
		pid = serve(&port);
	request = compose(path, body, token);
	request_bytes = strlen(request);
	load(port, connections, seconds);
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		getrusage(RUSAGE_CHILDREN, &u);
		printf(",\"server_cpu_us_each\":%.1f,\"server_kib\":%ld",
			cpu_s(&u) * 1e6 / (double)(n_good + n_bad), u.ru_maxrss);
	}
	printf("}\n");
	return n_bad != 0;
}
