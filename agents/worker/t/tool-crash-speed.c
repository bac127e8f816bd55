/* SPDX-License-Identifier: MIT */
/*
 * How fast console text in which no kernel crashes goes past the watcher of crashes:
 * `tool-crash-speed [MIB]` prints one line per kind of text and size of reads.
 */
#include "agents/worker/crash.h"
#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { BOOT_LOG, PROGRAM, MIXED, KINDS };
static const char *const kinds[] = {"boot log", "program output", "mixed"};

static size_t line(char *out, int kind, int i)
{
	switch (kind == MIXED ? i % 3 : kind) {
	case BOOT_LOG:
		return (size_t)sprintf(out, "[%5d.%06d] usb %d-1: new device number %d\r\n",
			i / 100, i % 1000000, i % 7, i);
	case PROGRAM:
		return (size_t)sprintf(
			out, "  %d jobs of %d done, the rest is on its way\r\n", i, i * 7);
	default:
		return (size_t)sprintf(out, "[%5d.%06d] mmc%d: new SDHC card at address %04x\r\n",
			i / 100, i % 1000000, i % 3, i % 65536);
	}
}

static int on_crash(void *arg, const struct crash_report *r, struct err *e)
{
	(void)arg;
	(void)e;
	fprintf(stderr, "told of '%s'\n", r->what);
	exit(1);
}

static double run(struct str text, size_t cut)
{
	struct console *console = mem_alloc(sizeof *console);
	struct bench b;
	struct crash c;
	int64_t start;

	bench_init(&b);
	console->name = "main";
	if (crash_watch(&c, &b, console, false, NULL, on_crash, NULL, NULL))
		exit(1);
	start = clock_us();
	for (size_t i = 0; i < text.n; i += cut)
		console->taps[0].fn(console->taps[0].arg,
			str_make(text.p + i, text.n - i < cut ? text.n - i : cut), i, 0);
	start = clock_us() - start;
	crash_done(&c);
	bench_done(&b);
	free(console);
	return (double)text.n / (double)(start + 1);
}

int main(int argc, char **argv)
{
	static const size_t cuts[] = {65536, 256, 16};
	size_t want = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
	char *text = mem_alloc(want + 256);

	for (int kind = 0; kind < KINDS; kind++) {
		size_t n = 0;

		for (int i = 0; n < want; i++)
			n += line(text + n, kind, i);
		for (size_t c = 0; c < 3; c++)
			printf("%-14s  reads of %5zu  %7.1f MB/s\n", kinds[kind], cuts[c],
				run(str_make(text, n), cuts[c]));
	}
	free(text);
	return 0;
}
