/* SPDX-License-Identifier: MIT */
/*
 * CoreMark-PRO 1.1 (EEMBC): the tables of its result script ("WORKLOAD RESULTS TABLE", "MARK
 * RESULTS TABLE"), the lines of each workload's own run, and the rows of TI's guides. Invariant:
 * only the suite's nine workloads and its mark are figures; contexts are told, never counted.
 */
#include "mith.h"
#include "parsers.h"

#include <stdio.h>

struct coremark_pro {
	const struct sink *sink;
	struct mith run;
	bool table;
	char multi[24]; /* contexts of the MultiCore column */
	char guide[24]; /* contexts of a guide's rows */
	size_t figures;
};

static const char *const coremark_pro_workloads[] = {"cjpeg-rose7-preset", "core",
	"linear_alg-mid-100x100-sp", "loops-all-mid-10k-sp", "nnet_test", "parser-125k",
	"radix2-big-64k", "sha-test", "zip-test", NULL};

static bool coremark_pro_knows(const char *name)
{
	for (size_t i = 0; coremark_pro_workloads[i]; i++)
		if (!strcmp(name, coremark_pro_workloads[i]))
			return true;
	return false;
}

static void coremark_pro_tell(
	struct coremark_pro *p, const char *workload, const char *contexts, double value)
{
	struct sink_label labels[2];
	size_t n = 0;

	if (*contexts)
		labels[n++] = (struct sink_label){"contexts", contexts};
	if (workload)
		labels[n++] = (struct sink_label){"workload", workload};
	sink_figure(p->sink, workload ? "coremark_pro.rate" : "coremark_pro.score", value,
		workload ? "workloads/s" : "score", labels, n);
	p->figures++;
}

/* "core     4.87   1.30   3.75" */
static bool coremark_pro_row(struct coremark_pro *p, struct str line)
{
	struct str words[LINES_WORDS];
	size_t n = lines_words(line, words);
	char name[ROWS_LABEL_BYTES];
	double multi, single;
	bool mark;

	if (n < 3 || rows_label(words[0], name))
		return false;
	mark = !strcmp(name, "CoreMark-PRO");
	if (!mark && !coremark_pro_knows(name))
		return false;
	if (n != 4 || rows_plain(words[1], "", &multi) || rows_plain(words[2], "", &single)) {
		sink_warn(p->sink, "the row of '%s' is damaged, and passed over", name);
		return true;
	}
	/* The script writes 0 for a run that was not made. */
	if (multi > 0)
		coremark_pro_tell(p, mark ? NULL : name, p->multi, multi);
	if (single > 0)
		coremark_pro_tell(p, mark ? NULL : name, "1", single);
	return true;
}

/* "XCMD='-c4'" */
static void coremark_pro_command(struct coremark_pro *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT("XCMD="));
	ptrdiff_t c;
	struct str rest;
	size_t n = 0;

	if (at < 0)
		return;
	rest = str_make(line.p + at, line.n - (size_t)at);
	c = str_find(rest, STR_LIT("-c"));
	if (c < 0)
		return;
	rest = str_make(rest.p + c + 2, rest.n - (size_t)c - 2);
	while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9')
		n++;
	if (n && n < sizeof p->multi)
		lines_copy(str_make(rest.p, n), p->multi, sizeof p->multi);
}

static bool coremark_pro_guide(struct coremark_pro *p, struct str line)
{
	char name[ROWS_LABEL_BYTES];
	struct str rest;
	double value;

	if (rows_has(line, "CoreMarkProFourCore"))
		snprintf(p->guide, sizeof p->guide, "4");
	else if (rows_has(line, "CoreMarkPro"))
		snprintf(p->guide, sizeof p->guide, "1");
	if (mith_row(line, name, &value)) {
		if (coremark_pro_knows(name))
			coremark_pro_tell(p, name, p->guide, value);
		return true;
	}
	if (!lines_after(line, "coremark-pro ()", &rest))
		return false;
	if (rest.n && *rest.p == '|')
		rest = str_trim(str_make(rest.p + 1, rest.n - 1));
	if (!rows_plain(rest, "", &value))
		coremark_pro_tell(p, NULL, p->guide, value);
	return true;
}

static void coremark_pro_line(struct coremark_pro *p, struct str line)
{
	coremark_pro_command(p, line);
	if (rows_has(line, "RESULTS TABLE"))
		p->table = true;
	if (p->table && coremark_pro_row(p, line))
		return;
	if (coremark_pro_guide(p, line))
		return;
	if (!mith_line(&p->run, line) || !coremark_pro_knows(p->run.name))
		return;
	coremark_pro_tell(p, p->run.name, p->run.contexts, p->run.rate);
}

static int coremark_pro_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct coremark_pro p = {.sink = sink, .multi = "multi"};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line))
		coremark_pro_line(&p, line);
	return p.figures ? 0 : lines_nothing(text, "coremark-pro", "result", e);
}

static int coremark_pro_detect(struct str text)
{
	if (str_find(text, STR_LIT("CoreMark-PRO  ")) >= 0 ||
		str_find(text, STR_LIT("coremark-pro ()")) >= 0)
		return 95;
	for (size_t i = 0; coremark_pro_workloads[i]; i++) {
		char mark[64];

		snprintf(mark, sizeof mark, "-- %s:workloads/sec=", coremark_pro_workloads[i]);
		if (str_find(text, str_of(mark)) >= 0)
			return 90;
	}
	return 0;
}

static const char *const coremark_pro_marks[] = {"results table", "coremark-pro", "coremarkpro",
	"(workloads/)", ":workloads/sec", ":contexts=", "XCMD=", NULL};

const struct parser coremark_pro_parser = {
	.d = {.name = "coremark-pro",
		.brief = "CoreMark-PRO: workloads and mark",
		.proven = "golden cases; the result table of version 1.1"},
	.detect = coremark_pro_detect,
	.parse = coremark_pro_parse,
	.marks = coremark_pro_marks,
};
