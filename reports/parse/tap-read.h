/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_TAP_READ_H
#define REPORTS_PARSE_TAP_READ_H

/* The reader that TAP and KTAP share, and its tree of tests. */

#include "parse.h"
#include "shown.h"

#define TAP_DEPTH  16 /* subtests within subtests; deeper ones are warned of and passed over */
#define TAP_NUMBER 9  /* digits of a test's number */

struct tap_point {
	int64_t number; /* 0: not told */
	const char *name;
	enum status status;
	const char *why;    /* NULL: none */
	const char *damage; /* why its status cannot be believed; NULL: it can */
	size_t at;
	struct tap_group *children; /* NULL: none */
	bool twice;                 /* the line stands there again */
};

/* The tests between one plan, or its want, and the end of their level. */
struct tap_group {
	VEC(struct tap_point) points;
	int indent;
	int64_t plan; /* tests; -1: not told */
	bool plans_differ, bailed;
	const char *skip_all;   /* why, of a plan of nothing; NULL: none */
	const char *name;       /* that a "# Subtest: " told; NULL: none */
	const char *doubt;      /* why none of it and of what is below is believed; NULL: it is */
	bool restarted;         /* its numbers began again: two groups in one */
	struct tap_group *kids; /* the level below, whose own line has not come yet */
	struct tap_group *lost; /* levels below whose own line never came */
	struct tap_group *lost_last;
	struct tap_group *chain; /* the next of such a list */
	int64_t last;            /* number of the last point */
	size_t at;
};

enum tap_kind { TAP_OTHER, TAP_VERSION, TAP_PLAN, TAP_POINT, TAP_BAIL, TAP_SUBTEST, TAP_COMMENT };

/* What a line without its indentation is. */
enum tap_kind tap_kind(struct str line);
/* A point out of its line; next is the one that follows it, for what a lost byte has cut off. */
struct tap_point tap_point(struct shown *s, struct str line, struct str next, bool ktap);
/* Tells all of a level, and of those below; prefix is "" or ends with a "/". Frees. */
void tap_tell(struct tap_group *g, struct shown *s, const char *prefix, bool ktap,
	const struct sink *sink);
/* All of a text. */
int tap_read(struct str text, bool ktap, const struct sink *sink);
/* 0..100 */
int tap_detect(struct str text, bool ktap);
/* For scan.h. */
extern const char *const tap_marks[];

#endif
