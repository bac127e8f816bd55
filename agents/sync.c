/* SPDX-License-Identifier: MIT */
/*
 * Which folders are followed, and what the controller says it has of them. Invariant: a file's
 * position moves only by what was put into a body or by the controller's answer, and one whose
 * request had no answer is asked for before more of it is sent.
 */
#include "agents/sync-inner.h"

#include "base/mem.h"
#include "io/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#define ID_BYTES    48
#define NOTES_BYTES (64 * (sizeof(struct inotify_event) + NAME_MAX + 1))

static const char *id_text(char out[ID_BYTES], int64_t run, unsigned part)
{
	snprintf(out, ID_BYTES, "%lld.%u", (long long)run, part);
	return out;
}

static const char *watch_text(char out[ID_BYTES], int watch)
{
	snprintf(out, ID_BYTES, "%d", watch);
	return out;
}

static struct sync_folder *find(const struct sync *s, int64_t run, unsigned part)
{
	char id[ID_BYTES];

	return map_find(&s->by_id, id_text(id, run, part));
}

/* ---- folders ---- */

struct sync *sync_new(sync_end_fn *end, void *arg, struct err *e)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct sync *s;

	if (fd < 0) {
		err_sys(e, BLAME_INFRA, errno, "watch job folders");
		return NULL;
	}
	s = mem_alloc(sizeof *s);
	s->notify_fd = fd;
	s->end = end;
	s->arg = arg;
	return s;
}

static void folder_free(struct sync_folder *f)
{
	vec_each (&f->files, file)
		free(file->name);
	vec_done(&f->files);
	free(f->dir);
	free(f);
}

static void unwatch(struct sync *s, struct sync_folder *f)
{
	char key[ID_BYTES];

	if (f->watch < 0)
		return;
	inotify_rm_watch(s->notify_fd, f->watch);
	map_del(&s->by_watch, watch_text(key, f->watch));
	f->watch = -1;
}

static void take_out(struct sync *s, struct sync_folder *f)
{
	char id[ID_BYTES];

	unwatch(s, f);
	map_del(&s->by_id, id_text(id, f->run, f->part));
	folder_free(f);
}

void sync_free(struct sync *s)
{
	if (!s)
		return;
	map_each (&s->by_id, it)
		folder_free(it->value);
	map_done(&s->by_id);
	map_done(&s->by_watch);
	close(s->notify_fd);
	free(s);
}

int sync_follow(
	struct sync *s, int64_t run, unsigned part, const char *dir, bool fresh, struct err *e)
{
	char key[ID_BYTES];
	struct sync_folder *f;

