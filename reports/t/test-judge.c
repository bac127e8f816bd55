/* SPDX-License-Identifier: MIT */
/*
 * The judge on histories that are made for it: each baseline, each kind of answer, and what must
 * hold when a history is empty, damaged, late or replaced. What is read out of a kept state is what
 * reading everything anew says.
 */
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/json.h"
#include "reports/judge.h"

#include <math.h>

#define DAY_MS  86400000LL
#define FIGURES 6

struct night {
	int day;
	const char *board, *type, *job, *line, *version, *verdict, *blame, *params;
	bool twin;
	const char *lines[12];  /* JSON of its events */
	double values[FIGURES]; /* of figures x.m0 and so on, of test t0 and so on; 0: not measured
				 */
	const char *unit;
};

static int64_t add(struct store *s, const struct night *n)
{
	struct store_run run = {.job = n->job ? n->job : "night",
		.board = n->board ? n->board : "b1",
		.type = n->type ? n->type : "t1",
		.soc = "am62axx",
		.twin = n->twin,
		.build = n->line ? n->line : "sdk",
		.build_version = n->version,
		.started_ms = (n->day + 1) * DAY_MS,
		.params = n->params};
	struct store_event events[32];
	AUTOFREE char *made[FIGURES] = {0};
	char *owned[FIGURES] = {0};
	const char *verdict = n->verdict ? n->verdict : "pass";
	struct err e = {0};
	size_t k = 0;

	(void)made;
	for (; k < ARRAY_LEN(n->lines) && n->lines[k]; k++)
		events[k] = (struct store_event){k * 10000, n->lines[k], 0};
	for (int i = 0; i < FIGURES; i++) {
		if (n->values[i] == 0)
			continue;
		owned[i] = mem_printf("{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t%d\","
				      "\"name\":\"x.m%d\",\"value\":%.9g,\"unit\":\"%s\","
				      "\"better\":\"%s\"}",
			i, i, n->values[i], n->unit ? n->unit : "MB/s",
			i == 5   ? "neither"
			: i == 1 ? "lower"
				 : "higher");
		events[k] = (struct store_event){k * 10000, owned[i], 0};
		k++;
	}
	if (store_run_add(s, &run, &e) || store_run_events(s, run.id, events, k, &e) ||
		store_run_end(s, run.id, verdict, n->blame, NULL, run.started_ms + 1000, &e))
		tap_text("add", e.msg);
	for (int i = 0; i < FIGURES; i++)
		free(owned[i]);
	return run.id;
}

/* Deterministic noise of about one, -2..2. */
static double jitter(int day, int i)
{
	uint32_t h = (uint32_t)(day * 131 + i * 7919 + 12345);
	double sum = 0;

	for (int k = 0; k < 4; k++) {
		h = h * 1664525u + 1013904223u;
		sum += (double)(h >> 8) / (1 << 24) - 0.5;
	}
	return sum * 1.7;
}

static double noisy(double level, int day, int i)
{
	return level * (1 + 0.01 * jitter(day, i));
}

static const char *version(int day)
{
	static char text[8][16];
	char *out = text[day % 8];

	snprintf(out, sizeof text[0], "1.%d", day);
	return out;
}

static void begin(struct judge *j, struct store *s, const char *baseline, bool keep)
{
	struct judge_baseline b;
	struct arena a = {0};
	struct err e = {0};

	if (judge_baseline_parse(&b, &a, baseline, &e))
		tap_text(baseline, e.msg);
	judge_init(j, s, &b, keep);
	/* its texts live as long as the judge's */
	j->arena = a;
}

static const struct judge_run *judge_one(struct judge *j, int64_t run)
{
	struct err e = {0};
	int found = judge_run(j, run, &e);

	if (found != 1)
		tap_text("judge_run", found < 0 ? e.msg : "not there");
	judge_settle(j);
	return j->runs.n ? j->runs.p[j->runs.n - 1] : NULL;
}

