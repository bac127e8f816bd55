/* SPDX-License-Identifier: MIT */
/*
 * Calls on a real server with no agent: what is submitted waits and says what for, what is not
 * valid says why, and what was said yes to is there after a kill.
 */
#include "served.h"

#include "io/digest.h"

static const char job[] = "job: hello\n"
			  "board: {type: am62axx-sk-twin}\n"
			  "params: {word: {default: hi}}\n"
			  "steps:\n"
			  "  - power: on\n"
			  "  - login\n"
			  "  - run: {name: say, command: \"echo ${word}\"}\n";

/* The body of a submission; heap. */
static char *submission(const char *text, const char *more)
{
	AUTOJSON *j = json_pack("{s:s, s:s}", "text", text, "file", "hello.yaml");
	AUTOJSON *extra = more ? json_loads(more, 0, NULL) : NULL;

	json_object_update(j, extra);
	return json_dumps(j, JSON_COMPACT);
}

static int64_t submit(struct served *s, const char *more)
{
	AUTOFREE char *body = submission(job, more);
	AUTOJSON *j = NULL;

	is_int(served_call(s->http, "POST", "/jobs", body, &j), 201, "a job is taken: %s",
		more ? more : "as it is");
	return json_int(j, "job", 0);
}

static json_t *show(struct served *s, int64_t id)
{
	AUTOFREE char *path = mem_printf("/jobs/%lld", (long long)id);
	json_t *j = NULL;

	is_int(served_call(s->http, "GET", path, NULL, &j), 200, "job %lld is there",
		(long long)id);
	return j;
}

static void refused(
	struct served *s, const char *text, const char *more, unsigned want, const char *part)
{
	AUTOFREE char *body = submission(text, more);
	AUTOJSON *j = NULL;
	AUTOFREE char *said = NULL;

	is_int(served_call(s->http, "POST", "/jobs", body, &j), want, "refused: %s", part);
	said = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);
	has_str(said, part, "and told why");
}

static void submissions(struct served *s)
{
	int64_t id = submit(s, "{\"params\": {\"word\": \"ho\"}, \"priority\": 5, \"key\": \"k\"}");
	AUTOFREE char *again = submission(job, "{\"key\": \"k\"}");
	AUTOJSON *view = show(s, id), *same = NULL;

	is_str(json_text(view, "state", NULL), "queued", "it waits");
	has_str(json_text(view, "waits", NULL), "am62axx-sk-twin", "and says for which boards");
	is_str(json_text(view, "submitter", NULL), "local", "it is the caller's");
	is_str(json_text(json_object_get(view, "params"), "word", NULL), "ho", "with its params");
	is_int(served_call(s->http, "POST", "/jobs", again, &same), 200, "the same key again");
	is_int(json_int(same, "job", 0), id, "is the same job");

	refused(s, "job: [", NULL, 422, "hello.yaml:2:1");
	refused(s, "job: x\nsteps:\n  - power: on\nstpes: []\n", NULL, 422, "steps");
	refused(s, "lab: x\n", NULL, 422, "not a job");
	refused(s, job, "{\"params\": {\"wrod\": \"x\"}}", 422, "wrod");
	refused(s, job, "{\"params\": {\"word\": 7}}", 400, "word");
	refused(s, job, "{\"priority\": 101}", 400, "priority");
	refused(s, job, "{\"build\": \"nothing@1\"}", 400, "no build 'nothing@1'");
	refused(s, job, "{\"board\": {\"type\": \"am62axx-sk-twn\"}}", 422, "am62axx-sk-twin");
	is_int(served_call(s->http, "POST", "/jobs", "[1]", NULL), 400, "a body that is no object");
	is_int(served_call(s->http, "POST", "/jobs", "{", NULL), 400, "a body that is no JSON");
	is_int(served_call(s->http, "GET", "/jobs/0x", NULL, NULL), 404, "no number");
	is_int(served_call(s->http, "GET", "/jobs/999", NULL, NULL), 404, "no such job");
	is_int(served_call(s->http, "PATCH", "/jobs/1", NULL, NULL), 405, "no such method");
	is_int(served_call(s->http, "GET", "/nothing", NULL, NULL), 404, "no such path");
}

