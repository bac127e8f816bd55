/* SPDX-License-Identifier: MIT */
/* Any console bytes through the frame decoder, cut in two reads at a place of their own. */
#include "agents/worker/frame.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void on_frame(void *arg, const struct frame *f)
{
	AUTOBUF text = BUF_INIT(8192);
	const char *fields[FRAME_FIELDS];

	(void)arg;
	if (!frame_fields(f->payload, &text, fields) || !f->kind[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct frames *fs = frames_new("k3f9x2", on_frame, NULL);
	size_t cut = n ? data[0] % n : 0;

	frames_feed(fs, str_make((const char *)data, cut));
	frames_feed(fs, str_make((const char *)data + cut, n - cut));
	frames_free(fs);
	return 0;
}
