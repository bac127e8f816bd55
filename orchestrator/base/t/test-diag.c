/* SPDX-License-Identifier: MIT */
/* What is wrong with files: order, bounds, copies. */
#include "base/diag.h"

#include "base/str.h"
#include "base/t/tap.h"

#include <stdio.h>

int main(void)
{
	struct diag d = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	char file[8] = "b.yaml", at[40];

	diag_print(&d, &out);
	is_str(buf_str(&out), "", "nothing is wrong");
	is_int(diag_add(&d, (struct loc){file, 9, 1}, "late %d", 1), -1, "added");
	diag_add(&d, (struct loc){"a.yaml", 1, 1}, "other file");
	diag_add(&d, (struct loc){file, 2, 7}, "early");
	diag_add(&d, (struct loc){file, 2, 3}, "earlier");
	diag_add(&d, (struct loc){0}, "nowhere");
	diag_add(&d, (struct loc){file, 2, 3}, "earlier, second");
	diag_add(&d, (struct loc){file, 0, 0}, "all of it");
	snprintf(file, sizeof file, "gone");
	diag_print(&d, &out);
	is_str(buf_str(&out),
		"b.yaml: all of it\n"
		"b.yaml:2:3: earlier\n"
		"b.yaml:2:3: earlier, second\n"
		"b.yaml:2:7: early\n"
		"b.yaml:9:1: late 1\n"
		"a.yaml:1:1: other file\n"
		"-: nowhere\n",
		"by file as they came, line, column");
	is_int(d.total, 7, "counted");
	for (int i = 0; i < DIAG_MAX; i++)
		diag_add(&d, (struct loc){"c", (uint32_t)i + 1, 0}, "many");
	is_int(d.entries.n, DIAG_MAX, "bounded");
	buf_reset(&out);
	diag_print(&d, &out);
	has_str(buf_str(&out), "c:193: many\n", "a line without a column");
	ok(str_ends(str_of(buf_str(&out)), "(and 7 more)\n"), "and how many more");
	diag_done(&d);
	is_int(d.total, 0, "empty");
	diag_add(&d, (struct loc){"x", 1, 1}, "y");
	is_int(d.entries.n, 1, "usable again");
	diag_done(&d);
	is_int(diag_add(NULL, (struct loc){0}, "x"), -1, "nobody cares");
	is_str(loc_format((struct loc){"f", 3, 4}, at, sizeof at), "f:3:4", "a place");
	is_str(loc_format((struct loc){"f", 3, 4}, at, 4), "f:3", "cut");
	return tap_done();
}
