/* SPDX-License-Identifier: MIT */
/*
 * Every call that changes something is in the audit, with who did it and from where. The table of
 * routes is walked: a call that writes and is not done here fails the test.
 */
#include "api/api.h"
#include "fake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

struct act {
	const char *method, *route, *path, *body;
	const char *what, *subject; /* of its entry */
};

#define JOB "{\"text\": \"job: a\\nboard: {type: am62axx-sk-twin}\\nsteps: [{power: on}]\\n\"}"

#define WHY "{\"reason\": \"r\"}"

/* In this order: each finds what it needs. */
static const struct act acts[] = {
	{"POST", "/jobs", "/jobs", JOB, "submit", "job 1"},
	{"POST", "/jobs/{job}/cancel", "/jobs/1/cancel", "{}", "cancel", "job 1"},
	{"POST", "/jobs/{job}/retry", "/jobs/1/retry", "{}", "retry", "job 2"},
	{"POST", "/jobs/{job}/cancel", "/jobs/2/cancel", "{}", "cancel", "job 2"},
	{"POST", "/boards/{board}/health", "/boards/b/health",
		"{\"health\": \"good\", \"reason\": \"r\"}", "health", "board b"},
	{"POST", "/boards/{board}/check", "/boards/b/check", "{}", "check", "board b"},
	{"POST", "/jobs", "/jobs", JOB, "submit", "job 4"},
	{"POST", "/alerts", "/alerts", "{\"kind\": \"boot\", \"source\": 4}", "alert open",
		"alert 1"},
	{"POST", "/alerts/{alert}/acknowledge", "/alerts/1/acknowledge", WHY, "alert acknowledge",
		"alert 1"},
	{"POST", "/alerts/{alert}/accept", "/alerts/1/accept", WHY, "alert accept", "alert 1"},
	{"POST", "/alerts/{alert}/reopen", "/alerts/1/reopen", WHY, "alert reopen", "alert 1"},
	{"POST", "/known", "/known", "{\"test\": \"t*\", \"reason\": \"r\"}", "known add",
		"known 1"},
	{"DELETE", "/known/{known}", "/known/1", NULL, "known delete", "known 1"},
	{"POST", "/boards/{board}/lease", "/boards/b/lease", "{\"wait\": true}", "reserve",
		"board b"},
	{"PUT", "/boards/{board}/lease", "/boards/b/lease", "{\"for_ms\": 60000}", "renew",
		"board b"},
	{"POST", "/boards/{board}/console", "/boards/b/console?client=c", "x", "type", "board b"},
	{"POST", "/boards/{board}/power", "/boards/b/power", "{\"action\": \"on\"}", "power",
		"board b"},
	{"DELETE", "/boards/{board}/lease", "/boards/b/lease", NULL, "release", "board b"},
	{"POST", "/nightlies", "/nightlies", "{\"plan\": \"p\", \"entries\": [" JOB "]}", "nightly",
		"p"},
	{"POST", "/nightlies", "/nightlies",
		"{\"plan\": \"q\", \"schedule\": \"0 0 1 1 *\", \"entries\": [" JOB "]}",
		"schedule", "q"},
	{"POST", "/nightlies/{nightly}/cancel", "/nightlies/1/cancel", "{}", "nightly cancel", "1"},
	{"DELETE", "/schedules/{plan}", "/schedules/q", NULL, "schedule delete", "q"},
	{"POST", "/builds", "/builds",
		"{\"manifest\": \"build: b\\nversion: \\\"1\\\"\\nsoc: am62axx\\nimages: {kernel: "
		"{path: x, sha256: "
		"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824}}\"}",
		"build add", "build b@1"},
	{"POST", "/builds/{build}/{version}/pin", "/builds/b/1/pin", "{}", "build pin",
		"build b@1"},
	{"POST", "/builds/{build}/{version}/unpin", "/builds/b/1/unpin", "{}", "build unpin",
		"build b@1"},
	{"DELETE", "/builds/{build}/{version}", "/builds/b/1", NULL, "build delete", "build b@1"},
	{"POST", "/builds/prune", "/builds/prune", "{\"max_bytes\": 0}", "build prune", "builds"},
	{"POST", "/tokens", "/tokens", "{\"account\": \"x\", \"rights\": \"viewer\"}", "token add",
		"account x"},
	{"DELETE", "/tokens/{token}", "/tokens/2", NULL, "token delete", "token 2"},
};

