/* SPDX-License-Identifier: MIT */
/*
 * Series and points: what a run that ended gives, and that it goes with the run however that ends
 * later, is read again or is taken out; that states go with the points they are made of; that
 * stores of before get theirs; and that no walk scans a table.
 */
#include "storetest.h"

#include "store/inner.h"
#include "store/series.h"

#include <math.h>

struct given {
	const char *job, *board, *build, *version, *params;
	bool twin;
	int64_t at_ms;
	const char *verdict; /* NULL: it goes on */
	const char *lines[8];
};

static int64_t add_run(struct store *s, const struct given *g)
{
	struct store_run run = {.job = g->job ? g->job : "night",
		.board = g->board ? g->board : "b1",
		.type = "t1",
		.twin = g->twin,
		.build = g->build ? g->build : "sdk",
		.build_version = g->version,
		.started_ms = g->at_ms,
		.params = g->params};
	struct store_event events[8];
	size_t n = 0;
	struct err e = {0};

	for (; n < ARRAY_LEN(events) && g->lines[n]; n++)
		events[n] = (struct store_event){n * 1000, g->lines[n], 0};
	if (store_run_add(s, &run, &e) || store_run_events(s, run.id, events, n, &e) ||
		(g->verdict && store_run_end(s, run.id, g->verdict, NULL, NULL, g->at_ms + 5, &e)))
		tap_text("add_run", e.msg);
	return run.id;
}

#define METRIC(name, value, unit, more)                                                            \
	"{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t\",\"name\":\"" name                     \
	"\",\"value\":" value ",\"unit\":\"" unit "\"" more "}"
#define ENV(name, value) "{\"kind\":\"env\",\"name\":\"" name "\",\"value\":\"" value "\"}"

/* ---- told as text ---------------------------------------------------------------------------- */

struct telling {
	struct store *s;
	struct buf out;
	int64_t last; /* series */
};

static int tell_point(void *arg, int64_t series, const struct store_point *p)
{
	struct buf *out = arg;

	(void)series;
	buf_printf(
		out, " %lld:%s:%g", (long long)p->at_ms, p->version ? p->version : "-", p->value);
	if (p->samples > 1 || !isnan(p->min) || !isnan(p->max))
		buf_printf(out, "(%lld,%g,%g)", (long long)p->samples, p->min, p->max);
	return 0;
}

static int tell_series(void *arg, const struct store_series *series)
{
	struct telling *t = arg;

	buf_printf(&t->out, "%s %s%s %s %s %s %s '%s' %s", series->type, series->board,
		series->twin ? " twin" : "", series->line, series->params, series->metric,
		series->labels, series->tool, series->unit);
	store_points(t->s, series->id, 0, 0, tell_point, &t->out, NULL);
	buf_printf(&t->out, " n=%lld\n", (long long)series->points);
	t->last = series->id;
	return 0;
}

static void told_as(
	struct store *s, const struct store_series_filter *f, const char *want, const char *what)
{
	struct telling t = {s, BUF_INIT(1 << 16), 0};
	struct err e = {0};

	if (store_series_list(s, f, tell_series, &t, &e))
		tap_text("list", e.msg);
	is_str(buf_str(&t.out), want, "%s", what);
	buf_done(&t.out);
}

static int64_t series_id(struct store *s, const char *metric)
{
	const struct store_series_filter f = {.metric = metric};
	struct telling t = {s, BUF_INIT(1 << 16), 0};

	store_series_list(s, &f, tell_series, &t, NULL);
	buf_done(&t.out);
	return t.last;
}

/* ---- points of a run ------------------------------------------------------------------------- */

