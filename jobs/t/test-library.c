/* SPDX-License-Identifier: MIT */
/* The job library: every job of jobs/SOC compiles, for its soc there is a board type, and every
 * nightly expands. */
#include "jobs/nightly.h"

#include "base/fs.h"
#include "base/t/tap.h"
#include "io/yaml.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static void nightly(const struct types *types, const char *path)
{
	struct diag diag = {0};
	struct nightly n = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);
	bool good = !nightly_load(&n, path, types, NULL, &diag);

	diag_print(&diag, &said);
	ok(good && n.n > 0, "%s expands %s", path, buf_str(&said));
	ok(good && n.description && n.schedule && n.deadline_ms,
		"%s says what it is, when it begins and when it ends", path);
	nightly_done(&n);
	diag_done(&diag);
}

static void job(const struct types *types, const char *path)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct job_parts parts = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);
	const struct node *doc = yaml_load(&a, path, &diag);
	bool good;

	if (doc_kind_of(doc) == DOC_NIGHTLY) {
		arena_done(&a);
		nightly(types, path);
		return;
	}
	good = doc && !job_compile_parts(&parts, doc, NULL, 0, NULL, &diag);
	for (size_t i = 0; i < parts.n; i++)
		good &= !match_check(types, &parts.plans[i].match, parts.boards[i], &diag);

	diag_print(&diag, &said);
	ok(good, "%s compiles %s", path, buf_str(&said));
	for (size_t i = 0; good && i < parts.n; i++) {
		const struct plan *p = &parts.plans[i];

		ok(p->description && *p->description, "%s says what it is", path);
		ok(p->match.soc || p->match.type || !strcmp(p->job, "health"),
			"%s says for which boards, or is the health check of all", path);
	}
	job_parts_done(&parts);
	diag_done(&diag);
	arena_done(&a);
}

int main(void)
{
	AUTOFREE char *pattern = fs_data_path("jobs/[!t]*/*.yaml");
	AUTOFREE char *lab = fs_data_path("jobs/nightly.yaml");
	struct types types = {0};
	struct diag diag = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);
	glob_t found = {0};

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1); /* no types but ours */
	ok(!types_load_default(&types, &diag), "the types load");
	diag_print(&diag, &said);
	is_str(buf_str(&said), "", "nothing is said");
	is_int(glob(pattern, 0, NULL, &found), 0, "there is a library");
	for (size_t i = 0; i < found.gl_pathc; i++)
		job(&types, found.gl_pathv[i]);
	globfree(&found);
	nightly(&types, lab);
	types_done(&types);
	diag_done(&diag);
	return tap_done();
}
