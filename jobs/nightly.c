/* SPDX-License-Identifier: MIT */
/*
 * Nightly plans: the document, and the jobs, types and builds that it names. Invariant: everything
 * is looked at whatever was found before, and a plan is handed out only when nothing is wrong with
 * it or with any job in it.
 */
#include "jobs/nightly-inner.h"

#include "base/mem.h"
#include "io/yaml.h"

#include <stdio.h>
#include <string.h>

#define DEADLINE_MAX_MS ((int64_t)7 * 24 * 3600 * 1000)

struct head { /* nightly_params */
	const char *name, *description, *schedule, *soc;
	int64_t deadline_ms, priority;
	const struct node *jobs, *params, *exclude, *include, *confirm;
	struct param_strings types, boards, tags, builds;
};
const struct param nightly_params[] = {
	{"nightly", PARAM_STRING, offsetof(struct head, name), .required = true,
		.help = "name of the nightly; its nights are listed under it",
		.example = "am62axx"},
	{"description", PARAM_STRING, offsetof(struct head, description),
		.help = "one line for people", .example = "all of AM62Ax, every night"},
	{"schedule", PARAM_STRING, offsetof(struct head, schedule),
		.help = "when it begins, once added to a controller: minute hour day month "
			"weekday, in the controller's local time",
		.example = "30 1 * * *"},
	{"deadline", PARAM_DURATION, offsetof(struct head, deadline_ms), .min = 1000,
		.max = DEADLINE_MAX_MS,
		.help = "jobs that have not begun so long after the start are canceled",
		.example = "6h"},
	{"priority", PARAM_INT, offsetof(struct head, priority), .preset = "-10", .min = -100,
		.max = 100, .help = "of its jobs; people's have 0"},
	{"jobs", PARAM_LIST, offsetof(struct head, jobs),
		.help = "files of jobs, or mappings with more about each",
		.example = "[smoke.yaml, {file: soak.yaml, params: {hours: 1}}]"},
	{"types", PARAM_STRINGS, offsetof(struct head, types),
		.help = "board types that each job runs on, where it fits",
		.example = "[am62axx-sk, am62axx-sk-twin]"},
	{"boards", PARAM_STRINGS, offsetof(struct head, boards),
		.help = "boards by name that each job runs on, beside the types",
		.example = "[am62a-1]"},
	{"soc", PARAM_STRING, offsetof(struct head, soc),
		.help = "instead of types and boards: any board with this SoC",
		.example = "am62axx"},
	{"tags", PARAM_STRINGS, offsetof(struct head, tags),
		.help = "words that each board must bear beside those that its job asks for",
		.example = "[rack-2]"},
	{"builds", PARAM_STRINGS, offsetof(struct head, builds),
		.help = "names or manifests of builds that each job runs with, instead of its own",
		.example = "[am62axx-11.00, ../out/build.yaml]"},
	{"params", PARAM_MAP, offsetof(struct head, params),
		.help = "name -> value: for those jobs that declare the param",
		.example = "{size: 64m}"},
	{"exclude", PARAM_LIST, offsetof(struct head, exclude),
		.help = "combinations that are left out",
		.example = "[{job: soak, type: evm-twin}]"},
	{"include", PARAM_LIST, offsetof(struct head, include),
		.help = "jobs beside the combinations, each as it is written",
		.example = "[{file: soak.yaml, board: am62a-3}]"},
	{"confirm", PARAM_MAP, offsetof(struct head, confirm),
		.help = "how often what became worse is run again, before it is believed and to "
			"find the build that did it",
		.example = "{same: 5, locate: 60}"},
	{0},
};

#define CONFIRM_MAX 1000
const struct param nightly_confirm_params[] = {
	{"same", PARAM_INT, offsetof(struct nightly_confirm, same), .preset = "5",
		.max = CONFIRM_MAX,
		.help = "at most so often as it was, on the same board; 0: nothing is run again"},
	{"good", PARAM_INT, offsetof(struct nightly_confirm, good), .preset = "5",
		.max = CONFIRM_MAX,
		.help = "at most so often with the last good build: is it the board?"},
	{"other", PARAM_INT, offsetof(struct nightly_confirm, other), .preset = "3",
		.max = CONFIRM_MAX, .help = "at most so often on another board of the type"},
	{"locate", PARAM_INT, offsetof(struct nightly_confirm, locate), .preset = "60",
		.max = CONFIRM_MAX,
		.help = "at most so often with builds between: which one was it?"},
	{0},
};