static void test_key(struct store *s)
{
	static const struct store_series_filter of_x = {.metric = "x.*"};
	int64_t run =
		add_run(s, &(struct given){.at_ms = 2000,
				   .version = "1.0",
				   .params = "{\"size\":\"4k\",\"build\":\"sdk\",\"kernel_image\":"
					     "\"a\",\"v\":\"1.0\"}",
				   .lines = {METRIC("x.bw", "7", "MB/s", ",\"better\":\"higher\""),
					   ENV("x.version", "x-3.1")}});

	told_as(s, NULL, "", "a run that goes on gives nothing");
	store_run_end(s, run, "fail", NULL, NULL, 3000, NULL);
	told_as(s, NULL, "t1 b1 sdk {\"size\":\"4k\"} x.bw {} 'x-3.1' MB/s 2000:1.0:7 n=1\n",
		"one that ended gives a point, of a series without what names the build");
	add_run(s, &(struct given){.at_ms = 1000,
			   .version = "0.9",
			   .verdict = "pass",
			   .params = "{\"size\":\"4k\"}",
			   .lines = {METRIC("x.bw", "6", "MB/s", ",\"min\":5,\"max\":9"),
				   ENV("tool.x", "x-3.1")}});
	told_as(s, &of_x,
		"t1 b1 sdk {\"size\":\"4k\"} x.bw {} 'x-3.1' MB/s 1000:0.9:6(1,5,9) 2000:1.0:7 "
		"n=2\n",
		"one that is late comes where it was measured");
	add_run(s, &(struct given){.at_ms = 4000,
			   .verdict = "canceled",
			   .lines = {METRIC("x.bw", "1", "MB/s", "")}});
	add_run(s, &(struct given){.at_ms = 4000,
			   .verdict = "incomplete",
			   .lines = {METRIC("x.bw", "1", "MB/s", ""),
				   "{\"kind\":\"identity\",\"role\":\"kernel\",\"same\":false}"}});
	told_as(s, &of_x,
		"t1 b1 sdk {\"size\":\"4k\"} x.bw {} 'x-3.1' MB/s 1000:0.9:6(1,5,9) 2000:1.0:7 "
		"n=2\n",
		"one that was canceled, or that booted something else, gives none");
	add_run(s, &(struct given){.at_ms = 5000,
			   .verdict = "incomplete",
			   .lines = {METRIC("x.bw", "7", "s", ""), METRIC("x.bw", "8", "MB/s", ""),
				   ENV("x.version", "x-3.2")}});
	add_run(s, &(struct given){.at_ms = 6000,
			   .verdict = "pass",
			   .board = "b2",
			   .twin = true,
			   .build = "other",
			   .lines = {METRIC("x.bw", "9", "MB/s", "")}});
	told_as(s, &of_x,
		"t1 b1 sdk {\"size\":\"4k\"} x.bw {} 'x-3.1' MB/s 1000:0.9:6(1,5,9) 2000:1.0:7 "
		"n=2\n"
		"t1 b1 sdk {} x.bw {} 'x-3.2' MB/s 5000:-:8 n=1\n"
		"t1 b1 sdk {} x.bw {} 'x-3.2' s 5000:-:7 n=1\n"
		"t1 b2 twin other {} x.bw {} '' MB/s 6000:-:9 n=1\n",
		"another unit, tool, board or line is another series");
}

static void test_cycles(struct store *s)
{
	static const struct store_series_filter f = {.job = "cycles"};

	add_run(s,
		&(struct given){.job = "cycles",
			.at_ms = 1000,
			.verdict = "pass",
			.lines = {METRIC("y", "3", "ms",
					  ",\"labels\":{\"cycle\":\"1\",\"bs\":\"4k\"}"),
				METRIC("y", "5", "ms",
					",\"labels\":{\"cycle\":\"2\",\"bs\":\"4k\"}"),
				METRIC("y", "10", "ms",
					",\"labels\":{\"bs\":\"4k\",\"cycle\":\"3\"},\"max\":11"),
				METRIC("y", "8", "ms", ",\"labels\":{\"bs\":\"8k\"}"),
				METRIC("iperf2.lost", "2", "count",
					",\"labels\":{\"cycle\":\"1\"}"),
				METRIC("iperf2.lost", "4", "count",
					",\"labels\":{\"cycle\":\"2\"}")}});
	told_as(s, &f,
		"t1 b1 sdk {} iperf2.lost {} '' count 1000:-:6(2,2,4) n=1\n"
		"t1 b1 sdk {} y {\"bs\":\"4k\"} '' ms 1000:-:6(3,3,11) n=1\n"
		"t1 b1 sdk {} y {\"bs\":\"8k\"} '' ms 1000:-:8 n=1\n",
		"what differs in its cycle alone makes one figure, as the metric table has it");
}

