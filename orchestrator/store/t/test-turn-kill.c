/* SPDX-License-Identifier: MIT */
/*
 * kill -9 of a process that makes turns: in the middle of every write and sync that it does to the
 * store or its log, and at random moments. What it acknowledged is there whole, at most the one
 * turn beside it that was committed and not told, and nothing of any other.
 */
#include "turns.h"

#include "disk.h"

#include <sys/wait.h>
#include <unistd.h>

#define ROUND_TURNS 3
#define ROUNDS      15
#define CHECKPOINT  30 /* pages of the log: written back within a round */

/* Makes turns for ever or so many, one byte down the pipe for each that was acknowledged. */
static void writer(const char *path, int fd, int turns, int kill_at)
{
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	int n = s ? (int)turns_in(s) : -1;
	char sql[64];

	if (n < 0)
		_exit(1);
	snprintf(sql, sizeof sql, "PRAGMA wal_autocheckpoint=%d", CHECKPOINT);
	sqlite3_exec(s->db, sql, NULL, NULL, NULL);
	disk.no_sync = kill_at != 0;
	disk.kill_at = kill_at;
	for (int i = 0; !turns || i < turns; i++) {
		if (i % 3 == 2)
			turn_undone(s, n + i + 1);
		if (turn_make(s, n + i + 1, &e) || write(fd, "x", 1) != 1)
			_exit(2);
	}
	_exit(0);
}

struct round {
	int acks;
	bool killed;
};

/* kill_at: the operation that it dies in; 0: by us, so many us after the first turn. */
static struct round run_round(const char *path, int kill_at, int after_us)
{
	struct round r = {0};
	int fds[2], status;
	char c[256];
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return r;
	pid = fork();
	if (!pid) {
		close(fds[0]);
		writer(path, fds[1], kill_at ? ROUND_TURNS : 0, kill_at);
	}
	close(fds[1]);
	if (!kill_at && read(fds[0], c, 1) == 1) {
		r.acks = 1;
		usleep((useconds_t)after_us);
		kill(pid, SIGKILL);
	}
	waitpid(pid, &status, 0);
	while ((n = read(fds[0], c, sizeof c)) > 0)
		r.acks += (int)n;
	close(fds[0]);
	r.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	return r;
}

/* Turns that are there; -1: damaged or torn. */
static int turns_at(const char *path)
{
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	int n = s ? (int)turns_in(s) : -1;

	if (!s)
		tap_text("open", e.msg);
	store_close(s);
	return n;
}

/* Each round dies one operation later, until one comes to its end. */
static void test_every_operation(const char *path)
{
	int before = turns_at(path), rounds = 0, bad = 0, told = 0, one_more = 0;
	struct round r;

	do {
		int after;

		r = run_round(path, ++rounds, 0);
		after = turns_at(path);
		if (after < before + r.acks || after > before + r.acks + 1)
			bad++, printf("# operation %d: %d before, %d told, %d after\n", rounds,
				       before, r.acks, after);
		told += r.acks;
		one_more += after == before + r.acks + 1;
		before = after;
	} while (r.killed && before >= 0 && rounds < 2000);
	ok(rounds > 10 * ROUND_TURNS && rounds < 2000 && !r.killed,
		"killed in each of %d operations; then it comes to its end", rounds - 1);
	is_int(bad, 0, "%d turns told, %d more committed; none lost, none torn", told, one_more);
}

static void test_random(const char *path)
{
	int before = turns_at(path), rounds = 0, bad = 0, told = 0;
	unsigned seed = (unsigned)getpid();

	printf("# seed %u\n", seed);
	for (; rounds < ROUNDS && before >= 0; rounds++) {
		struct round r = run_round(path, 0, rand_r(&seed) % 20000);
		int after = turns_at(path);

		if (!r.killed || !r.acks || after < before + r.acks || after > before + r.acks + 1)
			bad++, printf("# %d before, %d told, %d after\n", before, r.acks, after);
		told += r.acks;
		before = after;
	}
	is_int(rounds, ROUNDS, "killed at random moments");
	is_int(bad, 0, "%d turns told; none lost, none torn", told);
}

int main(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("turns.db"));

	disk_use();
	is_int(turns_at(path), 0, "a store");
	test_every_operation(path);
	test_random(path);
	storetest_done();
	return tap_done();
}
