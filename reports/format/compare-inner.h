/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_COMPARE_INNER_H
#define REPORTS_FORMAT_COMPARE_INNER_H

/* What the writers of a comparison share. */

#include "compare.h"
#include "formats.h"

/* ---- compare-data.c ---- */
int compare_json(const struct compare *c, struct buf *out, struct err *e);
void compare_csv(const struct compare *c, struct buf *out);

#endif
