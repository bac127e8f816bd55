/* SPDX-License-Identifier: MIT */
/* What every command that judges stands on. Invariant: published figures are read only where they
 * are the baseline. */
#include "cli/judge.h"

#include "cli/cli.h"
#include "cli/report.h"

static int load_references(struct judging_for *j, struct err *e)
{
	struct diag diag = {0};
	int failed = report_load_metrics(&j->metrics, e);

	if (!failed && reference_set_load(&j->references, NULL, &j->metrics, &diag)) {
		cli_diag(&diag);
		failed = err_set(e, BLAME_CONFIG, "the published figures cannot be read");
	}
	diag_done(&diag);
	j->judge.references = &j->references;
	return failed;
}

int judging_begin(
	struct judging_for *j, struct store *s, const char *baseline, bool keep, struct err *e)
{
	*j = (struct judging_for){0};
	judge_init(&j->judge, s, NULL, keep);
	if (!judge_baseline_parse(&j->judge.baseline, &j->judge.arena, baseline, e) &&
		(j->judge.baseline.against != JUDGE_REFERENCE || !load_references(j, e)))
		return 0;
	judging_end(j);
	return -1;
}

void judging_end(struct judging_for *j)
{
	judge_done(&j->judge);
	reference_set_done(&j->references);
	metric_table_done(&j->metrics);
	*j = (struct judging_for){0};
}
