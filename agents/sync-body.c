/* SPDX-License-Identifier: MIT */
/*
 * What a folder has to send. Invariant: no event is put into a body before the console bytes that
 * were in their files when it was written are with the controller or before it in the same body;
 * and status only when everything else is acknowledged.
 */
#include "agents/sync-inner.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES ((size_t)1 << 20) /* longest journal line looked at */
#define READ_BYTES ((size_t)64 << 10)

/* ---- which files there are ---- */

static bool shipped(const char *name)
{
	struct str s = str_of(name);

	if (!strcmp(name, SYNC_EVENTS) || !strcmp(name, "worker.log"))
		return true;
	return str_starts(s, "console-") && (str_ends(s, ".log") || str_ends(s, ".idx")) &&
	       chunk_file_ok(name);
}

static void add(struct sync_folder *f, const char *name)
{
	struct sync_file file = {.known = f->fresh};

	if (sync_file(f, name))
		return;
	file.name = mem_strdup(name);
	vec_push(&f->files, file);
}

static void list(struct sync_folder *f)
{
	DIR *d = opendir(f->dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (shipped(entry->d_name))
			add(f, entry->d_name);
	if (d)
		closedir(d);
}

static void add_artifact(struct sync_folder *f, const json_t *event)
{
	AUTOFREE char *name = mem_printf("artifacts/%s", json_text(event, "name", ""));

	if (strcmp(json_text(event, "kind", ""), "artifact") || f->files.n >= SYNC_ARTIFACTS_MAX)
		return;
	if (chunk_file_ok(name))
		add(f, name);
}

/* The artifacts that the journal announces: what else stands in that folder is not whole. */
static void list_artifacts(struct sync_folder *f)
{
	AUTOFREE char *path = fs_join(f->dir, SYNC_EVENTS);
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	AUTOBUF text = BUF_INIT(LINE_BYTES + READ_BYTES);

	while (fd >= 0 && buf_read(&text, fd, READ_BYTES) > 0) {
		size_t at = 0;
		char *end;

		while (at < text.len && (end = memchr(text.data + at, '\n', text.len - at))) {
			struct str line = str_make(text.data + at, (size_t)(end - text.data) - at);
			AUTOJSON *event = NULL;

			if (str_find(line, STR_LIT("\"artifact\"")) >= 0)
				event = json_loadb(line.p, line.n, 0, NULL);
			if (event)
				add_artifact(f, event);
			at += line.n + 1;
		}
		buf_eat(&text, at);
		if (text.len >= LINE_BYTES)
			return;
	}
}

/* The last ones to be sent: nothing changes any more. */
static void gather(struct sync_folder *f)
{
	f->gathered = true;
	list_artifacts(f);
	add(f, SYNC_STATUS);
}

static uint64_t size_of(const struct sync_folder *f, const char *name)
{
	AUTOFREE char *path = fs_join(f->dir, name);
	struct stat st;

	return stat(path, &st) || !S_ISREG(st.st_mode) ? 0 : (uint64_t)st.st_size;
}

static bool is_last(const struct sync_file *file)
{
	return !strcmp(file->name, SYNC_STATUS);
}

void sync_measure(struct sync_folder *f)
{
	/* The journal before all else: what it points to was written, and made, before it. */
	uint64_t journal_bytes = size_of(f, SYNC_EVENTS);
	struct sync_file *events;
	bool again;

	if (f->stale)
		list(f);
	f->stale = false;
	if (f->reaped && !f->gathered)
		gather(f);
	events = sync_file(f, SYNC_EVENTS);
	again = events && events->at >= f->events_to;
	if (events)
		events->size = journal_bytes;
	if (again)
		f->events_to = events->size + events->ahead;
	vec_each (&f->files, file) {
		if (file->skip)
			file->skip--;
		if (file == events)
			continue;
		file->size = size_of(f, file->name);
		/* (one that somebody took away keeps nobody waiting) */
		if (again || file->need > file->size + file->ahead)
			file->need = file->size + file->ahead;
	}
}

/* ---- what of them goes into a body ---- */

/* Reads at most max bytes at the file's position. */
static int read_at(const struct sync_folder *f, const struct sync_file *file, char *to, size_t max)
{
	AUTOFREE char *path = fs_join(f->dir, file->name);
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : pread(fd, to, max, (off_t)(file->at - file->ahead));

	return n < 0 ? -1 : (int)n;
}

static void put(
	const struct sync_folder *f, struct sync_file *file, struct str bytes, struct buf *out)
{
	struct chunk c = {.run = f->run, .part = f->part, .offset = file->at, .bytes = bytes};

	snprintf(c.file, sizeof c.file, "%s", file->name);
	chunk_format(out, &c);
	if (!file->under_way)
		file->from = file->at;
	file->under_way = true;
	file->at += bytes.n;
}

/* How many bytes of a file may still go into a body. */
static size_t room_for(size_t quantum, const struct buf *out)
{
	size_t room = CHUNKS_BYTES - out->len - CHUNK_HEAD_BYTES;

	if (room > CHUNK_BYTES)
		room = CHUNK_BYTES;
	return room > quantum ? quantum : room;
}

/* A file that cannot be read keeps no run from ending, unless its results stand in it. */
static void give_up(const struct sync_folder *f, struct sync_file *file)
{
	if (!strcmp(file->name, SYNC_EVENTS) || is_last(file))
		return;
	log_warn("'%s/%s' cannot be read: what is left of it is not shipped", f->dir, file->name);
	file->full = true;
}

/* whole: only whole lines. Returns the bytes added. */
static size_t add_chunk(struct sync_folder *f, struct sync_file *file, uint64_t to, bool whole,
	size_t quantum, struct buf *out)
{
	AUTOFREE char *bytes = NULL;
	size_t max = room_for(quantum, out);
	int n;

	if (file->at - file->ahead > file->size)
		return 0;
	if (to - file->at < max)
		max = (size_t)(to - file->at);
	bytes = mem_alloc(max + 1);
	n = read_at(f, file, bytes, max);
	while (whole && n > 0 && bytes[n - 1] != '\n')
		n--;
	if (n < 0 && f->reaped)
		give_up(f, file);
	if (n <= 0)
		return 0;
	put(f, file, str_make(bytes, (size_t)n), out);
	return (size_t)n;
}

static bool complete(const struct sync_file *file)
{
	return file->full || (file->known && file->at >= file->size + file->ahead);
}

/* May this file be touched in this body? patient: one that was not taken sits it out. */
static bool willing(struct sync_file *file, bool patient)
{
	if (file->full || (file->under_way && !file->known))
		return false;
	return !file->skip || !patient;
}

/* Asks how far the controller's copy is; the answer comes before more is sent. */
static bool ask(const struct sync_folder *f, struct sync_file *file, struct buf *out)
{
	file->at = 0;
	put(f, file, (struct str){0}, out);
	return true;
}

/* Files but the journal and the status, up to their needs or as far as they go. */
static bool fill_others(
	struct sync_folder *f, bool needed, size_t *quantum, bool patient, struct buf *out)
{
	bool any = false;

	vec_each (&f->files, file) {
		uint64_t to = needed ? file->need : file->size + file->ahead;
		size_t n;

		if (!strcmp(file->name, SYNC_EVENTS) || is_last(file) || !willing(file, patient))
			continue;
		if (CHUNKS_BYTES - out->len < CHUNK_HEAD_BYTES * 2)
			break;
		if (!file->known) {
			any = ask(f, file, out);
			continue;
		}
		if (file->at >= to || !*quantum)
			continue;
		n = add_chunk(f, file, to, false, *quantum, out);
		*quantum -= n;
		any = any || n;
	}
	return any;
}

static bool needs_met(struct sync_folder *f)
{
	vec_each (&f->files, file) {
		if (!strcmp(file->name, SYNC_EVENTS) || is_last(file) || file->full)
			continue;
		if (!file->known || file->at < file->need)
			return false;
	}
	return true;
}

static bool fill_events(struct sync_folder *f, size_t *quantum, bool patient, struct buf *out)
{
	struct sync_file *events = sync_file(f, SYNC_EVENTS);
	size_t n;

	if (!events || !willing(events, patient) || CHUNKS_BYTES - out->len < CHUNK_HEAD_BYTES * 2)
		return false;
	if (!events->known)
		return ask(f, events, out);
	if (events->at >= f->events_to || !*quantum || !needs_met(f))
		return false;
	n = add_chunk(f, events, f->events_to, !f->reaped, *quantum, out);
	/* Behind a line that is still being written stands nothing: it, and what it needs, are
	 * looked at anew. */
	if (!f->reaped && events->at < f->events_to)
		f->events_to = events->at;
	*quantum -= n;
	return n > 0;
}

/* Everything but the status acknowledged? */
static bool rest_acknowledged(struct sync_folder *f)
{
	vec_each (&f->files, file)
		if (!is_last(file) && (file->under_way || !complete(file)))
			return false;
	return f->reaped && f->gathered;
}

static bool fill_status(struct sync_folder *f, bool patient, struct buf *out)
{
	struct sync_file *status = sync_file(f, SYNC_STATUS);

	if (!status || !status->size || !willing(status, patient) || status->under_way ||
		!rest_acknowledged(f) || CHUNKS_BYTES - out->len < CHUNK_HEAD_BYTES * 2)
		return false;
	if (!status->known)
		return ask(f, status, out);
	return add_chunk(f, status, status->size + status->ahead, false, CHUNK_BYTES, out) > 0;
}

/* Nothing under way and nothing in doubt: until it grows. */
static bool at_rest(struct sync_folder *f)
{
	vec_each (&f->files, file)
		if (file->under_way || file->skip || (!file->known && !file->full))
			return false;
	return true;
}

bool sync_fill(struct sync_folder *f, size_t quantum, bool patient, struct buf *out)
{
	bool any = fill_others(f, true, &quantum, patient, out);

	any |= fill_events(f, &quantum, patient, out);
	any |= fill_others(f, false, &quantum, patient, out);
	any |= fill_status(f, patient, out);
	if (!any && at_rest(f) && CHUNKS_BYTES - out->len >= CHUNK_BYTES + 2 * CHUNK_HEAD_BYTES)
		f->dirty = false;
	return any;
}
