/* SPDX-License-Identifier: MIT */
/*
 * Finds the controller and calls it. Invariant: a token is read from a file that others cannot
 * read, or from the environment; it is never an argument and never printed.
 */
#include "cli/remote.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"
#include "io/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define API         "/api/v1"
#define TOKEN_BYTES 4096
#define CALL_MS     120000

struct client_server {
	const char *url, *token_file, *ca;
};
struct client_conf {
	const char *preset;
	const struct node *servers;
};

const struct param client_params[] = {
	{"default", PARAM_STRING, offsetof(struct client_conf, preset),
		.help = "the server that commands talk to when none is named", .example = "lab1"},
	{"servers", PARAM_MAP, offsetof(struct client_conf, servers),
		.help = "name -> url, token-file, ca",
		.example = "{lab1: {url: \"https://lab1.example:8420\", token-file: token.lab1}}"},
	{0},
};
const struct param client_server_params[] = {
	{"url", PARAM_STRING, offsetof(struct client_server, url), .required = true,
		.help = "where the controller is", .example = "https://lab1.example:8420"},
	{"token-file", PARAM_PATH, offsetof(struct client_server, token_file),
		.help = "file with the token, for nobody else to read", .example = "token.lab1"},
	{"ca", PARAM_PATH, offsetof(struct client_server, ca),
		.help = "certificate that signed the server's, PEM (absent: the system's)",
		.example = "lab1.pem"},
	{0},
};

/* ---- finding it ---- */

static char *state_path(const char *name)
{
	AUTOFREE char *state = fs_state_dir();

	return mem_printf("%s/server/%s", state, name);
}

/* Somebody holds the lock of this user's server folder. */
static bool local_runs(void)
{
	AUTOFREE char *path = state_path("lock");
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB);
}

static int use_local(struct remote *r, struct err *e)
{
	AUTOFREE char *path = state_path("endpoint.json");
	AUTOJSON *j = NULL;

	if (!local_runs()) {
		err_set(e, BLAME_CONFIG,
			"no controller: start one with 'hilab server', or name it with --server or "
			"HILAB_SERVER");
		e->sys = ENOENT; /* nobody was named */
		return -1;
	}
	j = json_read(path, e);
	if (!j)
		return -1;
	r->url = mem_strdup(json_text(j, "url", ""));
	r->ca = mem_strdup(json_text(j, "ca", NULL));
	r->token = mem_strdup(json_text(j, "token", NULL));
	return 0;
}

static int read_token(struct remote *r, const char *path, struct err *e)
{
	AUTOBUF text = BUF_INIT(TOKEN_BYTES);
	struct str token;
	struct stat st;

	if (fs_read(path, &text, e))
		return -1;
	if (!stat(path, &st) && st.st_mode & 077)
		return err_set(e, BLAME_CONFIG, "'%s' can be read by others: chmod 600 it", path);
	token = str_trim(str_make(buf_str(&text), text.len));
	r->token = mem_strndup(token.p, token.n);
	return 0;
}

/* A server of the configuration. 1 found, 0 there is none of that name, -1. */
static int use_named(struct remote *r, const char *name, struct diag *diag, struct err *e)
{
	AUTOFREE char *folder = fs_config_dir();
	AUTOFREE char *path = fs_join(folder, "hilab.yaml");
	struct arena arena = {0};
	struct client_conf conf = {0};
	struct client_server s = {0};
	const struct node *doc, *one;
	int rc = 0;

	if (!fs_exists(path))
		return 0;
	doc = yaml_load(&arena, path, diag);
	if (!doc || schema_fill(&arena, client_params, "client configuration", doc, &conf, diag)) {
		arena_done(&arena);
		return -1;
	}
	name = name ? name : conf.preset;
	one = name ? node_find(conf.servers, name) : NULL;
	if (name && !one && name == conf.preset)
		rc = diag_add(diag, doc->at, "default: there is no server '%s'", name);
	if (one && schema_fill(&arena, client_server_params, "server", one, &s, diag))
		rc = -1;
	if (one && !rc) {
		r->url = mem_strdup(s.url);
		r->ca = mem_strdup(s.ca);
		rc = s.token_file && !getenv("HILAB_TOKEN") && read_token(r, s.token_file, e) ? -1
											      : 1;
	}
	arena_done(&arena);
	return rc;
}