static const struct judgement *figure(const struct judge_run *r, const char *metric)
{
	static const struct judgement none = {.kind = JUDGE_KINDS};

	for (size_t i = 0; r && i < r->n_figures; i++)
		if (!strcmp(r->figures[i].series.metric, metric))
			return &r->figures[i];
	return &none;
}

static const char *kind(const struct judgement *m)
{
	return m->kind == JUDGE_KINDS ? "none" : judge_kind_names[m->kind];
}

/* All that is told, for comparing. */
static char *dump(const struct judge *j)
{
	AUTOBUF out = BUF_INIT(1 << 22);

	vec_each (&j->runs, r)
		for (size_t i = 0; i < (*r)->n_figures; i++) {
			const struct judgement *m = &(*r)->figures[i];

			buf_printf(&out,
				"%lld %s %s %.9g %.9g %.9g %.9g %.9g %lld %lld %s %s %d%d%d\n",
				(long long)m->run, m->series.metric, kind(m), m->value, m->before,
				m->after, m->noise, m->evidence, (long long)m->runs_before,
				(long long)m->runs_after, m->last_good ? m->last_good : "-",
				m->first_bad ? m->first_bad : "-", m->suspected, m->standing,
				m->together);
		}
	return mem_strdup(buf_str(&out));
}

/* ---- a history ------------------------------------------------------------------------------- */

static void test_first(struct store *s)
{
	int64_t run = add(s, &(struct night){.job = "first", .version = "1", .values = {7}});
	const struct judge_run *r;
	struct judge j;
	struct err e = {0};

	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	is_str(kind(figure(r, "x.m0")), "new", "one run only: new");
	is_int((long long)r->counts[JUDGE_NEW], 1, "and counted");
	is_int((long long)judge_regressions(&j), 0, "no regression");
	is_int(judge_run(&j, 999, &e), 0, "a run that is not there");
	judge_done(&j);
	run = add(s, &(struct night){.job = "first", .day = 1, .version = "2", .values = {7}});
	begin(&j, s, "history", true);
	is_str(kind(figure(judge_one(&j, run), "x.m0")), "noise", "a second one that is equal");
	judge_done(&j);
	run = add(s, &(struct night){.job = "first", .day = 2, .version = "3", .values = {7.7}});
	begin(&j, s, "history", true);
	is_str(kind(figure(judge_one(&j, run), "x.m0")), "noise",
		"a tenth more says nothing of a figure whose noise nobody knows");
	judge_done(&j);
	run = add(s, &(struct night){.job = "first", .day = 3, .version = "4", .values = {1}});
	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	is_str(kind(figure(r, "x.m0")), "regression", "a seventh of it does");
	ok(figure(r, "x.m0")->suspected, "it is suspected");
	is_int((long long)r->suspected, 1, "and counted apart");
	judge_done(&j);
	run = add(s, &(struct night){.job = "none", .version = "1"});
	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	ok(r && !r->n_figures && !r->n_tests, "a run with nothing has nothing");
	judge_done(&j);
}

#define STEP_DAY 60
#define LAST_DAY 80

static struct night step_night(int day)
{
	double part = day >= STEP_DAY ? 0.93 : 1;

	return (struct night){.job = "step",
		.day = day,
		.version = version(day),
		.values = {noisy(100 * part, day, 0), noisy(5 / part, day, 1), noisy(80, day, 2),
			42, noisy(30 / part, day, 4), noisy(9 * part, day, 5)}};
}

static int forget(void *arg, const struct store_series *series)
{
	const struct store_series_state none = {
		.version = "none", .at_ms = 1, .run = 1, .points = series->points, .bytes = ""};

	return store_series_state_save(arg, series->id, &none, NULL) < 0;
}

