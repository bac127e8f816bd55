/* SPDX-License-Identifier: MIT */
/* The cache of images: what is taken from it, what a prune takes away and what it leaves. */
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "builds/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 6
#define BYTES 1000

static char dir[] = "/tmp/hilab-cache-XXXXXX";
static char hex[FILES][DIGEST_HEX_BYTES];

static char *path_of(int i, const char *suffix)
{
	return mem_printf("%s/%s%s", dir, hex[i], suffix);
}

/* FILES files, the first the longest not used. */
static void fill(void)
{
	for (int i = 0; i < FILES; i++) {
		AUTOFREE char *path = NULL;
		const struct timespec used[2] = {{1000 + i, 0}, {1000 + i, 0}};
		char body[BYTES];

		memset(body, 'a' + i, sizeof body);
		digest_sha256(body, sizeof body, hex[i]);
		path = path_of(i, "");
		if (fs_write(path, body, sizeof body, 0644, NULL) ||
			utimensat(AT_FDCWD, path, used, 0))
			abort();
	}
}

/* "012.45": which of the files are there. */
static const char *left(void)
{
	static char text[FILES + 1];

	for (int i = 0; i < FILES; i++) {
		AUTOFREE char *path = path_of(i, "");

		text[i] = fs_exists(path) ? (char)('0' + i) : '.';
	}
	return text;
}

static void prune(void)
{
	struct map keep = {0};
	struct cache_pruned p = {0};
	struct err e = {0};

	fill();
	ok(!cache_prune(dir, FILES * BYTES, &keep, &p, &e), "nothing over the limit: %s", e.msg);
	is_str(left(), "012345", "nothing goes");
	is_int(p.left_bytes, FILES * BYTES, "all is counted");
	ok(!cache_prune(dir, FILES * BYTES - 1, &keep, &p, &e), "one byte over");
	is_str(left(), ".12345", "the longest not used goes");
	is_int(p.freed_bytes, BYTES, "its bytes are counted");
	map_set(&keep, hex[1], &keep);
	ok(!cache_prune(dir, 3 * BYTES, &keep, &p, &e), "with one to be kept");
	is_str(left(), ".1..45", "that stays, the next ones go");
	ok(!cache_prune(dir, 0, &keep, &p, &e), "down to nothing");
	is_str(left(), ".1....", "but for what is kept");
	is_int((long long)p.kept, 1, "which is told");
	is_int(p.left_bytes, BYTES, "with what is left");
	map_done(&keep);
}

