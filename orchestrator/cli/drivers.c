/* SPDX-License-Identifier: MIT */
/*
 * `hilab drivers`: the SoCs' driver support matrices with what the store last heard of each row.
 * Invariant: a row counts as proven on silicon only by a pass of its step on a board that is no
 * twin; a result that was lost says nothing, an older one then counts.
 */
#include "drivers/support.h"

#include "base/map.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "io/json.h"
#include "store/store.h"

#include <errno.h>
#include <string.h>

#define RUNS_OF_A_JOB 20 /* newest runs of one job on one kind of board that are looked at */

struct args {
	const char *store;
	bool json;
};

static const struct cli_opt opts[] = {
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{0},
};

/* ---- what the store last heard ---- */

struct heard {
	const char *status; /* NULL: lost, or not told yet */
	int64_t run;
	size_t passed, skipped, bad; /* results STEP/TEST below it */
};
struct hearing {
	struct store *store;
	const char *soc;
	struct arena arena;
	struct map results; /* "JOB/KIND/RESULT" -> struct heard */
	struct map jobs;    /* "JOB/KIND" -> int *: runs looked at */
	const char *of;     /* the run in hand: "JOB/KIND" */
	int64_t run;
	struct map now; /* its results, as in results */
	struct err err;
};

static const char *const kinds[] = {"real", "twin"};

static struct heard *heard_now(struct hearing *h, const char *name, size_t n)
{
	const char *key = arena_printf(&h->arena, "%s/%.*s", h->of, (int)n, name);
	struct heard *heard = map_find(&h->now, key);

	if (!heard) {
		heard = arena_alloc(&h->arena, sizeof *heard);
		heard->run = h->run;
		map_set(&h->now, key, heard);
	}
	return heard;
}

static bool is_bad_word(const char *status)
{
	return !strcmp(status, "fail") || !strcmp(status, "error");
}

static int hear_result(void *arg, const struct store_result *r)
{
	struct hearing *h = arg;
	const char *slash = strchr(r->name, '/');
	struct heard *step;

	if (!strcmp(r->status, "miss"))
		return 0;
	heard_now(h, r->name, strlen(r->name))->status = arena_strdup(&h->arena, r->status);
	if (!slash)
		return 0;
	step = heard_now(h, r->name, (size_t)(slash - r->name));
	step->passed += !strcmp(r->status, "pass");
	step->skipped += !strcmp(r->status, "skip");
	step->bad += is_bad_word(r->status);
	return 0;
}

/* A step whose tests were all skipped ended well and proves nothing. */
static void hear_step(struct heard *s)
{
	if (strcmp(s->status, "pass"))
		return;
	if (s->bad)
		s->status = "fail";
	else if (!s->passed && s->skipped)
		s->status = "skip";
}

/* What an older run said counts only where this one, or a newer one, says nothing. */
static void keep_run(struct hearing *h)
{
	map_each (&h->now, entry) {
		struct heard *heard = entry->value;

		if (!heard->status || map_has(&h->results, entry->key))
			continue;
		hear_step(heard);
		map_set(&h->results, entry->key, heard);
	}
	map_done(&h->now);
}

static int hear_run(void *arg, const struct store_run *run)
{
	struct hearing *h = arg;
	AUTOFREE char *key = mem_printf("%s/%s", run->job, kinds[run->twin]);
	int *seen = map_find(&h->jobs, key);

	if (!seen || *seen >= RUNS_OF_A_JOB || !run->verdict || !run->soc ||
		strcmp(run->soc, h->soc))
		return 0;
	++*seen;
	h->of = key;
	h->run = run->id;
	if (store_results(h->store, run->id, hear_result, h, &h->err))
		return -1;
	keep_run(h);
	return 0;
}

/* Only jobs that rows name are looked at. No store yet: nothing was heard. */
static int hear(struct hearing *h, const struct support *s, const char *path, struct err *e)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->drivers[i].n; k++)
			for (int twin = 0; s->drivers[i].rows[k].job_name && twin < 2; twin++) {
				const char *key = arena_printf(&h->arena, "%s/%s",
					s->drivers[i].rows[k].job_name, kinds[twin]);

				if (!map_has(&h->jobs, key))
					map_set(&h->jobs, key, arena_alloc(&h->arena, sizeof(int)));
			}
	h->soc = s->soc;
	h->store = store_open(path, true, e);
	if (!h->store)
		return !path && e->sys == ENOENT ? 0 : -1;
	if (store_runs(h->store, 0, hear_run, h, e)) {
		if (err_is(&h->err))
			*e = h->err;
		return -1;
	}
	return 0;
}

static void hearing_done(struct hearing *h)
{
	store_close(h->store);
	map_done(&h->results);
	map_done(&h->now);
	map_done(&h->jobs);
	arena_done(&h->arena);
}

