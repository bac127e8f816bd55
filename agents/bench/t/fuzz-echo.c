/* SPDX-License-Identifier: MIT */
/*
 * What was typed, a NUL, what came back: never a crash, and what came back is an echo only if all
 * characters of the line stand in it in order.
 */
#include "agents/bench/echo.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *p = (const char *)data, *nul = n ? memchr(p, 0, n) : NULL;
	struct str want, got;
	size_t j = 0;

	if (!nul || nul - p > 512 || n > 4096)
		return 0;
	want = str_make(p, (size_t)(nul - p));
	got = str_make(nul + 1, n - want.n - 1);
	if (echo_compare(want, got) != ECHO_SAME)
		return 0;
	for (size_t i = 0; i < got.n && j < want.n; i++)
		j += got.p[i] == want.p[j];
	if (j < want.n)
		abort();
	return 0;
}
