/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_PARSERS_H
#define REPORTS_PARSE_PARSERS_H

/* Every parser, each defined in the file of its name. */

#include "parse.h"

extern const struct parser alsa_parser, boot_log_parser, coremark_parser, coremark_pro_parser,
	cyclictest_parser, dd_parser, dhrystone_parser, fio_parser, frames_parser, hackbench_parser,
	ipc_parser, iperf2_parser, iperf3_parser, irq_latency_parser, junit_parser,
	kselftest_parser, ktap_parser, lava_parser, linpack_parser, lmbench_parser, ltp_parser,
	ltp_test_parser, lwip_parser, mcusdk_parser, mtd_speed_parser, multibench_parser,
	netperf_parser, openssl_parser, pdk_parser, power_parser, printk_parser, rails_parser,
	regex_parser, resume_parser, rtos_latency_parser, rtos_storage_parser, sbl_parser,
	storage_guide_parser, stream_parser, stress_ng_parser, tap_parser, time_v_parser,
	uboot_parser, udma_parser, whetstone_parser;

#endif
