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

static int add_token(void *arg, const struct store_token *t)
{
	json_t *j = json_pack("{s:I, s:s, s:s, s:I}", "id", (json_int_t)t->id, "account",
		t->account, "rights", t->rights, "made_ms", (json_int_t)t->made_ms);

	if (t->labs)
		json_object_set_new(j, "labs", json_loads(t->labs, 0, NULL));
	if (t->note)
		json_object_set_new(j, "note", json_string(t->note));
	if (t->expires_ms)
		json_object_set_new(j, "expires_ms", json_integer(t->expires_ms));
	if (t->used_ms)
		json_object_set_new(j, "used_ms", json_integer(t->used_ms));
	json_array_append_new(arg, j);
	return 0;
}

void token_list(struct call *c)
{
	json_t *list = json_array();
	struct err e = {0};

	if (store_tokens(c->server->store, add_token, list, &e) < 0) {
		json_decref(list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "tokens", list));
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
	char subject[40];
	struct err e = {0};
	int64_t id;
	int r;

	if (!call_id(c, 0, &id))
		return;
	r = auth_del(c->server->auth, id, &e);
	if (r < 0) {
		call_err(c, &e);
	} else if (!r) {
		call_fail(c, 404, "not-found", "there is no token %lld", (long long)id);
	} else {
		snprintf(subject, sizeof subject, "token %lld", (long long)id);
		call_audit(c, "token delete", subject, NULL);
		call_ok(c, 200, NULL);
	}
}

static int add_audit(void *arg, const struct store_audit *a)
{
	json_t *j = json_pack("{s:I, s:I, s:s?, s:s?, s:s?, s:s?, s:s?}", "id", (json_int_t)a->id,
		"at_ms", (json_int_t)a->at_ms, "account", a->account, "from", a->from, "what",
		a->what, "subject", a->subject, "detail", a->detail);

	if (j)
		json_array_append_new(arg, j);
	return 0;
}

void audit_list(struct call *c)
{
	int64_t limit = LIST_LIMIT;
	json_t *list;
	struct err e = {0};

	if (!call_query_int(c, "limit", 1, LIST_LIMIT_MAX, &limit))
		return;
	list = json_array();
	if (store_audits(c->server->store, http_query(c->request, "subject"), limit, add_audit,
		    list, &e) < 0) {
		json_decref(list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "audit", list));
}
