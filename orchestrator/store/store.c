/* SPDX-License-Identifier: MIT */
/*
 * The embedded store, SQLite in WAL mode: opening, migrating, statements and errors. Invariant:
 * nothing is told as stored before its transaction was committed, with synchronous=FULL unless the
 * caller said that it can wait, and a transaction that fails leaves nothing behind.
 */
#include "inner.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define STORE_APPLICATION_ID 0x68696c62 /* "hilb", in the file's header */

static int fail_text(struct store *s, const char *what, struct err *e)
{
	int code = sqlite3_extended_errcode(s->db), sys = sqlite3_system_errno(s->db);

	switch (code & 0xff) {
	case SQLITE_FULL:
		return err_set(
			e, BLAME_INFRA, "store '%s': %s: no room left on its disk", s->path, what);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, BLAME_INFRA,
			"store '%s': %s: another process has held it for %d s", s->path, what,
			STORE_BUSY_MS / 1000);
	case SQLITE_NOTADB:
		return err_set(e, BLAME_INFRA, "store '%s': it is not a database", s->path);
	case SQLITE_CORRUPT:
		return err_set(e, BLAME_INFRA, "store '%s': %s: the file is damaged (%s)", s->path,
			what, sqlite3_errmsg(s->db));
	case SQLITE_READONLY:
		return err_set(
			e, BLAME_INFRA, "store '%s': %s: it cannot be written to", s->path, what);
	case SQLITE_CONSTRAINT:
		return err_set(
			e, BLAME_BUG, "store '%s': %s: %s", s->path, what, sqlite3_errmsg(s->db));
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		if (sys)
			return err_sys(e, BLAME_INFRA, sys, "store '%s': %s", s->path, what);
		break;
	default:
		break;
	}
	return err_set(e, BLAME_INFRA, "store '%s': %s: %s", s->path, what, sqlite3_errmsg(s->db));
}

int store_fail(struct store *s, const char *what, struct err *e)
{
	struct err made = {0};

	fail_text(s, what, &made);
	if (s->turn && !err_is(&s->broken) && (sqlite3_errcode(s->db) & 0xff) != SQLITE_CONSTRAINT)
		s->broken = made;
	if (e)
		*e = made;
	return -1;
}

int store_no_run(struct store *s, int64_t run, struct err *e)
{
	return err_set(e, BLAME_BUG, "store '%s': there is no run %lld", s->path, (long long)run);
}

sqlite3_stmt *store_stmt(struct store *s, enum store_sql sql, struct err *e)
{
	if (!s->stmts[sql] && sqlite3_prepare_v3(s->db, store_sql_texts[sql], -1,
				      SQLITE_PREPARE_PERSISTENT, &s->stmts[sql], NULL)) {
		store_fail(s, "prepare", e);
		return NULL;
	}
	sqlite3_reset(s->stmts[sql]);
	sqlite3_clear_bindings(s->stmts[sql]);
	return s->stmts[sql];
}

int store_step(struct store *s, sqlite3_stmt *st, const char *what, struct err *e)
{
	int failed;

	if (!st)
		return -1;
	failed = sqlite3_step(st) == SQLITE_DONE ? 0 : store_fail(s, what, e);
	sqlite3_reset(st);
	return failed;
}

int store_step_changes(struct store *s, sqlite3_stmt *st, const char *what, struct err *e)
{
	return store_step(s, st, what, e) ? -1 : sqlite3_changes(s->db) > 0;
}

int store_number(
	struct store *s, sqlite3_stmt *st, const char *what, int64_t *number, struct err *e)
{
	int64_t got = 0;
	int code, found;

	if (!st)
		return -1;
	code = sqlite3_step(st);
	found = code == SQLITE_ROW;
	if (found) {
		got = sqlite3_column_int64(st, 0);
		code = sqlite3_step(st);
	}
	if (code != SQLITE_DONE)
		found = store_fail(s, what, e);
	sqlite3_reset(st);
	if (found > 0)
		*number = got;
	return found;
}

bool store_row(struct store *s, sqlite3_stmt *st, int *answer, struct err *e)
{
	int code;

	if (!st) {
		*answer = -1;
		return false;
	}
	if (!*answer) {
		code = sqlite3_step(st);
		if (code == SQLITE_ROW)
			return true;
		if (code != SQLITE_DONE)
			*answer = store_fail(s, "read", e);
	}
	sqlite3_reset(st);
	return false;
}

void store_bind_text(sqlite3_stmt *st, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

void store_bind_id(sqlite3_stmt *st, int at, int64_t id)
{
	if (id)
		sqlite3_bind_int64(st, at, id);
}

const char *store_text(sqlite3_stmt *st, int column)
{
	return (const char *)sqlite3_column_text(st, column);
}

static int exec(struct store *s, const char *sql, const char *what, struct err *e)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) ? store_fail(s, what, e) : 0;
}

static int pragma_int(struct store *s, const char *sql, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = NULL;
	int failed = -1;

	if (!sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW) {
		*out = sqlite3_column_int64(st, 0);
		failed = 0;
	} else {
		store_fail(s, "open", e);
	}
	sqlite3_finalize(st);
	return failed;
}

