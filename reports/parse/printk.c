/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own clock in its log (printk.time, Linux 3.2 to 6.x): when it had freed its init
 * memory, mounted the root file system and started the first program; and what it says is wrong
 * with it (io/crash-kinds.h), each report once however often the log was printed. Invariant: a time
 * is that of the head just before its message, and of a boot whose start was seen.
 */
#include "lines.h"
#include "parsers.h"

#include "io/console-text.h"
#include "io/crash-kinds.h"

#define PRINTK_LINE_BYTES 400
#define PRINTK_REPORT_S   1.0 /* what comes that much later is another report */
#define PRINTK_REPORTS    64  /* of one boot that are known again when they are printed again */

struct printk {
	const struct sink *sink;
	bool booting;  /* "Linux version" was seen at 0 */
	unsigned told; /* bits of the marks that this boot has told */
	size_t figures;
	size_t crashes;
	double newest_s; /* of this boot; what is much older is the log, printed again */
	double report_s; /* of the report in hand; -1: none */
	int worst;       /* how bad it is */
	double told_s[PRINTK_REPORTS];
	size_t n_told;
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
	if (rest.p[head - 1] == '[' && (at = str_find(*text, STR_LIT("] "))) >= 0) /* its caller */
		*text = str_make(text->p + at + 2, text->n - (size_t)at - 2);
	return 0;
}

/* ignore < warn < fail < stop */
static int printk_weight(enum crash_rule rule)
{
	static const int weights[] = {[CRASH_RULE_IGNORE] = 0,
		[CRASH_RULE_WARN] = 1,
		[CRASH_RULE_FAIL] = 2,
		[CRASH_RULE_STOP] = 3};

	return weights[rule];
}

/* Is it somebody reading the log? */
static bool printk_again(const struct printk *p, double seconds)
{
	if (p->newest_s > seconds + PRINTK_REPORT_S)
		return true;
	for (size_t i = 0; seconds < p->newest_s && i < p->n_told; i++)
		if (seconds >= p->told_s[i] && seconds <= p->told_s[i] + PRINTK_REPORT_S)
			return true;
	return false;
}

/* The lines of one report follow each other; the first, and a worse one, are told. */
static void printk_crash(struct printk *p, double seconds, struct str text)
{
	char line[PRINTK_LINE_BYTES], shown[PRINTK_LINE_BYTES];
	struct crash_words w;
	const struct crash_kind *kind;
	int weight;

	if (printk_again(p, seconds))
		return;
	p->newest_s = seconds > p->newest_s ? seconds : p->newest_s;
	/* "[    1.000000][  T12] BUG": its caller */
	lines_copy(text, line, sizeof line);
	if (!crash_kind_find(line, true, &w))
		return;
	kind = &crash_kinds[w.kind];
	weight = printk_weight(kind->rule);
	if (p->report_s >= 0 && seconds <= p->report_s + PRINTK_REPORT_S && weight <= p->worst &&
		!w.names)
		return;
	p->report_s = seconds;
	p->worst = weight;
	if (p->n_told < PRINTK_REPORTS)
		p->told_s[p->n_told++] = seconds;
	p->crashes++;
	sink_warn(p->sink, "%s (%s): %s", kind->name, kind->preset,
		str_printable(str_trim(str_of(line)), shown, sizeof shown));
}

static void printk_tell(struct printk *p, double seconds, struct str text)
{
	if (lines_has(text, "Linux version ")) {
		p->booting = seconds < 1;
		p->told = 0;
		p->newest_s = seconds;
		p->report_s = -1;
		p->n_told = 0;
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
	bool noise = lines_noise(str_trim(line));

	if (noise) {
		sink_warn(p->sink,
			"a line of the kernel's is damaged: the boot is not counted further");
		p->booting = false;
	}
	while (!printk_message(&line, &seconds, &text)) {
		if (!noise)
			printk_tell(p, seconds, text);
		printk_crash(p, seconds, text);
	}
}

static int printk_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct printk p = {.sink = sink, .report_s = -1};
	struct str rest = text, line;

	/* Not lines_next(): it passes over the lines that are wanted here. */
	for (const char *at = rest.p; str_line(&rest, &line); at = rest.p) {
		sink_at(sink, (size_t)(at - text.p));
		printk_line(&p, line);
	}
	return p.figures || p.crashes ? 0
				      : lines_nothing(text, "printk", "kernel log of a boot", e);
}

static int printk_detect(struct str text)
{
	return str_find(text, STR_LIT("] Linux version ")) >= 0 ? 50 : 0;
}

static const char *const printk_marks[] = {"Linux version ", "Freeing unused kernel",
	"VFS: Mounted root", " as init process",
	/* of a crash; coarse: the table decides */
	"panic", "Rebooting in ", "nable to handle kernel ",
	"nternal error: ", "Oops: ", "BUG: ", "BUG at ", "protection fault", "Bad mode in ",
	"SError Interrupt", "nhandled fault: ", " corruption", "LOCKUP",
	"INFO: ", "WARNING: ", "UBSAN: ", "of memory: Kill", "oom-kill", " error",
	"Remounting filesystem", "failed to convert unwritten", "JBD2: ", "Aborting journal",
	"set read-only", "read-only mode", "jffs2: Data CRC", "F2FS-fs", "imeout", "timed out",
	"error -110", "err = -110", "Card stuck", "never released inhibit", "host not responding",
	"HC died", "NETDEV WATCHDOG", "crash detected", "handling crash", "BTRFS critical",
	"error interrupt", "XFS (", NULL};

const struct parser printk_parser = {
	.d = {.name = "printk",
		.brief = "when the kernel reached its stages, by its own clock",
		.proven = "golden cases; the messages of Linux 3.2 to 6.12"},
	.detect = printk_detect,
	.parse = printk_parse,
	.marks = printk_marks,
	.beside = true,
};
