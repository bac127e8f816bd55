/* SPDX-License-Identifier: MIT */
/*
 * The loader step: commands at the boot loader's prompt. Invariant: a command is typed only at a
 * prompt that a boot step of this run stopped at; what the boot loader refuses is a failed result,
 * and a feature that the board's type does not claim is a skipped one, never a passed one.
 */
#include "worker.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static bool has_feature(const struct worker *w, const char *feature)
{
	const char *has = node_text(node_find(w->board, "loader-features"), feature);

	return has && !strcmp(has, "true");
}

/* All commands; 0, 1 with what the boot loader said of the one that it refused, -1. */
static int type_all(struct worker *w, const struct step_loader *s, struct buf *out, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->commands.n; i++) {
		AUTOBUF command = BUF_INIT(WORKER_TEXT_BYTES);

		if (bench_expand(&w->bench, s->commands.p[i], &command, e))
			return -1;
		r = w->boot.drv->command(&w->boot, buf_str(&command), out, e);
		if (r < 0)
			w->boot.at_prompt = false; /* nobody knows where it is */
	}
	return r;
}

int step_loader(struct worker *w, const void *conf, struct err *e)
{
	const struct step_loader *s = conf;
	AUTOBUF out = BUF_INIT(SHELL_OUTPUT_BYTES);
	struct err said = {0};
	struct str text;
	int r;

	if (!w->boot.drv || !w->boot.at_prompt)
		return err_set(e, BLAME_JOB, "the board is not at its boot loader's prompt");
	if (s->feature && !has_feature(w, s->feature)) {
		const char *type = node_text(w->board, "type");
		AUTOFREE char *why = mem_printf(
			"the boot loader of a '%s' has no %s", type ? type : "?", s->feature);

		worker_result(w, w->step->name, STATUS_SKIP, why, BLAME_NONE);
		return 0;
	}
	r = type_all(w, s, &out, &said);
	text = str_make(buf_str(&out), out.len);
	return worker_told(w, r, &said, s->parse, &s->expect, text, e);
}
