/* SPDX-License-Identifier: MIT */
/*
 * fio's JSON and JSON+ (fio 2.x and 3.x, HOWTO "JSON output"). Invariant: a direction in which no
 * I/O was done, a latency of which no sample was taken and a rate over a runtime of 0 ms are
 * missing: fio prints 0 for each of them. fio 2.x gives latencies as `clat` in us and io_bytes in
 * KiB; 3.x as `clat_ns`, io_bytes in bytes beside io_kbytes.
 */
#include "fio-text.h"
#include "json-scan.h"
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

#define FIO_LABELS 8

struct fio_job {
	const struct sink *sink;
	const json_t *job;
	const char *name;
	bool old, known; /* fio 2.x; its version is told */
	struct sink_label labels[FIO_LABELS];
	size_t n_labels;
};

static const char *text_of(const json_t *obj, const char *key)
{
	const char *text = json_string_value(json_object_get(obj, key));

	return text && *text ? text : NULL;
}

static bool is_fio(const json_t *doc)
{
	return json_is_array(json_object_get(doc, "jobs")) && json_object_get(doc, "fio version");
}

static void fio_metric(const struct fio_job *j, const char *direction, const char *what,
	double value, const char *unit)
{
	char name[64];

	snprintf(name, sizeof name, "fio.%s%s%s", direction, *direction ? "." : "", what);
	sink_figure(j->sink, name, value, unit, j->labels, j->n_labels);
}

static void fio_warn(const struct fio_job *j, const char *direction, const char *what)
{
	sink_warn(j->sink, "fio: job '%.100s': %s: %s", j->name, direction, what);
}

/* Completion latency: nothing when no sample was taken (disable_clat, disable_lat). */
static void fio_latency(const struct fio_job *j, const char *direction, const json_t *dir)
{
	const json_t *clat = json_object_get(dir, "clat_ns");
	const char *unit = "ns";
	double n, value, max;

	if (!clat) {
		clat = json_object_get(dir, "clat");
		unit = "us";
	}
	if (json_scan_number(clat, "N", &n) ? n <= 0
					    : json_scan_number(clat, "max", &max) && max <= 0)
		return;
	if (json_scan_number(clat, "mean", &value))
		fio_metric(j, direction, "clat_mean", value, unit);
	if (json_scan_number(json_object_get(clat, "percentile"), "99.000000", &value))
		fio_metric(j, direction, "clat_p99", value, unit);
}

/* Bytes moved; false when fio does not say. */
static bool fio_bytes(const struct fio_job *j, const json_t *dir, double *bytes)
{
	double value;

	if (!json_scan_number(dir, "io_bytes", &value))
		return false;
	/* Which unit they are in, its version tells. */
	if (!j->known && !json_object_get(dir, "io_kbytes"))
		return false;
	*bytes = j->old && !json_object_get(dir, "io_kbytes") ? value * 1024 : value;
	return true;
}

/* True when this direction moved anything. */
static bool fio_direction(const struct fio_job *j, const char *direction)
{
	const json_t *dir = json_object_get(j->job, direction);
	double bytes = 0, ios = 0, runtime_ms = -1, value;
	bool has_bytes = fio_bytes(j, dir, &bytes);

	json_scan_number(dir, "total_ios", &ios);
	if (bytes <= 0 && ios <= 0)
		return false;
	if (has_bytes && bytes > 0)
		fio_metric(j, direction, "io", bytes, "B");
	if (json_scan_number(dir, "runtime", &runtime_ms) && runtime_ms > 0)
		fio_metric(j, direction, "runtime", runtime_ms, "ms");
	if (!runtime_ms) {
		fio_warn(j, direction, "ran for less than 1 ms: no rate can be told");
	} else {
		if (json_scan_number(dir, "bw_bytes", &value))
			fio_metric(j, direction, "bw", value, "B/s");
		else if (json_scan_number(dir, "bw", &value))
			fio_metric(j, direction, "bw", value, "KiB/s");
		if (json_scan_number(dir, "iops", &value))
			fio_metric(j, direction, "iops", value, "IO/s");
	}
	fio_latency(j, direction, dir);
	return true;
}

static void fio_label(struct fio_job *j, const char *name, const char *value)
{
	if (value && j->n_labels < FIO_LABELS)
		j->labels[j->n_labels++] = (struct sink_label){name, value};
}

/* An option of the job or, when it gives none, of the document. */
static const char *fio_option(const json_t *doc, const json_t *job, const char *key)
{
	const char *own = text_of(json_object_get(job, "job options"), key);

	return own ? own : text_of(json_object_get(doc, "global options"), key);
}

/* Which of the jobs of this name that one is; clones (numjobs) are told apart by it. -1: alone. */
static int fio_clone(const json_t *jobs, size_t index, const char *name)
{
	int before = 0, all = 0;

	for (size_t i = 0; i < json_array_size(jobs); i++) {
		const char *other = text_of(json_array_get(jobs, i), "jobname");

		if (!other || strcmp(other, name))
			continue;
		before += i < index;
		all++;
	}
	return all > 1 ? before : -1;
}

