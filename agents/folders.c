/* SPDX-License-Identifier: MIT */
/*
 * Job folders of the agent on disk. Invariant: the plan, or the command that stands for it, is
 * written last: a folder that has neither whole was never whole and its run never started. The
 * board is on the disk before it, since it is needed to free the board, whatever happens to the
 * host; the plan is not waited for: after a power cut its start comes again.
 */
#include "agents/agent-inner.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"
#include "jobs/plan.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

char *folder_path(const char *parent, int64_t run, unsigned part)
{
	return mem_printf("%s/%lld-%u", parent, (long long)run, part);
}

bool folder_parse(const char *name, int64_t *run, unsigned *part)
{
	ptrdiff_t dash = str_chr(str_of(name), '-');
	int64_t r;
	uint64_t p;

	if (dash < 1 || str_i64(str_make(name, (size_t)dash), &r) || r < 1 ||
		str_u64(str_of(name + dash + 1), &p) || p > UINT32_MAX)
		return false;
	*run = r;
	*part = (unsigned)p;
	return true;
}

int folder_make(const char *dir, const json_t *plan, bool later, const struct lab *lab,
	const struct board *board, struct err *e)
{
	AUTOFREE char *plan_path = fs_join(dir, later ? AGENT_START : AGENT_PLAN);
	AUTOFREE char *board_path = fs_join(dir, "board.json");
	AUTOFREE char *artifacts = fs_join(dir, "artifacts");
	AUTOJSON *board_json = board_to_json(lab, board);

	if (fs_mkdirs(dir, 0755, e) || fs_mkdirs(artifacts, 0755, e) ||
		json_save(board_path, board_json, 0600, e))
		return -1;
	return json_save_light(plan_path, plan, 0644, e);
}

bool folder_needs_blobs(const json_t *plan)
{
	const json_t *it;
	size_t i;

	json_array_foreach (json_object_get(plan, "images"), i, it)
		if (plan_blob(json_text(it, "path", "")))
			return true;
	json_array_foreach (json_object_get(plan, "steps"), i, it)
		if (plan_blob(json_text(json_object_get(it, "params"), "file", "")))
			return true;
	return false;
}

int folder_retire(const char *dir, const char *ended_dir, struct err *e)
{
	static const char *const large[] = {"images", "files", AGENT_START};
	AUTOFREE char *to = fs_join(ended_dir, fs_basename(dir));

	for (size_t i = 0; i < ARRAY_LEN(large); i++) {
		AUTOFREE char *path = fs_join(dir, large[i]);

		fs_remove_tree(path, NULL);
	}
	if (fs_exists(to) && fs_remove_tree(to, e))
		return -1;
	return rename(dir, to) && errno != ENOENT
		       ? err_sys(e, BLAME_INFRA, errno, "move '%s' to '%s'", dir, to)
		       : 0;
}

struct ended {
	int64_t run;
	unsigned part;
};

static int oldest_first(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

void folder_prune(const char *ended_dir, size_t keep)
{
	VEC(struct ended) all = {0};
	DIR *d = opendir(ended_dir);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		struct ended it;

		if (folder_parse(entry->d_name, &it.run, &it.part))
			vec_push(&all, it);
	}
	if (d)
		closedir(d);
	if (all.p && all.n > keep)
		qsort(all.p, all.n, sizeof *all.p, oldest_first);
	for (size_t i = 0; all.p && i + keep < all.n; i++) {
		AUTOFREE char *path = folder_path(ended_dir, all.p[i].run, all.p[i].part);

		fs_remove_tree(path, NULL);
	}
	vec_done(&all);
}

int64_t folder_free_bytes(const char *dir)
{
	struct statvfs fs;

	if (statvfs(dir, &fs))
		return -1;
	return (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
}
