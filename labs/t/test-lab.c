/* SPDX-License-Identifier: MIT */
/* Lab files: wrong ones and what is said of them, right ones and the board that a worker gets. */
#include "labs/t/tables.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/golden.h"
#include "io/json.h"
#include "io/t/page.h"
#include "io/yaml.h"

#include <stdlib.h>
#include <unistd.h>

static struct types types;

static void check(const char *name, struct str text, struct buf *out)
{
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_parse(&a, name, text, &diag);

	if (doc)
		ok(lab_check(&types, &drivers, doc, &diag) == (diag.total ? -1 : 0),
			"%s: the status goes with what was said", name);
	ok(diag.total > 0, "%s is refused", name);
	diag_print(&diag, out);
	diag_done(&diag);
	arena_done(&a);
}

static const char right[] =
	"lab: desk\n"
	"boards:\n"
	"  evm-1:\n"
	"    type: evm\n"
	"    peripherals: [nand, -usb]\n"
	"    revision: 1.10\n"
	"    power: {driver: relay, port: ./relay, channel: 2, off-time: 500ms}\n"
	"    consoles:\n"
	"      main: {driver: line, port: ../line}\n"
	"      aux: {driver: line, port: unix:./aux, baud: 300}\n"
	"    deploy: {tftp: {root: ./tftp}}\n"
	"    network: {address: 10.0.0.2, ports: {ssh: 2222}}\n"
	"    boot: {loader: {wait: 9s}}\n"
	"    login: {password: secret}\n"
	"    vars: {disk: /dev/sda}\n"
	"  bare:\n"
	"    type: evm-twin\n"
	"    consoles: {main: {driver: line, port: x}}\n";

static void board(const struct lab *lab, const char *dir)
{
	AUTOJSON *j = board_to_json(lab, lab_find(lab, "evm-1"));
	const json_t *main_console = json_object_get(json_object_get(j, "consoles"), "main"),
		     *aux = json_object_get(json_object_get(j, "consoles"), "aux"),
		     *power = json_object_get(j, "power"),
		     *loader_boot = json_object_get(json_object_get(j, "boot"), "loader");
	AUTOFREE char *relay_path = mem_printf("%s/./relay", dir);
	AUTOFREE char *root = mem_printf("%s/./tftp", dir);
	AUTOFREE char *aux_port = mem_printf("unix:%s/./aux", dir);

	is_str(json_text(j, "name", NULL), "evm-1", "name");
	is_str(json_text(j, "type", NULL), "evm", "type");
	is_str(json_text(j, "soc", NULL), "am335x", "soc");
	is_str(json_text(j, "lab", NULL), "desk", "lab");
	is_str(json_text(j, "arch", NULL), "armv7", "arch");
	is_str(json_text(j, "revision", NULL), "1.10", "a revision stays text");
	ok(json_is_false(json_object_get(j, "twin")), "no twin");
	is_str(json_text(power, "port", NULL), relay_path, "paths are beside the lab file");
	is_str(json_text(aux, "port", NULL), aux_port, "behind unix: too");
	is_str(json_text(power, "off-time", NULL), "500ms", "off-time");
	is_int(json_int(main_console, "baud", 0), 115200, "the type's settings lie under");
	is_int(json_int(aux, "baud", 0), 300, "a console that the type does not know");
	is_str(json_text(loader_boot, "prompt", NULL), "=> ", "boot: the type's");
	is_str(json_text(loader_boot, "wait", NULL), "9s", "boot: the lab's over it");
	is_str(json_text(json_object_get(j, "login"), "password", NULL), "secret", "login");
	is_str(json_text(json_object_get(j, "login"), "timeout", NULL), "30s", "login: the type's");
	is_str(json_text(json_object_get(j, "vars"), "disk", NULL), "/dev/sda", "vars");
	is_int((long long)json_array_size(json_object_get(j, "stages")), 2, "stages");
	is_str(json_text(json_object_get(json_object_get(j, "deploy"), "tftp"), "root", NULL), root,
		"deploy");
}

