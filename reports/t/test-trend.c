/* SPDX-License-Identifier: MIT */
/*
 * Trends: where releases and runs change, what is kept of how many, what is put together, and every
 * odd history: none, one run, equal values, another unit or board, more than is kept whole.
 */
#include "base/t/tap.h"
#include "reports/trend/t/year.h"

#include "reports/stats/changes.h"

#include <math.h>

#define WEEK_MS (7 * YEAR_DAY_MS)

static char versions[400][16];

static size_t points_of(struct store_point *p, const double *v, size_t n, int64_t gap_ms)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (struct store_point){(int64_t)i + 1, YEAR_FROM_MS + (int64_t)i * gap_ms,
			versions[i], v[i], NAN, NAN, 1};
	return n;
}

/* ---- releases -------------------------------------------------------------------------------- */

struct release_case {
	const char *name;
	double v[12];
	size_t n, changes, at;
	bool confirmed;
	size_t odd;
};

static const struct release_case release_cases[] = {
	{"nothing but noise", {100, 101, 99, 100.5, 99.5, 100, 101}, 7, 0, 0, false, 0},
	{"a step", {100, 101, 99, 80, 81, 80, 79}, 7, 1, 3, true, 0},
	{"one damaged figure", {100, 101, 99, 10, 100, 101, 100}, 7, 0, 0, false, 1},
	{"one that is zero", {42, 42, 42, 0, 42, 42}, 6, 0, 0, false, 1},
	{"the newest alone", {100, 101, 99, 100, 130}, 5, 1, 4, false, 0},
	{"the newest by too little", {100, 101, 99, 100, 107}, 5, 0, 0, false, 0},
	{"three releases", {100, 100, 200}, 3, 0, 0, false, 0},
	{"a clock of one step", {4, 4, 5, 4, 4, 5, 5, 4}, 8, 0, 0, false, 0},
	{"a clock that really moved", {4, 4, 5, 4, 9, 9, 8, 9}, 8, 1, 4, true, 0},
	{"there and back", {100, 101, 50, 51, 50, 101, 100}, 7, 2, 2, true, 0},
	{"a figure that always wanders", {10, 40, 15, 35, 60, 12, 44, 20}, 8, 0, 0, false, 0},
	{"one step of the clock", {4, 4, 4, 5, 5, 5}, 6, 0, 0, false, 0},
	{"a half of it all", {100, 100, 100, 100, 50, 50, 50, 50}, 8, 1, 4, true, 0},
	{"from nothing", {0, 0, 0, 5, 6, 5}, 6, 1, 3, true, 0},
	{"all equal", {7, 7, 7, 7, 7, 7}, 6, 0, 0, false, 0},
	{"less than 5 %", {100, 100, 100, 104, 104, 104}, 6, 0, 0, false, 0},
};

static void test_releases(void)
{
	for (size_t i = 0; i < ARRAY_LEN(release_cases); i++) {
		const struct release_case *c = &release_cases[i];
		struct trend_found found[TREND_CHANGES];
		struct store_point p[12];
		double deviation;
		size_t odd, n;

		points_of(p, c->v, c->n, 60 * YEAR_DAY_MS);
		ok(trend_is_release(p, c->n), "%s: are releases", c->name);
		n = trend_judge(p, c->n, 0, NULL, found, &deviation, &odd);
		is_int((long long)n, (long long)c->changes, "%s: changes", c->name);
		is_int((long long)odd, (long long)c->odd, "%s: odd figures", c->name);
		if (n && c->changes) {
			is_int((long long)found[0].at, (long long)c->at, "%s: where", c->name);
			is_int(found[0].confirmed, c->confirmed, "%s: confirmed", c->name);
			ok(isnan(found[0].evidence), "%s: no test says it", c->name);
		}
	}
}

