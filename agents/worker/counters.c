/* SPDX-License-Identifier: MIT */
/*
 * Errors of the serial lines during a run: the kernel counts them since the port's driver was
 * loaded, so what counts is the difference. Invariant: a line that cannot tell adds nothing, and a
 * figure is recorded only where it is known at both ends.
 */
#include "worker.h"

#include "io/json.h"

#include <stdio.h>

static json_t *read_counters(struct console *c)
{
	json_t *now = json_object();

	if (!c->drv || !c->drv->counters || c->fd < 0 || c->drv->counters(c, now, NULL)) {
		json_decref(now);
		return NULL;
	}
	return now;
}

void worker_counters_begin(struct worker *w)
{
	for (size_t i = 0; i < w->n_consoles; i++)
		w->line_errors[i] = read_counters(&w->consoles[i]);
}

static void tell(struct worker *w, const struct console *c, const json_t *before, json_t *now)
{
	const char *name;
	json_t *value;

	json_object_foreach (now, name, value) {
		long long grown = json_int(now, name, 0) - json_int(before, name, 0);
		AUTOFREE char *env = mem_printf("console.%s.%s", c->name, name);
		char text[32];

		if (!json_object_get(before, name))
			continue;
		snprintf(text, sizeof text, "%lld", grown);
		worker_env(w, env, text);
		if (grown > 0)
			bench_event(&w->bench, "warn", "{s:s, s:s}", "text",
				"the serial line lost bytes: see its error counters", "console",
				c->name);
	}
}

void worker_counters_end(struct worker *w)
{
	for (size_t i = 0; i < w->n_consoles; i++) {
		json_t *now = w->line_errors[i] ? read_counters(&w->consoles[i]) : NULL;

		if (now)
			tell(w, &w->consoles[i], w->line_errors[i], now);
		json_decref(now);
		json_decref(w->line_errors[i]);
		w->line_errors[i] = NULL;
	}
}
