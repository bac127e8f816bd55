/* SPDX-License-Identifier: MIT */
/*
 * From a nightly plan to what the controller takes. Invariant: the plan and all of its jobs are
 * right before anything is sent, and each build and file is sent once.
 */
#include "cli/nightly.h"

#include "agents/boot/boot.h"
#include "agents/deploy/deploy.h"
#include "agents/measure/measure.h"
#include "base/fs.h"
#include "base/mem.h"
#include "cli/listing.h"
#include "cli/upload.h"
#include "io/json.h"
#include "io/yaml.h"
#include "reports/parse/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* A build that the command line names by a path is beside nobody's plan. */
static char *build_word(const char *word)
{
	if (strchr(word, '/') || str_ends(str_of(word), ".yaml") || fs_is_dir(word))
		return fs_absolute(word);
	return mem_strdup(word);
}

/* Lays the options over the document. -1 after telling. */
static int overlay(struct arena *arena, struct node *doc, const struct nightly_args *a)
{
	const struct loc at = {.file = "--build"};
	struct node *builds = node_new(arena, NODE_LIST, at);
	struct node *over = node_new(arena, NODE_MAP, doc->at);
	const struct node *params = node_find(doc, "params");
	struct node *merged;
	struct params given;
	int rc;

	for (size_t i = 0; i < a->builds.n; i++) {
		AUTOFREE char *word = build_word(a->builds.p[i]);

		node_list_add(arena, builds, node_scalar(arena, word, at));
	}
	if (a->builds.n)
		node_map_set(arena, doc, "builds", builds);
	rc = params_split(&given, &a->params, "nightly");
	for (size_t i = 0; !rc && i < given.n; i++) {
		struct node *value =
			node_scalar(arena, given.values[i], (struct loc){.file = "--param"});

		value->quoted = true;
		node_map_set(arena, over, given.names[i], value);
		over->kids[over->n - 1]->key_at = value->at;
	}
	if (!rc && given.n) {
		merged = node_overlay(
			arena, params ? params : node_new(arena, NODE_MAP, doc->at), over);
		node_map_set(arena, doc, "params", merged);
	}
	params_done(&given);
	return rc;
}

int nightly_expand(struct nightly *n, const char *path, const struct nightly_args *a)
{
	const struct job_tables tables = {
		deploy_drivers(), boot_drivers(), measure_drivers(), parse_drivers()};
	struct arena arena = {0};
	struct types types = {0};
	struct diag diag = {0};
	struct node *doc = yaml_load(&arena, path, &diag);
	int rc = -1;

	if (doc && doc_kind_of(doc) != DOC_NIGHTLY) {
		diag_add(&diag, doc->at, "not a nightly: there is no key 'nightly'");
	} else if (doc && !types_load_default(&types, &diag)) {
		rc = overlay(&arena, doc, a);
		if (!rc)
			rc = nightly_read(n, doc, &types, &tables, &diag);
		types_done(&types);
	}
	cli_diag(&diag);
	diag_done(&diag);
	arena_done(&arena);
	return rc;
}

/* ---- showing ---- */

static json_t *params_of(const struct nightly_entry *e)
{
	json_t *j = json_object();

	for (size_t i = 0; i < e->n_params; i++)
		json_object_set_new(j, e->params[i].name, json_string(e->params[i].value));
	return j;
}

static json_t *board_of(const struct nightly_entry *e)
{
	json_t *j = json_object(), *tags;

	if (e->match.board)
		json_object_set_new(j, "name", json_string(e->match.board));
	if (e->match.type)
		json_object_set_new(j, "type", json_string(e->match.type));
	if (e->match.soc)
		json_object_set_new(j, "soc", json_string(e->match.soc));
	if (e->match.tags.n) {
		tags = json_array();
		for (size_t i = 0; i < e->match.tags.n; i++)
			json_array_append_new(tags, json_string(e->match.tags.p[i]));
		json_object_set_new(j, "tags", tags);
	}
	return j;
}

static void put_entry(struct listing *t, const struct nightly_entry *e)
{
	AUTOBUF params = BUF_INIT(4096);

	for (size_t i = 0; i < e->n_params; i++)
		buf_printf(&params, "%s%s=%s", i ? " " : "", e->params[i].name, e->params[i].value);
	listing_add(t, e->job);
	listing_add(t, e->match.type);
	listing_add(t, e->match.board);
	listing_add(t, e->match.soc);
	listing_add(t, e->build);
	listing_add(t, e->file);
	listing_add(t, buf_str(&params));
}

