/* SPDX-License-Identifier: MIT */
/* `hilab coverage`: how much of the published documents the lab can make. */
#include "reports/coverage.h"

#include "agents/boot/boot.h"
#include "agents/deploy/deploy.h"
#include "agents/measure/measure.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/report.h"
#include "io/json.h"

#include <errno.h>
#include <string.h>

struct args {
	const char *store, *seed;
	bool json, strict;
};

static const struct cli_opt opts[] = {
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{"seed", 0, CLI_TEXT, offsetof(struct args, seed), "N",
		"seed of the values that tables are rendered with (default 1)"},
	{"strict", 0, CLI_FLAG, offsetof(struct args, strict), NULL,
		"end with 1 when a figure has no job or does not come back from its parser"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{0},
};

static json_t *counts_json(const struct coverage_counts *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "figures",
		(json_int_t)c->figures, "reference", (json_int_t)c->figures, "job",
		(json_int_t)c->job, "parser", (json_int_t)c->parser, "parsed",
		(json_int_t)c->parsed, "silicon", (json_int_t)c->silicon, "twin",
		(json_int_t)c->twin, "stored", (json_int_t)c->stored);
}

static int print_json(const struct coverage *c, uint64_t seed)
{
	AUTOJSON *all = NULL;
	json_t *tables = json_array();

	for (size_t i = 0; i < c->n; i++) {
		const struct coverage_table *t = &c->tables[i];

		json_array_append_new(
			tables, json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:o}", "soc", t->soc,
					"section", t->t->section, "table", t->t->table, "job",
					t->t->job, "no_job", t->no_job, "no_parser",
					t->t->no_parser, "counts", counts_json(&t->counts)));
	}
	all = json_pack("{s:I, s:o, s:o, s:I, s:I, s:I, s:f, s:I}", "seed", (json_int_t)seed,
		"tables", tables, "counts", counts_json(&c->all), "whole_tables",
		(json_int_t)c->whole, "stored_tables", (json_int_t)c->stored_whole, "stored_timed",
		(json_int_t)c->timed, "late_ms", c->late_ms, "runs", (json_int_t)c->runs);
	return cli_out_json(all);
}

static void add_counts(struct listing *l, const struct coverage_counts *c)
{
	const size_t all[] = {
		c->figures, c->job, c->parser, c->parsed, c->stored, c->silicon, c->twin};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		listing_printf(l, "%zu", all[i]);
}

static int print_text(const struct coverage *c, uint64_t seed)
{
	static const char *const headings[] = {"SOC", "FIGURES", "JOB", "PARSER", "PARSED",
		"STORED", "SILICON", "TWIN", "SECTION", "TABLE", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct listing l;

	listing_init(&l, headings);
	for (size_t i = 0; i < c->n; i++) {
		const struct coverage_table *t = &c->tables[i];

		listing_add(&l, t->soc);
		add_counts(&l, &t->counts);
		listing_add(&l, t->t->section);
		listing_add(&l, t->t->table);
	}
	listing_print(&l, &out);
	listing_done(&l);
	buf_printf(&out,
		"\n%zu figures of %zu tables: %zu have a job, %zu a parser; %zu were parsed from a "
		"rendered table (seed %llu);\n%zu have a result on silicon, %zu on a twin (of %zu "
		"runs). %zu tables have a job and came back whole.\n"
		"%zu figures, and %zu whole tables, are stored with exactly the values of that "
		"seed (%zu by the lab's clock, at most %.0f ms late).\n",
		c->all.figures, c->n, c->all.job, c->all.parser, c->all.parsed,
		(unsigned long long)seed, c->all.silicon, c->all.twin, c->runs, c->whole,
		c->all.stored, c->stored_whole, c->timed, c->late_ms);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int show(const struct coverage *c, const struct args *a, uint64_t seed)
{
	int status = a->json ? print_json(c, seed) : print_text(c, seed);

	return status || !a->strict || c->whole == c->n ? status : EXIT_FAIL;
}

struct inputs {
	struct metric_table metrics;
	struct reference_set refs;
	struct replay replay;
	struct store *store;
};

static int load(struct inputs *in, const char *store)
{
	struct diag diag = {0};
	struct err e = {0};
	int status = EXIT_PASS;

	if (report_load_metrics(&in->metrics, &e)) {
		status = cli_fail(EXIT_INCOMPLETE, "coverage: %s", e.msg);
	} else if (reference_set_load(&in->refs, NULL, &in->metrics, &diag) ||
		   replay_load(&in->replay, NULL, &in->refs, &diag)) {
		cli_diag(&diag);
		status = EXIT_INCOMPLETE;
	}
	diag_done(&diag);
	if (status)
		return status;
	in->store = store_open(store, true, &e);
	if (!in->store && (store || e.sys != ENOENT))
		return cli_fail(EXIT_INCOMPLETE, "coverage: %s", e.msg);
	return EXIT_PASS;
}

static void unload(struct inputs *in)
{
	store_close(in->store);
	replay_done(&in->replay);
	reference_set_done(&in->refs);
	metric_table_done(&in->metrics);
}

static int cover(struct inputs *in, const struct args *a, const char *soc, uint64_t seed)
{
	const struct job_tables jobs = {
		deploy_drivers(), boot_drivers(), measure_drivers(), parse_drivers()};
	struct coverage c = {0};
	struct err e = {0};
	int status;

	if (soc && !reference_set_find(&in->refs, soc))
		return cli_fail(EXIT_USAGE,
			"coverage: no figures of SoC '%s' (see 'hilab reference list')", soc);
	if (coverage_make(
		    &c, &in->refs, &in->replay, &in->metrics, &jobs, in->store, soc, seed, &e))
		return cli_fail(EXIT_INCOMPLETE, "coverage: %s", e.msg);
	status = show(&c, a, seed);
	coverage_done(&c);
	return status;
}

static int run(int argc, char **argv)
{
	struct inputs in = {0};
	struct args a = {0};
	uint64_t seed = 1;
	char **operands;
	int status, n = cli_parse(&coverage_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	if (a.seed && str_u64(str_of(a.seed), &seed))
		return cli_fail(EXIT_USAGE, "coverage: --seed needs a number, not '%s'", a.seed);
	status = load(&in, a.store);
	if (!status)
		status = cover(&in, &a, n ? operands[0] : NULL, seed);
	unload(&in);
	return status;
}

const struct cli_command coverage_command = {
	.name = "coverage",
	.brief = "how much of the published tables the lab can make",
	.usage = "[SOC]",
	.details =
		"Of each published table's figures, how many have a job that compiles and whose "
		"steps\n"
		"tell them, a parser, come back exactly when the table is rendered with values "
		"drawn\n"
		"at random and parsed, and have a result in the store, on silicon and on a twin.\n"
		"A figure that is parsed from a rendered table was not yet stored by a job: that "
		"is\n"
		"STORED, which only a store of played boards has (reports/doc/reference.md).",
	.example = "  hilab coverage am62axx --json",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
