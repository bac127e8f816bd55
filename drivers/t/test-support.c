/* SPDX-License-Identifier: MIT */
/*
 * The support matrices: every statement of the five guides (data/published.tsv: whose it is, its
 * kind, its heading, which one under it) has a row for a home, every row names a step of the
 * library that is there or says why not, and wrong files are refused.
 */
#include "drivers/support.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/t/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATEMENTS 393
#define COLUMNS    5

static const char *const socs[] = {"am335x", "am62axx", "am275x", "adsp-sc5xx", "j721e"};
static struct support matrices[ARRAY_LEN(socs)];

static const struct support *matrix_of(struct str soc)
{
	for (size_t i = 0; i < ARRAY_LEN(socs); i++)
		if (str_is(soc, socs[i]))
			return &matrices[i];
	return NULL;
}

static void load(void)
{
	for (size_t i = 0; i < ARRAY_LEN(socs); i++) {
		struct diag diag = {0};
		AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);
		bool good = !support_load_soc(&matrices[i], socs[i], &diag) &&
			    !support_resolve(&matrices[i], NULL, &diag);

		diag_print(&diag, &said);
		ok(good, "%s: every row names what is there %s", socs[i], buf_str(&said));
		diag_done(&diag);
	}
}

static void proofs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(socs); i++) {
		size_t n[4] = {0}, silent = 0;

		for (size_t d = 0; d < matrices[i].n; d++)
			for (size_t k = 0; k < matrices[i].drivers[d].n; k++) {
				const struct support_row *r = &matrices[i].drivers[d].rows[k];

				n[r->proof]++;
				silent += (r->proof == SUPPORT_NOT_TESTABLE && !r->not_testable) ||
					  (r->proof == SUPPORT_NOT_YET && !r->not_yet);
			}
		ok(!n[SUPPORT_UNKNOWN] && !silent,
			"%s: %zu rows by a step, %zu not yet, %zu not testable, each with a reason",
			socs[i], n[SUPPORT_BY_STEP], n[SUPPORT_NOT_YET], n[SUPPORT_NOT_TESTABLE]);
	}
}

static void read_columns(struct str line, struct str *c)
{
	for (size_t n = 0; n < COLUMNS; n++) {
		ptrdiff_t tab = str_chr(line, '\t');

		c[n] = str_make(line.p, tab < 0 ? line.n : (size_t)tab);
		line = tab < 0 ? str_make(line.p + line.n, 0)
			       : str_make(line.p + tab + 1, line.n - (size_t)tab - 1);
	}
}

static void homes(void)
{
	AUTOFREE char *path = fs_data_path("drivers/t/data/published.tsv");
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct str rest, line, c[COLUMNS];
	size_t n = 0;

	ok(!fs_read(path, &text, NULL), "the list of statements is read");
	rest = str_make(buf_str(&text), text.len);
	str_line(&rest, &line);
	while (str_line(&rest, &line)) {
		const struct support *s;
		AUTOFREE char *home = NULL;

		n++;
		read_columns(line, c);
		home = mem_strndup(c[4].p, c[4].n);
		s = matrix_of(c[0]);
		if (!s || !support_find(s, home))
			ok(false, "line %zu: '%.*s' %.*s has a home: '%s'", n + 1, STR_ARG(c[2]),
				STR_ARG(c[1]), home);
	}
	is_int((long long)n, STATEMENTS, "each statement was looked up");
}

static void check_refused(const char *name, const char *text, const char *part)
{
	char dir[] = "/tmp/hilab-support-XXXXXX";
	struct support s = {0};
	struct diag diag = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);
	AUTOFREE char *path = NULL;
	int rc;

	ok(mkdtemp(dir) != NULL, "a folder");
	path = fs_join(dir, name);
	ok(!fs_write(path, text, strlen(text), 0644, NULL), "a file");
	rc = support_load(&s, path, &diag);
	if (!rc)
		rc = support_resolve(&s, NULL, &diag);
	diag_print(&diag, &said);
	ok(rc == -1, "it is refused");
	has_str(buf_str(&said), part, "%s", part);
	support_done(&s);
	diag_done(&diag);
	fs_remove_tree(dir, NULL);
}

#define HEAD "soc: x\ndocument: d\ndrivers:\n  - driver: u\n    title: U\n    rows:\n"

static void refused(void)
{
	check_refused("y.yaml", HEAD "      - {row: a, kind: call, says: s, not-testable: why}\n",
		"must stand in a file 'x.yaml'");
	check_refused("x.yaml", HEAD "      - {row: a, kind: cal, says: s, not-testable: why}\n",
		":7:24: 'kind'");
	check_refused("x.yaml", HEAD "      - {row: a, kind: call, says: s}\n",
		":7:9: row 'a' says neither 'job' and 'step', nor 'not-testable', nor 'not-yet'");
	check_refused("x.yaml",
		HEAD "      - {row: a, kind: call, says: s, job: none.yaml, step: x}\n",
		":7:9: row 'a': no job 'none.yaml' that compiles");
	check_refused("x.yaml",
		HEAD "      - {row: a, kind: call, says: s, job: am335x/boot.yaml, step: x}\n",
		":7:9: row 'a': job 'am335x/boot.yaml' has no step 'x'");
	check_refused("x.yaml",
		HEAD "      - {row: a, kind: call, says: s, step: x, not-testable: why}\n",
		"row 'a' has a proof and is not testable");
	check_refused("x.yaml",
		HEAD "      - {row: a, kind: call, says: s, not-testable: why}\n"
		     "      - {row: a, kind: call, says: s, not-testable: why}\n",
		":8:9: row 'a' is there twice");
	check_refused("x.yaml", HEAD "      - {row: a, kind: call, sasy: s, not-testable: why}\n",
		"did you mean 'says'");
}

static void unknown(void)
{
	struct support s = {0};
	struct diag diag = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);

	is_int(support_load_soc(&s, "am353x", &diag), -1, "a soc that is none");
	diag_print(&diag, &said);
	has_str(buf_str(&said), "did you mean 'am335x'", "the nearest is told");
	diag_done(&diag);
}

int main(void)
{
	load();
	proofs();
	homes();
	refused();
	unknown();
	page_has_rows("drivers/doc/hilab-drivers.5", support_params, "a matrix");
	page_has_rows("drivers/doc/hilab-drivers.5", support_driver_params, "a driver");
	page_has_rows("drivers/doc/hilab-drivers.5", support_row_params, "a row");
	for (size_t i = 0; i < ARRAY_LEN(socs); i++)
		support_done(&matrices[i]);
	return tap_done();
}
