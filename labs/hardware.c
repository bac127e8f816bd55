/* SPDX-License-Identifier: MIT */
/*
 * What is on a board, as a type tells it: cores, memories, network ports, rails, boot modes, what
 * its boot loader can do. Facts for people and for jobs, none of them wiring. Invariant: a section
 * that passed holds, name by name, mappings that its rows fill.
 */
#include "labs/hardware.h"

#include <stdlib.h>
#include <string.h>

const struct param type_core_params[] = {
	{"core", PARAM_STRING, offsetof(struct type_core, core), .required = true,
		.help = "the core's make", .example = "cortex-a53"},
	{"count", PARAM_INT, offsetof(struct type_core, count), .preset = "1", .min = 1, .max = 64,
		.help = "how many of them"},
	{"clock-mhz", PARAM_INT, offsetof(struct type_core, clock_mhz), .min = 1, .max = 10000,
		.help = "clock at which it is measured", .unit = "MHz", .example = "1200"},
	{"runs", PARAM_STRING, offsetof(struct type_core, runs), .help = "what runs there",
		.example = "Linux"},
	{0},
};

const struct param type_memory_params[] = {
	{"kind", PARAM_STRING, offsetof(struct type_memory, kind), .required = true,
		.help = "what it is made of", .example = "LPDDR4"},
	{"size", PARAM_SIZE, offsetof(struct type_memory, size_bytes), .min = 512,
		.max = (int64_t)1 << 44, .help = "how much there is", .example = "4GiB"},
	{"at", PARAM_INT, offsetof(struct type_memory, at), .min = 0, .max = INT64_MAX,
		.help = "address where it begins", .example = "0x80000000"},
	{"rate-mts", PARAM_INT, offsetof(struct type_memory, rate_mts), .min = 1, .max = 100000,
		.help = "transfers per second", .unit = "MT/s", .example = "3733"},
	{"part", PARAM_STRING, offsetof(struct type_memory, part),
		.help = "part on the board, or card of the published figures",
		.example = "MT41K128M16JT"},
	{0},
};

const struct param type_port_params[] = {
	{"speed-mbits", PARAM_INT, offsetof(struct type_port, speed_mbits), .required = true,
		.min = 1, .max = 400000, .help = "fastest mode", .unit = "Mbit/s",
		.example = "1000"},
	{"interface", PARAM_STRING, offsetof(struct type_port, interface),
		.help = "name that the system gives it", .example = "eth0"},
	{"mac", PARAM_STRING, offsetof(struct type_port, mac), .help = "controller behind it",
		.example = "CPSW3G"},
	{"mode", PARAM_STRING, offsetof(struct type_port, mode),
		.help = "how controller and PHY are joined", .example = "rgmii"},
	{"phy", PARAM_STRING, offsetof(struct type_port, phy), .help = "PHY on the board",
		.example = "DP83867"},
	{0},
};

const struct param type_rail_params[] = {
	{"voltage-mv", PARAM_INT, offsetof(struct type_rail, voltage_mv), .min = 1, .max = 100000,
		.help = "nominal voltage; not given where it follows the OPP or is not published",
		.unit = "mV", .example = "850"},
	{0},
};

const struct param type_boot_mode_params[] = {
	{"supported", PARAM_BOOL, offsetof(struct type_boot_mode, supported), .preset = "true",
		.help = "the published software boots from there"},
	{"pins", PARAM_STRING, offsetof(struct type_boot_mode, pins),
		.help = "setting of the pins or switches", .example = "SW2 11000010, SW3 01000000"},
	{"device", PARAM_STRING, offsetof(struct type_boot_mode, device),
		.help = "which of several it is", .example = "UART0"},
	{0},
};

const struct type_section type_sections[] = {
	{"cores", "core", type_core_params, sizeof(struct type_core)},
	{"memory", "memory", type_memory_params, sizeof(struct type_memory)},
	{"ports", "port", type_port_params, sizeof(struct type_port)},
	{"rails", "rail", type_rail_params, sizeof(struct type_rail)},
	{"boot-modes", "boot mode", type_boot_mode_params, sizeof(struct type_boot_mode)},
	{0},
};

/* What the boot loader of a board can be asked for, in the words of jobs. */
const char *const type_loader_features[] = {"uart", "tftp", "dfu", "mmc", "emmc", "spi-flash",
	"nand", "usb-storage", "usb-network", NULL};

static int check_section(
	struct arena *a, const struct type_section *s, const struct node *map, struct diag *diag)
{
	int rc = 0;

	node_each (map, kid) {
		void *filled = arena_alloc(a, s->size);

		if (kid->type != NODE_MAP && kid->type != NODE_NULL)
			rc = diag_add(
				diag, kid->at, "%s '%s' must be a mapping", s->what, kid->key);
		else if (schema_fill(a, s->rows, s->what, kid, filled, diag))
			rc = -1;
		if (!str_is_name(kid->key))
			rc = diag_add(diag, kid->key_at,
				"a %s's name is made of letters, digits, '.', '_', '+' and '-'",
				s->what);
	}
	return rc;
}

static size_t n_features(void)
{
	size_t n = 0;

	while (type_loader_features[n])
		n++;
	return n;
}

static int check_features(const struct node *map, struct diag *diag)
{
	int rc = 0;

	node_each (map, kid) {
		size_t i = 0;

		while (type_loader_features[i] && strcmp(type_loader_features[i], kid->key))
			i++;
		if (!type_loader_features[i])
			rc = diag_unknown(diag, kid->key_at, "feature of a boot loader", kid->key,
				(const char **)type_loader_features, n_features());
		if (kid->type != NODE_SCALAR ||
			(strcmp(kid->text, "true") && strcmp(kid->text, "false")))
			rc = diag_add(diag, kid->at, "'%s' must be true or false", kid->key);
	}
	return rc;
}

static int check_opps(const struct node *list, struct diag *diag)
{
	int64_t last = 0;
	int rc = 0;

	for (size_t i = 0; list && list->type == NODE_LIST && i < list->n; i++) {
		const struct node *n = list->kids[i];
		int64_t mhz;

		if (n->type != NODE_SCALAR || str_i64(str_of(n->text), &mhz) || mhz <= last)
			rc = diag_add(diag, n->at, "OPPs are clocks in MHz, the slowest first");
		else
			last = mhz;
	}
	return rc;
}

int hardware_check(struct arena *a, const struct node *type, struct diag *diag)
{
	int rc = 0;

	for (const struct type_section *s = type_sections; s->key; s++)
		if (check_section(a, s, node_find(type, s->key), diag))
			rc = -1;
	if (check_features(node_find(type, "loader-features"), diag))
		rc = -1;
	if (check_opps(node_find(type, "opps-mhz"), diag))
		rc = -1;
	return rc;
}
