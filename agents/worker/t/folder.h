/* SPDX-License-Identifier: MIT */
#ifndef WORKER_T_FOLDER_H
#define WORKER_T_FOLDER_H

/*
 * A job folder for tests, a real worker in it ($HILAB), lines for its inbox as an agent writes
 * them, and waiting for what it writes. One at a time: `dir`.
 */

#include "agents/worker/inbox.h"
#include "agents/worker/journal.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MS 20000 /* only a failure waits for so long */
#define HELPER      __attribute__((unused)) static

static char top[] = "/tmp/hilab-test-folder-XXXXXX"; /* of all folders */
static char *dir;                                    /* the job folder */
static struct child worker = CHILD_INIT;
static int64_t n_line; /* of the inbox */

HELPER void save(const char *name, const char *text)
{
	AUTOFREE char *path = fs_join(dir, name);

	if (fs_write(path, text, strlen(text), 0600, NULL))
		exit(1);
}

/* A new one, with a board and a plan as JSON; what was dir before stays as it is. */
HELPER void folder_new(const char *name, const char *board, const char *plan)
{
	free(dir);
	dir = mem_printf("%s/%s", top, name);
	n_line = 0;
	mkdir(dir, 0755);
	save("board.json", board);
	save("plan.json", plan);
}

/* Before the first. */
HELPER void folders_begin(void)
{
	AUTOFREE char *run_dir = NULL;

	if (!getenv("HILAB") || !mkdtemp(top))
		exit(1);
	run_dir = fs_join(top, "run");
	setenv("HILAB_RUN_DIR", run_dir, 1);
}

HELPER int folders_end(void)
{
	free(dir);
	(void)fs_remove_tree(top, NULL);
	return tap_done();
}

HELPER void start(void)
{
	const char *argv[] = {getenv("HILAB"), "worker", dir, NULL};
	struct child_opts o = CHILD_OPTS;
	struct err e = {0};

	o.err = STDERR_FILENO;
	ok(!child_start(&worker, argv, &o, &e), "a worker starts: %s", e.msg);
}

/* Appends as an agent does: one write. */
HELPER void append(const char *text, size_t n)
{
	AUTOFREE char *path = fs_join(dir, INBOX_FILE);
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		exit(1);
}

HELPER void put(const char *fmt, ...) PRINTF(1, 2);
HELPER void put(const char *fmt, ...)
{
	AUTOBUF line = BUF_INIT(BUF_CAP_BYTES);
	va_list ap;

	buf_printf(&line, "{\"n\":%lld,", (long long)++n_line);
	va_start(ap, fmt);
	buf_vprintf(&line, fmt, ap);
	va_end(ap);
	buf_puts(&line, "}\n");
	append(line.data, line.len);
}

HELPER void read_file(const char *name, struct buf *out)
{
	AUTOFREE char *path = fs_join(dir, name);

	buf_reset(out);
	(void)fs_read(path, out, NULL);
}

HELPER size_t left(const struct buf *all, const char *at)
{
	return all->len - (size_t)(at - buf_str(all));
}

/* Until a file of the folder holds a text, `times` times. */
HELPER bool comes(const char *name, const char *text, int times)
{
	AUTOCLOSE int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	AUTOBUF all = BUF_INIT(BUF_CAP_BYTES * 4);
	int64_t until = clock_ms() + PATIENCE_MS;
	char dropped[4096];

	inotify_add_watch(fd, dir, IN_MODIFY | IN_CREATE | IN_MOVED_TO);
	for (;;) {
		struct pollfd p = {fd, POLLIN, 0};
		const char *at;
		int found = 0;

		read_file(name, &all);
		for (at = buf_str(&all); (at = memmem(at, left(&all, at), text, strlen(text)));
			at += strlen(text))
			found++;
		if (found >= times)
			return true;
		if (clock_ms() >= until)
			return false;
		if (poll(&p, 1, (int)(until - clock_ms())) > 0)
			while (read(fd, dropped, sizeof dropped) > 0)
				;
	}
}

/* The worker's end: its verdict. */
HELPER void ends(const char *why, const char *verdict, const char *name)
{
	struct run_status s = {0};
	struct pollfd p = {worker.pidfd, POLLIN, 0};

	ok(poll(&p, 1, PATIENCE_MS) == 1 && child_poll(&worker) == 1, "%s", name);
	is_int(run_status_load(&s, dir, NULL), 0, "it leaves a status");
	is_str(verdict_name(s.verdict), verdict, "its verdict");
	ok(!why || comes("events.jsonl", why, 1), "its journal says why");
	child_done(&worker);
	worker = (struct child)CHILD_INIT;
}

#endif
