/* SPDX-License-Identifier: MIT */
/*
 * From a job document to what the queue holds: plans, and what they ask of boards. Invariant: what
 * is queued compiled, and every image and file that its plans name by digest is here.
 */
#include "api/api.h"

#include "base/fs.h"
#include "io/json.h"
#include "io/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_MAX        64
#define KEY_BYTES_MAX     200
#define QUEUE_WAIT_MAX_MS ((int64_t)366 * 24 * 3600000)

/* ---- what is laid over the document ---- */

static int settings_of(
	const json_t *params, struct arena *a, struct job_setting *out, size_t *n, struct err *e)
{
	const char *name;
	json_t *value;

	*n = 0;
	json_object_foreach ((json_t *)params, name, value) {
		if (*n == PARAMS_MAX)
			return err_set(e, BLAME_CONFIG, "more than %d params", PARAMS_MAX);
		if (!json_is_string(value))
			return err_set(e, BLAME_CONFIG, "params: '%s' is no text", name);
		out[(*n)++] = (struct job_setting){.name = arena_strdup(a, name),
			.value = arena_strdup(a, json_string_value(value))};
	}
	return 0;
}

static int words_over(struct arena *a, const json_t *list, const char *key,
	struct param_strings *out, struct err *e)
{
	size_t i, n = json_array_size(list);
	json_t *word;

	if (!list)
		return 0;
	if (!json_is_array(list))
		return err_set(e, BLAME_CONFIG, "board: '%s' is no list", key);
	out->p = arena_alloc(a, (n + 1) * sizeof *out->p);
	out->n = 0;
	json_array_foreach ((json_t *)list, i, word) {
		if (!json_is_string(word))
			return err_set(e, BLAME_CONFIG, "board: '%s' holds no text", key);
		out->p[out->n++] = arena_strdup(a, json_string_value(word));
	}
	return 0;
}

static int match_over(struct arena *a, const json_t *board, struct match *m, struct err *e)
{
	const char *const keys[] = {"name", "type", "soc"};
	const char **to[] = {&m->board, &m->type, &m->soc};

	for (size_t i = 0; board && i < ARRAY_LEN(keys); i++) {
		const char *text = json_text(board, keys[i], NULL);

		if (text)
			*to[i] = arena_strdup(a, text);
	}
	if (words_over(a, json_object_get(board, "peripherals"), "peripherals", &m->peripherals, e))
		return -1;
	return words_over(a, json_object_get(board, "tags"), "tags", &m->tags, e);
}

/* What `put` steps send was uploaded: the plan names it by its digest. */
static int use_files(struct server *s, const json_t *files, struct plan *p, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		struct step *st = &p->steps[i];
		const char *sha256 = json_text(files, st->name, NULL);
		char path[80];

		if (st->kind != STEP_PUT)
			continue;
		if (!sha256 || !blob_there(s, sha256))
			return err_set(e, BLAME_CONFIG,
				"step '%s' sends a file that was not uploaded", st->name);
		snprintf(path, sizeof path, PLAN_BLOB "%s", sha256);
		plan_set_put_file(p, st, path);
	}
	return 0;
}

/* ---- compiling ---- */

struct compiled { /* all parts of one document */
	struct server *server;
	const struct submit *in;
	struct arena *arena;
	struct store_job *job;
	json_t *plans, *wants;
};

static int add_plan(struct compiled *x, struct plan *p, const struct node *board, struct diag *diag,
	struct err *e)
{
	const char *build = x->in->build ? x->in->build : p->build;
	json_t *plan, *want;

	if (match_over(&p->arena, x->in->board, &p->match, e) ||
		match_check(&x->server->types, &p->match, x->in->board ? NULL : board, diag) ||
		use_files(x->server, x->in->files, p, e) ||
		(build && build_into(x->server, build, p, e)))
		return -1;
	if (p->build && !x->job->build)
		x->job->build = arena_printf(x->arena, "%s %s", p->build, p->build_version);
	if (!x->job->name) {
		x->job->name = arena_strdup(x->arena, p->job);
		x->job->timeout_ms = p->timeout_ms;
	}
	plan = plan_to_json(p);
	want = json_copy(json_object_get(plan, "board"));
	if (x->in->labs)
		json_object_set(want, "labs", (json_t *)x->in->labs);
	json_array_append_new(
		x->plans, json_pack("{s:s?, s:o}", "role", p->role, "plan", json_incref(plan)));
	json_array_append_new(x->wants, want);
	json_decref(plan);
	return 0;
}

