/* SPDX-License-Identifier: MIT */
/* Any bytes as server-sent events: the same events in one piece and in pieces of one byte. */
#include "io/http-client.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void on_event(void *arg, const char *id, const char *name, const char *data)
{
	buf_printf(arg, "[%s|%s|%s]", id, name, data);
}

static int feed(const uint8_t *data, size_t n, size_t step, struct buf *out)
{
	struct sse s;
	int rc = 0;

	sse_init(&s);
	for (size_t i = 0; i < n && !rc; i += step)
		rc = sse_feed(&s, str_make((const char *)data + i, n - i < step ? n - i : step),
			on_event, out);
	sse_done(&s);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTOBUF one = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF many = BUF_INIT(BUF_CAP_BYTES);

	if (feed(data, n, n ? n : 1, &one) != feed(data, n, 1, &many) ||
		strcmp(buf_str(&one), buf_str(&many))) {
		fprintf(stderr, "fuzz-sse: %s\nor %s\n", buf_str(&one), buf_str(&many));
		abort();
	}
	return 0;
}
