/* SPDX-License-Identifier: MIT */
/*
 * `hilab import`: job folders that are in no store, and what was measured elsewhere, into the
 * store. Invariant: of a file either all is stored or nothing, and the same file twice is stored
 * once.
 */
#include "cli/import-map.h"

#include "base/clock.h"
#include "base/fs.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "io/digest.h"
#include "io/json.h"
#include "labs/type.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 100000 /* of all folders that are named */
#define DEPTH_MAX 16     /* folders within folders */

static const struct cli_opt opts[] = {
	{"store", 0, CLI_TEXT, offsetof(struct import_args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{"as", 0, CLI_TEXT, offsetof(struct import_args, as), "NAME",
		"what the files are: rst, html, csv, json, yaml or a parser; else told by "
		"their names and texts"},
	{"type", 't', CLI_TEXT, offsetof(struct import_args, type), "TYPE",
		"the board type that it was measured on"},
	{"board", 'b', CLI_TEXT, offsetof(struct import_args, board), "BOARD", "the board"},
	{"soc", 0, CLI_TEXT, offsetof(struct import_args, soc), "SOC",
		"the SoC, of a type that is not known here"},
	{"build", 0, CLI_TEXT, offsetof(struct import_args, build), "NAME", "what was tested"},
	{"release", 'r', CLI_TEXT, offsetof(struct import_args, release), "VERSION",
		"of which release"},
	{"date", 'd', CLI_TEXT, offsetof(struct import_args, date), "DATE",
		"when it was measured: 2026-01-31 or 2026-01-31T12:00:00Z"},
	{"job", 0, CLI_TEXT, offsetof(struct import_args, job), "NAME",
		"the job that it is told as (import)"},
	{"twin", 0, CLI_FLAG, offsetof(struct import_args, twin), NULL,
		"it was measured on a virtual board"},
	{"map", 'm', CLI_TEXT, offsetof(struct import_args, map), "FILE",
		"what the cells of tables are (YAML); the installed mappings come after it"},
	{"of", 0, CLI_TEXT, offsetof(struct import_args, of), "NAME",
		"of tables, only the figures under that printed board"},
	{"strict", 0, CLI_FLAG, offsetof(struct import_args, strict), NULL,
		"store nothing of a file that a warning is about"},
	{"replace", 0, CLI_FLAG, offsetof(struct import_args, replace), NULL,
		"runs of the same bytes are taken out of the store first"},
	{"dry-run", 'n', CLI_FLAG, offsetof(struct import_args, dry_run), NULL,
		"show what would be stored, and store nothing"},
	{"json", 0, CLI_FLAG, offsetof(struct import_args, json), NULL, "as JSON"},
	{0},
};

struct importing {
	struct import_args args;
	struct metric_table metrics;
	struct types types;
	struct import_map map;
	struct store *store; /* NULL: dry run */
	json_t *told;
	VEC(char *) files;
	bool live; /* progress is shown */
	int status;
};

static int worse(int a, int b)
{
	return a == EXIT_INCOMPLETE || b == EXIT_PASS ? a : b;
}

/* ---- what is told -----------------------------------------------------------------------------
 */

static void put_text(json_t *to, const char *key, const char *text)
{
	json_object_set_new(to, key, text ? json_string(text) : json_null());
}

static json_t *run_json(const struct import_run *r)
{
	json_t *j = json_pack("{s:o, s:b, s:I, s:I, s:b, s:I}", "run",
		r->stored ? json_integer(r->stored) : json_null(), "known", r->known, "results",
		(json_int_t)r->n_results, "figures", (json_int_t)r->n_figures, "twin", r->id.twin,
		"started_ms", (json_int_t)r->id.at_ms);

	put_text(j, "job", r->id.job ? r->id.job : "import");
	put_text(j, "type", r->id.type);
	put_text(j, "board", r->id.board);
	put_text(j, "soc", r->id.soc);
	put_text(j, "build", r->id.build);
	put_text(j, "build_version", r->id.version);
	return j;
}

static json_t *draft_json(const struct import_draft *d, const char *sha256, const struct err *e)
{
	json_t *runs = json_array(), *warnings = json_array(), *j;

	vec_each (&d->runs, r)
		if ((*r)->n_results || (*r)->n_figures)
			json_array_append_new(runs, run_json(*r));
	vec_each (&d->warnings, w)
		json_array_append_new(warnings, json_string(*w));
	j = json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:o}", "file", d->file, "sha256", sha256,
		"runs", runs, "missing", (json_int_t)d->n_missing, "left_out",
		(json_int_t)d->n_left_out, "refused", (json_int_t)d->n_refused, "warned",
		(json_int_t)d->n_warnings, "warnings", warnings);
	put_text(j, "format", d->format);
	put_text(j, "error", err_is(e) ? e->msg : NULL);
	return j;
}