/* A test that its step did not come to, as all before it was skipped, is skipped. */
static const struct heard *heard_of(const struct hearing *h, const struct support_row *r, int twin)
{
	AUTOFREE char *step = NULL, *test = NULL;
	const struct heard *of_step, *of_test;

	if (r->proof != SUPPORT_BY_STEP)
		return NULL;
	step = mem_printf("%s/%s/%s", r->job_name, kinds[twin], r->step);
	of_step = map_find(&h->results, step);
	if (!r->test)
		return of_step;
	test = mem_printf("%s/%s", step, r->test);
	of_test = map_find(&h->results, test);
	return !of_test && of_step && !strcmp(of_step->status, "skip") ? of_step : of_test;
}

/* ---- classes ---- */

enum class { SILICON, TWIN, FAILING, SKIPPED, NOT_RUN, NOT_YET, NOT_TESTABLE, CLASSES };
static const char *const classes[] = {
	"on silicon", "on twin", "failing", "skipped", "not run", "not yet", "not testable"};

static bool is(const struct heard *h, const char *status)
{
	return h && !strcmp(h->status, status);
}

static bool is_bad(const struct heard *h)
{
	return h && is_bad_word(h->status);
}

static enum class class_of(const struct hearing *h, const struct support_row *r) {
	const struct heard *real = heard_of(h, r, 0), *twin = heard_of(h, r, 1);

	if (r->proof == SUPPORT_NOT_TESTABLE) return NOT_TESTABLE;
	if (r->proof != SUPPORT_BY_STEP) return NOT_YET;
	if (is_bad(real) || (is_bad(twin) && !is(real, "pass"))) return FAILING;
	if (is(real, "pass")) return SILICON;
	if (is(twin, "pass")) return TWIN;
	return real || twin ? SKIPPED : NOT_RUN;
}

/* ---- printing ---- */

static const char *proof_text(const struct support_row *r, struct buf *out)
{
	buf_reset(out);
	if (r->proof == SUPPORT_NOT_TESTABLE)
		buf_printf(out, "not testable: %s", r->not_testable);
	else if (r->proof != SUPPORT_BY_STEP)
		buf_printf(out, "not yet: %s", r->not_yet ? r->not_yet : "no such job or step");
	else
		buf_printf(out, "%s %s%s%s", r->job, r->step, r->test ? "/" : "",
			r->test ? r->test : "");
	return buf_str(out);
}

static json_t *heard_json(const struct heard *h)
{
	return h ? json_pack("{s:s, s:I}", "status", h->status, "run", (json_int_t)h->run)
		 : json_null();
}

static json_t *row_json(const struct hearing *h, const struct support_row *r)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:s, s:o, s:o}", "row",
		r->name, "driver", r->of->name, "kind", support_kinds[r->kind], "says", r->says,
		"job", r->job, "step", r->step, "test", r->test, "not_testable", r->not_testable,
		"not_yet", r->proof == SUPPORT_NOT_YET ? r->not_yet : NULL, "class",
		classes[class_of(h, r)], "real", heard_json(heard_of(h, r, 0)), "twin",
		heard_json(heard_of(h, r, 1)));
}

static void row_text(struct listing *l, const struct hearing *h, const struct support_row *r)
{
	AUTOBUF proof = BUF_INIT(BUF_CAP_BYTES);

	listing_add(l, r->name);
	listing_add(l, support_kinds[r->kind]);
	listing_add(l, classes[class_of(h, r)]);
	listing_add(l, r->says);
	listing_add(l, proof_text(r, &proof));
}

static void count(const struct hearing *h, const struct support *s, size_t *counts)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->drivers[i].n; k++)
			counts[class_of(h, &s->drivers[i].rows[k])]++;
}

static json_t *counts_json(const size_t *counts)
{
	json_t *j = json_object();

	for (int c = 0; c < CLASSES; c++)
		json_object_set_new(j, classes[c], json_integer((json_int_t)counts[c]));
	return j;
}

static json_t *words_json(const struct param_strings *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->n; i++)
		json_array_append_new(list, json_string(words->p[i]));
	return list;
}

static json_t *driver_json(const struct support_driver *d)
{
	return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:o, s:o, s:o}", "driver", d->name, "title",
		d->title, "does", d->does, "type", d->type, "dma", d->dma, "calls",
		words_json(&d->calls), "options", words_json(&d->options), "modules",
		words_json(&d->modules));
}

static void driver_head(const struct support_driver *d, struct buf *out)
{
	static const char *const labels[] = {"calls", "options", "modules"};
	const struct param_strings *lists[] = {&d->calls, &d->options, &d->modules};

	buf_printf(out, "%s%s: %s", out->len ? "\n" : "", d->name, d->title);
	if (d->type)
		buf_printf(
			out, " (%s%s%s)", d->type, d->dma ? "; DMA: " : "", d->dma ? d->dma : "");
	buf_printf(out, "%s%s\n", d->does ? ": " : "", d->does ? d->does : "");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (lists[i]->n)
			buf_printf(out, "  %s:", labels[i]);
		for (size_t k = 0; k < lists[i]->n; k++)
			buf_printf(out, " %s%s", lists[i]->p[k], k + 1 == lists[i]->n ? "\n" : "");
	}
}

