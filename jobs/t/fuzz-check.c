/* SPDX-License-Identifier: MIT */
/* Any bytes as a job, lab, type, build or nightly file: checked, compiled, and the plan read back. */
#include "jobs/nightly.h"

#include "base/mem.h"
#include "builds/build.h"
#include "io/yaml.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void job(const struct node *doc, struct diag *diag)
{
	struct job_parts parts = {0};
	struct err e = {0};

	job_check(doc, NULL, diag);
	if (job_compile_parts(&parts, doc, NULL, 0, NULL, diag))
		return;
	for (size_t i = 0; i < parts.n; i++) {
		json_t *j = plan_to_json(&parts.plans[i]);
		struct plan again = {0};

		if (plan_from_json(&again, j, &e)) /* what was compiled can be read back */
			abort();
		json_decref(j);
		plan_done(&again);
	}
	job_parts_done(&parts);
}

static void nightly(const struct node *doc, struct diag *diag)
{
	struct nightly n = {0};

	if (nightly_read(&n, doc, NULL, NULL, diag))
		return;
	if (!n.n) /* one that is right has something to do */
		abort();
	nightly_done(&n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc =
		yaml_parse(&a, "fuzz.yaml", str_make((const char *)data, size), &diag);

	if (doc) {
		job(doc, &diag);
		nightly(doc, &diag);
		lab_check(NULL, NULL, doc, &diag);
		type_check(NULL, NULL, doc, &diag);
		build_check(doc, &diag);
	}
	diag_done(&diag);
	arena_done(&a);
	return 0;
}
