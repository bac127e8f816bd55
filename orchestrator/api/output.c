/* SPDX-License-Identifier: MIT */
/*
 * Output of child processes. Invariant: fn is called once, when the output has ended and the child
 * was reaped, unless it was stopped before.
 */
#include "api/output.h"

#include "base/mem.h"
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE_BYTES 65536

struct output {
	struct server *server;
	struct child child;
	struct loop_watch *out, *timer, *end;
	int fd;
	struct buf text;
	output_fn *fn; /* NULL: it was stopped */
	void *arg;
	int64_t id;
	bool ended;
	struct output *next, **link;
};

static void output_free(struct output *o)
{
	loop_del(o->out);
	loop_del(o->timer);
	loop_del(o->end);
	attr_close(&o->fd);
	child_done(&o->child);
	buf_done(&o->text);
	*o->link = o->next;
	if (o->next)
		o->next->link = o->link;
	free(o);
}

static void settle(struct output *o)
{
	char how[64];

	if (!o->ended || o->fd >= 0)
		return;
	if (o->fn)
		o->fn(o->arg, o->id, &o->text, child_status_text(&o->child, how, sizeof how));
	output_free(o);
}

static void on_bytes(void *arg, uint32_t events)
{
	struct output *o = arg;
	ssize_t n = buf_read(&o->text, o->fd, PIECE_BYTES);

	(void)events;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	loop_del(o->out);
	o->out = NULL;
	attr_close(&o->fd);
	settle(o);
}

static void on_end(void *arg, struct child *child)
{
	struct output *o = arg;

	(void)child;
	o->end = NULL;
	o->ended = true;
	settle(o);
}

static void on_late(void *arg)
{
	struct output *o = arg;

	o->timer = NULL;
	child_signal(&o->child, SIGKILL);
}

static int start(struct output *o, const char *const *argv, struct err *e)
{
	struct child_opts opts = CHILD_OPTS;
	int pipe_fds[2], failed;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return err_sys(e, BLAME_INFRA, errno, "%s", argv[1]);
	o->fd = pipe_fds[0];
	opts.out = pipe_fds[1];
	opts.die_with_us = true;
	failed = child_start(&o->child, argv, &opts, e);
	close(pipe_fds[1]);
	return failed;
}

struct output *output_start(struct server *s, const char *const *argv, output_fn *fn, void *arg,
	int64_t id, struct err *e)
{
	struct output *o = mem_alloc(sizeof *o);

	*o = (struct output){.server = s, .fd = -1, .fn = fn, .arg = arg, .id = id};
	o->child = (struct child)CHILD_INIT;
	o->text = (struct buf)BUF_INIT(OUTPUT_BYTES);
	o->link = &s->outputs;
	o->next = s->outputs;
	if (o->next)
		o->next->link = &o->next;
	s->outputs = o;
	if (start(o, argv, e)) {
		output_free(o);
		return NULL;
	}
	o->out = loop_fd(s->loop, o->fd, EPOLLIN, on_bytes, o);
	o->timer = loop_timer(s->loop, OUTPUT_MS, on_late, o);
	o->end = loop_child(s->loop, &o->child, on_end, o);
	return o;
}

void output_stop(struct output *o)
{
	if (!o)
		return;
	o->fn = NULL;
	child_signal(&o->child, SIGKILL);
}

void outputs_free(struct server *s)
{
	while (s->outputs)
		output_free(s->outputs);
}
