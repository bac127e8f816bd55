/* SPDX-License-Identifier: MIT */
#ifndef IO_T_PAGE_H
#define IO_T_PAGE_H

/* Does a page say something of every key? Rows are the reference, the page must follow. */

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/schema.h"

/* Each row of rows is an item (".It Ic NAME") of the mdoc page, given from the top of the tree. */
static void page_has_rows(const char *page, const struct param *rows, const char *what)
{
	AUTOFREE char *path = fs_data_path(page);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};

	if (fs_read(path, &text, &e)) {
		ok(false, "%s", e.msg);
		return;
	}
	for (; rows->name; rows++) {
		AUTOFREE char *item = mem_printf("\n.It Ic %s\n", rows->name);
		AUTOFREE char *more = mem_printf("\n.It Ic %s ", rows->name);

		ok(strstr(buf_str(&text), item) || strstr(buf_str(&text), more),
			"%s names '%s' of %s", page, rows->name, what);
	}
}

#endif
