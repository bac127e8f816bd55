/* SPDX-License-Identifier: MIT */
/*
 * fio's normal output and its terse lines (HOWTO "Interpreting the output" and "Terse output",
 * fio 2.x and 3.x). Invariant: a unit stands beside each figure of the normal output and is read
 * there; in a terse line places are fixed by its version, bandwidths are KiB/s, and a direction
 * that moved nothing is missing.
 */
#include "fio-text.h"

#include "lines.h"

#include <stdio.h>

#define FIO_TEXT_FIELDS 256
#define FIO_TERSE_HEAD  5  /* version, fio's, job, group, error */
#define FIO_TERSE_EACH  41 /* fields of a direction, versions 3 and 4; 5 has 6 more */
#define FIO_TERSE_CLAT  8  /* min, max, mean, deviation from there, then 20 percentiles */

struct fio_text {
	const struct sink *sink;
	char job[64], rw[16], bs[24], engine[24], depth[16];
	const char *direction;  /* of the section in hand; NULL: none */
	const char *unit;       /* of its percentiles */
	bool clat, percentiles; /* clat: its line was seen in this section */
	size_t emitted;
	bool lost; /* job or direction may be in a torn line */
	char failed[160];
};

static void fio_text_figure(
	struct fio_text *f, const char *direction, const char *what, double value, const char *unit)
{
	const char *const names[] = {"bs", "ioengine", "iodepth", "rw", "job"};
	const char *const values[] = {f->bs, f->engine, f->depth, f->rw, f->job};
	struct sink_label labels[ARRAY_LEN(names)];
	char name[48];
	size_t n = 0;

	if (f->lost)
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (*values[i])
			labels[n++] = (struct sink_label){names[i], values[i]};
	snprintf(name, sizeof name, "fio.%s%s%s", direction, *direction ? "." : "", what);
	sink_figure(f->sink, name, value, unit, labels, n);
	f->emitted++;
}

/* The word behind a key, up to a comma or white space: "ioengine=psync,". */
static bool fio_text_value(struct str line, const char *key, struct str *value)
{
	ptrdiff_t at = str_find(line, str_of(key));
	size_t n = 0;

	if (at < 0)
		return false;
	*value = str_make(line.p + at + strlen(key), line.n - (size_t)at - strlen(key));
	while (n < value->n && value->p[n] != ',' && value->p[n] != ' ' && value->p[n] != ')')
		n++;
	value->n = n;
	return n > 0;
}

/* A number with its unit, "39.5MiB/s", "10.1k", "98.13". */
static bool fio_text_scaled(struct str s, double *value, const char **unit)
{
	static const struct {
		const char *name, *unit;
		double factor;
	} units[] = {{"B/s", "B/s", 1}, {"KiB/s", "KiB/s", 1}, {"MiB/s", "MiB/s", 1},
		{"GiB/s", "GiB/s", 1}, {"KB/s", "KiB/s", 1}, {"MB/s", "MiB/s", 1},
		{"GB/s", "GiB/s", 1}, {"kB/s", "kB/s", 1}, {"B", "B", 1}, {"KiB", "KiB", 1},
		{"MiB", "MiB", 1}, {"GiB", "GiB", 1}, {"KB", "KiB", 1}, {"MB", "MiB", 1},
		{"GB", "GiB", 1}, {"msec", "ms", 1}, {"k", "IO/s", 1e3}, {"M", "IO/s", 1e6},
		{"", "IO/s", 1}};
	struct str rest;
	double number;

	if (!lines_number(s, &number, &rest))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (str_is(rest, units[i].name)) {
			*value = number * units[i].factor;
			*unit = units[i].unit;
			return true;
		}
	return false;
}

/* "r: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., ioengine=psync, iodepth=1" */
static void fio_text_setup(struct fio_text *f, struct str line)
{
	struct str value;

	if (fio_text_value(line, "rw=", &value))
		lines_copy(value, f->rw, sizeof f->rw);
	if (fio_text_value(line, "bs=(R) ", &value) || fio_text_value(line, "bs=", &value)) {
		ptrdiff_t dash = str_chr(value, '-');
		int64_t bytes;

		if (dash > 0)
			value.n = (size_t)dash;
		lines_copy(value, f->bs, sizeof f->bs);
		/* "4096B", "1024KiB", "4K": as an option gives it, "4k". */
		if (str_ends(value, "B") && !str_ends(value, "iB"))
			value.n--;
		if (!str_size_bytes(value, &bytes))
			lines_size((double)bytes, f->bs, sizeof f->bs);
	}
	if (fio_text_value(line, "ioengine=", &value))
		lines_copy(value, f->engine, sizeof f->engine);
	if (fio_text_value(line, "iodepth=", &value))
		lines_copy(value, f->depth, sizeof f->depth);
}