/* Night by night with a kept state, and all at once anew. */
static void test_step(struct store *s)
{
	int found_day[FIGURES] = {0}, alarms = 0, suspected = 0;
	const struct judgement *m;
	AUTOFREE char *kept = NULL;
	AUTOFREE char *anew = NULL;
	AUTOFREE char *twice = NULL;
	const struct judge_run *r;
	struct judge j, again;
	int64_t run = 0;

	for (int day = 0; day <= LAST_DAY; day++) {
		const struct night n = step_night(day);

		run = add(s, &n);
		begin(&j, s, "history", true);
		r = judge_one(&j, run);
		for (int i = 0; i < FIGURES; i++) {
			char name[8];

			snprintf(name, sizeof name, "x.m%d", i);
			m = figure(r, name);
			suspected += m->suspected;
			if (m->kind == JUDGE_NOISE || m->kind == JUDGE_NEW || m->suspected ||
				m->standing)
				continue;
			alarms += day < STEP_DAY;
			if (!found_day[i])
				found_day[i] = day;
		}
		if (day == LAST_DAY)
			kept = dump(&j);
		if (found_day[0] == day && day) {
			m = figure(r, "x.m0");
			is_str(kind(m), "regression", "a step of 7 %% is found after %lld runs",
				(long long)m->runs_after);
			ok(m->evidence > 3 && m->confidence > 0.99 && m->noise > 0.002 &&
					m->noise < 0.02,
				"with evidence %g, confidence %g and noise %g", m->evidence,
				m->confidence, m->noise);
			ok(fabs(m->change + 0.07) < 0.015, "of its size: %g", m->change);
			ok(m->first_bad_run > 0 && m->last_good_run == m->first_bad_run - 1 &&
					m->first_bad && m->last_good,
				"since build %s, good was %s", m->first_bad, m->last_good);
			is_int((long long)r->counts[JUDGE_REGRESSION] > 0, 1, "it is counted");
		}
		judge_done(&j);
	}
	is_int(alarms, 0, "nothing is told before");
	ok(suspected < 12, "few runs are suspected alone: %d", suspected);
	for (int i = 0; i < FIGURES; i++)
		ok(i == 2 || i == 3 ? !found_day[i]
				    : found_day[i] >= STEP_DAY && found_day[i] <= STEP_DAY + 14,
			"figure %d: found on day %d", i, found_day[i]);
	begin(&again, s, "history", true);
	judge_one(&again, run);
	twice = dump(&again);
	is_str(kept, twice, "judged again it is the same");
	is_int((long long)again.read_anew, 0, "out of the kept states");
	judge_done(&again);
	is_int(store_series_list(s, NULL, forget, s, NULL), 0, "the states are of another version");
	begin(&again, s, "history", false);
	r = judge_one(&again, run);
	anew = dump(&again);
	is_int((long long)again.read_anew, FIGURES, "then each series is read anew");
	is_str(kept, anew, "which says what a kept state says");
	is_str(kind(figure(r, "x.m1")), "regression", "what should be low and is higher");
	is_str(kind(figure(r, "x.m4")), "improvement", "what should be high and is higher");
	is_str(kind(figure(r, "x.m5")), "moved", "what is neither");
	ok(figure(r, "x.m0")->standing, "by then it is known");
	is_int((long long)r->standing, 2, "and counted apart");
	is_int((long long)judge_regressions(&again), 0, "no new regression");
	judge_done(&again);
}

/* Of an earlier night, and of one whose state a late run dropped. */
static void test_late(struct store *s)
{
	AUTOFREE char *before = NULL;
	AUTOFREE char *after = NULL;
	struct judge j;
	int64_t old = 0;
	struct night n;

	for (int day = 0; day < 30; day++) {
		int64_t run;

		if (day == 20)
			continue;
		n = (struct night){.job = "late",
			.day = day,
			.version = version(day),
			.values = {noisy(50, day, 0)}};
		run = add(s, &n);
		old = day == 15 ? run : old;
		begin(&j, s, "history", true);
		judge_one(&j, run);
		if (day == 15)
			before = dump(&j);
		judge_done(&j);
	}
	begin(&j, s, "history", true);
	judge_one(&j, old);
	after = dump(&j);
	is_str(after, before, "an earlier night is told as it was then");
	judge_done(&j);
	n = (struct night){
		.job = "late", .day = 20, .version = "late", .values = {noisy(50, 20, 0)}};
	old = add(s, &n);
	begin(&j, s, "history", true);
	is_int(figure(judge_one(&j, old), "x.m0")->runs_before, 20,
		"a run that comes late is judged by what was before it");
	judge_done(&j);
	n = (struct night){
		.job = "late", .day = 31, .version = "new", .values = {noisy(50, 31, 0)}};
	old = add(s, &n);
	begin(&j, s, "history", true);
	is_int(figure(judge_one(&j, old), "x.m0")->runs_before, 30,
		"and belongs to the next one's");
	judge_done(&j);
}

