/* SPDX-License-Identifier: MIT */
/*
 * boot/rtos against a scripted ROM: what it says and asks for decides what is sent, and who is
 * blamed. The program that sends is cat, head or false here; lrzsz meets the real ROM in the twins.
 */
#include "agents/bench/t/peer.h"
#include "agents/boot/boot.h"
#include "agents/console/console.h"
#include "base/t/tap.h"

#include <signal.h>
#include <stdlib.h>

#define ROM   "\r\nROM: hilab ROM 1 (am275x), boot mode uart\r\n"
#define HELLO "\r\n@hil 9 1 boot 0 hello fw|1|ab|am275x|UART@\r\nr5f> "

struct bed {
	struct bench b;
	struct peer peer;
	struct console console;
	struct boot boot;
	struct arena arena;
	struct err e;
};

static const char *const *program; /* NULL: the preset */

static struct node *settings(struct bed *t)
{
	struct loc at = {0};
	struct node *map = node_new(&t->arena, NODE_MAP, at);

	node_map_set(&t->arena, map, "timeout", node_scalar(&t->arena, "500ms", at));
	if (program) {
		struct node *words = node_new(&t->arena, NODE_LIST, at);

		for (const char *const *w = program; *w; w++)
			node_list_add(&t->arena, words, node_scalar(&t->arena, *w, at));
		node_map_set(&t->arena, map, "send", words);
	}
	return map;
}

static void *fill(struct bed *t, const struct driver *d, const struct node *map)
{
	void *conf = arena_alloc(&t->arena, d->size);
	struct diag diag = {0};

	ok(!schema_fill(&t->arena, d->params, d->name, map, conf, &diag), "settings of %s",
		d->name);
	diag_done(&diag);
	return conf;
}

static int boot(struct bed *t, const struct peer_line *script, const char *image)
{
	const struct driver *line = driver_find(console_drivers(), "serial");
	const struct driver *rtos = driver_find(boot_drivers(), "rtos");
	struct node *map = node_new(&t->arena, NODE_MAP, (struct loc){0});

	bench_init(&t->b);
	bench_push(&t->b, "the test", 30000);
	peer_open(&t->peer, &t->b);
	t->peer.script = script;
	node_map_set(&t->arena, map, "port", node_scalar(&t->arena, t->peer.path, (struct loc){0}));
	t->console = (struct console){.fd = -1};
	ok(!console_open(&t->console, (const struct console_driver *)line, "main",
		   fill(t, line, map), &t->b, &(struct console_opts){0}, &t->e),
		"the line opens %s", t->e.msg);
	if (image)
		bench_var_set(&t->b, "image.firmware", image);
	t->boot = (struct boot){.drv = (const struct boot_driver *)rtos,
		.bench = &t->b,
		.console = &t->console,
		.conf = fill(t, rtos, settings(t))};
	if (script->want && !*script->want) { /* what it says by itself */
		peer_puts(&t->peer, script->send);
		t->peer.script++;
	}
	return t->boot.drv->start(&t->boot, &t->e);
}

static void end(struct bed *t)
{
	free((char *)t->boot.loader_version);
	console_close(&t->console);
	peer_done(&t->peer);
	bench_done(&t->b);
	arena_done(&t->arena);
	*t = (struct bed){0};
}

static void good(void)
{
	static const struct peer_line card[] = {{"", ROM "ROM: starts 1 build ab\r\n" HELLO}, {0}};
	static const struct peer_line uart[] = {
		{"", ROM "ROM: waits for XMODEM\r\nCC"}, {"all of it", HELLO}, {0}};
	static const char *const cat[] = {"cat", NULL};
	struct bed t = {0};

	is_int(boot(&t, card, NULL), 0, "a firmware from the card: %s", t.e.msg);
	is_str(t.boot.loader_version, "hilab ROM 1 (am275x)", "the ROM's version");
	is_str(t.boot.framed_prompt, "^r5f> ", "its prompt is told");
	is_int(t.boot.images_loaded, 0, "nothing was sent");
	end(&t);
	program = cat;
	is_int(boot(&t, uart, "image"), 0, "one that is sent: %s", t.e.msg);
	is_str(buf_str(&t.peer.all), "all of it", "the image and nothing else");
	is_int(t.boot.images_loaded, 1, "once");
	end(&t);
}

static void bad(void)
{
	static const struct peer_line refused[] = {
		{"", ROM "ROM: refused: wrong SoC: image of 'j721e'\r\nROM: stopped\r\n"}, {0}};
	static const struct peer_line late[] = {{"", ROM "ROM: waits for XMODEM\r\nC"},
		{"all of it", "\r\nROM: refused: truncated: 9 bytes\r\n"}, {0}};
	static const struct peer_line waits[] = {{"", ROM "ROM: waits for XMODEM\r\nC"}, {0}};
	static const struct peer_line hangs[] = {{"", ROM}, {0}};
	static const struct peer_line silent[] = {{"never", NULL}, {0}};
	static const char *const cat[] = {"cat", NULL}, *const fails[] = {"false", NULL},
				 *const none[] = {"no-such-program", NULL};
	struct bed t = {0};

	program = cat;
	is_int(boot(&t, refused, NULL), -1, "an image that the ROM refuses");
	is_int(t.e.blame, BLAME_BUILD, "is the build's fault");
	has_str(t.e.msg, "the ROM refuses the image: wrong SoC: image of 'j721e'", "in its words");
	ok(!t.boot.framed_prompt, "there is no command line");
	end(&t);
	is_int(boot(&t, late, "image"), -1, "one that it refuses once it has come");
	has_str(t.e.msg, "truncated: 9 bytes", "the same: %s", t.e.msg);
	end(&t);
	is_int(boot(&t, waits, NULL), -1, "a ROM that waits, and nothing is deployed");
	is_int(t.e.blame, BLAME_JOB, "is the job's fault: %s", t.e.msg);
	end(&t);
	is_int(boot(&t, waits, "no-image"), -1, "a file that is not there");
	has_str(t.e.msg, "'cat' ended with exit status 1", "is told: %s", t.e.msg);
	end(&t);
	program = fails;
	is_int(boot(&t, waits, "image"), -1, "a program that fails");
	is_int(t.e.blame, BLAME_INFRA, "is the lab's fault: %s", t.e.msg);
	end(&t);
	program = none;
	is_int(boot(&t, waits, "image"), -1, "one that is not installed");
	has_str(t.e.msg, "no-such-program", "is named: %s", t.e.msg);
	end(&t);
	is_int(boot(&t, hangs, NULL), -1, "a ROM that says no more");
	is_int(t.e.blame, BLAME_TIMEOUT, "is a timeout");
	end(&t);
	is_int(boot(&t, silent, NULL), -1, "a board that says nothing");
	is_int(t.e.blame, BLAME_INFRA, "has no power, or no line");
	end(&t);
}

int main(void)
{
	char dir[] = "/tmp/hilab-test.XXXXXX";
	FILE *f;

	signal(SIGPIPE, SIG_IGN); /* as the worker does */
	if (!mkdtemp(dir) || chdir(dir) || !(f = fopen("image", "w")))
		return 1;
	fputs("all of it", f);
	fclose(f);
	good();
	bad();
	unlink("image");
	if (chdir("/") || rmdir(dir))
		return 1;
	return tap_done();
}