/* Done by agents, of themselves. */
static const char *const others[] = {"/agent/hello"};

static bool is_here(const struct route *r)
{
	const char *path = r->path + strlen(API);

	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		if (!strcmp(acts[i].method, r->method) && !strcmp(acts[i].route, path))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(others[i], path))
			return true;
	return false;
}

/* The newest entry. */
static json_t *newest(struct served *s)
{
	AUTOJSON *j = NULL;

	served_call(s->http, "GET", "/audit?limit=1", NULL, &j);
	return json_incref(json_array_get(json_object_get(j, "audit"), 0));
}

static void is_noted(struct served *s, const char *account, const char *what, const char *subject)
{
	AUTOJSON *a = newest(s);

	is_str(json_text(a, "what", ""), what, "%s is in the audit", what);
	is_str(json_text(a, "subject", ""), subject, "of %s", subject);
	is_str(json_text(a, "account", ""), account, "by %s", account);
	is_str(json_text(a, "from", ""), "127.0.0.1", "from where");
	ok(json_int(a, "at_ms", 0) > 0, "and when");
}

/* The agent goes along: a lease's session is up when its owner wants to renew it or type. */
static void agent_follows(struct fake *f, const struct act *a)
{
	int64_t run;

	if (!strcmp(a->what, "check") || !strcmp(a->subject, "job 4")) {
		run = fake_poll(f, "start");
		fake_start_run(f, run);
		fake_end_run(f, run);
	} else if (!strcmp(a->what, "reserve")) {
		fake_start_run(f, fake_poll(f, "start"));
	}
}

/* A call that is answered only when the board's lab has done it: its agent gets the command. */
static void held(struct served *s, struct fake *f, const char *token, const struct act *a)
{
	AUTOFREE char *text =
		mem_printf("%s /api/v1%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
			   "%s\r\nContent-Length: %zu\r\n\r\n%s",
			a->method, a->path, token, strlen(a->body), a->body);
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)atoi(strrchr(s->url, ':') + 1))};
	AUTOCLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ok(!connect(fd, (struct sockaddr *)&to, sizeof to) && !fs_write_all(fd, text, strlen(text)),
		"%s %s", a->method, a->path);
	ok(fake_poll(f, "inbox") > 0, "the agent is told");
	is_noted(s, "olga", a->what, a->subject);
}

static void walk(struct served *s, struct fake *f)
{
	AUTOFREE char *token = served_token(s, "olga", "admin", NULL);
	struct http_client *http = served_client(s, token);

	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		unsigned status;

		if (!strcmp(acts[i].what, "health"))
			fake_hello(f, "lab", "b");
		if (!strcmp(acts[i].what, "power")) {
			held(s, f, token, &acts[i]);
			continue;
		}
		status = served_call(http, acts[i].method, acts[i].path, acts[i].body, NULL);

		if (!ok(status / 100 == 2, "%s %s: %u", acts[i].method, acts[i].path, status))
			continue;
		is_noted(s, "olga", acts[i].what, acts[i].subject);
		agent_follows(f, &acts[i]);
	}
	http_client_free(http);
}

/* What is not done is not noted. */
static void refused(struct served *s)
{
	AUTOJSON *before = newest(s), *after = NULL;

	is_int(served_call(s->http, "POST", "/jobs/999/cancel", "{}", NULL), 404, "no such job");
	is_int(served_call(s->http, "POST", "/jobs", "{\"text\": \"job: [\"}", NULL), 422,
		"no job");
	is_int(served_call(s->http, "POST", "/jobs?check=1", JOB, NULL), 200, "only a question");
	after = newest(s);
	ok(json_equal(before, after), "nothing of that is in the audit");
}

int main(void)
{
	struct served s;
	struct fake f;

	for (const struct route *r = api_routes; r->method; r++)
		if (r->writes)
			ok(is_here(r), "%s %s is walked", r->method, r->path);
	if (ok(served_new(&s), "a server starts")) {
		fake_new(&f, &s, "agent", "lab");
		walk(&s, &f);
		refused(&s);
		fake_done(&f);
	}
	served_done(&s);
	return tap_done();
}
