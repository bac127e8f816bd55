/* SPDX-License-Identifier: MIT */
/*
 * One call from its head to its answer: route, token, protocol, body, handler. Invariant: a call
 * that was begun is answered exactly once, after the commit of the turn in which it was, or its
 * client is gone.
 */
#include "api/api.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void call_free(struct call *c)
{
	for (size_t i = 0; i < c->n_args; i++)
		free(c->args[i]);
	json_decref(c->body);
	json_decref(c->answer);
	buf_done(&c->text);
	free((char *)c->who.name);
	json_decref((json_t *)c->who.labs);
	free(c->state);
	free(c);
}

/* ---- arguments ---- */

bool call_id(struct call *c, size_t arg, int64_t *id)
{
	if (!str_i64(str_of(c->args[arg]), id) && *id > 0)
		return true;
	call_fail(c, 404, "not-found", "'%s' is no number of anything", c->args[arg]);
	return false;
}

bool call_query_int(struct call *c, const char *name, int64_t min, int64_t max, int64_t *value)
{
	const char *text = http_query(c->request, name);
	int64_t v;

	if (!text)
		return true;
	if (!str_i64(str_of(text), &v) && v >= min && v <= max) {
		*value = v;
		return true;
	}
	call_fail(c, 400, "invalid", "%s=%s: a number between %lld and %lld is needed", name, text,
		(long long)min, (long long)max);
	return false;
}

bool call_is(const struct call *c, enum rights least)
{
	return c->who.rights != RIGHTS_AGENT && c->who.rights >= least;
}

static bool sees_one(const struct call *c, struct str lab)
{
	json_t *name;
	size_t i;

	json_array_foreach (c->who.labs, i, name) {
		if (json_is_string(name) && str_eq(str_of(json_string_value(name)), lab))
			return true;
	}
	return false;
}

bool call_sees(const struct call *c, const char *labs)
{
	bool all = labs && *labs;

	if (!c->who.labs)
		return true;
	while (all) {
		size_t n = strcspn(labs, ",");

		all = sees_one(c, str_make(labs, n));
		if (!labs[n])
			break;
		labs += n + 1;
	}
	return all;
}

void call_audit(struct call *c, const char *what, const char *subject, const char *detail)
{
	struct store_audit a = {.at_ms = clock_wall_ms(),
		.account = c->who.name,
		.from = c->request ? http_peer(c->request) : NULL,
		.what = what,
		.subject = subject,
		.detail = detail};
	struct err e = {0};

	if (store_audit_add(c->server->store, &a, &e))
		call_err(c, &e);
}

/* ---- from the head to the handler ---- */

/* Splits path by pattern. Returns the number of arguments, -1 where it does not fit. */
static int route_match(const char *pattern, const char *path, struct str args[CALL_ARGS])
{
	int n = 0;

	while (*pattern) {
		const char *end, *close;

		if (*pattern != '{') {
			if (*pattern++ != *path++)
				return -1;
			continue;
		}
		close = strchr(pattern, '}');
		end = close[-1] == '*' ? path + strlen(path) : strchrnul(path, '/');
		if (end == path || n == CALL_ARGS)
			return -1;
		args[n++] = str_make(path, (size_t)(end - path));
		path = end;
		pattern = close + 1;
	}
	return *path ? -1 : n;
}

/* The route, or NULL; *other: the path is known, but not with that method. */
static const struct route *route_find(
	const char *method, const char *path, struct str args[CALL_ARGS], int *n, bool *other)
{
	bool head = !strcmp(method, "HEAD");

	for (const struct route *r = api_routes; r->method; r++) {
		*n = route_match(r->path, path, args);
		if (*n < 0)
			continue;
		if (!strcmp(r->method, method) || (head && !strcmp(r->method, "GET")))
			return r;
		*other = true;
	}
	return NULL;
}

static bool allowed(const struct call *c)
{
	enum rights have = c->who.rights;

	if (c->route->rights == RIGHTS_NONE)
		return true;
	if (have == RIGHTS_AGENT)
		return c->route->rights == RIGHTS_AGENT || c->route->agents;
	if (have == RIGHTS_ADMIN)
		return true;
	return c->route->rights != RIGHTS_AGENT && have >= c->route->rights;
}

