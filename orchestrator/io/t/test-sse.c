/* SPDX-License-Identifier: MIT */
/* Server-sent events: the standard's cases, in pieces of every size. */
#include "io/http-client.h"

#include "base/t/tap.h"

#include <stdlib.h>

static struct buf trace = BUF_INIT(BUF_CAP_BYTES);

static void on_event(void *arg, const char *id, const char *name, const char *data)
{
	(void)arg;
	buf_printf(&trace, "[%s %s %s]", id, name, data);
}

static const char *feed(const char *text, size_t n, size_t step, int *rc)
{
	struct sse s;

	sse_init(&s);
	buf_reset(&trace);
	*rc = 0;
	for (size_t i = 0; i < n && !*rc; i += step)
		*rc = sse_feed(&s, str_make(text + i, n - i < step ? n - i : step), on_event, NULL);
	sse_done(&s);
	return buf_str(&trace);
}

static void same(const char *what, const char *text, size_t n, const char *want)
{
	int rc;

	for (size_t step = 1; step <= n; step++)
		if (strcmp(feed(text, n, step, &rc), want) || rc)
			break;
	is_str(buf_str(&trace), want, "%s", what);
}
#define SAME(what, text, want) same(what, text, sizeof(text) - 1, want)

int main(void)
{
	char *long_line = malloc(SSE_EVENT_BYTES + 100);
	int rc;

	SAME("lines of one event", "data: a\ndata: b\ndata\n\n", "[ message a\nb\n]");
	SAME("three line ends", "data:1\r\n\r\ndata:2\r\rdata:3\n\n",
		"[ message 1][ message 2][ message 3]");
	SAME("mixed line ends", "data:1\rdata:2\r\ndata:3\n\r\ndata:x", "[ message 1\n2\n3]");
	SAME("a name and an id", "event: job\nid: 7\ndata: {}\n\n", "[7 job {}]");
	SAME("the id stays, the name does not", "event: job\nid: 7\ndata: 1\n\ndata: 2\n\n",
		"[7 job 1][7 message 2]");
	SAME("an id alone", "id: 7\n\nid\ndata: 1\n\n", "[ message 1]");
	SAME("a comment, one space, other fields", ": hi\ndata:  a\nretry: 5\nfoo: bar\n\n",
		"[ message  a]");
	SAME("no data, no event", "event: job\n\ndata: 1\n\n", "[ message 1]");
	SAME("empty data", "data:\n\n", "[ message ]");
	SAME("an event without its end", "data: 1\n", "");
	SAME("a byte order mark",
		"\xef\xbb\xbf"
		"data: 1\n\n",
		"[ message 1]");
	SAME("an id with a 0",
		"id: 1\0"
		"2\ndata: 1\n\n",
		"[ message 1]");
	memset(long_line, 'x', SSE_EVENT_BYTES + 99);
	memcpy(long_line, "data:", 5);
	long_line[SSE_EVENT_BYTES + 99] = 0;
	feed(long_line, SSE_EVENT_BYTES + 99, 4096, &rc);
	is_int(rc, -1, "too long a line");
	for (size_t i = 0; i < SSE_EVENT_BYTES; i += 64)
		memcpy(long_line + i,
			"data:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", 64);
	feed(long_line, SSE_EVENT_BYTES, 4096, &rc);
	is_int(rc, 0, "an event that just fits");
	memset(long_line, 'i', 100);
	memcpy(long_line, "id:", 3);
	long_line[99] = '\n';
	feed(long_line, 100, 100, &rc);
	is_int(rc, -1, "too long an id");
	free(long_line);
	buf_done(&trace);
	return tap_done();
}
