/* SPDX-License-Identifier: MIT */
/*
 * The store's schema, as the steps that made it. Invariant: an entry that was ever released is
 * never changed; a change is a new entry at the end.
 */
#include "inner.h"

static const char first[] =
	"CREATE TABLE run("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" job TEXT NOT NULL, board TEXT, type TEXT, soc TEXT, lab TEXT,"
	" twin INTEGER NOT NULL,"
	" build TEXT, build_version TEXT,"
	" verdict TEXT CHECK (verdict IN ('pass', 'fail', 'incomplete', 'canceled')),"
	" blame TEXT, message TEXT,"
	" started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,"
	" dir TEXT, params TEXT NOT NULL,"
	/* Offset after the last stored line of events.jsonl. */
	" events_end INTEGER NOT NULL DEFAULT 0) STRICT;"

	/* The journal as it came; the tables below are read out of it. */
	"CREATE TABLE event("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" at_offset INTEGER NOT NULL, kind TEXT NOT NULL, line TEXT NOT NULL,"
	" PRIMARY KEY (run, at_offset)) STRICT, WITHOUT ROWID;"

	"CREATE TABLE result("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" at_offset INTEGER NOT NULL,"
	" suite TEXT NOT NULL, name TEXT NOT NULL,"
	" status TEXT NOT NULL"
	" CHECK (status IN ('pass', 'fail', 'error', 'miss', 'skip', 'done')),"
	" why TEXT, at_ms INTEGER NOT NULL, log_offset INTEGER NOT NULL, console TEXT,"
	" PRIMARY KEY (run, at_offset)) STRICT, WITHOUT ROWID;"

	"CREATE TABLE metric("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" at_offset INTEGER NOT NULL,"
	" suite TEXT NOT NULL, test TEXT NOT NULL, name TEXT NOT NULL,"
	" value REAL NOT NULL, unit TEXT NOT NULL, labels TEXT NOT NULL,"
	" PRIMARY KEY (run, at_offset)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX metric_by_name ON metric(name, run);"

	"CREATE TABLE env("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" at_offset INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,"
	" PRIMARY KEY (run, at_offset)) STRICT, WITHOUT ROWID;"

	"CREATE TABLE stage("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" at_offset INTEGER NOT NULL, name TEXT NOT NULL,"
	" ms_since_power_on INTEGER NOT NULL, at_ms INTEGER NOT NULL,"
	" PRIMARY KEY (run, at_offset)) STRICT, WITHOUT ROWID;";

const char *const store_migrations[] = {
	first,
	NULL,
};
