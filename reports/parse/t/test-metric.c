/* SPDX-License-Identifier: MIT */
/*
 * The metric table as shipped: it loads, knows every metric of every golden case, and each unit
 * that a parser emits converts to the table's. Conversions, and tables that are refused.
 */
#include "reports/parse/metric.h"

#include "base/fs.h"
#include "base/t/tap.h"
#include "reports/parse/parse.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

static struct metric_table table;

static void check_line(struct str line, const char *file)
{
	struct str word, name, value, unit;
	const struct metric_def *def;
	char name_text[64], unit_text[32];
	struct err e = {0};
	double out;

	if (!str_word(&line, &word) || !str_is(word, "metric") || !str_word(&line, &name) ||
		!str_word(&line, &value) || !str_word(&line, &unit))
		return;
	snprintf(name_text, sizeof name_text, "%.*s", STR_ARG(name));
	snprintf(unit_text, sizeof unit_text, "%.*s", STR_ARG(unit));
	def = metric_find(&table, name_text);
	if (!def) {
		ok(false, "%s: '%s' is in the table", file, name_text);
		return;
	}
	if (metric_value(def, 1, unit_text, &out, &e))
		ok(false, "%s: %s: %s", file, name_text, e.msg);
}

static void check_goldens(const char *parser)
{
	const char *data = getenv("HILAB_DATA");
	AUTOFREE char *dir = mem_printf("%s/reports/parse/t/data/%s", data ? data : ".", parser);
	struct dirent **list = NULL;
	int n = scandir(dir, &list, NULL, alphasort), files = 0;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);
		AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
		struct str rest, line;

		if (str_ends(str_of(path), ".want") && !fs_read(path, &text, NULL)) {
			rest = str_make(buf_str(&text), text.len);
			while (str_line(&rest, &line))
				check_line(line, list[i]->d_name);
			files++;
		}
		free(list[i]);
	}
	free(list);
	ok(files > 0, "%s: every metric of %d cases was looked up", parser, files);
}

static void check_convert(double value, const char *unit, const char *to, double want)
{
	double out = NAN;
	struct err e = {0};

	metric_convert(value, unit, to, &out, &e);
	ok(fabs(out - want) <= 1e-12 * fabs(want), "%g %s is %.15g %s", value, unit, want, to);
	if (!(fabs(out - want) <= 1e-12 * fabs(want)))
		printf("# got %.17g %s\n", out, e.msg);
}

static void check_refused(const char *unit, const char *to, const char *part)
{
	struct err e = {0};
	double out = 7;

	ok(metric_convert(1, unit, to, &out, &e) == -1 && out == 7, "'%s' to '%s' is refused",
		unit ? unit : "", to ? to : "");
	has_str(e.msg, part, "and says why");
}

/* Spellings and names that only the table knows. */
static void check_own(void)
{
	const struct metric_def *uboot = metric_find(&table, "uboot.read.bw");
	const struct metric_def *speed = metric_find(&table, "openssl.bw");
	const struct metric_def *pipe = metric_find(&table, "lmbench.pipe_bandwidth");
	double out = 0;

	ok(uboot && !metric_value(uboot, 2, "KB/s", &out, NULL) && out == 2,
		"U-Boot's KB/s is KiB/s");
	ok(speed && !metric_value(speed, 2, "KB/s", &out, NULL) && out == 2, "openssl's is kB/s");
	ok(uboot && metric_value(uboot, 2, "mbps", &out, NULL) == -1, "mbps is neither's");
	ok(pipe && !strcmp(pipe->name, "lmbench.bw_pipe"), "an alias gives the metric's name");
}

static void check_bad_table(const char *text, const char *part)
{
	char path[] = "/tmp/hilab-metric-XXXXXX";
	struct metric_table t = {0};
	struct diag diag = {0};
	AUTOBUF out = BUF_INIT(1 << 16);
	AUTOCLOSE int fd = mkstemp(path);

	ok(fd >= 0 && !fs_write_all(fd, text, strlen(text)), "a table is written");
	ok(metric_table_load(&t, path, &diag) == -1, "it is refused");
	diag_print(&diag, &out);
	has_str(buf_str(&out), part, "%s", part);
	diag_done(&diag);
	unlink(path);
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	struct diag diag = {0};
	AUTOBUF out = BUF_INIT(1 << 16);
	const struct metric_def *bw;
	double v = 0;

	if (!ok(!metric_table_load(&table, path, &diag), "the shipped table loads")) {
		diag_print(&diag, &out);
		tap_text("diag", buf_str(&out));
		return tap_done();
	}
	bw = metric_find(&table, "fio.read.bw");
	ok(bw && !strcmp(bw->unit, "MB/s") && bw->better == BETTER_HIGHER, "fio.read.bw");
	ok(metric_find(&table, "boot.total_ms") != NULL, "boot.total_ms");
	ok(!metric_find(&table, "fio.bw"), "an unknown name is not found");
	for (const struct driver *const *d = parse_drivers(); *d; d++)
		if (!((const struct parser *)*d)->own_names)
			check_goldens((*d)->name);

	check_convert(33554432, "B/s", "MB/s", 33.554432);
	check_convert(1, "KiB/s", "B/s", 1024);
	check_convert(1, "GiB/s", "MiB/s", 1024);
	check_convert(939530234.8825587, "bit/s", "Mbit/s", 939.5302348825587);
	check_convert(1, "MB/s", "Mbit/s", 8);
	check_convert(1500000.5, "ns", "us", 1500.0005);
	check_convert(90, "s", "min", 1.5);
	check_convert(0.25, "ratio", "%", 25);
	check_convert(64, "MiB", "B", 67108864);
	check_convert(3, "kIO/s", "IO/s", 3000);
	check_convert(-5, "widgets", "widgets", -5);
	check_convert(144, "Mbps", "Mbit/s", 144);
	check_convert(1, "MiBps", "MB/s", 1.048576);
	check_convert(12.5, "kPPS", "packets/s", 12500);
	check_convert(577662, "Kflops", "MFLOPS", 577.662);
	check_convert(7.67, "milliwatts", "W", 0.00767);
	check_convert(3, "\302\265s", "ns", 3000);
	check_own();
	check_refused("KB/s", "B/s", "'KB/s' is not known");
	check_refused("mbps", "Mbit/s", "'mbps' is not known");
	check_refused("IO/s", "packets/s", "cannot be told in");
	check_refused("MB/s", "ms", "cannot be told in");
	check_refused("furlong", "ms", "'furlong' is not known");
	check_refused(NULL, "ms", "not known");
	ok(metric_convert(NAN, "s", "ms", &v, NULL) == -1, "nan is refused");

	check_bad_table("metrics:\n  a.b: {unit: parsec, better: lower, help: x}\n",
		":2:15: unit 'parsec'");
	check_bad_table("metrics:\n  a.b: {unit: s, beter: lower, help: x}\n", "better");
	check_bad_table("metrics: [a]\n", "no mapping 'metrics'");
	check_bad_table("metrics:\n  a: {unit: s, better: up, help: x}\n", ":2:");
	check_bad_table("metrics:\n  a: {unit: s, better: lower, help: x, units: {ms: s}}\n",
		"'ms' is a unit everywhere");
	check_bad_table("metrics:\n  a: {unit: s, better: lower, help: x, units: {q: B}}\n",
		"'B' cannot be told in 's'");
	check_bad_table("metrics:\n  a: {unit: s, better: lower, help: x}\n"
			"  b: {unit: s, better: lower, help: x, aliases: [a]}\n",
		":3:");
	diag_done(&diag);
	metric_table_done(&table);
	return tap_done();
}
