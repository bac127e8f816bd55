/* SPDX-License-Identifier: MIT */
/*
 * Steps between the parts of a job. Invariant: what comes from the others is read from the inbox's
 * start, in its order, and kept until a step takes it, so that nothing comes too early; and nobody
 * is waited for who has ended.
 */
#include "worker.h"

#include "base/fs.h"
#include "base/map.h"
#include "base/mem.h"
#include "inbox.h"
#include "io/base64.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MESSAGES 1024               /* not heard yet */
#define PARTS_BYTES    ((size_t)16 << 20) /* of them */

struct message {
	char *from, *key; /* owned */
	struct buf value;
};
struct parts {
	struct inbox inbox;
	struct map
		goes; /* barrier -> how often all have come to it, and this one not yet gone on */
	VEC(struct message) messages;
	size_t bytes;
	char *gone[PLAN_ROLES_MAX]; /* why, by the plan's roles; NULL: still there */
	bool damaged;
};

static void message_done(struct message *m)
{
	free(m->from);
	free(m->key);
	buf_done(&m->value);
}

static struct parts *parts_open(struct worker *w, struct err *e)
{
	struct parts *p;

	if (w->parts)
		return w->parts;
	if (!w->plan.role)
		return err_set(e, BLAME_JOB, "the job has no other roles"), NULL;
	p = mem_alloc(sizeof *p);
	if (inbox_open(&p->inbox, w->dir, e)) {
		free(p);
		return NULL;
	}
	w->parts = p;
	return p;
}

void worker_close_parts(struct worker *w)
{
	struct parts *p = w->parts;

	if (!p)
		return;
	inbox_close(&p->inbox);
	map_done(&p->goes);
	vec_each (&p->messages, m)
		message_done(m);
	vec_done(&p->messages);
	for (size_t i = 0; i < PLAN_ROLES_MAX; i++)
		free(p->gone[i]);
	free(p);
	w->parts = NULL;
}

/* ---- what comes ------------------------------------------------------------------------------ */

static void on_go(struct parts *p, const json_t *line)
{
	const char *point = json_text(line, "barrier", "");

	map_set(&p->goes, point, (void *)((uintptr_t)map_find(&p->goes, point) + 1));
}

static int on_message(struct parts *p, const json_t *line, struct err *e)
{
	struct message m = {.value = BUF_INIT(INBOX_DATA_BYTES)};

	if (base64_parse(str_of(json_text(line, "value", "")), &m.value)) {
		buf_done(&m.value);
		return err_set(e, BLAME_INFRA, "what role '%s' told as '%s' is damaged",
			json_text(line, "from", "?"), json_text(line, "key", "?"));
	}
	if (p->messages.n == PARTS_MESSAGES || p->bytes + m.value.len > PARTS_BYTES) {
		buf_done(&m.value);
		return err_set(e, BLAME_JOB, "more was told than is kept: %d messages, %zu MiB",
			PARTS_MESSAGES, PARTS_BYTES >> 20);
	}
	m.from = mem_strdup(json_text(line, "from", ""));
	m.key = mem_strdup(json_text(line, "key", ""));
	p->bytes += m.value.len;
	vec_push(&p->messages, m);
	return 0;
}

static void on_gone(struct worker *w, const json_t *line)
{
	const char *role = json_text(line, "role", ""), *why = json_text(line, "why", "");

	for (size_t i = 0; i < w->plan.roles.n; i++)
		if (!strcmp(w->plan.roles.p[i], role) && !w->parts->gone[i])
			w->parts->gone[i] = mem_strdup(why);
}

static int on_line(struct worker *w, const json_t *line, struct err *e)
{
	const char *kind = json_text(line, "kind", "");

	if (!strcmp(kind, "message"))
		return on_message(w->parts, line, e);
	if (!strcmp(kind, "go"))
		on_go(w->parts, line);
	else if (!strcmp(kind, "gone"))
		on_gone(w, line);
	return 0; /* what a newer controller may say is not for us */
}

