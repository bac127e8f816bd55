/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own clock in its log (printk.time, Linux 3.2 to 6.x): when it had freed its init
 * memory, mounted the root file system and started the first program. Invariant: a time is that of
 * the last head before the message in its line, and of a boot whose start was seen.
 */
#include "lines.h"
#include "parsers.h"

#include "io/console-text.h"

struct printk {
	const struct sink *sink;
	bool booting;  /* "Linux version" was seen at 0 */
	unsigned told; /* bits of the marks that this boot has told */
	size_t figures;
};

static const struct {
	const char *text, *metric;
} printk_marks[] = {
	{"Freeing unused kernel", "printk.kernel"},
	{"VFS: Mounted root", "printk.rootfs"},
	{" as init process", "printk.init"},
};

/* The last head in line: its time, and what stands behind it. -1 when there is none. */
static int printk_head(struct str line, double *seconds, struct str *rest)
{
	int found = -1;

	for (;;) {
		ptrdiff_t at = console_kernel_find(line);
		struct str number, after;
		int head;

		if (at < 0)
			return found;
		line = str_make(line.p + at, line.n - (size_t)at);
		head = console_kernel_head(line);
		if (head <= 0 || str_chr(line, '[') < 0)
			return found;
		number = str_make(
			line.p + str_chr(line, '[') + 1, line.n - (size_t)str_chr(line, '[') - 1);
		line = str_make(line.p + head, line.n - (size_t)head);
		if (!lines_number(number, seconds, &after))
			return -1;
		*rest = line;
		found = 0;
	}
}

static void printk_line(struct printk *p, struct str line)
{
	struct str rest;
	double seconds;

	if (printk_head(line, &seconds, &rest))
		return;
	if (lines_has(rest, "Linux version ")) {
		p->booting = seconds < 1;
		p->told = 0;
	}
	for (size_t i = 0; p->booting && i < sizeof printk_marks / sizeof printk_marks[0]; i++) {
		struct sink_metric m = SINK_METRIC(printk_marks[i].metric, seconds, "s");

		if (!lines_has(rest, printk_marks[i].text) || p->told & 1u << i)
			continue;
		m.resolution = 0.000001;
		sink_metric(p->sink, &m);
		p->told |= 1u << i;
		p->figures++;
	}
}

static int printk_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct printk p = {.sink = sink};
	struct str rest = text, line;

	/* Not lines_next(): it passes over the lines that are wanted here. */
	for (const char *at = rest.p; str_line(&rest, &line); at = rest.p) {
		sink_at(sink, (size_t)(at - text.p));
		printk_line(&p, line);
	}
	return p.figures ? 0 : lines_nothing(text, "printk", "kernel log of a boot", e);
}

static int printk_detect(struct str text)
{
	return str_find(text, STR_LIT("] Linux version ")) >= 0 ? 50 : 0;
}

const struct parser printk_parser = {
	.d = {.name = "printk",
		.brief = "when the kernel reached its stages, by its own clock",
		.proven = "golden cases; the messages of Linux 3.2 to 6.12"},
	.detect = printk_detect,
	.parse = printk_parse,
};
