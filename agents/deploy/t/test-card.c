/* SPDX-License-Identifier: MIT */
/* deploy/card on files that stand for cards: what is written where, the switch around it, and cards
 * that are not there, too small, or do not keep what is written. deploy/uart beside it. */
#include "agents/deploy/deploy.h"
#include "base/fs.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/hilab-test.XXXXXX";
static struct arena arena;
static struct bench b;
static struct err e;

static struct node *words(const char *const *w)
{
	struct node *list = node_new(&arena, NODE_LIST, (struct loc){0});

	for (; *w; w++)
		node_list_add(&arena, list, node_scalar(&arena, *w, (struct loc){0}));
	return list;
}

static int put(const char *device, const char *const *to_host, const char *const *to_board,
	const struct deploy_image *images, size_t n)
{
	const struct deploy_driver *drv = (const struct deploy_driver *)driver_get(
		deploy_drivers(), "deploy driver", "card", &e);
	struct node *m = node_new(&arena, NODE_MAP, (struct loc){0});
	struct deploy dp = {.drv = drv, .bench = &b, .run_id = "run-1"};
	struct diag diag = {0};

	ok(drv->wants_power_off, "the board is off meanwhile");
	node_map_set(&arena, m, "device", node_scalar(&arena, device, (struct loc){0}));
	if (to_host)
		node_map_set(&arena, m, "to-host", words(to_host));
	if (to_board)
		node_map_set(&arena, m, "to-board", words(to_board));
	dp.conf = arena_alloc(&arena, drv->d.size);
	ok(!schema_fill(&arena, drv->d.params, "card", m, dp.conf, &diag), "settings are taken");
	diag_done(&diag);
	err_clear(&e);
	return drv->stage(&dp, images, n, &e);
}

static bool card_has(off_t at, const char *text)
{
	AUTOBUF bytes = BUF_INIT(8 << 20);
	size_t n = strlen(text);

	return !fs_read("card", &bytes, NULL) && bytes.len >= (size_t)at + n &&
	       !memcmp(bytes.data + at, text, n);
}

static void good(void)
{
	static const char *const host[] = {"touch", "at-host", NULL};
	static const char *const board[] = {"mv", "at-host", "at-board", NULL};
	struct deploy_image images[] = {{"firmware", "one"}, {"other", "two"}};

	is_int(put("card", host, board, images, 2), 0, "two images: %s", e.msg);
	ok(card_has(131072, "the first"), "the first at its place");
	ok(card_has(1 << 20, "the second"), "the second at the next MiB");
	ok(card_has(0, "table"), "what was before them stays");
	ok(fs_exists("at-board") && !fs_exists("at-host"), "the card went to the host and back");
}

static void bad(void)
{
	static const char *const fails[] = {"false", NULL}, *const board[] = {
								    "touch", "back", NULL};
	struct deploy_image one[] = {{"firmware", "one"}}, gone[] = {{"firmware", "none"}};

	is_int(put("no-card", NULL, board, one, 1), -1, "no card");
	is_int(e.blame, BLAME_INFRA, "is the lab's fault: %s", e.msg);
	ok(fs_exists("back"), "and the switch is set back all the same");
	is_int(put("card", NULL, NULL, gone, 1), -1, "no image");
	is_int(e.blame, BLAME_BUILD, "is the build's fault: %s", e.msg);
	is_int(put("card", fails, NULL, one, 1), -1, "a switch that fails");
	is_int(e.blame, BLAME_INFRA, "is the lab's fault: %s", e.msg);
	is_int(put("card", NULL, fails, one, 1), -1, "also on the way back: %s", e.msg);
	is_int(put("/dev/full", NULL, NULL, one, 1), -1, "a card without room: %s", e.msg);
	is_int(put("/dev/null", NULL, NULL, one, 1), -1, "one that keeps nothing: %s", e.msg);
	is_int(e.blame, BLAME_INFRA, "is the lab's fault");
}

static void uart(void)
{
	const struct deploy_driver *drv = (const struct deploy_driver *)driver_get(
		deploy_drivers(), "deploy driver", "uart", &e);
	struct deploy dp = {.drv = drv, .bench = &b};
	struct deploy_image one[] = {{"firmware", "one"}}, gone[] = {{"firmware", "none"}};

	is_int(drv->stage(&dp, one, 1, &e), 0, "uart: an image");
	is_str(bench_var_find(&b, "image.firmware"), "one", "is the file itself");
	is_int(drv->stage(&dp, gone, 1, &e), -1, "one that is not there: %s", e.msg);
	is_int(e.blame, BLAME_BUILD, "is the build's fault");
}

int main(void)
{
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	bench_init(&b);
	fs_write("one", "the first", 9, 0644, &e);
	fs_write("two", "the second", 10, 0644, &e);
	fs_write("card", "table", 5, 0644, &e);
	ok(!truncate("card", 4 << 20), "a card");
	good();
	bad();
	uart();
	bench_done(&b);
	arena_done(&arena);
	if (chdir("/") || fs_remove_tree(dir, &e))
		return 1;
	return tap_done();
}
