/* SPDX-License-Identifier: MIT */
#ifndef STORE_STORE_H
#define STORE_STORE_H

/*
 * Where runs, results and metrics live. Verbs are the domain's, not SQL. What a verb said yes to
 * survives kill -9. Errors: BLAME_INFRA (disk full, locked, corrupt), with the path in the text.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store; /* owned by the caller */

/* path NULL: $HILAB_STORE, else the state folder's hilab.db. Made when absent; its schema is
 * migrated in one transaction; a newer schema than ours is refused. */
struct store *store_open(const char *path, bool read_only, struct err *e);
void store_close(struct store *s);
const char *store_path(const struct store *s);
/*
 * From here on a transaction survives kill -9 but not a power cut: for a run that goes on, whose
 * job folder has all of it. Not light again: the next one takes those before it to the disk with
 * it. Not within a turn.
 */
int store_light(struct store *s, bool light, struct err *e);

struct store_run {
	int64_t id; /* RUN on the command line; 0: none yet */
	const char *job, *board, *type, *soc, *lab;
	bool twin;
	const char *build, *build_version; /* NULL: none */
	const char *verdict;               /* NULL while it runs */
	const char *blame, *message;       /* NULL: none */
	int64_t started_ms, ended_ms;      /* wall; 0: not yet */
	const char *dir;                   /* its job folder */
	const char *params;                /* JSON object */
	int64_t job_id, attempt;           /* of the controller's job, from 1; 0: none */
	int64_t reading; /* the one that counts (below): verdict, results are its; 0: the worker's
			  */
};
struct store_result {
	const char *suite, *name, *status, *why;
	int64_t at_ms;
	int64_t log_offset;  /* -1: none */
	const char *console; /* whose log log_offset is in; NULL: none */
	unsigned part;       /* of the run (control.h); 0 in a run on one board */
};
struct store_metric {
	const char *suite, *test, *name, *unit;
	double value;
	double min, max;    /* of the samples behind it; NAN: not told */
	double resolution;  /* of the clock or counter behind it; 0: not told */
	const char *labels; /* JSON object, keys sorted; "{}" when none */
	unsigned part;
	const char
		*better; /* "higher", "lower", "neither", where no table knows it; NULL: not told */
};
struct store_stage {
	const char *name;
	int64_t ms_since_power_on;
	int64_t at_ms; /* wall */
	unsigned part;
};
/* One line of events.jsonl (format: agents/worker/journal.h), without its line break. */
struct store_event {
	uint64_t offset; /* of its first byte in the file */
	const char *line;
	unsigned part; /* out of the store; going in, the verb says which */
};

/* A new run: fills run->id. */
int store_run_add(struct store *s, struct store_run *run, struct err *e);
/*
 * Everything one piece of events.jsonl says, in one transaction. Idempotent by (run, offset): an
 * offset already stored is passed over. A line that is no event of ours is kept as it is and says
 * nothing; a result with a foreign status is stored as `miss`, a metric without a finite value not
 * at all. A metric that the table knows (reports/metrics.yaml) is stored in the table's unit; one
 * whose unit cannot be told in it is no figure of that metric and is not stored (its line is).
 */
int store_run_events(
	struct store *s, int64_t run, const struct store_event *events, size_t n, struct err *e);
/* The offset up to which events of that run are stored. */
int store_run_offset(struct store *s, int64_t run, uint64_t *offset, struct err *e);
/* The newest run whose job folder that is: 1 and its number, 0 none, -1. */
int store_run_of_dir(struct store *s, const char *dir, int64_t *run, struct err *e);
/* Where its folder is kept, for one whose folder is named by its number. */
int store_run_set_dir(struct store *s, int64_t run, const char *dir, struct err *e);
/* Ends a run once: again with the same verdict is fine, with another one an error (BLAME_BUG). */
int store_run_end(struct store *s, int64_t run, const char *verdict, const char *blame,
	const char *message, int64_t ended_ms, struct err *e);

/* A run that had ended ended otherwise, as is known now: its end's time stays. BLAME_BUG: it has
 * not ended. */
int store_run_late(struct store *s, int64_t run, const char *verdict, const char *blame,
	const char *message, struct err *e);

/* Borrowed texts are valid during the callback; it returns non-zero to stop (that value is
 * returned). It may call any verb but the one that called it. */
typedef int store_run_fn(void *arg, const struct store_run *run);
typedef int store_result_fn(void *arg, const struct store_result *r);
typedef int store_metric_fn(void *arg, const struct store_metric *m);
typedef int store_env_fn(void *arg, const char *name, const char *value);
/* Newest first; limit 0: all. */
int store_runs(struct store *s, int64_t limit, store_run_fn *fn, void *arg, struct err *e);
struct store_run_filter {
	int64_t job;    /* attempts of that job; 0: all runs */
	int64_t before; /* ids below; 0: all */
	int64_t limit;  /* 0: all */
};
/* Newest first. */
int store_run_list(struct store *s, const struct store_run_filter *f, store_run_fn *fn, void *arg,
	struct err *e);
/* Those that started in that time, oldest first; until_ms 0: to the end. */
int store_runs_between(struct store *s, int64_t since_ms, int64_t until_ms, store_run_fn *fn,
	void *arg, struct err *e);
