/* SPDX-License-Identifier: MIT */
/* tool-import STORE DIR...: job folders into a store, for shell tests. Prints each run's number. */
#include "store/store.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct err e = {0};
	struct store *s = argc > 1 ? store_open(argv[1], false, &e) : NULL;
	int failed = s == NULL;

	for (int i = 2; s && i < argc && !failed; i++) {
		int64_t run;

		failed = store_import(s, argv[i], &run, &e);
		if (!failed)
			printf("%lld\n", (long long)run);
	}
	if (failed)
		fprintf(stderr, "tool-import: %s\n", e.msg);
	store_close(s);
	return failed != 0;
}