	if (find(s, run, part))
		return 0;
	if (access(dir, X_OK))
		return err_sys(e, BLAME_INFRA, errno, "follow '%s'", dir);
	f = mem_alloc(sizeof *f);
	f->run = run;
	f->part = part;
	f->dir = mem_strdup(dir);
	f->fresh = fresh;
	f->dirty = f->stale = true;
	f->watch = inotify_add_watch(
		s->notify_fd, dir, IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	if (f->watch >= 0)
		map_set(&s->by_watch, watch_text(key, f->watch), f);
	map_set(&s->by_id, id_text(key, run, part), f);
	return 0;
}

void sync_drop(struct sync *s, int64_t run, unsigned part)
{
	struct sync_folder *f = find(s, run, part);

	if (!f)
		return;
	s->dropped = true;
	take_out(s, f);
}

void sync_reaped(struct sync *s, int64_t run, unsigned part)
{
	struct sync_folder *f = find(s, run, part);

	if (!f || f->reaped)
		return;
	f->reaped = f->dirty = f->stale = true;
	unwatch(s, f);
}

int sync_fd(const struct sync *s)
{
	return s->notify_fd;
}

static void all_dirty(struct sync *s)
{
	map_each (&s->by_id, it) {
		struct sync_folder *f = it->value;

		f->dirty = f->stale = true;
	}
}

void sync_look(struct sync *s)
{
	_Alignas(struct inotify_event) char notes[NOTES_BYTES];
	char key[ID_BYTES];
	ssize_t n;

	while ((n = read(s->notify_fd, notes, sizeof notes)) > 0)
		for (char *p = notes; p < notes + n;) {
			const struct inotify_event *note = (const struct inotify_event *)p;
			struct sync_folder *f;

			p += sizeof *note + note->len;
			if (note->mask & IN_Q_OVERFLOW) {
				all_dirty(s);
				continue;
			}
			f = map_find(&s->by_watch, watch_text(key, note->wd));
			if (!f)
				continue;
			f->dirty = true;
			if (note->mask & (IN_CREATE | IN_MOVED_TO))
				f->stale = true;
		}
}

void sync_tick(struct sync *s)
{
	map_each (&s->by_id, it) {
		struct sync_folder *f = it->value;

		if (f->watch < 0 && !f->reaped)
			f->dirty = f->stale = true;
	}
}

bool sync_pending(const struct sync *s)
{
	if (!s->under_way)
		map_each (&s->by_id, it)
			if (((const struct sync_folder *)it->value)->dirty)
				return true;
	return false;
}

bool sync_urgent(const struct sync *s)
{
	map_each (&s->by_id, it) {
		const struct sync_folder *f = it->value;

		if (f->dirty && f->reaped)
			return true;
	}
	return false;
}

size_t sync_count(const struct sync *s)
{
	return s->by_id.n;
}

struct sync_file *sync_file(struct sync_folder *f, const char *name)
{
	vec_each (&f->files, file)
		if (!strcmp(file->name, name))
			return file;
	return NULL;
}

/* ---- bodies ---- */

/* One round of turns. True: somebody added something. */
static bool round_of(struct sync *s, bool patient, struct buf *out)
{
	bool any = false, turned = false;
	size_t n = s->by_id.n, first = n ? s->turn % n : 0;

	for (size_t i = 0; i < n; i++) {
		struct sync_folder *f = s->by_id.entries[(first + i) % n].value;

		if (!f->dirty)
			continue;
		if (!turned && CHUNKS_BYTES - out->len < CHUNK_BYTES + 2 * CHUNK_HEAD_BYTES) {
			turned = true; /* who had not all the room it could use begins next */
			s->turn = (first + i) % n;
		}
		if (CHUNKS_BYTES - out->len < CHUNK_HEAD_BYTES * 2)
			return any;
		if (sync_fill(f, SYNC_QUANTUM_BYTES, patient, out))
			any = true;
	}
	return any;
}

bool sync_body(struct sync *s, struct buf *out)
{
	if (s->under_way)
		return false;
	map_each (&s->by_id, it) {
		struct sync_folder *f = it->value;

		if (f->dirty)
			sync_measure(f);
	}
	while (round_of(s, true, out))
		;
	if (!out->len)
		round_of(s, false, out);
	s->under_way = out->len > 0;
	s->dropped = false;
	return s->under_way;
}

/* ---- answers ---- */

/* A body has several chunks of a file, and an answer may have an entry for each: the last counts.
 */
static void take_have(struct sync_file *file, const json_t *have)
{
	int64_t bytes = json_int(have, "bytes", -1);

	if (bytes < 0)
		return;
	if (!file->known && (uint64_t)bytes > file->size)
		file->ahead = (uint64_t)bytes - file->size;
	if (file->ahead > (uint64_t)bytes)
		file->ahead = 0; /* the controller lost more than we did */
	file->full = json_flag(have, "full", false);
	file->has = (uint64_t)bytes;
	file->heard = true;
}

static bool take_entry(struct sync *s, const json_t *have)
{
	struct sync_folder *f =
		find(s, json_int(have, "run", -1), (unsigned)json_int(have, "part", 0));
	struct sync_file *file;

	if (!f || f->over)
		return true; /* it went while the request was under way */
	if (json_flag(have, "gone", false)) {
		f->over = true;
		f->end = SYNC_GONE;
		return true;
	}
	file = sync_file(f, json_text(have, "file", ""));
	if (file && file->under_way)
		take_have(file, have);
	return false;
}

/* What the controller said of a file whose chunks were under way. True: something new. */
static bool settle_file(struct sync_file *file)
{
	bool asked = file->at == file->from;
	bool news = file->heard && (asked || !file->known || file->has != file->from || file->full);

	file->known = file->heard;
	file->at = file->heard ? file->has : file->from;
	file->under_way = file->heard = false;
	file->misses = news ? 0 : file->misses + 1;
	if (!news)
		file->skip = file->misses > 6 ? SYNC_SKIP_MAX : 1u << file->misses;
	return news;
}

/* Of what the answer did not speak of nothing is known. */
static bool settle(struct sync *s, bool skip)
{
	bool any = false;

	map_each (&s->by_id, it) {
		struct sync_folder *f = it->value;

		vec_each (&f->files, file) {
			if (!file->under_way)
				continue;
			f->dirty = true;
			if (settle_file(file)) {
				any = true;
				if (!strcmp(file->name, SYNC_STATUS) && file->size &&
					file->at >= file->size && !f->over) {
					f->over = true;
					f->end = SYNC_DONE;
				}
			}
			if (!skip)
				file->skip = file->misses = 0;
		}
	}
	return any;
}

struct ended {
	int64_t run;
	unsigned part;
	enum sync_end how;
};

/* Those that are over go first, then it is told: the callee may do anything. */
static void tell_ends(struct sync *s)
{
	VEC(struct ended) over = {0};

	for (size_t i = s->by_id.n; i-- > 0;) {
		struct sync_folder *f = s->by_id.entries[i].value;
		struct ended end = {f->run, f->part, f->end};

		if (!f->over)
			continue;
		vec_push(&over, end);
		take_out(s, f);
	}
	vec_each (&over, it)
		s->end(s->arg, it->run, it->part, it->how);
	vec_done(&over);
}

int sync_answer(struct sync *s, const json_t *answer, struct err *e)
{
	const json_t *have = json_object_get(answer, "have"), *entry;
	bool news = s->dropped;
	size_t i;

	if (!s->under_way)
		return 0;
	s->under_way = false;
	json_array_foreach (have, i, entry)
		if (take_entry(s, entry))
			news = true;
	if (settle(s, true))
		news = true;
	tell_ends(s);
	if (!json_is_array(have))
		return err_set(e, BLAME_BUG, "the answer to a sync does not say what there is");
	return news ? 0 : err_set(e, BLAME_BUG, "nothing of a sync was taken");
}

void sync_failed(struct sync *s)
{
	s->under_way = false;
	settle(s, false);
}
