/* SPDX-License-Identifier: MIT */
/* Board types: what extends brings, what a folder of types refuses. */
#include "labs/t/tables.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/crash-rules.h"
#include "io/t/page.h"
#include "io/yaml.h"

#include <stdlib.h>
#include <unistd.h>

static char said[4096];

static void say(struct diag *diag)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	diag_print(diag, &out);
	snprintf(said, sizeof said, "%s", buf_str(&out));
	diag_done(diag);
}

static void inheritance(void)
{
	AUTOFREE char *dir = fs_data_path("labs/t/types");
	const char *dirs[] = {dir, NULL};
	struct types t = {0};
	struct diag diag = {0};
	const struct type *base, *evm, *twin;

	ok(!types_load(&t, dirs, &diag), "the types load");
	say(&diag);
	is_str(said, "", "and nothing is said");
	base = type_find(&t, "base");
	evm = type_find(&t, "evm");
	twin = type_find(&t, "evm-twin");
	if (!ok(base && evm && twin, "all three are there"))
		return;
	ok(base->template_only && !evm->template_only, "being a template is not inherited");
	ok(twin->twin && !evm->twin, "a twin says so");
	is_str(twin->soc, "am335x", "soc, from the base");
	is_str(twin->arch, "armv7", "arch, from the middle");
	is_int((long long)twin->peripherals.n, 3, "a list replaces");
	is_int((long long)twin->tags.n, 1, "a list not given is inherited");
	is_str(node_text(node_find(twin->boot, "loader"), "prompt"), "=> ", "mappings merge");
	is_str(node_text(node_find(twin->boot, "loader"), "wait"), "3s", "both sides of them");
	ok(!node_find(twin->login, "user"), "an explicit null takes away");
	is_str(node_text(twin->login, "timeout"), "30s", "and leaves the rest");
	is_int((long long)twin->stages->n, 1, "stages replace");
	ok(type_is(&t, twin, "base") && type_is(&t, twin, "evm") && type_is(&t, twin, "evm-twin"),
		"a type is what it extends");
	ok(!type_is(&t, evm, "evm-twin") && !type_is(&t, evm, "ev"), "and nothing else");
	ok(!type_find(&t, "nothing"), "a type that is not there");
	types_done(&t);
}

static void put(const char *dir, const char *name, const char *text)
{
	AUTOFREE char *path = fs_join(dir, name);
	struct err e = {0};

	if (fs_write(path, text, strlen(text), 0644, &e))
		ok(false, "%s", e.msg);
}

static void refused(void)
{
	char dir[] = "/tmp/hilab-types-XXXXXX";
	const char *dirs[] = {mkdtemp(dir), NULL}, *none[] = {"/nonexistent/types", NULL};
	struct types t = {0};
	struct diag diag = {0};

	put(dir, "a.yaml", "type: a\nextends: b\nsoc: am335x\n");
	put(dir, "b.yaml", "type: b\nextends: c\n");
	put(dir, "c.yaml", "type: c\nextends: a\n");
	put(dir, "lost.yaml", "type: lost\nextends: lots\nsoc: am335x\n");
	put(dir, "lots-of.yaml", "type: lots-of\n");
	put(dir, "self.yaml", "type: self\nextends: self\nsoc: am335x\n");
	put(dir, "wrong-name.yaml", "type: name\nsoc: am335x\n");
	put(dir, "rows.yaml",
		"type: rows\nsocc: am335x\nstages: [x, {name: a, pattern: '('}]\n"
		"login: {usr: root}\nboot: {u-boot: fast}\narch: arm46\n");
	put(dir, ".hidden.yaml", "no: type\n");
	put(dir, "notes.txt", "no type\n");
	is_int(types_load(&t, dirs, &diag), -1, "a folder with wrong types");
	say(&diag);
	has_str(said, "c.yaml:2:10: board type 'c' extends itself, by way of 'a'", "a circle");
	has_str(said, "self.yaml:2:10: board type 'self' extends itself, by way of 'self'",
		"a small circle");
	has_str(said, "lost.yaml:2:10: unknown board type 'lots' (did you mean 'lost'?)",
		"a type that is not there");
	has_str(said, "lots-of.yaml:1:7: missing key 'soc' in board type 'lots-of'", "no soc");
	has_str(said, "wrong-name.yaml:1:7: board type 'name' must stand in a file 'name.yaml'",
		"another name than the file's");
	has_str(said, "rows.yaml:2:1: unknown key 'socc' in board type (did you mean 'soc'?)",
		"a wrong key");
	has_str(said, "rows.yaml:3:10: a stage is a mapping {name, pattern}", "a wrong stage");
	has_str(said, "rows.yaml:3:32: 'pattern'", "a wrong pattern");
	has_str(said, "rows.yaml:4:9: unknown key 'usr' in login (did you mean 'user'?)", "login");
	has_str(said, "rows.yaml:5:16: boot method 'u-boot' must be a mapping", "boot");
	has_str(said, "rows.yaml:6:7: 'arch' must be", "arch");
	ok(!strstr(said, "a.yaml:2") && !strstr(said, "b.yaml:2"), "each problem is told once");
	ok(!t.by_name.n && !t.arena.head, "nothing is handed out");
	ok(!fs_remove_tree(dir, NULL), "tidied up");
	is_int(types_load(&t, none, &diag), -1, "a folder that is not there");
	say(&diag);
	is_str(said, "/nonexistent/types: no folder of board types: No such file or directory\n",
		"is told");
}

