/* SPDX-License-Identifier: MIT */
/* Chooses a board; invariant: a board is only returned when it has everything that was asked for.
 */
#include "cli/pick.h"

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#define WHY_BYTES ((size_t)64 << 10)

static const char *nearest_board(const struct lab *lab, const char *name)
{
	const char **names = mem_array(lab->n, sizeof *names);
	const char *near;

	for (size_t i = 0; i < lab->n; i++)
		names[i] = lab->boards[i].name;
	near = str_nearest(name, names, lab->n);
	free(names);
	return near;
}

const struct board *pick_board(const struct labfile *l, const struct match *want, const char *name)
{
	AUTOBUF reasons = BUF_INIT(WHY_BYTES);

	if (name && !lab_find(&l->lab, name)) {
		const char *near = nearest_board(&l->lab, name);

		cli_fail(-1, "no board '%s' in lab '%s' (%s)%s%s%s", name, l->lab.name, l->lab.path,
			near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
		return NULL;
	}
	for (size_t i = 0; i < l->lab.n; i++) {
		const struct board *b = &l->lab.boards[i];
		AUTOBUF why = BUF_INIT(WHY_BYTES);

		if (name && strcmp(b->name, name))
			continue;
		if (match_board(&l->types, want, b, &why))
			return b;
		buf_printf(&reasons, "  %s (%s): %s\n", b->name, b->type_name, buf_str(&why));
	}
	cli_fail(-1, "no board of lab '%s' fits this job:", l->lab.name);
	fputs(l->lab.n ? buf_str(&reasons) : "  the lab has no boards\n", stderr);
	return NULL;
}
