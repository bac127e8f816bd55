/* SPDX-License-Identifier: MIT */
/*
 * Comparisons: what each pair of results and each pair of figures is called and how sure that is,
 * what a side may be, and that twins and silicon never meet. The statistics are held against values
 * of R (t.test, fisher.test, p.adjust).
 */
#include "reports/compare.h"

#include "base/fs.h"
#include "base/t/tap.h"

#include <math.h>
#include <stdlib.h>

static struct metric_table metrics;

static bool near(double got, double want)
{
	return fabs(got - want) < 5e-4;
}

static void test_stats(void)
{
	const struct compare_values a = {.n = 5, .mean = 3, .deviation = 1.581139};
	const struct compare_values b = {.n = 5, .mean = 6, .deviation = 3.162278};
	const struct compare_values one = {.n = 1, .mean = 9, .deviation = NAN};
	const struct compare_values flat = {.n = 3, .mean = 5, .deviation = 0};
	double p[] = {0.01, NAN, 0.04, 0.03, 0.005};

	ok(near(compare_welch(&a, &b, 0), 0.1075), "Welch's t, as R has it");
	ok(near(compare_welch(&a, &a, 0), 1), "the same values are no change");
	/* t = (9 - 3) / (1.581 sqrt(1 + 1/5)) = 3.464 of 4 degrees */
	ok(near(compare_welch(&a, &one, 0), 0.0257), "one value against five");
	ok(near(compare_welch(&one, &a, 0), 0.0257), "whichever side it is on");
	is_int(compare_welch(&flat, &one, 0) == 0, 1, "against values without any spread");
	ok(compare_welch(&flat, &one, 4) > 0.4, "whose clock cannot tell them apart");
	ok(near(compare_fisher(3, 4, 1, 4), 0.4857), "Fisher's exact test");
	ok(near(compare_fisher(0, 10, 5, 10), 0.0325), "of two more");
	ok(near(compare_fisher(0, 1, 1, 1), 1), "one of one says nothing");
	compare_adjust(p, ARRAY_LEN(p));
	ok(near(p[0], 0.02) && near(p[2], 0.04) && near(p[3], 0.04) && near(p[4], 0.02),
		"false discovery rates");
	ok(isnan(p[1]), "of those that have a p");
}

/* ---- labels ---- */

struct given {
	const char *version, *board;
	bool twin;
	const char *verdict;
	const char *lines[8];
};

static void add(struct store *s, const struct given *g)
{
	struct store_run run = {.job = "night",
		.board = g->board ? g->board : "b1",
		.type = "t1",
		.soc = "am62axx",
		.twin = g->twin,
		.build = "sdk",
		.build_version = g->version,
		.started_ms = 1764500000000};
	struct store_event events[8];
	struct err e = {0};
	size_t n = 0;

	for (; n < ARRAY_LEN(events) && g->lines[n]; n++)
		events[n] = (struct store_event){n * 1000, g->lines[n], 0};
	if (store_run_add(s, &run, &e) || store_run_events(s, run.id, events, n, &e) ||
		store_run_end(s, run.id, g->verdict ? g->verdict : "pass", NULL, NULL,
			run.started_ms + 5, &e))
		tap_text("add", e.msg);
}

#define RESULT(name, status)                                                                       \
	"{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"" name "\",\"status\":\"" status "\"}"
#define METRIC(name, value)                                                                        \
	"{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t\",\"name\":\"" name                     \
	"\",\"value\":" value ",\"unit\":\"MB/s\",\"labels\":{\"bs\":\"4k\"}}"
#define ENV(name, value) "{\"kind\":\"env\",\"name\":\"" name "\",\"value\":\"" value "\"}"

static int make(
	struct compare *c, struct store *s, const char *a, const char *b, bool twin, struct err *e)
{
	struct compare_ask ask = {{a, b}, NULL, twin};

	*e = (struct err){0};
	return compare_make(c, s, &ask, &metrics, e);
}

static const struct compare_test *test_named(const struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->n_tests; i++)
		if (!strcmp(c->tests[i].name, name))
			return &c->tests[i];
	return NULL;
}

