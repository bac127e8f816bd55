/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_JUDGED_H
#define REPORTS_FORMAT_JUDGED_H

/*
 * What a judge found, of one run or of many: what broke first, improvements beside regressions, and
 * with every change how big it is, how noisy the figure is by itself, what its clock can tell
 * apart, how sure it is and since when. Long lists are cut with a word; JSON has all.
 */

#include "format.h"
#include "io/json.h"
#include "page.h"
#include "reports/judge.h"

#define JUDGED_ROWS 60 /* of one section, for people */

/* Nothing where n is 0. */
void judged_text(const struct judge_run *const *runs, size_t n, const struct report_opts *o,
	struct buf *out);
void judged_markdown(const struct judge_run *const *runs, size_t n, struct buf *out);
/* A heading, the summary and a table a section. */
void judged_page(const struct judge_run *const *runs, size_t n, struct page *page);
/* Comment lines for TAP. */
void judged_comments(const struct judge_run *const *runs, size_t n, struct buf *out);
/* One run: figures that changed, are new or are missing; all: those of noise too. */
json_t *judged_json(const struct judge_run *r, bool all);
/* "2 regressions (1 more suspected, 3 known), 1 improvement, 1 test broke" */
void judged_summary(const struct judge_run *const *runs, size_t n, struct buf *out);

#endif
