/* SPDX-License-Identifier: MIT */
/*
 * A plain main for the fuzzers: runs LLVMFuzzerTestOneInput over the files of the corpus that
 * belongs to the fuzzer (t/corpus/NAME beside fuzz-NAME.c), one TAP line a file. An empty or
 * missing corpus is a failure: a replay that replays nothing proves nothing.
 */
#include "base/err.h"
#include "base/fs.h"
#include "base/t/tap.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int main(int argc, char **argv)
{
	struct dirent **list = NULL;
	const char *data = getenv("HILAB_DATA"), *build = getenv("HILAB_BUILD");
	char dir[8192], self[4096];
	int n;

	(void)argc;
	/* argv[0] is BUILD/ROOM/t/fuzz-NAME.t: the corpus is DATA/ROOM/t/corpus/NAME. */
	snprintf(self, sizeof self, "%s", argv[0]);
	if (build && !strncmp(self, build, strlen(build)))
		memmove(self, self + strlen(build) + 1, strlen(self + strlen(build) + 1) + 1);
	else if (strstr(self, "build/") == self)
		memmove(self, strchr(self + 6, '/') + 1, strlen(strchr(self + 6, '/')));
	char *base = strrchr(self, '/');
	char *dot = strrchr(self, '.');

	if (!base || !dot || strncmp(base, "/fuzz-", 6))
		return printf("Bail out! '%s' is not a fuzzer's name\n", argv[0]), 1;
	*dot = *base = 0;
	snprintf(dir, sizeof dir, "%s/%s/corpus/%s", data ? data : ".", self, base + 6);
	n = scandir(dir, &list, NULL, by_name);
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);
		struct buf text = BUF_INIT(BUF_CAP_BYTES);
		struct err e = {0};

		if (list[i]->d_name[0] != '.') {
			if (fs_read(path, &text, &e)) {
				ok(false, "%s: %s", list[i]->d_name, e.msg);
			} else {
				LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&text), text.len);
				ok(true, "%s", list[i]->d_name);
			}
		}
		buf_done(&text);
		free(list[i]);
	}
	free(list);
	if (!tap_n)
		ok(false, "corpus '%s' has at least one file", dir);
	return tap_done();
}
