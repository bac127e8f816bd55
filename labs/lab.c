/* SPDX-License-Identifier: MIT */
/*
 * Lab files: reading, checking, and the board as its worker needs it. Invariant: every board of
 * a lab that loaded has a type that exists and is no template, at least one console, and
 * settings in which paths that begin with a dot are already resolved beside the lab file.
 */
#include "labs/lab.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/yaml.h"
#include "labs/instruments.h"
#include "labs/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOARDS_MAX 3000

struct head {
	const char *name, *description;
	const struct node *boards;
};

const struct param lab_params[] = {
	{"lab", PARAM_STRING, offsetof(struct head, name), .required = true,
		.help = "name of the lab", .example = "desk"},
	{"description", PARAM_STRING, offsetof(struct head, description),
		.help = "one line for people", .example = "second floor, rack 3"},
	{"boards", PARAM_MAP, offsetof(struct head, boards), .required = true,
		.help = "board name -> how it is wired",
		.example = "{am62a-1: {type: am62axx-sk}}"},
	{0},
};

const struct param board_params[] = {
	{"type", PARAM_STRING, offsetof(struct board, type_name), .required = true,
		.help = "its board type", .example = "am62axx-sk"},
	{"peripherals", PARAM_STRINGS, offsetof(struct board, peripherals),
		.help = "what is plugged in beyond the type's; '-usb' takes one away",
		.example = "[can, -usb]"},
	{"tags", PARAM_STRINGS, offsetof(struct board, tags),
		.help = "further words that jobs may ask for", .example = "[rev-e3]"},
	{"revision", PARAM_STRING, offsetof(struct board, revision),
		.help = "board revision, recorded with every run", .example = "E3"},
	{"power", PARAM_MAP, offsetof(struct board, power),
		.help = "what switches its power: driver, off-time and the driver's settings",
		.example = "{driver: serial-relay, port: /dev/ttyUSB2, channel: 1}"},
	{"consoles", PARAM_MAP, offsetof(struct board, consoles), .required = true,
		.help = "console name -> driver and its settings; jobs use 'main' unless they say "
			"otherwise",
		.example = "{main: {driver: serial, port: 'usb:A50285BI'}}"},
	{"deploy", PARAM_MAP, offsetof(struct board, deploy),
		.help = "deploy method -> its settings in this lab",
		.example = "{tftp: {root: /srv/tftp, server: 192.168.1.1}}"},
	{"network", PARAM_MAP, offsetof(struct board, network),
		.help = "how the lab host reaches the board",
		.example = "{address: 192.168.1.20, ports: {ssh: 22}}"},
	{"boot", PARAM_MAP, offsetof(struct board, boot),
		.help = "boot method -> settings laid over the type's",
		.example = "{u-boot: {interrupt-timeout: 30s}}"},
	{"login", PARAM_MAP, offsetof(struct board, login),
		.help = "laid over the type's login; the place for a password",
		.example = "{password: secret}"},
	{"bootmode", PARAM_MAP, offsetof(struct board, bootmode),
		.help = "what sets its boot-mode pins: driver, default and the driver's settings",
		.example = "{driver: command, default: tftp, modes: {tftp: [straps, 0]}}"},
	{"instruments", PARAM_MAP, offsetof(struct board, instruments),
		.help = "what reads its power rails: name -> driver, rails and the driver's "
			"settings",
		.example = "{ina: {driver: hwmon, rails: {vdd_core: {device: 1-0040}}}}"},
	{"vars", PARAM_MAP, offsetof(struct board, vars),
		.help = "further ${board.NAME} variables for jobs",
		.example = "{sd: /dev/mmcblk1}"},
	{0},
};

const struct param board_network_params[] = {
	{"address", PARAM_STRING, offsetof(struct board_network, address),
		.help = "address or name of the board as the lab host sees it",
		.example = "192.168.1.20"},
	{"mac", PARAM_STRING, offsetof(struct board_network, mac),
		.help = "hardware address of the board's first port",
		.example = "02:00:00:00:62:01"},
	{"ports", PARAM_MAP, offsetof(struct board_network, ports),
		.help = "service -> port on that address, where it is not the service's own",
		.example = "{ssh: 2222, iperf3: 5201}"},
	{0},
};

