/* SPDX-License-Identifier: MIT */
/* Bisection: the culprit out of simulated builds, with noise, flaky tests and builds that cannot be
 * measured; and that it ends whatever it is told. */
#include "base/t/tap.h"
#include "reports/stats/locate.h"
#include "simulate.h"

#include <math.h>

#define SEARCHES 400
#define SEED     1

struct search {
	size_t n, culprit, measures;
	size_t first, last;
};

static double measure(uint64_t *r, const struct evidence *ev, bool bad)
{
	if (ev->test) {
		bool fails = simulate_uniform(r) < (bad ? 1 - ev->escape : ev->flake);

		return fails;
	}
	return (bad ? ev->bad : ev->good) + ev->deviation * simulate_normal(r);
}

static void run_search(
	struct search *s, uint64_t *r, const struct evidence *ev, size_t unusable_every)
{
	struct locate l;
	size_t build;

	locate_init(&l, s->n, ev);
	for (size_t i = 1; unusable_every && i < s->n; i++)
		if (i % unusable_every == 0)
			locate_unusable(&l, i);
	while (locate_next(&l, &build, &s->first, &s->last))
		locate_add(&l, build, measure(r, ev, build >= s->culprit));
	s->measures = l.measures;
}

/* Share of searches that name the culprit, alone where alone is asked; *mean: measures each. */
static double searches(const struct evidence *ev, size_t n, size_t unusable_every, double *mean)
{
	uint64_t r = simulate_seed(SEED);
	size_t right = 0, measures = 0;

	for (size_t i = 0; i < SEARCHES; i++) {
		struct search s = {
			.n = n, .culprit = 1 + (size_t)(simulate_uniform(&r) * (double)n)};

		run_search(&s, &r, ev, unusable_every);
		right += s.first <= s.culprit && s.culprit <= s.last &&
			 (unusable_every || s.first == s.last);
		measures += s.measures;
	}
	*mean = (double)measures / SEARCHES;
	return (double)right / SEARCHES;
}

static void test_searches(void)
{
	const struct evidence step4 = {.good = 100, .bad = 96, .deviation = 2};
	const struct evidence step20 = {.good = 100, .bad = 80, .deviation = 2};
	const struct evidence solid = {.test = true, .flake = 0.01, .escape = 0.01};
	const struct evidence flaky = {.test = true, .flake = 0.05, .escape = 0.4};
	double mean, share;

	share = searches(&step4, 32, 0, &mean);
	ok(share >= 0.93, "two deviations, 32 builds: %.3f right with %.1f measures", share, mean);
	share = searches(&step20, 32, 0, &mean);
	ok(share >= 0.93 && mean < 10, "ten deviations: %.3f right with %.1f measures", share,
		mean);
	share = searches(&solid, 32, 0, &mean);
	ok(share >= 0.93 && mean < 14, "a test that breaks for good: %.3f right with %.1f measures",
		share, mean);
	share = searches(&flaky, 32, 0, &mean);
	ok(share >= 0.93, "a test that then fails in 6 of 10 runs: %.3f right with %.1f measures",
		share, mean);
	share = searches(&step20, 32, 3, &mean);
	ok(share >= 0.93, "each third build cannot be measured: %.3f right with %.1f measures",
		share, mean);
}

static void test_small(void)
{
	const struct evidence ev = {.good = 10, .bad = 20, .deviation = 1};
	struct locate l;
	size_t build, first, last;

	locate_init(&l, 1, &ev);
	ok(!locate_next(&l, &build, &first, &last) && first == 1 && last == 1,
		"of one build that one is it, and nothing is measured");
	is_int((int)(locate_probability(&l, 1) * 100), 100, "for sure");
	ok(locate_probability(&l, 0) == 0 && locate_probability(&l, 2) == 0,
		"a build that is no suspect is none");
	locate_init(&l, 3, &ev);
	ok(locate_next(&l, &build, &first, &last) && build >= 1 && build <= 2,
		"of three one in the middle is measured");
	locate_add(&l, build, NAN);
	ok(fabs(locate_probability(&l, 1) - 1.0 / 3) < 1e-9, "no figure tells nothing");
	locate_add(&l, 0, 20);
	locate_add(&l, 3, 20);
	ok(fabs(locate_probability(&l, 2) - 1.0 / 3) < 1e-9, "nor do the two ends");
	locate_unusable(&l, 1);
	locate_unusable(&l, 2);
	ok(!locate_next(&l, &build, &first, &last) && first == 1 && last == 3,
		"where no build can be measured all stay suspects");
}

static void test_bounds(void)
{
	const struct evidence none = {.good = 10, .bad = 10, .deviation = 1};
	const struct evidence zero = {.good = 10, .bad = 10};
	struct locate l;
	size_t build, first, last, n = 0;

	locate_init(&l, 1 << 20, &none);
	is_int(l.n, LOCATE_BUILDS, "more builds than the bound are cut to it");
	locate_init(&l, 16, &none);
	while (locate_next(&l, &build, &first, &last)) {
		locate_add(&l, build, 10);
		n++;
	}
	is_int(n, LOCATE_MEASURES, "a change that is none ends with the measures");
	ok(last - first >= 14, "and leaves the suspects as they were");
	is_int((int)evidence_weight(&zero, 10), 0, "no deviation tells nothing");
}

static void test_confirm(void)
{
	const struct evidence ev = {.good = 100, .bad = 96, .deviation = 2};
	uint64_t r = simulate_seed(SEED);
	size_t yes = 0, no = 0, runs = 0;

	for (size_t i = 0; i < 2 * SEARCHES; i++) {
		enum confirm_answer a;
		double weight = 0;

		while ((a = confirm_answer(weight)) == CONFIRM_MORE && ++runs)
			weight += evidence_weight(&ev, measure(&r, &ev, i & 1));
		yes += a == CONFIRM_YES && i & 1;
		no += a == CONFIRM_NO && !(i & 1);
	}
	ok(yes >= SEARCHES * 93 / 100, "real changes of two deviations: %zu of %d confirmed", yes,
		SEARCHES);
	ok(no >= SEARCHES * 93 / 100, "chance alone: %zu of %d refuted", no, SEARCHES);
	ok(runs < 6 * 2 * SEARCHES, "with %.1f re-runs each", (double)runs / (2 * SEARCHES));
	ok(fabs(evidence_rate(0, 8) - 0.1) < 1e-9 && fabs(evidence_rate(0, 0) - 0.5) < 1e-9,
		"rates of few runs are never certain");
	ok(evidence_weight(&ev, 1e300) < 1 && evidence_weight(&ev, 60) < 1.5,
		"an outlier decides nothing");
}

int main(void)
{
	test_searches();
	test_small();
	test_bounds();
	test_confirm();
	return tap_done();
}
