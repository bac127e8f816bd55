/* SPDX-License-Identifier: MIT */
/* Files and names, in a folder of our own. */
#include "base/fs.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/hilab-fs-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *p = path[next++ % 4];

	snprintf(p, 256, "%s/%s", dir, name);
	return p;
}

static int count(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}

static void whole(void)
{
	struct buf text = BUF_INIT(5);
	struct err e = {0};
	struct stat st;

	is_int(fs_write(in_dir("f"), "hello", 5, 0640, &e), 0, "written");
	ok(!stat(in_dir("f"), &st) && (st.st_mode & 07777) == 0640, "with its mode");
	is_int(count(dir), 1, "and nothing beside it");
	is_int(fs_read(in_dir("f"), &text, &e), 0, "read, to the brim of the buffer");
	is_str(buf_str(&text), "hello", "the same");
	ok(!text.overflow, "no overflow");
	is_int(fs_write(in_dir("f"), "more\n", 5, 0640, &e), 0, "replaced");
	is_int(fs_read(in_dir("f"), &text, &e), -1, "no room left");
	has_str(e.msg, "larger than", "says so");
	is_str(buf_str(&text), "hello", "nothing came");
	buf_reset(&text);
	is_int(fs_read("/dev/zero", &text, &e), -1, "no end");
	has_str(e.msg, "read '/dev/zero': larger than 5 bytes", "says so");
	buf_done(&text);
	is_int(fs_read(in_dir("none"), &text, &e), -1, "no file");
	is_int(e.sys, ENOENT, "says so");
	has_str(e.msg, in_dir("none"), "names it");
	is_int(fs_read(dir, &text, &e), -1, "a folder");
	has_str(e.msg, "it is a folder", "says so");
	is_int(fs_write(in_dir("no/such"), "x", 1, 0600, &e), -1, "no folder to write to");
	has_str(e.msg, in_dir("no/such"), "names the file");
	is_int(fs_mkdirs(in_dir("taken"), 0755, &e), 0, "a folder in the way");
	is_int(fs_write(in_dir("taken"), "x", 1, 0600, &e), -1, "is not replaced");
	is_int(count(dir), 2, "and nothing is left beside it");
	buf_done(&text);
	/* The disk is full at the first byte. */
	is_int(fs_write_all(open("/dev/full", O_WRONLY | O_CLOEXEC), "x", 1), -1, "no space");
	is_int(errno, ENOSPC, "says so");
}

static void trees(void)
{
	struct err e = {0};
	struct buf text = BUF_INIT(BUF_CAP_BYTES);

	is_int(fs_mkdirs(in_dir("a/b//c/"), 0755, &e), 0, "folders");
	is_int(fs_mkdirs(in_dir("a/b/c"), 0755, &e), 0, "that are there");
	ok(fs_is_dir(in_dir("a/b/c")), "there");
	is_int(fs_write(in_dir("a/file"), "x", 1, 0600, &e), 0, "a file");
	is_int(fs_mkdirs(in_dir("a/file"), 0755, &e), -1, "in the way");
	has_str(e.msg, "a file is in its place", "says so");
	is_int(fs_mkdirs(in_dir("a/file/d"), 0755, &e), -1, "above the way");
	ok(!fs_is_dir(in_dir("a/file")) && fs_exists(in_dir("a/file")), "a file is no folder");
	is_int(fs_copy(in_dir("a/file"), in_dir("a/b/copy"), &e), 0, "copied");
	is_int(fs_read(in_dir("a/b/copy"), &text, &e), 0, "read");
	is_str(buf_str(&text), "x", "the same");
	is_int(fs_copy(in_dir("a/none"), in_dir("a/b/copy"), &e), -1, "nothing to copy");
	has_str(e.msg, in_dir("a/none"), "names it");
	is_int(fs_copy(in_dir("a/file"), in_dir("none/copy"), &e), -1, "no place to copy to");
	has_str(e.msg, in_dir("none/copy"), "names it");
	is_int(fs_copy("/proc/self/stat", in_dir("stat"), &e), 0, "a file without a size");
	buf_reset(&text);
	ok(!fs_read(in_dir("stat"), &text, &e) && text.len > 10, "is copied");

	is_int(fs_mkdirs(in_dir("keep"), 0755, &e), 0, "another folder");
	is_int(fs_write(in_dir("keep/f"), "x", 1, 0600, &e), 0, "with a file");
	ok(!symlink(in_dir("keep"), in_dir("a/link")), "and a link to it");
	is_int(fs_sync_tree(in_dir("a")), 0, "all on the disk");
	is_int(fs_sync_tree(in_dir("absent")), -1, "what is not there cannot be");
	is_int(fs_remove_tree(in_dir("a"), &e), 0, "all removed");
	ok(!fs_exists(in_dir("a")), "is gone");
	ok(fs_exists(in_dir("keep/f")), "what a link led to is not");
	is_int(fs_remove_tree(in_dir("a"), &e), 0, "what is not there is fine");
	buf_done(&text);
}

