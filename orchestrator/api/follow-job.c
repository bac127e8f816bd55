/* SPDX-License-Identifier: MIT */
/*
 * A job as server-sent events: what the job is, each time it changes, and between that the lines
 * of its last run's journals. Invariant: the lines of a run come in order, each once, and all of
 * them before the event that tells that the job is done.
 */
#include "api/follow.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES ((size_t)1 << 20) /* of the journal; a longer one is passed over */
#define READ_BYTES ((size_t)32 << 10)

struct part {
	char *dir;
	int fd;
	uint64_t at; /* of ahead's first byte */
	struct buf ahead;
};
struct job_follow {
	struct follow f;
	bool changed;  /* the job's event is due */
	bool job_done; /* its state is done */
	bool ended;    /* nothing will come any more */
	json_t *view;  /* kept until the lines of the run are out; NULL: none due */
	struct part parts[SCHED_PARTS_MAX];
	unsigned n;
	struct buf out;
	char resume[256]; /* Last-Event-ID: RUN:OFFSET,OFFSET */
};

static void parts_close(struct job_follow *j)
{
	for (unsigned i = 0; i < j->n; i++) {
		attr_close(&j->parts[i].fd);
		buf_done(&j->parts[i].ahead);
		free(j->parts[i].dir);
	}
	j->n = 0;
}

static void job_free(void *arg)
{
	struct job_follow *j = arg;

	parts_close(j);
	json_decref(j->view);
	buf_done(&j->out);
	free(j);
}

static void job_woken(struct follow *f)
{
	((struct job_follow *)f)->changed = true;
}

static int add_part(void *arg, const struct store_part *sp)
{
	struct job_follow *j = arg;
	struct part *p = &j->parts[j->n];

	if (j->n == SCHED_PARTS_MAX || !sp->dir)
		return 0;
	*p = (struct part){.dir = mem_strdup(sp->dir), .fd = -1};
	p->ahead = (struct buf)BUF_INIT(LINE_BYTES);
	j->n++;
	return 0;
}

/* Goes on where the client left off, if it was in this run. */
static void resume(struct job_follow *j)
{
	char *at = j->resume;

	if (*at && strtoll(at, &at, 10) == j->f.run)
		for (unsigned i = 0; i < j->n && (*at == ':' || *at == ','); i++)
			j->parts[i].at = strtoull(at + 1, &at, 10);
	*j->resume = 0;
}

static int look(void *arg, const struct store_job *job)
{
	struct job_follow *j = arg;

	json_decref(j->view);
	j->view = view_job(j->f.server, job, false);
	j->job_done = !strcmp(job->state, "done");
	if (job->last_run && job->last_run != j->f.run) {
		parts_close(j);
		j->f.run = job->last_run;
		store_parts(j->f.server->store, job->last_run, add_part, j, NULL);
		resume(j);
	}
	return 0;
}

/* The next whole line of one part. The text stays in ahead; its length returns, 0: none now. */
static size_t next_line(struct part *p)
{
	if (p->fd < 0)
		p->fd = folder_open(p->dir, "events.jsonl", O_RDONLY, NULL);
	for (;;) {
		char *nl = p->ahead.len ? memchr(p->ahead.data, '\n', p->ahead.len) : NULL;
		char room[READ_BYTES];
		ssize_t n;

		if (nl)
			return (size_t)(nl - p->ahead.data) + 1;
		n = p->fd < 0 ? 0 : pread(p->fd, room, sizeof room, (off_t)(p->at + p->ahead.len));
		if (n <= 0)
			return 0;
		if (buf_add(&p->ahead, room, (size_t)n)) {
			p->at += p->ahead.len; /* no event of ours */
			buf_reset(&p->ahead);
		}
	}
}

static bool take_line(struct job_follow *j)
{
	for (unsigned i = 0; i < j->n; i++) {
		struct part *p = &j->parts[i];
		size_t n = next_line(p);
		json_t *whole;

		if (!n)
			continue;
		whole = json_loadb(p->ahead.data, n - 1, 0, NULL);
		json_decref(whole);
		if (!whole) { /* no event of ours: it would end the reader's */
			buf_eat(&p->ahead, n);
			p->at += n;
			i--;
			continue;
		}
		buf_printf(&j->out, "event: run\nid: %lld:", (long long)j->f.run);
		for (unsigned k = 0; k < j->n; k++)
			buf_printf(&j->out, "%s%llu", k ? "," : "",
				(unsigned long long)(j->parts[k].at + (k == i ? n : 0)));
		buf_printf(&j->out,
			"\ndata: {\"run\":%lld,\"part\":%u,\"offset\":%llu,\"event\":%.*s}\n\n",
			(long long)j->f.run, i, (unsigned long long)p->at, (int)n - 1,
			p->ahead.data);
		buf_eat(&p->ahead, n);
		p->at += n;
		return true;
	}
	return false;
}

static void put_view(struct job_follow *j)
{
	AUTOFREE char *text = json_dumps(j->view, JSON_COMPACT);

	buf_printf(&j->out, "event: job\ndata: %s\n\n", text);
	json_decref(j->view);
	j->view = NULL;
}

/* Fills out. False: there is nothing now. */
static bool take(struct job_follow *j)
{
	if (j->changed && follow_may_look(&j->f)) {
		j->changed = false;
		store_job_get(j->f.server->store, j->f.job, look, j, NULL);
		if (j->view && !j->job_done) {
			put_view(j);
			return true;
		}
	}
	if (take_line(j))
		return true;
	if (!j->view)
		return false;
	put_view(j);
	j->ended = j->job_done;
	return true;
}

static ssize_t pull(void *arg, char *out, size_t max)
{
	struct job_follow *j = arg;
	size_t n;

	if (j->f.cut)
		return -1;
	if (!j->out.len && (j->ended || !take(j)))
		return j->ended || j->f.server->stopping ? -1 : 0;
	n = j->out.len < max ? j->out.len : max;
	memcpy(out, j->out.data, n);
	buf_eat(&j->out, n);
	return (ssize_t)n;
}

struct look {
	struct call *call;
	bool sees;
};

static int sees(void *arg, const struct store_job *job)
{
	struct look *l = arg;

	l->sees = view_sees_job(l->call, job);
	return 0;
}

void follow_job(struct call *c)
{
	const char *last = http_header(c->request, "Last-Event-ID");
	struct look l = {.call = c};
	struct job_follow *j;
	int64_t id;

	if (!call_id(c, 0, &id))
		return;
	store_job_get(c->server->store, id, sees, &l, NULL);
	if (!l.sees) {
		call_fail(c, 404, "not-found", "there is no job %lld", (long long)id);
		return;
	}
	j = mem_alloc(sizeof *j);
	j->f.job = id;
	j->f.free = job_free;
	j->f.woken = job_woken;
	if (!last)
		last = http_query(c->request, "after");
	j->changed = true;
	j->out = (struct buf)BUF_INIT(SSE_BYTES);
	snprintf(j->resume, sizeof j->resume, "%s", last ? last : "");
	follow_start(&j->f, c, "text/event-stream", pull);
}
