/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_PARSERS_H
#define REPORTS_PARSE_PARSERS_H

/* Every parser, each defined in the file of its name. */

#include "parse.h"

extern const struct parser fio_parser, iperf2_parser, iperf3_parser, netperf_parser;

#endif
