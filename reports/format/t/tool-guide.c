/* SPDX-License-Identifier: MIT */
/*
 * tool-guide STORE SOC TYPE VERSION SEED [twin]: a run that measured every published figure of a
 * SoC, for shell tests; SEED 0: as published, else drawn anew.
 */
#include "base/fs.h"
#include "guidetest.h"

int main(int argc, char **argv)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	struct metric_table metrics = {0};
	struct reference_set refs = {0};
	struct diag diag = {0};
	struct err e = {0};
	struct store *s = argc > 5 ? store_open(argv[1], false, &e) : NULL;
	const struct reference *r = NULL;
	int failed = 1;

	if (s && !metric_table_load(&metrics, path, &diag) &&
		!reference_set_load(&refs, NULL, &metrics, &diag))
		r = reference_set_find(&refs, argv[2]);
	if (r) {
		AUTOFREE struct drawn *drawn = mem_alloc(r->n * sizeof *drawn);
		struct given g = {.type = argv[3], .version = argv[4], .twin = argc > 6};
		uint64_t seed = strtoull(argv[5], NULL, 10);

		for (size_t i = 0; i < r->n; i++)
			draw(&r->figures[i], &seed, &drawn[i]);
		failed = add_run(s, r, drawn, &g, &e);
	}
	if (failed)
		fprintf(stderr, "tool-guide: %s\n", e.msg);
	reference_set_done(&refs);
	metric_table_done(&metrics);
	diag_done(&diag);
	store_close(s);
	return failed != 0;
}