/* False after it was answered. */
static bool authenticate(struct call *c)
{
	const char *h = http_header(c->request, "Authorization");
	const char *peer = http_peer(c->request);
	int64_t wait_ms;
	char text[32];

	if (h && !strncasecmp(h, "Bearer ", 7)) {
		wait_ms = auth_wait_ms(c->server->auth, peer);
		if (wait_ms) {
			snprintf(text, sizeof text, "%lld", (long long)(wait_ms + 999) / 1000);
			call_field(c, "Retry-After", text);
			call_fail(c, 429, "rate", "too many wrong tokens from %s; wait %s s", peer,
				text);
			return false;
		}
		if (!auth_check(c->server->auth, h + 7, peer, &c->who)) {
			call_fail(c, 401, "denied", "the token is not known, or has expired");
			return false;
		}
		/* The token may be deleted before the call is answered. */
		c->who.name = mem_strdup(c->who.name);
		c->who.labs = json_incref((json_t *)c->who.labs);
	}
	if (allowed(c))
		return true;
	if (!c->who.name) {
		call_field(c, "WWW-Authenticate", "Bearer");
		call_fail(c, 401, "denied", "a token is needed (HILAB_TOKEN)");
	} else {
		call_fail(c, 403, "denied", "'%s' has the rights of a %s; this needs %s",
			c->who.name, rights_name(c->who.rights), rights_name(c->route->rights));
	}
	return false;
}

/* 0 it is served (or nothing is said of it), -1 too old, 1 not known yet. */
static int protocol_of(const struct call *c)
{
	const char *text = http_header(c->request, "Hilab-Protocol");
	int64_t n;

	if (!text)
		return 0;
	if (str_i64(str_of(text), &n) || n > PROTOCOL)
		return 1;
	return n < PROTOCOL_OLDEST ? -1 : 0;
}

bool call_speaks(const struct call *c)
{
	return !protocol_of(c);
}

/* What a running job has to tell is always taken. */
static bool protocol_ok(struct call *c)
{
	AUTOFREE char *message = NULL;
	AUTOJSON *error = NULL;

	if (call_speaks(c) || !strcmp(c->route->path, API "/agent/sync"))
		return true;
	message = mem_printf("the controller speaks protocol %d..%d, this is %s: upgrade %s",
		PROTOCOL_OLDEST, PROTOCOL, http_header(c->request, "Hilab-Protocol"),
		protocol_of(c) < 0 ? "this hilab" : "the controller");
	error = call_error_json("invalid", message);
	call_ok(c, 426,
		json_pack("{s:O, s:{s:i, s:i}}", "error", json_object_get(error, "error"),
			"protocol", "min", PROTOCOL_OLDEST, "max", PROTOCOL));
	return false;
}

static void handle(struct call *c)
{
	if (!c->route->writes || !server_turn(c))
		c->route->fn(c);
}

static void on_body(void *arg, struct http_request *r, struct str body)
{
	struct call *c = arg;
	struct err e = {0};

	(void)r;
	c->body = body.n ? json_parse(body, "body", &e) : json_object();
	if (!c->body)
		call_fail(c, 400, "invalid", "%s", e.msg);
	else if (!json_is_object(c->body))
		call_fail(c, 400, "invalid", "the body is JSON, but no object");
	else
		handle(c);
}

static void client_gone(void *user)
{
	struct call *c = user;

	if (c->gone)
		c->gone(c);
	c->request = NULL;
	if (!c->answered)
		call_free(c); /* an answered one is in the queue, and is freed from there */
}

void call_begin(void *server, struct http_request *r)
{
	struct call *c = mem_alloc(sizeof *c);
	struct str args[CALL_ARGS];
	bool other = false;
	int n = 0;

	c->server = server;
	c->request = r;
	c->text = (struct buf)BUF_INIT(BUF_CAP_BYTES);
	http_set_user(r, c, client_gone);
	c->route = route_find(http_method(r), http_path(r), args, &n, &other);
	if (!c->route) {
		call_fail(c, other ? 405 : 404, other ? "invalid" : "not-found",
			other ? "%s does not go with '%s'" : "%s: there is no '%s'", http_method(r),
			http_path(r));
		return;
	}
	for (int i = 0; i < n; i++)
		c->args[c->n_args++] = mem_strndup(args[i].p, args[i].n);
	if (!authenticate(c) || !protocol_ok(c))
		return;
	if (c->route->body == BODY_JSON)
		http_body(r, HTTP_BODY_BYTES, on_body, c);
	else
		handle(c);
}
