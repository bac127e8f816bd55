/* SPDX-License-Identifier: MIT */
/* Splits K=V. Invariant: a name is never empty. */
#include "cli/params.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int params_split(struct params *p, const struct cli_texts *given, const char *what)
{
	*p = (struct params){0};
	if (given->n > PARAMS_MAX)
		return cli_fail(-1, "%s: more than %d --param", what, PARAMS_MAX);
	for (size_t i = 0; i < given->n; i++) {
		const char *eq = strchr(given->p[i], '=');

		if (!eq || eq == given->p[i])
			return cli_fail(
				-1, "%s: --param needs NAME=VALUE, not '%s'", what, given->p[i]);
		p->names[p->n] = mem_strndup(given->p[i], (size_t)(eq - given->p[i]));
		p->values[p->n++] = eq + 1;
	}
	return 0;
}

void params_done(struct params *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->names[i]);
	p->n = 0;
}

json_t *params_json(const struct params *p)
{
	json_t *j = json_object();

	for (size_t i = 0; i < p->n; i++)
		json_object_set_new(j, p->names[i], json_string(p->values[i]));
	return j;
}
