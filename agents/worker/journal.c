/* SPDX-License-Identifier: MIT */
/*
 * Writes events.jsonl. Invariant: one event is one write(2) at the end of the file, so that a
 * reader, or a kill -9, at any moment finds whole lines in order and at most one cut one.
 */
#include "journal.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENT_BYTES ((size_t)128 << 10)
#define TAIL_BYTES  ((off_t)128 << 10)

/* Goes on where another process was killed: cuts a half line off and finds the last number. */
static int resume(struct journal *j, const char *path, struct err *e)
{
	AUTOBUF tail = BUF_INIT((size_t)TAIL_BYTES);
	struct stat st;
	struct str rest, line, last = {0};
	off_t from;

	if (fstat(j->fd, &st))
		return err_sys(e, BLAME_INFRA, errno, "cannot read '%s'", path);
	from = st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0;
	if (lseek(j->fd, from, SEEK_SET) < 0)
		return err_sys(e, BLAME_INFRA, errno, "cannot read '%s'", path);
	while (buf_read(&tail, j->fd, (size_t)TAIL_BYTES) > 0)
		;
	while (tail.len && tail.data[tail.len - 1] != '\n')
		tail.len--;
	if (from + (off_t)tail.len != st.st_size && ftruncate(j->fd, from + (off_t)tail.len))
		return err_sys(e, BLAME_INFRA, errno, "cannot cut '%s'", path);
	rest = str_make(buf_str(&tail), tail.len);
	while (str_line(&rest, &line))
		last = line;
	if (last.p) {
		json_t *event = json_loadb(last.p, last.n, 0, NULL);

		j->seq = (uint64_t)json_int(event, "seq", -1) + 1;
		j->start_ms = clock_ms() - json_int(event, "ms", 0) -
			      (clock_wall_ms() - json_int(event, "at", clock_wall_ms()));
		json_decref(event);
	}
	return 0;
}

int journal_open(struct journal *j, const char *dir, struct err *e)
{
	AUTOFREE char *path = fs_join(dir, "events.jsonl");

	*j = (struct journal){.dir = dir, .start_ms = clock_ms(), .start_wall_ms = clock_wall_ms()};
	j->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (j->fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "cannot open '%s'", path);
	if (resume(j, path, e)) {
		journal_close(j);
		return -1;
	}
	return 0;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
}

void journal_add(void *journal, json_t *event)
{
	struct journal *j = journal;
	AUTOBUF line = BUF_INIT(EVENT_BYTES);
	json_t *out;

	if (j->lost || j->fd < 0) {
		json_decref(event);
		return;
	}
	out = json_object();
	json_object_set_new(out, "seq", json_integer((json_int_t)j->seq));
	json_object_set_new(out, "at", json_integer(clock_wall_ms()));
	json_object_set_new(out, "ms", json_integer(clock_ms() - j->start_ms));
	json_object_update_missing(out, event);
	json_decref(event);
	if (json_write(out, JSON_COMPACT, &line, NULL) || buf_putc(&line, '\n')) {
		/* an event that cannot be written is told, not lost without a trace */
		buf_reset(&line);
		buf_printf(&line,
			"{\"seq\":%llu,\"at\":%lld,\"ms\":%lld,\"kind\":\"warn\","
			"\"text\":\"an event was too large to write\"}\n",
			(unsigned long long)j->seq, (long long)clock_wall_ms(),
			(long long)(clock_ms() - j->start_ms));
	}
	json_decref(out);
	j->seq++;
	if (fs_write_all(j->fd, line.data, line.len))
		j->lost = errno ? errno : EIO;
	else if (j->bell_fd)
		(void)!write(j->bell_fd, "", 1); /* who does not listen, or does not yet */
}

/* Length of the UTF-8 character at p, 0 when it is none (RFC 3629). */
static size_t utf8_length(const unsigned char *p)
{
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		return (p[1] & 0xc0) == 0x80 ? 2 : 0;
	if (p[0] >= 0xe0 && p[0] <= 0xef) {
		if ((p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
			return 0;
		if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))
			return 0;
		return 3;
	}
	if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		if ((p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80 || (p[3] & 0xc0) != 0x80)
			return 0;
		if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

char *journal_text(const char *bytes)
{
	char *out = mem_strdup(bytes);

	for (unsigned char *p = (unsigned char *)out; p && *p;) {
		size_t n = utf8_length(p);

		if (!n || (*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f)
			*p = '?';
		p += n ? n : 1;
	}
	return out;
}