static void test_equal(struct store *s)
{
	struct judge j;
	int64_t run = 0;

	for (int day = 0; day < 40; day++)
		run = add(s, &(struct night){.job = "equal",
				     .day = day,
				     .version = version(day),
				     .values = {64, 64}});
	begin(&j, s, "history", true);
	is_str(kind(figure(judge_one(&j, run), "x.m0")), "noise", "all equal: noise");
	judge_done(&j);
	run = add(s,
		&(struct night){.job = "equal", .day = 40, .version = "a", .values = {63.99, 60}});
	begin(&j, s, "history", true);
	is_str(kind(figure(judge_one(&j, run), "x.m0")), "noise",
		"a little less than ever is noise");
	is_str(kind(figure(judge_one(&j, run), "x.m1")), "improvement", "a sixteenth is not");
	judge_done(&j);
}

/* ---- what is not the same figure any more ---------------------------------------------------- */

static void test_other(struct store *s)
{
	const struct judge_run *r;
	struct judge j;
	int64_t run;

	for (int day = 0; day < 10; day++)
		add(s, &(struct night){.job = "other",
			       .day = day,
			       .version = version(day),
			       .values = {50, 60, 70}});
	run = add(s, &(struct night){.job = "other",
			     .day = 10,
			     .version = "a",
			     .unit = "kB/s",
			     .values = {50000}});
	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	is_str(kind(figure(r, "x.m0")), "new", "a figure in another unit is new");
	is_str(figure(r, "x.m0")->why, "unit was 'MB/s'", "as is told");
	is_str(kind(figure(r, "x.m1")), "missing", "one that is not there is missing");
	ok(isnan(figure(r, "x.m1")->value) && figure(r, "x.m1")->before == 60,
		"it is no 0, and what it was is told");
	is_int((long long)r->counts[JUDGE_MISSING], 2, "each is counted; the other unit is none");
	judge_done(&j);
	run = add(s, &(struct night){.job = "other",
			     .day = 11,
			     .board = "b9",
			     .version = "a",
			     .values = {50, 60, 70}});
	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	is_str(kind(figure(r, "x.m0")), "new", "another board's is new");
	has_str(figure(r, "x.m1")->why, "board was 'b1'", "as is told");
	is_int((long long)r->counts[JUDGE_MISSING], 0, "nothing of it is missing");
	judge_done(&j);
	run = add(
		s, &(struct night){.job = "other",
			   .day = 12,
			   .version = "a",
			   .values = {50, 60, 70},
			   .lines = {"{\"kind\":\"env\",\"name\":\"x.version\",\"value\":\"2\"}"}});
	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	is_str(figure(r, "x.m1")->why, "tool was ''", "another tool's is new");
	judge_done(&j);
	run = add(s, &(struct night){.job = "other",
			     .day = 13,
			     .version = "a",
			     .verdict = "incomplete",
			     .blame = "infra"});
	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	ok(r->n_tests == 1 && r->tests[0].kind == JUDGE_BROKE && r->tests[0].blame == BLAME_INFRA,
		"a run that did not get through is told with whom it blames");
	judge_done(&j);
}

/* ---- the board ------------------------------------------------------------------------------- */

static int64_t slow_night(struct store *s, const char *job, const char *board, int day, double part,
	const char *build, const char *governor)
{
	AUTOFREE char *env = mem_printf(
		"{\"kind\":\"env\",\"name\":\"cpu.governor\",\"value\":\"%s\"}", governor);
	struct night n = {.job = job, .board = board, .day = day, .version = build, .lines = {env}};

	for (int i = 0; i < 5; i++)
		n.values[i] = noisy(100 * (i == 1 ? 2 - part : part), day, i + (*board << 4));
	return add(s, &n);
}

