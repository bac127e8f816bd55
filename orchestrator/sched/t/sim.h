/* SPDX-License-Identifier: MIT */
#ifndef SCHED_T_SIM_H
#define SCHED_T_SIM_H

/*
 * The world of test-sim.c: an estate, agents that keep folders and obey commands, workers that go
 * on by themselves. The agents check what they are told: no two runs on a board, no line left out,
 * nothing forgotten that is not over.
 */

#include "estate.h"

#include "sched/inner.h"

#define AGENTS    3
#define BOARDS    4 /* of one agent */
#define JOBS_MAX  200000
#define FIRST_END 16

struct folder { /* what an agent has of a part */
	int64_t run;
	unsigned part;
	char board[8];
	int state; /* 0 not started, 1 running, 2 ended */
	bool lease, cancel, told_start, told_end;
	const char *verdict, *blame;
	uint64_t offset;
	int64_t inbox;
};
struct host {
	char name[8];
	bool up;
	int64_t ack;
	VEC(struct folder) folders;
};
static struct world {
	struct estate x;
	struct host hosts[AGENTS];
	unsigned long long seed;
	int64_t first_job, n_jobs;
	unsigned char ends[JOBS_MAX];   /* how often a job ended */
	const char *said[JOBS_MAX * 3]; /* verdict that a run's one part had */
	bool late[JOBS_MAX * 3];        /* it said so when it had been given up */
	VEC(int64_t) done_in_turn;
	int compared, n_late;
	const char *broken; /* the first thing that must not be */
	char detail[1024];
} w;

static unsigned dice(unsigned n)
{
	w.seed = w.seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(w.seed >> 33) % n;
}

static void broke(const char *what, const char *fmt, ...) PRINTF(2, 3);
static void broke(const char *what, const char *fmt, ...)
{
	va_list ap;

	if (w.broken)
		return;
	w.broken = what;
	va_start(ap, fmt);
	vsnprintf(w.detail, sizeof w.detail, fmt, ap);
	va_end(ap);
}

/* ---- turns ---- */

static void on_event(void *arg, const struct sched_event *ev)
{
	(void)arg;
	if (!strcmp(ev->kind, "job") && !strcmp(json_text(ev->body, "state", ""), "done"))
		vec_push(&w.done_in_turn, ev->id);
}

static void begin(void)
{
	w.done_in_turn.n = 0;
	turn(&w.x);
}

static void keep(void)
{
	commit(&w.x);
	vec_each (&w.done_in_turn, id) {
		if (*id < JOBS_MAX && w.ends[*id]++)
			broke("a job ends once", "job %lld", (long long)*id);
	}
}

static struct sched *new_sched(void)
{
	struct sched_hooks h = {.event = on_event,
		.health_job = estate_health_job,
		.arg = &w.x,
		.compile = estate_compile,
		.part_dir = estate_dir};
	struct err e = {0};
	struct sched *s;

	w.x.check_every_ms = 3600000;
	s = sched_new(w.x.store, &w.x.types, &h, &e);

	if (!s)
		DIE(&e);
	return s;
}

static void must(int rc, const struct err *e)
{
	if (rc && sched_damaged(w.x.sched))
		DIE(e);
}

/* ---- agents ---- */

static struct folder *folder_of(struct host *h, int64_t run, unsigned part)
{
	vec_each (&h->folders, f)
		if (f->run == run && f->part == part)
			return f;
	return NULL;
}

static void forget(struct host *h, int64_t run, unsigned part)
{
	for (size_t i = 0; i < h->folders.n; i++)
		if (h->folders.p[i].run == run && h->folders.p[i].part == part) {
			vec_del(&h->folders, i);
			return;
		}
}

static void say_hello(struct host *h)
{
	AUTOJSON *runs = json_array(), *answer = NULL;
	AUTOFREE char *text = NULL;
	char boards[128];
	size_t len = 0;
	json_t *list;

	for (int i = 0; i < BOARDS; i++)
		len += (size_t)snprintf(boards + len, sizeof boards - len, "%s%c%d%s", i ? " " : "",
			h->name[0], i, i == 3 ? ":beta" : "");
	vec_each (&h->folders, f)
		json_array_append_new(
			runs, json_pack("{s:I, s:i, s:s, s:I}", "run", (json_int_t)f->run, "part",
				      (int)f->part, "state", f->state == 2 ? "ended" : "running",
				      "inbox", (json_int_t)f->inbox));
	text = json_dumps(runs, 0);
	begin();
	answer = hello_with(&w.x, h->name, boards, h == w.hosts ? 2 : 0, text);
	keep();
	h->up = true;
	h->ack = 0;
	list = json_object_get(answer, "forget");
	for (size_t i = 0; i < json_array_size(list); i++)
		forget(h, json_int(json_array_get(list, i), "run", 0),
			(unsigned)json_int(json_array_get(list, i), "part", 0));
	if (json_array_size(json_object_get(answer, "refused")))
		broke("no board is refused", "agent %s", h->name);
}

static void on_start(struct host *h, const json_t *c)
{
	struct folder f = {.run = json_int(c, "run", 0),
		.part = (unsigned)json_int(c, "part", 0),
		.lease = json_flag(c, "lease", false)};

	if (folder_of(h, f.run, f.part))
		return;
	snprintf(f.board, sizeof f.board, "%s", json_text(c, "board", ""));
	vec_each (&h->folders, other)
		if (!strcmp(other->board, f.board) && other->state != 2)
			broke("a board is in one run", "%s: runs %lld and %lld", f.board,
				(long long)other->run, (long long)f.run);
	vec_push(&h->folders, f);
}

