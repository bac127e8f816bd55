/* SPDX-License-Identifier: MIT */
/* Boards at one device take turns, by their own account of when: no clock is measured against. */
#include "agents/worker/worker.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>

static char *dir;

/* The turn that the device's file tells of; 0: there is no file. */
static long long turn(void)
{
	AUTOFREE char *command = mem_printf("%s/hilab-power-", dir);
	AUTOFREE char *path = mem_printf(
		"%s%016llx.lock", command, (unsigned long long)str_hash(STR_LIT("strip")));
	AUTOBUF text = BUF_INIT(4096);

	return fs_read(path, &text, NULL) ? 0 : strtoll(buf_str(&text), NULL, 10);
}

static int switch_on(const char *board, const char *settings)
{
	struct worker w = {.board_name = board, .lock_fd = -1};
	AUTOFREE char *text = mem_printf("{\"name\": \"%s\"%s}", board, settings);
	AUTOJSON *j = json_loads(text, 0, NULL);
	struct err e = {0};
	int rc;

	bench_init(&w.bench);
	bench_push(&w.bench, "job", 60000);
	w.board = node_from_json(&w.arena, j);
	rc = worker_stagger(&w, &e);
	if (rc)
		printf("# %s\n", e.msg);
	bench_done(&w.bench);
	arena_done(&w.arena);
	return rc;
}

#define STRIP ", \"stagger\": {\"device\": \"strip\", \"ms\": 50}"

int main(void)
{
	char name[] = "/tmp/hilab-stagger-XXXXXX";
	long long first, second, third;

	dir = mkdtemp(name);
	setenv("HILAB_RUN_DIR", dir, 1);
	ok(!switch_on("a", ""), "a board that hangs on a device of its own");
	ok(!turn(), "takes no turns");
	ok(!switch_on("a", STRIP), "the first one at a device");
	first = turn();
	ok(first && first <= clock_ms(), "is on at once");
	ok(!switch_on("b", STRIP), "the next one");
	second = turn();
	ok(second >= first + 50 && clock_ms() >= second, "comes 50 ms behind it");
	ok(!switch_on("b", ", \"stagger\": {\"device\": \"strip\", \"ms\": 20000}"),
		"the same board again");
	third = turn();
	ok(third < second + 20000, "does not wait for itself");
	fs_remove_tree(dir, NULL);
	return tap_done();
}
