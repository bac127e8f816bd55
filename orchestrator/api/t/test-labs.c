/* SPDX-License-Identifier: MIT */
/*
 * Tokens bound to a lab, on a controller with two: whoever has one sees nothing of the other lab,
 * and nothing of what he submits, reserves, retries or schedules is ever run there.
 */
#include "fake.h"

struct two {
	struct served s;
	struct fake one, two; /* agents of labs "one" (board b1) and "two" (board b2) */
	struct http_client *ann, *oper, *admin, *bob; /* bound to "one"; bob: to nothing */
	int64_t hidden, run_two;                      /* a job in "two" of bob, and its run */
};

static struct http_client *client(
	struct served *s, const char *name, const char *rights, bool bound)
{
	AUTOFREE char *token =
		served_token(s, name, rights, bound ? ", \"labs\": [\"one\"]" : NULL);

	return served_client(s, token);
}

static void setup(struct two *t)
{
	fake_new(&t->one, &t->s, "agent-one", "one");
	fake_new(&t->two, &t->s, "agent-two", "two");
	t->ann = client(&t->s, "ann", "submitter", true);
	t->oper = client(&t->s, "olga", "operator", true);
	t->admin = client(&t->s, "adam", "admin", true);
	t->bob = client(&t->s, "bob", "submitter", false);
	is_int(fake_hello(&t->one, "two", "b1"), 403, "an agent's token is for its lab");
	is_int(fake_hello(&t->one, "one", "b1"), 200, "the agent of one");
	is_int(fake_hello(&t->two, "two", "b2"), 200, "the agent of the other");
}

static char *state_of(struct two *t, int64_t job, char **waits)
{
	AUTOFREE char *path = mem_printf("/jobs/%lld", (long long)job);
	AUTOJSON *j = NULL;

	served_call(t->s.http, "GET", path, NULL, &j);
	if (waits)
		*waits = mem_strdup(json_text(j, "waits", ""));
	return mem_strdup(json_text(j, "state", ""));
}

static size_t count(struct http_client *http, const char *path, const char *key)
{
	AUTOJSON *j = NULL;

	is_int(served_call(http, "GET", path, NULL, &j), 200, "GET %s", path);
	return json_array_size(json_object_get(j, key));
}

/* Lab one is busy: what is bound to it waits, though a board of the other is free. */
static void scheduling(struct two *t)
{
	AUTOJSON *forged = NULL;
	int64_t first = fake_job(t->ann, ""), second = fake_job(t->ann, ""), run, pinned;
	AUTOFREE char *state = NULL, *waits = NULL, *pinned_state = NULL, *pinned_waits = NULL;

	run = fake_poll(&t->one, "start");
	ok(first && run, "her job goes to lab one");
	state = state_of(t, second, &waits);
	is_str(state, "queued", "her next one waits, though lab two is idle");
	has_str(waits, "in lab 'one'", "and says for which lab");
	pinned = fake_job(t->ann, ", \"board\": {\"name\": \"b2\"}");
	pinned_state = state_of(t, pinned, &pinned_waits);
	is_str(pinned_state, "queued", "one for that very board waits too");
	has_str(pinned_waits, "'b2' is not known", "and learns nothing of it");
	t->hidden = fake_job(t->bob, "");
	t->run_two = fake_poll(&t->two, "start");
	ok(t->run_two > 0, "the job of one who is bound to nothing takes it");
	fake_start_run(&t->two, t->run_two);
	fake_ship(&t->two, t->run_two, "console-main.log", 0, STR_LIT("secret of two\n"), NULL);
	is_int(fake_ship(&t->two, run, "console-main.log", 0, STR_LIT("forged\n"), &forged), 200,
		"the other lab's agent ships into that run");
	ok(json_flag(forged, "gone", false), "nothing of it is taken");
	fake_start_run(&t->one, run);
	fake_end_run(&t->one, run);
	ok(fake_poll(&t->one, "start") > 0, "when lab one is free, the next of hers begins there");
}

