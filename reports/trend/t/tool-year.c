/* SPDX-License-Identifier: MIT */
/*
 * tool-year FORMAT TYPES SERIES NIGHTS [ODDS]: a trend of a lab that was made up, on standard
 * output; one series of ODDS (100) has a step. For looking at, and to measure with.
 */
#include "year.h"

#include "base/fs.h"
#include "reports/trend/render.h"

#include <unistd.h>

int main(int argc, char **argv)
{
	AUTOBUF out = BUF_INIT((size_t)256 << 20);
	const struct trend_format *f;
	struct year y = {.odds = 100, .seed = 1};
	struct trend t;
	struct err e = {0};

	if (argc < 5) {
		fprintf(stderr, "usage: tool-year FORMAT TYPES SERIES NIGHTS [ODDS]\n");
		return 2;
	}
	f = (const struct trend_format *)driver_get(trend_formats(), "trend format", argv[1], &e);
	y.types = strtoul(argv[2], NULL, 10);
	y.series = strtoul(argv[3], NULL, 10);
	y.nights = strtoul(argv[4], NULL, 10);
	if (argc > 5)
		y.odds = strtoul(argv[5], NULL, 10);
	trend_begin(&t, &(struct trend_query){0}, y.types * y.series * y.nights);
	year_add(&t, &y);
	trend_finish(&t);
	if (!f ||
		f->write(&t, &(struct trend_opts){.link_base = "https://lab.example/api/v1"}, &out,
			&e) ||
		fs_write_all(STDOUT_FILENO, out.data, out.len)) {
		fprintf(stderr, "tool-year: %s\n", e.msg);
		return 1;
	}
	fprintf(stderr, "%zu series, %zu points, %zu by week, %zu events, %zu bytes, %zu kept\n",
		t.n_lines, t.n_points, t.n_thinned, t.n_events, out.len, t.arena.used_bytes);
	trend_done(&t);
	return 0;
}
