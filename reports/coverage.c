/* SPDX-License-Identifier: MIT */
/*
 * Coverage of the published documents. Invariant: nothing is counted by its name alone: a job
 * counts when it compiles and its steps tell figures, a parser when the drawn values came back, a
 * result when a stored metric fits the figure; a twin's result is never one of silicon.
 */
#include "coverage.h"

#include "agents/measure/measure.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"
#include "io/yaml.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COVERAGE_RUNS     500 /* newest runs that are looked at */
#define COVERAGE_LABELS   32
#define COVERAGE_SETTINGS 16

/* ---- jobs ---- */

static bool is_parser_of(const struct reference_table *t, const char *name)
{
	for (size_t i = 0; name && i < t->parsers.n; i++)
		if (!strcmp(t->parsers.p[i], name))
			return true;
	return false;
}

static const struct node *parse_of(const struct step *s)
{
	if (s->kind == STEP_RUN)
		return ((const struct step_run *)s->conf)->parse;
	return s->kind == STEP_LOADER ? ((const struct step_loader *)s->conf)->parse : NULL;
}

static const char *measure_parser(const struct step *s)
{
	const struct driver *d =
		driver_find(measure_drivers(), ((const struct step_measure *)s->conf)->with);

	return d ? ((const struct measure_driver *)d)->parser : NULL;
}

/* A command that prints result frames: a driver test, or the helper itself. */
static bool prints_frames(const struct step *s)
{
	const char *command =
		s->kind == STEP_RUN ? ((const struct step_run *)s->conf)->command : NULL;

	return command && (strstr(command, "hil-test ") || strstr(command, "hil_metric "));
}

static bool tells(const struct reference_table *t, const struct step *s)
{
	const struct node *parse = parse_of(s), *settings;

	if (s->sample && is_parser_of(t, "rails"))
		return true;
	if (s->kind == STEP_MEASURE)
		return is_parser_of(t, measure_parser(s));
	if (parse)
		return is_parser_of(t, plan_parser(parse, &settings));
	if (s->kind == STEP_BOOT || s->kind == STEP_LOGIN)
		return is_parser_of(t, "boot-log"); /* the worker times its stages */
	return prints_frames(s);
}

static int check_steps(const struct reference_table *t, const struct job_parts *parts,
	const char *pattern, struct buf *why)
{
	size_t found = 0;

	for (size_t i = 0; i < parts->n; i++)
		for (size_t k = 0; k < parts->plans[i].n; k++) {
			const struct step *s = &parts->plans[i].steps[k];

			if (fnmatch(pattern, s->name, 0))
				continue;
			found++;
			if (!tells(t, s)) {
				buf_printf(why, "step '%s' of %s tells no figures of it", s->name,
					t->job);
				return -1;
			}
		}
	if (!found)
		buf_printf(why, "%s has no step '%s'", t->job, pattern);
	return found ? 0 : -1;
}

int coverage_job(const struct reference_table *t, const struct job_tables *tables, struct buf *why)
{
	AUTOFREE char *below = t->job ? mem_printf("jobs/%s", t->job) : NULL;
	AUTOFREE char *path = below ? fs_data_path(below) : NULL;
	struct job_setting settings[COVERAGE_SETTINGS];
	struct job_parts parts = {0};
	struct arena arena = {0};
	struct diag diag = {0};
	const struct node *doc;
	size_t n = 0;
	int failed;

	if (!path) {
		buf_puts(why, "no job");
		return -1;
	}
	node_each (t->job_params, kid)
		if (n < COVERAGE_SETTINGS)
			settings[n++] = (struct job_setting){kid->key, kid->text, kid->at};
	doc = yaml_load(&arena, path, &diag);
	failed = !doc || job_compile_parts(&parts, doc, settings, n, tables, &diag);
	if (failed)
		diag_print(&diag, why);
	for (size_t i = 0; !failed && i < t->steps.n; i++)
		failed = check_steps(t, &parts, t->steps.p[i], why);
	job_parts_done(&parts);
	diag_done(&diag);
	arena_done(&arena);
	return failed ? -1 : 0;
}

/* ---- results ---- */

struct hearing {
	struct coverage *c;
	const struct reference_set *refs;
	const struct replay *replay;
	struct store *store;
	bool **seen[2];                 /* silicon, twin; by reference, by figure */
	struct replay_drawn **drawn;    /* what is printed for each; by reference, by figure */
	const struct replay_table *any; /* of the reference; NULL: none is replayed */
	const struct reference *r;
	bool twin;
	struct err err;
};

static const struct replay_table *any_of(const struct replay *replay, const char *soc)
{
	for (size_t i = 0; i < replay->n; i++)
		if (!strcmp(replay->tables[i].soc, soc))
			return &replay->tables[i];
	return NULL;
}

static int hear_metric(void *arg, const struct store_metric *m)
{
	struct hearing *h = arg;
	AUTOJSON *set = json_loads(m->labels, 0, NULL);
	struct sink_label labels[COVERAGE_LABELS];
	const struct reference_figure *f;
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach (set, name, value)
		if (n < COVERAGE_LABELS && json_is_string(value))
			labels[n++] = (struct sink_label){name, json_string_value(value)};
	if (h->any)
		replay_tell(h->any, h->drawn[h->r - h->refs->p], m->name, m->value, m->min, m->max,
			labels, n);
	if (reference_match(h->r, m->name, labels, n, &f) == REFERENCE_FITS)
		h->seen[h->twin][h->r - h->refs->p][f - h->r->figures] = true;
	return 0;
}

static int hear_run(void *arg, const struct store_run *run)
{
	struct hearing *h = arg;

	h->r = run->soc ? reference_set_find(h->refs, run->soc) : NULL;
	h->twin = run->twin;
	if (!h->r)
		return 0;
	h->c->runs++;
	h->any = any_of(h->replay, h->r->soc);
	return store_metrics(h->store, run->id, hear_metric, h, &h->err);
}

