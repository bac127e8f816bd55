/* SPDX-License-Identifier: MIT */
/*
 * What agents ship of job folders. Invariant: what `have` says is in the file, and what the store
 * took of it is committed, before the agent reads it; nothing is written but into the folder of a
 * part that is open and that agent's, and no more than there is room for.
 */
#include "api/calls.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/chunks.h"
#include "io/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL        "events.jsonl"
#define JOURNAL_BYTES  ((uint64_t)256 << 20) /* more of one is not kept */
#define PART_FILES_MAX 70000                 /* more than an agent ships (agents/sync.h) */

struct intake { /* one sync request */
	struct call *call;
	const char *agent;
	json_t *have;
	struct run_part part; /* of the last chunk */
	int64_t run;          /* 0: part is not filled */
	unsigned number;
};

/* What is kept of an open part so far; counted once, when its first chunk comes. */
struct kept {
	int64_t bytes;
	unsigned files;
};

static void kept_key(char *out, size_t n, const struct chunk *ch)
{
	snprintf(out, n, "%lld.%u", (long long)ch->run, ch->part);
}

static void kept_drop(struct server *s, const struct chunk *ch)
{
	char key[40];

	kept_key(key, sizeof key, ch);
	free(map_del(&s->kept, key));
}

static void kept_count(struct kept *k, const char *dir, const char *below)
{
	int folder = folder_at(dir, below, false);
	int fd = folder < 0 ? -1 : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *en;
	struct stat st;

	while (d && (en = readdir(d)))
		if (!fstatat(fd, en->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode)) {
			k->bytes += st.st_size;
			k->files++;
		}
	if (d)
		closedir(d);
	attr_close(&folder);
}

static struct kept *kept_of(struct intake *in, const struct chunk *ch)
{
	struct server *s = in->call->server;
	struct kept *k;
	char key[40];

	kept_key(key, sizeof key, ch);
	k = map_find(&s->kept, key);
	if (k)
		return k;
	k = mem_alloc(sizeof *k);
	kept_count(k, in->part.dir, NULL);
	kept_count(k, in->part.dir, "artifacts");
	map_set(&s->kept, key, k);
	return k;
}

/* The part that a chunk is of; false: the agent may forget it. */
static bool intake_part(struct intake *in, const struct chunk *ch)
{
	struct server *s = in->call->server;

	if (!sched_part_open(s->sched, ch->run, ch->part, in->agent))
		return false;
	if (in->run == ch->run && in->number == ch->part)
		return true;
	run_part_done(&in->part);
	in->run = 0;
	if (run_part_at(s->store, ch->run, ch->part, &in->part, NULL) <= 0)
		return false;
	in->run = ch->run;
	in->number = ch->part;
	return true;
}

/* The file of a chunk, made where there is room for one more. -1 with errno; EDQUOT: there is none.
 */
static int chunk_open(struct intake *in, const struct chunk *ch, struct kept *k, uint64_t *size)
{
	int fd = folder_open(in->part.dir, ch->file, O_WRONLY, size);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (k->files >= PART_FILES_MAX) {
		errno = EDQUOT;
		return -1;
	}
	fd = folder_open(in->part.dir, ch->file, O_WRONLY | O_CREAT | O_EXCL, size);
	if (fd >= 0)
		k->files++;
	return fd;
}

/* Of an artifact without bytes no chunk comes; it is there all the same. */
static void empty_artifact(struct intake *in, const struct chunk *journal, const json_t *event)
{
	AUTOFREE char *name = mem_printf("artifacts/%s", json_text(event, "name", ""));
	struct chunk ch = {.run = journal->run, .part = journal->part};
	AUTOCLOSE int fd = -1;
	uint64_t size;

	if (json_int(event, "bytes", -1) != 0 || !chunk_file_ok(name) ||
		strlen(name) >= sizeof ch.file)
		return;
	snprintf(ch.file, sizeof ch.file, "%s", name);
	fd = chunk_open(in, &ch, kept_of(in, &ch), &size);
	if (fd < 0)
		log_warn(
			"run %lld: '%s' is not kept: %s", (long long)ch.run, name, strerror(errno));
}

struct taken { /* of whose journal */
	struct intake *in;
	const struct chunk *ch;
};

/* What the journal says that others must know. */
static int journal_line(void *arg, const struct store_event *ev, struct err *e)
{
	const struct taken *t = arg;
	const struct chunk *ch = t->ch;
	struct server *s = t->in->call->server;
	AUTOJSON *j = json_loads(ev->line, 0, NULL);
	const char *kind = json_text(j, "kind", "");

	if (!strcmp(kind, "run-start"))
		return sched_part_started(s->sched, ch->run, ch->part, e);
	if (!strcmp(kind, "artifact"))
		empty_artifact(t->in, ch, j);
	if (!strcmp(kind, "power-done"))
		power_done(s, ch->run, j);
	if (!strcmp(kind, "barrier") || !strcmp(kind, "tell") || !strcmp(kind, "power") ||
		!strcmp(kind, "power-done"))
		return sched_part_event(s->sched, ch->run, ch->part, ev->offset, j, e);
	return 0;
}

/*
 * Whole lines of the journal that the store has not got yet. A chunk in which no line ends adds
 * none: a long line is not read again with each of its pieces. *full: a line is too long, and
 * nothing after it will be taken.
 */
