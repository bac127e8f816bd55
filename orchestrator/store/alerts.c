/* SPDX-License-Identifier: MIT */
/*
 * Alerts and known issues. Invariant: of one subject one alert at most is open (an index holds it).
 */
#include "alerts.h"

#include "inner.h"

int store_alert_add(struct store *s, struct store_alert *a, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_ALERT_ADD, e);
	int changed;

	store_bind_text(st, 1, a->subject);
	store_bind_text(st, 2, a->state);
	store_bind_text(st, 3, a->type);
	store_bind_id(st, 4, a->nightly);
	store_bind_id(st, 5, a->run);
	sqlite3_bind_int64(st, 6, a->opened_ms);
	sqlite3_bind_int64(st, 7, a->changed_ms);
	sqlite3_bind_int64(st, 8, a->ended_ms);
	store_bind_text(st, 9, a->body);
	changed = store_step_changes(s, st, "add an alert", e);
	if (!changed)
		return err_set(e, BLAME_JOB, "an alert of '%s' is open", a->subject);
	if (changed < 0)
		return -1;
	a->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_alert_save(struct store *s, const struct store_alert *a, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_ALERT_SAVE, e);
	int changed;

	sqlite3_bind_int64(st, 1, a->id);
	store_bind_text(st, 2, a->state);
	sqlite3_bind_int64(st, 3, a->changed_ms);
	sqlite3_bind_int64(st, 4, a->ended_ms);
	store_bind_text(st, 5, a->body);
	changed = store_step_changes(s, st, "save an alert", e);
	if (!changed)
		return err_set(e, BLAME_BUG, "store '%s': there is no alert %lld", s->path,
			(long long)a->id);
	return changed < 0 ? -1 : 0;
}

static struct store_alert alert_row(sqlite3_stmt *st)
{
	return (struct store_alert){
		.id = sqlite3_column_int64(st, 0),
		.subject = store_text(st, 1),
		.state = store_text(st, 2),
		.type = store_text(st, 3),
		.nightly = sqlite3_column_int64(st, 4),
		.run = sqlite3_column_int64(st, 5),
		.opened_ms = sqlite3_column_int64(st, 6),
		.changed_ms = sqlite3_column_int64(st, 7),
		.ended_ms = sqlite3_column_int64(st, 8),
		.body = store_text(st, 9),
	};
}

int store_alert_get(struct store *s, int64_t id, store_alert_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_ALERT_GET, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, id);
	while (store_row(s, st, &answer, e)) {
		struct store_alert a = alert_row(st);

		answer = fn(arg, &a);
		answer = answer ? answer : 1;
	}
	return answer;
}

int store_alerts(struct store *s, const struct store_alert_filter *f, store_alert_fn *fn, void *arg,
	struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, f->open ? SQL_ALERTS_OPEN : SQL_ALERTS, e);
	int answer = 0;

	store_bind_text(st, 1, f->subject);
	store_bind_text(st, 2, f->type);
	store_bind_id(st, 3, f->nightly);
	sqlite3_bind_int64(st, 4, f->before > 0 ? f->before : INT64_MAX);
	sqlite3_bind_int64(st, 5, f->limit > 0 ? f->limit : -1);
	while (store_row(s, st, &answer, e)) {
		struct store_alert a = alert_row(st);

		answer = fn(arg, &a);
	}
	return answer;
}

int store_known_add(struct store *s, struct store_known *k, struct err *e)
{
	const char *const texts[] = {k->job, k->suite, k->test, k->message, k->type, k->line,
		k->from_version, k->to_version, k->reason, k->who};
	sqlite3_stmt *st = store_write(s, SQL_KNOWN_ADD, e);
	int at = 0;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		store_bind_text(st, ++at, texts[i]);
	sqlite3_bind_int64(st, ++at, k->made_ms);
	sqlite3_bind_int64(st, ++at, k->expires_ms);
	if (store_step(s, st, "add a known issue", e))
		return -1;
	k->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_known_del(struct store *s, int64_t id, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_KNOWN_DEL, e);

	sqlite3_bind_int64(st, 1, id);
	return store_step_changes(s, st, "delete a known issue", e);
}

int store_knowns(struct store *s, int64_t at_ms, store_known_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_KNOWNS, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, at_ms);
	while (store_row(s, st, &answer, e)) {
		struct store_known k = {
			.id = sqlite3_column_int64(st, 0),
			.job = store_text(st, 1),
			.suite = store_text(st, 2),
			.test = store_text(st, 3),
			.message = store_text(st, 4),
			.type = store_text(st, 5),
			.line = store_text(st, 6),
			.from_version = store_text(st, 7),
			.to_version = store_text(st, 8),
			.reason = store_text(st, 9),
			.who = store_text(st, 10),
			.made_ms = sqlite3_column_int64(st, 11),
			.expires_ms = sqlite3_column_int64(st, 12),
		};

		answer = fn(arg, &k);
	}
	return answer;
}
