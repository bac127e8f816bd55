/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_IPERF3_TEXT_H
#define REPORTS_PARSE_IPERF3_TEXT_H

/* iperf3's output without -J. */

#include "parse.h"

/* As a parser's parse: the same metrics and labels as from its JSON, without the CPU loads. */
int iperf3_text_parse(struct str text, const struct sink *sink, struct err *e);

#endif