struct told_better {
	char text[200];
};

static int tell_better(void *arg, const struct store_series *series)
{
	struct told_better *t = arg;
	size_t n = strlen(t->text);

	snprintf(t->text + n, sizeof t->text - n, "%s %s %g\n", series->metric, series->better,
		series->resolution);
	return 0;
}

static void test_better(struct store *s)
{
	static const struct store_series_filter f = {.job = "better"};
	struct told_better t = {""};

	add_run(s,
		&(struct given){.job = "better",
			.at_ms = 1,
			.verdict = "pass",
			.lines = {METRIC("boot.login_ms", "900", "ms", ""),
				METRIC("z", "1", "s", ",\"better\":\"lower\",\"resolution\":0.5"),
				METRIC("zz", "1", "s", "")}});
	store_series_list(s, &f, tell_better, &t, NULL);
	is_str(t.text, "boot.login_ms lower 1\nz lower 0.5\nzz neither 0\n",
		"direction and resolution are the table's or the figure's own");
}

/* ---- what changes afterwards ----------------------------------------------------------------- */

static int keep_state(void *arg, int64_t series, const struct store_series_state *st)
{
	(void)series;
	return snprintf(arg, 64, "%s %lld %lld %lld %.*s", st->version, (long long)st->at_ms,
		       (long long)st->run, (long long)st->points, (int)st->n,
		       (const char *)st->bytes) < 0;
}

static const char *state_of(struct store *s, int64_t series)
{
	static char text[64];

	*text = 0;
	store_series_state_get(s, series, keep_state, text, NULL);
	return text;
}

static int save_state(struct store *s, int64_t series, int64_t at_ms, int64_t run, int64_t points)
{
	const struct store_series_state st = {.version = "1",
		.at_ms = at_ms,
		.run = run,
		.points = points,
		.bytes = "abc",
		.n = 3};
	struct err e = {0};
	int kept = store_series_state_save(s, series, &st, &e);

	if (kept < 0)
		tap_text("state", e.msg);
	return kept;
}

static int64_t add_m(struct store *s, int64_t at_ms, const char *line)
{
	return add_run(
		s, &(struct given){.job = "m", .at_ms = at_ms, .verdict = "pass", .lines = {line}});
}

static void test_state(struct store *s)
{
	int64_t run = add_m(s, 1000, METRIC("m", "1", "s", "")), last, series = series_id(s, "m");

	last = add_m(s, 2000, METRIC("m", "2", "s", ""));
	is_str(state_of(s, series), "", "no state is kept at first");
	is_int(save_state(s, series, 2000, last, 1), 0, "one of other points is not kept");
	is_int(save_state(s, series, 2000, last, 2), 1, "one of all its points is");
	add_m(s, 3000, METRIC("m", "3", "s", ""));
	ok(*state_of(s, series), "and stays when a newer point comes");
	store_run_late(s, last, "incomplete", "infra", NULL, NULL);
	ok(*state_of(s, series), "and when a point of it is the same as before");
	add_m(s, 1500, METRIC("m", "4", "s", ""));
	is_str(state_of(s, series), "", "an older one drops it");
	save_state(s, series, 3000, 99, 4);
	store_run_late(s, run, "canceled", NULL, NULL, NULL);
	is_str(state_of(s, series), "", "and one that goes");
	told_as(s, &(struct store_series_filter){.job = "m"},
		"t1 b1 sdk {} m {} '' s 1500:-:4 2000:-:2 3000:-:3 n=3\n", "with its run");
}