static int compile(struct compiled *x, const struct node *doc, struct diag *diag, struct err *e)
{
	struct job_setting settings[PARAMS_MAX];
	struct job_parts parts = {0};
	size_t n;
	int r = 0;

	if (settings_of(x->in->params, x->arena, settings, &n, e))
		return -1;
	if (job_compile_parts(&parts, doc, settings, n, x->server->tables, diag))
		return -1;
	for (size_t i = 0; !r && i < parts.n; i++)
		r = add_plan(x, &parts.plans[i], parts.boards[i], diag, e);
	job_parts_done(&parts);
	return r;
}

/* The list as text in the job's arena. */
static const char *text_of(struct arena *a, json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT);
	const char *kept = arena_strdup(a, text);

	free(text);
	return kept;
}

int submit_compile(struct server *s, const struct submit *in, struct arena *a,
	struct store_job *job, struct diag *diag, struct err *e)
{
	struct compiled x = {s, in, a, job, json_array(), json_array()};
	struct arena doc_arena = {0};
	const struct node *doc = yaml_parse(&doc_arena, in->file, str_of(in->text), diag);
	int r = -1;

	if (doc && doc_kind_of(doc) != DOC_JOB)
		diag_add(diag, doc->at, "not a job: there is no key 'job'");
	else if (doc)
		r = compile(&x, doc, diag, e);
	if (!r) {
		job->plans = text_of(a, x.plans);
		job->wants = text_of(a, x.wants);
		job->text = in->text;
		job->file = in->file;
		job->params = in->params ? text_of(a, (json_t *)in->params) : "{}";
	}
	json_decref(x.plans);
	json_decref(x.wants);
	arena_done(&doc_arena);
	return r;
}

int submit_body(struct call *c, const json_t *body, struct arena *a, struct store_job *job,
	struct diag *diag, struct err *e)
{
	const struct submit in = {.text = json_text(body, "text", NULL),
		.file = json_text(body, "file", "job.yaml"),
		.params = json_object_get(body, "params"),
		.board = json_object_get(body, "board"),
		.files = json_object_get(body, "files"),
		.labs = c->who.labs,
		.build = json_text(body, "build", NULL)};
	int64_t priority = json_int(body, "priority", 0);
	int64_t wait_ms = json_int(body, "queue_timeout_ms", 0);

	if (!in.text)
		return err_set(e, BLAME_CONFIG, "'text' is needed: the job document");
	if (priority < -100 || priority > 100)
		return err_set(e, BLAME_CONFIG, "priority: between -100 and 100");
	if (priority > 0 && !call_is(c, RIGHTS_OPERATOR))
		return err_set(e, BLAME_CONFIG, "priority: more than 0 needs an operator");
	if (wait_ms < 0 || wait_ms > QUEUE_WAIT_MAX_MS)
		return err_set(e, BLAME_CONFIG, "queue_timeout_ms: between 0 and a year");
	*job = (struct store_job){.kind = "job",
		.submitter = c->who.name,
		.priority = priority,
		.queue_timeout_ms = wait_ms,
		.retry_of = json_int(body, "retry_of", 0),
		.key = json_text(body, "key", NULL)};
	if (job->key && strlen(job->key) > KEY_BYTES_MAX)
		return err_set(e, BLAME_CONFIG, "key: at most %d bytes", KEY_BYTES_MAX);
	return submit_compile(c->server, &in, a, job, diag, e);
}

/* ---- health checks ---- */

static const struct node *health_of(const struct server *s, const char *type)
{
	const struct node *own = node_find(s->conf.health, type);

	return own ? own : node_find(s->conf.health, "default");
}

char *health_job(void *server, const char *type, int64_t *every_ms)
{
	const struct node *conf = health_of(server, type);
	struct server_health h = {0};
	struct arena a = {0};
	char *job = NULL;

	/* It was found right as the server began. */
	if (conf && !schema_fill(&a, server_health_params, "health check", conf, &h, NULL)) {
		*every_ms = h.every_ms;
		job = fs_beside(conf->at.file, h.job);
	}
	arena_done(&a);
	if (job)
		return job;
	/* Without a word of the configuration: what any board can do. */
	return ((struct server *)server)->conf.health ? NULL
						      : fs_data_path("jobs/common/health.yaml");
}

int health_compile(void *server, struct arena *a, const char *path, const char *board,
	struct store_job *job, struct err *e)
{
	AUTOBUF text = BUF_INIT(YAML_FILE_BYTES);
	AUTOJSON *on = json_pack("{s:s}", "name", board);
	struct submit in = {.file = arena_strdup(a, path), .board = on};
	struct diag diag = {0};
	int r = fs_read(path, &text, e);

	if (!r) {
		in.text = arena_strdup(a, buf_str(&text));
		r = submit_compile(server, &in, a, job, &diag, e);
	}
	if (diag.entries.n) {
		char at[512];

		r = err_set(e, BLAME_CONFIG, "%s: %s",
			loc_format(diag.entries.p[0].at, at, sizeof at), diag.entries.p[0].text);
	}
	diag_done(&diag);
	return r;
}