static void used(void)
{
	struct map keep = {0};
	struct cache_pruned p = {0};
	struct cache_hold hold = {0};
	char *path = NULL;
	int go[2], status;
	char c;
	pid_t pid;

	fill();
	ok(!cache_take(dir, hex[2], NULL, &path), "a file is used");
	free(path);
	cache_prune(dir, BYTES, &keep, &p, NULL);
	is_str(left(), "..2...", "so it goes last");
	fill();
	ok(!cache_take(dir, hex[0], &hold, &path), "a file is held");
	free(path);
	cache_prune(dir, 0, &keep, &p, NULL);
	is_str(left(), "0.....", "so it stays");
	is_int((long long)p.in_use, 1, "and that is told");
	cache_hold_done(&hold);
	cache_prune(dir, 0, &keep, &p, NULL);
	is_str(left(), "......", "until it is let go");
	fill();
	if (pipe(go))
		abort();
	pid = fork();
	if (!pid) {
		cache_take(dir, hex[3], &hold, &path);
		if (write(go[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	ok(read(go[0], &c, 1) == 1, "another process holds one");
	cache_prune(dir, 0, &keep, &p, NULL);
	is_str(left(), "...3..", "it stays, too");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	cache_prune(dir, 0, &keep, &p, NULL);
	is_str(left(), "......", "killed: its lock went with it");
	close(go[0]), close(go[1]);
}

static void damaged(void)
{
	AUTOFREE char *file = NULL, *folder = NULL, *link = NULL;
	char *path = NULL;

	fill();
	file = path_of(0, ""), folder = path_of(1, ""), link = path_of(2, "");
	fs_write(file, "x", 1, 0644, NULL);
	is_int(cache_take(dir, hex[0], NULL, &path), 1, "a damaged file is not taken");
	unlink(folder);
	mkdir(folder, 0755);
	is_int(cache_take(dir, hex[1], NULL, &path), 1, "nor a folder");
	unlink(link);
	ok(!symlink(file, link), "a link in the place of a file");
	is_int(cache_take(dir, hex[2], NULL, &path), 1, "is not followed");
	is_str(path, NULL, "the path stays untouched");
	rmdir(folder);
	unlink(link);
}

static void others(void)
{
	AUTOFREE char *part = NULL, *busy = NULL, *note = fs_join(dir, "README"), *made = NULL,
		      *gone = NULL;
	struct map keep = {0};
	struct cache_pruned p = {0};
	struct err e = {0};
	char to[DIGEST_HEX_BYTES];
	struct stat st;
	int fd;

	fill();
	part = path_of(0, ".part"), busy = path_of(1, ".part");
	gone = path_of(3, ".unpacked");
	fs_write(part, "x", 1, 0644, NULL);
	fs_write(note, "x", 1, 0644, NULL);
	ok(!cache_set_unpacked(dir, hex[4], hex[5], &e), "what a file unpacks to: %s", e.msg);
	ok(!cache_set_unpacked(dir, hex[3], hex[2], &e), "and another");
	ok(cache_unpacked(dir, hex[4], to) && !strcmp(to, hex[5]), "is known");
	ok(!cache_unpacked(dir, hex[0], to), "of one that was not unpacked it is not");
	fd = cache_lock(dir, hex[1], ".part", &made, &e);
	ok(fd >= 0, "a download is on its way %s", e.msg);
	is_str(made, busy, "under its name");
	map_set(&keep, hex[4], &keep);
	ok(!cache_prune(dir, 0, &keep, &p, &e), "a prune: %s", e.msg);
	is_str(left(), "....45", "keeps what a kept file unpacks to");
	ok(!fs_exists(part) && fs_exists(busy), "a download stays only while somebody fetches");
	ok(fs_exists(note), "what is not ours stays");
	ok(lstat(gone, &st), "a link to what is gone goes");
	ok(cache_unpacked(dir, hex[4], to), "others stay");
	close(fd);
	unlink(busy), unlink(note);
	map_done(&keep);
	ok(!cache_prune("/nonexistent/folder", 0, &keep, &p, &e) && !p.left, "no folder, no files");
}

/* A waiting process gets a lock on a name, never on a file that was removed meanwhile. */
static void removed_while_waiting(void)
{
	AUTOFREE char *path = NULL;
	struct stat a, b;
	int fd = cache_lock(dir, hex[0], ".part", &path, NULL), status = -1;
	pid_t pid = fork();

	if (!pid) {
		AUTOFREE char *mine = NULL;
		int got;

		close(fd); /* the lock is the parent's */
		got = cache_lock(dir, hex[0], ".part", &mine, NULL);
		_exit(fstat(got, &a) || stat(mine, &b) || a.st_ino != b.st_ino);
	}
	unlink(path);
	close(fd);
	ok(waitpid(pid, &status, 0) == pid && !status, "a lock is on the file of that name");
}

static void limit(void)
{
	int64_t max = 0;
	struct err e = {0};

	unsetenv("HILAB_CACHE_MAX");
	ok(!cache_limit(&max, &e) && max == CACHE_MAX_BYTES, "the preset limit");
	setenv("HILAB_CACHE_MAX", "2GiB", 1);
	ok(!cache_limit(&max, &e) && max == (int64_t)2 << 30, "another");
	setenv("HILAB_CACHE_MAX", "much", 1);
	is_int(cache_limit(&max, &e), -1, "one that is no size: %s", e.msg);
	is_int(e.blame, BLAME_CONFIG, "is the configuration's");
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	prune();
	used();
	damaged();
	others();
	removed_while_waiting();
	limit();
	ok(!fs_remove_tree(dir, NULL), "tidied up");
	return tap_done();
}
