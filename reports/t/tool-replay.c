/* SPDX-License-Identifier: MIT */
/*
 * Published tables through a whole run. `tool-replay job SOC SEED DIR` writes DIR/job.yaml: of the
 * jobs of that SoC's tables each step with its suite, labels and parser as they compile, and in
 * place of its command the table's text, rendered into DIR. `tool-replay judge SOC SEED STORE`
 * counts which figures the newest run stored with exactly their drawn values.
 */
#include "reports/coverage.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"
#include "io/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MAX 16
#define LABELS_MAX   32

static struct metric_table metrics;
static struct reference_set set;
static struct replay replay;

static const struct reference_table *table_of(const struct replay_table *t)
{
	for (size_t i = 0; i < t->reference->n_tables; i++)
		if (!strcmp(t->reference->tables[i].section, t->section) &&
			!strcmp(t->reference->tables[i].table, t->table))
			return &t->reference->tables[i];
	return NULL;
}

static size_t add_settings(struct job_setting *s, size_t n, const struct node *params)
{
	node_each (params, kid) {
		size_t i = 0;

		while (i < n && strcmp(s[i].name, kid->key))
			i++;
		if (i == n && n < SETTINGS_MAX)
			s[n++] = (struct job_setting){kid->key, kid->text, kid->at};
	}
	return n;
}

/* The show's step in the table's job, compiled; NULL. */
static const struct step *compile(
	struct plan *p, const struct reference_table *t, const struct replay_show *show)
{
	const struct job_tables tables = {NULL, NULL, NULL, parse_drivers()};
	AUTOFREE char *below = mem_printf("jobs/%s", t->job);
	AUTOFREE char *path = fs_data_path(below);
	struct job_setting settings[SETTINGS_MAX];
	size_t n = add_settings(settings, 0, show->params);
	struct arena arena = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_load(&arena, path, &diag);
	const struct step *found = NULL;

	n = add_settings(settings, n, t->job_params);
	if (doc && !job_compile(p, doc, settings, n, &tables, &diag))
		for (size_t i = 0; i < p->n && !found; i++)
			if (!strcmp(p->steps[i].name, show->step))
				found = &p->steps[i];
	diag_done(&diag);
	arena_done(&arena);
	return found;
}

static const char *parser_of(const struct step *s)
{
	const struct node *settings;
	const struct node *parse = s->kind == STEP_RUN ? ((const struct step_run *)s->conf)->parse
				   : s->kind == STEP_LOADER
					   ? ((const struct step_loader *)s->conf)->parse
					   : NULL;

	return parse ? plan_parser(parse, &settings) : NULL;
}

static void put_step(struct buf *out, const struct step *s, size_t nth, const char *dir)
{
	const char *sep = "";

	buf_printf(out, "  - run:\n      name: s%zu\n      suite: \"%s\"\n", nth, s->name);
	if (s->labels && s->labels->n) {
		buf_puts(out, "      labels: {");
		node_each (s->labels, kid) {
			buf_printf(out, "%s%s: \"%s\"", sep, kid->key, kid->text);
			sep = ", ";
		}
		buf_puts(out, "}\n");
	}
	if (parser_of(s))
		buf_printf(out, "      command: cat %s/%zu.txt\n      parse: %s\n", dir, nth,
			parser_of(s));
	else
		buf_printf(out, "      command: . %s/%zu.txt\n", dir, nth);
}

/* Returns whether the show is in the job. */
static bool put_show(struct buf *out, const struct replay_table *t, const struct replay_show *show,
	uint64_t seed, size_t nth, const char *dir)
{
	const struct reference_table *rt = table_of(t);
	AUTOFREE struct replay_drawn *drawn = mem_alloc(t->reference->n * sizeof *drawn);
	AUTOFREE char *path = mem_printf("%s/%zu.txt", dir, nth);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	const struct step *s;
	struct plan p = {0};
	struct err e = {0};
	bool put = false;

	if (!show->step || !rt || !rt->job)
		return false;
	s = compile(&p, rt, show);
	if (!s || !parser_of(s) != !show->parse ||
		(show->parse && strcmp(parser_of(s), show->parse)))
		fprintf(stderr, "%s: no step '%s' that parses '%s'\n", rt->job, show->step,
			show->parse ? show->parse : "frames");
	else if (replay_render(t, show, seed, drawn, &text, &e) ||
		 fs_write(path, buf_str(&text), text.len, 0644, &e))
		fprintf(stderr, "%s\n", e.msg);
	else
		put = true;
	if (put)
		put_step(out, s, nth, dir);
	plan_done(&p);
	return put;
}

