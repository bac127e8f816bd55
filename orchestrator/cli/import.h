/* SPDX-License-Identifier: MIT */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H

/*
 * Between the files of `hilab import`: what a file holds is gathered as a draft of the runs that
 * it makes, and then stored whole or not at all.
 */

#include "agents/worker/tally.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "reports/parse/metric.h"
#include "reports/parse/sink.h"
#include "store/store.h"

#define IMPORT_FILE_BYTES ((size_t)64 << 20)       /* of one file */
#define IMPORT_RUNS_MAX   10000                    /* that one file may make */
#define IMPORT_KINDS      "csv html json rst yaml" /* of files, beside the parsers */
#define IMPORT_WARNINGS   200                      /* of one file that are told; more are counted */

struct import_args {
	const char *store, *as, *map, *of;
	const char *type, *board, *soc, *build, *release, *date, *job;
	bool twin, dry_run, json, strict, replace;
};

/* What a run is of; NULL, 0: not told. */
struct import_id {
	const char *job, *board, *type, *soc, *build, *version;
	int64_t at_ms; /* when it was measured, wall */
	bool twin;
};

struct import_run {
	struct import_id id;
	VEC(struct store_event) events; /* lines in the draft's arena */
	uint64_t offset;                /* of the next */
	struct tally tally;
	size_t n_results, n_figures;
	const char *verdict, *blame, *message; /* as the file tells it; NULL: out of the tally */
	int64_t stored;                        /* its number; 0: not yet */
	bool known;                            /* the store had it before */
};

struct import_draft {
	struct arena arena;
	const char *file; /* as it was named */
	const struct import_args *args;
	const struct metric_table *metrics;
	struct map by_id; /* -> struct import_run */
	VEC(struct import_run *) runs;
	VEC(const char *) warnings; /* "file:line: text" */
	/* Figures: not understood; "-", "n/a"; left out by a rule or by --of. */
	size_t n_warnings, n_refused, n_missing, n_left_out;
	const char *format;
	/* Of tables: boards whose names are printed, and the one that figures without such a name
	 * are of (NULL: none or several); figures that were taken, by run, metric and labels. */
	struct map printed, seen;
	const char *only_board;
};

void import_draft_init(struct import_draft *d, const char *file, const struct import_args *args,
	const struct metric_table *metrics);
void import_draft_done(struct import_draft *d);
/* What the options say lies over id. "2026-01-31" or "2026-01-31T12:00:00Z" is a date. */
struct import_id import_id_of(const struct import_draft *d, struct import_id id);
int import_date(const char *text, int64_t *wall_ms);
/* The run of that id, made when it is new; NULL: there are too many. */
struct import_run *import_run_of(struct import_draft *d, struct import_id id);
/* line: where it stands in the file; 0: not told. Texts are copied. */
void import_result(struct import_draft *d, struct import_run *r, const char *suite,
	const char *name, enum status status, const char *why, size_t line);
/* False: it was refused, and a warning says why. Names that the metric table does not have are
 * kept as they are, with any unit that is one. */
bool import_figure(struct import_draft *d, struct import_run *r, const char *suite,
	const char *test, const struct sink_metric *m, size_t line);
void import_env(struct import_draft *d, struct import_run *r, const char *name, const char *value);
void import_warn(struct import_draft *d, size_t line, const char *fmt, ...) PRINTF(3, 4);

/*
 * All runs of the draft into the store, in one transaction. Runs that it has of the same bytes are
 * left as they are, or taken out first where `--replace` was given.
 */
int import_store(struct import_draft *d, struct store *s, const char *sha256, struct err *e);
/* Nothing to store, a run without a type or date: -1 (BLAME_CONFIG). */
int import_complete(struct import_draft *d, struct err *e);

/* ---- readers: the file's text into the draft; -1 with e when it is not what it should be ------
 */

struct import_map;

int import_read(
	struct import_draft *d, const struct import_map *map, struct str text, struct err *e);
int import_parsed(struct import_draft *d, const char *parser, struct str text, struct err *e);
int import_json(struct import_draft *d, struct str text, struct err *e);
int import_yaml(struct import_draft *d, struct str text, struct err *e);
/* One record, as an object of texts: of a LAVA server's results; with a `status`, a `value` or both
 * in our own words. "line" says where it stands. */
void import_lava_row(struct import_draft *d, struct import_run *r, const json_t *j);
void import_row(struct import_draft *d, struct import_run *r, const json_t *j);
int import_csv(
	struct import_draft *d, const struct import_map *map, struct str text, struct err *e);
int import_guide(struct import_draft *d, const struct import_map *map, const char *format,
	struct str text, struct err *e);
#endif
