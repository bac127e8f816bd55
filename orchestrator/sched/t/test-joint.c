/* SPDX-License-Identifier: MIT */
/* Barriers and messages between the parts of one run. */
#include "estate.h"

#include <fnmatch.h>

#define PAIR  "[{\"type\":\"alpha\"},{\"type\":\"alpha\"}]"
#define ROLES "[{\"role\":\"client\",\"plan\":{}},{\"role\":\"server\",\"plan\":{}}]"

/* As the API does it: into the store and to the scheduler, in one turn. */
static void event(struct estate *x, unsigned part, uint64_t offset, const char *line)
{
	struct store_event ev = {.offset = offset, .line = line};
	AUTOJSON *j = json_loads(line, 0, NULL);
	struct err e = {0};

	turn(x);
	if (store_part_events(x->store, 1, part, &ev, 1, &e) ||
		sched_part_event(x->sched, 1, part, offset, j, &e))
		DIE(&e);
	commit(x);
}

static void begin(struct estate *x)
{
	estate_open(x);
	hello(x, "desk", "a1");
	hello(x, "rack", "a2");
	submit(x, .wants = PAIR, .plans = ROLES);
	commands(x, "desk");
	commands(x, "rack");
	started(x, 1, 0);
	started(x, 1, 1);
}

#define READY "{\"kind\":\"barrier\",\"name\":\"ready\"}"

static void barriers(void)
{
	struct estate x;

	begin(&x);
	event(&x, 0, 0, READY);
	is_str(commands(&x, "desk"), "", "the first at a barrier waits");
	event(&x, 0, 0, READY);
	is_str(commands(&x, "desk"), "", "also when it is told twice");
	restart(&x);
	json_decref(hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0}]"));
	json_decref(hello_with(&x, "rack", "a2", 0, "[{\"run\":1,\"part\":1}]"));
	event(&x, 1, 500, "{\"kind\":\"barrier\",\"name\":\"other\"}");
	is_str(commands(&x, "rack"), "", "another barrier is another");
	event(&x, 1, 600, READY);
	is_str(commands(&x, "desk"), "inbox 1/0 go", "the last one opens it, over a restart");
	is_str(commands(&x, "rack"), "inbox 1/1 go", "for all");
	restart(&x);
	json_decref(hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0}]"));
	json_decref(hello_with(&x, "rack", "a2", 0, "[{\"run\":1,\"part\":1,\"inbox\":1}]"));
	is_str(commands(&x, "desk"), "inbox 1/0 go", "what an agent has not got is sent again");
	is_str(commands(&x, "rack"), "", "what it has is not");
	event(&x, 1, 600, READY);
	is_str(commands(&x, "desk"), "", "an event that was seen before a restart does nothing");
	estate_close(&x);
}

/* One that stands in several steps is a new one each time. */
static void again(void)
{
	struct estate x;

	begin(&x);
	event(&x, 0, 0, READY);
	event(&x, 1, 0, READY);
	is_str(commands(&x, "desk"), "inbox 1/0 go", "it opens");
	is_str(commands(&x, "rack"), "inbox 1/1 go", "for both");
	event(&x, 1, 100, READY);
	is_str(commands(&x, "rack"), "", "the same point again is to be reached again");
	restart(&x);
	json_decref(hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0,\"inbox\":1}]"));
	json_decref(hello_with(&x, "rack", "a2", 0, "[{\"run\":1,\"part\":1,\"inbox\":1}]"));
	event(&x, 1, 200, READY);
	is_str(commands(&x, "rack"), "", "also over a restart, and not by the same part twice");
	event(&x, 0, 100, READY);
	is_str(commands(&x, "desk"), "inbox 1/0 go", "by the other one");
	is_str(commands(&x, "rack"), "inbox 1/1 go", "it opens again");
	event(&x, 0, 200, READY);
	is_str(commands(&x, "rack"), "inbox 1/1 go", "and once for each time that all came");
	estate_close(&x);
}

static void end_two(const char *first, const char *blame, const char *second, const char *blame_2,
	const char *want, const char *what)
{
	struct estate x;

	begin(&x);
	ended(&x, 1, 1, first, blame);
	ended(&x, 1, 0, second, blame_2);
	ok(!fnmatch(want, job_now(&x, 1), 0), "%s: %s", what, job_now(&x, 1));
	estate_close(&x);
}

