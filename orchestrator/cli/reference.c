/* SPDX-License-Identifier: MIT */
/* `hilab reference`: the published figures that measurements are compared with. */
#include "reports/reference.h"

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/report.h"
#include "io/json.h"

#include <math.h>
#include <string.h>

struct args {
	bool json, tables;
};

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{"tables", 0, CLI_FLAG, offsetof(struct args, tables), NULL,
		"with list: each table, and the parsers that make its figures"},
	{0},
};

static size_t noted(const struct reference *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->figures[i].note != NULL;
	return n;
}

static int print(const json_t *j, const struct args *a, const struct listing *t)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	if (a->json)
		return cli_out_json(j);
	listing_print(t, &out);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* Each table, and who makes its figures out of what is printed. */
static int list_tables(const struct reference_set *s, const struct args *a)
{
	static const char *const headings[] = {"SOC", "SECTION", "TABLE", "PARSER", NULL};
	AUTOJSON *all = json_array();
	struct listing t;
	int status;

	listing_init(&t, headings);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->p[i].n_tables; k++) {
			const struct reference_table *table = &s->p[i].tables[k];
			AUTOBUF names = BUF_INIT(BUF_CAP_BYTES);
			json_t *parsers = json_array();

			for (size_t p = 0; p < table->parsers.n; p++) {
				buf_printf(&names, "%s%s", p ? "," : "", table->parsers.p[p]);
				json_array_append_new(parsers, json_string(table->parsers.p[p]));
			}
			listing_add(&t, s->p[i].soc);
			listing_add(&t, table->section);
			listing_add(&t, table->table);
			listing_add(&t, names.len ? buf_str(&names) : "-");
			json_array_append_new(
				all, json_pack("{s:s, s:s, s:s, s:o, s:s?}", "soc", s->p[i].soc,
					     "section", table->section, "table", table->table,
					     "parser", parsers, "no_parser", table->no_parser));
		}
	status = print(all, a, &t);
	listing_done(&t);
	return status;
}

static int list(const struct reference_set *s, const struct args *a)
{
	static const char *const headings[] = {"SOC", "TABLES", "FIGURES", "NOTED", NULL};
	AUTOJSON *all = json_array();
	struct listing t;
	int status;

	listing_init(&t, headings);
	for (size_t i = 0; i < s->n; i++) {
		const struct reference *r = &s->p[i];

		listing_add(&t, r->soc);
		listing_printf(&t, "%zu", r->n_tables);
		listing_printf(&t, "%zu", r->n);
		listing_printf(&t, "%zu", noted(r));
		json_array_append_new(
			all, json_pack("{s:s, s:I, s:I, s:I}", "soc", r->soc, "tables",
				     (json_int_t)r->n_tables, "figures", (json_int_t)r->n, "noted",
				     (json_int_t)noted(r)));
	}
	status = print(all, a, &t);
	listing_done(&t);
	return status;
}