static void cancels(struct served *s)
{
	int64_t id = submit(s, NULL);
	AUTOFREE char *path = mem_printf("/jobs/%lld/cancel", (long long)id);
	AUTOFREE char *retry = mem_printf("/jobs/%lld/retry", (long long)id);
	AUTOJSON *view = NULL, *again = NULL;

	is_int(served_call(s->http, "POST", path, "{}", NULL), 202, "it is canceled");
	view = show(s, id);
	is_str(json_text(view, "state", NULL), "done", "at once");
	is_str(json_text(view, "verdict", NULL), "canceled", "and is canceled");
	is_str(json_text(view, "canceled_by", NULL), "local", "by the caller");
	is_int(served_call(s->http, "POST", path, "{}", NULL), 409, "only once");
	is_int(served_call(s->http, "POST", retry, "{}", &again), 201, "it is tried again");
	json_decref(view);
	view = show(s, json_int(again, "job", 0));
	is_int(json_int(view, "retry_of", 0), id, "as a job of its own");
}

/* A kill in mid-life: all that was answered is there, in the same state. */
static void killed(struct served *s)
{
	int64_t first = submit(s, NULL);
	AUTOJSON *before = NULL, *after = NULL;

	for (int i = 0; i < 20; i++)
		submit(s, NULL);
	served_call(s->http, "GET", "/jobs?limit=1000", NULL, &before);
	served_kill(s);
	if (!ok(served_start(s), "it starts again"))
		return;
	served_call(s->http, "GET", "/jobs?limit=1000", NULL, &after);
	ok(json_array_size(json_object_get(before, "jobs")) > 20, "there were jobs");
	ok(json_equal(before, after), "all jobs are as they were");
	json_decref(show(s, first));
}

/* In two pieces, the first of them too late, and once with bytes that are not the digest's. */
static void uploads(struct served *s)
{
	char sha256[DIGEST_HEX_BYTES];
	AUTOFREE char *path = NULL, *second = NULL;
	AUTOJSON *have = NULL;

	digest_sha256("hello", 5, sha256);
	path = mem_printf("/blobs/%s?offset=0&bytes=5", sha256);
	second = mem_printf("/blobs/%s?offset=3&bytes=5", sha256);
	is_int(served_call(s->http, "PUT", second, "lo", NULL), 409, "not from the middle");
	is_int(served_call(s->http, "PUT", path, "hel", &have), 200, "the first bytes");
	is_int(json_int(have, "have", 0), 3, "are kept");
	is_int(served_call(s->http, "PUT", second, "lx", NULL), 422, "a wrong digest");
	path[strlen("/blobs/") + 64] = 0;
	is_int(served_call(s->http, "GET", path, NULL, NULL), 404, "nothing is there then");
	path[strlen("/blobs/") + 64] = '?';
	is_int(served_call(s->http, "PUT", path, "hello", NULL), 201, "the whole");
	is_int(served_call(s->http, "GET", path, NULL, NULL), 200, "is there");
	is_int(served_call(s->http, "PUT", path, "hello", NULL), 201, "again is fine");
	is_int(served_call(s->http, "PUT", "/blobs/../../db", "x", NULL), 404, "no other name");
	is_int(served_call(s->http, "GET", "/blobs/..%2f..%2fdb", NULL, NULL), 404,
		"whatever it is written as");
}