static void slow(struct store *s, const char *job, double b1, double b2, const char *build,
	const char *governor, struct judge *j)
{
	int64_t runs[2];

	for (int day = 0; day < 30; day++) {
		slow_night(s, job, "b1", day, 1, version(day), "performance");
		slow_night(s, job, "c2", day, 1, version(day), "performance");
	}
	runs[0] = slow_night(s, job, "b1", 30, b1, build, governor);
	runs[1] = b2 > 0 ? slow_night(s, job, "c2", 30, b2, build, "performance") : 0;
	begin(j, s, "history", true);
	for (int i = 0; i < 2; i++)
		if (runs[i])
			judge_run(j, runs[i], NULL);
	judge_settle(j);
}

static void test_board(struct store *s)
{
	const struct judge_run *r;
	struct judge j;

	slow(s, "alone", 0.85, 1, "2.0", "performance", &j);
	r = j.runs.p[0];
	ok(r->together, "most figures of a board moved");
	is_str(kind(figure(r, "x.m0")), "environment", "and of no other: it is the board");
	is_int(figure(r, "x.m0")->blame, BLAME_INFRA, "to blame");
	is_int((long long)judge_regressions(&j), 0, "no regression");
	judge_done(&j);
	slow(s, "both", 0.85, 0.85, "2.0", "performance", &j);
	r = j.runs.p[0];
	is_str(kind(figure(r, "x.m0")), "regression", "on both boards: it is the build");
	is_int(figure(r, "x.m0")->blame, BLAME_BUILD, "to blame");
	ok(figure(r, "x.m0")->together, "all moved together");
	judge_done(&j);
	slow(s, "same", 0.85, 0, version(29), "performance", &j);
	is_str(kind(figure(j.runs.p[0], "x.m0")), "environment",
		"with the build of the day before: it is the board");
	judge_done(&j);
	slow(s, "unknown", 0.85, 0, "2.0", "performance", &j);
	is_str(kind(figure(j.runs.p[0], "x.m0")), "regression",
		"with a new build and no other board: the build is not excused");
	judge_done(&j);
	slow(s, "governor", 0.85, 0.85, "2.0", "powersave", &j);
	r = j.runs.p[0];
	is_str(kind(figure(r, "x.m0")), "environment", "set up otherwise: it is that");
	is_str(figure(r, "x.m0")->why, "cpu.governor was 'performance', is 'powersave'", "as told");
	is_int((long long)r->n_envs, 1, "and listed");
	is_str(kind(figure(j.runs.p[1], "x.m0")), "regression", "the other board's is not excused");
	judge_done(&j);
}

/* ---- baselines ------------------------------------------------------------------------------- */

static void test_parse(void)
{
	static const char *const bad[] = {"", "latest", "build:", "run:", "run:0", "run:x",
		"branch:", "branch:@1", "branch:a@", "History"};
	struct judge_baseline b = {.against = JUDGE_RUN};
	struct arena a = {0};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		is_int(judge_baseline_parse(&b, &a, bad[i], &e), -1, "'%s' is no baseline", bad[i]);
	is_int(b.against, JUDGE_RUN, "and changes nothing");
	is_int(e.blame, BLAME_CONFIG, "%s", e.msg);
	is_int(judge_baseline_parse(&b, &a, "branch:main@3", &e), 0, "a branch");
	is_str(b.line, "main", "its line");
	is_str(b.version, "3", "its version");
	arena_done(&a);
}

static void against(struct store *s, int64_t run, const char *baseline, const char *want,
	double before, const char *good, const char *what)
{
	const struct judgement *m;
	const struct judge_run *r;
	struct judge j;

	begin(&j, s, baseline, false);
	r = judge_one(&j, run);
	m = figure(r, "x.m0");
	is_str(kind(m), want, "against %s: %s", baseline, what);
	if (before > 0)
		ok(fabs(m->before - before) < 0.03 * before, "from %g", m->before);
	if (good)
		is_str(m->last_good, good, "good is its build");
	if (before == 0)
		ok(r->trouble || m->why, "with a word: %s", r->trouble ? r->trouble : m->why);
	judge_done(&j);
}

