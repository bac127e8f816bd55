/* SPDX-License-Identifier: MIT */
/* Buffers with caps. */
#include "base/buf.h"

#include "base/t/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	struct buf b = BUF_INIT(10), none = BUF_INIT(0);
	int p[2];
	char *s;

	is_str(buf_str(&b), "", "empty");
	is_int(buf_puts(&b, "hello"), 0, "added");
	is_int(buf_putc(&b, 0), 0, "a NUL");
	is_int(b.len, 6, "counts");
	is_int(buf_printf(&b, "%d", 1234), 0, "printed");
	is_int(b.len, 10, "to the brim");
	ok(!memcmp(b.data, "hello\0001234", 11), "with a NUL behind");
	ok(!b.overflow, "no overflow yet");
	is_int(buf_putc(&b, 'x'), -1, "one too many");
	is_int(buf_printf(&b, "x"), -1, "printed too many");
	ok(b.overflow && b.len == 10, "is refused and remembered");
	buf_eat(&b, 6);
	is_str(buf_str(&b), "1234", "eaten");
	buf_eat(&b, 0);
	ok(b.overflow, "overflow stays");
	is_int(buf_add(&b, "abcdefg", 7), -1, "all or nothing");
	is_str(buf_str(&b), "1234", "nothing");
	buf_eat(&b, 4);
	is_str(buf_str(&b), "", "all eaten");
	buf_reset(&b);
	ok(!b.overflow, "reset");
	is_int(buf_add(&b, NULL, 0), 0, "nothing added");
	s = buf_take(&b);
	is_str(s, "", "taken");
	free(s);
	s = buf_take(&b);
	is_str(s, "", "taken while empty");
	free(s);
	is_int(b.cap, 10, "the cap stays");

	ok(!pipe2(p, O_CLOEXEC | O_NONBLOCK), "a pipe");
	ok(write(p[1], "0123456789ab", 12) == 12, "twelve bytes");
	is_int(buf_read(&b, p[0], 4), 4, "read some");
	is_int(buf_read(&b, p[0], 100), 6, "up to the cap");
	is_str(buf_str(&b), "0123456789", "in order");
	is_int(buf_read(&b, p[0], 1), -1, "no room");
	is_int(errno, ENOBUFS, "says so");
	buf_reset(&b);
	is_int(buf_read(&b, p[0], 100), 2, "the rest");
	is_int(buf_read(&b, p[0], 100), -1, "nothing now");
	is_int(errno, EAGAIN, "says so");
	is_str(buf_str(&b), "ab", "what was there stays");
	close(p[1]);
	is_int(buf_read(&b, p[0], 100), 0, "the end");
	close(p[0]);
	buf_done(&b);
	is_int(b.cap, 10, "the cap stays");

	is_int(buf_add(&none, NULL, 0), 0, "nothing into no room");
	is_int(buf_putc(&none, 'x'), -1, "something is refused");
	is_str(buf_str(&none), "", "and nothing is in it");
	buf_done(&none);

	struct buf big = BUF_INIT(BUF_CAP_BYTES);

	for (int i = 0; i < 100000; i++)
		buf_printf(&big, "%05d", i);
	ok(big.len == 500000 && !memcmp(big.data + 499995, "99999", 6), "grows");
	buf_done(&big);
	return tap_done();
}