static void builds(struct served *s)
{
	char sha256[DIGEST_HEX_BYTES];
	AUTOFREE char *manifest = NULL;
	AUTOJSON *first = NULL, *list = NULL;

	digest_sha256("kernel!", 7, sha256);
	manifest = mem_printf("{\"manifest\": \"build: b\\nversion: \\\"1\\\"\\nsoc: am62axx\\n"
			      "images: {kernel: {path: x, sha256: %s}}\"}",
		sha256);
	is_int(served_call(s->http, "POST", "/builds", manifest, &first), 201, "a build is taken");
	is_int((long)json_array_size(json_object_get(first, "missing")), 1, "its image is missing");
	refused(s, job, "{\"build\": \"b@1\"}", 400, "never uploaded");
	free(manifest);
	manifest = mem_printf("/blobs/%s?offset=0&bytes=7", sha256);
	is_int(served_call(s->http, "PUT", manifest, "kernel!", NULL), 201, "it is uploaded");
	submit(s, "{\"build\": \"b@1\"}");
	is_int(served_call(s->http, "POST", "/builds/b/1/pin", "{}", NULL), 200, "it is pinned");
	is_int(served_call(s->http, "POST", "/builds/prune", "{\"max_bytes\": 0}", NULL), 200,
		"all others go");
	served_call(s->http, "GET", "/builds", NULL, &list);
	is_int((long)json_array_size(json_object_get(list, "builds")), 1, "it stays");
	is_int(served_call(s->http, "DELETE", "/builds/b/1", NULL, NULL), 409, "also when asked");
	is_int(served_call(s->http, "DELETE", "/builds/x/1", NULL, NULL), 404, "no such build");
}

/* What the controller has of a run's status then; -1: the run is over. */
static long sync_status(struct served *s, long run, const char *bytes)
{
	AUTOFREE char *body = mem_printf("{\"run\":%ld,\"part\":0,\"file\":\"status\",\"offset\":0,"
					 "\"bytes\":%zu}\n%s\n",
		run, strlen(bytes), bytes);
	AUTOJSON *answer = NULL;
	const json_t *have;

	is_int(served_call(s->http, "POST", "/agent/sync?agent=host", body, &answer), 200,
		"a sync");
	have = json_array_get(json_object_get(answer, "have"), 0);
	return json_flag(have, "gone", false) ? -1 : (long)json_int(have, "bytes", -2);
}

/* An agent that lost an answer asks first what there is: that is no status. */
static void statuses(struct served *s)
{
	const char *hello =
		"{\"agent\":\"host\",\"lab\":\"l\",\"protocol\":1,\"boards\":[{\"name\":\"b\","
		"\"type\":\"am62axx-sk-twin\",\"soc\":\"am62axx\"}],\"runs\":[]}";
	const char *status = "{\"verdict\":\"pass\",\"blame\":\"none\",\"power\":\"off\"}";
	AUTOJSON *answer = NULL, *view = NULL;
	const json_t *start;
	AUTOFREE char *path = NULL;
	long run;

	is_int(served_call(s->http, "POST", "/agent/hello", hello, NULL), 200, "an agent comes");
	served_call(s->http, "POST", "/agent/poll", "{\"agent\":\"host\",\"ack\":0}", &answer);
	start = json_array_get(json_object_get(answer, "commands"), 0);
	is_str(json_text(start, "do", NULL), "start", "and gets a job");
	run = (long)json_int(start, "run", 0);
	is_int(sync_status(s, run, ""), 0, "nothing is there of its status");
	is_int(sync_status(s, run, status), (long)strlen(status), "it is taken");
	is_int(sync_status(s, run, ""), -1, "the run is over then");
	path = mem_printf("/runs/%ld", run);
	is_int(served_call(s->http, "GET", path, NULL, &view), 200, "the run");
	is_str(json_text(view, "verdict", NULL), "pass", "with the verdict that came");
}

int main(void)
{
	struct served s;

	if (ok(served_new(&s), "a server starts")) {
		submissions(&s);
		cancels(&s);
		uploads(&s);
		builds(&s);
		killed(&s);
		statuses(&s);
	}
	served_done(&s);
	return tap_done();
}