json_t *nightly_policy(const struct nightly_confirm *c)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "same", (json_int_t)c->same, "good",
		(json_int_t)c->good, "other", (json_int_t)c->other, "locate",
		(json_int_t)c->locate);
}

struct nightly_confirm nightly_confirm_preset(void)
{
	struct nightly_confirm c = {0};
	struct arena none = {0};

	schema_fill(&none, nightly_confirm_params, "confirm", NULL, &c, NULL);
	arena_done(&none);
	return c;
}

struct job_row { /* nightly_job_params */
	const char *file;
	const struct node *params;
	struct param_strings types, builds;
};
const struct param nightly_job_params[] = {
	{"file", PARAM_STRING, offsetof(struct job_row, file), .required = true,
		.help = "the job, beside the plan", .example = "soak.yaml"},
	{"params", PARAM_MAP, offsetof(struct job_row, params),
		.help = "name -> value: of this job, over those of the plan",
		.example = "{hours: 1}"},
	{"types", PARAM_STRINGS, offsetof(struct job_row, types),
		.help = "only on these of the plan's types", .example = "[am62axx-sk]"},
	{"builds", PARAM_STRINGS, offsetof(struct job_row, builds),
		.help = "only with these of the plan's builds", .example = "[am62axx-11.00]"},
	{0},
};

struct include_row { /* nightly_include_params */
	const char *file, *type, *board, *soc, *build;
	const struct node *params;
};
const struct param nightly_include_params[] = {
	{"file", PARAM_STRING, offsetof(struct include_row, file), .required = true,
		.help = "the job, beside the plan", .example = "soak.yaml"},
	{"type", PARAM_STRING, offsetof(struct include_row, type),
		.help = "on a board of this type", .example = "am62axx-sk"},
	{"board", PARAM_STRING, offsetof(struct include_row, board), .help = "on this very board",
		.example = "am62a-3"},
	{"soc", PARAM_STRING, offsetof(struct include_row, soc), .help = "on a board with this SoC",
		.example = "am62axx"},
	{"build", PARAM_STRING, offsetof(struct include_row, build),
		.help = "name or manifest of the build, instead of the job's own",
		.example = "am62axx-11.00"},
	{"params", PARAM_MAP, offsetof(struct include_row, params),
		.help = "name -> value: of this job, over those of the plan",
		.example = "{hours: 1}"},
	{0},
};

struct exclude_row { /* nightly_exclude_params */
	const char *job, *type, *board, *build;
};
const struct param nightly_exclude_params[] = {
	{"job", PARAM_STRING, offsetof(struct exclude_row, job),
		.help = "of this job: its name, or its file as 'jobs' has it",
		.example = "am62axx-soak"},
	{"type", PARAM_STRING, offsetof(struct exclude_row, type), .help = "on this type",
		.example = "am62axx-sk-twin"},
	{"board", PARAM_STRING, offsetof(struct exclude_row, board), .help = "on this board",
		.example = "am62a-3"},
	{"build", PARAM_STRING, offsetof(struct exclude_row, build), .help = "with this build",
		.example = "am62axx-11.00"},
	{0},
};

int nightly_tell(struct nightly_reading *r, struct loc at, const char *fmt, ...)
{
	AUTOBUF text = BUF_INIT(4096);
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	r->bad = true;
	return diag_add(r->diag, at, "%s", buf_str(&text));
}

int nightly_unknown(struct nightly_reading *r, struct loc at, const char *what, const char *word,
	const char *const *names, size_t n)
{
	r->bad = true;
	return diag_unknown(r->diag, at, what, word, names, n);
}

static int fill(struct nightly_reading *r, const struct param *rows, const char *what,
	const struct node *map, void *out)
{
	if (!schema_fill(r->a, rows, what, map, out, r->diag))
		return 0;
	r->bad = true;
	return -1;
}

/* The scalars of a value that PARAM_STRINGS took: a list, or one scalar. */
static size_t texts(const struct node *n, struct node ***out, struct node **one)
{
	*one = (struct node *)n;
	*out = n && n->type == NODE_LIST ? n->kids : one;
	return !n ? 0 : n->type == NODE_LIST ? n->n : 1;
}

/* Is a word there twice? Tells so. */
static bool is_twice(struct nightly_reading *r, struct node *const *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (list[k]->text && !strcmp(list[k]->text, list[i]->text))
			return nightly_tell(r, list[i]->at, "'%s' is there already, at line %u",
				list[i]->text, list[k]->at.line);
	return false;
}