static int schema_version(struct store *s, int64_t *version, struct err *e)
{
	int64_t tables, id;
	int known = 0;

	while (store_migrations[known])
		known++;
	if (pragma_int(s, "PRAGMA user_version", version, e) ||
		pragma_int(s, "PRAGMA application_id", &id, e) ||
		pragma_int(s, "SELECT count(*) FROM sqlite_master", &tables, e))
		return -1;
	if (tables && id != STORE_APPLICATION_ID)
		return err_set(
			e, BLAME_CONFIG, "store '%s': it is another program's database", s->path);
	if (*version < 0 || *version > known)
		return err_set(e, BLAME_CONFIG,
			"store '%s': its schema %lld is newer than this hilab's %d", s->path,
			(long long)*version, known);
	return 0;
}

static int migrate(struct store *s, struct err *e)
{
	int64_t version;
	char sql[96];

	/* Looked at without a lock first: an up-to-date store is not written to. */
	if (schema_version(s, &version, e))
		return -1;
	if (!store_migrations[version])
		return 0;
	if (s->read_only)
		return err_set(e, BLAME_CONFIG,
			"store '%s': its schema %lld is older than this hilab's; any command that "
			"writes brings it up to date",
			s->path, (long long)version);
	if (store_begin(s, e))
		return -1;
	if (schema_version(s, &version, e))
		goto failed;
	for (; store_migrations[version]; version++)
		if (exec(s, store_migrations[version], "migrate", e))
			goto failed;
	snprintf(sql, sizeof sql, "PRAGMA user_version=%lld; PRAGMA application_id=%d",
		(long long)version, STORE_APPLICATION_ID);
	if (exec(s, sql, "migrate", e))
		goto failed;
	return store_commit(s, e);
failed:
	store_rollback(s);
	return -1;
}

static int settle(struct store *s, struct err *e)
{
	int64_t version;
	char limit[64];

	snprintf(limit, sizeof limit, "PRAGMA journal_size_limit=%lld", (long long)STORE_LOG_BYTES);
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
	sqlite3_extended_result_codes(s->db, 1);
	/* Nothing is changed in a file that is not ours. */
	if (schema_version(s, &version, e) || exec(s, "PRAGMA foreign_keys=ON", "open", e))
		return -1;
	if (!s->read_only &&
		(exec(s, "PRAGMA journal_mode=WAL", "open", e) ||
			exec(s, "PRAGMA synchronous=FULL", "open", e) || exec(s, limit, "open", e)))
		return -1;
	return migrate(s, e);
}

static char *preset_path(struct err *e)
{
	const char *given = getenv("HILAB_STORE");
	AUTOFREE char *dir = NULL;

	if (given && *given)
		return mem_strdup(given);
	dir = fs_state_dir();
	if (fs_mkdirs(dir, 0700, e))
		return NULL;
	return fs_join(dir, "hilab.db");
}

static int open_file(struct store *s, struct err *e)
{
	int flags =
		s->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	int keep = 1;

	if (sqlite3_open_v2(s->path, &s->db, flags, NULL))
		return store_fail(s, "open", e);
	/* the log is emptied, not removed: two files and a folder's sync less in each run */
	sqlite3_file_control(s->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &keep);
	return 0;
}

/*
 * A reader needs the index of the log beside the file, and may not be allowed to make one. A file
 * whose log is not there or empty was closed by its last writer and is whole by itself: it is read
 * as it stands. 0, or -1 with e as it was.
 */
static int open_still(struct store *s, struct err *e)
{
	AUTOFREE char *log = mem_printf("%s-wal", s->path);
	AUTOBUF uri = BUF_INIT(1 << 16);
	struct err again = {0};
	int code = sqlite3_errcode(s->db) & 0xff;
	struct stat st;

	if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || (!stat(log, &st) && st.st_size))
		return -1;
	buf_puts(&uri, "file:");
	for (const char *p = s->path; *p; p++)
		buf_printf(&uri, strchr("%?#", *p) ? "%%%02X" : "%c", (unsigned char)*p);
	buf_puts(&uri, "?immutable=1");
	sqlite3_close(s->db);
	s->db = NULL;
	if (sqlite3_open_v2(buf_str(&uri), &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) ||
		settle(s, &again))
		return -1;
	err_clear(e);
	return 0;
}

struct store *store_open(const char *path, bool read_only, struct err *e)
{
	struct store *s = mem_alloc(sizeof *s);

	s->read_only = read_only;
	s->path = path ? mem_strdup(path) : preset_path(e);
	if (!s->path)
		goto failed;
	if (read_only && !fs_exists(s->path)) {
		err_sys(e, BLAME_CONFIG, ENOENT, "store '%s'", s->path);
		goto failed;
	}
	if (!open_file(s, e) && !settle(s, e) && (read_only || !store_points_fill(s, e)))
		return s;
	if (read_only && !open_still(s, e))
		return s;
failed:
	store_close(s);
	return NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (int i = 0; i < SQL_COUNT; i++)
		sqlite3_finalize(s->stmts[i]);
	sqlite3_close(s->db);
	metric_table_done(&s->metrics);
	free(s->path);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

int store_light(struct store *s, bool light, struct err *e)
{
	return exec(s, light ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL", "sync", e);
}
