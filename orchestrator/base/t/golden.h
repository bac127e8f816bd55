/* SPDX-License-Identifier: MIT */
#ifndef BASE_T_GOLDEN_H
#define BASE_T_GOLDEN_H

/*
 * Golden cases: a folder of NAME.yaml files with NAME.want beside each. HILAB_BLESS=1 writes the
 * .want files anew (read the difference before you commit it).
 */

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/t/tap.h"

#include <dirent.h>
#include <stdlib.h>

/* Makes what is to be compared of the input's text; name is the file's name, without folder. */
typedef void golden_fn(const char *name, struct str text, struct buf *out);

static int golden_is_input(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".yaml");
}

static void golden_one(const char *dir, const char *name, golden_fn *fn)
{
	AUTOFREE char *input = fs_join(dir, name);
	AUTOFREE char *want_path = mem_printf("%.*s.want", (int)strlen(input) - 5, input);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES), got = BUF_INIT(BUF_CAP_BYTES),
		want = BUF_INIT(BUF_CAP_BYTES);
	const char *bless = getenv("HILAB_BLESS");
	struct err e = {0};

	if (fs_read(input, &text, &e)) {
		ok(false, "%s: %s", name, e.msg);
		return;
	}
	fn(name, str_make(buf_str(&text), text.len), &got);
	if (bless && *bless)
		ok(!fs_write(want_path, buf_str(&got), got.len, 0644, &e), "blessed %s: %s", name,
			e.msg);
	else if (fs_read(want_path, &want, &e))
		ok(false, "%s: %s", name, e.msg);
	else
		is_str(buf_str(&got), buf_str(&want), "%s", name);
}

/* Every case of a folder given from the top of the tree; returns how many there were. */
static int golden_walk(const char *folder, golden_fn *fn)
{
	AUTOFREE char *dir = fs_data_path(folder);
	struct dirent **list;
	int n = scandir(dir, &list, golden_is_input, alphasort);

	for (int i = 0; i < n; i++) {
		golden_one(dir, list[i]->d_name, fn);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return n;
}

#endif
