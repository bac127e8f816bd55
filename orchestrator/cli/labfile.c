/* SPDX-License-Identifier: MIT */
/* Finds and loads types and lab file for a command; invariant: on failure nothing is left
 * allocated. */
#include "cli/labfile.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cli/cli.h"

#define SYSTEM_LAB "/etc/hilab/lab.yaml"

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

int labfile_load(struct labfile *l, const char *path)
{
	AUTOFREE char *found = path ? mem_strdup(path) : preset_path();
	struct diag diag = {0};
	int rc = -1;

	*l = (struct labfile){0};
	if (!found)
		return -1;
	if (!types_load_default(&l->types, &diag) && !lab_load(&l->lab, found, &l->types, &diag))
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
