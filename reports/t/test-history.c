/* SPDX-License-Identifier: MIT */
/* Histories out of a store: whole, of a time, of an empty store; they outlive the store. */
#include "base/t/tap.h"
#include "reports/history.h"

#include <math.h>

static void add_run(struct store *s, const char *type, const char *version, int64_t at_ms)
{
	static const struct store_event events[] = {
		{0, "{\"kind\":\"metric\",\"name\":\"a\",\"value\":3,\"unit\":\"s\"}", 0},
		{900, "{\"kind\":\"metric\",\"name\":\"b\",\"value\":4,\"unit\":\"s\",\"min\":1}",
			0}};
	struct store_run run = {.job = "j",
		.board = "b",
		.type = type,
		.build_version = version,
		.started_ms = at_ms};
	struct err e = {0};

	if (store_run_add(s, &run, &e) || store_run_events(s, run.id, events, 2, &e) ||
		store_run_end(s, run.id, "pass", NULL, NULL, at_ms + 1, &e))
		tap_text("add_run", e.msg);
}

static void check(const struct history *h, size_t series, size_t points, const char *what)
{
	is_int((long long)h->n, (long long)series, "%s: series", what);
	for (size_t i = 0; i < h->n; i++)
		is_int((long long)h->series[i].n, (long long)points, "%s: points of %s", what,
			h->series[i].s.metric);
}

int main(void)
{
	struct store *s = store_open(":memory:", false, NULL);
	struct history h = {0}, all = {0};
	struct err e = {0};

	is_int(history_gather(&h, s, NULL, &e), 0, "of an empty store %s", e.msg);
	check(&h, 0, 0, "nothing");
	history_done(&h);
	for (int i = 0; i < 5; i++)
		add_run(s, "t1", i < 3 ? "1.0" : "1.1", 1000 * (5 - i));
	add_run(s, "t2", NULL, 1000);
	is_int(history_gather(&h, s, &(struct store_series_filter){.type = "t2"}, &e), 0, "a type");
	check(&h, 2, 1, "of the type");
	ok(!h.series[0].points[0].version, "without a build");
	history_done(&h);
	history_gather(&h, s,
		&(struct store_series_filter){.type = "t1", .since_ms = 2000, .until_ms = 4000},
		&e);
	check(&h, 2, 2, "of a time");
	history_done(&h);
	is_int(history_gather(&all, s, NULL, &e), 0, "everything");
	store_close(s);
	is_int((long long)all.n, 4, "all series");
	is_str(all.series[0].s.metric, "a", "in order");
	is_str(all.series[1].s.better, "neither", "with what is known of them");
	is_int(all.series[1].points[0].at_ms, 1000, "oldest first");
	is_str(all.series[1].points[0].version, "1.1", "with its build");
	is_str(all.series[1].points[4].version, "1.0", "and the newest with its own");
	ok(all.series[1].points[4].min == 1 && isnan(all.series[1].points[4].max),
		"and what was told of its samples");
	history_done(&all);
	ok(!all.n, "it is empty afterwards");
	return tap_done();
}
