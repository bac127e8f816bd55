/* SPDX-License-Identifier: MIT */
/*
 * Protocol numbers: this one and the one before are served, others are told what to upgrade; what
 * an agent ships of jobs that run there is taken whatever it speaks, also by a controller that was
 * restarted meanwhile.
 */
#include "api/api.h"
#include "fake.h"

#define FOREIGN 99

_Static_assert(PROTOCOL - PROTOCOL_OLDEST <= 1, "this one and the one before");

static struct http_client *speaking(const struct served *s, const char *token, unsigned protocol)
{
	const struct http_client_opts o = {.base = s->url, .token = token, .protocol = protocol};

	return http_client_new(NULL, &o, NULL);
}

static void numbers(struct served *s)
{
	static const struct {
		unsigned number;
		const char *upgrade; /* NULL: it is served */
	} cases[] = {{0, NULL}, {PROTOCOL, NULL}, {PROTOCOL_OLDEST, NULL},
		{PROTOCOL + 1, "upgrade the controller"}, {FOREIGN, "upgrade the controller"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct http_client *http = speaking(s, s->token, cases[i].number);
		AUTOJSON *j = NULL;
		const json_t *range;
		const char *text;

		is_int(served_call(http, "GET", "/boards", NULL, &j), cases[i].upgrade ? 426 : 200,
			"protocol %u (0: not said)", cases[i].number);
		if (cases[i].upgrade) {
			range = json_object_get(j, "protocol");
			is_int(json_int(range, "min", -1), PROTOCOL_OLDEST, "is told the oldest");
			is_int(json_int(range, "max", -1), PROTOCOL, "and the newest");
			text = json_text(json_object_get(j, "error"), "message", "");
			has_str(text, cases[i].upgrade, "and what to do");
		}
		http_client_free(http);
	}
}

static char *verdict_of(struct served *s, int64_t run)
{
	AUTOFREE char *path = mem_printf("/runs/%lld", (long long)run);
	AUTOJSON *j = NULL;

	served_call(s->http, "GET", path, NULL, &j);
	return mem_strdup(json_text(j, "verdict", ""));
}

static void foreign_agent(struct served *s)
{
	AUTOFREE char *token = served_token(s, "agent", "agent", NULL), *log = NULL;
	struct fake f = {.name = "agent", .http = speaking(s, token, PROTOCOL)};
	AUTOFREE char *first_verdict = NULL, *second_verdict = NULL;
	int64_t first, second;

	fake_hello(&f, "lab", "b");
	fake_job(s->http, "");
	first = fake_poll(&f, "start");
	fake_start_run(&f, first);
	http_client_free(f.http);
	f.http = speaking(s, token, FOREIGN); /* it was upgraded while the job runs */
	is_int(fake_hello(&f, "lab", "b"), 426, "its hello is refused");
	is_int(served_call(f.http, "POST", "/agent/poll", "{\"agent\": \"agent\"}", NULL), 426,
		"so is its poll");
	is_int(fake_ship(&f, first, "console-main.log", 0, STR_LIT("hi\n"), NULL), 200,
		"what it ships is taken");
	fake_end_run(&f, first);
	first_verdict = verdict_of(s, first);
	is_str(first_verdict, "pass", "and its verdict counts");

	http_client_free(f.http);
	f.http = speaking(s, token, PROTOCOL);
	fake_hello(&f, "lab", "b");
	fake_job(s->http, "");
	second = fake_poll(&f, "start");
	fake_start_run(&f, second);
	http_client_free(f.http);
	served_kill(s);
	if (!ok(served_start(s), "the controller is upgraded: it starts again"))
		return;
	f.http = speaking(s, token, PROTOCOL);
	is_int(fake_ship(&f, second, "console-main.log", 0, STR_LIT("hi\n"), NULL), 409,
		"an agent that can say hello has to");
	http_client_free(f.http);
	f.http = speaking(s, token, FOREIGN);
	is_int(fake_ship(&f, second, "console-main.log", 0, STR_LIT("hi\n"), NULL), 200,
		"of one that cannot it is taken all the same");
	fake_end_run(&f, second);
	second_verdict = verdict_of(s, second);
	is_str(second_verdict, "pass", "and its verdict counts, too");
	log = mem_printf("/runs/%lld/log", (long long)second);
	is_int(served_call(s->http, "GET", log, NULL, NULL), 200, "with its log");
	http_client_free(f.http);
}

int main(void)
{
	struct served s;

	if (ok(served_new_with(&s, "health: {}\n"), "a server starts")) {
		numbers(&s);
		foreign_agent(&s);
	}
	served_done(&s);
	return tap_done();
}
