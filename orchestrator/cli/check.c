/* SPDX-License-Identifier: MIT */
/*
 * `hilab check`: is this job, lab, type, build or nightly file right? Invariant: every file is
 * looked at whatever was found in the others, against the very tables and rows that a run uses.
 */
#include "cli/check.h"

#include "agents/boot/boot.h"
#include "agents/bootmode/bootmode.h"
#include "agents/console/console.h"
#include "agents/deploy/deploy.h"
#include "agents/measure/instrument.h"
#include "agents/measure/measure.h"
#include "agents/power/power.h"
#include "builds/build.h"
#include "cli/commands.h"
#include "io/json.h"
#include "io/yaml.h"
#include "jobs/nightly.h"
#include "reports/parse/parse.h"

#include <stdio.h>

#define CHECK_OUT_BYTES ((size_t)16 << 20)

static const char *const kind_names[] = {[DOC_UNKNOWN] = "unknown",
	[DOC_JOB] = "job",
	[DOC_LAB] = "lab",
	[DOC_TYPE] = "type",
	[DOC_BUILD] = "build",
	[DOC_NIGHTLY] = "nightly"};

/* What all files of one call are checked against. */
struct against {
	struct types types;
	bool has_types;
	struct job_tables jobs;
	struct lab_drivers lab;
};

static int check_job(const struct against *ag, const struct node *doc, struct diag *diag)
{
	struct job_parts parts = {0};
	int rc = job_compile_parts_preset(&parts, doc, &ag->jobs, diag);

	for (size_t i = 0; i < parts.n && ag->has_types; i++)
		if (match_check(&ag->types, &parts.plans[i].match, parts.boards[i], diag))
			rc = -1;
	job_parts_done(&parts);
	return rc;
}

static int check_nightly(const struct against *ag, const struct node *doc, struct diag *diag)
{
	struct nightly n = {0};
	int rc = nightly_read(&n, doc, ag->has_types ? &ag->types : NULL, &ag->jobs, diag);

	nightly_done(&n);
	return rc;
}

static int check_doc(
	const struct against *ag, enum doc_kind kind, const struct node *doc, struct diag *diag)
{
	const struct types *types = ag->has_types ? &ag->types : NULL;

	switch (kind) {
	case DOC_JOB:
		return check_job(ag, doc, diag);
	case DOC_LAB:
		return lab_check(types, &ag->lab, doc, diag);
	case DOC_TYPE:
		return type_check(types, ag->lab.boot, doc, diag);
	case DOC_BUILD:
		return build_check(doc, diag);
	case DOC_NIGHTLY:
		return check_nightly(ag, doc, diag);
	default:
		return diag_add(diag, doc->at,
			"neither a job, a lab, a type, a build nor a nightly: none of 'job', "
			"'lab', 'type', 'build' and 'nightly' is among its keys");
	}
}

static void tell(const char *path, enum doc_kind kind, struct diag *diag, struct buf *out)
{
	if (diag->total)
		diag_print(diag, out);
	else
		buf_printf(out, "%s: ok (%s)\n", path, kind_names[kind]);
}

static json_t *to_json(const char *path, enum doc_kind kind, const struct diag *diag)
{
	json_t *problems = json_array();

	for (size_t i = 0; i < diag->entries.n; i++) {
		const struct diag_entry *entry = &diag->entries.p[i];

		json_array_append_new(
			problems, json_pack("{s:s?,s:i,s:i,s:s}", "file", entry->at.file, "line",
					  (int)entry->at.line, "col", (int)entry->at.col, "text",
					  entry->text));
	}
	return json_pack("{s:s,s:s,s:b,s:o}", "file", path, "kind", kind_names[kind], "ok",
		!diag->total, "problems", problems);
}

/* One file; whether it is right. Its record goes onto list, when there is one, else onto out. */
static bool check_file(const struct against *ag, const char *path, json_t *list, struct buf *out)
{
	struct arena arena = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_load(&arena, path, &diag);
	enum doc_kind kind = doc_kind_of(doc);
	bool good;

	if (doc)
		check_doc(ag, kind, doc, &diag);
	good = !diag.total;
	if (list)
		json_array_append_new(list, to_json(path, kind, &diag));
	else
		tell(path, kind, &diag, out);
	diag_done(&diag);
	arena_done(&arena);
	return good;
}

int check_files(const char *const *paths, size_t n, bool json, struct buf *out)
{
	struct against ag = {
		.jobs = {.deploy = deploy_drivers(),
			.boot = boot_drivers(),
			.measure = measure_drivers(),
			.parsers = parse_drivers()},
		.lab = {.power = power_drivers(),
			.console = console_drivers(),
			.deploy = deploy_drivers(),
			.boot = boot_drivers(),
			.bootmode = bootmode_drivers(),
			.instrument = instrument_drivers()},
	};
	struct diag diag = {0};
	json_t *list = json ? json_array() : NULL;
	bool good = true;

	ag.has_types = !types_load_default(&ag.types, &diag);
	if (!ag.has_types) {
		good = false;
		if (json)
			json_array_append_new(list, to_json("labs/types", DOC_TYPE, &diag));
		else
			diag_print(&diag, out);
	}
	for (size_t i = 0; i < n; i++)
		good = check_file(&ag, paths[i], list, out) && good;
	if (list) {
		json_write(list, JSON_INDENT(2), out, NULL);
		buf_putc(out, '\n');
		json_decref(list);
	}
	diag_done(&diag);
	if (ag.has_types)
		types_done(&ag.types);
	return good ? EXIT_PASS : EXIT_USAGE;
}

struct args {
	bool json;
};

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL,
		"as a JSON array: file, kind, ok, problems"},
	{0},
};

static int run(int argc, char **argv)
{
	struct args a = {0};
	char **operands;
	int status, n = cli_parse(&check_command, argc, argv, &a, &operands, &status);
	AUTOBUF out = BUF_INIT(CHECK_OUT_BYTES);

	if (n < 0)
		return status;
	status = check_files((const char *const *)operands, (size_t)n, a.json, &out);
	return cli_out(&out) ? EXIT_INCOMPLETE : status;
}

const struct cli_command check_command = {
	.name = "check",
	.brief = "check job, lab, type, build and nightly files",
	.usage = "FILE...",
	.details = "Reads each file and prints everything that is wrong with it, one problem a "
		   "line as\nfile:line:col: text. What a file is follows from its first key: job, "
		   "lab, type,\nbuild or nightly. Nothing is run, and images of a build are not "
		   "read.",
	.example = "  hilab check jobs/am62axx/smoke.yaml my-lab.yaml",
	.opts = opts,
	.min_operands = 1,
	.max_operands = -1,
	.run = run,
};