static void read_targets(struct nightly_reading *r, const struct node *doc, const struct head *h)
{
	const struct node *soc = node_find(doc, "soc");
	struct node **list, *one;
	size_t n = texts(node_find(doc, "types"), &list, &one);

	for (size_t i = 0; i < n; i++) {
		struct nightly_target t = {.type = list[i]->text, .at = list[i]->at};

		if (t.type && !is_twice(r, list, i) && !nightly_target(r, &t))
			vec_push(&r->targets, t);
	}
	n = texts(node_find(doc, "boards"), &list, &one);
	for (size_t i = 0; i < n; i++) {
		const struct nightly_target t = {.board = list[i]->text, .at = list[i]->at};

		if (t.board && !is_twice(r, list, i))
			vec_push(&r->targets, t);
	}
	if (h->soc && (h->types.n || h->boards.n)) {
		nightly_tell(r, soc->key_at,
			"'soc' stands beside '%s', which say it: one of them is too many",
			h->types.n ? "types" : "boards");
	} else if (!h->types.n && !h->boards.n) {
		struct nightly_target t = {
			.soc = h->soc, .at = soc ? soc->at : node_find(doc, "nightly")->at};

		if (!nightly_target(r, &t))
			vec_push(&r->targets, t);
	}
}

static void read_builds(struct nightly_reading *r, const struct node *doc)
{
	struct node **list, *one;
	size_t n = texts(node_find(doc, "builds"), &list, &one);

	for (size_t i = 0; i < n; i++) {
		struct nightly_build b = {0};

		if (list[i]->text && !is_twice(r, list, i) && !nightly_build(r, list[i], &b))
			vec_push(&r->builds, b);
		else
			r->incomplete = true;
	}
	if (!n)
		vec_push(&r->builds, (struct nightly_build){.met = true});
}

/* Are the words of an entry's `types:` or `builds:` among the plan's? */
static void check_words(struct nightly_reading *r, const struct node *map, const char *key,
	const struct param_strings *known)
{
	char what[16];
	struct node **list, *one;
	size_t n = texts(node_find(map, key), &list, &one);

	snprintf(what, sizeof what, "%.*s", (int)strlen(key) - 1, key);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < known->n && strcmp(known->p[k], list[i]->text) != 0)
			k++;
		if (k == known->n)
			nightly_unknown(r, list[i]->at, what, list[i]->text, known->p, known->n);
	}
}

static void read_job(struct nightly_reading *r, const struct node *n, const struct head *h)
{
	struct job_row row = {0};
	struct nightly_use use = {.at = n->at};

	if (n->type == NODE_SCALAR) {
		row.file = n->text;
	} else if (fill(r, nightly_job_params, "a job of the nightly", n, &row)) {
		r->incomplete = r->unread = true;
		return;
	}
	check_words(r, n, "types", &h->types);
	check_words(r, n, "builds", &h->builds);
	use.written = row.file;
	use.types = row.types;
	use.builds = row.builds;
	if (nightly_use(r, row.params, &use))
		r->incomplete = true;
	else
		vec_push(&r->uses, use);
}

static void read_include(struct nightly_reading *r, const struct node *n)
{
	struct include_row row = {0};
	struct nightly_use use = {.at = n->at};
	struct nightly_target t = {.at = n->at};
	struct nightly_build b = {0};
	const struct node *build = node_find(n, "build");
	const char *soc;

	if (fill(r, nightly_include_params, "an entry of 'include'", n, &row)) {
		r->incomplete = r->unread = true;
		return;
	}
	t.type = row.type;
	t.board = row.board;
	t.soc = row.soc;
	use.written = row.file;
	if (nightly_use(r, row.params, &use)) {
		r->incomplete = true;
		return;
	}
	if (nightly_target(r, &t) || (build && nightly_build(r, build, &b)))
		return;
	soc = nightly_soc(r, &use, &t);
	if (use.several && (t.type || t.board || t.soc || b.use))
		nightly_tell(
			r, n->at, "job '%s' has several boards, and says itself which", use.name);
	else if (!nightly_fits(r, &use, &t))
		nightly_tell(r, n->at, "job '%s' is for %s '%s', not for '%s'", use.name,
			use.soc ? "soc" : "type", use.soc ? use.soc : use.type,
			t.type ? t.type : t.soc);
	else if (b.soc && soc && strcmp(b.soc, soc) != 0)
		nightly_tell(
			r, build->at, "build '%s' is for soc '%s', not '%s'", b.name, b.soc, soc);
	else
		nightly_entry_add(r, &use, &t, b.use);
}