const struct param board_power_params[] = {
	{"driver", PARAM_STRING, offsetof(struct board_power, driver), .required = true,
		.help = "power driver", .example = "serial-relay"},
	{"off-time", PARAM_DURATION, offsetof(struct board_power, off_time_ms), .preset = "2s",
		.max = 600000, .help = "how long power stays off in a power cycle"},
	{"device", PARAM_STRING, offsetof(struct board_power, device),
		.help = "name of what feeds several boards, such as a power strip; the driver's "
			"port unless given",
		.example = "rack-2-strip"},
	{"stagger", PARAM_DURATION, offsetof(struct board_power, stagger_ms), .preset = "100ms",
		.max = 60000,
		.help = "time between the power-ons of two boards that one device feeds; 0 for "
			"twins unless given"},
	{0},
};

const struct param board_console_params[] = {
	{"driver", PARAM_STRING, offsetof(struct board_console, driver), .required = true,
		.help = "console driver", .example = "serial"},
	{"log-limit", PARAM_SIZE, offsetof(struct board_console, log_limit_bytes),
		.preset = "256MiB", .min = 4096, .max = (int64_t)1 << 40,
		.help = "how large its log may become; the step in which it would cannot go on"},
	{0},
};

const struct param board_bootmode_params[] = {
	{"driver", PARAM_STRING, offsetof(struct board_bootmode, driver), .required = true,
		.help = "bootmode driver", .example = "command"},
	{"default", PARAM_STRING, offsetof(struct board_bootmode, preset), .required = true,
		.help = "the mode that the board is put back into when a run that changed it ends",
		.example = "tftp"},
	{0},
};

/* What is read, and where it goes. */
struct filling {
	struct arena *a;
	const struct types *types;         /* NULL: types are not looked up */
	const struct lab_drivers *drivers; /* NULL: not checked */
	struct diag *diag;
};

/* map without the named keys; kids are shared. */
static struct node *without(struct arena *a, const struct node *map, const char *const *keys)
{
	struct node *out = node_new(a, NODE_MAP, map->at);

	node_each (map, kid) {
		size_t i = 0;

		while (keys[i] && strcmp(keys[i], kid->key))
			i++;
		if (!keys[i])
			node_list_add(a, out, kid);
	}
	return out;
}

/* Relative paths, also behind `unix:`, are meant beside the lab file, wherever hilab is started. */
static void resolve_paths(struct arena *a, struct node *n)
{
	const char *path;

	for (size_t i = 0; i < n->n; i++)
		resolve_paths(a, n->kids[i]);
	if (n->type != NODE_SCALAR)
		return;
	path = n->text + (strncmp(n->text, "unix:", 5) ? 0 : 5);
	if (!strncmp(path, "./", 2) || !strncmp(path, "../", 3)) {
		AUTOFREE char *beside = fs_beside(n->at.file, path);
		AUTOFREE char *full = fs_absolute(beside);

		n->text = arena_printf(a, "%.*s%s", (int)(path - n->text), n->text, full);
	}
}

static const struct node *resolved(struct arena *a, const struct node *n)
{
	struct node *copy = node_copy(a, n);

	if (copy)
		resolve_paths(a, copy);
	return copy;
}

/* {driver, core's keys, the driver's settings} */
static int check_driven(struct filling *f, const struct driver *const *table, const char *family,
	const struct node *map, const char *const *core, struct diag *diag)
{
	const struct node *driver = node_find(map, "driver");

	if (!driver)
		return diag_add(diag, map->key_at, "missing key 'driver' in '%s'", map->key);
	if (driver->type != NODE_SCALAR)
		return diag_add(diag, driver->at, "'driver' must be a name");
	return settings_check(
		table, family, driver->text, driver->at, without(f->a, map, core), diag);
}

/* The keys that are the core's, alone; what is wrong with the driver was told. */
static int check_core(
	struct filling *f, const struct param *rows, const char *what, const struct node *map)
{
	struct node *own = node_new(f->a, NODE_MAP, map->at);
	const struct node *driver;

	for (const struct param *row = rows; row->name; row++)
		node_each (map, kid)
			if (!strcmp(kid->key, row->name))
				node_list_add(f->a, own, kid);
	driver = node_find(own, "driver");
	return driver && driver->type == NODE_SCALAR ? schema_check(rows, what, own, f->diag) : 0;
}