/* head, number, tail: a path */
static void nothing(
	struct http_client *http, const char *who, const char *head, int64_t id, const char *tail)
{
	AUTOFREE char *path = mem_printf("%s%lld%s", head, (long long)id, tail);

	is_int(served_call(http, "GET", path, NULL, NULL), 404, "%s: no %s", who, path);
}

/* That it is there at all: who is bound to nothing sees it. */
static void all(struct two *t)
{
	AUTOFREE char *log = mem_printf("/runs/%lld/log", (long long)t->run_two);

	is_int((long)count(t->s.http, "/boards", "boards"), 2, "there are two boards");
	is_int((long)count(t->s.http, "/agents", "agents"), 2, "of two agents");
	is_int((long)count(t->s.http, "/runs", "runs"), 3, "and three runs");
	is_int(served_call(t->bob, "GET", log, NULL, NULL), 200, "with a log");
}

static void views(struct two *t, struct http_client *http, const char *who)
{
	AUTOJSON *jobs = NULL, *boards = NULL, *health = NULL;
	AUTOFREE char *text = NULL;

	served_call(http, "GET", "/boards", NULL, &boards);
	is_int((long)json_array_size(json_object_get(boards, "boards")), 1, "%s: one board", who);
	is_int((long)count(http, "/agents", "agents"), 1, "%s: one agent", who);
	served_call(http, "GET", "/jobs", NULL, &jobs);
	text = json_dumps(jobs, JSON_COMPACT);
	ok(!strstr(text, "bob"), "%s: no job of lab two is listed", who);
	ok(!strstr(text, "\"b2\"]"), "%s: nor a run on its board", who);
	is_int((long)count(http, "/runs", "runs"), 2, "%s: the runs of lab one", who);
	served_call(http, "GET", "/health", NULL, &health);
	ok(!json_object_get(health, "counts"), "%s: no counts of all labs", who);
	nothing(http, who, "/jobs/", t->hidden, "");
	nothing(http, who, "/jobs/", t->hidden, "/events");
	nothing(http, who, "/runs/", t->run_two, "");
	nothing(http, who, "/runs/", t->run_two, "/log");
	nothing(http, who, "/runs/", t->run_two, "/files");
	nothing(http, who, "/runs/", t->run_two, "/files/console-main.log");
	nothing(http, who, "/runs/", t->run_two, "/report");
	nothing(http, who, "/boards/b", 2, "");
	nothing(http, who, "/boards/b", 2, "/power");
	nothing(http, who, "/boards/b", 2, "/console");
}

static void acts(struct two *t)
{
	static const char *const tries[][3] = {{"POST", "/boards/b2/lease", "{}"},
		{"PUT", "/boards/b2/lease", "{}"}, {"DELETE", "/boards/b2/lease", NULL},
		{"POST", "/boards/b2/power", "{\"action\": \"off\"}"},
		{"POST", "/boards/b2/console", "x"}, {"POST", "/boards/b2/check", "{}"},
		{"POST", "/boards/b2/health", "{\"health\": \"bad\", \"reason\": \"r\"}"}};
	AUTOFREE char *cancel = mem_printf("/jobs/%lld/cancel", (long long)t->hidden);
	AUTOFREE char *retry = mem_printf("/jobs/%lld/retry", (long long)t->hidden);

	for (size_t i = 0; i < ARRAY_LEN(tries); i++)
		is_int(served_call(t->oper, tries[i][0], tries[i][1], tries[i][2], NULL), 404,
			"an operator of lab one: %s %s", tries[i][0], tries[i][1]);
	is_int(served_call(t->oper, "POST", cancel, "{}", NULL), 404, "cannot cancel there");
	is_int(served_call(t->oper, "POST", retry, "{}", NULL), 404, "nor retry");
}

