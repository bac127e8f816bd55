/* SPDX-License-Identifier: MIT */
/*
 * Workers that an agent before this one started, found by what they were started with. Nothing
 * that this or another agent wrote down is asked: there is no moment at which a worker runs and is
 * not found. Invariant: a process is taken hold of only when, once held, it still is that worker.
 */
#include "agents/agent-inner.h"

#include "base/fs.h"
#include "base/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <unistd.h>

#define CMDLINE_BYTES 8192

/* The folder that a process works in as "... worker [--release] DIR"; NULL: none. Points into
 * text. */
static const char *worked_in(pid_t pid, char *text, size_t room)
{
	char path[64];
	AUTOCLOSE int fd = -1;
	const char *words[4] = {0};
	size_t n = 0;
	ssize_t len;

	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, room - 1);
	if (len <= 0)
		return NULL;
	text[len] = 0;
	for (char *p = text; p < text + len && n < ARRAY_LEN(words); p += strlen(p) + 1)
		words[n++] = p;
	if (n < 3 || strcmp(words[1], "worker"))
		return NULL;
	return strcmp(words[2], "--release") ? words[2] : words[3];
}

void procs_scan(struct procs *p, const char *parent)
{
	DIR *d = opendir("/proc");
	size_t n = strlen(parent);
	struct dirent *entry;
	char text[CMDLINE_BYTES];

	while (d && (entry = readdir(d))) {
		pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
		const char *dir = pid > 1 ? worked_in(pid, text, sizeof text) : NULL;

		if (dir && !strncmp(dir, parent, n) && dir[n] == '/')
			map_set(&p->by_dir, dir, (void *)(intptr_t)pid);
	}
	if (d)
		closedir(d);
}

void procs_done(struct procs *p)
{
	map_done(&p->by_dir);
}

bool procs_take(const struct procs *p, const char *dir, struct child *c)
{
	pid_t pid = (pid_t)(intptr_t)map_find(&p->by_dir, dir);
	int fd = pid ? pidfd_open(pid, 0) : -1;
	char text[CMDLINE_BYTES];
	const char *still = fd < 0 ? NULL : worked_in(pid, text, sizeof text);

	if (!still || strcmp(still, dir)) {
		attr_close(&fd);
		return false;
	}
	*c = (struct child){.pid = pid, .pidfd = fd};
	return true;
}
