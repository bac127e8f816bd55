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

static void plan(const char *name, struct str text, struct buf *out)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct plan p = {0};
	const struct node *doc = yaml_parse(&a, name, text, &diag);
	bool good = doc && !job_compile(&p, doc, NULL, 0, &tables, &diag);
	json_t *j;

	arena_done(&a); /* a plan does not need its document */
	if (!ok(good, "%s compiles", name)) {
		diag_print(&diag, out);
		diag_done(&diag);
		return;
	}
	j = plan_to_json(&p);
	plan_done(&p);
	again(name, j);
	json_write(j, JSON_INDENT(2), out, NULL);
	buf_putc(out, '\n');
	json_decref(j);
	diag_done(&diag);
}

int main(void)
{
	ok(golden_walk("jobs/t/good", plan) >= 4, "all cases are there");
	return tap_done();
}
