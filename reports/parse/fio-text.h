/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_FIO_TEXT_H
#define REPORTS_PARSE_FIO_TEXT_H

/* fio's outputs that are not JSON. */

#include "parse.h"

/* Its normal output and, in the same text, terse lines of version 3, 4 and 5 (--minimal): as a
 * parser's parse. Figures and labels are those of the JSON as far as the text tells them. */
int fio_text_parse(struct str text, const struct sink *sink, struct err *e);

#endif
