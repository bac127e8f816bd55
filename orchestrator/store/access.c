/* SPDX-License-Identifier: MIT */
/*
 * Who may what, and who did what. Invariant: a token itself never gets here, only its digest; the
 * audit is only ever added to.
 */
#include "inner.h"

#include "control.h"

int store_token_add(struct store *s, struct store_token *t, const char *sha256, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_TOKEN_ADD, e);

	store_bind_text(st, 1, t->account);
	store_bind_text(st, 2, t->rights);
	store_bind_text(st, 3, t->labs);
	store_bind_text(st, 4, t->note);
	sqlite3_bind_int64(st, 5, t->made_ms);
	sqlite3_bind_int64(st, 6, t->expires_ms);
	sqlite3_bind_int64(st, 7, t->used_ms);
	store_bind_text(st, 8, sha256);
	if (store_step(s, st, "add a token", e))
		return -1;
	t->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_token_del(struct store *s, int64_t id, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_TOKEN_DEL, e);

	sqlite3_bind_int64(st, 1, id);
	return store_step_changes(s, st, "delete a token", e);
}

static struct store_token token_row(sqlite3_stmt *st)
{
	return (struct store_token){
		.id = sqlite3_column_int64(st, 0),
		.account = store_text(st, 1),
		.rights = store_text(st, 2),
		.labs = store_text(st, 3),
		.note = store_text(st, 4),
		.made_ms = sqlite3_column_int64(st, 5),
		.expires_ms = sqlite3_column_int64(st, 6),
		.used_ms = sqlite3_column_int64(st, 7),
	};
}

int store_token_find(
	struct store *s, const char *sha256, store_token_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_TOKEN_FIND, e);
	int answer = 0;

	store_bind_text(st, 1, sha256);
	while (store_row(s, st, &answer, e)) {
		struct store_token t = token_row(st);

		answer = fn(arg, &t);
		answer = answer ? answer : 1;
	}
	return answer;
}

int store_tokens(struct store *s, store_token_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_TOKENS, e);
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_token t = token_row(st);

		answer = fn(arg, &t);
	}
	return answer;
}

int store_token_used(struct store *s, int64_t id, int64_t used_ms, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_TOKEN_USED, e);

	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int64(st, 2, used_ms);
	return store_step(s, st, "save a token", e);
}

int store_audit_add(struct store *s, const struct store_audit *a, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_AUDIT_ADD, e);

	sqlite3_bind_int64(st, 1, a->at_ms);
	store_bind_text(st, 2, a->account);
	store_bind_text(st, 3, a->from);
	store_bind_text(st, 4, a->what);
	store_bind_text(st, 5, a->subject);
	store_bind_text(st, 6, a->detail);
	return store_step(s, st, "add to the audit", e);
}

int store_audits(struct store *s, const struct store_audit_filter *f, store_audit_fn *fn, void *arg,
	struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, f->subject ? SQL_AUDITS_OF : SQL_AUDITS, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, f->before > 0 ? f->before : INT64_MAX);
	sqlite3_bind_int64(st, 2, f->limit > 0 ? f->limit : -1);
	if (f->subject)
		store_bind_text(st, 3, f->subject);
	while (store_row(s, st, &answer, e)) {
		struct store_audit a = {
			.id = sqlite3_column_int64(st, 0),
			.at_ms = sqlite3_column_int64(st, 1),
			.account = store_text(st, 2),
			.from = store_text(st, 3),
			.what = store_text(st, 4),
			.subject = store_text(st, 5),
			.detail = store_text(st, 6),
		};

		answer = fn(arg, &a);
	}
	return answer;
}
