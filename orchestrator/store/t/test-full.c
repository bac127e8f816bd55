/* SPDX-License-Identifier: MIT */
/*
 * The disk is full: a clear error, all that was acknowledged is there, nothing half, and with room
 * again the rest is stored. Three ways: SQLite's own page limit, the kernel's limit of a file's
 * size, and a real full file system where a user namespace may mount one.
 */
#include "turns.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 8 /* results a transaction */

/* Adds pieces until one fails or max is reached; returns how many were acknowledged. */
static int fill(struct store *s, int64_t run, int from, int max, struct err *e)
{
	int done = from;

	while (done < max && !storetest_add(s, run, done * PIECE, PIECE, 2000, e))
		done++;
	return done;
}

static void test_page_limit(void)
{
	struct err e = {0};
	struct store *s = store_open(storetest_path("pages.db"), false, &e);
	int64_t run = storetest_run(s);
	int done;

	sqlite3_exec(s->db, "PRAGMA max_page_count=200", NULL, NULL, NULL);
	done = fill(s, run, 0, 1000, &e);
	ok(done > 0 && done < 1000, "pages run out after %d transactions", done);
	has_str(e.msg, "no room left on its disk", "which is said");
	is_int(e.blame, BLAME_INFRA, "and who must act");
	is_int(storetest_results(s, run), done * PIECE, "all that was acknowledged, nothing half");
	is_int(store_run_end(s, run, "pass", NULL, NULL, 1, &e), 0,
		"what needs no room is still stored");
	sqlite3_exec(s->db, "PRAGMA max_page_count=100000", NULL, NULL, NULL);
	is_int(fill(s, run, done, done + 3, &e), done + 3, "with room again the rest is stored");
	is_int(storetest_results(s, run), (done + 3) * PIECE, "each once");
	store_close(s);
}

/* In a child: its exit says what went wrong. */
static int child_file_limit(const char *path)
{
	struct rlimit limit = {600000, RLIM_INFINITY};
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	int64_t run;
	int done;

	if (!s)
		return 10;
	run = storetest_run(s);
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 11;
	done = fill(s, run, 0, 1000, &e);
	if (done < 1 || done >= 1000)
		return 12;
	if (!strstr(e.msg, path) || !strstr(e.msg, "disk I/O error"))
		return 13;
	if (storetest_results(s, run) != done * PIECE)
		return 14;
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	if (fill(s, run, done, done + 3, &e) != done + 3)
		return 15;
	if (storetest_results(s, run) != (done + 3) * PIECE)
		return 16;
	store_close(s);
	return 0;
}

static int write_once(const char *path, const char *text)
{
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : fs_write_all(fd, text, strlen(text));
}

/* Mounts of our own, which end with the process. */
static int own_mounts(void)
{
	char map[32];

	if (!geteuid() && !unshare(CLONE_NEWNS))
		return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	snprintf(map, sizeof map, "0 %u 1", geteuid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return -1;
	return write_once("/proc/self/uid_map", map);
}

/* 77: no file system can be mounted here. */
static int child_file_system(const char *dir)
{
	AUTOFREE char *path = fs_join(dir, "real.db"), *again = NULL;
	AUTOFREE char *filler = fs_join(dir, "filler");
	struct err e = {0};
	struct store *s;
	int64_t run;
	int done;

	if (own_mounts() || mount("none", dir, "tmpfs", 0, "size=2m"))
		return 77;
	s = store_open(path, false, &e);
	if (!s)
		return 20;
	run = storetest_run(s);
	again = mem_alloc(512 << 10);
	if (fs_write(filler, again, 512 << 10, 0600, &e))
		return 21;
	done = fill(s, run, 0, 1000, &e);
	if (done < 1 || done >= 1000 || !strstr(e.msg, "no room left on its disk"))
		return 22;
	if (storetest_results(s, run) != done * PIECE)
		return 23;
	store_close(s);
	s = store_open(path, false, &e);
	if (!s)
		return 24;
	if (storetest_results(s, run) != done * PIECE)
		return 25;
	unlink(filler);
	if (fill(s, run, done, done + 2, &e) != done + 2 ||
		storetest_results(s, run) != (done + 2) * PIECE)
		return 26;
	store_close(s);
	return 0;
}

/* Turns on a full file system: the last one is undone, and with room again the same store goes on.
 */
static int child_turns(const char *dir)
{
	AUTOFREE char *path = fs_join(dir, "turns.db"), *filler = fs_join(dir, "filler");
	AUTOFREE char *bytes = mem_alloc(512 << 10);
	struct err e = {0};
	struct store *s;
	int done = 0;

	if (own_mounts() || mount("none", dir, "tmpfs", 0, "size=2m"))
		return 77;
	s = store_open(path, false, &e);
	if (!s || fs_write(filler, bytes, 512 << 10, 0600, &e))
		return 31;
	while (done < 1000 && !turn_make(s, done + 1, &e))
		done++;
	if (done < 2 || done >= 1000 || !strstr(e.msg, "no room left on its disk"))
		return 32;
	if (store_turn_open(s) || turns_in(s) != done)
		return 33;
	/* What does not fit is told each time. */
	if (!turn_make(s, done + 1, &e) || turns_in(s) != done)
		return 34;
	unlink(filler);
	if (turn_make(s, done + 1, &e) || turns_in(s) != done + 1)
		return 35;
	store_close(s);
	s = store_open(path, true, &e);
	done = s && turns_in(s) == done + 1 ? 0 : 36;
	store_close(s);
	return done;
}

static int run_child(int (*fn)(const char *), const char *arg)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(fn(arg));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

int main(void)
{
	AUTOFREE char *limited = mem_strdup(storetest_path("limited.db"));
	AUTOFREE char *dir = mem_strdup(storetest_path("full"));
	struct err e = {0};
	struct store *s;
	int n, got;

	test_page_limit();
	is_int(run_child(child_file_limit, limited), 0, "a file that may not grow");
	s = store_open(limited, true, &e);
	n = s ? storetest_results(s, 1) : -1;
	ok(n > 0 && n % PIECE == 0, "all of it is there for the next process (%d)", n);
	store_close(s);
	fs_mkdirs(dir, 0755, NULL);
	got = run_child(child_file_system, dir);
	if (got == 77)
		printf("# no file system can be mounted here: the two ways above stand alone\n");
	else
		is_int(got, 0, "a file system that is full");
	got = run_child(child_turns, dir);
	if (got == 77)
		printf("# nor for turns: their way is SQLite's page limit, in test-turn\n");
	else
		is_int(got, 0, "turns on a file system that is full");
	storetest_done();
	return tap_done();
}