static void test_kind(void)
{
	double v[60] = {0};
	struct store_point p[60];

	points_of(p, v, 60, 60 * YEAR_DAY_MS);
	ok(!trend_is_release(p, 60), "sixty points are runs, however far apart");
	points_of(p, v, 30, YEAR_DAY_MS);
	ok(!trend_is_release(p, 30), "a point a night is no release");
	ok(!trend_is_release(p, 1), "one point is none");
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void test_runs(void)
{
	uint64_t state = simulate_seed(3);
	struct trend_found found[TREND_CHANGES];
	struct store_point p[200];
	double v[200], deviation;
	struct changes known;
	size_t odd;

	simulate(NOISE_GAUSSIAN, &state, v, 200, 120, 0.1);
	points_of(p, v, 200, YEAR_DAY_MS);
	is_int((long long)trend_judge(p, 200, 0, NULL, found, &deviation, &odd), 1,
		"a step of runs");
	ok(found[0].at >= 117 && found[0].at <= 123, "at run %zu of 120", found[0].at);
	ok(found[0].confirmed && found[0].evidence > 3, "sure: %.1f", found[0].evidence);
	is_int((long long)trend_judge(p, 123, 0, NULL, found, &deviation, &odd), 1,
		"three runs on");
	ok(!found[0].confirmed, "it is young");
	changes_init(&known, 0);
	for (size_t i = 50; i < 200; i++)
		changes_add(&known, v[i]);
	is_int((long long)trend_judge(p, 200, 0, &known, found, &deviation, &odd), 1,
		"what was kept of the newest 150 says the same");
	ok(found[0].at >= 117 && found[0].at <= 123, "at run %zu of 120", found[0].at);
}

/* What the screen turns away has no step that the detector finds. */
static void test_screen(void)
{
	size_t turned[2] = {0}, lost[2] = {0}, series = 40;
	struct store_point p[150];
	double v[150];

	for (size_t i = 0; i < series * NOISE_KINDS * 2; i++) {
		uint64_t state = simulate_seed(i + 1);
		bool steps = i % 2;
		struct changes c;

		simulate((enum noise_kind)(i / 2 % NOISE_KINDS), &state, v, 150, steps ? 100 : 1000,
			0.05);
		points_of(p, v, 150, YEAR_DAY_MS);
		if (trend_may_change(p, 150))
			continue;
		turned[steps]++;
		changes_init(&c, 0);
		for (size_t k = 0; k < 150; k++)
			changes_add(&c, v[k]);
		lost[steps] += c.n_found > 0;
	}
	ok(turned[0] >= series, "the screen turns away %zu of %zu that do nothing", turned[0],
		series * NOISE_KINDS);
	is_int((long long)lost[1], 0, "and none with a step that the detector finds (of %zu)",
		turned[1]);
	ok(lost[0] <= turned[0] / 50, "of the others it spares %zu false alarms", lost[0]);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct store_series series_of(const char *metric)
{
	return (struct store_series){.id = 1,
		.type = "am62axx-sk",
		.board = "b1",
		.line = "sdk",
		.job = "night",
		.params = "{}",
		.suite = "s",
		.test = "t",
		.metric = metric,
		.labels = "{\"bs\":\"4k\",\"n\":3}",
		.tool = "",
		.unit = "MB/s",
		.better = "higher"};
}

static void test_empty(void)
{
	struct trend t;

	trend_begin(&t, &(struct trend_query){0}, 0);
	trend_add(&t, &(struct store_series){.metric = "x", .labels = "{}", .better = "higher"},
		NULL, 0, NULL);
	trend_finish(&t);
	is_int((long long)(t.n_lines + t.n_events + t.n_points), 0, "nothing is nothing");
	trend_done(&t);
}

static void test_one(void)
{
	struct store_series s = series_of("fio.read.bw");
	struct store_point p[1];
	struct trend t;

	points_of(p, (double[]){5}, 1, 0);
	trend_begin(&t, &(struct trend_query){0}, 1);
	trend_add(&t, &s, p, 1, NULL);
	trend_finish(&t);
	is_int((long long)t.n_lines, 1, "one run is a series");
	is_int((long long)t.n_events, 0, "without a change");
	is_str(t.lines[0].title, "fio.read.bw bs=4k n=3", "its name");
	is_str(t.lines[0].area, "fio", "its area");
	ok(t.lines[0].last == 5 && t.lines[0].median == 5, "and its value");
	trend_done(&t);
}

static void test_window(void)
{
	static const double v[] = {100, 101, 99, 80, 81, 80, 79};
	struct store_series s = series_of("fio.read.bw");
	struct trend_query q = {0};
	struct store_point p[7];
	struct trend t;

	points_of(p, v, 7, 60 * YEAR_DAY_MS);
	q.filter.since_ms = p[3].at_ms;
	trend_begin(&t, &q, 7);
	trend_add(&t, &s, p, 7, NULL);
	trend_finish(&t);
	is_int((long long)t.lines[0].n, 4, "since a time: four points");
	is_int((long long)t.lines[0].n_changes, 1, "and the change with the first of them");
	ok(t.lines[0].changes[0].last.run == 3, "which is held against the one before");
	trend_done(&t);
	q.filter.since_ms = p[4].at_ms;
	trend_begin(&t, &q, 7);
	trend_add(&t, &s, p, 7, NULL);
	trend_finish(&t);
	is_int((long long)t.n_events, 0, "a change before that is history");
	trend_done(&t);
	q.filter.until_ms = p[3].at_ms, q.filter.since_ms = 0;
	trend_begin(&t, &q, 7);
	trend_add(&t, &s, p, 7, NULL);
	trend_finish(&t);
	is_int((long long)t.n_events, 0, "one after the end is not known");
	is_int((long long)t.lines[0].n, 3, "nor its points");
	trend_done(&t);
}

static void test_events(void)
{
	static const double v[] = {100, 101, 99, 100, 80, 81, 80, 79};
	static const char *const metrics[] = {"a.one", "a.two", "b.three"};
	struct store_series s;
	struct store_point p[8];
	struct trend t;

	points_of(p, v, 8, 60 * YEAR_DAY_MS);
	trend_begin(&t, &(struct trend_query){0}, 24);
	for (size_t i = 0; i < 3; i++) {
		s = series_of(metrics[i]);
		s.better = i == 1 ? "lower" : i == 2 ? "neither" : "higher";
		trend_add(&t, &s, p, 8, NULL);
	}
	s = series_of("a.one");
	s.twin = true;
	trend_add(&t, &s, p, 8, NULL);
	trend_finish(&t);
	is_int((long long)t.n_events, 2, "one build on silicon, one on a twin");
	for (size_t i = 0; i < t.n_events; i++) {
		const struct trend_event *e = &t.events[i];

		is_str(e->version, versions[4], "the build");
		is_str(e->before, versions[3], "the last one without");
		is_int((long long)e->n_hits, e->twin ? 1 : 3, "its changes");
		is_int((long long)e->series, e->twin ? 1 : 3, "of so many series");
		is_int((long long)e->worse, 1, "worse");
		is_int((long long)e->better, !e->twin, "better");
		is_int((long long)e->moved, !e->twin, "neither");
		ok(!e->together && e->confirmed, "no common cause, and confirmed");
	}
	trend_done(&t);
}

/* The detector places a step some runs off: those of one build are still told together. */
static void test_near(void)
{
	struct store_point p[150];
	struct trend t;
	uint64_t state = simulate_seed(9);
	double v[150];

	trend_begin(&t, &(struct trend_query){0}, 150 * 12);
	for (size_t i = 0; i < 12; i++) {
		struct store_series s = series_of("a.one");
		char labels[32];

		snprintf(labels, sizeof labels, "{\"n\":%zu}", i);
		s.labels = labels;
		simulate(NOISE_GAUSSIAN, &state, v, 150, 100, -0.06);
		points_of(p, v, 150, YEAR_DAY_MS);
		trend_add(&t, &s, p, 150, NULL);
	}
	trend_finish(&t);
	ok(t.n_events <= 2, "twelve series of one step are %zu events", t.n_events);
	ok(t.n_events && t.events[0].n_hits >= 10 && t.events[0].together, "with one cause");
	trend_done(&t);
}

static void add_part(struct trend *t, const char *board, const char *unit, int64_t id, size_t from)
{
	struct store_series s = series_of("a.one");
	struct store_point p[8];
	double v[8];

	for (size_t i = 0; i < 8; i++)
		v[i] = 100;
	points_of(p, v, 8, WEEK_MS);
	for (size_t i = 0; i < 8; i++)
		p[i].at_ms += (int64_t)from * WEEK_MS, p[i].run += (int64_t)from;
	s.board = board, s.unit = unit, s.id = id;
	trend_add(t, &s, p, 8, NULL);
}

static void test_follows(void)
{
	struct trend t;

	trend_begin(&t, &(struct trend_query){0}, 32);
	add_part(&t, "b1", "MB/s", 1, 0);
	add_part(&t, "b2", "MB/s", 2, 10);
	add_part(&t, "b2", "MiB/s", 3, 20);
	add_part(&t, "b2", "MiB/s", 3, 25); /* beside one another: two boards, say */
	trend_finish(&t);
	is_str(t.lines[0].follows, NULL, "the first follows none");
	is_str(t.lines[1].follows, "board b1", "a board that was replaced");
	is_str(t.lines[2].follows, "unit MB/s", "a unit that changed");
	is_str(t.lines[3].follows, NULL, "what ran at once");
	is_int((long long)t.n_events, 0, "and none of it is a change");
	trend_done(&t);
}

static void test_thin(void)
{
	struct year y = {.types = 2, .series = 30, .nights = 365, .odds = 10, .seed = 4};
	size_t weeks = 0, runs = 0, whole = 0, amiss = 0;
	struct trend t;

	trend_begin(&t, &(struct trend_query){0}, TREND_POINTS + 1);
	year_add(&t, &y);
	trend_finish(&t);
	for (size_t i = 0; i < t.n_lines; i++) {
		const struct trend_line *l = &t.lines[i];

		whole += l->axis && l->n_changes;
		amiss += (l->axis != NULL) != (l->n_changes > 0);
		for (size_t k = 0; k < l->n_weeks; k++) {
			const struct trend_week *w = &l->weeks[k];

			weeks++;
			runs += w->n;
			amiss += w->min > w->median || w->median > w->max;
		}
	}
	is_int((long long)amiss, 0, "what moved is whole, the others by week, in order");
	ok(whole >= 6, "series with a change keep all points: %zu", whole);
	is_int((long long)runs, (long long)(365 * t.n_thinned), "each run is in a week");
	ok(weeks <= 54 * t.n_thinned, "weeks of the others: %zu of %zu", weeks, t.n_thinned);
	trend_done(&t);
	trend_begin(&t, &(struct trend_query){.full = true}, TREND_POINTS + 1);
	year_add(&t, &(struct year){.types = 1, .series = 3, .nights = 30, .odds = 10, .seed = 4});
	trend_finish(&t);
	is_int((long long)t.n_thinned, 0, "or all points where they are asked for");
	ok(t.lines[0].axis == t.lines[1].axis, "series of the same runs share them");
	trend_done(&t);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		snprintf(versions[i], sizeof versions[i], "1.%03zu", i);
	test_releases();
	test_kind();
	test_runs();
	test_screen();
	test_empty();
	test_one();
	test_window();
	test_events();
	test_near();
	test_follows();
	test_thin();
	return tap_done();
}
