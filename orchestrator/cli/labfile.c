/* SPDX-License-Identifier: MIT */
/* Finds and loads types and lab file for a command; invariant: on failure nothing is left
 * allocated. */
#include "cli/labfile.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "io/yaml.h"

#include <string.h>
#include <sys/stat.h>

struct names {
	const char **p;
	size_t n, room;
};

#define QUICK_BYTES (64 << 10) /* a lab file that is read in less time than all types */
#define SYSTEM_LAB  "/etc/hilab/lab.yaml"

static char *preset_path(void)
{
	AUTOFREE char *dir = fs_config_dir();
	char *path = fs_join(dir, "lab.yaml");

	if (fs_exists(path))
		return path;
	if (!fs_exists(SYSTEM_LAB)) {
		cli_fail(-1, "no lab file: give --lab FILE, or put one at '%s' or '%s'", path,
			SYSTEM_LAB);
		free(path);
		return NULL;
	}
	free(path);
	return mem_strdup(SYSTEM_LAB);
}

/* The types that its boards name, each once; none of a file that is damaged or large. */
static void find_types(struct arena *a, const char *path, struct names *names)
{
	struct diag diag = {0};
	const struct node *doc = NULL, *boards = NULL;
	struct stat st;

	if (!stat(path, &st) && st.st_size < QUICK_BYTES)
		doc = yaml_load(a, path, &diag);

	if (doc && doc->type == NODE_MAP)
		boards = node_find(doc, "boards");
	node_each (boards, board) {
		const char *type = board->type == NODE_MAP ? node_text(board, "type") : NULL;
		size_t i = 0;

		while (type && i < names->n && strcmp(names->p[i], type))
			i++;
		if (type && i == names->n)
			vec_push(names, type);
	}
	diag_done(&diag);
}

/* The types of its boards alone; all of them where one is wrong or not there, so that the errors
 * can say what is. */
static int load_types(struct labfile *l, const char *path, struct diag *diag)
{
	struct arena a = {0};
	struct names names = {0};
	struct diag ignored = {0};
	bool all;

	find_types(&a, path, &names);
	all = !names.n;
	vec_push(&names, NULL);
	all = all || types_load_only(&l->types, names.p, &ignored);
	for (size_t i = 0; !all && names.p[i]; i++)
		all = !type_find(&l->types, names.p[i]);
	vec_done(&names);
	diag_done(&ignored);
	arena_done(&a);
	if (!all)
		return 0;
	types_done(&l->types);
	return types_load_default(&l->types, diag);
}

int labfile_load(struct labfile *l, const char *path)
{
	AUTOFREE char *found = path ? mem_strdup(path) : preset_path();
	struct diag diag = {0};
	int rc = -1;

	*l = (struct labfile){0};
	if (!found)
		return -1;
	if (!load_types(l, found, &diag) && !lab_load(&l->lab, found, &l->types, &diag))
		rc = 0;
	if (rc) {
		cli_diag(&diag);
		labfile_done(l);
	}
	diag_done(&diag);
	return rc;
}

void labfile_done(struct labfile *l)
{
	lab_done(&l->lab);
	types_done(&l->types);
}
