/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_MEASURE_SAMPLER_H
#define AGENTS_MEASURE_SAMPLER_H

/*
 * Samples power rails while something else is waited for: it is a pump of the bench. Its text is
 * what the parser `rails` reads (reports/parse/doc/rails.md).
 *
 *	s = sampler_open(bench, instruments, &window, &rc, e);
 *	sampler_start(s);      the window counts from here
 *	...                    a step, with all its waits
 *	sampler_stop(s, &text, e);
 */

#include "agents/measure/instrument.h"

struct sampler_window {
	struct param_strings rails; /* names; "all" alone: all that the instruments read */
	int64_t settle_ms;          /* from the start to the first reading that counts */
	int64_t for_ms;             /* then for this long; 0: until it is stopped */
	bool highest;               /* also tell the highest voltage of the rails, as rail "all" */
};
extern const struct param sampler_params[]; /* keys rails, settle, for, highest */

struct sampler;
/*
 * The instruments of a board (its section of the lab file; NULL: it has none) that read those rails
 * are opened: that may wait. NULL with e: BLAME_CONFIG, BLAME_INFRA or what a wait says. Where no
 * instrument reads them, *skip is set: nothing is wrong, and e says what there is not.
 */
struct sampler *sampler_open(struct bench *b, const struct node *instruments,
	const struct sampler_window *w, bool *skip, struct err *e);
void sampler_start(struct sampler *s);
/* Is there nothing left to wait for: the window is over, or an instrument failed. */
bool sampler_over(const struct sampler *s);
/* Whole rounds so far, of the instrument that has the fewest. */
uint64_t sampler_rounds(const struct sampler *s);
/*
 * Ends it, and frees s. text gets all that was read, also on failure: an instrument that did not
 * answer, or not what it should (BLAME_INFRA), or what was measured ended before the window did
 * (BLAME_TEST).
 */
int sampler_stop(struct sampler *s, struct buf *text, struct err *e);
/* Ends it without looking at what was read; NULL is fine. */
void sampler_drop(struct sampler *s);

#endif