static int show(
	const struct support *s, const struct hearing *h, const char *only, const struct args *a)
{
	static const char *const headings[] = {"ROW", "KIND", "PROVEN", "SAYS", "BY", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *rows = json_array(), *drivers = json_array();
	size_t counts[CLASSES] = {0}, shown = 0;

	count(h, s, counts);
	for (size_t i = 0; i < s->n; i++) {
		const struct support_driver *d = &s->drivers[i];
		struct listing l;

		if (only && strcmp(only, d->name))
			continue;
		shown++;
		driver_head(d, &out);
		json_array_append_new(drivers, driver_json(d));
		listing_init(&l, headings);
		for (size_t k = 0; k < d->n; k++) {
			row_text(&l, h, &d->rows[k]);
			json_array_append_new(rows, row_json(h, &d->rows[k]));
		}
		listing_print(&l, &out);
		listing_done(&l);
	}
	if (!shown)
		return cli_fail(EXIT_USAGE, "drivers: '%s' has no driver '%s'", s->soc, only);
	if (a->json) {
		AUTOJSON *j = json_pack("{s:s, s:s, s:O, s:O, s:o}", "soc", s->soc, "document",
			s->document, "drivers", drivers, "rows", rows, "counts",
			counts_json(counts));

		return cli_out_json(j);
	}
	buf_printf(&out, "\n%s, %zu rows:", s->soc, s->n_rows);
	for (int c = 0; c < CLASSES; c++)
		buf_printf(&out, "%s %zu %s", c ? "," : "", counts[c], classes[c]);
	buf_putc(&out, '\n');
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* ---- the command ---- */

/* Loads, resolves, hears; tells what is wrong. */
static int open_soc(struct support *s, struct hearing *h, const char *soc, const struct args *a)
{
	struct diag diag = {0};
	struct err e = {0};
	int rc = support_load_soc(s, soc, &diag);

	if (!rc)
		support_resolve(s, NULL, &diag); /* what it says is told, the rest is shown */
	cli_diag(&diag);
	diag_done(&diag);
	if (rc)
		return EXIT_USAGE;
	return hear(h, s, a->store, &e) ? cli_fail(EXIT_INCOMPLETE, "drivers: %s", e.msg)
					: EXIT_PASS;
}

static int list(const struct args *a)
{
	static const char *const headings[] = {"SOC", "DRIVERS", "ROWS", "SILICON", "TWIN",
		"FAILING", "SKIPPED", "NOT RUN", "NOT YET", "UNTESTABLE", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *all = json_array();
	struct arena arena = {0};
	const char **socs = support_socs(&arena);
	int status = EXIT_PASS;
	struct listing l;

	listing_init(&l, headings);
	for (; *socs && status == EXIT_PASS; socs++) {
		struct support s = {0};
		struct hearing h = {0};
		size_t counts[CLASSES] = {0};

		status = open_soc(&s, &h, *socs, a);
		count(&h, &s, counts);
		listing_add(&l, *socs);
		listing_printf(&l, "%zu", s.n);
		listing_printf(&l, "%zu", s.n_rows);
		for (int c = 0; c < CLASSES; c++)
			listing_printf(&l, "%zu", counts[c]);
		json_array_append_new(all,
			json_pack("{s:s, s:I, s:I, s:o}", "soc", *socs, "drivers", (json_int_t)s.n,
				"rows", (json_int_t)s.n_rows, "counts", counts_json(counts)));
		hearing_done(&h);
		support_done(&s);
	}
	listing_print(&l, &out);
	listing_done(&l);
	arena_done(&arena);
	if (status != EXIT_PASS)
		return status;
	if (a->json)
		return cli_out_json(all);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int run(int argc, char **argv)
{
	struct support s = {0};
	struct hearing h = {0};
	struct args a = {0};
	char **operands;
	int status, n = cli_parse(&drivers_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	if (!n)
		return list(&a);
	status = open_soc(&s, &h, operands[0], &a);
	if (status == EXIT_PASS)
		status = show(&s, &h, n > 1 ? operands[1] : NULL, &a);
	hearing_done(&h);
	support_done(&s);
	return status;
}

const struct cli_command drivers_command = {
	.name = "drivers",
	.brief = "show which drivers a SoC has, and what is proven of them",
	.usage = "[SOC [DRIVER]]",
	.details = "Each row is a statement of the SoC's published guide and the step of the job "
		   "that\n"
		   "proves it. Proven on silicon: its newest result on a real board is pass. On "
		   "twin: the\n"
		   "same on a virtual one. Not run: no result yet. Not yet: no job yet.",
	.example = "  hilab drivers am335x uart",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
