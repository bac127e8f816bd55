/* SPDX-License-Identifier: MIT */
/* The rows of server.yaml. Invariant: a server without a file has what these rows preset. */
#include "api/server.h"

#include <stddef.h>

#define AT(field) offsetof(struct server_conf, field)

const struct param server_params[] = {
	{"listen", PARAM_STRING, AT(listen), .preset = "127.0.0.1:8420",
		.help = "address and port; port 0 takes a free one"},
	{"cert", PARAM_PATH, AT(cert), .help = "certificate of the server, PEM; with it, TLS",
		.example = "/etc/hilab/server.pem"},
	{"key", PARAM_PATH, AT(key), .help = "private key of the certificate, PEM",
		.example = "/etc/hilab/server.key"},
	{"plain", PARAM_BOOL, AT(plain), .preset = "no",
		.help = "allow plain HTTP on an address that other hosts can reach"},
	{"store", PARAM_PATH, AT(store),
		.help = "the database (absent: hilab.db in the state folder)",
		.example = "/srv/hilab/hilab.db"},
	{"dir", PARAM_PATH, AT(dir),
		.help = "where logs, artifacts and builds are kept (absent: server in the state "
			"folder)",
		.example = "/srv/hilab"},
	{"health", PARAM_MAP, AT(health),
		.help = "board type -> its health check; 'default' is for the others",
		.example = "{default: {job: /etc/hilab/health.yaml, every: 24h}}"},
	{"connections", PARAM_INT, AT(connections), .preset = "4096", .min = 8, .max = 65536,
		.help = "how many connections at once"},
	{"per-address", PARAM_INT, AT(per_address), .preset = "1024", .min = 4, .max = 65536,
		.help = "how many of them from one address"},
	{"quota", PARAM_SIZE, AT(quota_bytes), .preset = "16GiB", .min = 1 << 20,
		.max = (int64_t)1 << 50,
		.help = "what one account may have uploaded that no build names"},
	{"blobs", PARAM_SIZE, AT(blobs_bytes), .preset = "128GiB", .min = 1 << 20,
		.max = (int64_t)1 << 50, .help = "size of all images that are kept"},
	{"grace", PARAM_DURATION, AT(grace_ms), .preset = "60s", .min = 2000, .max = 3600000,
		.help = "an agent that was not heard of for so long is offline"},
	{"run", PARAM_SIZE, AT(run_bytes), .preset = "8GiB", .min = 1 << 16,
		.max = (int64_t)1 << 50,
		.help = "what is kept of one run on one board: logs, journal, artifacts"},
	{0},
};

const struct param server_health_params[] = {
	{"job", PARAM_PATH, offsetof(struct server_health, job), .required = true,
		.help = "the job that shows that a board is good", .example = "health.yaml"},
	{"every", PARAM_DURATION, offsetof(struct server_health, every_ms), .min = 60000,
		.max = (int64_t)366 * 86400000,
		.help = "how often, on a board that takes jobs (absent: only after trouble)",
		.example = "24h"},
	{0},
};