/* "r: (groupid=0, jobs=1): err= 0: pid=28241: ..." */
static void fio_text_job(struct fio_text *f, struct str line)
{
	ptrdiff_t name = str_find(line, STR_LIT(": (groupid="));
	ptrdiff_t at = str_find(line, STR_LIT("): err="));
	struct str rest;
	double error;

	f->direction = NULL;
	f->percentiles = false;
	lines_copy(str_make(line.p, (size_t)name), f->job, sizeof f->job);
	if (at < 0 ||
		!lines_number(str_make(line.p + at + 7, line.n - (size_t)at - 7), &error, &rest) ||
		error == 0 || *f->failed)
		return;
	snprintf(f->failed, sizeof f->failed, "job '%.60s' ended with error %.0f (%.60s)", f->job,
		error, error > 0 && error < 4096 ? strerror((int)error) : "unknown");
}

/* "read: IOPS=10.1k, BW=39.5MiB/s (41.4MB/s)(79.0MiB/2001msec)" and 2.x's
 * "read : io=80896KB, bw=40428KB/s, iops=10107, runt=  2001msec" */
static void fio_text_direction(struct fio_text *f, struct str line)
{
	static const char *const directions[] = {"read", "write", "trim"};
	struct str value, rest, size, time;
	double number;
	const char *unit;
	ptrdiff_t slash;

	for (size_t i = 0; i < ARRAY_LEN(directions); i++)
		if (lines_after(line, directions[i], &rest) && (lines_after(rest, ":", &rest)))
			f->direction = directions[i];
	f->percentiles = false;
	f->clat = false;
	f->unit = NULL;
	if (!f->direction)
		return;
	if ((fio_text_value(line, "BW=", &value) || fio_text_value(line, "bw=", &value)) &&
		fio_text_scaled(value, &number, &unit) && strstr(unit, "/s") && number > 0)
		fio_text_figure(f, f->direction, "bw", number, unit);
	if ((fio_text_value(line, "IOPS=", &value) || fio_text_value(line, "iops=", &value)) &&
		fio_text_scaled(value, &number, &unit) && number > 0)
		fio_text_figure(f, f->direction, "iops", number, unit);
	if (fio_text_value(line, "io=", &value) && fio_text_scaled(value, &number, &unit))
		fio_text_figure(f, f->direction, "io", number, unit);
	if (fio_text_value(line, ")(", &value) && (slash = str_chr(value, '/')) > 0) {
		size = str_make(value.p, (size_t)slash);
		time = str_make(value.p + slash + 1, value.n - (size_t)slash - 1);
		if (fio_text_scaled(size, &number, &unit))
			fio_text_figure(f, f->direction, "io", number, unit);
		if (fio_text_scaled(time, &number, &unit) && number > 0)
			fio_text_figure(f, f->direction, "runtime", number, unit);
	}
	if (lines_has(line, "runt=")) {
		ptrdiff_t at = str_find(line, STR_LIT("runt="));

		if (lines_number(
			    str_make(line.p + at + 5, line.n - (size_t)at - 5), &number, &rest) &&
			str_is(rest, "msec") && number > 0)
			fio_text_figure(f, f->direction, "runtime", number, "ms");
	}
}

static const char *fio_text_time(struct str line)
{
	return lines_has(line, "(nsec)")   ? "ns"
	       : lines_has(line, "(usec)") ? "us"
	       : lines_has(line, "(msec)") ? "ms"
					   : NULL;
}

/* "clat (usec): min=30, max=9798, avg=98.13" and the line of its percentiles with 99.00th. */
static void fio_text_latency(struct fio_text *f, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT("99.00th=["));
	struct str value, rest;
	double number;

	if (str_starts(line, "clat (") && fio_text_time(line) && lines_has(line, "avg=")) {
		f->clat = true;
		at = str_find(line, STR_LIT("avg="));
		if (lines_number(
			    str_make(line.p + at + 4, line.n - (size_t)at - 4), &number, &rest))
			fio_text_figure(f, f->direction, "clat_mean", number, fio_text_time(line));
	} else if (str_starts(line, "clat percentiles (")) {
		f->unit = fio_text_time(line);
		f->percentiles = f->clat && f->unit;
	} else if (f->percentiles && str_starts(line, "|") && at >= 0) {
		value = str_make(line.p + at + 9, line.n - (size_t)at - 9);
		if (lines_number(value, &number, &rest) && str_starts(rest, "]"))
			fio_text_figure(f, f->direction, "clat_p99", number, f->unit);
		f->percentiles = false;
	} else if (str_starts(line, "lat percentiles (") ||
		   str_starts(line, "slat percentiles (")) {
		f->percentiles = false;
	} else if (str_starts(line, "cpu ") && fio_text_value(line, "usr=", &value) &&
		   lines_unit(value, "%", &number)) {
		double system;

		fio_text_figure(f, "", "cpu_user", number, "%");
		if (fio_text_value(line, "sys=", &value) && lines_unit(value, "%", &system)) {
			fio_text_figure(f, "", "cpu_system", system, "%");
			fio_text_figure(f, "", "cpu_load", number + system, "%");
		}
	}
}

