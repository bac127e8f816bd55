/* SPDX-License-Identifier: MIT */
/*
 * What every command that shows a run stands on. Invariant: the store is only read; what is
 * printed is whole or an error is told.
 */
#include "cli/report.h"

#include "base/fs.h"
#include "cli/cli.h"
#include "reports/format/format.h"

#include <sys/ioctl.h>
#include <unistd.h>

int report_width(int fd)
{
	struct winsize size;

	return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

int report_load_metrics(struct metric_table *table, struct err *e)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	AUTOBUF text = BUF_INIT(1 << 16);
	struct diag diag = {0};
	int failed = metric_table_load(table, path, &diag);

	if (failed) {
		diag_print(&diag, &text);
		err_set(e, BLAME_CONFIG, "metric table: %s", buf_str(&text));
	}
	diag_done(&diag);
	return failed;
}

int report_show(struct store *s, int64_t run, const char *format,
	const struct metric_table *metrics, struct buf *out, int *verdict, struct err *e)
{
	const struct report_format *f = (const struct report_format *)driver_get(
		report_formats(), "report format", format, e);
	struct report_opts opts = {report_width(STDOUT_FILENO), cli_tty(STDOUT_FILENO)};
	struct metric_table table = {0};
	struct report r = {0};
	int found;

	if (!f || (!metrics && report_load_metrics(&table, e)))
		return -1;
	found = report_gather(&r, s, run, metrics ? metrics : &table, e);
	if (!found)
		err_set(e, BLAME_CONFIG, "store '%s' holds no run %lld", store_path(s),
			(long long)run);
	if (found > 0 && f->write(&r, &opts, out, e))
		found = -1;
	if (found > 0 && verdict)
		*verdict = verdict_exit_of(r.run.verdict, r.run.blame);
	if (found > 0)
		report_done(&r);
	metric_table_done(&table);
	return found > 0 ? 0 : -1;
}

static int open_folder(struct store **s, const char *dir, int64_t *run, struct err *e)
{
	struct store *made = store_open(":memory:", false, e);

	if (!made)
		return -1;
	if (store_import(made, dir, run, e)) {
		store_close(made);
		return -1;
	}
	*s = made;
	return 0;
}

int report_open(
	struct store **s, const char *store_path, const char *operand, int64_t *run, struct err *e)
{
	struct store *made;
	int64_t number;

	if (strcmp(operand, "latest") && str_i64(str_of(operand), &number) && fs_is_dir(operand))
		return open_folder(s, operand, run, e);
	made = store_open(store_path, true, e);
	if (!made)
		return -1;
	if (report_find_run(made, operand, run, e)) {
		store_close(made);
		return -1;
	}
	*s = made;
	return 0;
}

int report_out(const struct buf *out, const char *file)
{
	struct err e = {0};

	if (!file)
		return cli_out(out) ? EXIT_INCOMPLETE : EXIT_PASS;
	if (fs_write(file, buf_str(out), out->len, 0644, &e))
		return cli_fail(EXIT_INCOMPLETE, "%s", e.msg);
	return EXIT_PASS;
}
