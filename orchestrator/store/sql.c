/* SPDX-License-Identifier: MIT */
/*
 * Every statement of the store. Invariant: a list that may grow without end is read along an index
 * (INDEXED BY: without it the statement is refused, not slow), and lists never read a job's text or
 * plans.
 */
#include "inner.h"

/* How a run ended, by the reading that counts. */
#define RUN_END(column)                                                                            \
	" CASE WHEN reading=0 THEN " column " ELSE (SELECT g." column                              \
	" FROM reading g WHERE g.id=run.reading) END,"
#define RUN_COLUMNS                                                                                \
	"SELECT id, job, board, type, soc, lab, twin, build, build_version," RUN_END("verdict")    \
		RUN_END("blame") RUN_END("message") " started_ms, ended_ms, dir, params, job_id, " \
						    "attempt, reading FROM run "

/* job_row() in jobs.c reads them. */
#define JOB_COLUMNS                                                                                \
	"SELECT j.id, j.name, j.kind, j.submitter, j.state, j.priority, j.params, w.text, "        \
	"j.build,"                                                                                 \
	" j.timeout_ms, j.queue_timeout_ms, j.submitted_ms, j.ended_ms, j.attempts, j.verdict,"    \
	" j.blame, j.message, j.canceled_by, j.nightly, j.retry_of, j.last_run, j.key"
#define JOB_WANTS " LEFT JOIN content w ON w.id=j.wants "
#define JOB_LIST(index, order)                                                                     \
	JOB_COLUMNS " FROM job j " index JOB_WANTS                                                 \
		    "WHERE (?1 IS NULL OR j.state=?1) AND (?2 IS NULL OR j.submitter=?2)"          \
		    " AND (?3 IS NULL OR j.kind=?3) AND (?4 IS NULL OR j.nightly=?4)"              \
		    " AND (NOT ?5 OR j.state<>'done') AND j.id<?6" order " LIMIT ?7"