static void verdicts(void)
{
	end_two("fail", "build", "incomplete", "test", "done fail build 1 server: *",
		"who waited in vain for a role that failed does not outvote it");
	end_two("fail", "test", "incomplete", "infra", "assigned - - 2 *",
		"a lab's failure of its own does");
	end_two("incomplete", "infra", "incomplete", "test", "assigned - - 2 *",
		"all of it is tried again when one board's lab failed");
	end_two("pass", "none", "incomplete", "test", "done incomplete test 1 client: *",
		"after a role that passed it speaks for itself");
	end_two("incomplete", "timeout", "incomplete", "test", "done incomplete timeout 1 server: *",
		"the first one says why");
}

static int keep_places(void *arg, const struct store_run *run)
{
	snprintf(arg, 128, "%s %s %s", run->board, run->type, run->lab);
	return 0;
}

static void places(void)
{
	struct estate x;
	char text[128] = "";
	struct err e = {0};

	estate_open(&x);
	hello(&x, "desk", "a1 b1:beta");
	submit(&x, .wants = "[{\"type\":\"alpha\"},{\"type\":\"beta\"}]", .plans = ROLES);
	if (store_run_get(x.store, 1, keep_places, text, &e) < 0)
		DIE(&e);
	is_str(text, "a1,b1 alpha,beta lab", "a run is of all its boards, their types and labs");
	estate_close(&x);
}

static void messages(void)
{
	struct estate x;
	json_t *list, *line;

	begin(&x);
	event(&x, 0, 0, "{\"kind\":\"tell\",\"key\":\"ip = x\",\"value\":\"AAE9IA==\"}");
	is_str(commands(&x, "desk"), "", "not to who says it");
	list = sched_commands(x.sched, "rack", 0);
	line = json_object_get(json_array_get(list, 0), "line");
	is_str(json_text(line, "from", ""), "client", "to the other: from whom");
	is_str(json_text(line, "key", ""), "ip = x", "with its key");
	is_str(json_text(line, "value", ""), "AAE9IA==", "and its bytes as they are");
	is_int(json_int(line, "n", 0), 1, "in line 1");
	json_decref(list);
	commands(&x, "rack");
	event(&x, 1, 10, "{\"kind\":\"tell\",\"to\":\"client\",\"key\":\"k\",\"value\":\"\"}");
	is_str(commands(&x, "desk"), "inbox 1/0 message", "to one by its role");
	event(&x, 1, 90, "{\"kind\":\"tell\",\"to\":\"nobody\",\"key\":\"k\",\"value\":\"\"}");
	is_str(commands(&x, "desk"), "", "to a role that there is not, nothing");
	event(&x, 1, 200, "{\"kind\":\"tell\"}");
	is_str(commands(&x, "desk"), "inbox 1/0 message", "an empty one is one");
	ended(&x, 1, 1, "pass", "none");
	is_str(commands(&x, "desk"), "inbox 1/0 gone", "when a part ends the others know");
	event(&x, 0, 300, "{\"kind\":\"tell\",\"key\":\"k\",\"value\":\"\"}");
	is_str(commands(&x, "rack"), "forget 1/1", "and it gets no more");
	event(&x, 0, 400, READY);
	is_str(commands(&x, "desk"), "", "a barrier does not open without it");
	estate_close(&x);
}

static void power(void)
{
	struct estate x;
	AUTOJSON *j = NULL;

	begin(&x);
	event(&x, 0, 0, "{\"kind\":\"power\",\"state\":\"on\"}");
	j = sched_board_json(x.sched, "a1");
	is_str(json_text(j, "power", ""), "on", "the board's power is known");
	ended(&x, 1, 0, "pass", "none");
	json_decref(j);
	j = sched_board_json(x.sched, "a1");
	is_str(json_text(j, "power", ""), "off", "also how it was left");
	event(&x, 1, 0, "{\"kind\":\"power\",\"state\":\"half\"}");
	json_decref(j);
	j = sched_board_json(x.sched, "a2");
	is_str(json_text(j, "power", ""), "unknown", "what is neither is unknown");
	estate_close(&x);
}

int main(void)
{
	barriers();
	again();
	verdicts();
	places();
	messages();
	power();
	return tap_done();
}
