/* SPDX-License-Identifier: MIT */
/* Right jobs and the plan of each: jobs/t/good. Also: a plan read back is the same plan. */
#include "jobs/t/tables.h"

#include "base/t/golden.h"
#include "io/json.h"
#include "io/yaml.h"

static void again(const char *name, json_t *j)
{
	struct plan p = {0};
	struct err e = {0};
	json_t *back;

	if (!ok(!plan_from_json(&p, j, &e), "%s: its plan is read back: %s", name, e.msg))
		return;
	back = plan_to_json(&p);
	ok(json_equal(j, back), "%s: and is the same", name);
	json_decref(back);
	plan_done(&p);
}

/* A job with one part is one plan, with roles a plan for each, one after the other. */
static void plan(const char *name, struct str text, struct buf *out)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct job_parts parts = {0};
	const struct node *doc = yaml_parse(&a, name, text, &diag);
	bool good = doc && !job_compile_parts(&parts, doc, NULL, 0, &tables, &diag);

	if (good && !job_has_roles(doc)) {
		struct plan p = {0};

		ok(!job_compile(&p, doc, NULL, 0, &tables, &diag), "%s has one plan", name);
		plan_done(&p);
	}
	arena_done(&a); /* a plan does not need its document */
	if (!ok(good, "%s compiles", name))
		diag_print(&diag, out);
	for (size_t i = 0; i < parts.n; i++) {
		json_t *j = plan_to_json(&parts.plans[i]);

		again(name, j);
		json_write(j, JSON_INDENT(2), out, NULL);
		buf_putc(out, '\n');
		json_decref(j);
	}
	job_parts_done(&parts);
	diag_done(&diag);
}

int main(void)
{
	ok(golden_walk("jobs/t/good", plan) >= 4, "all cases are there");
	return tap_done();
}