#define is_name(call, want, name)                                                                  \
	do {                                                                                       \
		AUTOFREE char *made = (call);                                                      \
		is_str(made, want, name);                                                          \
	} while (0)

static void names(void)
{
	is_name(fs_join("a", "b"), "a/b", "joined");
	is_name(fs_join("a/", "b"), "a/b", "with one slash");
	is_name(fs_join("", "b"), "b", "to nothing");
	is_name(fs_join("a", "/b"), "/b", "an absolute name");
	is_name(fs_dirname("a/b"), "a", "a folder");
	is_name(fs_dirname("b"), ".", "no folder");
	is_name(fs_dirname("/b"), "/", "the root");
	is_str(fs_basename("a/b"), "b", "a name");
	is_str(fs_basename("b"), "b", "a name alone");
	is_name(fs_beside("dir/lab.yaml", "x"), "dir/x", "beside a file");
	is_name(fs_beside("lab.yaml", "x"), "x", "beside a file here");
	is_name(fs_beside("dir/lab.yaml", "/x"), "/x", "absolute");
	is_name(fs_beside(NULL, "x"), "x", "beside none");
	is_name(fs_absolute("/x/y"), "/x/y", "absolute stays");
	ok(!chdir("/"), "at the root");
	is_name(fs_absolute("./x"), "/x", "made absolute");
	setenv("XDG_STATE_HOME", "/s", 1);
	is_name(fs_state_dir(), "/s/hilab", "state");
	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("HOME", "/home/x", 1);
	is_name(fs_state_dir(), "/home/x/.local/state/hilab", "a relative one does not count");
	unsetenv("XDG_CONFIG_HOME");
	is_name(fs_config_dir(), "/home/x/.config/hilab", "configuration");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	is_name(fs_cache_dir(), "/.cache/hilab", "without a home");
	setenv("HILAB_RUN_DIR", "/r", 1);
	is_name(fs_run_dir(), "/r", "where locks are");
	unsetenv("HILAB_RUN_DIR");
	setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
	is_name(fs_run_dir(), "/run/lock", "the system's, which all users share");
	unsetenv("XDG_RUNTIME_DIR");
	setenv("HILAB_DATA", "/d", 1);
	is_name(fs_data_path("x/y"), "/d/x/y", "data");
}

static void times(void)
{
	char iso[CLOCK_ISO_BYTES];
	int64_t a = clock_us(), b = clock_us();

	ok(b >= a, "time goes on");
	ok(clock_wall_ms() > 1700000000000, "the wall clock is set");
	is_str(clock_iso(1000000000123, iso, sizeof iso), "2001-09-09T01:46:40.123Z", "a moment");
	is_str(clock_iso(0, iso, sizeof iso), "1970-01-01T00:00:00.000Z", "the first");
	is_str(clock_iso(-1, iso, sizeof iso), "1969-12-31T23:59:59.999Z", "one before");
}

int main(void)
{
	struct err e = {0};

	umask(022);
	if (!ok(mkdtemp(dir) != NULL, "a folder of our own"))
		return tap_done();
	whole();
	trees();
	is_int(fs_remove_tree(dir, &e), 0, "cleared away");
	names();
	times();
	return tap_done();
}
