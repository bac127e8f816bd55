/* SPDX-License-Identifier: MIT */
/*
 * The agent's side of a job folder's inbox. Invariant: each n stands in the file at most once, in
 * rising order and as one whole line, also after an agent that was killed while it wrote one.
 */
#include "inbox.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL_BYTES (2 * INBOX_LINE_BYTES) /* one whole line and one cut one */

struct tail {
	struct buf bytes;
	off_t from;       /* of bytes in the file */
	int64_t last;     /* n of the last whole line; 0: none */
	size_t whole_len; /* of bytes: the rest is a line that was cut off */
};

static int read_tail(int fd, struct tail *t)
{
	struct str rest, line, last = {0};
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	t->from = st.st_size > (off_t)TAIL_BYTES ? st.st_size - (off_t)TAIL_BYTES : 0;
	if (lseek(fd, t->from, SEEK_SET) < 0)
		return -1;
	while (buf_read(&t->bytes, fd, TAIL_BYTES) > 0)
		;
	t->whole_len = t->bytes.len;
	while (t->whole_len && t->bytes.data[t->whole_len - 1] != '\n')
		t->whole_len--;
	rest = str_make(buf_str(&t->bytes), t->whole_len);
	while (str_line(&rest, &line))
		last = line;
	if (last.p) {
		AUTOJSON *j = json_loadb(last.p, last.n, 0, NULL);

		t->last = json_int(j, "n", 0);
	}
	return 0;
}

/* Behind what a killed agent had written of the very same line, or in place of it. */
static int add_line(int fd, struct tail *t, const struct buf *line)
{
	size_t cut = t->bytes.len - t->whole_len;

	if (cut && (cut > line->len ||
			   memcmp(buf_str(&t->bytes) + t->whole_len, buf_str(line), cut))) {
		if (ftruncate(fd, t->from + (off_t)t->whole_len))
			return -1;
		cut = 0;
	}
	return fs_write_all(fd, buf_str(line) + cut, line->len - cut);
}

int inbox_append(const char *dir, const json_t *line, struct err *e)
{
	AUTOFREE char *path = fs_join(dir, INBOX_FILE);
	AUTOCLOSE int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct tail t = {.bytes = BUF_INIT(TAIL_BYTES)};
	AUTOBUF text = BUF_INIT(INBOX_LINE_BYTES);
	int64_t n = json_int(line, "n", 0);
	int rc = 0;

	if (n < 1)
		return err_set(e, BLAME_BUG, "inbox of '%s': a line without its number", dir);
	if (json_write(line, JSON_COMPACT, &text, e) || buf_putc(&text, '\n'))
		return err_set(e, BLAME_JOB, "inbox of '%s': a line is too long", dir);
	if (fd < 0 || read_tail(fd, &t))
		rc = err_sys(e, BLAME_INFRA, errno, "cannot open '%s'", path);
	else if (n > t.last && add_line(fd, &t, &text))
		rc = err_sys(e, BLAME_INFRA, errno, "cannot write '%s'", path);
	buf_done(&t.bytes);
	return rc;
}

int64_t inbox_last(const char *dir)
{
	AUTOFREE char *path = fs_join(dir, INBOX_FILE);
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct tail t = {.bytes = BUF_INIT(TAIL_BYTES)};

	if (fd >= 0)
		(void)!read_tail(fd, &t);
	buf_done(&t.bytes);
	return t.last;
}
