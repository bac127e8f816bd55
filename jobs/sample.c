/* SPDX-License-Identifier: MIT */
/*
 * `sample:` of a step: power rails that are read while it runs. Invariant: what a plan holds is a
 * mapping that fills a struct sampler_window.
 */
#include "agents/measure/sampler.h"
#include "jobs/compile.h"

#include <stdio.h>

/* A rail's name, or a list of them, stands for {rails: ...}. */
static const struct node *as_map(struct arena *a, const struct node *n)
{
	struct node *map;

	if (n->type == NODE_MAP)
		return n;
	map = node_new(a, NODE_MAP, n->at);
	node_map_set(a, map, "rails", node_copy(a, n));
	return map;
}

bool sample_set(struct compile *c, struct making *mk)
{
	const struct node *said = mk->common.sample;
	struct sampler_window w = {0};
	char what[96];

	if (!said || said->type == NODE_NULL)
		return true;
	snprintf(what, sizeof what, "'sample' of %s", mk->en->what);
	mk->s.sample = as_map(c->x.a, said);
	if (schema_fill(c->x.a, sampler_params, what, mk->s.sample, &w, c->diag)) {
		c->bad = true;
		return false;
	}
	if (w.settle_ms + w.for_ms <= mk->s.timeout_ms)
		return true;
	return compile_complain(c, said->at, "%s needs longer than the step may take", what);
}