static void put_run(const struct import_run *r, struct buf *out)
{
	char date[CLOCK_ISO_BYTES];

	if (r->stored)
		buf_printf(out, "  run %lld: ", (long long)r->stored);
	else
		buf_puts(out, "  a run: ");
	buf_printf(out, "%s%s%s%s%s%s, %.10s", r->id.type, r->id.board ? " " : "",
		r->id.board ? r->id.board : "", r->id.build ? ", " : "",
		r->id.build ? r->id.build : "", r->id.twin ? " (twin)" : "",
		clock_iso(r->id.at_ms, date, sizeof date));
	if (r->id.version)
		buf_printf(out, ", %s", r->id.version);
	buf_printf(out, ": %zu results, %zu figures%s\n", r->n_results, r->n_figures,
		r->known ? "; it is there already" : "");
}

static void put_draft(const struct import_draft *d, struct buf *out)
{
	size_t figures = 0, results = 0, runs = 0;

	vec_each (&d->runs, r) {
		figures += (*r)->n_figures;
		results += (*r)->n_results;
		runs += (*r)->n_figures || (*r)->n_results;
	}
	buf_printf(out, "%s: %s, %zu runs, %zu results, %zu figures", d->file, d->format, runs,
		results, figures);
	if (d->n_missing)
		buf_printf(out, "; %zu cells without a figure", d->n_missing);
	if (d->n_left_out)
		buf_printf(out, "; %zu left out", d->n_left_out);
	if (d->n_refused)
		buf_printf(out, "; %zu refused", d->n_refused);
	buf_puts(out, d->args->dry_run ? "; nothing is stored\n" : "\n");
	vec_each (&d->runs, r)
		if ((*r)->n_results || (*r)->n_figures)
			put_run(*r, out);
}

static void tell(
	struct importing *im, const struct import_draft *d, const char *sha256, const struct err *e)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	if (im->live)
		fputs("\r\033[K", stderr);
	vec_each (&d->warnings, w)
		fprintf(stderr, "%s\n", *w);
	if (d->n_warnings > d->warnings.n)
		fprintf(stderr, "%s: %zu more warnings\n", d->file, d->n_warnings - d->warnings.n);
	if (im->args.json)
		json_array_append_new(im->told, draft_json(d, sha256, e));
	if (err_is(e)) {
		cli_fail(EXIT_USAGE, "import: %s", e->msg);
		return;
	}
	put_draft(d, &out);
	if (!im->args.json && cli_out(&out))
		im->status = EXIT_INCOMPLETE;
}

/* ---- one operand ------------------------------------------------------------------------------
 */

/* What the type says of itself: its SoC, and that it is a twin. */
static void fill_types(struct importing *im, struct import_draft *d)
{
	vec_each (&d->runs, p) {
		struct import_run *r = *p;
		const struct type *type = r->id.type ? type_find(&im->types, r->id.type) : NULL;

		if (type && !r->id.soc)
			r->id.soc = type->soc;
		if (type && type->twin)
			r->id.twin = true;
		if (r->id.type && !type && (r->n_results || r->n_figures))
			import_warn(d, 0, "'%s' is no board type that is known here", r->id.type);
	}
}

static void import_file(struct importing *im, const char *path)
{
	AUTOBUF text = BUF_INIT(IMPORT_FILE_BYTES);
	struct import_draft d;
	char sha256[DIGEST_HEX_BYTES] = "";
	struct err e = {0};
	int failed;

	import_draft_init(&d, path, &im->args, &im->metrics);
	failed = fs_read(path, &text, &e);
	if (!failed) {
		digest_sha256(buf_str(&text), text.len, sha256);
		failed = import_read(&d, &im->map, str_make(buf_str(&text), text.len), &e);
	}
	if (!failed) {
		fill_types(im, &d);
		failed = import_complete(&d, &e);
	}
	if (failed)
		im->status = worse(im->status, EXIT_USAGE);
	else if (im->store && import_store(&d, im->store, sha256, &e))
		im->status = EXIT_INCOMPLETE;
	tell(im, &d, sha256, &e);
	import_draft_done(&d);
}

static bool is_job_folder(const char *dir)
{
	AUTOFREE char *events = fs_join(dir, "events.jsonl"), *status = fs_join(dir, "status");

	return fs_exists(events) || fs_exists(status);
}

