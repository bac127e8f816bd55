/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_PARSERS_H
#define REPORTS_PARSE_PARSERS_H

/* Every parser, each defined in the file of its name. */

#include "parse.h"

extern const struct parser cyclictest_parser, dd_parser, fio_parser, hackbench_parser, ipc_parser,
	iperf2_parser, iperf3_parser, irq_latency_parser, ktap_parser, lava_parser, netperf_parser,
	openssl_parser, power_parser, resume_parser, rtos_storage_parser, sbl_parser, tap_parser,
	time_v_parser, udma_parser;

#endif
