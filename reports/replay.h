/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_REPLAY_H
#define REPORTS_REPLAY_H

/*
 * Published tables replayed (reports/replay/SOC.yaml): for each table what a board prints, with a
 * place for each figure. Values are drawn at random, the text is rendered with them and read by
 * the table's parser; a figure is replayed when exactly the drawn value comes back under its key.
 */

#include "base/buf.h"
#include "reference.h"

#define REPLAY_LATE_MS 1000 /* told late by less, a time is what was drawn */

struct replay_show { /* what one step prints */
	/* parse NULL: text are commands that print result frames; step NULL: not told */
	const char *parse, *step, *text;
	const struct node *settings; /* of the parser; NULL: none */
	const struct node *labels;   /* of the step; NULL: none */
	const struct node *params;   /* of the table's job, beside the table's own; NULL: none */
};
struct replay_table {
	const char *soc, *section, *table;
	const struct reference *reference; /* borrowed */
	size_t n;
	struct replay_show *shows;
};
struct replay {
	struct arena arena;
	size_t n;
	struct replay_table *tables;
};

/* All files of a folder, NULL: the installed ones. refs is borrowed and outlives r. Every problem
 * goes to diag: a table that refs does not have, one that stands twice. */
int replay_load(
	struct replay *r, const char *dir, const struct reference_set *refs, struct diag *diag);
void replay_done(struct replay *r);

/* What was drawn for a figure. */
struct replay_drawn {
	bool shown;             /* it has a place in the text */
	double value, min, max; /* in the metric's unit; NAN: not shown */
	size_t told;            /* how often exactly that was told under its key */
	bool wrong;             /* another value was told under its key */
	bool timed;             /* the lab's clock tells it: the board takes that long */
	double late;            /* the most that it was told late, of value's unit; 0: not timed */
};
/* Was it stored, and never as anything else? */
bool replay_is_told(const struct replay_drawn *d);
/* The places of show's text filled; drawn has one for each figure of the reference. Same seed, same
 * values. A place may be of another table of the section, as where one command prints both. -1 with
 * e (BLAME_CONFIG): a place that is no figure of the section. */
int replay_render(const struct replay_table *t, const struct replay_show *show, uint64_t seed,
	struct replay_drawn *drawn, struct buf *out, struct err *e);
/* One sample, as the store has it, against what was drawn; labels are those of parser and step.
 * Name and value are settled by the metric table. */
void replay_tell(const struct replay_table *t, struct replay_drawn *drawn, const char *metric,
	double value, double min, double max, const struct sink_label *labels, size_t n);
/* Renders and parses every show of t. Returns how many of its figures came back; what did not goes
 * to why, a line each. */
size_t replay_table(const struct replay_table *t, const struct metric_table *metrics, uint64_t seed,
	struct buf *why);
/* The one of that reference and table; NULL. */
const struct replay_table *replay_find(
	const struct replay *r, const char *soc, const char *section, const char *table);

#endif
