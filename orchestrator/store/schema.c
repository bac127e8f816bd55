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

/*
 * The controller's. An event's at_offset is its position: the part above STORE_PART_BITS, the
 * offset in that part's events.jsonl below, so that part 0 has the positions that runs always had.
 */
static const char second[] =
	/* Texts that many jobs share: the same text is one row. hash: content.c. */
	"CREATE TABLE content("
	" id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL) STRICT;"
	"CREATE INDEX content_by_hash ON content(hash);"

	"CREATE TABLE nightly("
	" id INTEGER PRIMARY KEY, plan TEXT NOT NULL, submitter TEXT NOT NULL,"
	" entries INTEGER REFERENCES content(id),"
	" started_ms INTEGER NOT NULL, deadline_ms INTEGER NOT NULL,"
	" ended_ms INTEGER NOT NULL, verdict TEXT) STRICT;"
	"CREATE TABLE schedule("
	" plan TEXT PRIMARY KEY, cron TEXT NOT NULL, submitter TEXT NOT NULL,"
	" entries INTEGER REFERENCES content(id),"
	" deadline_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;"

	"CREATE TABLE job("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL,"
	" submitter TEXT NOT NULL,"
	" state TEXT NOT NULL"
	" CHECK (state IN ('queued', 'assigned', 'running', 'canceling', 'done')),"
	" priority INTEGER NOT NULL,"
	" text INTEGER REFERENCES content(id), file TEXT, params TEXT NOT NULL,"
	" plans INTEGER REFERENCES content(id), wants INTEGER REFERENCES content(id),"
	" build TEXT, timeout_ms INTEGER NOT NULL, queue_timeout_ms INTEGER NOT NULL,"
	" submitted_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, attempts INTEGER NOT NULL,"
	" verdict TEXT CHECK (verdict IN ('pass', 'fail', 'incomplete', 'canceled')),"
	" blame TEXT, message TEXT, canceled_by TEXT,"
	" nightly INTEGER REFERENCES nightly(id), retry_of INTEGER REFERENCES job(id),"
	" last_run INTEGER, key TEXT) STRICT;"
	"CREATE INDEX job_open ON job(id) WHERE state<>'done';"
	"CREATE INDEX job_of_submitter ON job(submitter);"
	"CREATE INDEX job_of_nightly ON job(nightly) WHERE nightly IS NOT NULL;"
	"CREATE UNIQUE INDEX job_by_key ON job(submitter, key) WHERE key IS NOT NULL;"

	"ALTER TABLE run ADD COLUMN job_id INTEGER REFERENCES job(id);"
	"ALTER TABLE run ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX run_of_job ON run(job_id) WHERE job_id IS NOT NULL;"

	"CREATE TABLE part("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" part INTEGER NOT NULL, job INTEGER REFERENCES job(id), role TEXT,"
	" agent TEXT NOT NULL, board TEXT NOT NULL, dir TEXT,"
	" state TEXT NOT NULL CHECK (state IN ('assigned', 'running', 'ended')),"
	" verdict TEXT CHECK (verdict IN ('pass', 'fail', 'incomplete', 'canceled')),"
	" blame TEXT, message TEXT, power TEXT,"
	" assigned_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,"
	/* As run.events_end, which is part 0's. */
	" events_end INTEGER NOT NULL DEFAULT 0,"
	" PRIMARY KEY (run, part)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX part_open ON part(run, part) WHERE state<>'ended';"
	"CREATE TABLE inbox("
	" run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" part INTEGER NOT NULL, seq INTEGER NOT NULL, line TEXT NOT NULL,"
	" PRIMARY KEY (run, part, seq)) STRICT, WITHOUT ROWID;"

	"CREATE TABLE board("
	" name TEXT PRIMARY KEY, agent TEXT, lab TEXT, type TEXT, announced TEXT,"
	" health TEXT NOT NULL"
	" CHECK (health IN ('good', 'unknown', 'bad', 'maintenance', 'retired')),"
	" reason TEXT, who TEXT, since_ms INTEGER NOT NULL, checked_ms INTEGER NOT NULL,"
	" power TEXT NOT NULL CHECK (power IN ('on', 'off', 'unknown'))) STRICT, WITHOUT ROWID;"
	"CREATE TABLE agent("
	" name TEXT PRIMARY KEY, lab TEXT, version TEXT, protocol INTEGER NOT NULL,"
	" max_jobs INTEGER NOT NULL, first_ms INTEGER NOT NULL,"
	" seen_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
	"CREATE TABLE lease("
	" job INTEGER PRIMARY KEY REFERENCES job(id), board TEXT NOT NULL, owner TEXT NOT NULL,"
	" why TEXT, until_ms INTEGER NOT NULL, hard_ms INTEGER NOT NULL) STRICT;"

	/* A token's number stands in the audit: it is never given again. */
	"CREATE TABLE token("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, sha256 TEXT NOT NULL UNIQUE,"
	" account TEXT NOT NULL, rights TEXT NOT NULL"
	" CHECK (rights IN ('viewer', 'submitter', 'operator', 'admin', 'agent')),"
	" labs TEXT, note TEXT, made_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,"
	" used_ms INTEGER NOT NULL) STRICT;"
	"CREATE TABLE audit("
	" id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, account TEXT NOT NULL, address TEXT,"
	" what TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT) STRICT;"
	"CREATE INDEX audit_of ON audit(subject);"

	"CREATE TABLE build("
	" name TEXT NOT NULL, version TEXT NOT NULL, soc TEXT, manifest TEXT NOT NULL,"
	" owner TEXT, added_ms INTEGER NOT NULL, used_ms INTEGER NOT NULL,"
	" bytes INTEGER NOT NULL, pinned INTEGER NOT NULL,"
	" PRIMARY KEY (name, version)) STRICT, WITHOUT ROWID;";