#define JOB_LISTS(at, index, term)                                                                 \
	[at] = JOB_LIST(index, term " ORDER BY j.id DESC"),                                        \
	[at##_OLDEST] = JOB_LIST(index, term " ORDER BY j.id")

#define PART_COLUMNS                                                                               \
	"SELECT run, part, job, role, agent, board, dir, state, verdict, blame, message, power,"   \
	" assigned_ms, started_ms, ended_ms FROM part "
#define TOKEN_COLUMNS                                                                              \
	"SELECT id, account, rights, labs, note, made_ms, expires_ms, used_ms FROM token "
#define AUDIT_COLUMNS "SELECT id, at_ms, account, address, what, subject, detail FROM audit "

/* In the order of the columns of its key, which is that of lists. */
#define SERIES_COLUMNS                                                                             \
	"SELECT s.id, s.type, s.board, s.job, s.suite, s.metric, s.labels, s.tool, s.test,"        \
	" s.params, s.line, s.twin, s.unit, s.better, s.resolution, s.points, s.first_ms,"         \
	" s.last_ms FROM "
#define SERIES_WHERE                                                                               \
	" AND (?2 IS NULL OR s.board GLOB ?2) AND (?3 IS NULL OR s.line GLOB ?3)"                  \
	" AND (?4 IS NULL OR s.job GLOB ?4) AND (?5 IS NULL OR s.suite GLOB ?5)"                   \
	" AND (?6 IS NULL OR s.metric GLOB ?6) AND (?7 IS NULL OR s.twin=?7)"                      \
	" AND s.last_ms>=?8 AND s.first_ms<?9 AND (s.first_ms>=?8 OR s.last_ms<?9 OR EXISTS("      \
	"SELECT 1 FROM point p WHERE p.series=s.id AND p.at_ms>=?8 AND p.at_ms<?9))"               \
	" ORDER BY s.type, s.board, s.job, s.suite, s.metric, s.labels, s.tool, s.test,"           \
	" s.params, s.line, s.twin, s.unit"

/* Of the reading that counts. */
#define COUNTS " AND reading=(SELECT reading FROM run WHERE id=?1)"

#define ALERT_COLUMNS                                                                              \
	"SELECT id, subject, state, type, nightly, run, opened_ms, changed_ms, ended_ms, body"     \
	" FROM alert "
#define ALERT_FILTER                                                                               \
	"(?1 IS NULL OR subject=?1) AND (?2 IS NULL OR type=?2)"                                   \
	" AND (?3 IS NULL OR nightly=?3) AND id<?4 ORDER BY id DESC LIMIT ?5"

const char *const store_sql_texts[SQL_COUNT] = {
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_SAVEPOINT] = "SAVEPOINT verb",
	[SQL_RELEASE] = "RELEASE verb",
	[SQL_ROLLBACK_TO] = "ROLLBACK TO verb",

	[SQL_RUN_ADD] = "INSERT INTO run(job, board, type, soc, lab, twin, build, build_version,"
			" verdict, blame, message, started_ms, ended_ms, dir, params, job_id,"
			" attempt)"
			" VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)",
	[SQL_RUN_END] = "UPDATE run SET verdict=?2, blame=?3, message=?4, ended_ms=?5"
			" WHERE id=?1 AND verdict IS NULL",
	[SQL_RUN_LATE] = "UPDATE run SET verdict=?2, blame=?3, message=?4"
			 " WHERE id=?1 AND verdict IS NOT NULL",
	[SQL_RUN_VERDICT] = "SELECT verdict FROM run WHERE id=?1",
	[SQL_RUN_EVENTS_END] = "UPDATE run SET events_end=max(events_end, ?2) WHERE id=?1",
	[SQL_RUN_GET] = RUN_COLUMNS "WHERE id=?1",
	[SQL_RUN_LIST] = RUN_COLUMNS "WHERE id<?1 ORDER BY id DESC LIMIT ?2",
	[SQL_RUN_LIST_OF_JOB] =
		RUN_COLUMNS "INDEXED BY run_of_job WHERE job_id=?3 AND id<?1 ORDER BY id DESC"
			    " LIMIT ?2",
	[SQL_RUNS_BETWEEN] = RUN_COLUMNS "INDEXED BY run_by_time WHERE started_ms>=?1"
					 " AND started_ms<?2 ORDER BY started_ms, id",
	[SQL_RUNS_BEFORE] = RUN_COLUMNS
	"INDEXED BY run_of_board WHERE job=?1 AND type IS ?2 AND board IS ?3"
	" AND (started_ms, id)<(?4, ?5) ORDER BY started_ms DESC, id DESC LIMIT ?6",
	[SQL_RUN_OFFSET] = "SELECT events_end FROM run WHERE id=?1",
	[SQL_RUN_SET_DIR] = "UPDATE run SET dir=?2 WHERE id=?1",
	[SQL_RUN_SET_READING] = "UPDATE run SET reading=?2 WHERE id=?1 AND verdict IS NOT NULL",
	[SQL_READING_ADD] = "INSERT INTO reading(run, at_ms, version, verdict, blame, message,"
			    " changes) VALUES (?1,?2,?3,?4,?5,?6,?7)",
	[SQL_READING_FIND] = "SELECT 1 FROM reading WHERE run=?1 AND id=?2",
	[SQL_READINGS] = "SELECT g.id, g.at_ms, g.version, g.verdict, g.blame, g.message,"
			 " g.changes, g.id=(SELECT reading FROM run WHERE id=?1)"
			 " FROM reading g WHERE g.run=?1 ORDER BY g.id",
	[SQL_READING_RESULT_ADD] =
		"INSERT INTO result(run, at_offset, suite, name, status, why, at_ms, log_offset,"
		" console, reading) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
	[SQL_READING_METRIC_ADD] =
		"INSERT INTO metric(run, at_offset, suite, test, name, value, unit, labels, min,"
		" max, resolution, better, reading)"
		" VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
	[SQL_READING_ENV_ADD] =
		"INSERT INTO env(run, at_offset, name, value, reading) VALUES (?1,?2,?3,?4,?5)",
	[SQL_RUN_OF_DIR] = "SELECT id FROM run WHERE dir IN (?1, ?2) ORDER BY id DESC LIMIT 1",
	[SQL_EVENT_ADD] = "INSERT INTO event(run, at_offset, kind, line) VALUES (?1,?2,?3,?4)"
			  " ON CONFLICT DO NOTHING",
	[SQL_RESULT_ADD] = "INSERT INTO result(run, at_offset, suite, name, status, why, at_ms,"
			   " log_offset, console) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
	[SQL_METRIC_ADD] = "INSERT INTO metric(run, at_offset, suite, test, name, value, unit,"
			   " labels, min, max, resolution, better)"
			   " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
	[SQL_ENV_ADD] = "INSERT INTO env(run, at_offset, name, value) VALUES (?1,?2,?3,?4)",
	[SQL_STAGE_ADD] = "INSERT INTO stage(run, at_offset, name, ms_since_power_on, at_ms)"
			  " VALUES (?1,?2,?3,?4,?5)",
	[SQL_RESULT_LIST] = "SELECT suite, name, status, why, at_ms, log_offset, console,"
			    " at_offset"
			    " FROM result WHERE run=?1" COUNTS " ORDER BY at_offset",
	[SQL_METRIC_LIST] = "SELECT suite, test, name, unit, value, labels, at_offset, min, max,"
			    " resolution, better"
			    " FROM metric WHERE run=?1" COUNTS " ORDER BY at_offset",
	[SQL_ENV_LIST] = "SELECT name, value FROM env WHERE run=?1" COUNTS " ORDER BY at_offset",
	[SQL_STAGE_LIST] = "SELECT name, ms_since_power_on, at_ms, at_offset"
			   " FROM stage WHERE run=?1 ORDER BY at_offset",
	[SQL_RESULT_COUNTS] =
		"SELECT status, count(*) FROM result WHERE run=?1" COUNTS " GROUP BY status",
	[SQL_EVENT_LIST] = "SELECT kind, at_offset, line FROM event"
			   " WHERE run=?1 AND (?2 IS NULL OR kind=?2) ORDER BY at_offset",
	[SQL_EVENT_LIST_FROM] = "SELECT kind, at_offset, line FROM event"
				" WHERE run=?1 AND at_offset>=?2 AND at_offset<?3"
				" ORDER BY at_offset LIMIT ?4",

	[SQL_CONTENT_FIND] = "SELECT id FROM (SELECT id, text FROM content WHERE hash=?1 LIMIT ?3)"
			     " WHERE text=?2",
	[SQL_CONTENT_ADD] = "INSERT INTO content(hash, text) VALUES (?1,?2)",
	[SQL_JOB_ADD] = "INSERT INTO job(name, kind, submitter, state, priority, text, file,"
			" params, plans, wants, build, timeout_ms, queue_timeout_ms, submitted_ms,"
			" ended_ms, attempts, verdict, blame, message, canceled_by, nightly,"
			" retry_of, last_run, key)"
			" VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,"
			"?19,?20,?21,?22,?23,?24)",
	[SQL_JOB_SAVE] = "UPDATE job SET state=?2, attempts=?3, ended_ms=?4, verdict=?5, blame=?6,"
			 " message=?7, canceled_by=?8, last_run=?9 WHERE id=?1",
	[SQL_JOB_GET] = JOB_COLUMNS ", j.file, t.text, p.text FROM job j" JOB_WANTS
				    "LEFT JOIN content t ON t.id=j.text"
				    " LEFT JOIN content p ON p.id=j.plans WHERE j.id=?1",
	[SQL_JOB_BY_KEY] = "SELECT id FROM job WHERE submitter=?1 AND key=?2",
	JOB_LISTS(SQL_JOBS, "NOT INDEXED", ""),
	JOB_LISTS(SQL_JOBS_OPEN, "INDEXED BY job_open", " AND j.state<>'done'"),
	JOB_LISTS(SQL_JOBS_NIGHTLY, "INDEXED BY job_of_nightly", " AND j.nightly=?4"),
	JOB_LISTS(SQL_JOBS_SUBMITTER, "INDEXED BY job_of_submitter", " AND j.submitter=?2"),

	[SQL_PART_ADD] = "INSERT INTO part(run, part, job, role, agent, board, dir, state,"
			 " verdict, blame, message, power, assigned_ms, started_ms, ended_ms)"
			 " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)",
	[SQL_PART_SAVE] = "UPDATE part SET job=?3, role=?4, agent=?5, board=?6, dir=?7, state=?8,"
			  " verdict=?9, blame=?10, message=?11, power=?12, assigned_ms=?13,"
			  " started_ms=?14, ended_ms=?15 WHERE run=?1 AND part=?2",
	[SQL_PART_EVENTS_END] = "UPDATE part SET events_end=max(events_end, ?2)"
				" WHERE run=?1 AND part=?3",
	[SQL_PART_OFFSET] = "SELECT events_end FROM part WHERE run=?1 AND part=?2",
	[SQL_PARTS] = PART_COLUMNS "WHERE run=?1 ORDER BY part",
	[SQL_PARTS_OPEN] = PART_COLUMNS "INDEXED BY part_open WHERE state<>'ended'"
					" ORDER BY run, part",
	[SQL_INBOX_ADD] = "INSERT INTO inbox(run, part, seq, line)"
			  " SELECT ?1, ?2, coalesce(max(seq), 0) + 1, ?3 FROM inbox"
			  " WHERE run=?1 AND part=?2 RETURNING seq",
	[SQL_INBOX] = "SELECT seq, line FROM inbox WHERE run=?1 AND part=?2 AND seq>?3"
		      " ORDER BY seq",

	[SQL_BOARD_SAVE] = "INSERT OR REPLACE INTO board(name, agent, lab, type, announced,"
			   " health, reason, who, since_ms, checked_ms, power)"
			   " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
	[SQL_BOARD_DEL] = "DELETE FROM board WHERE name=?1",
	[SQL_BOARDS] = "SELECT name, agent, lab, type, announced, health, reason, who, since_ms,"
		       " checked_ms, power FROM board ORDER BY name",
	[SQL_AGENT_SAVE] = "INSERT OR REPLACE INTO agent(name, lab, version, protocol, max_jobs,"
			   " first_ms, seen_ms) VALUES (?1,?2,?3,?4,?5,?6,?7)",
	[SQL_AGENTS] = "SELECT name, lab, version, protocol, max_jobs, first_ms, seen_ms"
		       " FROM agent ORDER BY name",
	[SQL_LEASE_SAVE] = "INSERT OR REPLACE INTO lease(job, board, owner, why, until_ms, hard_ms)"
			   " VALUES (?1,?2,?3,?4,?5,?6)",
	[SQL_LEASES_OPEN] = "SELECT l.job, l.board, l.owner, l.why, l.until_ms, l.hard_ms"
			    " FROM job j INDEXED BY job_open CROSS JOIN lease l ON l.job=j.id"
			    " WHERE j.state<>'done' ORDER BY j.id",

	[SQL_TOKEN_ADD] = "INSERT INTO token(account, rights, labs, note, made_ms, expires_ms,"
			  " used_ms, sha256) VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
	[SQL_TOKEN_DEL] = "DELETE FROM token WHERE id=?1",
	[SQL_TOKEN_FIND] = TOKEN_COLUMNS "WHERE sha256=?1",
	[SQL_TOKENS] = TOKEN_COLUMNS "ORDER BY id",
	[SQL_TOKEN_USED] = "UPDATE token SET used_ms=max(used_ms, ?2) WHERE id=?1",
	[SQL_AUDIT_ADD] = "INSERT INTO audit(at_ms, account, address, what, subject, detail)"
			  " VALUES (?1,?2,?3,?4,?5,?6)",
	[SQL_AUDITS] = AUDIT_COLUMNS "WHERE id<?1 ORDER BY id DESC LIMIT ?2",
	[SQL_AUDITS_OF] = AUDIT_COLUMNS "INDEXED BY audit_of WHERE subject=?3 AND id<?1"
					" ORDER BY id DESC LIMIT ?2",

	[SQL_NIGHTLY_ADD] = "INSERT INTO nightly(plan, submitter, entries, started_ms,"
			    " deadline_ms, ended_ms, verdict, policy, judged) VALUES "
			    "(?1,?2,?3,?4,?5,?6,?7,?8,0)",
	[SQL_NIGHTLY_SAVE] = "UPDATE nightly SET started_ms=?2, deadline_ms=?3, ended_ms=?4,"
			     " verdict=?5 WHERE id=?1",
	[SQL_NIGHTLY_GET] = "SELECT n.id, n.plan, n.submitter, n.started_ms, n.deadline_ms,"
			    " n.ended_ms, n.verdict, c.text, n.policy FROM nightly n"
			    " LEFT JOIN content c ON c.id=n.entries WHERE n.id=?1",
	[SQL_NIGHTLIES] = "SELECT id, plan, submitter, started_ms, deadline_ms, ended_ms, verdict"
			  " FROM nightly WHERE (?1 IS NULL OR plan=?1)"
			  " AND (NOT ?2 OR ended_ms=0) ORDER BY id DESC LIMIT ?3",
	[SQL_NIGHTLIES_UNJUDGED] =
		"SELECT id, plan, submitter, started_ms, deadline_ms, ended_ms, verdict"
		" FROM nightly INDEXED BY nightly_unjudged WHERE judged=0 AND ended_ms>0"
		" ORDER BY id",
	[SQL_NIGHTLY_JUDGED] = "UPDATE nightly SET judged=1 WHERE id=?1",
	[SQL_SCHEDULE_SAVE] = "INSERT OR REPLACE INTO schedule(plan, cron, submitter, entries,"
			      " deadline_ms, last_ms, policy) VALUES (?1,?2,?3,?4,?5,?6,?7)",
	[SQL_SCHEDULE_DEL] = "DELETE FROM schedule WHERE plan=?1",
	[SQL_SCHEDULES] =
		"SELECT s.plan, s.cron, s.submitter, s.deadline_ms, s.last_ms, c.text, s.policy"
		" FROM schedule s LEFT JOIN content c ON c.id=s.entries ORDER BY s.plan",

	[SQL_BUILD_SAVE] = "INSERT OR REPLACE INTO build(name, version, soc, manifest, owner,"
			   " added_ms, used_ms, bytes, pinned)"
			   " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
	[SQL_BUILD_DEL] = "DELETE FROM build WHERE name=?1 AND version=?2",
	[SQL_BUILDS] = "SELECT name, version, soc, manifest, owner, added_ms, used_ms, bytes,"
		       " pinned FROM build WHERE (?1 IS NULL OR name=?1)"
		       " AND (?2 IS NULL OR version=?2) ORDER BY added_ms DESC, name, version",

	[SQL_ORIGIN_ADD] = "INSERT INTO origin(run, source, sha256, part, format, who, at_ms)"
			   " VALUES (?1,?2,?3,?4,?5,?6,?7)",
	[SQL_ORIGIN_FIND] = "SELECT run FROM origin WHERE sha256=?1 AND part=?2",
	[SQL_ORIGIN_GET] = "SELECT source, sha256, part, format, who, at_ms FROM origin"
			   " WHERE run=?1",
	[SQL_ORIGIN_DEL] = "DELETE FROM run WHERE id IN (SELECT run FROM origin WHERE run=?1)",

	[SQL_SERIES_RUN] = "SELECT job, board, type, twin, build, build_version, params,"
			   " started_ms, verdict FROM run"
			   " WHERE id=?1 AND verdict IS NOT NULL",
	[SQL_SERIES_RUN_SET] = "UPDATE run SET pointed=1 WHERE id=?1",
	[SQL_SERIES_RUN_UNSET] = "SELECT id FROM run INDEXED BY run_unpointed"
				 " WHERE pointed=0 AND verdict IS NOT NULL ORDER BY id LIMIT 1",
	[SQL_SERIES_METRICS] = "SELECT suite, test, name, unit, value, labels, at_offset, min, max,"
			       " resolution, better"
			       " FROM metric WHERE run=?1" COUNTS " ORDER BY at_offset",
	[SQL_SERIES_TOOLS] = "SELECT name, value, at_offset FROM env WHERE run=?1" COUNTS
			     " AND (name GLOB '*.version' OR name GLOB 'tool.*')"
			     " ORDER BY at_offset",
	[SQL_SERIES_ROLE] = "SELECT role FROM part WHERE run=?1 AND part=?2",
	[SQL_SERIES_IDENTITIES] = "SELECT line FROM event WHERE run=?1 AND kind='identity'",
	[SQL_SERIES_FIND] = "SELECT id, better, resolution FROM series INDEXED BY series_by_key"
			    " WHERE type=?1 AND board=?2 AND job=?3 AND suite=?4 AND metric=?5"
			    " AND labels=?6 AND tool=?7 AND test=?8 AND params=?9 AND line=?10"
			    " AND twin=?11 AND unit=?12",
	[SQL_SERIES_ADD] = "INSERT INTO series(type, board, job, suite, metric, labels, tool, test,"
			   " params, line, twin, unit, better, resolution)"
			   " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)",
	[SQL_SERIES_SAVE] = "UPDATE series SET better=?2, resolution=?3 WHERE id=?1",
	[SQL_SERIES_DEL] = "DELETE FROM series WHERE id=?1 AND points=0",
	[SQL_SERIES_GREW] =
		"UPDATE series SET points=points+1,"
		" first_ms=CASE WHEN points=0 THEN ?2 ELSE min(first_ms, ?2) END,"
		" last_ms=CASE WHEN points=0 THEN ?2 ELSE max(last_ms, ?2) END WHERE id=?1",
	[SQL_SERIES_COUNT] =
		"UPDATE series SET points=(SELECT count(*) FROM point WHERE series=?1),"
		" first_ms=coalesce((SELECT min(at_ms) FROM point WHERE series=?1), 0),"
		" last_ms=coalesce((SELECT max(at_ms) FROM point WHERE series=?1), 0) WHERE id=?1",
	[SQL_POINT_ADD] = "INSERT INTO point(series, at_ms, run, value, min, max, samples)"
			  " VALUES (?1,?2,?3,?4,?5,?6,?7) ON CONFLICT DO NOTHING",
	[SQL_POINT_SAVE] = "UPDATE point SET value=?4, min=?5, max=?6, samples=?7"
			   " WHERE series=?1 AND at_ms=?2 AND run=?3 AND (value IS NOT ?4"
			   " OR min IS NOT ?5 OR max IS NOT ?6 OR samples IS NOT ?7)",
	[SQL_POINT_DEL] = "DELETE FROM point WHERE series=?1 AND at_ms=?2 AND run=?3",
	[SQL_POINT_SERIES] = "SELECT series, at_ms FROM point INDEXED BY point_of_run WHERE run=?1",
	[SQL_SERIES_LIST] = SERIES_COLUMNS
	"series s INDEXED BY series_by_key WHERE (?1 IS NULL OR s.type GLOB ?1)" SERIES_WHERE,
	[SQL_SERIES_LIST_OF_TYPE] =
		SERIES_COLUMNS "series s INDEXED BY series_by_key WHERE s.type=?1" SERIES_WHERE,
	[SQL_SERIES_LIST_OF_RUN] = SERIES_COLUMNS
	"point r INDEXED BY point_of_run CROSS JOIN series s ON s.id=r.series"
	" WHERE r.run=?10 AND (?1 IS NULL OR s.type GLOB ?1)" SERIES_WHERE,
	[SQL_POINTS] = "SELECT p.series, p.run, p.at_ms, r.build_version, p.value, p.min, p.max,"
		       " p.samples FROM point p CROSS JOIN run r ON r.id=p.run"
		       " WHERE p.series=?1 AND p.at_ms>=?2 AND p.at_ms<?3 ORDER BY p.at_ms, p.run",
	[SQL_POINTS_BACK] =
		"SELECT p.series, p.run, p.at_ms, r.build_version, p.value, p.min, p.max,"
		" p.samples FROM point p CROSS JOIN run r ON r.id=p.run WHERE p.series=?1"
		" AND (p.at_ms, p.run)<=(?2, ?3) ORDER BY p.at_ms DESC, p.run DESC LIMIT ?4",
	[SQL_POINTS_OF_RUN] =
		"SELECT p.series, p.run, p.at_ms, r.build_version, p.value, p.min, p.max,"
		" p.samples FROM point p INDEXED BY point_of_run CROSS JOIN run r ON r.id=p.run"
		" WHERE p.run=?1 ORDER BY p.series",
	[SQL_STATE_GET] =
		"SELECT version, at_ms, run, points, bytes FROM series_state WHERE series=?1",
	[SQL_STATE_SAVE] =
		"INSERT OR REPLACE INTO series_state(series, version, at_ms, run, points, bytes)"
		" SELECT id, ?2, ?3, ?4, ?5, ?6 FROM series WHERE id=?1 AND points=?5",
	[SQL_STATE_DROP] = "DELETE FROM series_state"
			   " WHERE series=?1 AND (at_ms>?2 OR (at_ms=?2 AND run>=?3))",
	[SQL_ALERT_ADD] = "INSERT INTO alert(subject, state, type, nightly, run, opened_ms,"
			  " changed_ms, ended_ms, body) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)"
			  " ON CONFLICT(subject) WHERE ended_ms=0 DO NOTHING",
	[SQL_ALERT_SAVE] = "UPDATE alert SET state=?2, changed_ms=?3, ended_ms=?4, body=?5"
			   " WHERE id=?1",
	[SQL_ALERT_GET] = ALERT_COLUMNS "WHERE id=?1",
	[SQL_ALERTS] = ALERT_COLUMNS "WHERE " ALERT_FILTER,
	[SQL_ALERTS_OPEN] = ALERT_COLUMNS "WHERE ended_ms=0 AND " ALERT_FILTER,
	[SQL_KNOWN_ADD] = "INSERT INTO known(job, suite, test, message, type, line, from_version,"
			  " to_version, reason, who, made_ms, expires_ms)"
			  " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
	[SQL_KNOWN_DEL] = "DELETE FROM known WHERE id=?1",
	[SQL_KNOWNS] = "SELECT id, job, suite, test, message, type, line, from_version,"
		       " to_version, reason, who, made_ms, expires_ms FROM known"
		       " WHERE ?1=0 OR expires_ms=0 OR expires_ms>?1 ORDER BY id",
};
