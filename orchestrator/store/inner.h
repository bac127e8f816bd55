/* SPDX-License-Identifier: MIT */
#ifndef STORE_INNER_H
#define STORE_INNER_H

/* What the files of this room share: the connection, its transactions and its statements. */

#include "store.h"

#include "reports/parse/metric.h"

#include <sqlite3.h>

#define STORE_BUSY_MS     5000                /* how long a writer waits for another one */
#define STORE_LOG_BYTES   ((int64_t)64 << 20) /* the write-ahead log is cut to it when it can be */
#define STORE_PART_BITS   48                  /* of an event's position: part above, offset below */
#define STORE_OFFSET_MAX  ((uint64_t)1 << STORE_PART_BITS)
#define STORE_PARTS_MAX   1024
#define STORE_READING_BIT 58 /* set in the position of what a reading found */
#define STORE_ROW_BITS    20 /* number of a row within its reading and part */

/* Every statement there is, prepared when first used. */
enum store_sql {
	SQL_BEGIN,
	SQL_COMMIT,
	SQL_ROLLBACK,
	SQL_SAVEPOINT,
	SQL_RELEASE,
	SQL_ROLLBACK_TO,
	SQL_RUN_ADD,
	SQL_RUN_END,
	SQL_RUN_LATE,
	SQL_RUN_VERDICT,
	SQL_RUN_EVENTS_END,
	SQL_RUN_GET,
	SQL_RUN_LIST,
	SQL_RUN_LIST_OF_JOB,
	SQL_RUNS_BETWEEN,
	SQL_RUNS_BEFORE,
	SQL_RUN_OFFSET,
	SQL_RUN_OF_DIR,
	SQL_RUN_SET_DIR,
	SQL_RUN_SET_READING,
	SQL_READING_ADD,
	SQL_READING_FIND,
	SQL_READINGS,
	SQL_READING_RESULT_ADD,
	SQL_READING_METRIC_ADD,
	SQL_READING_ENV_ADD,
	SQL_EVENT_ADD,
	SQL_RESULT_ADD,
	SQL_METRIC_ADD,
	SQL_ENV_ADD,
	SQL_STAGE_ADD,
	SQL_RESULT_LIST,
	SQL_RESULT_COUNTS,
	SQL_METRIC_LIST,
	SQL_ENV_LIST,
	SQL_STAGE_LIST,
	SQL_EVENT_LIST,
	SQL_EVENT_LIST_FROM,
	SQL_CONTENT_FIND,
	SQL_CONTENT_ADD,
	SQL_JOB_ADD,
	SQL_JOB_SAVE,
	SQL_JOB_GET,
	SQL_JOB_BY_KEY,
	SQL_JOBS, /* each followed by the same, oldest first */
	SQL_JOBS_OLDEST,
	SQL_JOBS_OPEN,
	SQL_JOBS_OPEN_OLDEST,
	SQL_JOBS_NIGHTLY,
	SQL_JOBS_NIGHTLY_OLDEST,
	SQL_JOBS_SUBMITTER,
	SQL_JOBS_SUBMITTER_OLDEST,
	SQL_PART_ADD,
	SQL_PART_SAVE,
	SQL_PART_EVENTS_END,
	SQL_PART_OFFSET,
	SQL_PARTS,
	SQL_PARTS_OPEN,
	SQL_INBOX_ADD,
	SQL_INBOX,
	SQL_BOARD_SAVE,
	SQL_BOARD_DEL,
	SQL_BOARDS,
	SQL_AGENT_SAVE,
	SQL_AGENTS,
	SQL_LEASE_SAVE,
	SQL_LEASES_OPEN,
	SQL_TOKEN_ADD,
	SQL_TOKEN_DEL,
	SQL_TOKEN_FIND,
	SQL_TOKENS,
	SQL_TOKEN_USED,
	SQL_AUDIT_ADD,
	SQL_AUDITS,
	SQL_AUDITS_OF,
	SQL_NIGHTLY_ADD,
	SQL_NIGHTLY_SAVE,
	SQL_NIGHTLY_GET,
	SQL_NIGHTLIES,
	SQL_NIGHTLIES_UNJUDGED,
	SQL_NIGHTLY_JUDGED,
	SQL_SCHEDULE_SAVE,
	SQL_SCHEDULE_DEL,
	SQL_SCHEDULES,
	SQL_BUILD_SAVE,
	SQL_BUILD_DEL,
	SQL_BUILDS,
	SQL_ORIGIN_ADD,
	SQL_ORIGIN_FIND,
	SQL_ORIGIN_GET,
	SQL_ORIGIN_DEL,
	SQL_SERIES_RUN,
	SQL_SERIES_RUN_SET,
	SQL_SERIES_RUN_UNSET,
	SQL_SERIES_METRICS,
	SQL_SERIES_TOOLS,
	SQL_SERIES_ROLE,
	SQL_SERIES_IDENTITIES,
	SQL_SERIES_FIND,
	SQL_SERIES_ADD,
	SQL_SERIES_SAVE,
	SQL_SERIES_DEL,
	SQL_SERIES_GREW,
	SQL_SERIES_COUNT,
	SQL_POINT_ADD,
	SQL_POINT_SAVE,
	SQL_POINT_DEL,
	SQL_POINT_SERIES,
	SQL_SERIES_LIST,
	SQL_SERIES_LIST_OF_TYPE,
	SQL_SERIES_LIST_OF_RUN,
	SQL_POINTS,
	SQL_POINTS_BACK,
	SQL_POINTS_OF_RUN,
	SQL_STATE_GET,
	SQL_STATE_SAVE,
	SQL_STATE_DROP,
	SQL_ALERT_ADD,
	SQL_ALERT_SAVE,
	SQL_ALERT_GET,
	SQL_ALERTS,
	SQL_ALERTS_OPEN,
	SQL_KNOWN_ADD,
	SQL_KNOWN_DEL,
	SQL_KNOWNS,
	SQL_COUNT
};
extern const char *const store_sql_texts[SQL_COUNT];

