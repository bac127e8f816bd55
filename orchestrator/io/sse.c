/* SPDX-License-Identifier: MIT */
/*
 * Server-sent events out of bytes. Invariant: what is handed on does not depend on how the bytes
 * were cut into pieces; an event that was not ended is not handed on.
 */
#include "io/http-client.h"

#include <stdio.h>
#include <string.h>

void sse_init(struct sse *s)
{
	*s = (struct sse){.line = BUF_INIT(SSE_EVENT_BYTES), .data = BUF_INIT(SSE_EVENT_BYTES)};
}

void sse_done(struct sse *s)
{
	buf_done(&s->line);
	buf_done(&s->data);
}

static void dispatch(struct sse *s, sse_fn *fn, void *arg)
{
	/* An event without data is none. The id stays: it is the last one seen. */
	if (s->data.len) {
		s->data.data[--s->data.len] = 0;
		fn(arg, s->id, *s->name ? s->name : "message", s->data.data);
	}
	buf_reset(&s->data);
	*s->name = 0;
}

static int take_line(struct sse *s, sse_fn *fn, void *arg)
{
	const char *line = buf_str(&s->line), *colon = strchr(line, ':');
	struct str field = {line, colon ? (size_t)(colon - line) : s->line.len};
	const char *value = colon ? colon + 1 : "";

	if (!s->line.len) {
		dispatch(s, fn, arg);
		return 0;
	}
	value += *value == ' ';
	if (str_is(field, "data"))
		return buf_puts(&s->data, value) || buf_putc(&s->data, '\n') ? -1 : 0;
	if (str_is(field, "event"))
		snprintf(s->name, sizeof s->name, "%s", value);
	else if (str_is(field, "id"))
		snprintf(s->id, sizeof s->id, "%s", value);
	return 0; /* a comment, or a field that is nothing to us */
}

int sse_feed(struct sse *s, struct str bytes, sse_fn *fn, void *arg)
{
	for (size_t i = 0; i < bytes.n; i++) {
		char c = bytes.p[i];
		bool was_cr = s->cr;

		s->cr = c == '\r';
		if (c == '\n' && was_cr)
			continue; /* the other half of a line's end */
		if (c != '\n' && c != '\r') {
			if (buf_putc(&s->line, c))
				return -1;
			continue;
		}
		if (take_line(s, fn, arg))
			return -1;
		buf_reset(&s->line);
	}
	return 0;
}