static int fill_power(struct filling *f, struct board *b)
{
	static const char *const core[] = {"driver", "off-time", "device", "stagger", NULL};
	const struct driver *const *table = f->drivers ? f->drivers->power : NULL;
	int rc = check_driven(f, table, "power driver", b->power, core, f->diag);

	if (check_core(f, board_power_params, "power", b->power))
		rc = -1;
	b->power = resolved(f->a, b->power);
	return rc;
}

static int fill_bootmode(struct filling *f, struct board *b)
{
	static const char *const core[] = {"driver", "default", NULL};
	const struct driver *const *table = f->drivers ? f->drivers->bootmode : NULL;
	int rc = check_driven(f, table, "bootmode driver", b->bootmode, core, f->diag);

	if (check_core(f, board_bootmode_params, "bootmode", b->bootmode))
		rc = -1;
	b->bootmode = resolved(f->a, b->bootmode);
	return rc;
}

static int fill_consoles(struct filling *f, struct board *b)
{
	static const char *const core[] = {"driver", "log-limit", NULL};
	const struct driver *const *table = f->drivers ? f->drivers->console : NULL;
	struct node *all;
	int rc = 0;

	if (!b->consoles->n)
		return diag_add(f->diag, b->consoles->at, "a board needs at least one console");
	all = node_new(f->a, NODE_MAP, b->consoles->at);
	node_each (b->consoles, console) {
		const struct node *fixed =
			b->type ? node_find(b->type->consoles, console->key) : NULL;
		struct node *laid;

		if (console->type != NODE_MAP) {
			rc = diag_add(f->diag, console->at,
				"console '%s' must be a mapping with a 'driver'", console->key);
			continue;
		}
		laid = node_overlay(f->a, fixed, console);
		laid->key = console->key;
		if (check_driven(f, table, "console driver", laid, core, f->diag) |
			check_core(f, board_console_params, "console", laid))
			rc = -1;
		resolve_paths(f->a, laid);
		node_list_add(f->a, all, laid);
	}
	b->consoles = all;
	return rc;
}

static int fill_deploy(struct filling *f, struct board *b)
{
	const struct driver *const *table = f->drivers ? f->drivers->deploy : NULL;
	int rc = 0;

	node_each (b->deploy, method)
		if (settings_check(
			    table, "deploy driver", method->key, method->key_at, method, f->diag))
			rc = -1;
	b->deploy = resolved(f->a, b->deploy);
	return rc;
}

static int fill_network(struct filling *f, struct board *b)
{
	struct board_network net = {0};
	int rc = schema_fill(f->a, board_network_params, "network", b->network, &net, f->diag);
	int64_t port;

	node_each (net.ports, service) {
		if (service->type == NODE_SCALAR && !str_i64(str_of(service->text), &port) &&
			port >= 1 && port <= 65535)
			continue;
		rc = diag_add(f->diag, service->at, "port of '%s' must be 1..65535", service->key);
	}
	return rc;
}

/* The lab's boot and login over the type's. */
static int fill_dialogue(struct filling *f, struct board *b)
{
	const struct driver *const *table = f->drivers ? f->drivers->boot : NULL;
	const struct node *boot = b->type ? b->type->boot : NULL;
	const struct node *login = b->type ? b->type->login : NULL;
	int rc = 0;

	if (b->login && schema_check(type_login_params, "login", b->login, f->diag))
		rc = -1;
	b->login = b->login ? node_overlay(f->a, login, b->login) : login;
	if (!b->boot) {
		b->boot = boot; /* checked with the type */
		return rc;
	}
	b->boot = node_overlay(f->a, boot, b->boot);
	node_each (b->boot, method)
		if (settings_check(
			    table, "boot driver", method->key, method->key_at, method, f->diag))
			rc = -1;
	return rc;
}

static int find_type(struct filling *f, struct board *b, const struct node *map)
{
	const struct node *at = node_find(map, "type");
	const char **names;
	size_t n = 0;

	if (!f->types)
		return 0;
	b->type = type_find(f->types, b->type_name);
	if (b->type && b->type->template_only)
		return diag_add(f->diag, at->at, "type '%s' is only a template to extend from",
			b->type_name);
	if (b->type)
		return 0;
	names = mem_array(f->types->by_name.n + 1, sizeof *names);
	map_each (&f->types->by_name, entry)
		names[n++] = entry->key;
	diag_unknown(f->diag, at->at, "board type", b->type_name, names, n);
	free(names);
	return -1;
}

