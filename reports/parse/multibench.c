/* SPDX-License-Identifier: MIT */
/*
 * MultiBench 1.0 (EEMBC): the lines that its harness prints of each workload, and the rows of TI's
 * guides. Invariant: a rate belongs to the workload that its own line names.
 */
#include "mith.h"
#include "parsers.h"

struct multibench {
	const struct sink *sink;
	struct mith run;
	bool other; /* the rows in hand are another suite's */
	size_t figures;
};

static void multibench_tell(
	struct multibench *p, const char *workload, const char *contexts, double rate)
{
	struct sink_label labels[2] = {{"workload", workload}, {"contexts", contexts}};

	sink_figure(p->sink, "multibench.rate", rate, "workloads/s", labels, *contexts ? 2 : 1);
	p->figures++;
}

static void multibench_line(struct multibench *p, struct str line)
{
	char name[ROWS_LABEL_BYTES];
	double rate;

	if (rows_has(line, "coremarkpro") || rows_has(line, "coremark-pro"))
		p->other = true;
	else if (rows_has(line, "multibench"))
		p->other = false;
	if (mith_row(line, name, &rate)) {
		if (!p->other)
			multibench_tell(p, name, "", rate);
	} else if (mith_line(&p->run, line)) {
		if (!p->other)
			multibench_tell(p, p->run.name, p->run.contexts, p->run.rate);
	}
}

static int multibench_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct multibench p = {.sink = sink};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line))
		multibench_line(&p, line);
	return p.figures ? 0 : lines_nothing(text, "multibench", "workload", e);
}

static int multibench_detect(struct str text)
{
	if (str_find(text, STR_LIT("(workloads/)")) >= 0)
		return str_find(text, STR_LIT("Multibench")) >= 0 ? 90 : 40;
	return str_find(text, STR_LIT(":workloads/sec=")) >= 0 ? 60 : 0;
}

static const char *const multibench_marks[] = {"multibench", "coremark-pro", "coremarkpro",
	"(workloads/)", ":workloads/sec", ":contexts=", NULL};

const struct parser multibench_parser = {
	.d = {.name = "multibench",
		.brief = "MultiBench: workloads per second",
		.proven = "golden cases"},
	.detect = multibench_detect,
	.parse = multibench_parse,
	.marks = multibench_marks,
};
