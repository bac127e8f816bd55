/* SPDX-License-Identifier: MIT */
/* The iperf3 driver against a real iperf3 server on loopback, one that is not there yet, and none;
 * and the deadline of the bench ending it. */
#include "agents/measure/measure.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/child.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct arena arena;

/* A port that nobody listens on now. */
static int free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&a, sizeof a) || getsockname(fd, (struct sockaddr *)&a, &n))
		return -1;
	close(fd);
	return ntohs(a.sin_port);
}

static struct node *map_of(const char *const *pairs)
{
	struct node *m = node_new(&arena, NODE_MAP, (struct loc){0});

	for (; *pairs; pairs += 2)
		node_map_set(&arena, m, pairs[0], node_scalar(&arena, pairs[1], (struct loc){0}));
	return m;
}

static void fill(struct measure *m, const char *const *pairs)
{
	struct diag diag = {0};

	m->conf = arena_alloc(&arena, m->drv->d.size);
	ok(!schema_fill(&arena, m->drv->d.params, "iperf3", map_of(pairs), m->conf, &diag),
		"settings are taken");
	diag_done(&diag);
}

int main(void)
{
	const char *reverse[] = {"time", "1s", "reverse", "true", NULL};
	const char *forward[] = {"time", "1s", "parallel", "2", NULL};
	const char *longer[] = {"time", "60s", NULL};
	AUTOFREE char *port = mem_printf("%d", free_port());
	const char *server_argv[] = {"iperf3", "-s", "-p", port, NULL};
	const char *const ports[] = {"iperf3", port, NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct child_opts quiet = CHILD_OPTS;
	struct child server = CHILD_INIT;
	struct bench b;
	struct measure m = {.bench = &b, .address = "127.0.0.1", .ports = map_of(ports)};
	struct err e = {0};
	int64_t start;

	bench_init(&b);
	bench_push(&b, "test", 60000);
	m.drv = (const struct measure_driver *)driver_get(
		measure_drivers(), "measure driver", "iperf3", &e);
	fill(&m, forward);

	bench_push(&b, "step 'none'", 1200);
	is_int(m.drv->run(&m, &out, &e), -1, "no server");
	is_int(e.blame, BLAME_TIMEOUT, "tried again until the deadline: %s", e.msg);
	bench_pop(&b);

	ok(!child_start(&server, server_argv, &quiet, &e), "a server is started");
	buf_reset(&out);
	err_clear(&e);
	ok(!m.drv->run(&m, &out, &e), "and met, whenever it listens %s", e.msg);
	has_str(buf_str(&out), "\"num_streams\":\t2", "two streams");
	has_str(buf_str(&out), "sum_received", "a whole document");

	buf_reset(&out);
	fill(&m, reverse);
	ok(!m.drv->run(&m, &out, &e), "the other way %s", e.msg);
	has_str(buf_str(&out), "\"reverse\":\t1", "the server sends");

	fill(&m, longer);
	bench_push(&b, "step 'long'", 700);
	start = clock_ms();
	is_int(m.drv->run(&m, &out, &e), -1, "a deadline ends a long one");
	is_int(e.blame, BLAME_TIMEOUT, "as a deadline: %s", e.msg);
	ok(clock_ms() - start < 30000, "long before its time");
	bench_pop(&b);

	child_stop(&server, 0);
	child_done(&server);
	m.address = NULL;
	is_int(m.drv->run(&m, &out, &e), -1, "no address");
	is_int(e.blame, BLAME_CONFIG, "is the lab file's: %s", e.msg);
	bench_done(&b);
	arena_done(&arena);
	return tap_done();
}
