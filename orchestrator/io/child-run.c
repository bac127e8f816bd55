/* SPDX-License-Identifier: MIT */
/*
 * A program run to its end with what it prints. Invariant: it ends by the deadline plus
 * GRACE_MS whatever the child and its own children do; a grandchild that keeps the pipe open
 * after the child's end is not waited for.
 */
#include "io/child.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS    1000
#define CHUNK_BYTES ((size_t)64 << 10)
#define LAST_CHUNKS 64 /* read at most after the end: a pipe holds less */

enum { OUT, ERR, ENDED, COUNT };

struct run {
	struct child child;
	const char *name;
	struct pollfd fds[COUNT];
	struct buf *to[2];
	struct err *e;
};

static int open_pipe(struct run *r, int which, int *theirs)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(r->e, BLAME_INFRA, errno, "start '%s'", r->name);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	r->fds[which] = (struct pollfd){ends[0], POLLIN, 0};
	*theirs = ends[1];
	return 0;
}

static int begin(struct run *r, const char *const *argv, const struct child_opts *o)
{
	struct child_opts mine = o ? *o : (struct child_opts)CHILD_OPTS;
	AUTOCLOSE int out = -1;
	AUTOCLOSE int err = -1;

	if (r->to[OUT]) {
		if (open_pipe(r, OUT, &out))
			return -1;
		mine.out = out;
	}
	if (r->to[ERR] && r->to[ERR] == r->to[OUT]) {
		mine.err = out;
	} else if (r->to[ERR]) {
		if (open_pipe(r, ERR, &err))
			return -1;
		mine.err = err;
	}
	if (child_start(&r->child, argv, &mine, r->e))
		return -1;
	r->fds[ENDED] = (struct pollfd){r->child.pidfd, POLLIN, 0};
	return 0;
}

/* One piece: 1 more may come, 0 nothing now or ever, -1 too much. */
static int gather(struct run *r, int which)
{
	struct pollfd *p = &r->fds[which];
	char room[32];
	ssize_t n;

	if (p->fd < 0)
		return 0;
	n = buf_read(r->to[which], p->fd, CHUNK_BYTES);
	if (n > 0)
		return 1;
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0 && errno == ENOBUFS) {
		/* Full to the brim is fine as long as nothing more comes. */
		char one;

		n = read(p->fd, &one, 1);
		if (n > 0)
			return err_set(r->e, BLAME_INFRA, "'%s' printed more than %s", r->name,
				str_format_bytes((int64_t)r->to[which]->cap, room, sizeof room));
		r->to[which]->overflow = false;
		if (n < 0 && errno == EAGAIN)
			return 0;
	}
	close(p->fd);
	p->fd = -1;
	return 0;
}

/* Until the child has ended. */
static int follow(struct run *r, int64_t timeout_ms)
{
	int64_t end = clock_ms() + (timeout_ms > 0 ? timeout_ms : 0);
	char text[32];

	while (!(r->fds[ENDED].revents & POLLIN)) {
		int64_t left = end - clock_ms();

		if (poll(r->fds, COUNT, left > 0 ? left > 1 << 30 ? 1 << 30 : (int)left : 0) < 0 &&
			errno != EINTR)
			return err_sys(r->e, BLAME_INFRA, errno, "wait for '%s'", r->name);
		if (r->fds[ENDED].revents & POLLIN)
			break;
		for (int i = OUT; i <= ERR; i++)
			if (r->fds[i].revents && gather(r, i) < 0)
				return -1;
		if (left <= 0)
			return err_set(r->e, BLAME_TIMEOUT, "'%s' did not end in %s", r->name,
				str_format_ms(timeout_ms > 0 ? timeout_ms : 0, text, sizeof text));
	}
	for (int i = OUT; i <= ERR; i++)
		for (int n = 0, more = 1; n < LAST_CHUNKS && more; n++) {
			more = gather(r, i);
			if (more < 0)
				return -1;
		}
	return 0;
}

int child_run(const char *const *argv, const struct child_opts *o, int64_t timeout_ms,
	struct buf *out, struct buf *err_out, int *status, struct err *e)
{
	struct err unwanted = {0};
	struct run r = {
		.child = CHILD_INIT, .name = argv[0], .to = {out, err_out}, .e = e ? e : &unwanted};
	int rc;

	for (int i = 0; i < COUNT; i++)
		r.fds[i].fd = -1;
	rc = begin(&r, argv, o);
	if (!rc) {
		rc = follow(&r, timeout_ms);
		if (rc)
			child_stop(&r.child, r.e->blame == BLAME_TIMEOUT ? GRACE_MS : 0);
		else if (!child_poll(&r.child))
			rc = err_set(r.e, BLAME_BUG, "'%s' ended and cannot be reaped", r.name);
	}
	if (!rc && status)
		*status = WIFSIGNALED(r.child.status) ? -WTERMSIG(r.child.status)
						      : WEXITSTATUS(r.child.status);
	for (int i = OUT; i <= ERR; i++)
		if (r.fds[i].fd >= 0)
			close(r.fds[i].fd);
	child_done(&r.child);
	return rc;
}