static void fio_text_line(struct fio_text *f, struct str line)
{
	if (str_find(line, STR_LIT(": (groupid=")) > 0) {
		fio_text_job(f, line);
	} else if (lines_has(line, ": (g=") && lines_has(line, "rw=")) {
		fio_text_setup(f, line);
	} else if (str_starts(line, "Run status group")) {
		f->direction = NULL;
	} else if (*f->job && (lines_has(line, "BW=") || lines_has(line, " bw=")) &&
		   (str_starts(line, "read") || str_starts(line, "write") ||
			   str_starts(line, "trim"))) {
		fio_text_direction(f, line);
	} else if (f->direction) {
		fio_text_latency(f, line);
	}
}

static bool fio_terse_number(const struct str *field, size_t n, size_t at, double *value)
{
	return at < n && !str_double(field[at], value);
}

static void fio_terse_direction(
	struct fio_text *f, const char *direction, const struct str *field, size_t n, size_t at)
{
	double io, value, ms;

	if (!fio_terse_number(field, n, at, &io) || io <= 0)
		return;
	fio_text_figure(f, direction, "io", io, "KiB");
	if (fio_terse_number(field, n, at + 3, &ms) && ms > 0) {
		fio_text_figure(f, direction, "runtime", ms, "ms");
		if (fio_terse_number(field, n, at + 1, &value))
			fio_text_figure(f, direction, "bw", value, "KiB/s");
		if (fio_terse_number(field, n, at + 2, &value))
			fio_text_figure(f, direction, "iops", value, "IO/s");
	}
	/* Without a sample all of them are 0. */
	if (!fio_terse_number(field, n, at + FIO_TERSE_CLAT + 1, &value) || value <= 0)
		return;
	if (fio_terse_number(field, n, at + FIO_TERSE_CLAT + 2, &value))
		fio_text_figure(f, direction, "clat_mean", value, "us");
	for (size_t i = 0; i < 20 && at + FIO_TERSE_CLAT + 4 + i < n; i++) {
		struct str p = field[at + FIO_TERSE_CLAT + 4 + i], rest;

		if (lines_after(p, "99.000000%=", &rest) && !str_double(rest, &value) && value > 0)
			fio_text_figure(f, direction, "clat_p99", value, "us");
	}
}

static void fio_terse(struct fio_text *f, struct str line)
{
	static const char *const directions[] = {"read", "write", "trim"};
	struct str field[FIO_TEXT_FIELDS];
	double version, error, user, system;
	size_t n = 0, each, count, at = FIO_TERSE_HEAD;
	ptrdiff_t end;

	while (n + 1 < FIO_TEXT_FIELDS && (end = str_chr(line, ';')) >= 0) {
		field[n++] = str_make(line.p, (size_t)end);
		line = str_make(line.p + end + 1, line.n - (size_t)end - 1);
	}
	field[n++] = line;
	if (n < FIO_TERSE_HEAD || str_double(field[0], &version) || version < 3 || version > 5) {
		sink_warn(f->sink, "fio: a terse line of another version");
		return;
	}
	each = version < 5 ? FIO_TERSE_EACH : FIO_TERSE_EACH + 6;
	count = version < 4 ? 2 : 3;
	lines_copy(field[2], f->job, sizeof f->job);
	if (!str_double(field[4], &error) && error && !*f->failed)
		snprintf(f->failed, sizeof f->failed, "job '%.60s' ended with error %.0f", f->job,
			error);
	if (n < at + each * count + 2) {
		sink_warn(f->sink, "fio: a terse line that is cut off");
		return;
	}
	for (size_t i = 0; i < count; i++, at += each)
		fio_terse_direction(f, directions[i], field, n, at);
	if (lines_unit(field[at], "%", &user) && lines_unit(field[at + 1], "%", &system)) {
		fio_text_figure(f, "", "cpu_user", user, "%");
		fio_text_figure(f, "", "cpu_system", system, "%");
		fio_text_figure(f, "", "cpu_load", user + system, "%");
	}
}

int fio_text_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct fio_text f = {.sink = sink};
	struct lines lines;
	struct str line;
	char version[32];

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		f.lost |= lines.torn > 0;
		line = str_trim(line);
		if (lines_has(line, ";fio-") && line.n > 2 && line.p[1] == ';')
			fio_terse(&f, line);
		else if (str_starts(line, "fio-") && str_chr(line, ' ') < 0)
			sink_env(sink, "fio.version", lines_copy(line, version, sizeof version));
		else
			fio_text_line(&f, line);
	}
	if (f.lost)
		sink_warn(sink, "fio: what follows a torn line is of no certain job");
	if (*f.failed)
		return err_set(e, BLAME_TEST, "fio: %s", f.failed);
	return f.emitted ? 0 : lines_nothing(text, "fio", "JSON and no figure", e);
}