/* Those of the same job, type and board that started before that one, newest first; limit 0: all.
 */
int store_runs_before(struct store *s, const struct store_run *run, int64_t limit, store_run_fn *fn,
	void *arg, struct err *e);
/* 1 found (fn called once), 0 no such run, -1. */
int store_run_get(struct store *s, int64_t run, store_run_fn *fn, void *arg, struct err *e);
int store_results(struct store *s, int64_t run, store_result_fn *fn, void *arg, struct err *e);
/* How many results have which status; a status that none has is not told. */
typedef int store_count_fn(void *arg, const char *status, int64_t n);
int store_result_counts(struct store *s, int64_t run, store_count_fn *fn, void *arg, struct err *e);
int store_metrics(struct store *s, int64_t run, store_metric_fn *fn, void *arg, struct err *e);
int store_envs(struct store *s, int64_t run, store_env_fn *fn, void *arg, struct err *e);
typedef int store_stage_fn(void *arg, const struct store_stage *st);
int store_stages(struct store *s, int64_t run, store_stage_fn *fn, void *arg, struct err *e);
/* The events of one kind ("step-end", "warn") in order of the file; kind NULL: all. */
typedef int store_event_fn(void *arg, const char *kind, const struct store_event *ev);
int store_events(struct store *s, int64_t run, const char *kind, store_event_fn *fn, void *arg,
	struct err *e);
/* Those of one part from that offset of its file on; limit 0: all. */
int store_events_from(struct store *s, int64_t run, unsigned part, uint64_t offset, int64_t limit,
	store_event_fn *fn, void *arg, struct err *e);

/*
 * Readings: the kept texts of a run that has ended, read again. Each is all that the run is then
 * known to have found; none is ever changed or taken away. Number 0 is the worker's own. One of
 * them counts: results, metrics, environment and the run's verdict are those of that one.
 */
struct store_env {
	const char *name, *value;
	unsigned part;
};
struct store_reading {
	int64_t id, run;                       /* id is filled when it is added */
	int64_t at_ms;                         /* wall */
	const char *version;                   /* of the hilab that read */
	const char *verdict, *blame, *message; /* blame, message NULL: none */
	const char *changes; /* JSON: what differs from the one that counted before */
	bool counts;         /* going out */
	const struct store_result *results; /* going in: in the order in which they are told */
	const struct store_metric *metrics; /* name and unit as they are to be stored */
	const struct store_env *envs;
	size_t n_results, n_metrics, n_envs; /* at most READING_ROWS_MAX each */
};
#define READING_ROWS_MAX ((size_t)1 << 20)
/* Adds it, and it counts from now on: one transaction. BLAME_BUG: no such run, or it goes on. */
int store_reading_add(struct store *s, struct store_reading *r, struct err *e);
/* Which one counts; 0: the worker's. BLAME_CONFIG: the run has no such reading. */
int store_reading_use(struct store *s, int64_t run, int64_t reading, struct err *e);
/* Those that were added, oldest first. */
typedef int store_reading_fn(void *arg, const struct store_reading *r);
int store_readings(struct store *s, int64_t run, store_reading_fn *fn, void *arg, struct err *e);

/*
 * What a job folder has and the store has not: whole lines of events.jsonl from the stored offset
 * on, a piece of at most INGEST_BYTES per transaction; then, when `status` is there, the run is
 * ended by it. Call it as often as wanted. After an error everything up to the last transaction is
 * stored, and a later call goes on there. Returns 1 when the run has ended, 0 when not yet, -1.
 */
#define INGEST_BYTES      ((size_t)1 << 20)
#define INGEST_LINE_BYTES ((size_t)16 << 20) /* a longer line is no event of ours */
int store_ingest(struct store *s, int64_t run, const char *job_dir, struct err *e);
/*
 * A job folder: into the run that began there, or a new one out of its run-start event; then as
 * above. Nothing is added for a folder whose `status` cannot be read.
 */
int store_import(struct store *s, const char *job_dir, int64_t *run, struct err *e);

/* Where a run came from that was measured elsewhere. The same bytes make the same run once. */
struct store_origin {
	const char *source; /* the file, as it was named */
	const char *sha256; /* hex, of its bytes */
	const char *part;   /* which run of the file it is: type, board, build, date */
	const char *format;
	const char *who; /* brought it in, and when */
	int64_t at_ms;
};
typedef int store_origin_fn(void *arg, const struct store_origin *o);
int store_origin_add(struct store *s, int64_t run, const struct store_origin *o, struct err *e);
/* The run that is that part of those bytes: 1 and its number, 0 none, -1. In a turn it holds until
 * the turn ends: nobody else adds it in between. */
int store_origin_find(
	struct store *s, const char *sha256, const char *part, int64_t *run, struct err *e);
/* 1 found (fn called once), 0 the run was measured here or is not there, -1. */
int store_origin_get(struct store *s, int64_t run, store_origin_fn *fn, void *arg, struct err *e);
/* Takes such a run out of the store, with all that it has: 1, 0 none such, -1. */
int store_origin_del(struct store *s, int64_t run, struct err *e);

#endif
