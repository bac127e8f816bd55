/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_TREND_H
#define REPORTS_TREND_H

/*
 * What many series did over a time: each with its changes of level, the figures worth keeping and
 * what the series says as a whole; and the changes put together by the build that they came with.
 * Immutable once gathered, in one arena. Texts are those of boards and users: as they came.
 *
 * A series is read, judged and made small before the next one is read, so that memory is bounded by
 * what is kept: all points while there are few, else those of series with a change (the surest
 * first), and weeks of the others.
 */

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "reference.h"
#include "store/series.h"

#define TREND_SERIES       ((size_t)100000)  /* more are an error that says how to ask for less */
#define TREND_RUNS         ((size_t)1 << 20) /* points of one series; the same */
#define TREND_POINTS       ((size_t)40000)   /* up to so many every series keeps all of them */
#define TREND_POINTS_MOVED ((size_t)300000)  /* what series with a change may keep beyond that */

struct changes;

/* Runs that came with one another: the time axis that series share. */
struct trend_run {
	int64_t run, at_ms;
	const char *version; /* NULL: no build */
};
struct trend_axis {
	size_t n;
	struct trend_run *runs; /* oldest first */
};

enum trend_sense { TREND_WORSE, TREND_BETTER, TREND_MOVED };
extern const char *const trend_sense_names[]; /* "worse", "better", "moved" */

struct trend_change {
	struct trend_run first; /* of the new level */
	struct trend_run last;  /* of the level before */
	double before, after;
	double percent;  /* NAN: before is 0 */
	double evidence; /* when it was found, in standard deviations; NAN: of releases, see
			  * trend_judge */
	size_t runs;     /* that stand behind it by now */
	bool confirmed;  /* false: only the newest runs say so */
	/* Where it may have been as well, as the place of a change is known to some runs only. */
	int64_t earliest_ms, latest_ms;
	enum trend_sense sense;
	bool minor; /* less than TREND_MINOR: drawn, and not told in the summary */
	/* Where the first run's log tells of the test; NULL, -1: not known. */
	const char *console;
	int64_t log_offset;
};
#define TREND_MINOR 0.01

struct trend_week {
	int64_t at_ms; /* Monday, 00:00 UTC */
	double min, median, max;
	size_t n; /* runs */
};

struct trend_line {
	struct store_series s;
	const char *area;  /* the metric's family: what is before its first point */
	const char *title; /* the metric, and its labels as "bs=4k rw=read" */
	bool releases;     /* judged as a series of releases */
	size_t n;          /* points in the time that was asked for */
	int64_t first_ms, last_ms;
	struct trend_run newest;
	double first, last, min, median, max; /* of them */
	double deviation;                     /* of one run within the newest level; NAN */
	struct trend_change *changes;         /* in that time, oldest first */
	size_t n_changes;
	size_t odd;                          /* figures far off that the next one took back */
	const struct trend_axis *axis;       /* NULL: not all points are kept */
	const double *values, *lows, *highs; /* by axis; lows and highs NULL: no run told them */
	struct trend_week *weeks;            /* when axis is NULL */
	size_t n_weeks;
	double reference;    /* the published figure, of silicon; NAN */
	const char *follows; /* what the same metric was before: "on board a3"; NULL */
};

/*
 * What came with one build on one type: every change that has its first run there, or may have had
 * it where more changes have theirs.
 */
struct trend_event {
	const char *type;
	bool twin;
	const char *line, *version; /* of the build; version NULL: none */
	const char *before;         /* the newest version without it; NULL */
	int64_t at_ms, run;         /* of its first run */
	size_t worse, better, moved, minor;
	size_t series;  /* of that type and line that have figures there: of how many */
	bool together;  /* so many at once that one cause is likely: a clock, the board */
	bool confirmed; /* one change at least is */
	struct trend_hit {
		const struct trend_line *line;
		const struct trend_change *change;
	} * hits; /* largest first, without the minor ones */
	size_t n_hits;
};
/* Of the series that have figures there, all to worse or all to better: more at once are told to
 * have one cause. */
#define TREND_TOGETHER_SHARE 0.1
#define TREND_TOGETHER       8

struct trend_query {
	struct store_series_filter filter; /* since_ms and until_ms bound what is shown; what was
					    * before them is judged all the same */
	bool full;                         /* every series keeps all points */
	const struct reference_set *refs;  /* NULL: no published figures */
};

struct trend {
	struct arena arena;
	struct trend_query query;
	int64_t first_ms, last_ms;  /* of all points shown; 0: none */
	struct trend_line *lines;   /* by type, twin, area, title, board, job, tool */
	struct trend_event *events; /* newest first */
	size_t n_lines, n_events, n_points, n_thinned;
	VEC(struct trend_line) growing;
	struct map axes;  /* by their runs */
	struct map texts; /* that stand more than once */
	struct map socs;  /* by type: whose published figures are meant */
	size_t kept;      /* points so far */
	bool all;         /* every series keeps its points */
};

int trend_gather(struct trend *t, struct store *s, const struct trend_query *q, struct err *e);
void trend_done(struct trend *t);

/* The same out of what is no store: begin, each series with its points (oldest first), finish.
 * total is how many points will come. known: what the detector knows after all of the points, which
 * it is spared then; NULL: nothing. */
void trend_begin(struct trend *t, const struct trend_query *q, size_t total);
void trend_add(struct trend *t, const struct store_series *s, const struct store_point *points,
	size_t n, const struct changes *known);
void trend_finish(struct trend *t);

/* ---- trend-judge.c ---- */
double trend_median(double *v, size_t n); /* v is put in order; n at least 1 */
/*
 * The changes of a series, oldest first, into out (TREND_CHANGES at most, the newest ones); returns
 * how many. Of runs by changes.h. Of releases (TREND_RELEASES points at most, some days apart)
 * there are too few for a test to say anything, so that a change is what a reader would call one:
 *
 *	- the medians of the three releases before and of the two from it on differ by 5 % and by
 *	  four times what the series moves from one release to the next, and by two steps of
 *	  its clock or counter;
 *	- the two on each side lie on their own side of the middle, so that one damaged figure is
 *	  none;
 *	- the newest release alone needs twice as much, and is not confirmed.
 *
 * Fewer than four releases say nothing. odd, unless NULL, gets how many figures were far off for
 * one release only.
 */
#define TREND_CHANGES  32
#define TREND_RELEASES 40
struct trend_found {
	size_t at;   /* the point that is first of the new level */
	size_t runs; /* of the new level */
	double before, after, deviation, evidence;
	bool confirmed;
};
bool trend_is_release(const struct store_point *p, size_t n);
size_t trend_judge(const struct store_point *p, size_t n, double resolution,
	const struct changes *known, struct trend_found out[TREND_CHANGES], double *deviation,
	size_t *odd);

/* ---- trend-screen.c ---- */
/* False: there is no step in these runs that the detector finds. It takes a hundredth of its time.
 */
bool trend_may_change(const struct store_point *p, size_t n);

/* ---- trend-events.c ---- */
void trend_events_make(struct trend *t);

#endif
