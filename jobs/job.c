/* SPDX-License-Identifier: MIT */
/* What kind of document this is. The first of our own keys decides, wherever it stands: a job may
 * name a `build:`, but it says `job:` first. */
#include "jobs/job.h"

#include <string.h>

enum doc_kind doc_kind_of(const struct node *doc)
{
	static const struct {
		const char *key;
		enum doc_kind kind;
	} kinds[] = {{"job", DOC_JOB}, {"lab", DOC_LAB}, {"type", DOC_TYPE}, {"build", DOC_BUILD},
		{"nightly", DOC_NIGHTLY}};

	if (!doc || doc->type != NODE_MAP)
		return DOC_UNKNOWN;
	for (size_t i = 0; i < doc->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
			if (!strcmp(doc->kids[i]->key, kinds[k].key))
				return kinds[k].kind;
	return DOC_UNKNOWN;
}