struct store {
	sqlite3 *db;
	char *path;
	bool read_only;
	bool turn;         /* between turn_begin and turn_commit or turn_undo */
	bool began;        /* the turn has changed something: its transaction is open */
	struct err broken; /* why the open turn can only be undone; none: it can be committed */
	sqlite3_stmt *stmts[SQL_COUNT];
	struct metric_table metrics; /* loaded when the first figure is stored */
	bool metrics_loaded;
};

/*
 * Fills e from the connection's last error: "store 'path': what: text". Returns -1. An open turn is
 * broken by it, unless a row only was refused: SQLite may have undone the transaction by itself.
 */
int store_fail(struct store *s, const char *what, struct err *e);
int store_no_run(struct store *s, int64_t run, struct err *e); /* -1, BLAME_BUG */

/* The statement, reset and with nothing bound; NULL with e. Borrowed. Binding to NULL does nothing,
 * and the functions below take it as an error that is in e already. */
sqlite3_stmt *store_stmt(struct store *s, enum store_sql sql, struct err *e);
/* The same for one that writes and is all of its verb: a transaction by itself, or part of the open
 * turn's. NULL with e too where nothing may be written. */
sqlite3_stmt *store_write(struct store *s, enum store_sql sql, struct err *e);
/* One step of a statement that returns no row; resets it. */
int store_step(struct store *s, sqlite3_stmt *st, const char *what, struct err *e);
/* As store_step, then 1 when rows were changed, 0 when none was there to change. */
int store_step_changes(struct store *s, sqlite3_stmt *st, const char *what, struct err *e);
/* The number that a statement's only row begins with: 1, 0 no row, -1; resets it. */
int store_number(
	struct store *s, sqlite3_stmt *st, const char *what, int64_t *number, struct err *e);
/*
 * while (store_row(s, st, &answer, e)) answer = use(st): true with a row; false after the last one,
 * after a failure (*answer is -1) and when *answer is not 0. Then the statement is reset.
 */
bool store_row(struct store *s, sqlite3_stmt *st, int *answer, struct err *e);
/* text stays the caller's and is used until the statement's last step. NULL: null. */
void store_bind_text(sqlite3_stmt *st, int at, const char *text);
void store_bind_id(sqlite3_stmt *st, int at, int64_t id); /* 0: null */
const char *store_text(sqlite3_stmt *st, int column);     /* NULL: null */

/*
 * Around a verb of several statements: a transaction, or inside an open turn a savepoint of it.
 * commit rolls back when it fails; rollback keeps e as it is and undoes the verb alone.
 */
int store_begin(struct store *s, struct err *e);
int store_commit(struct store *s, struct err *e);
void store_rollback(struct store *s);

/* The number of that text in table content, added where it is new. NULL has number 0. */
int store_content(struct store *s, const char *text, int64_t *id, struct err *e);

/* The schema, one entry a version; user_version counts those applied. */
extern const char *const store_migrations[]; /* NULL-ended */

/* The definition of a metric. Without a table nothing is known: NULL, and figures stay as they
 * came. */
const struct metric_def *store_metric_def(struct store *s, const char *name);

/* ---- series-points.c ---- */

/* What the run gives its series, made anew: within a verb. Nothing for a run that goes on. */
int store_points_make(struct store *s, int64_t run, struct err *e);
/* Takes them out again, before the run itself goes: within a verb. */
int store_points_drop(struct store *s, int64_t run, struct err *e);
/* Those of runs that ended before there were points, some runs a transaction. */
int store_points_fill(struct store *s, struct err *e);

#endif
