/* SPDX-License-Identifier: MIT */
/*
 * Any bytes through the matcher, whole and cut in two at a place of their own: the same matches,
 * and raw offsets that lie in the stream and in order.
 */
#include "agents/bench/expect.h"

#include <stdlib.h>
#include <string.h>

#define FOUND 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct pattern *patterns[3];

struct found {
	uint64_t start, end;
	int which;
};

static size_t play(const char *p, size_t n, size_t cut, struct found *out)
{
	struct expect *x = expect_new();
	struct expect_match m;
	size_t k = 0;

	for (int half = 0; half < 2; half++) {
		expect_feed(x, half ? str_make(p + cut, n - cut) : str_make(p, cut));
		while (k < FOUND && expect_search(x, patterns, 3, &m) == 1) {
			if (m.raw_start > m.raw_end || m.raw_end > (half ? n : cut))
				abort();
			out[k++] = (struct found){m.raw_start, m.raw_end, m.which};
		}
	}
	expect_skip(x);
	if (expect_pending(x).n)
		abort();
	expect_free(x);
	return k;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const texts[] = {"ab# ", "^login:", "X[^Y]{1,4}Y"};
	struct found a[FOUND], b[FOUND];
	const char *p = (const char *)data;
	size_t k;

	if (!n)
		return 0;
	memset(a, 0, sizeof a);
	memset(b, 0, sizeof b);
	for (size_t i = 0; i < 3; i++)
		if (!patterns[i])
			patterns[i] = pattern_new(texts[i], NULL);
	k = play(p + 1, n - 1, n - 1, a);
	if (play(p + 1, n - 1, data[0] % n, b) != k || memcmp(a, b, k * sizeof *a))
		abort();
	return 0;
}
