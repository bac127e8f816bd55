/* SPDX-License-Identifier: MIT */
#ifndef VIRTUAL_T_HOST_H
#define VIRTUAL_T_HOST_H

/*
 * The host's side of a serial port, for tests: opens it, types, waits for a text. Waits end with
 * what is waited for; the limit is only there so that a broken test ends.
 */

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "labs/virtual/vlab.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOST_LIMIT_MS 60000

struct host {
	int fd;
	struct buf got;  /* what the last host_until saw, up to its text */
	struct buf next; /* read behind it */
	size_t biggest;  /* read so far, in bytes */
};

__attribute__((unused)) static void host_open_port(
	struct host *h, const char *dir, const char *name)
{
	char path[512];

	snprintf(path, sizeof path, "%s%s%s", dir ? dir : "", dir ? "/" : "", name);
	*h = (struct host){.fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
	if (h->fd < 0 && errno == ENXIO) { /* a socket */
		char *folder = fs_dirname(path);

		h->fd = vlab_connect(folder, fs_basename(path), NULL);
		free(folder);
	}
	buf_init(&h->got, BUF_CAP_BYTES);
	buf_init(&h->next, BUF_CAP_BYTES);
}

__attribute__((unused)) static void host_close_port(struct host *h)
{
	if (h->fd >= 0)
		close(h->fd);
	buf_done(&h->got);
	buf_done(&h->next);
}

__attribute__((unused)) static void host_send(struct host *h, const void *bytes, size_t n)
{
	if (write(h->fd, bytes, n) != (ssize_t)n)
		printf("# cannot write to the port: %s\n", strerror(errno));
}

__attribute__((unused)) static void host_type(struct host *h, const char *text)
{
	host_send(h, text, strlen(text));
}

/* Reads until text came: `got` is then everything up to its end. */
__attribute__((unused)) static bool host_until(struct host *h, const char *text)
{
	static char bytes[1 << 17];
	int64_t until_ms = clock_ms() + HOST_LIMIT_MS;
	char *at;

	buf_reset(&h->got);
	for (;;) {
		struct pollfd p = {.fd = h->fd, .events = POLLIN};
		ssize_t n;

		at = h->next.len ? memmem(h->next.data, h->next.len, text, strlen(text)) : NULL;
		if (at) {
			size_t end = (size_t)(at - h->next.data) + strlen(text);

			buf_add(&h->got, h->next.data, end);
			buf_eat(&h->next, end);
			return true;
		}
		if (clock_ms() > until_ms || poll(&p, 1, HOST_LIMIT_MS) <= 0 ||
			(n = read(h->fd, bytes, sizeof bytes)) <= 0) {
			printf("# no '%s' in: %s\n", text, buf_str(&h->next));
			return false;
		}
		if ((size_t)n > h->biggest)
			h->biggest = (size_t)n;
		buf_add(&h->next, bytes, (size_t)n);
	}
}

/* Until the port hangs up. */
__attribute__((unused)) static bool host_gone(struct host *h)
{
	struct pollfd p = {.fd = h->fd};

	return poll(&p, 1, HOST_LIMIT_MS) > 0 && p.revents & POLLHUP;
}

#endif
