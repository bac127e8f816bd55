/* SPDX-License-Identifier: MIT */
/*
 * Every published table replayed: what a board prints is rendered with values drawn at random and
 * read by the table's parser; each has to come back under its figure's key. The number that was
 * reached is a floor: it never falls. HILAB_SEED sets the seed.
 */
#include "reports/replay.h"

#include "base/fs.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <time.h>

#define FIGURES_MIN 1534
#define TABLES_MIN  108

static size_t figures_of(const struct reference *r, const char *section, const char *table)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += !strcmp(r->figures[i].section, section) && !strcmp(r->figures[i].table, table);
	return n;
}

static uint64_t pick_seed(void)
{
	const char *given = getenv("HILAB_SEED");
	uint64_t seed = (uint64_t)time(NULL);

	if (given && str_u64(str_of(given), &seed))
		seed = 1;
	return seed;
}

struct tally {
	size_t tables, figures, all_tables, all_figures;
};

/* A table that the files have is replayed whole, or the files say something wrong. */
static void run_table(const struct replay *replay, const struct metric_table *metrics,
	const struct reference *r, const struct reference_table *table, uint64_t seed,
	struct tally *tally)
{
	const struct replay_table *t = replay_find(replay, r->soc, table->section, table->table);
	size_t n = figures_of(r, table->section, table->table), good;
	AUTOBUF why = BUF_INIT(BUF_CAP_BYTES);

	tally->all_tables++;
	tally->all_figures += n;
	if (!t)
		return;
	good = replay_table(t, metrics, seed, &why);
	tally->figures += good;
	tally->tables += good == n;
	if (good < n || why.len)
		tap_text("replay", buf_str(&why));
	printf("# %s: %s / %s: %zu of %zu\n", r->soc, table->section, table->table, good, n);
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	uint64_t seed = pick_seed();
	struct metric_table metrics = {0};
	struct reference_set set = {0};
	struct replay replay = {0};
	struct diag diag = {0};
	struct tally t = {0};
	AUTOBUF said = BUF_INIT(1 << 20);

	if (!ok(!metric_table_load(&metrics, path, &diag) &&
			    !reference_set_load(&set, NULL, &metrics, &diag) &&
			    !replay_load(&replay, NULL, &set, &diag),
		    "metrics, references and texts load")) {
		diag_print(&diag, &said);
		tap_text("diag", buf_str(&said));
	}
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.p[i].n_tables; k++)
			run_table(&replay, &metrics, &set.p[i], &set.p[i].tables[k], seed, &t);
	printf("# seed %llu: parsed from a rendered table: %zu of %zu figures, %zu of %zu tables\n",
		(unsigned long long)seed, t.figures, t.all_figures, t.tables, t.all_tables);
	ok(t.figures >= FIGURES_MIN, "%zu figures come back, at least %d", t.figures, FIGURES_MIN);
	ok(t.tables >= TABLES_MIN, "%zu tables come back whole, at least %d", t.tables, TABLES_MIN);
	replay_done(&replay);
	reference_set_done(&set);
	metric_table_done(&metrics);
	diag_done(&diag);
	return tap_done();
}
