/* SPDX-License-Identifier: MIT */
/* Errors of a serial line during a run: what the kernel counted meanwhile, and nothing else. */
#include "agents/worker/worker.h"

#include "base/t/tap.h"
#include "io/json.h"

static int64_t overruns = 7;

static int counted(struct console *c, json_t *into, struct err *e)
{
	(void)c, (void)e;
	json_object_set_new(into, "overrun", json_integer(overruns));
	json_object_set_new(into, "parity", json_integer(2));
	return 0;
}

static int failing(struct console *c, json_t *into, struct err *e)
{
	(void)c;
	json_object_set_new(into, "overrun", json_integer(1));
	return err_set(e, BLAME_INFRA, "gone");
}

static const struct console_driver telling = {.d = {.name = "telling"}, .counters = counted};
static const struct console_driver broken = {.d = {.name = "broken"}, .counters = failing};
static const struct console_driver silent = {.d = {.name = "silent"}};

/* The events as one text: "env NAME=VALUE;" and "warn CONSOLE;". */
static void on_event(void *arg, json_t *event)
{
	struct buf *said = arg;

	if (!strcmp(json_text(event, "kind", ""), "env"))
		buf_printf(said, "%s=%s;", json_text(event, "name", "?"),
			json_text(event, "value", "?"));
	else
		buf_printf(said, "%s %s;", json_text(event, "kind", "?"),
			json_text(event, "console", "?"));
	json_decref(event);
}

int main(void)
{
	static struct worker w;
	AUTOBUF said = BUF_INIT(4096);

	bench_init(&w.bench);
	w.bench.journal = on_event;
	w.bench.journal_arg = &said;
	w.n_consoles = 3;
	w.consoles[0] = (struct console){.drv = &telling, .name = "main", .bench = &w.bench};
	w.consoles[1] = (struct console){.drv = &broken, .name = "r5", .bench = &w.bench};
	w.consoles[2] = (struct console){.drv = &silent, .name = "m4", .bench = &w.bench};
	worker_counters_begin(&w);
	worker_counters_end(&w);
	is_str(buf_str(&said), "console.main.overrun=0;console.main.parity=0;",
		"a line without errors is told as that; one that cannot tell is not");
	buf_reset(&said);
	worker_counters_begin(&w);
	overruns += 3;
	worker_counters_end(&w);
	is_str(buf_str(&said), "console.main.overrun=3;warn main;console.main.parity=0;",
		"what was lost during the run is a figure and a warning");
	buf_reset(&said);
	worker_counters_begin(&w);
	w.consoles[0].fd = -1;
	worker_counters_end(&w);
	is_str(buf_str(&said), "", "a line that went away tells nothing");
	bench_done(&w.bench);
	return tap_done();
}
