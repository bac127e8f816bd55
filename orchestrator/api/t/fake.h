/* SPDX-License-Identifier: MIT */
#ifndef API_T_FAKE_H
#define API_T_FAKE_H

/* An agent that is none: it says hello, takes commands, and ships whatever the test wants. */

#include "io/chunks.h"
#include "served.h"

struct fake {
	const char *name;
	struct http_client *http;
	int64_t ack;
};

/* With a token of its own, bound to that lab. */
static UNUSED void fake_new(struct fake *f, struct served *s, const char *name, const char *lab)
{
	AUTOFREE char *more = mem_printf(", \"labs\": [\"%s\"]", lab);
	AUTOFREE char *token = served_token(s, name, "agent", more);

	*f = (struct fake){.name = name, .http = served_client(s, token)};
}

static UNUSED void fake_done(struct fake *f)
{
	http_client_free(f->http);
}

/* run: it goes on there; 0: none does. */
static unsigned fake_hello_with(struct fake *f, const char *lab, const char *board, int64_t run)
{
	AUTOFREE char *runs =
		run ? mem_printf(
			      "{\"run\": %lld, \"part\": 0, \"state\": \"running\", \"inbox\": 0}",
			      (long long)run)
		    : mem_strdup("");
	AUTOFREE char *body = mem_printf(
		"{\"agent\": \"%s\", \"lab\": \"%s\", \"version\": \"1\", \"protocol\": 1, "
		"\"max_jobs\": 4, \"runs\": [%s], \"boards\": [{\"name\": \"%s\", \"type\": "
		"\"am62axx-sk-twin\", \"soc\": \"am62axx\", \"peripherals\": [\"mmc\"], \"tags\": "
		"[]}]}",
		f->name, lab, runs, board);

	return served_call(f->http, "POST", "/agent/hello", body, NULL);
}

static UNUSED unsigned fake_hello(struct fake *f, const char *lab, const char *board)
{
	return fake_hello_with(f, lab, board, 0);
}

/* Commands that wait; there must be some. The run of the last that is to be done, 0: none. */
static UNUSED int64_t fake_poll(struct fake *f, const char *what)
{
	AUTOFREE char *body =
		mem_printf("{\"agent\": \"%s\", \"ack\": %lld}", f->name, (long long)f->ack);
	AUTOJSON *j = NULL;
	json_t *command;
	int64_t run = 0;
	size_t i;

	served_call(f->http, "POST", "/agent/poll", body, &j);
	json_array_foreach (json_object_get(j, "commands"), i, command) {
		f->ack = json_int(command, "seq", 0);
		if (!strcmp(json_text(command, "do", ""), what))
			run = json_int(command, "run", 0);
	}
	return run;
}

/* One chunk; the entry of the answer in *have (new reference) unless it is NULL. */
static UNUSED unsigned fake_ship(struct fake *f, int64_t run, const char *file, uint64_t offset,
	struct str bytes, json_t **have)
{
	AUTOFREE char *path = mem_printf("/api/v1/agent/sync?agent=%s", f->name);
	AUTOBUF body = BUF_INIT(CHUNKS_BYTES);
	struct chunk c = {.run = run, .offset = offset, .bytes = bytes};
	struct http_ask ask = {.method = "POST", .path = path, .timeout_ms = 60000};
	struct http_answer a = {0};
	unsigned status;
	AUTOJSON *j = NULL;

	snprintf(c.file, sizeof c.file, "%s", file);
	chunk_format(&body, &c);
	ask.body = str_make(buf_str(&body), body.len);
	http_call(f->http, &ask, &a);
	status = a.status;
	j = status ? http_answer_json(&a, NULL) : NULL;
	if (have)
		*have = json_incref(json_array_get(json_object_get(j, "have"), 0));
	http_answer_done(&a);
	return status;
}

static UNUSED void fake_start_run(struct fake *f, int64_t run)
{
	fake_ship(f, run, "events.jsonl", 0, STR_LIT("{\"kind\":\"run-start\"}\n"), NULL);
}

static UNUSED void fake_end_run(struct fake *f, int64_t run)
{
	fake_ship(f, run, "status", 0,
		STR_LIT("{\"verdict\":\"pass\",\"blame\":\"none\",\"power\":\"off\"}"), NULL);
}

/* A job on a board of the fake's type: its number; 0: it was refused. */
static UNUSED int64_t fake_job(struct http_client *http, const char *more)
{
	AUTOFREE char *body =
		mem_printf("{\"text\": \"job: a\\nboard: {type: am62axx-sk-twin}\\nsteps: [{power: "
			   "on}]\\n\"%s}",
			more);
	AUTOJSON *j = NULL;

	served_call(http, "POST", "/jobs", body, &j);
	return json_int(j, "job", 0);
}

#endif
