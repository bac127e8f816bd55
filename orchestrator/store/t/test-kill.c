/* SPDX-License-Identifier: MIT */
/*
 * kill -9 of a process that writes: what it acknowledged is there, whole transactions only, and
 * the next process can write. Once inside an open transaction, then at many acknowledgements.
 */
#include "storetest.h"

#include "store/inner.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 5

/* Writes transactions for ever, one byte down the pipe for each that was acknowledged. */
static void writer(const char *path, int fd, bool stop_inside)
{
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	int64_t run = 1;
	int n = s ? storetest_results(s, run) / PIECE : 0;

	if (!s)
		_exit(1);
	if (stop_inside) {
		store_begin(s, &e);
		sqlite3_exec(s->db,
			"INSERT INTO result(run, at_offset, suite, name, status, at_ms, log_offset)"
			" VALUES(1, 999999999, 's', 'torn', 'pass', 1, -1)",
			NULL, NULL, NULL);
		/* Onto the disk as far as it can be without a commit. */
		sqlite3_db_cacheflush(s->db);
		if (write(fd, "x", 1) != 1)
			_exit(1);
		pause();
	}
	for (;; n++)
		if (storetest_add(s, run, n * PIECE, PIECE, 300, &e) || write(fd, "x", 1) != 1)
			_exit(1);
}

/* Starts a writer, kills it after so many acknowledgements; returns how many came. */
static int kill_after(const char *path, int wanted, bool stop_inside)
{
	int fds[2], acks = 0, status;
	char c[64];
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		close(fds[0]);
		writer(path, fds[1], stop_inside);
	}
	close(fds[1]);
	while (acks < wanted && (n = read(fds[0], c, 1)) > 0)
		acks += (int)n;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	/* What it had acknowledged before it died. */
	while ((n = read(fds[0], c, sizeof c)) > 0)
		acks += (int)n;
	close(fds[0]);
	return WIFSIGNALED(status) ? acks : -1;
}

int main(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("kill.db"));
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	int before, after, acks;

	is_int(storetest_run(s), 1, "a run");
	is_int(storetest_add(s, 1, 0, PIECE, 300, &e), 0, "a transaction");
	store_close(s);

	is_int(kill_after(path, 1, true), 1, "killed inside an open transaction");
	s = store_open(path, false, &e);
	is_int(storetest_results(s, 1), PIECE, "what was committed is there, and nothing else");
	store_close(s);

	for (int round = 1; round <= 12; round++) {
		s = store_open(path, true, &e);
		before = storetest_results(s, 1);
		store_close(s);
		acks = kill_after(path, round * 3 % 7 + 1, false);
		s = store_open(path, false, &e);
		if (!ok(s != NULL, "round %d: it opens after the kill %s", round, e.msg))
			break;
		after = storetest_results(s, 1);
		/* One more than acknowledged: killed between commit and the word about it. */
		ok(acks > 0 && after % PIECE == 0 && after >= before + acks * PIECE &&
				after <= before + (acks + 1) * PIECE,
			"round %d: %d acknowledged, %d before, %d after", round, acks, before,
			after);
		store_close(s);
	}
	storetest_done();
	return tap_done();
}
