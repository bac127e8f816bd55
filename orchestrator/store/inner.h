/* SPDX-License-Identifier: MIT */
#ifndef STORE_INNER_H
#define STORE_INNER_H

/* What the files of this room share: the connection, its transactions and its statements. */

#include "store.h"

#include "reports/parse/metric.h"

#include <sqlite3.h>

#define STORE_BUSY_MS 5000 /* how long a writer waits for another one */

/* Every statement there is, prepared when first used. */
enum store_sql {
	SQL_RUN_ADD,
	SQL_RUN_END,
	SQL_RUN_VERDICT,
	SQL_RUN_EVENTS_END,
	SQL_RUN_GET,
	SQL_RUN_LIST,
	SQL_RUN_OFFSET,
	SQL_RUN_OF_DIR,
	SQL_EVENT_ADD,
	SQL_RESULT_ADD,
	SQL_METRIC_ADD,
	SQL_ENV_ADD,
	SQL_STAGE_ADD,
	SQL_RESULT_LIST,
	SQL_METRIC_LIST,
	SQL_ENV_LIST,
	SQL_STAGE_LIST,
	SQL_EVENT_LIST,
	SQL_COUNT
};

struct store {
	sqlite3 *db;
	char *path;
	bool read_only;
	sqlite3_stmt *stmts[SQL_COUNT];
	struct metric_table metrics; /* loaded when the first figure is stored */
	bool metrics_loaded;
};

/* Fills e from the connection's last error: "store 'path': what: text". Returns -1. */
int store_fail(struct store *s, const char *what, struct err *e);
/* The statement, reset and with nothing bound; NULL with e. Borrowed. */
sqlite3_stmt *store_stmt(struct store *s, enum store_sql sql, struct err *e);
/* One step of a statement that returns no row; resets it. */
int store_step(struct store *s, sqlite3_stmt *st, const char *what, struct err *e);
void store_bind_text(sqlite3_stmt *st, int at, const char *text); /* NULL: null */
/* A write transaction. commit rolls back when it fails; rollback keeps e as it is. */
int store_begin(struct store *s, struct err *e);
int store_commit(struct store *s, struct err *e);
void store_rollback(struct store *s);

/* The schema, one entry a version; user_version counts those applied. */
extern const char *const store_migrations[]; /* NULL-ended */

#endif