/* A param that no job has: it is misspelt, or its job is gone. */
static void check_params(struct nightly_reading *r)
{
	const char **names = arena_alloc(r->a, (r->declared.n + 1) * sizeof *names);
	size_t n = 0;

	map_each (&r->declared, d)
		names[n++] = d->key;
	for (size_t i = 0; r->params && i < r->params->n && !r->unread; i++) {
		const struct node *kid = r->params->kids[i];

		if (!map_has(&r->declared, kid->key))
			nightly_unknown(r, kid->key_at, "param of the jobs", kid->key, names, n);
	}
}

static void check_head(struct nightly_reading *r, const struct node *doc, const struct head *h)
{
	struct err e = {0};
	struct cron cron;

	if (h->name && !str_is_name(h->name))
		nightly_tell(r, node_find(doc, "nightly")->at,
			"a nightly's name is made of letters, digits, '.', '_', '+' and '-'");
	if (h->schedule && cron_parse(&cron, h->schedule, &e))
		nightly_tell(r, node_find(doc, "schedule")->at, "schedule: %s", e.msg);
	if (!(h->jobs && h->jobs->n) && !(h->include && h->include->n))
		nightly_tell(r, h->jobs ? h->jobs->at : doc->at,
			"there is nothing to do: neither 'jobs' nor 'include' names a job");
}

static void expand(struct nightly_reading *r, const struct node *doc, const struct head *h)
{
	fill(r, nightly_confirm_params, "confirm", h->confirm, &r->out->confirm);
	r->incomplete = r->bad; /* a misspelt key may be the one that would have said it */
	check_head(r, doc, h);
	read_targets(r, doc, h);
	read_builds(r, doc);
	for (size_t i = 0; h->jobs && i < h->jobs->n; i++)
		read_job(r, h->jobs->kids[i], h);
	if (h->jobs)
		nightly_matrix(r, h->exclude);
	for (size_t i = 0; h->include && i < h->include->n; i++)
		read_include(r, h->include->kids[i]);
	check_params(r);
	if (!r->bad && !r->entries.n)
		nightly_tell(r, doc->at, "there is nothing to do: everything is excluded");
}

/* The whole of it is in r->out afterwards. */
static void keep(struct nightly_reading *r, const struct head *h)
{
	struct nightly *n = r->out;

	n->name = arena_strdup(r->a, h->name);
	n->description = arena_strdup(r->a, h->description);
	n->schedule = arena_strdup(r->a, h->schedule);
	n->deadline_ms = h->deadline_ms;
	n->priority = h->priority;
	n->n = r->entries.n;
	n->entries = arena_alloc(r->a, (n->n + 1) * sizeof *n->entries);
	if (n->n)
		memcpy(n->entries, r->entries.p, n->n * sizeof *n->entries);
}

int nightly_read(struct nightly *out, const struct node *doc, const struct types *types,
	const struct job_tables *tables, struct diag *diag)
{
	struct nightly n = {0};
	struct nightly_reading r = {.out = &n,
		.a = &n.arena,
		.file = arena_strdup(&n.arena, doc->at.file),
		.types = types,
		.tables = tables,
		.diag = diag};
	struct head h = {0};

	if (doc->type != NODE_MAP)
		nightly_tell(&r, doc->at, "a nightly must be a mapping");
	else if (!fill(&r, nightly_params, "nightly", doc, &h) || h.name) {
		r.params = h.params;
		r.tags = h.tags;
		expand(&r, doc, &h);
		keep(&r, &h);
	}
	map_done(&r.declared);
	vec_done(&r.uses);
	vec_done(&r.targets);
	vec_done(&r.builds);
	vec_done(&r.entries);
	if (r.bad) {
		nightly_done(&n);
		return -1;
	}
	*out = n;
	return 0;
}

int nightly_load(struct nightly *n, const char *path, const struct types *types,
	const struct job_tables *tables, struct diag *diag)
{
	struct arena arena = {0};
	const struct node *doc = yaml_load(&arena, path, diag);
	int rc = -1;

	if (doc && doc_kind_of(doc) != DOC_NIGHTLY)
		diag_add(diag, doc->at, "not a nightly: there is no key 'nightly'");
	else if (doc)
		rc = nightly_read(n, doc, types, tables, diag);
	arena_done(&arena);
	return rc;
}

void nightly_done(struct nightly *n)
{
	arena_done(&n->arena);
	*n = (struct nightly){0};
}