/* What is followed: each sees the changes of his labs alone. */
struct listening {
	struct two *t;
	struct loop *loop;
	struct buf text;
	bool begun;
};

static int hear(void *arg, struct str bytes)
{
	static const char bad[] = "{\"health\": \"bad\", \"reason\": \"r\"}";
	struct listening *l = arg;

	buf_add(&l->text, bytes.p, bytes.n);
	if (!l->begun) {
		l->begun = true;
		is_int(served_call(l->t->s.http, "POST", "/boards/b2/health", bad, NULL), 200,
			"the other lab's board falls ill");
		is_int(served_call(l->t->s.http, "POST", "/boards/b1/health", bad, NULL), 200,
			"then this one's");
	}
	return strstr(buf_str(&l->text), "\"b1\"") != NULL;
}

static void heard(void *arg, const struct http_answer *a)
{
	(void)a;
	loop_stop(((struct listening *)arg)->loop);
}

static void events(struct two *t)
{
	AUTOFREE char *token = served_token(&t->s, "vera", "viewer", ", \"labs\": [\"one\"]");
	struct listening l = {.t = t, .loop = loop_new(NULL), .text = BUF_INIT(1 << 20)};
	const struct http_client_opts o = {.base = t->s.url, .token = token};
	const struct http_ask ask = {.method = "GET",
		.path = "/api/v1/events",
		.on_bytes = hear,
		.arg = &l,
		.timeout_ms = 60000};
	struct http_client *http = http_client_new(l.loop, &o, NULL);

	http_send(http, &ask, heard, &l);
	loop_run(l.loop, NULL);
	has_str(buf_str(&l.text), "\"b1\"", "who follows is told of his lab's board");
	ok(!strstr(buf_str(&l.text), "\"b2\""), "and not of the other's");
	http_client_free(http);
	loop_free(l.loop);
	buf_done(&l.text);
}

/* The other lab's jobs tell on themselves nowhere: not in the audit, not in nights, not by tokens.
 */
static void papers(struct two *t)
{
	static const char night[] =
		"{\"plan\": \"p\", \"entries\": [{\"text\": \"job: a\\nboard: {type: "
		"am62axx-sk-twin}\\nsteps: [{power: on}]\\n\"}]}";
	static const char schedule[] =
		"{\"plan\": \"%s\", \"schedule\": \"0 0 1 1 *\", \"entries\": [{\"text\": \"job: "
		"a\\nboard: {type: am62axx-sk-twin}\\nsteps: [{power: on}]\\n\"}]}";
	AUTOFREE char *hers = mem_printf(schedule, "hers"), *his = mem_printf(schedule, "his");
	AUTOFREE char *text = NULL, *cancel = NULL;
	AUTOJSON *audit = NULL, *made = NULL;

	served_call(t->oper, "GET", "/audit?limit=1000", NULL, &audit);
	text = json_dumps(audit, JSON_COMPACT);
	has_str(text, "ann", "the audit tells an operator of lab one what was done there");
	ok(!strstr(text, "bob"), "and nothing of lab two");
	is_int(served_call(t->bob, "POST", "/nightlies", night, &made), 201, "a night elsewhere");
	is_int((long)count(t->oper, "/nightlies", "nightlies"), 0, "is not listed");
	nothing(t->oper, "operator", "/nightlies/", json_int(made, "nightly", 0), "");
	cancel = mem_printf("/nightlies/%lld/cancel", (long long)json_int(made, "nightly", 0));
	is_int(served_call(t->oper, "POST", cancel, "{}", NULL), 404, "nor to be canceled");
	is_int(served_call(t->bob, "POST", "/nightlies", his, NULL), 201, "a schedule");
	is_int((long)count(t->oper, "/schedules", "schedules"), 0, "is not listed");
	is_int(served_call(t->ann, "POST", "/nightlies", his, NULL), 403, "nor replaced");
	is_int(served_call(t->oper, "DELETE", "/schedules/his", NULL, NULL), 403, "nor deleted");
	is_int(served_call(t->ann, "POST", "/nightlies", hers, NULL), 201, "one of her own");
	is_int((long)count(t->ann, "/schedules", "schedules"), 1, "she sees");
}

