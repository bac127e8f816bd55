/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own clock in its log (printk.time, Linux 3.2 to 6.x): when it had freed its init
 * memory, mounted the root file system and started the first program. Invariant: a time is that of
 * the head just before its message, and of a boot whose start was seen.
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
} printk_stages[] = {
	{"Freeing unused kernel", "printk.kernel"},
	{"VFS: Mounted root", "printk.rootfs"},
	{" as init process", "printk.init"},
};

/* Cuts the next message off *line: its time and its text up to the next head. -1 at the end. */
static int printk_message(struct str *line, double *seconds, struct str *text)
{
	ptrdiff_t at = console_kernel_find(*line), next;
	struct str rest, after;
	int head;

	if (at < 0)
		return -1;
	rest = str_make(line->p + at, line->n - (size_t)at);
	head = console_kernel_head(rest);
	at = str_chr(rest, '[');
	if (head <= 0 || at < 0 ||
		!lines_number(str_make(rest.p + at + 1, rest.n - (size_t)at - 1), seconds, &after))
		return -1;
	*line = str_make(rest.p + head, rest.n - (size_t)head);
	next = console_kernel_find(*line);
	*text = next < 0 ? *line : str_make(line->p, (size_t)next);
	return 0;
}

static void printk_tell(struct printk *p, double seconds, struct str text)
{
	if (lines_has(text, "Linux version ")) {
		p->booting = seconds < 1;
		p->told = 0;
	}
	for (size_t i = 0; p->booting && i < sizeof printk_stages / sizeof printk_stages[0]; i++) {
		struct sink_metric m = SINK_METRIC(printk_stages[i].metric, seconds, "s");

		if (!lines_has(text, printk_stages[i].text) || p->told & 1u << i)
			continue;
		m.resolution = 0.000001;
		sink_metric(p->sink, &m);
		p->told |= 1u << i;
		p->figures++;
	}
}

static void printk_line(struct printk *p, struct str line)
{
	struct str text;
	double seconds;

	if (lines_noise(str_trim(line))) {
		sink_warn(p->sink,
			"a line of the kernel's is damaged: the boot is not counted further");
		p->booting = false;
		return;
	}
	while (!printk_message(&line, &seconds, &text))
		printk_tell(p, seconds, text);
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

static const char *const printk_marks[] = {
	"Linux version ", "Freeing unused kernel", "VFS: Mounted root", " as init process", NULL};

const struct parser printk_parser = {
	.d = {.name = "printk",
		.brief = "when the kernel reached its stages, by its own clock",
		.proven = "golden cases; the messages of Linux 3.2 to 6.12"},
	.detect = printk_detect,
	.parse = printk_parse,
	.marks = printk_marks,
	.beside = true,
};
