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
	struct plan p = {0}, again = {0};
	struct err e = {0};
	json_t *j;

	job_check(doc, NULL, diag);
	if (job_compile(&p, doc, NULL, 0, NULL, diag))
		return;
	j = plan_to_json(&p);
	if (plan_from_json(&again, j, &e)) /* what was compiled can be read back */
		abort();
	json_decref(j);
	plan_done(&again);
	plan_done(&p);
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