static void loading(void)
{
	char dir[] = "/tmp/hilab-lab-XXXXXX";
	AUTOFREE char *path = fs_join(mkdtemp(dir), "lab.yaml");
	struct lab lab = {0};
	struct diag diag = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);

	ok(!fs_write(path, right, sizeof right - 1, 0600, NULL), "a lab file");
	ok(!lab_load(&lab, path, &types, &diag), "loads");
	diag_print(&diag, &said);
	is_str(buf_str(&said), "", "and nothing is said");
	is_int((long long)lab.n, 2, "its boards");
	is_str(lab.path, path, "its file");
	ok(!lab_find(&lab, "nobody"), "a board that is not there");
	if (ok(lab_find(&lab, "evm-1") && lab_find(&lab, "bare"), "those that are")) {
		const struct board *bare = lab_find(&lab, "bare");
		AUTOJSON *j = board_to_json(&lab, bare);

		board(&lab, dir);
		ok(json_is_null(json_object_get(j, "power")), "no power control is null");
		ok(json_is_true(json_object_get(j, "twin")), "a twin");
		ok(!bare->network && !bare->vars, "what is not given is NULL");
	}
	lab_done(&lab);
	ok(!lab_load(&lab, path, &types, NULL), "loads again");
	lab_done(&lab);
	ok(!fs_remove_tree(dir, NULL), "tidied up");
	is_int(lab_load(&lab, path, &types, &diag), -1, "a file that is gone");
	ok(diag.total == 1, "is told");
	diag_done(&diag);
}

static const char strip[] = "lab: strip\n"
			    "boards:\n"
			    "  a: {type: evm, consoles: {m: {driver: line, port: x}}, power: "
			    "{driver: relay, port: /dev/r, channel: 1}}\n"
			    "  b: {type: evm, consoles: {m: {driver: line, port: x}}, power: "
			    "{driver: relay, port: /dev/r, channel: 2, stagger: 2s}}\n"
			    "  c: {type: evm, consoles: {m: {driver: line, port: x}}, power: "
			    "{driver: relay, port: /dev/r, channel: 3, stagger: 0}}\n"
			    "  alone: {type: evm, consoles: {m: {driver: line, port: x}}, power: "
			    "{driver: relay, port: /dev/s, channel: 1}}\n"
			    "  twin: {type: evm-twin, consoles: {m: {driver: line, port: x}}, "
			    "power: {driver: relay, port: /dev/r, channel: 4}}\n"
			    "  p: {type: evm, consoles: {m: {driver: line, port: x}}, power: "
			    "{driver: relay, port: /dev/p, channel: 1, device: wall}}\n"
			    "  q: {type: evm, consoles: {m: {driver: line, port: x}}, power: "
			    "{driver: relay, port: /dev/q, channel: 1, device: wall}}\n"
			    "  none: {type: evm, consoles: {m: {driver: line, port: x}}}\n";

static void stagger(void)
{
	static const struct {
		const char *board, *device;
		int64_t ms;
	} want[] = {{"a", "/dev/r", 100}, {"b", "/dev/r", 2000}, {"c", NULL, 0}, {"alone", NULL, 0},
		{"twin", NULL, 0}, {"p", "wall", 100}, {"q", "wall", 100}, {"none", NULL, 0}};
	char dir[] = "/tmp/hilab-lab-XXXXXX";
	AUTOFREE char *path = fs_join(mkdtemp(dir), "lab.yaml");
	struct lab lab = {0};
	struct diag diag = {0};

	ok(!fs_write(path, strip, sizeof strip - 1, 0600, NULL) &&
			!lab_load(&lab, path, &types, &diag),
		"boards that share devices");
	for (size_t i = 0; i < ARRAY_LEN(want) && lab.n; i++) {
		AUTOJSON *j = board_to_json(&lab, lab_find(&lab, want[i].board));
		const json_t *turns = json_object_get(j, "stagger");

		is_str(json_text(turns, "device", NULL), want[i].device, "%s takes turns at %s",
			want[i].board, want[i].device ? want[i].device : "nothing");
		is_int(json_int(turns, "ms", 0), want[i].ms, "%s: how far apart", want[i].board);
	}
	diag_done(&diag);
	lab_done(&lab);
	fs_remove_tree(dir, NULL);
}

int main(void)
{
	AUTOFREE char *dir = fs_data_path("labs/t/types");
	const char *dirs[] = {dir, NULL};

	ok(!types_load(&types, dirs, NULL), "types");
	ok(golden_walk("labs/t/bad", check) >= 6, "all cases are there");
	loading();
	stagger();
	page_has_rows("labs/doc/hilab-lab.5", lab_params, "a lab");
	page_has_rows("labs/doc/hilab-lab.5", board_params, "a board");
	page_has_rows("labs/doc/hilab-lab.5", board_power_params, "power");
	page_has_rows("labs/doc/hilab-lab.5", board_network_params, "network");
	page_has_rows("labs/doc/hilab-lab.5", board_bootmode_params, "bootmode");
	page_has_rows("labs/doc/hilab-lab.5", board_console_params, "a console");
	types_done(&types);
	return tap_done();
}
