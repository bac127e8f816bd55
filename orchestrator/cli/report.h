/* SPDX-License-Identifier: MIT */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

/* `hilab report` and what every command that shows a run stands on. */

#include "base/buf.h"
#include "cli/cli.h"
#include "reports/parse/metric.h"
#include "store/store.h"

#include <stdbool.h>

#define REPORT_OUT_BYTES ((size_t)256 << 20)

/* The verbs of `hilab report`, NULL-ended: each is named "report VERB". */
extern const struct cli_command *const report_verbs[];
extern const struct cli_command report_guide_command;
extern const struct cli_command report_run_command;
extern const struct cli_command report_trend_command;
/* By what stands behind "report "; NULL. */
const struct cli_command *report_verb(const char *word);
/* Of `report run`; c is it, or the command that it is the preset verb of. */
#define REPORT_RUN_DETAILS                                                                         \
	"With no operand: the newest runs, one line each. With one: everything that run\n"         \
	"reported, every result and every figure. DIR is a job folder that is in no store.\n"      \
	"Several runs or formats go to a folder: report.xml, report.html and so on, of several\n"  \
	"runs report-12.xml. --fail-on makes the exit status of what is there: failure 1 (the\n"   \
	"thing under test), infra 3 (lab, timeout, bug, or nothing ran)."
extern const struct cli_opt report_run_opts[];
int report_run(const struct cli_command *c, int argc, char **argv);

/*
 * One run in a format (a name of report_formats()) onto out, for a terminal where standard output
 * is one. metrics NULL: the installed table is read for it. verdict, unless NULL, gets the run's
 * exit status (enum exit_status). Errors: BLAME_CONFIG when there is no such run or format.
 */
int report_show(struct store *s, int64_t run, const char *format,
	const struct metric_table *metrics, struct buf *out, int *verdict, struct err *e);
/* The installed metric table. The caller frees it with metric_table_done. */
int report_load_metrics(struct metric_table *table, struct err *e);
/* out to a file, or for NULL to standard output. Returns EXIT_PASS, or EXIT_INCOMPLETE after
 * telling. */
int report_out(const struct buf *out, const char *file);
/* Columns of the terminal on fd; 0: none, or not known. */
int report_width(int fd);
/*
 * The run that RUN, "latest" or a job folder names. A folder: *s is closed and replaced by a store
 * in memory that holds just its run.
 */
int report_open(
	struct store **s, const char *store_path, const char *operand, int64_t *run, struct err *e);

#endif