static void is_label(const struct compare *c, const char *name, enum compare_label want)
{
	const struct compare_test *t = test_named(c, name);

	is_str(t ? compare_label_names[t->label] : "nothing", compare_label_names[want], "%s: %s",
		name, compare_label_names[want]);
}

static void test_one_each(void)
{
	struct store *s = store_open(":memory:", false, NULL);
	struct compare c = {0};
	struct err e;

	add(s, &(struct given){.version = "1",
		       .lines = {RESULT("good", "pass"), RESULT("breaks", "pass"),
			       RESULT("mends", "fail"), RESULT("lost", "pass"),
			       METRIC("fio.read.bw", "100"), METRIC("dd.read.bw", "50"),
			       ENV("kernel", "6.1")}});
	add(s, &(struct given){.version = "2",
		       .lines = {RESULT("good", "pass"), RESULT("breaks", "fail"),
			       RESULT("mends", "pass"), RESULT("lost", "miss"),
			       RESULT("fresh", "pass"), METRIC("fio.read.bw", "90"),
			       METRIC("fio.write.bw", "7"), ENV("kernel", "6.2")}});
	ok(!make(&c, s, "1", "run:2", false, &e) || e.blame == BLAME_CONFIG, "asked");
	has_str(e.msg, "'1' is a run and a release", "a word that is two things is refused");
	ok(!make(&c, s, "run:1", "run:2", false, &e), "two runs %s", e.msg);
	is_label(&c, "good", COMPARE_SAME);
	is_label(&c, "breaks", COMPARE_BROKEN);
	is_label(&c, "mends", COMPARE_FIXED);
	is_label(&c, "lost", COMPARE_GONE);
	is_label(&c, "fresh", COMPARE_NEW);
	is_str(c.tests[0].name, "breaks", "what broke is told first");
	ok(isnan(c.tests[0].p), "of one run each nothing is sure");
	is_int((long long)c.n_metrics, 3, "three figures");
	is_str(c.metrics[0].name, "dd.read.bw", "what is gone first");
	is_str(compare_label_names[c.metrics[1].label], "different", "one run each is no verdict");
	ok(near(c.metrics[1].change, -0.1) && isnan(c.metrics[1].p), "but tells how far");
	is_str(compare_label_names[c.metrics[2].label], "new", "what is new last");
	is_int((long long)c.n_envs, 1, "what differs in the environment");
	is_str(c.envs[0].values[1], "6.2", "is told");
	compare_done(&c);
	ok(!make(&c, s, "sdk@1", "sdk@2", false, &e), "the same by release %s", e.msg);
	is_int(c.sides[0].kind, COMPARE_RELEASE, "a release");
	is_label(&c, "breaks", COMPARE_BROKEN);
	compare_done(&c);
	ok(make(&c, s, "run:1", "sdk@1", false, &e), "a run against itself");
	has_str(e.msg, "on both sides", "is refused");
	ok(make(&c, s, "nothing", "run:1", false, &e), "a word that is nothing");
	has_str(e.msg, "'nothing' is no run, board or release", "is told");
	ok(make(&c, s, "run:9", "run:1", false, &e), "a run that is not there");
	has_str(e.msg, "holds no run 9", "is told");
	ok(make(&c, s, "sdk@1", "sdk@2", true, &e), "twins where there is silicon only");
	has_str(e.msg, "on silicon only", "are told");
	store_close(s);
}

static void add_many(struct store *s, const char *version, size_t n, double level, double step,
	const char *status)
{
	for (size_t i = 0; i < n; i++) {
		char metric[256], steady[256];

		snprintf(metric, sizeof metric,
			"{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t\",\"name\":\"fio.read."
			"bw\","
			"\"value\":%g,\"unit\":\"MB/s\"}",
			level + step * (double)((i * 7) % 5));
		snprintf(steady, sizeof steady,
			"{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t\",\"name\":\"fio.write."
			"bw\",\"value\":%g,\"unit\":\"MB/s\"}",
			70 + (double)((i * 7) % 5));
		add(s, &(struct given){.version = version,
			       .lines = {metric, steady,
				       i % 2 ? RESULT("flaky", "pass") : RESULT("flaky", "fail"),
				       strcmp(status, "pass") ? RESULT("broken", "fail")
							      : RESULT("broken", "pass")}});
	}
	add(s, &(struct given){.version = version,
		       .verdict = "incomplete",
		       .lines = {RESULT("broken", "miss")}});
}