static int check(const struct types *t, const char *text)
{
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_parse(&a, "type.yaml", str_of(text), &diag);
	int rc = doc ? type_check(t, boots, doc, &diag) : -1;

	ok(rc == (diag.total ? -1 : 0), "the status goes with what was said");
	say(&diag);
	arena_done(&a);
	return rc;
}

static void checking(void)
{
	AUTOFREE char *dir = fs_data_path("labs/t/types");
	const char *dirs[] = {dir, NULL};
	struct types t = {0};

	ok(!types_load(&t, dirs, NULL), "types to check against");
	ok(!check(&t, "type: new\nextends: evm\n"), "a right one: %s", said);
	ok(!check(&t, "type: new\nextends: base\nboot: {loader: {wait: 1s}}\n"),
		"settings may be completed by what it extends: %s", said);
	ok(!check(NULL, "type: new\nextends: unseen\nboot: {loader: {wait: 1s}}\n"),
		"without types only the file itself is looked at: %s", said);
	is_int(check(&t, "type: new\nsoc: x\nboot: {loader: {wait: 1s}, laoder: {}}\n"), -1,
		"settings of boot drivers");
	has_str(said, "type.yaml:3:16: missing key 'prompt' in boot driver 'loader'", "incomplete");
	has_str(said, "type.yaml:3:28: unknown boot driver 'laoder' (did you mean 'loader'?)",
		"unknown");
	is_int(check(&t, "type: base\nextends: evm-twin\n"), -1, "a circle by way of others");
	has_str(said, "type.yaml:2:10: board type 'base' extends itself, by way of 'evm-twin'",
		"is told");
	is_int(check(&t, "type: new\nextends: evn\n"), -1, "extends what is not there");
	has_str(said, "unknown board type 'evn' (did you mean 'evm'?)", "is told");
	is_int(check(&t, "type: new\n"), -1, "no soc");
	types_done(&t);
}

static void installed(void)
{
	struct types t = {0};
	struct diag diag = {0};
	const struct type *sk, *twin;
	const char *command;

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	ok(!types_load_default(&t, &diag), "the types of labs/types load");
	say(&diag);
	is_str(said, "", "nothing is said of them");
	map_each (&t.by_name, entry) {
		const struct type *type = entry->value;

		if (type->template_only)
			continue;
		ok(type->description && type->soc && type->arch && type->stages && type->login &&
				type->cores && type->memory && type->ports,
			"'%s' has what a board needs", type->name);
	}
	sk = type_find(&t, "am62axx-sk");
	twin = type_find(&t, "am62axx-sk-twin");
	if (!ok(sk && twin, "the AM62Ax SK and its twin are there"))
		return;
	ok(!sk->twin && twin->twin, "and are told apart");
	is_str(twin->soc, "am62axx", "of one soc");
	command = node_text(node_find(twin->boot, "u-boot"), "boot-command");
	is_str(command, "booti 0x40400000 0x44000000:$${filesize} $${fdtcontroladdr}",
		"U-Boot's own variables are kept from ours");
	types_done(&t);
}

/* One that is two steps above linux-board, and one that no file has. */
static void some(void)
{
	const char *const only[] = {"adsp-sc573-ezkit", "nobody", NULL};
	struct types some, all;
	const struct type *type;

	ok(!types_load_only(&some, only, NULL), "some of the types load");
	ok(!types_load_default(&all, NULL), "and all");
	type = type_find(&some, "adsp-sc573-ezkit");
	is_int(some.by_name.n, 3, "the one that is wanted and the two that it builds on");
	ok(type_find(&some, "adsp-sc589-ezkit") && type_find(&some, "linux-board") &&
			!type_find(&some, "nobody"),
		"a name that no file has is not there");
	if (!ok(type && all.by_name.n > 10, "it is there"))
		return;
	ok(type_is(&some, type, "linux-board"), "with all of its chain");
	ok(type->login && type->stages && !strcmp(type->soc, "adsp-sc5xx"),
		"and whole: what it extends is in it");
	types_done(&some);
	types_done(&all);
}

int main(void)
{
	some();
	inheritance();
	refused();
	checking();
	installed();
	page_has_rows("labs/doc/hilab-type.5", type_params, "a type");
	page_has_rows("labs/doc/hilab-type.5", type_login_params, "login");
	page_has_rows("labs/doc/hilab-type.5", type_stage_params, "a stage");
	page_has_rows("labs/doc/hilab-type.5", crash_rule_params, "crash");
	page_has_rows("labs/doc/hilab-type.5", crash_except_params, "an exception");
	return tap_done();
}