static bool is_url(const char *text)
{
	return str_starts(str_of(text), "http://") || str_starts(str_of(text), "https://");
}

/* -1: *e or diag says why. */
static int find(struct remote *r, const char *server, struct diag *diag, struct err *e)
{
	const char *env = getenv("HILAB_SERVER"), *token = getenv("HILAB_TOKEN");
	int named;

	if (!server && env && *env)
		server = env;
	if (server && is_url(server)) {
		r->url = mem_strdup(server);
	} else {
		named = use_named(r, server, diag, e);
		if (named < 0)
			return -1;
		if (!named && server)
			return err_set(e, BLAME_CONFIG,
				"there is no server '%s' in hilab.yaml, and it is no URL", server);
		if (!named && use_local(r, e))
			return -1;
	}
	if (token && *token) {
		free(r->token);
		r->token = mem_strdup(token);
	}
	return 0;
}

bool remote_known(const char *server)
{
	struct remote r = {0};
	struct diag diag = {0};
	struct err e = {0};
	/* One that is configured wrongly is one, too. */
	bool known = !find(&r, server, &diag, &e) || diag.total || e.sys != ENOENT;

	diag_done(&diag);
	remote_done(&r);
	return known;
}

int remote_open(struct remote *r, const char *server, const char *what)
{
	struct http_client_opts o = {.protocol = REMOTE_PROTOCOL};
	struct diag diag = {0};
	struct err e = {0};

	*r = (struct remote){0};
	if (!find(r, server, &diag, &e)) {
		o.base = r->url;
		o.token = r->token;
		o.ca = r->ca;
		r->http = http_client_new(NULL, &o, &e);
	}
	if (diag.total)
		cli_diag(&diag);
	else if (!r->http)
		cli_fail(-1, "%s: %s", what, e.msg);
	diag_done(&diag);
	if (r->http)
		return 0;
	remote_done(r);
	return -1;
}

void remote_done(struct remote *r)
{
	http_client_free(r->http);
	free(r->url);
	free(r->token);
	free(r->ca);
	*r = (struct remote){0};
}

/* ---- calling it ---- */

/* Tells what an answer that is not good says. */
static void tell(const struct remote *r, const struct http_answer *a, int *exit_status)
{
	AUTOJSON *j = a->status ? http_answer_json(a, NULL) : NULL;
	const json_t *error = json_object_get(j, "error");
	json_t *line;
	size_t i;

	*exit_status = a->status >= 400 && a->status < 500 ? EXIT_USAGE : EXIT_INCOMPLETE;
	if (!a->status) {
		cli_fail(-1, "%s: %s", r->url, a->e.msg);
		return;
	}
	json_array_foreach (json_object_get(error, "diagnostics"), i, line)
		fprintf(stderr, "%s\n", json_string_value(line));
	if (!json_object_get(error, "diagnostics"))
		cli_fail(-1, "%s", json_text(error, "message", "the controller gave no reason"));
}

json_t *remote_call(
	struct remote *r, const char *method, const char *path, json_t *body, int *exit_status)
{
	AUTOFREE char *whole = mem_printf(API "%s", path);
	AUTOFREE char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	struct http_ask ask = {
		.method = method, .path = whole, .body = str_of(text), .timeout_ms = CALL_MS};
	struct http_answer a = {0};
	struct err e = {0};
	json_t *j = NULL;

	json_decref(body);
	if (http_call(r->http, &ask, &a) || http_answer_check(&a, NULL)) {
		tell(r, &a, exit_status);
	} else {
		j = http_answer_json(&a, &e);
		if (!j) {
			*exit_status = EXIT_INCOMPLETE;
			cli_fail(-1, "%s: %s", r->url, e.msg);
		}
	}
	http_answer_done(&a);
	return j;
}

int remote_stream(struct remote *r, const char *path, int (*fn)(void *arg, struct str bytes),
	void *arg, int *exit_status)
{
	AUTOFREE char *whole = mem_printf(API "%s", path);
	struct http_ask ask = {.method = "GET", .path = whole, .on_bytes = fn, .arg = arg};
	struct http_answer a = {0};
	int rc = 0;

	if (http_call(r->http, &ask, &a) || http_answer_check(&a, NULL)) {
		rc = a.e.blame == BLAME_CANCEL ? 0 : -1;
		if (rc)
			tell(r, &a, exit_status);
	}
	http_answer_done(&a);
	return rc;
}