static void test_many(void)
{
	struct store *s = store_open(":memory:", false, NULL);
	struct compare c = {0};
	struct err e;

	add_many(s, "1", 6, 100, 0.5, "pass");
	add_many(s, "2", 5, 95, 0.5, "fail");
	ok(!make(&c, s, "release:1", "release:2", false, &e), "two releases %s", e.msg);
	is_int((long long)c.sides[0].n, 6, "six complete runs");
	is_int((long long)c.sides[0].left_out, 1, "an incomplete one is left out");
	is_str(compare_label_names[c.metrics[0].label], "worse", "a level beyond the noise");
	ok(c.metrics[0].p < 0.001 && fabs(c.metrics[0].change + 0.05) < 0.005,
		"surely, and by how much");
	is_str(c.metrics[1].name, "fio.write.bw", "the other figure");
	is_str(compare_label_names[c.metrics[1].label], "noise", "differs by noise");
	is_label(&c, "broken", COMPARE_BROKEN);
	ok(test_named(&c, "broken")->p < 0.005, "for sure");
	is_label(&c, "flaky", COMPARE_FLAKY);
	compare_done(&c);
	ok(!make(&c, s, "release:2", "release:1", false, &e), "the other way round");
	is_str(compare_label_names[c.metrics[0].label], "better", "is better");
	is_label(&c, "broken", COMPARE_FIXED);
	compare_done(&c);
	store_close(s);
}

/* One run each, and what the series did before them. */
static void test_history(void)
{
	struct store *s = store_open(":memory:", false, NULL);
	struct compare c = {0};
	struct err e;

	add_many(s, "1", 8, 100, 0.5, "pass");
	add_many(s, "2", 1, 95, 0.5, "pass");
	add_many(s, "3", 1, 101, 0.5, "pass");
	ok(!make(&c, s, "run:8", "run:10", false, &e), "a run against one with another level %s",
		e.msg);
	is_str(c.metrics[0].name, "fio.read.bw", "of a figure");
	is_str(compare_label_names[c.metrics[0].label], "worse", "is worse by the noise before");
	is_int((long long)c.metrics[0].noise_runs, 7, "of the runs before, without themselves");
	ok(c.metrics[0].p < 0.05, "and how sure that is: %g", c.metrics[0].p);
	compare_done(&c);
	ok(!make(&c, s, "run:8", "run:12", false, &e), "against one of the same level");
	is_str(compare_label_names[c.metrics[0].label], "noise", "is noise");
	is_int((long long)c.metrics[0].noise_runs, 8, "of all before the later one");
	compare_done(&c);
	ok(!make(&c, s, "run:1", "run:2", false, &e), "the first two");
	ok(!c.metrics[0].noise_runs && isnan(c.metrics[0].p), "have nothing before them");
	compare_done(&c);
	store_close(s);
}

static void test_twins(void)
{
	struct store *s = store_open(":memory:", false, NULL);
	struct compare c = {0};
	struct err e;

	add(s, &(struct given){.version = "v1",
		       .board = "real",
		       .lines = {RESULT("t", "pass"), METRIC("fio.read.bw", "100")}});
	add(s, &(struct given){.version = "v1",
		       .board = "twin",
		       .twin = true,
		       .lines = {RESULT("t", "fail"), METRIC("fio.read.bw", "900")}});
	ok(!make(&c, s, "1", "2", false, &e), "a board against a twin %s", e.msg);
	ok(c.mixed, "is seen");
	is_int((long long)c.n_metrics, 0, "no figure is compared");
	is_label(&c, "t", COMPARE_BROKEN);
	compare_done(&c);
	ok(make(&c, s, "real", "twin", false, &e), "as boards");
	has_str(e.msg, "--twin takes those", "the twin has to be asked for");
	store_close(s);
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	struct diag diag = {0};

	ok(!metric_table_load(&metrics, path, &diag), "metrics load");
	test_stats();
	test_one_each();
	test_many();
	test_history();
	test_twins();
	metric_table_done(&metrics);
	diag_done(&diag);
	return tap_done();
}
