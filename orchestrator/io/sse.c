/* SPDX-License-Identifier: MIT */
/*
 * Server-sent events out of bytes. Invariant: however the bytes are cut into pieces, the events are
 * the same.
 */
#include "io/http-client.h"

#include <string.h>

static const char BOM[] = "\xef\xbb\xbf";

void sse_init(struct sse *s)
{
	*s = (struct sse){.line = BUF_INIT(SSE_EVENT_BYTES), .data = BUF_INIT(SSE_EVENT_BYTES)};
}

void sse_done(struct sse *s)
{
	buf_done(&s->line);
	buf_done(&s->data);
}

/* Text that does not fit into out is one that nobody of ours sends. */
static int keep(char *out, size_t n, struct str value)
{
	if (value.n >= n)
		return -1;
	memcpy(out, value.p, value.n);
	out[value.n] = 0;
	return 0;
}

static int dispatch(struct sse *s, sse_fn *fn, void *arg)
{
	if (s->data.len) {
		s->data.data[--s->data.len] = 0; /* the last line's end */
		fn(arg, s->id, *s->name ? s->name : "message", s->data.data);
	}
	buf_reset(&s->data);
	*s->name = 0;
	return 0;
}

static int on_line(struct sse *s, struct str line, sse_fn *fn, void *arg)
{
	ptrdiff_t colon = str_chr(line, ':');
	struct str name = line, value = {"", 0};

	if (!line.n)
		return dispatch(s, fn, arg);
	if (colon >= 0) {
		name.n = (size_t)colon;
		value = str_make(line.p + colon + 1, line.n - name.n - 1);
		if (str_starts(value, " "))
			value = str_make(value.p + 1, value.n - 1);
	}
	if (str_is(name, "data"))
		return buf_add(&s->data, value.p, value.n) || buf_putc(&s->data, '\n') ? -1 : 0;
	if (str_is(name, "event"))
		return keep(s->name, sizeof s->name, value);
	if (str_is(name, "id") && !memchr(value.p, 0, value.n))
		return keep(s->id, sizeof s->id, value);
	return 0;
}

static int end_line(struct sse *s, sse_fn *fn, void *arg)
{
	struct str line = str_make(buf_str(&s->line), s->line.len);
	int rc;

	if (!s->begun && str_starts(line, BOM))
		line = str_make(line.p + 3, line.n - 3);
	s->begun = true;
	rc = on_line(s, line, fn, arg);
	buf_reset(&s->line);
	return rc;
}

int sse_feed(struct sse *s, struct str bytes, sse_fn *fn, void *arg)
{
	for (size_t i = 0; i < bytes.n;) {
		size_t n = i;

		if (s->cr && bytes.p[i] == '\n') {
			s->cr = false;
			i++;
			continue;
		}
		s->cr = false;
		while (n < bytes.n && bytes.p[n] != '\n' && bytes.p[n] != '\r')
			n++;
		if (buf_add(&s->line, bytes.p + i, n - i))
			return -1;
		if (n == bytes.n)
			break;
		s->cr = bytes.p[n] == '\r';
		i = n + 1;
		if (end_line(s, fn, arg))
			return -1;
	}
	return 0;
}
