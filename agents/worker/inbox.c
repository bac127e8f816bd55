/* SPDX-License-Identifier: MIT */
/*
 * Reads the inbox of a job folder. Invariant: only whole lines are taken, each once and in order; a
 * line that is not whole yet is read again from its start, since a writer that died in it may have
 * left something else there.
 */
#include "inbox.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

int inbox_open(struct inbox *in, const char *dir, struct err *e)
{
	AUTOFREE char *path = fs_join(dir, INBOX_FILE);
	struct inbox new = {.watch_fd = -1};

	/* what is typed may be a password */
	new.fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (new.fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open '%s'", path);
	new.watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (new.watch_fd < 0 || inotify_add_watch(new.watch_fd, path, IN_MODIFY) < 0) {
		err_sys(e, BLAME_INFRA, errno, "watch '%s'", path);
		inbox_close(&new);
		return -1;
	}
	new.pending = mem_alloc(sizeof *new.pending);
	buf_init(new.pending, INBOX_LINE_BYTES);
	*in = new;
	return 0;
}

void inbox_close(struct inbox *in)
{
	attr_close(&in->fd);
	attr_close(&in->watch_fd);
	if (in->pending)
		buf_done(in->pending);
	free(in->pending);
	*in = (struct inbox){.fd = -1, .watch_fd = -1};
}

/* Whole, new: 1. Seen before: 0. */
static int take(struct inbox *in, struct str text, json_t **line, struct err *e)
{
	json_t *j = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, NULL);
	int64_t n = json_int(j, "n", 0);

	if (n < 1 || !json_text(j, "kind", NULL)) {
		json_decref(j);
		return err_set(
			e, BLAME_BUG, "a line of the inbox, of %zu bytes, is damaged", text.n);
	}
	if (n <= in->last) {
		json_decref(j);
		return 0;
	}
	in->last = n;
	*line = j;
	return 1;
}

/* The next line of what was read: as inbox_next; 2: none whole is there. */
static int next_pending(struct inbox *in, json_t **line, struct err *e)
{
	struct buf *p = in->pending;
	char *end = p->len ? memchr(p->data, '\n', p->len) : NULL;
	int r;

	if (!end)
		return 2;
	r = in->skipping ? 0 : take(in, str_make(p->data, (size_t)(end - p->data)), line, e);
	in->skipping = false;
	buf_eat(p, (size_t)(end - p->data) + 1);
	return r;
}

/* A line that no writer of ours makes: it is passed over to its end. */
static int skip_long(struct inbox *in, struct err *e)
{
	bool told = in->skipping;

	in->skipping = true;
	buf_reset(in->pending);
	return told ? 0
		    : err_set(e, BLAME_BUG, "a line of the inbox passes %zu bytes",
			      INBOX_LINE_BYTES);
}

static void drain_watch(const struct inbox *in)
{
	char dropped[4096];

	while (read(in->watch_fd, dropped, sizeof dropped) > 0)
		; /* that there is something new is all it says */
}

int inbox_next(struct inbox *in, json_t **line, struct err *e)
{
	ssize_t got;
	int r;

	drain_watch(in); /* before reading: what comes after is told again */
	for (;;) {
		r = next_pending(in, line, e);
		if (r == 1 || r < 0)
			return r;
		if (r == 0)
			continue;
		if (in->pending->len >= INBOX_LINE_BYTES - 1 && skip_long(in, e))
			return -1;
		got = buf_read(in->pending, in->fd, INBOX_LINE_BYTES - 1 - in->pending->len);
		if (got < 0)
			return err_sys(e, BLAME_INFRA, errno, "read the inbox");
		if (got == 0)
			break;
	}
	if (in->pending->len && lseek(in->fd, -(off_t)in->pending->len, SEEK_CUR) >= 0)
		buf_reset(in->pending);
	return 0;
}
