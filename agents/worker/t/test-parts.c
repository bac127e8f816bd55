/* SPDX-License-Identifier: MIT */
/*
 * The parts of a job with roles: a real worker for one of them, and this test for the controller
 * and all the others. Its boards have no console: what is shown is what goes through the folder.
 */
#include "agents/worker/t/folder.h"

#include "io/base64.h"
#include "io/json.h"
#include "io/yaml.h"
#include "jobs/job.h"

#include <signal.h>

#define BOARD "{\"name\":\"b\",\"lab\":\"l\",\"type\":\"t\",\"soc\":\"s\"}"

/* The folder of one role of a job. */
static void make(const char *name, const char *role, const char *job)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct job_parts parts = {0};
	const struct node *doc = yaml_parse(&a, "job.yaml", str_of(job), &diag);
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);

	if (!doc || job_compile_parts(&parts, doc, NULL, 0, NULL, &diag)) {
		diag_print(&diag, &said);
		ok(false, "%s compiles: %s", name, buf_str(&said));
		exit(1);
	}
	for (size_t i = 0; i < parts.n; i++) {
		AUTOJSON *j = plan_to_json(&parts.plans[i]);
		AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

		if (strcmp(parts.plans[i].role, role) != 0)
			continue;
		json_write(j, JSON_COMPACT, &text, NULL);
		folder_new(name, BOARD, buf_str(&text));
	}
	job_parts_done(&parts);
	diag_done(&diag);
	arena_done(&a);
}

static void tell(const char *from, const char *key, const char *value, size_t n)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	base64_add(&text, str_make(value, n));
	put("\"kind\":\"message\",\"from\":\"%s\",\"key\":\"%s\",\"value\":\"%s\"", from, key,
		buf_str(&text));
}

/* An event with that value, which is told in base64. */
static bool told(const char *key, const char *value)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	AUTOFREE char *want = NULL;

	base64_add(&text, str_of(value));
	want = mem_printf("\"kind\":\"tell\",\"key\":\"%s\",\"value\":\"%s\"", key, buf_str(&text));
	return comes("events.jsonl", want, 1);
}

static const char job[] =
	"job: net\n"
	"roles:\n"
	"  server:\n"
	"    steps:\n"
	"      - tell: {key: port, value: \"a = \\u00fc b\\n\", to: client}\n"
	"      - tell: {key: blob, value: x}\n"
	"      - barrier: ready\n"
	"      - hear: {key: done, from: client}\n"
	"      - barrier: end\n"
	"  client:\n"
	"    steps:\n"
	"      - hear: {name: first, key: port, from: server}\n"
	"      - hear: {name: second, key: blob, as: raw}\n"
	"      - tell: {name: back, key: done, value: \"<${msg.port}> ${run.role}\"}\n"
	"      - barrier: ready\n"
	"      - barrier: {point: end, timeout: 30s}\n";

static void together(void)
{
	char all[256];
	AUTOBUF kept = BUF_INIT(BUF_CAP_BYTES);

	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	make("client", "client", job);
	/* before it began, and not in its order */
	put("\"kind\":\"go\",\"barrier\":\"ready\"");
	tell("server", "blob", all, sizeof all);
	tell("server", "other", "no", 2);
	tell("server", "port", "a = \303\274 b\n", 9);
	append("nonsense\n", 9);
	start();
	ok(told("done", "<a = \303\274 b\n> client"), "what was told is a variable");
	ok(comes("events.jsonl", "\"kind\":\"barrier\",\"name\":\"ready\"", 1),
		"a barrier is told");
	ok(comes("events.jsonl", "\"kind\":\"barrier\",\"name\":\"end\"", 1),
		"one that all had come to before holds up nobody");
	read_file("artifacts/second.msg", &kept);
	ok(kept.len == sizeof all && !memcmp(kept.data, all, sizeof all),
		"any bytes are kept as they are");
	read_file("artifacts/first.msg", &kept);
	is_str(buf_str(&kept), "a = \303\274 b\n", "so is text");
	ok(comes("events.jsonl", "\"key\":\"blob\",\"bytes\":256,\"text\":false", 1),
		"it is known which is text");
	put("\"kind\":\"go\",\"barrier\":\"other\"");
	put("\"kind\":\"go\",\"barrier\":\"end\"");
	put("\"kind\":\"gone\",\"role\":\"server\",\"why\":\"pass\"");
	ends("\"name\":\"barrier-2\",\"outcome\":\"ok\"", "incomplete", "it goes on");
	/* no step of it is a test */
	ok(comes("status", "nothing ran", 1), "and has nothing to be judged by");
	ok(comes("events.jsonl", "is damaged", 1), "a damaged line does no harm");
}

static void gone(void)
{
	make("gone-1", "server", job);
	start();
	ok(comes("events.jsonl", "\"kind\":\"barrier\",\"name\":\"ready\"", 1), "it waits");
	put("\"kind\":\"gone\",\"role\":\"client\",\"why\":\"fail: 1 of 1 results failed\"");
	ends("role 'client' has ended (fail: 1 of 1 results failed): barrier 'ready' never opens",
		"incomplete", "a role that has ended is not waited for at a barrier");
	ok(comes("status", "\"blame\": \"test\"", 1), "its blame");

	make("gone-2", "client", job);
	put("\"kind\":\"gone\",\"role\":\"server\",\"why\":\"\"");
	start();
	ends("role 'server' has ended and did not tell 'port'", "incomplete",
		"nor for what it has not told");

	make("gone-3", "client", job);
	tell("server", "port", "1", 1);
	put("\"kind\":\"gone\",\"role\":\"server\",\"why\":\"pass\"");
	start();
	ends("and did not tell 'blob'", "incomplete", "nor by any role, where all have ended");
	ok(comes("events.jsonl", "\"name\":\"first\",\"outcome\":\"ok\"", 1),
		"what it told before is heard");
}

static void limits(void)
{
	AUTOFREE char *large = mem_alloc(INBOX_DATA_BYTES + 1);
	AUTOBUF kept = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF value = BUF_INIT(BUF_CAP_BYTES);
	AUTOFREE char *long_job = NULL;

	memset(large, 'x', INBOX_DATA_BYTES);
	make("limits", "a",
		"job: x\nroles:\n"
		"  a: {steps: [{hear: big}, {tell: {key: back, value: '${msg.big}'}}, "
		"{hear: {key: never, timeout: 300ms}}]}\n"
		"  b: {steps: [{tell: {key: big, value: x}}, {hear: back}, "
		"{tell: {key: never, value: x}}]}\n");
	tell("b", "big", large, INBOX_DATA_BYTES - 1);
	start();
	ends("step 'hear-2': not done in 300 ms", "incomplete", "a message that never comes");
	read_file("artifacts/hear.msg", &kept);
	is_int((long long)kept.len, (long long)INBOX_DATA_BYTES - 1,
		"the longest message is heard");
	large[INBOX_DATA_BYTES - 1] = 0;
	base64_add(&value, str_of(large));
	ok(comes("events.jsonl", buf_str(&value), 1), "and told");

	make("canceled", "server", job);
	start();
	ok(comes("events.jsonl", "\"kind\":\"barrier\"", 1), "it waits");
	kill(worker.pid, SIGTERM);
	ends("\"blame\":\"cancel\"", "canceled", "a cancel ends the wait");
}

int main(void)
{
	folders_begin();
	together();
	gone();
	limits();
	return folders_end();
}