static int take_journal(struct intake *in, const struct chunk *ch, bool *full, struct err *e)
{
	struct taken t = {in, ch};
	AUTOCLOSE int fd = -1;
	int failed;

	if (ch->bytes.n && !memchr(ch->bytes.p, '\n', ch->bytes.n))
		return 0;
	fd = folder_open(in->part.dir, ch->file, O_RDONLY, NULL);
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s' of '%s'", ch->file, in->part.dir);
	failed = store_part_ingest(
		in->call->server->store, ch->run, ch->part, fd, ch->file, journal_line, &t, e);
	if (failed && e->sys == EMSGSIZE) {
		log_warn("run %lld: %s", (long long)ch->run, e->msg);
		err_clear(e);
		*full = true;
		return 0;
	}
	return failed;
}

/* Puts the bytes where they belong; *size is what the file has then, *full: it takes no more. */
static int write_chunk(
	struct intake *in, const struct chunk *ch, uint64_t *size, bool *full, struct err *e)
{
	int64_t most = in->call->server->conf.run_bytes;
	struct kept *k = kept_of(in, ch);
	AUTOCLOSE int fd = chunk_open(in, ch, k, size);
	size_t done = 0;

	if (fd < 0 && errno == EDQUOT) {
		*full = true;
		return 0;
	}
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open '%s' of '%s'", ch->file, in->part.dir);
	if (ch->offset != *size)
		return 0; /* the answer says where to go on */
	if ((int64_t)ch->bytes.n > most - k->bytes ||
		(!strcmp(ch->file, JOURNAL) && *size + ch->bytes.n > JOURNAL_BYTES)) {
		*full = true;
		return 0;
	}
	while (done < ch->bytes.n) {
		ssize_t n = pwrite(
			fd, ch->bytes.p + done, ch->bytes.n - done, (off_t)(ch->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(e, BLAME_INFRA, n ? errno : ENOSPC, "write '%s' of '%s'",
				ch->file, in->part.dir);
		done += (size_t)n;
		k->bytes += n;
	}
	*size += done;
	return 0;
}

/* The worker's last word. It is one chunk: a file renamed into place. One without bytes asks what
 * there is of it: nothing that counts, as long as the part is open. */
static int take_status(struct intake *in, const struct chunk *ch, uint64_t *size, struct err *e)
{
	AUTOFREE char *path = fs_join(in->part.dir, "status");
	AUTOJSON *status = json_parse(ch->bytes, "status", e);
	struct server *s = in->call->server;
	char *dir;

	*size = 0;
	if (ch->offset || !ch->bytes.n)
		return 0;
	if (!status || !json_is_object(status)) {
		json_decref(status);
		status = json_pack("{s:s, s:s, s:s}", "verdict", "incomplete", "blame", "bug",
			"message", "the worker's status cannot be read");
	}
	err_clear(e);
	if (fs_write_light(path, ch->bytes.p, ch->bytes.n, 0644, e) ||
		sched_part_ended(s->sched, ch->run, ch->part, status, e))
		return -1;
	dir = mem_strdup(in->part.dir);
	vec_push(&s->synced, dir);
	kept_drop(s, ch);
	*size = ch->bytes.n;
	return 0;
}

static int take_chunk(
	struct intake *in, const struct chunk *ch, uint64_t *size, bool *full, struct err *e)
{
	*full = false;
	if (fs_mkdirs(in->part.dir, 0755, e))
		return -1;
	if (!strcmp(ch->file, "status"))
		return take_status(in, ch, size, e);
	if (write_chunk(in, ch, size, full, e))
		return -1;
	return strcmp(ch->file, JOURNAL) ? 0 : take_journal(in, ch, full, e);
}

static int take_chunks(struct intake *in, struct str body, struct err *e)
{
	struct server *s = in->call->server;
	struct chunk ch;
	int r;

	while ((r = chunk_parse(&body, &ch, e)) > 0) {
		json_t *have = json_pack("{s:I, s:i, s:s}", "run", (json_int_t)ch.run, "part",
			(int)ch.part, "file", ch.file);
		uint64_t size = 0;
		bool full = false;

		json_array_append_new(in->have, have);
		if (!intake_part(in, &ch)) {
			kept_drop(s, &ch);
			json_object_set_new(have, "gone", json_true());
			continue;
		}
		if (take_chunk(in, &ch, &size, &full, e))
			return -1;
		json_object_set_new(have, "bytes", json_integer((json_int_t)size));
		if (full)
			json_object_set_new(have, "full", json_true());
		follow_wake_run(s, ch.run);
	}
	return r;
}

static void on_sync(void *arg, struct http_request *r, struct str body)
{
	struct intake in = {.call = arg};
	struct err e = {0};

	in.agent = http_query(r, "agent");
	in.have = json_array();
	/* One that speaks another protocol cannot say hello; what runs there is its own all the
	 * same. */
	if (server_turn(in.call) || (call_speaks(in.call) && agent_seen(in.call, in.agent))) {
		json_decref(in.have);
		return;
	}
	if (take_chunks(&in, body, &e)) {
		json_decref(in.have);
		if (e.blame == BLAME_JOB)
			call_fail(in.call, 400, "invalid", "%s", e.msg);
		else
			call_err(in.call, &e);
	} else {
		call_ok(in.call, 200, json_pack("{s:o}", "have", in.have));
	}
	run_part_done(&in.part);
}

void agent_sync(struct call *c)
{
	if (agent_named(c, http_query(c->request, "agent")))
		http_body(c->request, CHUNKS_BYTES + CHUNK_BYTES, on_sync, c);
}