static void test_reading(struct store *s)
{
	static const struct store_series_filter f = {.job = "r"};
	const struct store_metric metric = {"s", "t", "r", "s", 5, NAN, NAN, 0, "{}", 0, "lower"};
	struct store_reading reading = {.at_ms = 9,
		.version = "2",
		.verdict = "pass",
		.changes = "{}",
		.metrics = &metric,
		.n_metrics = 1};
	struct err e = {0};

	reading.run = add_run(
		s, &(struct given){.job = "r",
			   .at_ms = 1000,
			   .verdict = "pass",
			   .lines = {METRIC("r", "1", "s", ""), METRIC("r.old", "2", "s", "")}});
	is_int(store_reading_add(s, &reading, &e), 0, "a run is read again %s", e.msg);
	told_as(s, &f, "t1 b1 sdk {} r {} '' s 1000:-:5 n=1\n",
		"and its points are those of that reading");
	store_reading_use(s, reading.run, 0, &e);
	told_as(s, &f,
		"t1 b1 sdk {} r {} '' s 1000:-:1 n=1\nt1 b1 sdk {} r.old {} '' s 1000:-:2 n=1\n",
		"and are the old ones when that counts no more");
}

static void test_late_events(struct store *s)
{
	static const struct store_series_filter f = {.job = "late"};
	const struct store_event ev = {5000, METRIC("late", "3", "s", ""), 0};
	int64_t run = add_run(s, &(struct given){.job = "late", .at_ms = 1, .verdict = "pass"});

	store_run_events(s, run, &ev, 1, NULL);
	told_as(s, &f, "t1 b1 sdk {} late {} '' s 1:-:3 n=1\n",
		"a figure that comes after the end counts");
}

static void test_origin(struct store *s)
{
	static const struct store_series_filter f = {.job = "import"};
	const struct store_origin o = {"f", "abc", "p", "csv", "alice", 1};
	int64_t run = add_run(s, &(struct given){.job = "import",
					 .at_ms = 1,
					 .verdict = "pass",
					 .lines = {METRIC("i", "3", "s", "")}}),
		own;
	struct err e = {0};

	own = add_run(s, &(struct given){.job = "import",
				 .at_ms = 2,
				 .verdict = "pass",
				 .lines = {METRIC("i", "4", "s", "")}});
	store_origin_add(s, run, &o, &e);
	save_state(s, series_id(s, "i"), 2, own, 2);
	is_int(store_origin_del(s, own, &e), 0, "a run of ours is not taken out");
	told_as(s, &f, "t1 b1 sdk {} i {} '' s 1:-:3 2:-:4 n=2\n", "nor are its points");
	ok(*state_of(s, series_id(s, "i")), "nor a state");
	is_int(store_origin_del(s, run, &e), 1, "an imported one is");
	told_as(s, &f, "t1 b1 sdk {} i {} '' s 2:-:4 n=1\n", "with its points");
	is_str(state_of(s, series_id(s, "i")), "", "and a state of them");
}

