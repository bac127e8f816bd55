/* SPDX-License-Identifier: MIT */
/*
 * `hilab reparse`: the kept outputs of runs through today's parsers, and what that changes.
 * Invariant: without --record or --use the store is only read; what is recorded is one more reading
 * beside those that are there.
 */
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/report.h"
#include "io/json.h"
#include "reports/reading.h"
#include "reports/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	const char *store, *use;
	bool json, record, readings, exit_code;
};

static const struct cli_opt opts[] = {
	{"record", 0, CLI_FLAG, offsetof(struct args, record), NULL,
		"store what changed as a new reading, which counts from then on"},
	{"readings", 0, CLI_FLAG, offsetof(struct args, readings), NULL,
		"list the readings that were recorded"},
	{"use", 0, CLI_TEXT, offsetof(struct args, use), "READING",
		"let that reading count; 0: what the worker told"},
	{"exit-code", 0, CLI_FLAG, offsetof(struct args, exit_code), NULL,
		"exit 1 when something changed"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

static json_t *text_json(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *change_json(const struct reading_change *c)
{
	json_t *labels = c->labels ? json_loads(c->labels, 0, NULL) : NULL;

	return json_pack("{s:s, s:s, s:i, s:o, s:s, s:o, s:o, s:o}", "change", c->change, "kind",
		c->kind, "part", (int)c->part, "suite", text_json(c->suite), "name", c->name,
		"labels", labels ? labels : json_null(), "before", text_json(c->before), "after",
		text_json(c->after));
}

static json_t *reading_json(const struct reading *r)
{
	json_t *changes = json_array(), *warnings = json_array();

	for (size_t i = 0; i < r->n_changes; i++)
		json_array_append_new(changes, change_json(&r->changes[i]));
	for (size_t i = 0; i < r->n_warnings; i++)
		json_array_append_new(warnings, json_string(r->warnings[i]));
	return json_pack("{s:I, s:I, s:I, s:{s:s, s:s}, s:o, s:o}", "run", (json_int_t)r->r.run,
		"outputs", (json_int_t)r->n_outputs, "same", (json_int_t)r->n_same, "verdict",
		"before", r->verdict, "after", r->r.verdict, "changes", changes, "warnings",
		warnings);
}

/* What came of one run, for people. */
static void put_reading(const struct reading *r, struct buf *out)
{
	static const char *const headings[] = {
		"CHANGE", "KIND", "NAME", "BEFORE", "AFTER", "LABELS", NULL};
	struct listing t;

	buf_printf(out, "run %lld: %zu output%s read again, %zu the same, %zu changed\n",
		(long long)r->r.run, r->n_outputs, r->n_outputs == 1 ? "" : "s", r->n_same,
		r->n_changes);
	listing_init(&t, headings);
	for (size_t i = 0; i < r->n_changes; i++) {
		const struct reading_change *c = &r->changes[i];

		listing_add(&t, c->change);
		listing_add(&t, c->kind);
		listing_add(&t, c->name);
		listing_add(&t, c->before);
		listing_add(&t, c->after);
		listing_add(&t, c->labels && strcmp(c->labels, "{}") ? c->labels : "");
	}
	if (r->n_changes)
		listing_print(&t, out);
	listing_done(&t);
	for (size_t i = 0; i < r->n_warnings; i++)
		buf_printf(out, "warning: %s\n", r->warnings[i]);
	if (strcmp(r->verdict, r->r.verdict))
		buf_printf(out, "verdict: %s, and was %s\n", r->r.verdict, r->verdict);
}

struct reparse {
	const struct args *a;
	struct store *s;
	struct metric_table metrics;
	json_t *runs;
	bool changed;
};

static int record(struct reparse *rp, struct reading *r, json_t *j, struct err *e)
{
	char *changes = json_dumps(j, JSON_COMPACT);
	int failed;

	r->r.changes = changes ? changes : "{}";
	failed = store_reading_add(rp->s, &r->r, e);
	free(changes);
	return failed;
}

static int one_run(struct reparse *rp, const char *operand, struct buf *out, struct err *e)
{
	struct reading r = {0};
	int64_t run;
	json_t *j;
	int failed = 0;

	if (report_find_run(rp->s, operand, &run, e) ||
		reading_make(&r, rp->s, run, &rp->metrics, e))
		return -1;
	j = reading_json(&r);
	put_reading(&r, out);
	if (r.n_changes && rp->a->record) {
		failed = record(rp, &r, j, e);
		buf_printf(out, failed ? "" : "recorded as reading %lld\n", (long long)r.r.id);
	}
	json_object_set_new(j, "reading", r.r.id ? json_integer(r.r.id) : json_null());
	json_array_append_new(rp->runs, j);
	rp->changed |= r.n_changes > 0;
	reading_done(&r);
	return failed;
}

/* Each by itself: one that cannot be read does not keep the others from it. */
static int all_runs(struct reparse *rp, char **operands, int n)
{
	bool live = n > 1 && !rp->a->json && isatty(STDERR_FILENO);
	int status = EXIT_PASS;

	for (int i = 0; i < n; i++) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
		struct err e = {0};

		if (live)
			fprintf(stderr, "\r%d of %d\033[K", i + 1, n);
		if (one_run(rp, operands[i], &out, &e)) {
			status = cli_fail(blame_exit(e.blame), "reparse: %s", e.msg);
			json_array_append_new(rp->runs,
				json_pack("{s:s, s:s}", "operand", operands[i], "error", e.msg));
		}
		if (live)
			fprintf(stderr, "\r\033[K");
		if (!rp->a->json && cli_out(&out))
			return EXIT_INCOMPLETE;
	}
	return status ? status : rp->a->exit_code && rp->changed ? EXIT_FAIL : EXIT_PASS;
}

static int on_reading(void *arg, const struct store_reading *r)
{
	json_t *changes = json_loads(r->changes, 0, NULL);

	json_array_append_new(arg,
		json_pack("{s:I, s:I, s:s, s:s, s:b, s:o}", "reading", (json_int_t)r->id, "at_ms",
			(json_int_t)r->at_ms, "version", r->version, "verdict", r->verdict,
			"counts", (int)r->counts, "found", changes ? changes : json_null()));
	return 0;
}

static int put_readings(const json_t *list, const struct args *a)
{
	static const char *const headings[] = {
		"READING", "AGE", "HILAB", "VERDICT", "CHANGES", "COUNTS", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct listing t;
	json_t *one;
	size_t i;

	if (a->json)
		return 0;
	listing_init(&t, headings);
	json_array_foreach (list, i, one) {
		listing_printf(&t, "%lld", (long long)json_int(one, "reading", 0));
		listing_age(&t, json_int(one, "at_ms", 0));
		listing_add(&t, json_text(one, "version", NULL));
		listing_add(&t, json_text(one, "verdict", NULL));
		listing_printf(&t, "%zu",
			json_array_size(json_object_get(json_object_get(one, "found"), "changes")));
		listing_add(&t, json_flag(one, "counts", false) ? "yes" : "");
	}
	if (i)
		listing_print(&t, &out);
	else
		buf_puts(&out, "it was read once: by its worker\n");
	listing_done(&t);
	return cli_out(&out);
}

/* --readings and --use, of one run. */
static int choose(struct reparse *rp, const char *operand)
{
	struct err e = {0};
	int64_t run, use;

	if (rp->a->use && (str_i64(str_of(rp->a->use), &use) || use < 0))
		return cli_fail(EXIT_USAGE, "reparse: '%s' is no reading: a number", rp->a->use);
	if (report_find_run(rp->s, operand, &run, &e) ||
		(rp->a->use && store_reading_use(rp->s, run, use, &e)) ||
		(rp->a->readings && store_readings(rp->s, run, on_reading, rp->runs, &e)))
		return cli_fail(blame_exit(e.blame), "reparse: %s", e.msg);
	return rp->a->readings && put_readings(rp->runs, rp->a) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct reparse rp = {.a = &a};
	AUTOJSON *doc = NULL;
	struct err e = {0};
	char **operands;
	int status, n = cli_parse(&reparse_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	if ((a.use || a.readings) && (n > 1 || a.record))
		return cli_fail(EXIT_USAGE, "reparse: --use and --readings are of one run that is "
					    "not read again now");
	rp.s = store_open(a.store, !a.record && !a.use, &e);
	if (!rp.s || report_load_metrics(&rp.metrics, &e)) {
		store_close(rp.s);
		return cli_fail(blame_exit(e.blame), "reparse: %s", e.msg);
	}
	rp.runs = json_array();
	status = a.use || a.readings ? choose(&rp, operands[0]) : all_runs(&rp, operands, n);
	doc = json_pack("{s:s, s:o}", "schema", "hilab.reparse/1", a.readings ? "readings" : "runs",
		rp.runs);
	if (a.json && !(a.use && !a.readings) && cli_out_json(doc))
		status = EXIT_INCOMPLETE;
	metric_table_done(&rp.metrics);
	store_close(rp.s);
	return status;
}

const struct cli_command reparse_command = {
	.name = "reparse",
	.brief = "read the kept outputs of runs again, with today's parsers",
	.usage = "RUN|latest...",
	.details =
		"Each output that a step gave to a parser is kept in the run's folder. It is read\n"
		"again by the plan that the run ran by, and what differs from what counts now is\n"
		"shown: changed, new or gone. What no parser told stays as it is. With --record "
		"it\n"
		"becomes a reading of its own: it counts from then on for reports and verdicts, "
		"and\n"
		"the readings before it stay.\n\n"
		"It works on the store and the folders of this host: for runs of a controller, on\n"
		"the controller's host with its store.\n\n"
		"The exit status is 0 when all was read, 2 when there is no such run, 3 when a "
		"run\n"
		"goes on, or its folder or an output of it is gone or damaged.",
	.example = "  hilab reparse latest\n  hilab reparse 12 13 --record\n"
		   "  hilab reparse 12 --readings\n  hilab reparse 12 --use 0",
	.opts = opts,
	.min_operands = 1,
	.max_operands = -1,
	.run = run,
};
