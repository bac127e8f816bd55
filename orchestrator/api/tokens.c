/* SPDX-License-Identifier: MIT */
/* Calls about tokens and the audit. Invariant: a token's text is in one answer only, the one that
 * made it. */
#include "api/calls.h"

#include "base/clock.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNT_BYTES_MAX 64

static bool account_ok(const char *name)
{
	size_t n = name ? strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789._-@+")
			: 0;

	return n && n <= ACCOUNT_BYTES_MAX && !name[n] && *name != '.';
}

struct tokens { /* that the caller may know of */
	struct call *call;
	json_t *list;
	int64_t id; /* one that is looked for */
	bool found;
};

/* Is what labs (NULL: all) names what the caller is bound to, or less? */
static bool is_within(const struct call *c, const json_t *labs)
{
	json_t *name;
	size_t i;

	if (!c->who.labs)
		return true;
	json_array_foreach ((json_t *)labs, i, name) {
		if (!call_sees(c, json_string_value(name)))
			return false;
	}
	return json_array_size(labs) > 0;
}

static bool knows_token(struct call *c, const struct store_token *t)
{
	AUTOJSON *labs = t->labs ? json_loads(t->labs, 0, NULL) : NULL;

	return is_within(c, labs);
}

static int find_token(void *arg, const struct store_token *t)
{
	struct tokens *l = arg;

	if (t->id == l->id)
		l->found = knows_token(l->call, t);
	return 0;
}

static int add_token(void *arg, const struct store_token *t)
{
	struct tokens *l = arg;
	json_t *j;

	if (!knows_token(l->call, t))
		return 0;
	j = json_pack("{s:I, s:s, s:s, s:I}", "id", (json_int_t)t->id, "account", t->account,
		"rights", t->rights, "made_ms", (json_int_t)t->made_ms);

	if (t->labs)
		json_object_set_new(j, "labs", json_loads(t->labs, 0, NULL));
	if (t->note)
		json_object_set_new(j, "note", json_string(t->note));
	if (t->expires_ms)
		json_object_set_new(j, "expires_ms", json_integer(t->expires_ms));
	if (t->used_ms)
		json_object_set_new(j, "used_ms", json_integer(t->used_ms));
	json_array_append_new(l->list, j);
	return 0;
}

void token_list(struct call *c)
{
	struct tokens l = {.call = c, .list = json_array()};
	struct err e = {0};

	if (store_tokens(c->server->store, add_token, &l, &e) < 0) {
		json_decref(l.list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "tokens", l.list));
}

/* Labs are a list of names. False after answering. */
static bool labs_ok(struct call *c, const json_t *labs)
{
	size_t i;
	json_t *name;

	if (labs && !json_is_array(labs)) {
		call_fail(c, 400, "invalid", "labs: a list of names is needed");
		return false;
	}
	json_array_foreach ((json_t *)labs, i, name) {
		if (!json_is_string(name)) {
			call_fail(c, 400, "invalid", "labs: a list of names is needed");
			return false;
		}
	}
	return true;
}

void token_add(struct call *c)
{
	const json_t *labs = json_object_get(c->body, "labs");
	AUTOFREE char *labs_text = labs ? json_dumps(labs, JSON_COMPACT) : NULL;
	struct store_token t = {.account = json_text(c->body, "account", NULL),
		.rights = json_text(c->body, "rights", NULL),
		.labs = labs_text,
		.note = json_text(c->body, "note", NULL),
		.expires_ms = json_int(c->body, "expires_ms", 0)};
	char text[TOKEN_BYTES], subject[ACCOUNT_BYTES_MAX + 16];
	struct err e = {0};

	if (!account_ok(t.account)) {
		call_fail(c, 400, "invalid",
			"account: a name of letters, digits and ._-@+ is needed");
		return;
	}
	if (rights_parse(t.rights) < 0) {
		call_fail(c, 400, "invalid",
			"rights: viewer, submitter, operator, admin or agent, not '%s'",
			t.rights ? t.rights : "");
		return;
	}
	if (!labs_ok(c, labs))
		return;
	if (!is_within(c, labs)) {
		call_fail(c, 403, "denied", "labs: name some of those that you are bound to");
		return;
	}
	if (auth_add(c->server->auth, &t, text, &e)) {
		call_err(c, &e);
		return;
	}
	snprintf(subject, sizeof subject, "account %s", t.account);
	call_audit(c, "token add", subject, t.rights);
	call_ok(c, 201, json_pack("{s:I, s:s}", "id", (json_int_t)t.id, "token", text));
}

void token_del(struct call *c)
{
	struct tokens l = {.call = c};
	char subject[40];
	struct err e = {0};
	int64_t id;
	int r;

	if (!call_id(c, 0, &id))
		return;
	l.id = id;
	r = store_tokens(c->server->store, find_token, &l, &e);
	if (r >= 0)
		r = l.found ? auth_del(c->server->auth, id, &e) : 0;
	if (r < 0) {
		call_err(c, &e);
	} else if (!r) {
		call_fail(c, 404, "not-found", "there is no token %lld", (long long)id);
	} else {
		snprintf(subject, sizeof subject, "token %lld", (long long)id);
		call_audit(c, "token delete", subject, NULL);
		follow_cut_token(c->server, id);
		events_cut_token(c->server, id);
		call_ok(c, 200, NULL);
	}
}

struct audits {
	struct call *call;
	json_t *list;
	int64_t last, limit, left; /* left: entries that may still be looked at */
	bool more;
};

static int add_audit(void *arg, const struct store_audit *a)
{
	struct audits *l = arg;
	json_t *j;

	if ((int64_t)json_array_size(l->list) == l->limit || !l->left--) {
		l->more = true;
		return 1;
	}
	l->last = a->id;
	if (!view_sees_subject(l->call, a->subject))
		return 0;
	j = json_pack("{s:I, s:I, s:s?, s:s?, s:s?, s:s?, s:s?}", "id", (json_int_t)a->id, "at_ms",
		(json_int_t)a->at_ms, "account", a->account, "from", a->from, "what", a->what,
		"subject", a->subject, "detail", a->detail);

	if (j)
		json_array_append_new(l->list, j);
	return 0;
}

void audit_list(struct call *c)
{
	struct audits l = {.call = c, .limit = LIST_LIMIT, .left = LOOK_LIMIT};
	struct store_audit_filter f = {.subject = http_query(c->request, "subject")};
	struct err e = {0};
	json_t *answer;

	if (!call_query_int(c, "limit", 1, LIST_LIMIT_MAX, &l.limit) ||
		!call_query_int(c, "before", 1, INT64_MAX, &f.before))
		return;
	l.list = json_array();
	if (store_audits(c->server->store, &f, add_audit, &l, &e) < 0) {
		json_decref(l.list);
		call_err(c, &e);
		return;
	}
	answer = json_pack("{s:o}", "audit", l.list);
	if (l.more)
		json_object_set_new(answer, "next", json_integer(l.last));
	call_ok(c, 200, answer);
}
