/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_COMPARE_H
#define REPORTS_COMPARE_H

/*
 * Two sets of runs side by side: of two runs, boards, builds or releases every test and every
 * figure that either has, what became of it, and how sure that is. A figure's noise is that of the
 * runs compared: with one run on each side nothing is known of it, and that is said.
 */

#include "report.h"
#include "stats/noise.h"

#define COMPARE_RUNS ((size_t)NOISE_VALUES) /* of a side: its newest */

enum compare_kind { COMPARE_RUN, COMPARE_BOARD, COMPARE_RELEASE };

struct compare_side {
	const char *name; /* as it was given */
	enum compare_kind kind;
	int64_t *runs;      /* newest first */
	size_t n, left_out; /* left out: incomplete or canceled ones of a board or release */
	size_t twins;       /* of n */
	const char *types, *boards, *builds; /* each once, comma separated; "-": none */
};

enum compare_label {
	/* Changes, in the order in which they are told. */
	COMPARE_BROKEN,    /* a test that passed fails, or fails more often */
	COMPARE_WORSE,     /* a figure, and its noise does not explain it */
	COMPARE_GONE,      /* the second side has no result */
	COMPARE_DIFFERENT, /* a figure that differs: one run each, or a metric without direction */
	COMPARE_FIXED,
	COMPARE_BETTER,
	COMPARE_NEW,
	/* No changes. */
	COMPARE_FLAKY, /* fails now and then on both sides */
	COMPARE_NOISE, /* differs no more than its noise explains */
	COMPARE_SAME,
	COMPARE_LABELS
};
extern const char *const compare_label_names[COMPARE_LABELS + 1]; /* NULL-ended */
bool compare_is_change(enum compare_label label);

struct compare_test {
	const char *job, *type; /* "": not told apart by it */
	const char *suite, *name;
	int counts[2][STATUS_COUNT];
	enum compare_label label;
	double p;        /* that chance alone tells the sides this far apart; NAN: one run each */
	const char *why; /* of a failure of the second side, else of the first; NULL: none */
};
struct compare_values {
	double v[NOISE_VALUES];
	size_t n;
	double mean, deviation, min, max; /* deviation NAN: of one run nothing is known */
};
struct compare_metric {
	const char *job, *type; /* "": not told apart by it */
	const char *suite, *test, *name, *unit, *labels;
	const struct metric_def *def; /* NULL: not in the metric table */
	int better;                   /* enum better */
	struct compare_values *sides[2];
	enum compare_label label;
	double change; /* of the second against the first, 0.1: a tenth more; NAN: not told */
	double p; /* as of a test, over all figures (false discovery rate); NAN: no noise known */
	double noise; /* deviation of one run, by runs before these; where noise_runs is not 0 */
	size_t noise_runs;
};
struct compare_env {
	const char *name, *values[2]; /* "-": none */
};
struct compare {
	struct arena arena;
	struct compare_side sides[2];
	struct compare_test *tests; /* changes first, each in the order of the runs */
	struct compare_metric *metrics;
	struct compare_env *envs; /* those that differ */
	size_t n_tests, n_metrics, n_envs;
	size_t test_counts[COMPARE_LABELS], metric_counts[COMPARE_LABELS];
	bool mixed; /* one side is a twin's, the other is not: figures are not compared */
};

struct compare_ask {
	const char
		*names[2]; /* a run, "latest", a board, or a build's NAME, VERSION, NAME@VERSION;
			    * "run:", "board:" or "release:" before it where it could be several */
	const char *type;  /* only runs on that board type; NULL: all */
	bool twin;         /* of boards and releases: twins' runs, else silicon's */
};

/* table is borrowed and outlives c. BLAME_CONFIG: a side is nothing that the store has. */
int compare_make(struct compare *c, struct store *s, const struct compare_ask *ask,
	const struct metric_table *table, struct err *e);
void compare_done(struct compare *c);

/* ---- compare-side.c ---- */
int compare_side_find(struct compare_side *side, struct arena *a, struct store *s,
	const struct compare_ask *ask, size_t which, struct err *e);

/* ---- compare-noise.c ---- */
/* Of one run each: noise and noise_runs out of the first run's series. */
int compare_noise(const struct compare *c, struct store *s, struct compare_metric *metrics,
	size_t n, struct err *e);

/* ---- compare-stats.c ---- */
/* Two single values of a deviation that n values told: the two-sided p of Student's t. */
double compare_single(double difference, double deviation, size_t n);
/* Welch's t of two sets of values, n1 and n2 of at least 1 and one of at least 2, each deviation at
 * least floor: the two-sided p. A side of one value has the other's deviation. */
double compare_welch(const struct compare_values *a, const struct compare_values *b, double floor);
/* Fisher's exact test of fails a of n against b of m: the two-sided p. */
double compare_fisher(int a, int n, int b, int m);
/* Benjamini and Hochberg: p values as the least false discovery rate at which each is a change.
 * NAN is passed over. */
void compare_adjust(double *p, size_t n);
#define COMPARE_P 0.05 /* a change, at most */

#endif