static void test_baselines(struct store *s)
{
	int64_t run = 0, first = 0, twin;

	for (int day = 0; day < 20; day++) {
		run = add(s, &(struct night){.job = "base",
				     .day = day,
				     .version = version(day),
				     .verdict = day == 19 ? "fail" : "pass",
				     .values = {noisy(day < 10 ? 100 : 80, day, 0)}});
		first = first ? first : run;
	}
	run = add(s,
		&(struct night){
			.job = "base", .day = 20, .version = "1.20", .values = {noisy(60, 20, 0)}});
	against(s, run, "last-good", "regression", 80, "1.18", "a build that failed is not it");
	against(s, run, "build:1.3", "regression", 100, "1.3", "a release");
	against(s, run, "build:0.1", "new", 0, NULL, "one that nobody measured");
	against(s, first, "run:1000000", "none", -1, NULL, "one that is not there is an error");
	against(s, first, "last-good", "new", 0, NULL, "nothing before it");
	twin = add(s, &(struct night){.job = "base", .day = 21, .twin = true, .values = {100}});
	against(s, run, "reference", "new", 0, NULL, "nothing published of it");
	against(s, twin, "reference", "new", 0, NULL, "a twin has none");
	for (int day = 22; day < 24; day++)
		twin = add(s, &(struct night){.job = "base",
				      .day = day,
				      .line = "topic",
				      .version = version(day),
				      .values = {noisy(20, day, 0)}});
	against(s, twin, "branch:sdk", "regression", 60, "1.20", "another line where it began");
	against(s, twin, "branch:sdk@1.3", "regression", 100, "1.3", "at a version");
	against(s, twin, "branch:nobody", "new", 0, NULL, "a line that is not there");
}

static void test_run_baseline(struct store *s)
{
	int64_t a = add(s, &(struct night){.job = "runs",
				   .day = 1,
				   .version = "a",
				   .board = "b1",
				   .values = {100, 5}});
	int64_t b = add(s, &(struct night){.job = "runs",
				   .day = 2,
				   .version = "b",
				   .board = "b2",
				   .values = {40, 5.01}});
	AUTOFREE char *baseline = mem_printf("run:%lld", (long long)a);
	const struct judge_run *r;
	struct judge j;

	begin(&j, s, baseline, false);
	r = judge_one(&j, b);
	is_str(kind(figure(r, "x.m0")), "regression", "a run against another board's");
	is_int(figure(r, "x.m0")->last_good_run, a, "which is named");
	is_str(kind(figure(r, "x.m1")), "noise", "what is alike is noise");
	judge_done(&j);
}

/* ---- tests ----------------------------------------------------------------------------------- */

#define RESULT(name, status)                                                                       \
	"{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"" name "\",\"status\":\"" status "\"}"

static const struct judge_test *test_of(const struct judge_run *r, const char *name)
{
	static const struct judge_test none = {.kind = JUDGE_TEST_KINDS};

	for (size_t i = 0; i < r->n_tests; i++)
		if (!strcmp(r->tests[i].name, name))
			return &r->tests[i];
	return &none;
}