/* What the steps of the tables' jobs print with the values of this seed. */
static int draw(struct hearing *h, uint64_t seed, struct err *e)
{
	h->drawn = mem_alloc(h->refs->n * sizeof *h->drawn);
	for (size_t i = 0; i < h->refs->n; i++) {
		h->drawn[i] = mem_alloc((h->refs->p[i].n + 1) * sizeof **h->drawn);
		for (size_t k = 0; k < h->refs->p[i].n; k++)
			h->drawn[i][k] =
				(struct replay_drawn){.value = NAN, .min = NAN, .max = NAN};
	}
	for (size_t i = 0; i < h->replay->n; i++) {
		const struct replay_table *t = &h->replay->tables[i];

		for (size_t k = 0; k < t->n; k++) {
			AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

			if (t->shows[k].step &&
				replay_render(t, &t->shows[k], seed,
					h->drawn[t->reference - h->refs->p], &text, e))
				return -1;
		}
	}
	return 0;
}

static int hear(struct hearing *h, struct err *e)
{
	for (int k = 0; k < 2; k++) {
		h->seen[k] = mem_alloc(h->refs->n * sizeof *h->seen[k]);
		for (size_t i = 0; i < h->refs->n; i++)
			h->seen[k][i] = mem_alloc((h->refs->p[i].n + 1) * sizeof **h->seen[k]);
	}
	if (h->store && store_runs(h->store, COVERAGE_RUNS, hear_run, h, e)) {
		if (err_is(&h->err))
			*e = h->err;
		return -1;
	}
	return 0;
}

static void hearing_done(struct hearing *h)
{
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; h->seen[k] && i < h->refs->n; i++)
			free(h->seen[k][i]);
		free(h->seen[k]);
	}
	for (size_t i = 0; h->drawn && i < h->refs->n; i++)
		free(h->drawn[i]);
	free(h->drawn);
}

/* ---- all of it ---- */

static void add(struct coverage_counts *to, const struct coverage_counts *c)
{
	to->figures += c->figures;
	to->job += c->job;
	to->parser += c->parser;
	to->parsed += c->parsed;
	to->silicon += c->silicon;
	to->twin += c->twin;
	to->stored += c->stored;
}

static void count_timed(struct coverage *c, const struct hearing *h)
{
	for (size_t i = 0; i < h->refs->n; i++)
		for (size_t k = 0; k < h->refs->p[i].n; k++) {
			const struct replay_drawn *d = &h->drawn[i][k];

			c->timed += d->timed && replay_is_told(d);
			c->late_ms = d->late > c->late_ms ? d->late : c->late_ms;
		}
}

static void count_figures(const struct hearing *h, const struct reference *r,
	const struct reference_table *t, struct coverage_counts *c)
{
	size_t at = (size_t)(r - h->refs->p);

	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->figures[i].section, t->section) &&
			!strcmp(r->figures[i].table, t->table)) {
			c->figures++;
			c->silicon += h->seen[0][at][i];
			c->twin += h->seen[1][at][i];
			c->stored += replay_is_told(&h->drawn[at][i]);
		}
}

struct making {
	const struct hearing *h;
	const struct replay *replay;
	const struct metric_table *metrics;
	const struct job_tables *jobs;
	uint64_t seed;
};

static void make_table(const struct making *m, const struct reference *r,
	const struct reference_table *t, struct coverage_table *out)
{
	const struct replay_table *shown = replay_find(m->replay, r->soc, t->section, t->table);
	struct coverage_counts *c = &out->counts;
	AUTOBUF why = BUF_INIT(BUF_CAP_BYTES);

	*out = (struct coverage_table){.soc = r->soc, .t = t};
	count_figures(m->h, r, t, c);
	c->parser = t->parsers.n ? c->figures : 0;
	if (coverage_job(t, m->jobs, &why))
		out->no_job = buf_take(&why);
	else
		c->job = c->figures;
	buf_reset(&why);
	if (shown)
		c->parsed = replay_table(shown, m->metrics, m->seed, &why);
}

int coverage_make(struct coverage *c, const struct reference_set *refs, const struct replay *replay,
	const struct metric_table *metrics, const struct job_tables *tables, struct store *store,
	const char *soc, uint64_t seed, struct err *e)
{
	struct coverage made = {0};
	struct hearing h = {.c = &made, .refs = refs, .replay = replay, .store = store};
	struct making m = {&h, replay, metrics, tables, seed};
	size_t n = 0;
	int failed = draw(&h, seed, e) || hear(&h, e);

	for (size_t i = 0; i < refs->n; i++)
		n += refs->p[i].n_tables;
	made.tables = mem_alloc((n + 1) * sizeof *made.tables);
	for (size_t i = 0; !failed && i < refs->n; i++) {
		const struct reference *r = &refs->p[i];

		for (size_t k = 0; (!soc || !strcmp(soc, r->soc)) && k < r->n_tables; k++) {
			struct coverage_table *t = &made.tables[made.n++];

			make_table(&m, r, &r->tables[k], t);
			add(&made.all, &t->counts);
			made.whole += t->counts.job == t->counts.figures &&
				      t->counts.parsed == t->counts.figures;
			made.stored_whole += t->counts.stored == t->counts.figures;
		}
	}
	if (!failed)
		count_timed(&made, &h);
	hearing_done(&h);
	if (failed)
		coverage_done(&made);
	else
		*c = made;
	return failed ? -1 : 0;
}

void coverage_done(struct coverage *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->tables[i].no_job);
	free(c->tables);
	*c = (struct coverage){0};
}
