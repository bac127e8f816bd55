/* SPDX-License-Identifier: MIT */
#ifndef LABS_T_TABLES_H
#define LABS_T_TABLES_H

/* Small driver tables, so that cases do not change when a family gains a driver. */

#include "agents/measure/instrument.h"
#include "labs/lab.h"

struct relay_conf {
	const char *port;
	int64_t channel;
};
static const struct param relay_rows[] = {
	{"port", PARAM_STRING, offsetof(struct relay_conf, port), .required = true, .help = "line"},
	{"channel", PARAM_INT, offsetof(struct relay_conf, channel), .preset = "1", .min = 1,
		.max = 8, .help = "relay on the board"},
	{0},
};
struct line_conf {
	const char *port;
	int64_t baud;
};
static const struct param line_rows[] = {
	{"port", PARAM_STRING, offsetof(struct line_conf, port), .required = true, .help = "line"},
	{"baud", PARAM_INT, offsetof(struct line_conf, baud), .preset = "9600", .min = 50,
		.max = 4000000, .help = "speed"},
	{0},
};
struct tftp_conf {
	const char *root, *server;
};
static const struct param tftp_rows[] = {
	{"root", PARAM_STRING, offsetof(struct tftp_conf, root), .required = true,
		.help = "folder"},
	{"server", PARAM_STRING, offsetof(struct tftp_conf, server), .help = "address"},
	{0},
};
struct loader_conf {
	const char *prompt;
	int64_t wait_ms;
};
static const struct param loader_rows[] = {
	{"prompt", PARAM_PATTERN, offsetof(struct loader_conf, prompt), .required = true,
		.help = "prompt"},
	{"wait", PARAM_DURATION, offsetof(struct loader_conf, wait_ms), .help = "how long"},
	{0},
};
struct meter_conf {
	const char *address;
};
static const struct param meter_rows[] = {
	{"address", PARAM_STRING, offsetof(struct meter_conf, address), .required = true,
		.help = "address"},
	{0},
};
static const struct param meter_rail_rows[] = {
	{"input", PARAM_INT, 0, .required = true, .min = 1, .max = 4, .help = "input"},
	{0},
};
static const struct instrument_driver meter = {
	.d = {"meter", "test", meter_rows, sizeof(struct meter_conf), "test"},
	.rail = meter_rail_rows,
	.rail_size = sizeof(int64_t)};
static const struct driver relay = {"relay", "test", relay_rows, sizeof(struct relay_conf), "test"},
			   line = {"line", "test", line_rows, sizeof(struct line_conf), "test"},
			   tftp = {"tftp", "test", tftp_rows, sizeof(struct tftp_conf), "test"},
			   loader = {"loader", "test", loader_rows, sizeof(struct loader_conf),
				   "test"};
static const struct driver *const powers[] = {&relay, NULL}, *const lines[] = {&line, NULL},
				  *const deploys[] = {&tftp, NULL},
				  *const boots[] = {&loader, NULL},
				  *const meters[] = {&meter.d, NULL};
static const struct lab_drivers drivers = {powers, lines, deploys, boots, .instrument = meters};

#endif
