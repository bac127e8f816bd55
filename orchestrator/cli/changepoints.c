/* SPDX-License-Identifier: MIT */
/* `hilab changepoints`: where a series of figures changes its level, as a nightly would find it. */
#include "reports/stats/changes.h"
#include "reports/stats/series.h"

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "io/json.h"

#include <math.h>
#include <string.h>

#define INPUT_BYTES ((size_t)64 << 20)

struct args {
	bool json;
	const char *resolution;
};

static const struct cli_opt opts[] = {
	{"resolution", 0, CLI_TEXT, offsetof(struct args, resolution), "NUMBER",
		"step of the clock or counter behind the values"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{0},
};

/* A series and what was found in it; the detector counts values, a person runs. */
struct finding {
	struct series series;
	size_t *runs; /* of each value that is there: its number among all, from 0 */
	size_t values;
	VEC(struct change) changes;
};

/* The detector keeps its newest changes, which may still move or fade; what it drops is final. */
static void find(struct finding *f, double resolution)
{
	struct changes c;

	changes_init(&c, resolution);
	f->runs = mem_array(f->series.n + 1, sizeof *f->runs);
	for (size_t i = 0; i < f->series.n; i++) {
		const struct change oldest = c.found[0];
		bool full = c.n_found == CHANGES_KEPT;

		if (!isfinite(f->series.points[i].value))
			continue;
		f->runs[f->values++] = i;
		if (changes_add(&c, f->series.points[i].value) && full &&
			c.found[0].at != oldest.at)
			vec_push(&f->changes, oldest);
	}
	for (size_t i = 0; i < c.n_found; i++)
		vec_push(&f->changes, c.found[i]);
}

static double percent(const struct change *c)
{
	return c->before != 0 ? 100 * (c->after - c->before) / fabs(c->before) : NAN;
}

/* Of a normal distribution, two-sided. */
static double confidence(const struct change *c)
{
	return 1 - erfc(c->evidence / sqrt(2));
}

static json_t *to_json(const struct finding *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->changes.n; i++) {
		const struct change *c = &f->changes.p[i];
		const char *time = f->series.points[f->runs[c->at]].time;

		json_array_append_new(
			list, json_pack("{s:I, s:s?, s:I, s:f, s:f, s:o, s:f, s:f, s:f}", "run",
				      (json_int_t)f->runs[c->at] + 1, "time", time,
				      "found_with_run", (json_int_t)f->runs[c->found] + 1, "before",
				      c->before, "after", c->after, "change_percent",
				      isfinite(percent(c)) ? json_real(percent(c)) : json_null(),
				      "deviation", c->deviation, "evidence", c->evidence,
				      "confidence", confidence(c)));
	}
	return json_pack("{s:s, s:I, s:I, s:s?, s:o}", "schema", "hilab.changepoints/1", "runs",
		(json_int_t)f->series.n, "values", (json_int_t)f->values, "unit", f->series.unit,
		"changes", list);
}

static void to_table(const struct finding *f, struct buf *out)
{
	static const char *const headings[] = {"RUN", "TIME", "FOUND WITH", "BEFORE", "AFTER",
		"CHANGE", "NOISE", "EVIDENCE", NULL};
	const char *unit = f->series.unit ? f->series.unit : "";
	struct listing t;

	buf_printf(out, "%zu runs, %zu with a value; %zu change%s%s\n", f->series.n, f->values,
		f->changes.n, f->changes.n == 1 ? "" : "s", f->changes.n ? "\n" : "");
	listing_init(&t, headings);
	for (size_t i = 0; i < f->changes.n; i++) {
		const struct change *c = &f->changes.p[i];

		listing_printf(&t, "%zu", f->runs[c->at] + 1);
		listing_add(&t, f->series.points[f->runs[c->at]].time);
		listing_printf(&t, "%zu", f->runs[c->found] + 1);
		listing_printf(&t, "%.6g %s", c->before, unit);
		listing_printf(&t, "%.6g %s", c->after, unit);
		if (isfinite(percent(c)))
			listing_printf(&t, "%+.2f %%", percent(c));
		else
			listing_add(&t, NULL);
		listing_printf(&t, "%.3g %s", c->deviation, unit);
		listing_printf(&t, "%.1f", c->evidence);
	}
	if (f->changes.n)
		listing_print(&t, out);
	listing_done(&t);
}

static int show(const struct args *a, const char *file, double resolution)
{
	AUTOBUF text = BUF_INIT(INPUT_BYTES), out = BUF_INIT(INPUT_BYTES);
	struct finding f = {0};
	struct diag diag = {0};
	struct err e = {0};
	int status;

	if (cli_read(file, &text, &e))
		return cli_fail(EXIT_USAGE, "changepoints: %s", e.msg);
	if (series_parse(&f.series, str_make(buf_str(&text), text.len),
		    strcmp(file, "-") ? file : "standard input", &diag)) {
		cli_diag(&diag);
		diag_done(&diag);
		return EXIT_USAGE;
	}
	find(&f, resolution);
	if (a->json) {
		AUTOJSON *doc = to_json(&f);

		status = cli_out_json(doc);
	} else {
		to_table(&f, &out);
		status = cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
	}
	vec_done(&f.changes);
	free(f.runs);
	series_done(&f.series);
	diag_done(&diag);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	double resolution = 0;
	char **operands;
	int status;

	if (cli_parse(&changepoints_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (a.resolution && (str_double(str_of(a.resolution), &resolution) || resolution <= 0))
		return cli_fail(EXIT_USAGE, "changepoints: --resolution '%s' is no number over 0",
			a.resolution);
	return show(&a, operands[0], resolution);
}

const struct cli_command changepoints_command = {
	.name = "changepoints",
	.brief = "find where a series of figures changes its level",
	.usage = "FILE|-",
	.details = "FILE has one value a line, or is CSV with a column 'value' ('time' and 'unit' "
		   "beside\n"
		   "it), or JSON: a list of values or of {\"time\", \"value\", \"unit\"}. A run "
		   "without\n"
		   "result is a blank line, '-', 'nan' or null.\n\n"
		   "Values are judged one by one, as a nightly does: FOUND WITH is the run after "
		   "which\n"
		   "a change was seen, RUN the first of the new level. EVIDENCE is in standard\n"
		   "deviations; a series of fewer than 75 runs needs more of it.",
	.example = "  seq 1 60 | awk '{print 100 + $1 % 3 + ($1 > 45 ? 20 : 0)}' | hilab "
		   "changepoints -",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