static json_t *told(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *figure_json(const struct reference_figure *f)
{
	json_t *params = json_object();

	node_each (f->params, kid)
		json_object_set_new(params, kid->key, json_string(kid->text));
	return json_pack("{s:s, s:s, s:I, s:s, s:o, s:f, s:o, s:o, s:s, s:{s:s, s:s?, s:s?, s:s}, "
			 "s:s?}",
		"section", f->section, "table", f->table, "row", (json_int_t)f->row, "metric",
		f->def->name, "params", params, "value", f->value, "min", told(f->min), "max",
		told(f->max), "unit", f->def->unit, "printed", "value", f->printed, "min",
		f->printed_min, "max", f->printed_max, "unit", f->unit, "note", f->note);
}

/* "fio.read" is the beginning of fio.read.bw, not of fio.reader. */
static bool is_asked(const char *metric, const char *asked)
{
	size_t n = asked ? strlen(asked) : 0;

	return !n || (!strncmp(metric, asked, n) &&
			     (!metric[n] || metric[n] == '.' || asked[n - 1] == '.'));
}

static int show(const struct reference_set *s, const struct args *a, char **operands, int n)
{
	static const char *const headings[] = {
		"METRIC", "VALUE", "MIN", "MAX", "UNIT", "PARAMETERS", "NOTE", NULL};
	const struct reference *r = n ? reference_set_find(s, operands[0]) : NULL;
	AUTOJSON *all = json_array();
	struct listing t;
	int status;

	if (!r)
		return cli_fail(EXIT_USAGE, "reference: %s '%s' (see 'hilab reference list')",
			n ? "no figures of SoC" : "show needs a SoC, not", n ? operands[0] : "");
	listing_init(&t, headings);
	for (size_t i = 0; i < r->n; i++) {
		const struct reference_figure *f = &r->figures[i];

		if (!is_asked(f->def->name, n > 1 ? operands[1] : NULL))
			continue;
		listing_add(&t, f->def->name);
		listing_add(&t, f->printed);
		listing_add(&t, f->printed_min);
		listing_add(&t, f->printed_max);
		listing_add(&t, *f->unit ? f->unit : NULL);
		listing_add(&t, f->key + strcspn(f->key, " ") + (strchr(f->key, ' ') != NULL));
		listing_add(&t, f->note ? f->note : "");
		json_array_append_new(all, figure_json(f));
	}
	if (json_array_size(all))
		status = print(all, a, &t);
	else
		status = cli_fail(EXIT_FAIL, "reference: %s has no figure of '%s'", r->soc,
			n > 1 ? operands[1] : "");
	listing_done(&t);
	return status;
}

/* What is wrong was told as it was read. */
static int check(const struct reference_set *s, const struct args *a)
{
	AUTOBUF out = BUF_INIT(1 << 12);
	AUTOJSON *j = NULL;
	size_t n = 0, doubtful = 0;

	for (size_t i = 0; i < s->n; i++) {
		n += s->p[i].n;
		doubtful += noted(&s->p[i]);
	}
	j = json_pack("{s:I, s:I, s:I}", "documents", (json_int_t)s->n, "figures", (json_int_t)n,
		"noted", (json_int_t)doubtful);
	if (a->json)
		return cli_out_json(j);
	buf_printf(&out, "%zu documents, %zu figures, %zu of them noted as doubtful\n", s->n, n,
		doubtful);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int load(struct reference_set *s, const struct metric_table *metrics, const char *dir)
{
	struct diag diag = {0};
	int failed = reference_set_load(s, dir, metrics, &diag);

	if (failed)
		cli_diag(&diag);
	diag_done(&diag);
	return failed;
}

static int run(int argc, char **argv)
{
	static const char *const verbs[] = {"check", "list", "show"};
	struct metric_table metrics = {0};
	struct reference_set s = {0};
	struct args a = {0};
	struct err e = {0};
	char **operands;
	int status, n = cli_parse(&reference_command, argc, argv, &a, &operands, &status);
	int verb;

	if (n < 0)
		return status;
	verb = cli_verb("reference", operands[0], verbs, ARRAY_LEN(verbs));
	if (verb < 0)
		return EXIT_USAGE;
	if (n > (verb == 2 ? 3 : verb == 0 ? 2 : 1))
		return cli_fail(
			EXIT_USAGE, "reference: %s takes no '%s'", verbs[verb], operands[n - 1]);
	if (report_load_metrics(&metrics, &e))
		return cli_fail(EXIT_INCOMPLETE, "reference: %s", e.msg);
	if (load(&s, &metrics, verb == 0 && n > 1 ? operands[1] : NULL))
		status = EXIT_USAGE;
	else if (verb == 0)
		status = check(&s, &a);
	else if (verb == 1)
		status = a.tables ? list_tables(&s, &a) : list(&s, &a);
	else
		status = show(&s, &a, operands + 1, n - 1);
	reference_set_done(&s);
	metric_table_done(&metrics);
	return status;
}

const struct cli_command reference_command = {
	.name = "reference",
	.brief = "list, show or check published figures",
	.usage = "list [--tables] | show SOC [METRIC] | check [FOLDER]",
	.details =
		"Figures as they were printed; --json has them in the metric's unit too. METRIC "
		"may\n"
		"be the beginning of a name. A note says what is doubtful in the source.\n\n"
		"check reads the installed files, or those of FOLDER: every metric known, every\n"
		"unit converts, nothing twice. It ends with 2 when something is wrong.",
	.example = "  hilab reference show am62axx fio.read",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 3,
	.run = run,
};
