/* SPDX-License-Identifier: MIT */
/*
 * A console's log, as it grows: of a run, or of whatever runs on a board now. Bytes are read from
 * the file when the client can take them. Invariant: no byte is left out, and a stream of a lease
 * ends with that lease.
 */
#include "api/follow.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct log {
	struct follow f;
	char *typist; /* "RUN CLIENT" of the window that looks on; NULL: not told */
	int fd;       /* -1: the file is not there yet */
	char *dir, *file;
	uint64_t at;
	unsigned part;
	bool follow;
	bool lease; /* of a lease: over when that is, though its run is being released */
};

static void log_free(void *arg)
{
	struct log *l = arg;

	if (l->typist)
		typist_gone(l->f.server, l->f.board, l->typist);
	free(l->typist);
	attr_close(&l->fd);
	free(l->dir);
	free(l->file);
	free(l->f.board);
	free(l);
}

/* A lease's stream ends with the lease, whatever is still to be read. */
static bool is_cut(const struct log *l)
{
	struct sched_holder h;

	return !sched_holder(l->f.server->sched, l->f.board, &h) || h.run != l->f.run || !h.lease;
}

static bool is_over(struct log *l)
{
	struct sched_holder h;
	struct run_part p;
	bool ended;

	if (l->f.board && (!sched_holder(l->f.server->sched, l->f.board, &h) || h.run != l->f.run))
		return true;
	if (run_part_at(l->f.server->store, l->f.run, l->part, &p, NULL) <= 0)
		return true;
	ended = !strcmp(p.state, "ended");
	run_part_done(&p);
	return ended;
}

static ssize_t pull(void *arg, char *out, size_t max)
{
	struct log *l = arg;
	bool over;
	ssize_t n;

	if (l->f.cut || (l->lease && is_cut(l)))
		return -1;
	if (l->fd < 0)
		l->fd = folder_open(l->dir, l->file, O_RDONLY, NULL);
	over = !l->follow || l->f.server->stopping;
	for (;;) {
		n = l->fd < 0 ? 0 : pread(l->fd, out, max, (off_t)l->at);
		if (n > 0) {
			l->at += (uint64_t)n;
			return n;
		}
		if (n < 0 || over)
			return -1;
		if (!follow_may_look(&l->f))
			return 0;
		if (!is_over(l))
			return 0;
		over = true; /* what came until then is still to be read */
		if (l->fd < 0)
			l->fd = folder_open(l->dir, l->file, O_RDONLY, NULL);
	}
}

/* Where a stream begins: from=OFFSET, or tail=BYTES before the end. False after answering. */
static bool begin_at(struct call *c, struct log *l)
{
	int64_t from = 0, tail = -1;
	uint64_t size = 0;
	int fd;

	if (!call_query_int(c, "from", 0, INT64_MAX, &from) ||
		!call_query_int(c, "tail", 0, INT64_MAX, &tail))
		return false;
	l->at = (uint64_t)from;
	fd = tail >= 0 ? folder_open(l->dir, l->file, O_RDONLY, &size) : -1;
	if (fd >= 0)
		l->at = size > (uint64_t)tail ? size - (uint64_t)tail : 0;
	attr_close(&fd);
	return true;
}

/* Takes board. */
static void start(
	struct call *c, const struct run_part *p, int64_t run, char *board, bool lease, bool follow)
{
	const char *name = http_query(c->request, "console");
	struct log *l = mem_alloc(sizeof *l);

	l->fd = -1;
	l->f.free = log_free;
	l->f.run = run;
	l->f.job = p->job;
	l->part = p->part;
	l->f.server = c->server;
	l->f.board = board;
	l->lease = lease;
	if (board && http_query(c->request, "client"))
		l->typist = mem_printf("%lld %s", (long long)run, http_query(c->request, "client"));
	l->follow = follow;
	l->dir = mem_strdup(p->dir ? p->dir : "");
	l->file = mem_printf("console-%s.log", name ? name : "main");
	if (!chunk_file_ok(l->file) || strchr(l->file, '/')) {
		call_fail(c, 400, "invalid", "there is no console '%s'", name);
		log_free(l);
	} else if (!begin_at(c, l)) {
		log_free(l);
	} else {
		follow_start(&l->f, c, "application/octet-stream", pull);
	}
}

void follow_log(struct call *c)
{
	const char *role = http_query(c->request, "role");
	struct run_part p;
	struct err e = {0};
	int64_t run;
	int r;

	if (!call_id(c, 0, &run))
		return;
	r = view_sees_run(c, run) ? run_part_get(c->server->store, run, role, &p, &e) : 0;
	if (r < 0) {
		call_err(c, &e);
	} else if (!r) {
		call_fail(c, 404, "not-found", role ? "run %lld has no role '%s'" : "no run %lld",
			(long long)run, role);
	} else {
		start(c, &p, run, NULL, false, http_query(c->request, "follow") != NULL);
		run_part_done(&p);
	}
}

static int find_board(void *arg, const struct store_part *sp)
{
	struct {
		const char *board;
		int part;
	} *want = arg;

	if (!strcmp(sp->board, want->board))
		want->part = (int)sp->part;
	return 0;
}

void follow_console(struct call *c)
{
	struct {
		const char *board;
		int part;
	} want = {c->args[0], -1};
	struct sched_holder h;
	struct run_part p;
	struct err e = {0};

	if (!board_get(c, c->args[0]))
		return;
	if (http_query(c->request, "type") && !lease_may(c, &h))
		return; /* told now, not at the first key */
	if (!sched_holder(c->server->sched, c->args[0], &h) || !h.run) {
		call_fail(c, 409, "conflict",
			"nothing runs on '%s': its console is opened by a job or a lease "
			"(hilab reserve %s)",
			c->args[0], c->args[0]);
		return;
	}
	store_parts(c->server->store, h.run, find_board, &want, NULL);
	if (want.part < 0 ||
		run_part_at(c->server->store, h.run, (unsigned)want.part, &p, &e) <= 0) {
		call_fail(c, 404, "not-found", "run %lld has no folder yet", (long long)h.run);
		return;
	}
	start(c, &p, h.run, mem_strdup(c->args[0]), h.lease, true);
	run_part_done(&p);
}
