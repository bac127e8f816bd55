/* SPDX-License-Identifier: MIT */
/* Runs that were measured elsewhere: the same part of the same bytes once, and out again whole. */
#include "storetest.h"

static int on_origin(void *arg, const struct store_origin *o)
{
	return snprintf(arg, 200, "%s %s %s %s %s %lld", o->source, o->sha256, o->part, o->format,
		       o->who, (long long)o->at_ms) < 0;
}

int main(void)
{
	const struct store_origin o = {"guide.rst", "abc", "t b 1", "rst", "alice", 77};
	const struct store_event ev = {
		0, "{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"n\",\"status\":\"pass\"}", 0};
	struct store *s = store_open(storetest_path("o.db"), false, NULL);
	int64_t run = storetest_run(s), other = storetest_run(s), found = 0;
	char text[200] = "";
	struct err e = {0};

	is_int(store_origin_find(s, "abc", "t b 1", &found, &e), 0, "nothing was imported");
	is_int(store_origin_add(s, run, &o, &e), 0, "a run has an origin %s", e.msg);
	is_int(store_run_events(s, run, &ev, 1, &e), 0, "and results");
	is_int(store_origin_find(s, "abc", "t b 1", &found, &e), 1, "it is found by it");
	is_int(found, run, "by its number");
	is_int(store_origin_find(s, "abc", "t b 2", &found, &e), 0, "another part is not there");
	is_int(store_origin_find(s, "abd", "t b 1", &found, &e), 0, "nor are other bytes");
	is_int(store_origin_get(s, run, on_origin, text, &e), 1, "what is kept");
	is_str(text, "guide.rst abc t b 1 rst alice 77", "is all of it");
	is_int(store_origin_get(s, other, on_origin, text, &e), 0, "a run of ours has none");
	is_int(store_origin_add(s, other, &o, &e), -1, "the same part is no second run");
	is_int(e.blame, BLAME_BUG, "as is said: %s", e.msg);
	is_int(store_origin_del(s, other, &e), 0, "a run of ours is not taken out");
	is_int(store_origin_del(s, run, &e), 1, "the imported one is");
	is_int(store_origin_find(s, "abc", "t b 1", &found, &e), 0, "and its origin");
	is_int(storetest_results(s, run), 0, "and its results");
	is_int(store_origin_del(s, run, &e), 0, "once");
	store_close(s);
	return tap_done();
}
