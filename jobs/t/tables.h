/* SPDX-License-Identifier: MIT */
#ifndef JOBS_T_TABLES_H
#define JOBS_T_TABLES_H

/* Small driver tables, so that cases do not change when a family gains a driver. */

#include "jobs/job.h"
#include "reports/parse/parsers.h"

struct meter_conf {
	bool reverse;
	int64_t time_ms;
};
static const struct param meter_rows[] = {
	{"reverse", PARAM_BOOL, offsetof(struct meter_conf, reverse), .preset = "false",
		.help = "the board sends"},
	{"time", PARAM_DURATION, offsetof(struct meter_conf, time_ms), .preset = "10s", .min = 1000,
		.max = 3600000, .help = "how long it measures"},
	{0},
};
static const struct driver tftp = {"tftp", "test", NULL, 0, "test"},
			   u_boot = {"u-boot", "test", NULL, 0, "test"},
			   iperf3 = {
				   "iperf3", "test", meter_rows, sizeof(struct meter_conf), "test"};
static const struct parser fio = {.d = {"fio", "test", NULL, 0, "test"}},
			   iperf3_text = {.d = {"iperf3", "test", NULL, 0, "test"}};
static const struct driver *const deploys[] = {&tftp, NULL}, *const boots[] = {&u_boot, NULL},
				  *const meters[] = {&iperf3, NULL},
				  *const parsers[] = {
					  &fio.d, &iperf3_text.d, &regex_parser.d, NULL};
static const struct job_tables tables = {deploys, boots, meters, parsers};

#endif
