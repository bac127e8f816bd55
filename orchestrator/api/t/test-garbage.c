/* SPDX-License-Identifier: MIT */
/*
 * Garbage on every route of a real server: strange arguments, queries and bodies that are nearly
 * right, beside jobs, runs, a lease, a night and a build that are there; streams and calls that
 * wait are cut off. Whatever comes, the answer is an error that says so (never 500), the server
 * lives, and nothing outside of its folder is touched. HILAB_SEED repeats a run, HILAB_GARBAGE sets
 * the count.
 */
#include "api/api.h"
#include "fake.h"

#include <sys/stat.h>
#include <time.h>

#define COUNT 3000

static uint64_t state;

static uint64_t rnd(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? state % n : state;
}

static const char *const words[] = {"1", "2", "99", "-1", "0", "x", "main", "status", "..", ".", "",
	"%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%2fdb", "a%00b", "%ff%fe", "%", "a/b", "artifacts/x",
	"console-main.log", "9223372036854775808", "true", "NaN", "ada", "board", "b", "c", "p",
	"a", "-5", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"};
static const char *const names[] = {"limit", "before", "from", "tail", "offset", "bytes", "agent",
	"console", "role", "format", "check", "open", "kind", "state", "subject", "take", "break",
	"follow", "client", "after", "name", "since", "job"};
static const char *const bodies[] = {
	"{\"text\": \"job: a\\nboard: {type: am62axx-sk-twin}\\nsteps: [{power: on}]\\n\", "
	"\"params\": {}, \"priority\": 1, \"board\": {\"tags\": [\"x\"]}, \"files\": {}, "
	"\"build\": \"b@1\", \"key\": \"k\"}",
	"{\"agent\": \"a\", \"lab\": \"l\", \"version\": \"1\", \"protocol\": 1, \"max_jobs\": 3, "
	"\"boards\": [{\"name\": \"b\", \"type\": \"am62axx-sk-twin\", \"soc\": \"am62axx\", "
	"\"peripherals\": [\"mmc\"], \"tags\": []}], \"runs\": [{\"run\": 1, \"part\": 0, "
	"\"state\": \"running\", \"inbox\": 0}]}",
	"{\"agent\": \"a\", \"ack\": 1}",
	"{\"account\": \"ada\", \"rights\": \"viewer\", \"labs\": [\"l\"], \"expires_ms\": 1}",
	"{\"health\": \"bad\", \"reason\": \"r\"}",
	"{\"for_ms\": 1000, \"hard_ms\": 0, \"why\": \"w\", \"wait\": true, \"take_over\": true}",
	"{\"action\": \"on\"}",
	"{\"manifest\": \"build: b\\nversion: 1\\nsoc: am62axx\\nimages: {kernel: {path: x}}\"}",
	"{\"plan\": \"p\", \"deadline_ms\": 1, \"schedule\": \"* * * * *\", \"entries\": "
	"[{\"text\": \"job: a\"}]}",
	"{\"max_bytes\": 1}", "{}"};

/* Texts of JSON that may stand where a value stood. */
static const char *const values[] = {"null", "true", "-1", "1e308", "\"\"", "[]", "{}", "[[[]]]",
	"\"\\u0000\"", "9223372036854775807", "\"../../x\"", "{\"a\": {\"a\": {}}}"};

static void add_word(struct buf *out)
{
	buf_puts(out, words[rnd(ARRAY_LEN(words))]);
}

static void random_path(const struct route *r, struct buf *out)
{
	const char *path = r->path;

	while (*path) {
		if (*path != '{') {
			buf_putc(out, *path++);
			continue;
		}
		add_word(out);
		path = strchr(path, '}') + 1;
	}
	for (uint64_t i = 0, n = rnd(4); i < n; i++) {
		buf_printf(out, "%c%s=", i ? '&' : '?', names[rnd(ARRAY_LEN(names))]);
		add_word(out);
	}
}

/* A body that was right, with a value or some bytes changed. */
static void random_body(struct buf *out)
{
	const char *body = bodies[rnd(ARRAY_LEN(bodies))];
	size_t n = strlen(body), at = rnd(n);
	const char *colon = strchr(body + at, ':');

	if (rnd(3) && colon) {
		const char *end = colon + 1 + strcspn(colon + 1, ",}]");

		buf_add(out, body, (size_t)(colon + 1 - body));
		buf_puts(out, values[rnd(ARRAY_LEN(values))]);
		buf_puts(out, end);
		return;
	}
	buf_add(out, body, n);
	for (uint64_t i = 0, flips = rnd(4); i < flips; i++)
		out->data[rnd(n)] = (char)rnd(256);
	if (!rnd(8))
		out->len = rnd(n);
}

static void random_chunks(struct buf *out)
{
	for (uint64_t i = 0, n = rnd(5); i < n; i++) {
		struct chunk c = {.run = (int64_t)rnd(4),
			.part = (unsigned)rnd(3),
			.offset = rnd(4) ? 0 : rnd(0),
			.bytes = STR_LIT("{\"kind\":\"run-start\"}\n")};

		snprintf(c.file, sizeof c.file, "%s", rnd(2) ? "events.jsonl" : "../../x");
		chunk_format(out, &c);
	}
	for (uint64_t i = 0, flips = rnd(3); out->len && i < flips; i++)
		out->data[rnd(out->len)] = (char)rnd(256);
}

/* It may have no end, or none soon: it is cut off. */
static bool is_held(const struct route *r)
{
	static const char *const held[] = {"/events", "/jobs/{job}/events", "/runs/{run}/log",
		"/boards/{board}/console", "/boards/{board}/power", "/agent/poll"};

	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		if (!strcmp(r->path + strlen(API), held[i]))
			return true;
	return false;
}

/* Those that are cut off take time: they come less often. */
static const struct route *random_route(void)
{
	size_t n = 0;
	const struct route *r;

	while (api_routes[n].method)
		n++;
	do
		r = &api_routes[rnd(n)];
	while (!strcmp(r->path, API "/tokens/{token}") /* its own */ || (is_held(r) && rnd(3)));
	return r;
}

static int cut_here(void *arg, struct str bytes)
{
	(void)bytes;
	return (*(int *)arg)-- <= 0;
}

static bool one(struct served *s, long i)
{
	AUTOBUF path = BUF_INIT(65536), body = BUF_INIT(65536);
	const struct route *r = random_route();
	bool cut = is_held(r) || !rnd(40);
	int pieces = (int)rnd(3);
	struct http_ask ask = {
		.method = r->method, .timeout_ms = cut ? 1 + (int64_t)rnd(30) : 20000};
	struct http_answer a = {0};
	bool good;

	random_path(r, &path);
	if (r->body == BODY_JSON)
		random_body(&body);
	else if (r->body == BODY_BYTES)
		random_chunks(&body);
	if (is_held(r)) {
		ask.on_bytes = cut_here;
		ask.arg = &pieces;
	}
	ask.path = buf_str(&path);
	ask.body = str_make(buf_str(&body), body.len);
	http_call(s->http, &ask, &a);
	good = (a.status || cut) && a.status != 500;
	if (!good) {
		ok(false, "call %ld: %s %s is answered: %u %s", i, r->method, buf_str(&path),
			a.status, a.status ? buf_str(&a.body) : a.e.msg);
		tap_text("body", buf_str(&body));
	}
	http_answer_done(&a);
	return good;
}

/* A job that runs, one that waits, a lease, a night, a schedule, a build and an image: what random
 * numbers and names may hit. */
static void things(struct served *s)
{
	AUTOFREE char *token = served_token(s, "a", "agent", NULL);
	struct fake f = {.name = "a", .http = served_client(s, token)};
	int64_t run;

	is_int(fake_hello(&f, "l", "b"), 200, "an agent with a board");
	is_int(served_call(s->http, "POST", "/boards/b/health", "{\"health\": \"good\"}", NULL),
		200, "that is good");
	fake_job(s->http, "");
	run = fake_poll(&f, "start");
	fake_start_run(&f, run);
	fake_ship(&f, run, "console-main.log", 0, STR_LIT("hello\n"), NULL);
	fake_end_run(&f, run);
	fake_job(s->http, "");
	run = fake_poll(&f, "start");
	ok(run > 0, "a job runs");
	fake_start_run(&f, run);
	fake_job(s->http, ", \"board\": {\"name\": \"c\"}");
	served_call(s->http, "POST", "/boards/b/lease", "{\"wait\": true}", NULL);
	served_call(s->http, "POST", "/nightlies",
		"{\"plan\": \"p\", \"entries\": [{\"text\": \"job: a\\nboard: {type: "
		"am62axx-sk-twin}\\nsteps: [{power: on}]\\n\"}]}",
		NULL);
	served_call(s->http, "PUT",
		"/blobs/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", "hello",
		NULL);
	served_call(s->http, "POST", "/builds",
		"{\"manifest\": \"build: b\\nversion: 1\\nsoc: am62axx\\nimages: {kernel: {path: "
		"x, sha256: "
		"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824}}\"}",
		NULL);
	fake_done(&f);
}

int main(void)
{
	const char *seed = getenv("HILAB_SEED"), *count = getenv("HILAB_GARBAGE");
	long n = count ? atol(count) : COUNT, i = 0;
	AUTOFREE char *outside = NULL;
	struct served s;

	state = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
	state |= 1;
	printf("# HILAB_SEED=%llu HILAB_GARBAGE=%ld\n", (unsigned long long)state, n);
	if (ok(served_new_with(&s, "health: {}\n"), "a server starts")) {
		things(&s);
		while (i < n && one(&s, i))
			i++;
		is_int(i, n, "every call was answered, none by 500");
		ok(!child_poll(&s.server), "the server lives");
		is_int(served_call(s.http, "GET", "/health", NULL, NULL), 200, "and is well");
		outside = mem_printf("%s/x", s.dir);
		ok(!fs_exists(outside), "no file is where none should be");
	}
	served_done(&s);
	return tap_done();
}