static void test_filter(struct store *s)
{
	const struct {
		struct store_series_filter f;
		size_t n;
		const char *what;
	} cases[] = {
		{{.job = "m", .since_ms = 2500}, 1, "since before its last"},
		{{.job = "m", .since_ms = 3001}, 0, "since after its last"},
		{{.job = "m", .until_ms = 1500}, 0, "until its first"},
		{{.job = "m", .since_ms = 2100, .until_ms = 2900}, 0, "in a gap"},
		{{.job = "m", .since_ms = 1900, .until_ms = 2900}, 1, "in a time with a point"},
		{{.job = "m", .type = "t1"}, 1, "of its type"},
		{{.job = "m", .type = "t?"}, 1, "of a pattern of types"},
		{{.job = "m", .type = "t[1]"}, 0, "'[' is a letter"},
		{{.job = "m", .twin = 1}, 0, "of twins"},
		{{.job = "m", .twin = -1}, 1, "of silicon"},
		{{.board = "b2", .twin = 1}, 1, "of a board"},
		{{.line = "oth*"}, 1, "of a build line"},
		{{.run = 1}, 1, "of a run"},
		{{.run = 1, .metric = "y"}, 0, "of a run and another metric"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct telling t = {s, BUF_INIT(1 << 16), 0};
		size_t n = 0;

		store_series_list(s, &cases[i].f, tell_series, &t, NULL);
		for (const char *p = buf_str(&t.out); (p = strchr(p, '\n')); p++)
			n++;
		is_int((long long)n, (long long)cases[i].n, "series %s", cases[i].what);
		buf_done(&t.out);
	}
}

static void test_points_of_run(struct store *s)
{
	AUTOBUF out = BUF_INIT(1 << 16);

	store_points_of_run(s, 1, tell_point, &out, NULL);
	is_str(buf_str(&out), " 2000:1.0:7", "the points of a run");
	buf_reset(&out);
	store_points(s, series_id(s, "m"), 2000, 3000, tell_point, &out, NULL);
	is_str(buf_str(&out), " 2000:-:2", "the points of a time");
}

/* ---- the whole store ------------------------------------------------------------------------- */

static char *dump(struct store *s)
{
	struct telling t = {s, BUF_INIT(1 << 20), 0};
	char *text;

	store_series_list(s, NULL, tell_series, &t, NULL);
	text = mem_strdup(buf_str(&t.out));
	buf_done(&t.out);
	return text;
}

/* As a store that was made before there were series. */
static void test_fill(const char *path)
{
	struct store *s = store_open(path, false, NULL);
	AUTOFREE char *before = dump(s);
	AUTOFREE char *after = NULL;
	struct err e = {0};

	for (int i = 0; i < 200; i++)
		add_m(s, 10000 + i, METRIC("many", "1", "s", ""));
	is_int(sqlite3_exec(s->db,
		       "DELETE FROM series; UPDATE run SET pointed=0;"
		       " DELETE FROM run WHERE started_ms>=10000 AND id%2=0",
		       NULL, NULL, NULL),
		0, "a store without series");
	store_close(s);
	s = store_open(path, true, &e);
	told_as(s, NULL, "", "is read as it is");
	store_close(s);
	s = store_open(path, false, &e);
	if (!ok(s != NULL, "it is opened to be written %s", e.msg))
		return;
	sqlite3_exec(s->db, "DELETE FROM run WHERE started_ms>=10000", NULL, NULL, NULL);
	sqlite3_exec(s->db, "DELETE FROM series WHERE metric='many'", NULL, NULL, NULL);
	after = dump(s);
	is_str(after, before, "and has the series of all its runs");
	store_close(s);
}

/* Every statement on the new tables, as SQLite would walk it. */
static void test_plans(struct store *s)
{
	static const char *const tables[] = {
		"series", "point", "series_state", "run", "s", "p", "r"};
	int looked = 0;

	for (int sql = SQL_RUNS_BETWEEN; sql <= SQL_STATE_DROP;
		sql = sql == SQL_RUNS_BEFORE ? SQL_SERIES_RUN : sql + 1) {
		AUTOFREE char *text = mem_printf("EXPLAIN QUERY PLAN %s", store_sql_texts[sql]);
		sqlite3_stmt *st = NULL;

		if (sqlite3_prepare_v2(s->db, text, -1, &st, NULL))
			ok(false, "%s: %s", text, sqlite3_errmsg(s->db));
		while (sqlite3_step(st) == SQLITE_ROW) {
			const char *line = (const char *)sqlite3_column_text(st, 3);

			looked++;
			for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
				AUTOFREE char *scan = mem_printf("SCAN %s", tables[t]);

				if (!strcmp(line, scan))
					ok(false, "%s: %s", store_sql_texts[sql], line);
			}
		}
		sqlite3_finalize(st);
	}
	ok(looked > 20, "so many walks go along an index (%d)", looked);
}

int main(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("s.db"));
	struct store *s = store_open(path, false, NULL);

	test_key(s);
	test_cycles(s);
	test_better(s);
	test_state(s);
	test_reading(s);
	test_late_events(s);
	test_origin(s);
	test_filter(s);
	test_points_of_run(s);
	test_plans(s);
	store_close(s);
	test_fill(path);
	storetest_done();
	return tap_done();
}