static int check_vars(struct filling *f, const struct board *b)
{
	int rc = 0;

	node_each (b->vars, var) {
		if (!str_is_name(var->key))
			rc = diag_add(f->diag, var->key_at,
				"a variable's name is made of letters, digits, '.', '_', '+', '-'");
		if (var->type != NODE_SCALAR)
			rc = diag_add(
				f->diag, var->at, "variable '%s' must be one value", var->key);
	}
	return rc;
}

static int check_words(struct filling *f, const struct node *map, const char *key,
	const struct param_strings *words)
{
	int rc = 0;

	for (size_t i = 0; i < words->n; i++)
		if (!str_is_name(words->p[i] + (words->p[i][0] == '-')))
			rc = diag_add(f->diag, node_find(map, key)->at,
				"'%s': a word is made of letters, digits, '.', '_', '+' and '-'",
				key);
	return rc;
}

static int fill_board(struct filling *f, struct board *b, const struct node *map)
{
	char what[STR_NAME_BYTES + 16];
	int rc = 0;

	if (!str_is_name(map->key))
		return diag_add(f->diag, map->key_at,
			"a board's name is made of letters, digits, "
			"'.', '_', '+' and '-'");
	snprintf(what, sizeof what, "board '%s'", map->key);
	b->name = arena_strdup(f->a, map->key);
	b->at = map->key_at;
	if (schema_fill(f->a, board_params, what, map, b, f->diag))
		rc = -1;
	if (b->type_name && find_type(f, b, map))
		rc = -1;
	if (b->power && fill_power(f, b))
		rc = -1;
	if (b->bootmode && fill_bootmode(f, b))
		rc = -1;
	if (b->consoles && fill_consoles(f, b))
		rc = -1;
	if (b->deploy && fill_deploy(f, b))
		rc = -1;
	if (b->network && fill_network(f, b))
		rc = -1;
	if (b->instruments) {
		if (instruments_check(f->a, f->drivers ? f->drivers->instrument : NULL,
			    b->instruments, f->diag))
			rc = -1;
		b->instruments = resolved(f->a, b->instruments);
	}
	if (fill_dialogue(f, b) | check_vars(f, b) | /* each of them reports */
		check_words(f, map, "peripherals", &b->peripherals) |
		check_words(f, map, "tags", &b->tags))
		rc = -1;
	return rc;
}

static int fill_lab(struct lab *lab, const struct types *types, const struct lab_drivers *drivers,
	const struct node *doc, struct diag *diag)
{
	struct filling f = {&lab->arena, types, drivers, diag};
	struct head head = {0};
	int rc = schema_fill(f.a, lab_params, "lab", doc, &head, diag);

	if (head.name && !str_is_name(head.name))
		rc = diag_add(diag, node_find(doc, "lab")->at,
			"a lab's name is made of letters, digits, '.', '_', '+' and '-'");
	if (!head.boards)
		return -1;
	if (head.boards->n > BOARDS_MAX)
		return diag_add(diag, head.boards->key_at, "more than %d boards", BOARDS_MAX);
	lab->name = head.name;
	lab->boards = arena_alloc(f.a, (head.boards->n + 1) * sizeof *lab->boards);
	for (size_t i = 0; i < head.boards->n; i++)
		if (fill_board(&f, &lab->boards[i], head.boards->kids[i]))
			rc = -1;
	lab->n = head.boards->n;
	return rc;
}

int lab_load(struct lab *lab, const char *path, const struct types *types, struct diag *diag)
{
	struct lab new = {0};
	const struct node *doc = yaml_load(&new.arena, path, diag);

	if (!doc || fill_lab(&new, types, NULL, doc, diag)) {
		lab_done(&new);
		return -1;
	}
	new.path = arena_strdup(&new.arena, path);
	*lab = new;
	return 0;
}

int lab_check(const struct types *types, const struct lab_drivers *drivers, const struct node *doc,
	struct diag *diag)
{
	struct lab lab = {0};
	int rc = fill_lab(&lab, types, drivers, doc, diag);

	lab_done(&lab);
	return rc;
}

void lab_done(struct lab *lab)
{
	arena_done(&lab->arena);
	*lab = (struct lab){0};
}

const struct board *lab_find(const struct lab *lab, const char *board)
{
	for (size_t i = 0; i < lab->n; i++)
		if (!strcmp(lab->boards[i].name, board))
			return &lab->boards[i];
	return NULL;
}