static int take_lines(struct worker *w, struct err *e)
{
	for (;;) {
		AUTOJSON *line = NULL;
		int r = inbox_next(&w->parts->inbox, &line, e);

		if (r < 0 && e->blame == BLAME_BUG && !w->parts->damaged) {
			w->parts->damaged = true; /* the lines around it are of use all the same */
			bench_event(&w->bench, "warn", "{s:s}", "text", e->msg);
		}
		if (r == 0)
			return 0;
		if (r < 0 && e->blame != BLAME_BUG)
			return -1;
		if (r < 0)
			err_clear(e);
		else if (on_line(w, line, e))
			return -1;
	}
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* The role that has ended, or NULL. only: that one; else any of the others, or with all of them
 * only when none is left. */
static const char *gone(const struct worker *w, const char *only, bool all, const char **why)
{
	const char *found = NULL;

	for (size_t i = 0; i < w->plan.roles.n; i++) {
		const char *role = w->plan.roles.p[i];

		if (!strcmp(role, w->plan.role) || (only && strcmp(role, only) != 0))
			continue;
		if (w->parts->gone[i]) {
			found = role;
			*why = w->parts->gone[i];
		} else if (all) {
			return NULL;
		}
	}
	return found;
}

struct wanted {
	const char *point; /* of a barrier; NULL: a message */
	const char *key, *from;
	struct message *found;
};

static bool is_there(struct parts *p, struct wanted *want)
{
	if (want->point)
		return map_find(&p->goes, want->point) != NULL;
	vec_each (&p->messages, m)
		if (!strcmp(m->key, want->key) && (!want->from || !strcmp(m->from, want->from))) {
			want->found = m;
			return true;
		}
	return false;
}

/* Its blame is not infra: this board and this host are as they should be. */
static int tell_gone(const struct wanted *want, const char *role, const char *why, struct err *e)
{
	char shown[200];

	str_printable(str_of(why), shown, sizeof shown);
	return want->point
		       ? err_set(e, BLAME_TEST,
				 "role '%s' has ended%s%s%s: barrier '%s' never opens", role,
				 *shown ? " (" : "", shown, *shown ? ")" : "", want->point)
		       : err_set(e, BLAME_TEST, "role '%s' has ended%s%s%s and did not tell '%s'",
				 role, *shown ? " (" : "", shown, *shown ? ")" : "", want->key);
}

static int await(struct worker *w, struct wanted *want, struct err *e)
{
	struct pollfd p = {.fd = w->parts->inbox.watch_fd, .events = POLLIN};

	for (;;) {
		const char *role, *why = "";

		if (take_lines(w, e))
			return -1;
		if (is_there(w->parts, want))
			return 0;
		role = gone(w, want->from, !want->point && !want->from, &why);
		if (role)
			return tell_gone(want, role, why, e);
		if (bench_wait(&w->bench, &p, 1, INT64_MAX, e) < 0)
			return -1;
	}
}

/* ---- steps ----------------------------------------------------------------------------------- */

int step_barrier(struct worker *w, const void *conf, struct err *e)
{
	const struct step_barrier *s = conf;
	struct wanted want = {.point = s->point};
	struct parts *p = parts_open(w, e);
	uintptr_t goes;

	if (!p)
		return -1;
	if (w->attempt == 1) /* it stays reached while this one waits again */
		bench_event(&w->bench, "barrier", "{s:s}", "name", s->point);
	if (await(w, &want, e))
		return -1;
	goes = (uintptr_t)map_find(&p->goes, s->point);
	map_set(&p->goes, s->point, (void *)(goes - 1));
	return 0;
}

static int read_artifact(const struct worker *w, const char *name, struct buf *out, struct err *e)
{
	AUTOFREE char *dir = fs_join(w->dir, "artifacts");
	AUTOFREE char *path = fs_join(dir, name);

	if (!fs_exists(path))
		return err_set(e, BLAME_JOB, "there is no artifact '%s' to tell", name);
	return fs_read(path, out, e);
}

int step_tell(struct worker *w, const void *conf, struct err *e)
{
	const struct step_tell *s = conf;
	AUTOBUF value = BUF_INIT(INBOX_DATA_BYTES);
	AUTOBUF text = BUF_INIT(2 * INBOX_DATA_BYTES);

	if (!parts_open(w, e) || (s->artifact ? read_artifact(w, s->artifact, &value, e)
					      : bench_expand(&w->bench, s->value, &value, e)))
		return -1;
	(void)base64_add(&text, str_make(buf_str(&value), value.len)); /* there is room */
	bench_event(&w->bench, "tell", "{s:s*, s:s, s:s}", "to", s->to, "key", s->key, "value",
		buf_str(&text));
	return 0;
}

/* A value that is text becomes a variable; any value is an artifact. */
static int keep(struct worker *w, const struct step_hear *s, const struct message *m, struct err *e)
{
	AUTOFREE char *name = mem_printf("msg.%s", s->as ? s->as : s->key);
	AUTOFREE char *file = mem_printf("%s.msg", w->step->name);
	AUTOFREE char *clean = journal_text(buf_str(&m->value));
	bool text =
		strlen(buf_str(&m->value)) == m->value.len && !strcmp(clean, buf_str(&m->value));

	if (text)
		bench_var_set(&w->bench, name, buf_str(&m->value));
	bench_event(&w->bench, "heard", "{s:s, s:s, s:I, s:b}", "from", m->from, "key", m->key,
		"bytes", (json_int_t)m->value.len, "text", text);
	return worker_keep(w, file, str_make(buf_str(&m->value), m->value.len), e);
}

int step_hear(struct worker *w, const void *conf, struct err *e)
{
	const struct step_hear *s = conf;
	struct wanted want = {.key = s->key, .from = s->from};
	struct parts *p = parts_open(w, e);
	struct message m;

	if (!p || await(w, &want, e))
		return -1;
	m = *want.found;
	p->bytes -= m.value.len;
	vec_del(&p->messages, (size_t)(want.found - p->messages.p));
	{
		int r = keep(w, s, &m, e);

		message_done(&m);
		return r;
	}
}
