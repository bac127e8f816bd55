/* SPDX-License-Identifier: MIT */
/*
 * Two processes at one store: one makes turns, the other reads and copies meanwhile. What is read
 * at once, and every copy, is whole turns, no fewer than were told before; and what a copy refuses.
 */
#include "turns.h"

#include <sys/wait.h>
#include <unistd.h>

#define COPIES 6
#define BEFORE 40 /* turns that are there before: a copy takes a while */

static void writer(const char *path, int told, int stop)
{
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	int n = s ? (int)turns_in(s) : -1;
	char c;

	if (n < 0)
		_exit(1);
	while (read(stop, &c, 1) == 1)
		for (int i = 0; i < c; i++)
			if (turn_make(s, ++n, &e) || write(told, "x", 1) != 1)
				_exit(2);
	store_close(s);
	_exit(0);
}

static int64_t turns_of(const char *path)
{
	struct err e = {0};
	struct store *s = store_open(path, true, &e);
	int64_t n = s ? turns_in(s) : -1;

	if (!s)
		tap_text("open", e.msg);
	store_close(s);
	return n;
}

/* Each time the writer is asked for more turns, and the copy begins at the first of them. */
static void copy_while_writing(struct store *reader, int told, int ask)
{
	int64_t before = BEFORE, seen;
	struct err e = {0};
	char c;

	for (int i = 0; i < COPIES; i++) {
		AUTOFREE char *name = mem_printf("copy%d.db", i), *path = NULL;

		path = mem_strdup(storetest_path(name));
		if (write(ask, "\10", 1) != 1 || read(told, &c, 1) != 1)
			break;
		before++;
		seen = turns_in(reader);
		ok(seen >= before, "reading beside the writer: %d turns, whole", (int)seen);
		is_int(store_backup(reader, path, &e), 0, "copy %d %s", i, e.msg);
		seen = turns_of(path);
		ok(seen >= before, "the copy has %d whole turns, %d were told before", (int)seen,
			(int)before);
		for (int n = 1; n < 8 && read(told, &c, 1) == 1; n++)
			before++;
	}
	is_int(before, BEFORE + 8 * COPIES, "the writer was not held up");
}

static void test_beside(const char *path)
{
	struct err e = {0};
	struct store *reader = store_open(path, true, &e);
	int told[2], ask[2], status = -1;
	pid_t pid;

	if (!ok(reader && !pipe(told) && !pipe(ask), "a reader %s", e.msg))
		return;
	pid = fork();
	if (!pid) {
		close(ask[1]), close(told[0]);
		writer(path, told[1], ask[0]);
	}
	close(ask[0]), close(told[1]);
	copy_while_writing(reader, told[0], ask[1]);
	close(ask[1]);
	waitpid(pid, &status, 0);
	close(told[0]);
	is_int(status, 0, "nor did it fail");
	store_close(reader);
	is_int(turns_of(path), BEFORE + 8 * COPIES, "all its turns are there");
}

static void test_copy(struct store *s)
{
	AUTOFREE char *path = mem_strdup(storetest_path("one.db"));
	struct err e = {0};
	struct store *copy;

	is_int(store_backup(s, path, &e), 0, "the writer copies %s", e.msg);
	is_int(turns_of(path), BEFORE, "all that is there");
	is_int(store_backup(s, path, &e), -1, "a file is not overwritten");
	has_str(e.msg, "one.db': File exists", "as is said");
	is_int(e.blame, BLAME_CONFIG, "to who asked");
	is_int(store_backup(s, storetest_path("no/where.db"), &e), -1, "a folder must be there");
	has_str(e.msg, "no/where.db", "as is said");
	copy = store_open(path, false, &e);
	is_int(turn_make(copy, BEFORE + 1, &e), 0, "the copy is a store like any other %s", e.msg);
	store_close(copy);
	store_turn_begin(s, &e);
	turn_verbs(s, BEFORE + 1, "undone", &e);
	is_int(store_backup(s, storetest_path("turn.db"), &e), -1, "not inside a turn");
	store_turn_undo(s);
	is_int(turns_in(s), BEFORE, "and nothing of that is left");
}

int main(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("living.db"));
	struct err e = {0};
	struct store *s = store_open(path, false, &e);

	for (int i = 0; s && i < BEFORE; i++)
		if (turn_make(s, i + 1, &e))
			tap_text("turn", e.msg);
	if (ok(s != NULL, "a store %s", e.msg))
		test_copy(s);
	store_close(s);
	test_beside(path);
	storetest_done();
	return tap_done();
}
