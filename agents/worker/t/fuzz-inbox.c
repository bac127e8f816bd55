/* SPDX-License-Identifier: MIT */
/* Any bytes as an inbox, all at once or as they might be appended: the same lines come out, their
 * numbers rise, and it ends. */
#include "agents/worker/inbox.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct taken {
	uint64_t lines, damaged, sum;
};

static void take(struct inbox *in, struct taken *t)
{
	int64_t last = in->last;

	for (;;) {
		AUTOJSON *line = NULL;
		struct err e = {0};
		int r = inbox_next(in, &line, &e);

		if (!r)
			return;
		if (r < 0) {
			if (e.blame != BLAME_BUG)
				abort();
			t->damaged++;
			continue;
		}
		if (json_int(line, "n", 0) <= last || in->last != json_int(line, "n", 0))
			abort();
		last = in->last;
		t->lines++;
		t->sum = t->sum * 31 + (uint64_t)last + strlen(json_text(line, "kind", NULL));
	}
}

static struct taken read_inbox(const char *dir, const uint8_t *data, size_t n, size_t piece)
{
	AUTOFREE char *path = fs_join(dir, INBOX_FILE);
	struct taken t = {0};
	struct inbox in;
	int fd;

	unlink(path);
	if (inbox_open(&in, dir, NULL))
		abort();
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	for (size_t at = 0; at < n; at += piece) {
		size_t part = n - at < piece ? n - at : piece;

		if (write(fd, data + at, part) != (ssize_t)part)
			abort();
		take(&in, &t);
	}
	close(fd);
	inbox_close(&in);
	return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char dir[] = "/tmp/hilab-fuzz-inbox-XXXXXX";
	struct taken whole, pieces;

	if (!mkdtemp(dir))
		abort();
	whole = read_inbox(dir, data, n, n + 1);
	pieces = read_inbox(dir, data, n, n ? 1 + data[0] : 1);
	(void)fs_remove_tree(dir, NULL);
	if (whole.lines != pieces.lines || whole.damaged != pieces.damaged ||
		whole.sum != pieces.sum)
		abort();
	return 0;
}