static void test_tests(struct store *s)
{
	const struct judge_run *r;
	struct judge j;
	int64_t run;

	for (int day = 0; day < 6; day++)
		add(s, &(struct night){.job = "tests",
			       .day = day,
			       .version = version(day),
			       .lines = {RESULT("ok", "pass"), RESULT("breaks", "pass"),
				       day % 2 ? RESULT("flaky", "fail") : RESULT("flaky", "pass"),
				       RESULT("bad", "fail"), RESULT("lost", "pass"),
				       RESULT("gone", "pass"),
				       day < 4 ? RESULT("old", "pass") : RESULT("old", "fail")}});
	run = add(s, &(struct night){.job = "tests",
			     .day = 6,
			     .version = "1.6",
			     .verdict = "fail",
			     .lines = {RESULT("ok", "pass"), RESULT("breaks", "fail"),
				     RESULT("flaky", "pass"), RESULT("bad", "pass"),
				     RESULT("lost", "miss"), RESULT("new", "fail"),
				     RESULT("old", "fail"), RESULT("skips", "skip")}});
	begin(&j, s, "history", true);
	r = judge_one(&j, run);
	is_int(test_of(r, "ok")->kind, JUDGE_TEST_KINDS, "a test that passes is not told");
	is_int(test_of(r, "skips")->kind, JUDGE_TEST_KINDS, "nor one that is skipped");
	is_int(test_of(r, "breaks")->kind, JUDGE_BROKE, "one that passed broke");
	is_str(test_of(r, "breaks")->last_good, "1.5", "good was the build before");
	is_str(test_of(r, "breaks")->first_bad, "1.6", "bad is this one");
	is_int(test_of(r, "breaks")->blame, BLAME_BUILD, "which is to blame");
	is_int(test_of(r, "bad")->kind, JUDGE_FIXED, "one that failed is fixed");
	is_int(test_of(r, "flaky")->kind, JUDGE_FIXED, "and so is one that comes and goes");
	is_int(test_of(r, "lost")->kind, JUDGE_LOST, "a result that was lost is lost");
	is_int(test_of(r, "lost")->blame, BLAME_INFRA, "and nobody's build");
	is_int(test_of(r, "gone")->kind, JUDGE_LOST, "and so is one that is not there");
	is_int(test_of(r, "new")->kind, JUDGE_NEW_FAILING, "a new one fails");
	is_int(test_of(r, "old")->kind, JUDGE_FAILING, "one failed before");
	is_str(test_of(r, "old")->first_bad, "1.4", "since that build");
	is_str(test_of(r, "old")->last_good, "1.3", "after that one");
	judge_done(&j);
}

static void test_reference(struct store *s)
{
	struct metric_table table = {0};
	struct reference_set refs = {0};
	struct diag diag = {0};
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	const struct reference *ref = NULL;
	const struct reference_figure *f = NULL;
	const struct judgement *m;
	struct judge j;

	metric_table_load(&table, path, &diag);
	reference_set_load(&refs, NULL, &table, &diag);
	diag_done(&diag);
	ref = reference_set_find(&refs, "am62axx");
	for (size_t i = 0; ref && i < ref->n && !f; i++)
		if (ref->figures[i].def->better == BETTER_HIGHER && isnan(ref->figures[i].min))
			f = &ref->figures[i];
	if (ok(f != NULL, "a published figure that should be high"))
		for (int i = 0; i < 3; i++) {
			static const char *const want[] = {"noise", "regression", "improvement"};
			static const double part[] = {0.97, 0.8, 1.3};
			json_t *labels = json_object(), *ev;
			char *line;
			int64_t run;

			node_each (f->params, p)
				json_object_set_new(labels, p->key, json_string(p->text));
			ev = json_pack("{s:s, s:s, s:s, s:s, s:f, s:s, s:o}", "kind", "metric",
				"suite", "s", "test", "t", "name", f->def->name, "value",
				f->value * part[i], "unit", f->def->unit, "labels", labels);
			line = json_dumps(ev, JSON_COMPACT);
			run = add(
				s, &(struct night){.job = "published", .day = i, .lines = {line}});
			free(line);
			json_decref(ev);
			begin(&j, s, "reference", false);
			j.references = &refs;
			m = figure(judge_one(&j, run), f->def->name);
			is_str(kind(m), want[i], "%g of what was published", part[i]);
			judge_done(&j);
		}
	reference_set_done(&refs);
	metric_table_done(&table);
}

int main(void)
{
	struct store *s = store_open(":memory:", false, NULL);

	test_first(s);
	test_step(s);
	test_late(s);
	test_equal(s);
	test_other(s);
	test_board(s);
	test_parse();
	test_baselines(s);
	test_run_baseline(s);
	test_tests(s);
	test_reference(s);
	store_close(s);
	return tap_done();
}