/* What a tool tells of the samples behind a figure; NULL: not told. */
static const char third[] = "ALTER TABLE metric ADD COLUMN min REAL;"
			    "ALTER TABLE metric ADD COLUMN max REAL;"
			    "ALTER TABLE metric ADD COLUMN resolution REAL;";

/* Where a run that was measured elsewhere came from: origin.c. */
static const char origins[] =
	"CREATE TABLE origin("
	" run INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,"
	" source TEXT NOT NULL, sha256 TEXT NOT NULL, part TEXT NOT NULL,"
	" format TEXT NOT NULL, who TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT;"
	"CREATE UNIQUE INDEX origin_of ON origin(sha256, part);";

/*
 * Readings of a run's kept texts after the one of its worker, which is number 0: whole, each with
 * what it found changed against the one before. run.reading is the one that counts. Rows of a
 * reading have positions above all of journals: STORE_READING_BIT, the part, then reading and
 * number (readings.c). better: of a metric that no table knows; NULL: not told.
 */
static const char readings[] = "CREATE TABLE reading("
			       " id INTEGER PRIMARY KEY AUTOINCREMENT,"
			       " run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
			       " at_ms INTEGER NOT NULL, version TEXT NOT NULL,"
			       " verdict TEXT NOT NULL"
			       " CHECK (verdict IN ('pass', 'fail', 'incomplete', 'canceled')),"
			       " blame TEXT, message TEXT, changes TEXT NOT NULL) STRICT;"
			       "CREATE INDEX reading_of ON reading(run);"
			       "ALTER TABLE run ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;"
			       "ALTER TABLE result ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;"
			       "ALTER TABLE metric ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;"
			       "ALTER TABLE metric ADD COLUMN better TEXT;"
			       "ALTER TABLE env ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;";

/*
 * Series and what their runs gave them: series-points.c. run.pointed: what the run gives was made.
 * A series is found by its whole key and listed in the key's order.
 */
static const char series[] =
	"CREATE TABLE series("
	" id INTEGER PRIMARY KEY,"
	" type TEXT NOT NULL, board TEXT NOT NULL, job TEXT NOT NULL, suite TEXT NOT NULL,"
	" metric TEXT NOT NULL, labels TEXT NOT NULL, tool TEXT NOT NULL, test TEXT NOT NULL,"
	" params TEXT NOT NULL, line TEXT NOT NULL, twin INTEGER NOT NULL, unit TEXT NOT NULL,"
	" better TEXT NOT NULL, resolution REAL NOT NULL,"
	" points INTEGER NOT NULL DEFAULT 0,"
	" first_ms INTEGER NOT NULL DEFAULT 0, last_ms INTEGER NOT NULL DEFAULT 0) STRICT;"
	"CREATE UNIQUE INDEX series_by_key ON series(type, board, job, suite, metric, labels, tool,"
	" test, params, line, twin, unit);"
	"CREATE TABLE point("
	" series INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,"
	" at_ms INTEGER NOT NULL, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"
	" value REAL NOT NULL, min REAL, max REAL, samples INTEGER NOT NULL,"
	" PRIMARY KEY (series, at_ms, run)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX point_of_run ON point(run);"
	"CREATE TABLE series_state("
	" series INTEGER PRIMARY KEY REFERENCES series(id) ON DELETE CASCADE,"
	" version TEXT NOT NULL, at_ms INTEGER NOT NULL, run INTEGER NOT NULL,"
	" points INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;"
	"ALTER TABLE run ADD COLUMN pointed INTEGER NOT NULL DEFAULT 0;"
	"CREATE INDEX run_unpointed ON run(id) WHERE pointed=0 AND verdict IS NOT NULL;";
/*
 * Alerts and known issues (alerts.h). policy: what is done about them, of a night and of a plan
 * that starts by itself (JSON; NULL: nothing).
 */
static const char alerts[] =
	"CREATE TABLE alert("
	" id INTEGER PRIMARY KEY, subject TEXT NOT NULL, state TEXT NOT NULL, type TEXT,"
	" nightly INTEGER, run INTEGER, opened_ms INTEGER NOT NULL,"
	" changed_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, body TEXT NOT NULL) STRICT;"
	"CREATE UNIQUE INDEX alert_open ON alert(subject) WHERE ended_ms=0;"
	"CREATE INDEX alert_of ON alert(subject);"
	"CREATE TABLE known("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT, suite TEXT, test TEXT, message TEXT,"
	" type TEXT, line TEXT, from_version TEXT, to_version TEXT, reason TEXT NOT NULL,"
	" who TEXT NOT NULL, made_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL) STRICT;"
	"ALTER TABLE nightly ADD COLUMN policy TEXT;"
	"ALTER TABLE schedule ADD COLUMN policy TEXT;";

/* Runs of a time, and those of one job on one board. */
static const char runs[] = "CREATE INDEX run_by_time ON run(started_ms);"
			   "CREATE INDEX run_of_board ON run(job, type, board, started_ms);";

/* judged: what became worse in that night is an alert. Those before it were are left alone. */
static const char judged[] =
	"ALTER TABLE nightly ADD COLUMN judged INTEGER NOT NULL DEFAULT 1;"
	"CREATE INDEX nightly_unjudged ON nightly(id) WHERE judged=0 AND ended_ms>0;";

const char *const store_migrations[] = {
	first,
	second,
	third,
	origins,
	readings,
	series,
	alerts,
	runs,
	judged,
	NULL,
};
