/* SPDX-License-Identifier: MIT */
/* Lists of names. Invariant: no name stands twice, and the order is that of the first time. */
#include "names.h"

#include <string.h>

void names_add(struct arena *a, struct param_strings *list, const char *text)
{
	const char **grown;

	if (!text)
		return;
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->p[i], text))
			return;
	grown = arena_alloc(a, (list->n + 1) * sizeof *grown);
	if (list->n)
		memcpy(grown, list->p, list->n * sizeof *grown);
	grown[list->n++] = arena_strdup(a, text);
	list->p = grown;
}

const char *names_join(struct arena *a, const struct param_strings *list, size_t shown)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	size_t n = shown && list->n > shown ? shown : list->n;

	for (size_t i = 0; i < n; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", list->p[i]);
	if (n < list->n)
		buf_printf(&text, " and %zu more", list->n - n);
	return list->n ? arena_strdup(a, buf_str(&text)) : "-";
}
