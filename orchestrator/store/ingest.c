/* SPDX-License-Identifier: MIT */
/*
 * A job folder into the store. Invariant: only whole lines are taken, in order, each piece in one
 * transaction; whether `status` is there is looked at before the events are read, so that a run is
 * never ended before its last event is stored.
 */
#include "control.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INGEST_STATUS_BYTES ((size_t)1 << 20)

typedef VEC(struct store_event) event_list;

/* Whole lines of piece as events, cut in place; returns the bytes they take. */
static size_t cut_lines(char *piece, size_t n, uint64_t offset, void *list)
{
	event_list *events = list;
	size_t at = 0;
	char *nl;

	while ((nl = memchr(piece + at, '\n', n - at))) {
		struct store_event ev = {offset + at, piece + at};

		*nl = 0;
		/* A NUL inside ends the text early; the offset of the next line would be wrong. */
		for (char *p = piece + at; p < nl; p++)
			if (!*p)
				*p = ' ';
		vec_push(events, ev);
		at = (size_t)(nl - piece) + 1;
	}
	return at;
}

struct taking {
	struct store *s;
	int64_t run;
	unsigned part;
	int fd;
	const char *path;
	uint64_t offset, size; /* what is stored of the file, and what there is */
	size_t want_bytes;
	store_taken_fn *fn;
	void *arg;
};

/* No line ends in the piece: 1 look at a longer one, 0 its end is still to come, -1. */
static int no_line(struct taking *t, size_t piece_bytes, struct err *e)
{
	if (piece_bytes < t->want_bytes)
		return 0;
	if (t->want_bytes >= INGEST_LINE_BYTES)
		return err_sys(e, BLAME_BUG, EMSGSIZE,
			"'%s': the line at offset %llu is longer than %zu bytes", t->path,
			(unsigned long long)t->offset, INGEST_LINE_BYTES);
	t->want_bytes *= 2;
	return 1;
}

static int take_events(struct taking *t, const event_list *events, struct err *e)
{
	if (store_part_events(t->s, t->run, t->part, events->p, events->n, e))
		return -1;
	for (size_t i = 0; t->fn && i < events->n; i++)
		if (t->fn(t->arg, &events->p[i], e))
			return -1;
	return 0;
}

/* One piece from offset on: 1 more may follow, 0 nothing whole is left, -1. */
static int take_piece(struct taking *t, struct err *e)
{
	uint64_t left = t->size - t->offset;
	size_t room = left < t->want_bytes ? (size_t)left : t->want_bytes, taken;
	AUTOFREE char *piece = mem_alloc(room + 1);
	event_list events = {0};
	ssize_t got = pread(t->fd, piece, room, (off_t)t->offset);
	int failed;

	if (got < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", t->path);
	taken = cut_lines(piece, (size_t)got, t->offset, &events);
	if (!taken)
		return no_line(t, (size_t)got, e);
	failed = take_events(t, &events, e);
	vec_done(&events);
	if (failed)
		return -1;
	t->offset += taken;
	t->want_bytes = INGEST_BYTES;
	return 1;
}

int store_part_ingest(struct store *s, int64_t run, unsigned part, int fd, const char *path,
	store_taken_fn *fn, void *arg, struct err *e)
{
	struct taking t = {.s = s,
		.run = run,
		.part = part,
		.fd = fd,
		.path = path,
		.want_bytes = INGEST_BYTES,
		.fn = fn,
		.arg = arg};
	struct stat st;
	int more;

	if (store_part_offset(s, run, part, &t.offset, e))
		return -1;
	if (fstat(fd, &st))
		return err_sys(e, BLAME_INFRA, errno, "look at '%s'", path);
	t.size = (uint64_t)st.st_size;
	if (t.size < t.offset)
		return err_set(e, BLAME_INFRA,
			"'%s' is shorter (%llu bytes) than what is stored of it (%llu)", path,
			(unsigned long long)t.size, (unsigned long long)t.offset);
	while ((more = take_piece(&t, e)) > 0)
		;
	return more;
}

static int ingest_events(struct store *s, int64_t run, const char *path, struct err *e)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	int opened = errno;
	uint64_t offset;

	if (store_run_offset(s, run, &offset, e))
		return -1;
	if (fd < 0 && opened == ENOENT && !offset)
		return 0; /* the worker has not begun */
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, opened, "open '%s'", path);
	return store_part_ingest(s, run, 0, fd, path, NULL, NULL, e);
}