static int fio_one(const struct sink *sink, const json_t *doc, size_t index, struct err *e)
{
	static const char *const options[] = {"bs", "ioengine", "iodepth", "rw"};
	const json_t *jobs = json_object_get(doc, "jobs"), *job = json_array_get(jobs, index);
	const char *version = text_of(doc, "fio version"), *name = text_of(job, "jobname");
	struct fio_job j = {sink, job, name ? name : "-", version && !strncmp(version, "fio-2", 5),
		version && !strncmp(version, "fio-", 4) && version[4] >= '0' && version[4] <= '9'};
	double error = 0, user, system;
	char clone[16];
	bool moved = false;
	int nth;

	if (json_scan_number(job, "error", &error) && error != 0)
		return err_set(e, BLAME_TEST, "fio: job '%.100s' ended with error %.0f (%s)",
			j.name, error,
			error > 0 && error < 4096 ? strerror((int)error) : "unknown");
	nth = fio_clone(jobs, index, j.name);
	snprintf(clone, sizeof clone, "%d", nth);
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		fio_label(&j, options[i], fio_option(doc, job, options[i]));
	fio_label(&j, "job", name);
	fio_label(&j, "clone", nth < 0 ? NULL : clone);
	moved |= fio_direction(&j, "read");
	moved |= fio_direction(&j, "write");
	moved |= fio_direction(&j, "trim");
	if (!moved) {
		fio_warn(&j, "all directions", "no I/O was done");
		return 0;
	}
	if (json_scan_number(job, "usr_cpu", &user) && json_scan_number(job, "sys_cpu", &system)) {
		fio_metric(&j, "", "cpu_user", user, "%");
		fio_metric(&j, "", "cpu_system", system, "%");
		fio_metric(&j, "", "cpu_load", user + system, "%");
	}
	return 0;
}

/* Bytes and milliseconds over all jobs and directions of a document. */
static void fio_progress(const json_t *doc, double *bytes, double *ms)
{
	static const char *const directions[] = {"read", "write", "trim"};
	const json_t *job;
	double value;
	size_t i;

	*bytes = *ms = 0;
	json_array_foreach (json_object_get(doc, "jobs"), i, job) {
		for (size_t d = 0; d < ARRAY_LEN(directions); d++) {
			const json_t *dir = json_object_get(job, directions[d]);

			*bytes += json_scan_number(dir, "io_bytes", &value) ? value : 0;
			*ms += json_scan_number(dir, "runtime", &value) ? value : 0;
		}
	}
}

static bool fio_same_jobs(const json_t *ja, const json_t *jb)
{
	if (json_array_size(ja) != json_array_size(jb))
		return false;
	for (size_t i = 0; i < json_array_size(ja); i++) {
		const json_t *x = json_array_get(ja, i), *y = json_array_get(jb, i);
		const json_t *ox = json_object_get(x, "job options");
		const json_t *oy = json_object_get(y, "job options");

		if (!json_equal(json_object_get(x, "jobname"), json_object_get(y, "jobname")) ||
			(ox != oy && !json_equal(ox, oy)))
			return false;
	}
	return json_array_size(ja) > 0;
}

/*
 * Is a the interim status (--status-interval) of the fio that printed b later? The same jobs went
 * on; the same command run twice moves the same bytes twice, or starts after a was printed.
 */
static bool fio_is_interim(const json_t *a, const json_t *b)
{
	const json_t *ja = json_object_get(a, "jobs"), *jb = json_object_get(b, "jobs");
	double bytes[2], ms[2], at[2], elapsed;

	fio_progress(a, &bytes[0], &ms[0]);
	fio_progress(b, &bytes[1], &ms[1]);
	if (!fio_same_jobs(ja, jb) || bytes[1] <= bytes[0] || ms[1] <= ms[0])
		return false;
	if (json_scan_number(a, "timestamp", &at[0]) && json_scan_number(b, "timestamp", &at[1]) &&
		json_scan_number(json_array_get(jb, 0), "elapsed", &elapsed))
		return at[1] - at[0] < elapsed;
	return true;
}

/* One version tells the same of each direction: a document where one lacks what another has is
 * damaged, and so is a job with none. */
static bool fio_whole(const json_t *jobs)
{
	static const char *const directions[] = {"read", "write", "trim"};
	static const char *const keys[] = {"io_bytes", "bw", "iops", "runtime"};
	unsigned first = 0, n = 0;
	const json_t *job;
	size_t i;

	json_array_foreach (jobs, i, job) {
		bool any = false;

		for (size_t d = 0; d < ARRAY_LEN(directions); d++) {
			const json_t *dir = json_object_get(job, directions[d]);
			unsigned has = 0;

			for (size_t k = 0; k < ARRAY_LEN(keys); k++)
				has |= (unsigned)(json_object_get(dir, keys[k]) != NULL) << k;
			if (dir && n++ && has != first)
				return false;
			first = dir ? has : first;
			any |= dir != NULL;
		}
		if (!any)
			return false;
	}
	return true;
}

