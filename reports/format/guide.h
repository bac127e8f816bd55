/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_GUIDE_H
#define REPORTS_FORMAT_GUIDE_H

/* A performance guide as a page. */

#include "page.h"
#include "reports/guide.h"

extern const struct page_format *const guide_formats[]; /* NULL-ended, sorted by name */
/* What a cell shows whose figure was not measured. */
#define GUIDE_MISSING "n/a"
int guide_write(const struct guide *g, const struct page_format *f, struct buf *out, struct err *e);

#endif
