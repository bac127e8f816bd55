/* SPDX-License-Identifier: MIT */
/*
 * How fast the matcher looks through console text that matches nothing: `tool-expect-speed
 * [MIB]` prints one line per kind of text, size of reads and number of patterns.
 */
#include "agents/bench/expect.h"
#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const patterns[] = {"root@am62a:~# ",
	"login: ", "Kernel panic - not syncing: .*", "Unable to handle kernel", "BUG: .*",
	"Hit any key to stop autoboot", "=> $", "end Kernel panic"};
#define PATTERNS (int)(sizeof patterns / sizeof *patterns)

enum { BOOT_LOG, PROGRAM, SYSLOG, KINDS };
static const char *const kinds[] = {"boot log", "program output", "syslog"};

static size_t line(char *out, int kind, int i)
{
	switch (kind) {
	case BOOT_LOG:
		return (size_t)sprintf(out, "[%5d.%06d] usb %d-1: new device number %d\r\n",
			i / 100, i % 1000000, i % 7, i);
	case PROGRAM:
		return (size_t)sprintf(
			out, "  %d jobs of %d done, the rest is on its way\r\n", i, i * 7);
	default: /* each with a kernel line's shape in mid-line: the second view at its worst */
		return (size_t)sprintf(out, "Jan  1 kernel: [%5d.%06d] usb %d-1: gone\r\n", i / 100,
			i % 1000000, i % 7);
	}
}

static double run(struct str text, struct pattern *const *p, int n, size_t cut)
{
	struct expect *x = expect_new();
	struct expect_match m;
	int64_t start = clock_us();

	for (size_t i = 0; i < text.n; i += cut) {
		expect_feed(x, str_make(text.p + i, text.n - i < cut ? text.n - i : cut));
		if (expect_search(x, p, (size_t)n, &m))
			exit(1);
	}
	expect_free(x);
	return (double)text.n / (double)(clock_us() - start + 1);
}

int main(int argc, char **argv)
{
	static const size_t cuts[] = {65536, 4096, 256, 16};
	static const int counts[] = {1, 3, PATTERNS};
	size_t want = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
	char *text = mem_alloc(want + 256);
	struct pattern *p[PATTERNS];

	for (int i = 0; i < PATTERNS; i++)
		if (!(p[i] = pattern_new(patterns[i], NULL)))
			return 1;
	for (int kind = 0; kind < KINDS; kind++) {
		size_t n = 0;

		for (int i = 0; n < want; i++)
			n += line(text + n, kind, i);
		for (size_t c = 0; c < 4; c++)
			for (size_t k = 0; k < 3; k++)
				printf("%-14s  reads of %5zu  %d patterns  %7.1f MB/s\n",
					kinds[kind], cuts[c], counts[k],
					run(str_make(text, c == 3 ? n / 8 : n), p, counts[k],
						cuts[c]));
	}
	for (int i = 0; i < PATTERNS; i++)
		pattern_free(p[i]);
	free(text);
	return 0;
}