/* The status of an ended run: 1, 0 when there is none yet, -1. */
static int load_status(const char *job_dir, json_t **status, struct err *e)
{
	AUTOFREE char *path = fs_join(job_dir, "status");
	AUTOBUF text = BUF_INIT(INGEST_STATUS_BYTES);
	json_t *got;

	if (!fs_exists(path))
		return 0;
	if (fs_read(path, &text, e))
		return -1;
	got = json_parse(str_make(buf_str(&text), text.len), path, e);
	if (!got)
		return -1;
	if (!json_text(got, "verdict", NULL)) {
		json_decref(got);
		return err_set(e, BLAME_BUG, "'%s': it has no verdict", path);
	}
	*status = got;
	return 1;
}

int store_ingest(struct store *s, int64_t run, const char *job_dir, struct err *e)
{
	AUTOFREE char *events_path = fs_join(job_dir, "events.jsonl");
	AUTOFREE char *status_path = fs_join(job_dir, "status");
	AUTOJSON *status = NULL;
	bool ended = fs_exists(status_path); /* before the last events are read */

	if (ingest_events(s, run, events_path, e))
		return err_wrap(e, "run %lld", (long long)run);
	if (!ended)
		return 0;
	if (load_status(job_dir, &status, e) < 0 ||
		store_run_end(s, run, json_text(status, "verdict", NULL),
			json_text(status, "blame", NULL), json_text(status, "message", NULL),
			json_int(status, "ended_ms", clock_wall_ms()), e))
		return -1;
	return 1;
}

/* The run-start event, which a worker writes first. NULL with e when it is not there. */
static json_t *run_start(const char *path, struct err *e)
{
	AUTOFREE char *line = mem_alloc(INGEST_BYTES);
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, line, INGEST_BYTES - 1, 0);
	char *nl = got > 0 ? memchr(line, '\n', (size_t)got) : NULL;
	json_t *j;

	if (got < 0) {
		err_sys(e, BLAME_CONFIG, errno, "read '%s'", path);
		return NULL;
	}
	j = nl ? json_loadb(line, (size_t)(nl - line), 0, NULL) : NULL;
	if (!strcmp(json_text(j, "kind", ""), "run-start"))
		return j;
	json_decref(j);
	err_set(e, BLAME_CONFIG, "'%s' does not begin with a run's start", path);
	return NULL;
}

int store_import(struct store *s, const char *job_dir, int64_t *run, struct err *e)
{
	AUTOFREE char *events_path = fs_join(job_dir, "events.jsonl");
	AUTOJSON *j = run_start(events_path, e);
	struct store_run made = {
		.job = json_text(j, "job", "-"),
		.board = json_text(j, "board", NULL),
		.type = json_text(j, "type", NULL),
		.soc = json_text(j, "soc", NULL),
		.lab = json_text(j, "lab", NULL),
		.twin = json_flag(j, "twin", false),
		.build = json_text(j, "build", NULL),
		.build_version = json_text(j, "build_version", NULL),
		.started_ms = json_int(j, "at", 0),
	};
	AUTOFREE char *real = realpath(job_dir, NULL);
	AUTOJSON *status = NULL;
	int known;

	if (!j || load_status(job_dir, &status, e) < 0)
		return -1;
	made.dir = real ? real : job_dir;
	known = store_run_of_dir(s, job_dir, &made.id, e);
	if (known < 0 || (!known && store_run_add(s, &made, e)))
		return -1;
	if (store_ingest(s, made.id, job_dir, e) < 0)
		return -1;
	*run = made.id;
	return 0;
}
