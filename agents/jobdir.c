/* SPDX-License-Identifier: MIT */
/* Makes job folders. Invariant: board.json is never readable for others, and plan.json is written
 * last, so that a folder with a plan is complete. The plan is not synced: after a power cut there
 * is no worker to run it, and board.json alone frees the board. */
#include "agents/jobdir.h"

#include "base/fs.h"
#include "io/json.h"

#include <stdlib.h>

/* What `put` steps send, one file a step: the folder is all that a worker has. */
static int copy_files(const char *dir, const struct plan *plan, struct err *e)
{
	AUTOFREE char *files = fs_join(dir, "files");

	for (size_t i = 0; i < plan->n; i++) {
		const struct step *s = &plan->steps[i];
		AUTOFREE char *to = fs_join(files, s->name);
		const struct step_put *put = s->conf;

		if (s->kind != STEP_PUT)
			continue;
		if (fs_mkdirs(files, 0755, e) || fs_copy(put->file, to, e)) {
			if (e)
				e->blame = BLAME_JOB;
			return err_wrap(e, "step '%s'", s->name);
		}
	}
	return 0;
}

int jobdir_make(const char *dir, const struct plan *plan, const struct lab *lab,
	const struct board *board, struct err *e)
{
	AUTOFREE char *plan_path = fs_join(dir, "plan.json");
	AUTOFREE char *board_path = fs_join(dir, "board.json");
	AUTOJSON *plan_json = plan_to_json(plan);
	AUTOJSON *board_json = board_to_json(lab, board);

	if (fs_exists(plan_path))
		return err_set(e, BLAME_CONFIG, "'%s' already holds a job", dir);
	if (fs_mkdirs(dir, 0755, e) || json_save(board_path, board_json, 0600, e) ||
		copy_files(dir, plan, e))
		return -1;
	return json_save_light(plan_path, plan_json, 0644, e);
}
