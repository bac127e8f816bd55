/* SPDX-License-Identifier: MIT */
/* What types tell of their boards: the published boot-mode and boot-loader tables, and wrong ones.
 */
#include "labs/hardware.h"
#include "labs/t/tables.h"

#include "base/t/tap.h"
#include "io/t/page.h"
#include "io/yaml.h"

#include <stdlib.h>

/* The columns of the AM335x guide's two tables. */
static const char *const boards[] = {"am335x-beaglebone", "am335x-evm", "am335x-evmsk"};
struct row {
	const char *name;
	bool yes[3];
};
static const struct row modes[] = {
	{"spi-eeprom", {false, false, false}},
	{"spi-flash", {false, true, false}},
	{"nand", {false, true, false}},
	{"nor", {false, false, false}},
	{"i2c-eeprom", {false, false, false}},
	{"sd", {true, true, true}},
	{"ethernet", {false, true, false}},
	{"uart", {true, true, true}},
};
static const struct row features[] = {
	{"uart", {true, true, true}},
	{"tftp", {true, true, true}},
	{"dfu", {false, false, false}},
	{"mmc", {true, true, true}},
	{"spi-flash", {false, true, false}},
	{"nand", {false, true, false}},
	{"usb-storage", {false, false, false}},
};

static void published(const struct types *t)
{
	for (size_t b = 0; b < 3; b++) {
		const struct type *type = type_find(t, boards[b]);

		if (!ok(type != NULL, "'%s' is there", boards[b]))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
			const struct node *n = node_find(type->boot_modes, modes[i].name);
			const char *supported = n ? node_text(n, "supported") : NULL;

			ok(n && (!supported || !strcmp(supported, "true")) == modes[i].yes[b],
				"%s: boot mode '%s' is %s", type->name, modes[i].name,
				modes[i].yes[b] ? "supported" : "not supported");
		}
		for (size_t i = 0; i < ARRAY_LEN(features); i++)
			is_str(node_text(type->loader_features, features[i].name),
				features[i].yes[b] ? "true" : "false", "%s: boot loader's '%s'",
				type->name, features[i].name);
	}
}

static void others(const struct types *t)
{
	static const char *const sc5xx[][3] = {{"adsp-sc589-ezkit", "1.1", "DP83867"},
		{"adsp-sc584-ezkit", "1.0", "DP83865"}, {"adsp-sc573-ezkit", "1.2", "DP83867"},
		{"adsp-sc589-mini", "1.4", "DP83865"}};
	const struct type *sk = type_find(t, "am62axx-sk"), *j7 = type_find(t, "j721e-evm"),
			  *am275 = type_find(t, "am275x-evm"), *evm = type_find(t, "am335x-evm");

	for (size_t i = 0; i < ARRAY_LEN(sc5xx); i++) {
		const struct type *type = type_find(t, sc5xx[i][0]);

		if (!ok(type && type->since_revision, "'%s' says from which revision on",
			    sc5xx[i][0]))
			continue;
		is_str(type->since_revision, sc5xx[i][1], "which is the guide's");
		is_str(node_text(node_find(type->ports, "eth0"), "phy"), sc5xx[i][2], "its PHY");
		is_str(node_text(node_find(type->cores, "a5"), "clock-mhz"), "450", "its clock");
	}
	if (!ok(sk && j7 && am275 && evm, "the others are there"))
		return;
	is_str(node_text(node_find(sk->cores, "a53"), "count"), "4", "four A53");
	is_int((long long)sk->rails->n, 6, "the rails of the AM62Ax tables");
	is_str(node_text(node_find(sk->rails, "vdd_core"), "voltage-mv"), "850", "at 0.85 V");
	is_int((long long)evm->rails->n, 20, "the rails of the AM335x tables");
	is_int((long long)evm->opps_mhz.n, 4, "the OPPs of the AM335x tables");
	for (const char *const *mode =
			(const char *const[]){"sd", "emmc-boot0", "emmc-uda", "ospi", NULL};
		*mode; mode++)
		ok(node_find(j7->boot_modes, *mode), "J721E boots from '%s'", *mode);
	for (const char *const *mode = (const char *const[]){"ospi", "fast-xspi", "emmc", NULL};
		*mode; mode++)
		ok(node_find(am275->boot_modes, *mode), "AM275x boots from '%s'", *mode);
	is_int((long long)am275->cores->n, 7, "AM275x: six cores and the one that boots them");
}

static void refused(void)
{
	struct arena a = {0};
	struct diag diag = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);
	static const char text[] = "type: new\n"
				   "soc: x\n"
				   "cores: {a: {core: c, cuont: 2}, b: fast, c: {count: 2}}\n"
				   "memory: {ddr: {kind: DDR, size: 4 apples}}\n"
				   "ports: {eth0: {speed-mbits: 0}}\n"
				   "rails: {'a b': {}}\n"
				   "boot-modes: {sd: {supported: maybe}}\n"
				   "loader-features: {ttfp: true, mmc: 7}\n"
				   "opps-mhz: [600, 300]\n";
	const struct node *doc = yaml_parse(&a, "t.yaml", str_of(text), &diag);

	ok(doc && type_check(NULL, boots, doc, &diag) == -1, "a type with wrong hardware");
	diag_print(&diag, &said);
	has_str(buf_str(&said), "t.yaml:3:22: unknown key 'cuont' in core (did you mean 'count'?)",
		"a key");
	has_str(buf_str(&said), "t.yaml:3:36: core 'b' must be a mapping", "a text");
	has_str(buf_str(&said), "missing key 'core' in core", "a key that is not there");
	has_str(buf_str(&said), "t.yaml:4:33:", "a size");
	has_str(buf_str(&said), "t.yaml:5:29:", "a range");
	has_str(buf_str(&said), "t.yaml:6:9: a rail's name is made of letters", "a name");
	has_str(buf_str(&said), "t.yaml:7:30:", "a truth");
	has_str(buf_str(&said),
		"t.yaml:8:19: unknown feature of a boot loader 'ttfp' (did you mean 'tftp'?)",
		"a feature");
	has_str(buf_str(&said), "t.yaml:8:36: 'mmc' must be true or false", "its truth");
	has_str(buf_str(&said), "t.yaml:9:17: OPPs are clocks in MHz, the slowest first",
		"an order");
	diag_done(&diag);
	arena_done(&a);
}

int main(void)
{
	struct types t = {0};
	struct diag diag = {0};

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	ok(!types_load_default(&t, &diag), "the types load");
	published(&t);
	others(&t);
	types_done(&t);
	diag_done(&diag);
	refused();
	for (const struct type_section *s = type_sections; s->key; s++)
		page_has_rows("labs/doc/hilab-type.5", s->rows, s->key);
	return tap_done();
}
