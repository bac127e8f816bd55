/* SPDX-License-Identifier: MIT */
/* `hilab report guide`: the performance guide of a SoC, out of what a release measured. Invariant:
 * the store is only read; what is printed is whole or an error is told. */
#include "cli/report.h"

#include "base/fs.h"
#include "reports/format/guide.h"

#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_texts releases;
	const char *format, *type, *output, *store;
	bool twin;
};

static const struct cli_opt opts[] = {
	{"release", 0, CLI_TEXTS, offsetof(struct args, releases), "NAME",
		"a build's NAME, VERSION or NAME@VERSION; given twice: the second against the "
		"first"},
	{"format", 'f', CLI_TEXT, offsetof(struct args, format), "NAME",
		"html, markdown or rst (rst)"},
	{"type", 't', CLI_TEXT, offsetof(struct args, type), "TYPE",
		"only runs on boards of that type"},
	{"twin", 0, CLI_FLAG, offsetof(struct args, twin), NULL,
		"of twins, which is said throughout; without it of silicon only"},
	{"output", 'o', CLI_TEXT, offsetof(struct args, output), "FILE",
		"write there, and not to standard output"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

static const struct page_format *find_format(const char *name)
{
	for (const struct page_format *const *f = guide_formats; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	cli_fail(-1, "report guide: a guide is html, markdown or rst, not '%s'", name);
	return NULL;
}

static int load(const char *soc, struct metric_table *metrics, struct reference_set *refs,
	struct layout *layout, const struct reference **r, struct err *e)
{
	struct diag diag = {0};
	int failed = report_load_metrics(metrics, e);

	if (failed)
		return -1;
	failed = reference_set_load(refs, NULL, metrics, &diag);
	*r = failed ? NULL : reference_set_find(refs, soc);
	if (!failed && !*r)
		failed =
			err_set(e, BLAME_CONFIG, "there is no published document of SoC '%s'", soc);
	else if (failed || layout_load(layout, NULL, *r, &diag))
		failed = err_set(e, BLAME_CONFIG, "the installed tables are wrong");
	if (diag.total)
		cli_diag(&diag);
	diag_done(&diag);
	return failed;
}

static int make(const struct args *a, const char *soc, const struct page_format *f, struct buf *out,
	struct err *e)
{
	struct guide_ask ask = {a->releases.p[a->releases.n - 1],
		a->releases.n > 1 ? a->releases.p[0] : NULL, a->type, a->twin};
	struct store *s = store_open(a->store, true, e);
	struct metric_table metrics = {0};
	struct reference_set refs = {0};
	const struct reference *r;
	struct layout layout = {0};
	struct guide g = {0};
	int failed = -1;

	if (s && !load(soc, &metrics, &refs, &layout, &r, e) &&
		!guide_make(&g, s, &ask, r, &layout, &metrics, e))
		failed = guide_write(&g, f, out, e);
	guide_done(&g);
	layout_done(&layout);
	reference_set_done(&refs);
	metric_table_done(&metrics);
	store_close(s);
	return failed;
}

static int run(int argc, char **argv)
{
	struct args a = {.format = "rst"};
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	const struct page_format *f;
	struct err e = {0};
	char **operands;
	int status, n = cli_parse(&report_guide_command, argc, argv, &a, &operands, &status);

	if (n >= 0) {
		f = find_format(a.format);
		status = EXIT_USAGE;
		if (f && (a.releases.n < 1 || a.releases.n > 2))
			cli_fail(0, "report guide: needs --release once, or twice to compare");
		else if (f && make(&a, operands[0], f, &out, &e))
			status = cli_fail(blame_exit(e.blame), "%s", e.msg);
		else if (f)
			status = report_out(&out, a.output);
	}
	free(a.releases.p);
	return status;
}

const struct cli_command report_guide_command = {
	.name = "report guide",
	.brief = "print the performance guide of a release",
	.usage = "SOC --release NAME [--release NAME]",
	.details =
		"Every table of the SoC's published document in its order and shape, with the "
		"figures that\n"
		"the release's runs measured: the mean over runs, with least and greatest where "
		"there were\n"
		"several samples. What was not measured is marked. Twins and silicon are never in "
		"one guide.",
	.example = "  hilab report guide am62axx --release 11.01 --format html -o guide.html\n"
		   "  hilab report guide j721e --release 11.00 --release 11.01 --format markdown",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