static int write_job(const char *soc, uint64_t seed, const char *dir)
{
	AUTOFREE char *path = fs_join(dir, "job.yaml");
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	size_t nth = 0;

	buf_printf(&out,
		"job: replay-%s\nboard: {soc: am62axx}\nbuild: ./build.yaml\ntimeout: 10m\n"
		"steps:\n  - power: off\n  - deploy: {method: tftp, images: [kernel, rootfs]}\n"
		"  - boot: u-boot\n  - login\n",
		soc);
	for (size_t i = 0; i < replay.n; i++)
		for (size_t k = 0; !strcmp(replay.tables[i].soc, soc) && k < replay.tables[i].n;
			k++)
			nth += put_show(&out, &replay.tables[i], &replay.tables[i].shows[k], seed,
				nth, dir);
	printf("%zu steps\n", nth);
	return fs_write(path, buf_str(&out), out.len, 0644, &e) ? 1 : 0;
}

struct judge {
	const struct replay_table *any; /* of the SoC */
	struct replay_drawn *drawn;
	int64_t run;
};

static int hear_metric(void *arg, const struct store_metric *m)
{
	struct judge *j = arg;
	AUTOJSON *labels_json = json_loads(m->labels, 0, NULL);
	struct sink_label labels[LABELS_MAX];
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach (labels_json, name, value)
		if (n < LABELS_MAX && json_is_string(value))
			labels[n++] = (struct sink_label){name, json_string_value(value)};
	replay_tell(j->any, j->drawn, m->name, m->value, m->min, m->max, labels, n);
	return 0;
}

static int hear_run(void *arg, const struct store_run *run)
{
	((struct judge *)arg)->run = run->id;
	return 0;
}

/* A table is whole when all its figures are. */
static void print_tally(const struct judge *j, const struct reference *r)
{
	size_t figures = 0, tables = 0;

	for (size_t k = 0; k < r->n_tables; k++) {
		size_t n = 0, good = 0;

		for (size_t i = 0; i < r->n; i++) {
			const struct replay_drawn *d = &j->drawn[i];

			if (strcmp(r->figures[i].section, r->tables[k].section) ||
				strcmp(r->figures[i].table, r->tables[k].table))
				continue;
			n++;
			good += d->shown && d->told && !d->wrong;
			if (d->wrong)
				printf("# another value stands under %s\n", r->figures[i].key);
		}
		figures += good;
		tables += good == n;
	}
	printf("%zu of %zu figures, %zu of %zu tables\n", figures, r->n, tables, r->n_tables);
}

static int judge(const char *soc, uint64_t seed, const char *path)
{
	const struct reference *r = reference_set_find(&set, soc);
	struct judge j = {.drawn = mem_alloc((r->n + 1) * sizeof *j.drawn)};
	struct err e = {0};
	struct store *store = store_open(path, true, &e);
	int failed = !store;

	for (size_t i = 0; i < r->n; i++)
		j.drawn[i] = (struct replay_drawn){.value = NAN, .min = NAN, .max = NAN};
	for (size_t i = 0; !failed && i < replay.n; i++)
		for (size_t k = 0; !strcmp(replay.tables[i].soc, soc) && k < replay.tables[i].n;
			k++) {
			AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

			j.any = &replay.tables[i];
			if (j.any->shows[k].step) /* else it is in no job */
				failed |= replay_render(
					j.any, &j.any->shows[k], seed, j.drawn, &text, &e);
		}
	failed = failed || store_runs(store, 1, hear_run, &j, &e) ||
		 store_metrics(store, j.run, hear_metric, &j, &e);
	if (failed)
		fprintf(stderr, "%s\n", e.msg);
	else
		print_tally(&j, r);
	store_close(store);
	free(j.drawn);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	struct diag diag = {0};
	uint64_t seed;
	int status = 2;

	if (argc < 5 || str_u64(str_of(argv[3]), &seed))
		return 2;
	if (!metric_table_load(&metrics, path, &diag) &&
		!reference_set_load(&set, NULL, &metrics, &diag) &&
		!replay_load(&replay, NULL, &set, &diag) && reference_set_find(&set, argv[2]))
		status = !strcmp(argv[1], "job") ? write_job(argv[2], seed, argv[4])
						 : judge(argv[2], seed, argv[4]);
	replay_done(&replay);
	reference_set_done(&set);
	metric_table_done(&metrics);
	diag_done(&diag);
	return status;
}
