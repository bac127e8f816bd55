/* SPDX-License-Identifier: MIT */
/* Wrong jobs and exactly what is said of each: jobs/t/bad. */
#include "jobs/t/tables.h"

#include "base/t/golden.h"
#include "io/yaml.h"

static void check(const char *name, struct str text, struct buf *out)
{
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_parse(&a, name, text, &diag);

	if (doc)
		ok(job_check(doc, &tables, &diag) == (diag.total ? -1 : 0),
			"%s: the status goes with what was said", name);
	ok(diag.total > 0, "%s is refused", name);
	diag_print(&diag, out);
	diag_done(&diag);
	arena_done(&a);
}

int main(void)
{
	ok(golden_walk("jobs/t/bad", check) >= 25, "all cases are there");
	return tap_done();
}
