/* SPDX-License-Identifier: MIT */
/*
 * Boards that one device feeds are switched on one after the other. A file of that device says when
 * its last turn is; each comer puts its own behind that one and waits for it. Invariant: the file
 * is locked only while it is read and written, so that a worker that waits, or dies, delays nobody.
 */
#include "worker.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCK_RETRY_MS 5
#define TURN_MAX_MS   600000 /* a turn that is further away is of another boot of this host */
#define TURN_BYTES    256

static int lock(struct worker *w, const char *path, int fd, struct err *e)
{
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(e, BLAME_INFRA, errno, "cannot lock '%s'", path);
		if (bench_pause(&w->bench, LOCK_RETRY_MS, e))
			return -1;
	}
	return 0;
}

/* When this board's turn is: behind the last one, if that was another board's. */
static int64_t turn_after(const char *last, const char *board, int64_t stagger_ms, int64_t now)
{
	char *end;
	int64_t at = strtoll(last, &end, 10);
	struct str who = str_trim(str_of(end));

	if (end == last || at > now + TURN_MAX_MS || str_is(who, board) || at + stagger_ms < now)
		return now;
	return at + stagger_ms;
}

static int take_turn(
	struct worker *w, int64_t stagger_ms, const char *path, int64_t *turn, struct err *e)
{
	AUTOCLOSE int fd = worker_open_lock(path);
	char last[TURN_BYTES] = "", text[TURN_BYTES];
	int n;

	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "cannot open '%s'", path);
	if (lock(w, path, fd, e))
		return -1;
	if (pread(fd, last, sizeof last - 1, 0) < 0)
		return err_sys(e, BLAME_INFRA, errno, "cannot read '%s'", path);
	*turn = turn_after(last, w->board_name, stagger_ms, clock_ms());
	n = snprintf(text, sizeof text, "%" PRId64 " %s\n", *turn, w->board_name);
	if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n)
		return err_sys(e, BLAME_INFRA, errno, "cannot write '%s'", path);
	return 0;
}

int worker_stagger(struct worker *w, struct err *e)
{
	const struct node *stagger = node_find(w->board, "stagger");
	const char *device = node_text(stagger, "device"), *ms = node_text(stagger, "ms");
	AUTOFREE char *dir = fs_run_dir();
	AUTOFREE char *path = NULL;
	int64_t stagger_ms, turn = 0;

	if (!device || !ms || str_i64(str_of(ms), &stagger_ms) || stagger_ms <= 0)
		return 0;
	path = mem_printf("%s/hilab-power-%016" PRIx64 ".lock", dir, str_hash(str_of(device)));
	if (fs_mkdirs(dir, 0700, e) || take_turn(w, stagger_ms, path, &turn, e))
		return err_wrap(e, "wait for a turn at '%s'", device);
	turn -= clock_ms();
	return turn > 0 ? bench_pause(&w->bench, turn, e) : 0;
}