static void obey(struct host *h, const json_t *c)
{
	int64_t run = json_int(c, "run", 0), n = json_int(c, "n", 0);
	struct folder *f = folder_of(h, run, (unsigned)json_int(c, "part", 0));
	const char *what = json_text(c, "do", "");

	if (!strcmp(what, "start"))
		on_start(h, c);
	else if (!f && !strcmp(what, "cancel") && dice(2)) /* its start never came: so it says */
		vec_push(&h->folders, ((struct folder){.run = run,
					      .part = (unsigned)json_int(c, "part", 0),
					      .state = 2,
					      .cancel = true,
					      .verdict = "canceled",
					      .blame = "cancel"}));
	else if (!f)
		return;
	else if (!strcmp(what, "cancel"))
		f->cancel = true;
	else if (!strcmp(what, "inbox") && n > f->inbox + 1 && !f->lease)
		broke("no line is left out", "run %lld: %lld after %lld", (long long)run,
			(long long)n, (long long)f->inbox);
	else if (!strcmp(what, "inbox") && n > f->inbox)
		f->inbox = n;
	else if (!strcmp(what, "forget")) {
		if (f->state != 2 || !f->told_end)
			broke("what is not over is not forgotten", "run %lld", (long long)run);
		forget(h, run, f->part);
	}
}

/* A request of it; false: it had to say hello instead, which changes its folders. */
static bool heard(struct host *h)
{
	struct err e = {0};
	int rc;

	begin();
	rc = sched_seen(w.x.sched, h->name, &e);
	must(rc, &e);
	keep();
	if (rc)
		say_hello(h);
	return !rc;
}

static void poll_host(struct host *h)
{
	json_t *list;

	if (!h->up || !heard(h))
		return;
	list = sched_commands(w.x.sched, h->name, h->ack);
	for (size_t i = 0; i < json_array_size(list); i++) {
		obey(h, json_array_get(list, i));
		if (dice(8)) /* or its acknowledgement is lost */
			h->ack = json_int(json_array_get(list, i), "seq", 0);
	}
	json_decref(list);
}

static void set_end(struct folder *f)
{
	static const struct {
		const char *verdict, *blame;
	} ends[FIRST_END] = {{"fail", "test"}, {"fail", "test"}, {"incomplete", "infra"},
		{"incomplete", "infra"}, {"incomplete", "infra"}, {"incomplete", "test"},
		{"incomplete", "timeout"}, {"incomplete", "build"}};
	unsigned i = dice(FIRST_END);

	f->state = 2;
	f->verdict = ends[i].verdict ? ends[i].verdict : "pass";
	f->blame = ends[i].verdict ? ends[i].blame : "none";
	if (f->cancel && dice(4)) {
		f->verdict = "canceled";
		f->blame = "cancel";
	}
}

static void say_event(struct host *h, struct folder *f)
{
	static const char *const lines[] = {"{\"kind\":\"barrier\",\"name\":\"one\"}",
		"{\"kind\":\"barrier\",\"name\":\"two\"}",
		"{\"kind\":\"tell\",\"key\":\"k\",\"value\":\"\"}",
		"{\"kind\":\"power\",\"state\":\"on\"}", "{\"kind\":\"power\",\"state\":\"off\"}"};
	const char *line = lines[dice(ARRAY_LEN(lines))];
	struct store_event ev = {.offset = f->offset, .line = line};
	AUTOJSON *j = json_loads(line, 0, NULL);
	struct err e = {0};

	if (!heard(h) || !sched_part_open(w.x.sched, f->run, f->part, h->name))
		return;
	begin();
	if (store_part_events(w.x.store, f->run, f->part, &ev, 1, &e))
		DIE(&e);
	must(sched_part_event(w.x.sched, f->run, f->part, f->offset, j, &e), &e);
	keep();
	f->offset += strlen(line) + 1;
}

/* The worker goes on by itself; what it did comes here when its agent is there. */
static void work(struct host *h)
{
	struct folder *f = h->folders.n ? &h->folders.p[dice((unsigned)h->folders.n)] : NULL;

	if (!f)
		return;
	if (f->state == 0 && f->cancel)
		set_end(f);
	else if (f->state == 0)
		f->state = 1;
	else if (f->state == 1 && (f->cancel || !f->lease) && !dice(2))
		set_end(f);
	else if (f->state == 1 && h->up && !f->lease)
		say_event(h, f);
}

static bool report_start(struct folder *f)
{
	struct err e = {0};

	if (f->told_start || !f->state)
		return false;
	must(sched_part_started(w.x.sched, f->run, f->part, &e), &e);
	return true;
}

static bool report_end(struct folder *f)
{
	AUTOJSON *status = NULL;
	struct err e = {0};

	if (f->state != 2)
		return false;
	status = json_pack("{s:s, s:s, s:s, s:s}", "verdict", f->verdict, "blame", f->blame,
		"message", "said", "power", dice(2) ? "off" : "on");
	if (sched_part_ended(w.x.sched, f->run, f->part, status, &e))
		DIE(&e);
	return true;
}

static void report(struct host *h)
{
	struct folder *f = h->folders.n ? &h->folders.p[dice((unsigned)h->folders.n)] : NULL;
	struct sched_part *p;

	if (!f || !h->up || !heard(h))
		return;
	begin();
	p = part_find(w.x.sched, f->run, f->part);
	if (report_start(f))
		f->told_start = true;
	else if (f->state == 2 && p && p->agent && p->run->n == 1 &&
		 (p->lost || p->state != PART_ENDED)) {
		w.said[f->run] = f->verdict;
		w.late[f->run] = p->lost;
		w.n_late += p->lost;
		f->told_end = report_end(f);
	} else if (f->state == 2)
		f->told_end = report_end(f);
	keep();
}

#endif