static void import_folder(struct importing *im, const char *dir)
{
	struct err e = {0};
	int64_t id = 0;

	if (im->args.dry_run)
		printf("%s: a job folder; nothing is stored\n", dir);
	else if (store_import(im->store, dir, &id, &e))
		im->status = cli_fail(EXIT_INCOMPLETE, "import: %s", e.msg);
	else if (im->args.json)
		json_array_append_new(
			im->told, json_pack("{s:s, s:s, s:[{s:I}]}", "file", dir, "format",
					  "job folder", "runs", "run", (json_int_t)id));
	else
		printf("%s: run %lld\n", dir, (long long)id);
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Files and job folders below dir, in the order of their names. */
static void gather(struct importing *im, const char *dir, unsigned depth)
{
	struct dirent **list = NULL;
	int n;

	if (!fs_is_dir(dir) || is_job_folder(dir)) {
		if (im->files.n < FILES_MAX)
			vec_push(&im->files, mem_strdup(dir));
		return;
	}
	n = depth < DEPTH_MAX ? scandir(dir, &list, not_hidden, alphasort) : 0;
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);

		gather(im, path, depth + 1);
		free(list[i]);
	}
	free(list);
}

static void import_all(struct importing *im)
{
	im->live = im->files.n > 1 && cli_tty(STDERR_FILENO);
	for (size_t i = 0; i < im->files.n; i++) {
		if (im->live)
			fprintf(stderr, "\r\033[K%zu of %zu: %s", i + 1, im->files.n,
				fs_basename(im->files.p[i]));
		if (is_job_folder(im->files.p[i]))
			import_folder(im, im->files.p[i]);
		else
			import_file(im, im->files.p[i]);
	}
	if (im->files.n >= FILES_MAX)
		im->status = cli_fail(EXIT_USAGE, "import: more than %d files", FILES_MAX);
	if (!im->files.n)
		im->status = cli_fail(EXIT_USAGE, "import: there is no file in what was named");
}

/* ------------------------------------------------------------------------------------------------
 */

static int load(struct importing *im)
{
	const struct import_args *a = &im->args;
	struct diag diag = {0};
	struct err e = {0};
	int64_t date;
	int failed;

	if (a->date && import_date(a->date, &date))
		return cli_fail(EXIT_USAGE, "import: '%s' is no date such as 2026-01-31", a->date);
	if (report_load_metrics(&im->metrics, &e))
		return cli_fail(EXIT_USAGE, "import: %s", e.msg);
	failed = a->map && import_map_load(&im->map, a->map, &im->metrics, &diag);
	failed |= import_map_load_own(&im->map, &im->metrics, &diag);
	failed |= types_load_default(&im->types, &diag);
	if (failed)
		cli_diag(&diag);
	diag_done(&diag);
	if (failed)
		return EXIT_USAGE;
	im->store = a->dry_run ? NULL : store_open(a->store, false, &e);
	if (!im->store && !a->dry_run)
		return cli_fail(EXIT_INCOMPLETE, "import: %s", e.msg);
	return EXIT_PASS;
}

static int run(int argc, char **argv)
{
	struct importing im = {.told = json_array()};
	char **operands;
	int n = cli_parse(&import_command, argc, argv, &im.args, &operands, &im.status);

	if (n < 0) {
		json_decref(im.told);
		return im.status;
	}
	im.status = load(&im);
	for (int i = 0; i < n && !im.status; i++)
		gather(&im, operands[i], 0);
	if (!im.status) {
		import_all(&im);
		if (im.args.json) {
			AUTOJSON *doc = json_pack(
				"{s:s, s:O}", "schema", "hilab.import/1", "files", im.told);

			im.status = worse(im.status, cli_out_json(doc));
		}
	}
	store_close(im.store);
	import_map_done(&im.map);
	types_done(&im.types);
	metric_table_done(&im.metrics);
	vec_each (&im.files, f)
		free(*f);
	vec_done(&im.files);
	json_decref(im.told);
	return im.status;
}

const struct cli_command import_command = {
	.name = "import",
	.brief = "put what was measured elsewhere, or job folders, into the store",
	.usage = "FILE|DIR...",
	.details =
		"Results and figures of a file become a run like any other: TAP, KTAP, JUnit XML, "
		"a "
		"LAVA\nserver's results (YAML, CSV, JSON), 'hilab report --format json', CSV and "
		"JSON metrics, the\noutput of any tool that 'hilab parse' knows, and published "
		"tables (RST, HTML, CSV). What the\ncells of a table are, a mapping says; those "
		"installed know the guides that the references\ncome from.\n\n"
		"A figure that cannot be understood is a warning with its line; nothing is "
		"guessed. "
		"A file\nis stored whole or not at all, and the same file again changes nothing. "
		"Of a folder all\nfiles are imported; a job folder as the run that it is.\n\n"
		"The exit status is 0 when all was stored or is there already, 2 when a file "
		"cannot be\nimported, 3 when the store cannot be written.",
	.example = "  hilab import --type am62axx-sk --release 11.0 --date 2026-04-07 guide.rst\n"
		   "  hilab import --dry-run --map history.yaml figures.csv\n"
		   "  hilab import ~/.local/state/hilab/runs/20261130-121500-smoke-4711",
	.opts = opts,
	.min_operands = 1,
	.max_operands = -1,
	.run = run,
};