static int fio_document(const struct sink *sink, const json_t *doc, struct err *e)
{
	const json_t *jobs = json_object_get(doc, "jobs");
	const char *version = text_of(doc, "fio version");
	struct err other = {0};
	int failed = 0;

	if (version)
		sink_env(sink, "fio.version", version);
	if (!json_array_size(jobs))
		return err_set(e, BLAME_TEST, "fio: it reports no job");
	if (!fio_whole(jobs))
		return err_set(e, BLAME_TEST, "fio: its JSON output is cut off or damaged");
	for (size_t i = 0; i < json_array_size(jobs); i++)
		if (fio_one(sink, doc, i, failed ? &other : e))
			failed = -1;
	return failed;
}

/* Does another document begin right behind the last one, and not end, or is damaged? */
static bool fio_cut_off(const struct json_scan *scan)
{
	static const char begins[] = "\"fio version\"";
	struct str rest = str_make(scan->text.p + scan->told_to, scan->text.n - scan->told_to);
	struct str first;

	if (rest.n > LINES_HEAD_BYTES)
		rest.n = LINES_HEAD_BYTES;
	if (lines_has(rest, begins) || lines_has(rest, "\"jobname\""))
		return true;
	/* Cut off within its first name. */
	if (!lines_after(str_trim(rest), "{", &first))
		return false;
	return first.n < sizeof begins && !strncmp(first.p, begins, first.n);
}

/*
 * Every document but those that a later one of the same fio replaces; n counts them all. What a
 * damaged one would have replaced is not known.
 */
static int fio_documents(struct json_scan *scan, size_t *n, struct err *e)
{
	json_t *held = json_scan_next(scan), *next;
	struct err other = {0};
	size_t interim = 0, at = scan->start;
	int failed = 0;

	for (*n = 0; held; held = next, ++*n) {
		next = json_scan_next(scan);
		sink_at(scan->sink, at);
		if (next && fio_is_interim(held, next))
			interim++;
		else if (next ? scan->noisy && !fio_same_jobs(json_object_get(held, "jobs"),
						       json_object_get(next, "jobs"))
			      : fio_cut_off(scan))
			failed = failed ? failed
					: err_set(e, BLAME_TEST,
						  "fio: its JSON output is cut off or damaged");
		else if (fio_document(scan->sink, held, failed ? &other : e))
			failed = -1;
		json_decref(held);
		at = scan->start;
	}
	json_scan_end(scan);
	if (interim)
		sink_warn(scan->sink, "fio: %zu interim status passed over", interim);
	return failed;
}

static int fio_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct str first = {0}, rest = str_trim(text);
	struct json_scan scan;
	char shown[160];
	int failed;
	struct err other = {0};
	size_t n;
	bool plain = str_find(text, STR_LIT(": (groupid=")) >= 0 ||
		     str_find(text, STR_LIT(";fio-")) >= 0;

	if (plain && !str_starts(rest, "{") && str_find(text, STR_LIT("\"jobs\"")) < 0)
		return fio_text_parse(text, sink, e);
	json_scan_init(&scan, text, is_fio, sink);
	failed = fio_documents(&scan, &n, e);
	/* A log may hold both, of several runs. */
	if (plain && fio_text_parse(text, sink, n ? &other : e)) {
		if (!n)
			return -1;
		sink_warn(sink, "%s", other.msg);
	}
	if (scan.cut_off && !failed)
		return err_set(e, BLAME_TEST, "fio: its JSON output is cut off or damaged");
	if (n || plain)
		return failed;
	str_line(&rest, &first);
	if (!first.n)
		return err_set(e, BLAME_TEST, "fio: no output");
	return err_set(e, BLAME_TEST,
		"fio: no JSON in its output (--output-format=json), it says: %s",
		str_printable(first, shown, sizeof shown));
}

static int fio_detect(struct str text)
{
	if (str_find(text, STR_LIT("\"fio version\"")) >= 0 ||
		str_find(text, STR_LIT(";fio-")) >= 0)
		return 95;
	return str_find(text, STR_LIT(": (groupid=")) >= 0 ? 90 : 0;
}

static const char *const fio_marks[] = {"\"fio version\"", "\"jobs\"",
	": (groupid=", ": (g=", ";fio-", "\nfio-", " bw=", "(bw=", "iops=", "percentiles (",
	"usr=", NULL};

const struct parser fio_parser = {
	.d = {.name = "fio",
		.brief = "fio: json, json+, normal, terse 3 to 5",
		.proven = "golden cases; output of fio 3.33"},
	.detect = fio_detect,
	.parse = fio_parse,
	.marks = fio_marks,
};
