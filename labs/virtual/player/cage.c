/* SPDX-License-Identifier: MIT */
/*
 * A played board's view of files, by bind mounts that nobody else sees. Invariant: nothing of the
 * host is changed: every mount is in a namespace of the child's own, made private first.
 */
#include "labs/virtual/player/cage.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMP_OPTIONS "mode=755,size=256m"

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done;

	if (fd < 0)
		return;
	done = write(fd, text, strlen(text));
	(void)done; /* then the mounts after it fail, which is told */
	close(fd);
}

static int unshare_all(void)
{
	AUTOFREE char *uid = mem_printf("0 %u 1", geteuid()),
		      *gid = mem_printf("0 %u 1", getegid());

	if (unshare(CLONE_NEWNS | CLONE_NEWUTS) < 0) {
		/* who is not root is root in a user namespace of his own, where there may be one */
		if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS) < 0)
			return -1;
		put("/proc/self/setgroups", "deny");
		put("/proc/self/uid_map", uid);
		put("/proc/self/gid_map", gid);
	}
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* Has nothing come into a folder since mark was made? */
static bool is_older(const char *folder, const char *mark)
{
	struct stat a, b;

	return !stat(folder, &a) && !stat(mark, &b) &&
	       (a.st_mtim.tv_sec < b.st_mtim.tv_sec ||
		       (a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
			       a.st_mtim.tv_nsec < b.st_mtim.tv_nsec));
}

static int link_all(const char *folder, const char *host, const char *view)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int rv = dir ? 0 : -1;

	while (!rv && (entry = readdir(dir))) {
		AUTOFREE char *to = mem_printf("%s/%s", host, entry->d_name);
		AUTOFREE char *link = mem_printf("%s/%s", view, entry->d_name);

		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
			symlink(to, link) < 0 && errno != EEXIST)
			rv = -1;
	}
	if (dir)
		closedir(dir);
	return rv;
}

/*
 * /etc as a folder of links into the host's, so that files can be added to it: the links lead to
 * where the host's is bound before the folder takes its place. They are hundreds: only made where
 * the host's has changed since.
 */
static int make_etc(const char *root)
{
	AUTOFREE char *host = mem_printf("%s/.etc.host", root), *view = mem_printf("%s/.etc", root),
		      *mark = mem_printf("%s/.etc.made", root);

	mkdir(host, 0755);
	mkdir(view, 0755);
	if (mount("/etc", host, NULL, MS_BIND, NULL) < 0)
		return -1;
	if (!is_older("/etc", mark)) {
		close(open(mark, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
		if (link_all("/etc", host, view) < 0)
			unlink(mark);
	}
	return mount(view, "/etc", NULL, MS_BIND, NULL);
}

/* As on most boards: what is written there is in memory, and gone with the power. */
static int make_tmp(const char *root)
{
	AUTOFREE char *tmp = mem_printf("%s/tmp", root);

	mkdir(tmp, 0755);
	return mount("tmpfs", tmp, "tmpfs", MS_NOSUID | MS_NODEV, TMP_OPTIONS);
}

static bool is_in_etc(const char *path)
{
	return !strncmp(path, "/etc/", 5) && !strchr(path + 5, '/');
}

int cage_enter(const char *root, const char *const *files, const char *hostname)
{
	bool etc_made = false;

	if (unshare_all() < 0)
		return -1;
	if (hostname && sethostname(hostname, strlen(hostname)) < 0)
		return -1;
	if (make_tmp(root) < 0)
		return -1;
	for (const char *const *f = files; f && *f; f++) {
		AUTOFREE char *from = mem_printf("%s%s", root, *f);

		if (is_in_etc(*f) && access(*f, F_OK) < 0) {
			if (!etc_made && make_etc(root) < 0)
				return -1;
			etc_made = true;
			close(open(*f, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
		}
		/* one that cannot be there is simply not there, as without a cage */
		if (access(from, F_OK) == 0 && mount(from, *f, NULL, MS_BIND, NULL) < 0 &&
			errno != ENOENT)
			return -1;
	}
	return 0;
}
