/* SPDX-License-Identifier: MIT */
/*
 * The job of each published table: it is there, compiles with its params of silicon, and its steps
 * tell figures of that table. How many tables have one is a floor: it never falls.
 */
#include "reports/coverage.h"

#include "base/fs.h"
#include "base/t/tap.h"

#define TABLES_MIN  108
#define FIGURES_MIN 1534

static void test_jobs(const struct reference_set *set, size_t *tables)
{
	const struct job_tables jobs = {NULL, NULL, NULL, parse_drivers()};

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->p[i].n_tables; k++) {
			const struct reference_table *t = &set->p[i].tables[k];
			AUTOBUF why = BUF_INIT(BUF_CAP_BYTES);

			if (!t->job)
				continue;
			if (ok(!coverage_job(t, &jobs, &why), "%s: %s / %s by %s", set->p[i].soc,
				    t->section, t->table, t->job))
				++*tables;
			else
				tap_text("why", buf_str(&why));
		}
}

static void test_refused(void)
{
	const char *steps[] = {"nothing-*"}, *parsers[] = {"fio"}, *smoke[] = {"tools*"};
	struct reference_table t = {.table = "t", .parsers = {(void *)parsers, 1}};
	const struct job_tables jobs = {NULL, NULL, NULL, parse_drivers()};
	AUTOBUF why = BUF_INIT(BUF_CAP_BYTES);

	ok(coverage_job(&t, &jobs, &why), "a table without job has none");
	has_str(buf_str(&why), "no job", "and says so");
	buf_reset(&why);
	t.job = "am62axx/smoke.yaml";
	t.steps = (struct param_strings){(void *)steps, 1};
	ok(coverage_job(&t, &jobs, &why), "a step that is not there is told");
	has_str(buf_str(&why), "has no step 'nothing-*'", "by its pattern");
	buf_reset(&why);
	t.steps = (struct param_strings){(void *)smoke, 1};
	ok(coverage_job(&t, &jobs, &why), "a step that tells no figures is told");
	has_str(buf_str(&why), "tells no figures", "and why");
	buf_reset(&why);
	t.job = "am62axx/no-such.yaml";
	ok(coverage_job(&t, &jobs, &why), "a job that is not there is told");
	ok(why.len > 0, "and why");
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	const struct job_tables jobs = {NULL, NULL, NULL, parse_drivers()};
	struct metric_table metrics = {0};
	struct reference_set set = {0};
	struct replay replay = {0};
	struct coverage c = {0};
	struct diag diag = {0};
	struct err e = {0};
	size_t tables = 0;

	ok(!metric_table_load(&metrics, path, &diag) &&
			!reference_set_load(&set, NULL, &metrics, &diag) &&
			!replay_load(&replay, NULL, &set, &diag),
		"metrics, references and texts load");
	test_jobs(&set, &tables);
	ok(tables >= TABLES_MIN, "%zu tables have a job, at least %d", tables, TABLES_MIN);
	test_refused();
	ok(!coverage_make(&c, &set, &replay, &metrics, &jobs, NULL, NULL, 1, &e),
		"all of it is counted %s", e.msg);
	is_int((long long)c.all.figures, 1534, "every figure");
	is_int((long long)(c.all.silicon + c.all.twin), 0, "without a store nothing is measured");
	ok(c.all.job >= FIGURES_MIN, "%zu figures have a job, at least %d", c.all.job, FIGURES_MIN);
	ok(c.whole > 0 && c.whole <= tables, "%zu tables have a job and came back whole", c.whole);
	coverage_done(&c);
	replay_done(&replay);
	reference_set_done(&set);
	metric_table_done(&metrics);
	diag_done(&diag);
	return tap_done();
}