int nightly_print(const struct nightly *n, bool json)
{
	static const char *const headings[] = {
		"JOB", "TYPE", "BOARD", "SOC", "BUILD", "FILE", "PARAMS", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *list = json_array();
	struct listing t;

	listing_init(&t, headings);
	for (size_t i = 0; i < n->n; i++) {
		const struct nightly_entry *e = &n->entries[i];

		put_entry(&t, e);
		json_array_append_new(list,
			json_pack("{s:s, s:s, s:o, s:s?, s:o}", "job", e->job, "file", e->file,
				"board", board_of(e), "build", e->build, "params", params_of(e)));
	}
	listing_print(&t, &out);
	listing_done(&t);
	if (json)
		return cli_out_json(list);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* ---- sending ---- */

struct sending {
	struct remote *r;
	bool quiet;
	int *exit_status;
	json_t *builds;                   /* as the plan says -> as the controller has it */
	const struct nightly_entry *last; /* whose text and files these are */
	json_t *text, *files;
};

/* Borrowed; NULL after telling. */
static json_t *send_build(struct sending *s, const char *build)
{
	json_t *known = json_object_get(s->builds, build);
	AUTOFREE char *name = NULL;

	if (known)
		return known;
	name = upload_build(s->r, build, s->quiet, s->exit_status);
	if (!name)
		return NULL;
	json_object_set_new(s->builds, build, json_string(name));
	return json_object_get(s->builds, build);
}

/* The document, and what its `put` steps send: the same for all entries of one job of the plan. */
static int send_job(struct sending *s, const struct nightly_entry *e)
{
	AUTOBUF text = BUF_INIT(YAML_FILE_BYTES);
	struct params params = {0};
	struct err err = {0};

	if (s->last && s->last->params == e->params && !strcmp(s->last->file, e->file))
		return 0;
	json_decref(s->text);
	json_decref(s->files);
	s->text = s->files = NULL;
	s->last = e;
	if (e->n_params > PARAMS_MAX)
		return cli_fail(
			-1, "nightly: job '%s' has more than %d params", e->job, PARAMS_MAX);
	if (fs_read(e->file, &text, &err))
		return cli_fail(-1, "nightly: %s", err.msg);
	s->text = json_string(buf_str(&text));
	if (!s->text)
		return cli_fail(-1, "nightly: '%s' is not UTF-8 text", e->file);
	for (size_t i = 0; i < e->n_params; i++) {
		params.names[params.n] = mem_strdup(e->params[i].name);
		params.values[params.n++] = e->params[i].value;
	}
	s->files = upload_puts(s->r, e->file, &params, s->quiet, NULL, s->exit_status);
	params_done(&params);
	return s->files ? 0 : -1;
}

/* A new reference; NULL after telling. */
static json_t *send_entry(struct sending *s, const struct nightly *n, const struct nightly_entry *e)
{
	json_t *build = NULL, *j;

	if (e->build) {
		build = send_build(s, e->build);
		if (!build)
			return NULL;
	}
	if (send_job(s, e))
		return NULL;
	j = json_pack("{s:O, s:s, s:o, s:I, s:O, s:o}", "text", s->text, "file", e->file, "params",
		params_of(e), "priority", (json_int_t)n->priority, "files", s->files, "board",
		board_of(e));
	if (build)
		json_object_set(j, "build", build);
	return j;
}

json_t *nightly_body(
	struct remote *r, const struct nightly *n, bool schedule, bool quiet, int *exit_status)
{
	struct sending s = {
		.r = r, .quiet = quiet, .exit_status = exit_status, .builds = json_object()};
	json_t *entries = json_array(), *body = NULL;
	size_t i;

	*exit_status = EXIT_USAGE;
	for (i = 0; i < n->n; i++) {
		json_t *entry = send_entry(&s, n, &n->entries[i]);

		if (!entry)
			break;
		json_array_append_new(entries, entry);
	}
	if (i == n->n) {
		body = json_pack("{s:s, s:O, s:I}", "plan", n->name, "entries", entries,
			"deadline_ms", (json_int_t)n->deadline_ms);
		json_object_set_new(body, "policy", nightly_policy(&n->confirm));
		if (schedule)
			json_object_set_new(body, "schedule", json_string(n->schedule));
	}
	json_decref(entries);
	json_decref(s.builds);
	json_decref(s.text);
	json_decref(s.files);
	return body;
}
