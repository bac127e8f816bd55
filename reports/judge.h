/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_JUDGE_H
#define REPORTS_JUDGE_H

/*
 * Judging runs: each figure, and each test, of a run against a baseline. What is told of a figure:
 * how far it moved, how noisy it is by itself, what the clock behind it can tell apart, how sure
 * the change is, since which run and build, and who has to look at it. A figure is judged with what
 * is known of its series (changes.h); what the judge knows is kept beside the series in the store,
 * so that the next night costs one value a series.
 *
 * What must not be compared never is: a twin with a published figure, values of two units, a run
 * that booted something else (it gives no points).
 */

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "reports/reference.h"
#include "store/series.h"

#include <stdbool.h>

/* What became of a figure. */
enum judge_kind {
	JUDGE_NOISE, /* nothing that its noise does not explain */
	JUDGE_REGRESSION,
	JUDGE_IMPROVEMENT,
	JUDGE_MOVED,       /* it is neither better nor worse by the metric table */
	JUDGE_ENVIRONMENT, /* changed, and so did the board: many of its figures at once, or how it
			    * is set up */
	JUDGE_NEW,         /* the first of its series, or nothing to hold it against */
	JUDGE_MISSING,     /* the last runs had it, this one has not */
	JUDGE_KINDS
};
extern const char *const judge_kind_names[JUDGE_KINDS + 1]; /* NULL-ended */

enum judge_against {
	JUDGE_HISTORY,   /* the series' own history */
	JUDGE_LAST_GOOD, /* the last build that passed the job on that board */
	JUDGE_BUILD,     /* a fixed release */
	JUDGE_RUN,       /* one run */
	JUDGE_BRANCH,    /* another line, where this one began */
	JUDGE_REFERENCE, /* what was published */
};
struct judge_baseline {
	enum judge_against against;
	const char *version; /* JUDGE_BUILD; JUDGE_BRANCH: NULL: the last before the line began */
	const char *line;    /* JUDGE_BRANCH */
	int64_t run;         /* JUDGE_RUN */
};
/* "history", "last-good", "reference", "build:VERSION", "run:N", "branch:LINE[@VERSION]"; texts are
 * of text or of a. BLAME_CONFIG. */
int judge_baseline_parse(
	struct judge_baseline *b, struct arena *a, const char *text, struct err *e);

struct judgement {
	enum judge_kind kind;
	struct store_series series; /* id 0: none */
	int64_t run;
	double value;         /* of this run; NAN: missing */
	double before, after; /* levels; after is value where one run tells; NAN: not known */
	double change;        /* after of before, 0.1: a tenth more; NAN: not known */
	double noise;         /* deviation of a single run, of before; NAN: not known */
	double evidence;      /* standard deviations of a normal distribution; NAN: not known */
	double confidence;    /* 0..1: that it is no chance; NAN: not known */
	int64_t runs_before, runs_after;      /* that tell the levels */
	const char *last_good, *first_bad;    /* builds' versions; NULL: none or not known */
	int64_t last_good_run, first_bad_run; /* 0: not known */
	bool worse;                           /* the way that it went */
	bool suspected;       /* of a history, by a run or two: the next ones will tell */
	bool standing;        /* found with an earlier run: known by now */
	bool together;        /* with most others of the run */
	enum err_blame blame; /* BLAME_BUILD, BLAME_INFRA; BLAME_NONE: nobody, or not known */
	const char *why;      /* NULL: nothing more to say */
};

enum judge_test_kind {
	JUDGE_BROKE,   /* passed before */
	JUDGE_LOST,    /* passed before, and has no result now */
	JUDGE_FAILING, /* failed before too */
	JUDGE_FIXED,
	JUDGE_NEW_FAILING, /* never passed that is known */
	JUDGE_TEST_KINDS
};
extern const char *const judge_test_names[JUDGE_TEST_KINDS + 1]; /* NULL-ended */
struct judge_test {
	enum judge_test_kind kind;
	const char *suite, *name; /* "run", "verdict": the run itself, which did not get through */
	const char *status, *before; /* now ("-": no result) and in the last run that told; NULL */
	const char *why;             /* NULL: none */
	const char *last_good, *first_bad;    /* builds' versions; NULL: none or not known */
	int64_t last_good_run, first_bad_run; /* 0: not known */
	size_t failed, of; /* of the runs before: failures that came and went tell a flake */
	enum err_blame blame;
};

struct judge_env { /* of the board and its lab, that differs from the run before */
	const char *name, *before, *now; /* NULL: not told */
};

struct judge_run {
	struct store_run run;
	const char *against;       /* what it was held against, for people */
	const char *trouble;       /* why nothing can be told; NULL */
	struct judgement *figures; /* in order of the series; what is missing last */
	struct judge_test *tests;  /* those that changed or do not pass */
	struct judge_env *envs;
	size_t n_figures, n_tests, n_envs;
	size_t counts[JUDGE_KINDS]; /* of figures; those suspected or standing are not counted */
	size_t suspected, standing; /* of regressions */
	size_t test_counts[JUDGE_TEST_KINDS];
	bool together;    /* most of its figures moved one way */
	int64_t previous; /* run of the same job on the same board; 0: none */
	const char *previous_version;
};

struct judge {
	struct arena arena;
	struct store *s;                        /* borrowed */
	const struct reference_set *references; /* borrowed; NULL: none */
	struct judge_baseline baseline;
	bool keep;        /* the store may be written: what was learnt of series is kept */
	size_t read_anew; /* series of which no state was kept */
	VEC(struct judge_run *) runs;
};
#define JUDGE_RUNS ((size_t)20000) /* more at once are an error */

void judge_init(struct judge *j, struct store *s, const struct judge_baseline *b, bool keep);
void judge_done(struct judge *j);
/* Adds a run that has ended. 1, 0: no such run or it goes on, -1. */
int judge_run(struct judge *j, int64_t run, struct err *e);
/* Once all are added: whether builds or boards are to blame, out of what the other boards say. */
void judge_settle(struct judge *j);
/* What an exit status goes by: regressions that were found now, with a confidence; failed tests are
 * the run's own verdict's. */
size_t judge_regressions(const struct judge *j);
/* What a kept state knows of its series (changes.h); false: it is another version's. */
struct changes;
bool judge_knows(const struct store_series_state *st, struct changes *c);

#endif