static void tokens(struct two *t)
{
	is_int(served_call(t->admin, "POST", "/tokens",
		       "{\"account\": \"x\", \"rights\": \"admin\"}", NULL),
		403, "an admin of lab one makes no token for all");
	is_int(served_call(t->admin, "POST", "/tokens",
		       "{\"account\": \"x\", \"rights\": \"admin\", \"labs\": [\"one\", \"two\"]}",
		       NULL),
		403, "nor one for the other lab");
	is_int(served_call(t->admin, "POST", "/tokens",
		       "{\"account\": \"x\", \"rights\": \"viewer\", \"labs\": [\"one\"]}", NULL),
		201, "but for his own");
	is_int((long)count(t->admin, "/tokens", "tokens"), 6, "he sees those of his lab");
	is_int(served_call(t->admin, "DELETE", "/tokens/1", NULL, NULL), 404,
		"and deletes no other");
	is_int(served_call(t->admin, "POST", "/agent/poll", "{\"agent\": \"agent-two\"}", NULL),
		403, "he is no agent");
}

/* A stream ends with the token by which it was begun. */
struct deleting {
	struct served *s;
	struct loop *loop;
	int64_t id;
	bool deleted;
};

static int delete_it(void *arg, struct str bytes)
{
	struct deleting *d = arg;
	AUTOFREE char *path = mem_printf("/tokens/%lld", (long long)d->id);

	(void)bytes;
	if (!d->deleted)
		is_int(served_call(d->s->http, "DELETE", path, NULL, NULL), 200,
			"while somebody follows, his token is deleted");
	d->deleted = true;
	return 0;
}

static void stream_over(void *arg, const struct http_answer *a)
{
	struct deleting *d = arg;

	is_int(a->status, 200, "he was let in");
	ok(!err_is(&a->e), "his stream ends: %s", a->e.msg);
	loop_stop(d->loop);
}

static void deleted(struct two *t, const char *path)
{
	AUTOJSON *made = NULL;
	struct deleting d = {.s = &t->s, .loop = loop_new(NULL)};
	struct http_client_opts o = {.base = t->s.url};
	const struct http_ask ask = {.method = "GET",
		.path = path,
		.on_bytes = delete_it,
		.arg = &d,
		.timeout_ms = 60000};
	struct http_client *http;

	served_call(t->s.http, "POST", "/tokens", "{\"account\": \"tim\", \"rights\": \"viewer\"}",
		&made);
	d.id = json_int(made, "id", 0);
	o.token = json_text(made, "token", NULL);
	http = http_client_new(d.loop, &o, NULL);
	http_send(http, &ask, stream_over, &d);
	loop_run(d.loop, NULL);
	http_client_free(http);
	loop_free(d.loop);
}

int main(void)
{
	AUTOFREE char *log = NULL, *events_of = NULL;
	struct two t;

	if (ok(served_new_with(&t.s, "health: {}\n"), "a server starts")) {
		setup(&t);
		scheduling(&t);
		all(&t);
		views(&t, t.ann, "ann");
		views(&t, t.oper, "operator");
		acts(&t);
		events(&t);
		papers(&t);
		tokens(&t);
		log = mem_printf("/api/v1/runs/%lld/log?follow=1", (long long)t.run_two);
		events_of = mem_printf("/api/v1/jobs/%lld/events", (long long)t.hidden);
		deleted(&t, "/api/v1/events");
		deleted(&t, log);
		deleted(&t, events_of);
		fake_done(&t.one);
		fake_done(&t.two);
		http_client_free(t.ann);
		http_client_free(t.oper);
		http_client_free(t.admin);
		http_client_free(t.bob);
	}
	served_done(&t.s);
	return tap_done();
}
