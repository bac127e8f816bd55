/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_LINES_H
#define REPORTS_PARSE_LINES_H

/* The lines of a tool's plain text on a console, for parsers that go by lines. */

#include "parse.h"

#define LINES_BYTES 4096 /* a longer line is no tool's figure and is passed over */
#define LINES_WORDS 48   /* words of a line that are looked at */
/* What heads a figure stands no farther before it: a line that is lost farther off was none. */
#define LINES_HEAD_BYTES 1024

struct lines {
	struct str text, rest;
	const struct sink *sink; /* its `at` hears where each line begins */
	bool kernel;             /* the kernel's lines are wanted too, without their heads */
	bool join;               /* what the kernel tore apart is wanted whole */
	size_t kept;             /* bytes in line[] of a torn line's head */
	size_t at;               /* where the line in hand begins */
	size_t warned;
	size_t torn; /* lines that are lost: the kernel printed into them (not with join), noise */
	size_t torn_at;          /* where the last of them begins */
	size_t lost, lost_alone; /* those, and lines that cost only themselves; the latter alone */
	size_t noise;            /* bytes of the line in hand that are no text */
	/* Of a torn line: costs it only itself? Then it is not counted. NULL: no. */
	bool (*alone)(struct str line);
	bool tail;      /* the next line may be the rest of a torn one */
	struct str cut; /* the last line when it has no end */
	char line[LINES_BYTES];
};

void lines_init(struct lines *l, struct str text, const struct sink *sink);
/*
 * The next line, escapes taken out; it holds until the next call. Passed over, with a warning: a
 * line into which the kernel printed and its rest (with join: what it printed there), one with
 * bytes that are no text (control bytes, what is not UTF-8), and a last one that has no end (its
 * last number may be cut).
 */
bool lines_next(struct lines *l, struct str *line);
/* How many bytes of s are no text: control bytes but tabs, and what is not UTF-8. */
size_t lines_noise(struct str s);
/* Did the last line that was torn stand near that place? */
bool lines_near_torn(const struct lines *l, size_t at);
/* The words of a line; returns how many of them were put into words[LINES_WORDS]. */
size_t lines_words(struct str line, struct str *words);
/* What stands after prefix, white space trimmed: true when s starts with it. */
bool lines_after(struct str s, const char *prefix, struct str *rest);
/* The number that s starts with, white space before it passed over; *rest is what follows it. */
bool lines_number(struct str s, double *value, struct str *rest);
/* A word that is a number and then unit, "2.25%". */
bool lines_unit(struct str word, const char *unit, double *value);
bool lines_has(struct str s, const char *part);
/* iperf's row of one stream: "[  3]  0.0-10.0 sec ..."; for `alone`. */
bool lines_is_stream(struct str line);
/* A size as the guides write it, "1m", "256k", "512"; returns out. */
char *lines_size(double bytes, char *out, size_t n);
/* s as a string in out[n], cut to fit; returns out. */
char *lines_copy(struct str s, char *out, size_t n);
/* The error of a text in which nothing was found: says what it begins with. */
int lines_nothing(struct str text, const char *tool, const char *what, struct err *e);

#endif
