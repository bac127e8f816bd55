/* SPDX-License-Identifier: MIT */
#ifndef STORE_SERIES_H
#define STORE_SERIES_H

/*
 * Series: what one metric did from run to run. A run that has ended (and was not canceled, nor
 * booted anything but its build) gives each of its series one point, made of the figures of the
 * reading that counts (samples that differ in their cycle alone make one, by the metric table's
 * aggregate). Points are kept beside the metrics, in order of time, so that a year of a series is
 * one walk of an index. A run that is read again, ends otherwise or is taken out takes its points
 * along in the same transaction.
 *
 * What differs in any part of the key is another series: a replaced board, a newer tool, another
 * build line or other parameters never continue a level. A twin's never mixes with silicon's.
 */

#include "store.h"

struct store_series {
	int64_t id;
	const char *type, *board;
	bool twin;
	const char *line;   /* of builds: the build's name; "": none */
	const char *job;    /* its name */
	const char *params; /* JSON object of the run's parameters without those that name builds
			     * and images; with `role` where its boards have roles; "{}": none */
	const char *suite, *test, *metric;
	const char *labels; /* JSON object, keys sorted, without `cycle`; "{}" when none */
	const char *tool;   /* version of the tool that measured; "": not told */
	const char *unit;
	const char *better;                /* "higher", "lower", "neither" */
	double resolution;                 /* of the clock or counter; 0: not known */
	int64_t points, first_ms, last_ms; /* of all its points */
};
struct store_point {
	int64_t run;
	int64_t at_ms;       /* when the run started: points are in this order, then by run */
	const char *version; /* of the build; NULL: none */
	double value;        /* in the series' unit */
	double min, max;     /* of its samples; NAN: not told */
	int64_t samples;     /* at least 1 */
};
struct store_series_filter { /* NULL, 0: any; texts may hold * and ? */
	const char *type, *board, *line, *job, *suite, *metric;
	int twin;                   /* 1 twins only, -1 silicon only */
	int64_t since_ms, until_ms; /* with a point at or after, before */
	int64_t run;                /* with a point of that run */
};
/* In order of type, board, job, suite, metric, labels, tool. */
typedef int store_series_fn(void *arg, const struct store_series *series);
int store_series_list(struct store *s, const struct store_series_filter *f, store_series_fn *fn,
	void *arg, struct err *e);
/* Oldest first; until_ms 0: to the end. */
typedef int store_point_fn(void *arg, int64_t series, const struct store_point *p);
int store_points(struct store *s, int64_t series, int64_t since_ms, int64_t until_ms,
	store_point_fn *fn, void *arg, struct err *e);
/* Newest first from the one of (at_ms, run) on; limit 0: all. */
int store_points_back(struct store *s, int64_t series, int64_t at_ms, int64_t run, int64_t limit,
	store_point_fn *fn, void *arg, struct err *e);
/* All points of one run, one a series. */
int store_points_of_run(struct store *s, int64_t run, store_point_fn *fn, void *arg, struct err *e);

/* What keys the series of a run of these parameters (store_series.params); the caller frees it. */
char *store_series_params(const struct store_run *run);

/*
 * What the judge keeps of a series between two nights: plain bytes of the version that is named,
 * made of its first `points` points, the last of which is (at_ms, run). A point that comes in
 * before that one, changes or goes drops the state in the same transaction: then the judge reads
 * the series anew.
 */
struct store_series_state {
	const char *version; /* of the bytes: another one is not used */
	int64_t at_ms, run, points;
	const void *bytes;
	size_t n;
};
typedef int store_series_state_fn(void *arg, int64_t series, const struct store_series_state *st);
/* 1 found (fn called once), 0 none, -1. */
int store_series_state_get(
	struct store *s, int64_t series, store_series_state_fn *fn, void *arg, struct err *e);
/* 1 kept; 0 not: the series has other points by now than those that it was made of; -1. */
int store_series_state_save(
	struct store *s, int64_t series, const struct store_series_state *st, struct err *e);

#endif
