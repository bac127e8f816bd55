/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_JUDGE_INNER_H
#define REPORTS_JUDGE_INNER_H

/* What the files of the judge share. */

#include "judge.h"

#include "reports/stats/changes.h"

#define JUDGE_REFIT                                                                                \
	((int64_t)192)            /* points that a series is read anew from; changes.h keeps       \
				   * two thirds as many */
#define JUDGE_KNOWN           8   /* values that make the noise of a series known */
#define JUDGE_LIMIT           4.0 /* evidence of a single run of a series that is known */
#define JUDGE_LIMIT_FEW       3.0 /* of one that is not */
#define JUDGE_PRIOR           0.05 /* noise that a figure has of which nothing is known, of its level */
#define JUDGE_PRIOR_RUNS      4     /* it counts as much */
#define JUDGE_NOISE_MIN       0.001 /* of the level: nothing is steadier for ever */
#define JUDGE_EVIDENCE        9.0   /* at most */
#define JUDGE_TAIL            12    /* runs that may go out of a level before it is told */
#define JUDGE_TAIL_FROM       2.0   /* deviations */
#define JUDGE_SURE_RUNS       3     /* so many that stand out are no chance */
#define JUDGE_SURE            6.0   /* evidence of them together */
#define JUDGE_RANGE_RUNS      20    /* so many have shown how far a figure strays by itself */
#define JUDGE_STANDING        24    /* runs for which a change is told again */
#define JUDGE_RECENT          3     /* runs before in which a missing figure was there */
#define JUDGE_REFERENCE_SHARE 0.05  /* worse than published by less is as good as published */
#define JUDGE_BACK            8     /* earlier runs whose tests are looked at */

struct judge_state {
	int64_t series, at_ms, run, points;
	struct changes c;
};

struct judging {
	struct judge *j;
	struct judge_run *r;
	const char *params;           /* that key its series */
	VEC(struct store_series) all; /* of its type and job */
	struct run_point {
		int64_t series;
		struct store_point p;
	} * points; /* of the run, by series */
	size_t n_points;
	VEC(struct judgement) figures;
	VEC(struct judge_test) tests;
	VEC(struct judge_env) envs;
	VEC(struct store_run) before;   /* of the same job and board, newest first */
	VEC(struct judge_state) states; /* to be kept */
	/* of the baseline */
	const char *version;        /* NULL: none */
	int64_t base_run;           /* 0: none */
	int64_t branch_ms;          /* when the run's line began */
	VEC(struct judgement) base; /* JUDGE_RUN: its figures, as series and value */
	struct err *e;
};

/* ---- judge-series.c ---- */
/* One figure of the run; fills m, in which series, run and value are set. */
int judge_figure(struct judging *g, struct judgement *m, const struct store_point *p);
/* One that the run has not: how it was. */
int judge_absent(struct judging *g, struct judgement *m);
/* Into the store, within a turn. */
int judge_keep(struct judging *g, const struct judge_state *st);
/* ---- judge-base.c ---- */
int judge_base_find(struct judging *g);
/* Values of the baseline that the figure is held against: their mean and number; 0 none, -1. */
int judge_base_of(struct judging *g, struct judgement *m, const struct store_point *p, double *mean,
	int64_t *n);
/* Another series that differs in how it was measured, of the same figure; NULL. */
const struct store_series *judge_sibling(const struct judging *g, const struct store_series *s);
/* What was published; 1 m is judged, 0 there is nothing. */
int judge_reference(struct judging *g, struct judgement *m);
/* ---- judge-tests.c ---- */
int judge_tests(struct judging *g);

#endif
