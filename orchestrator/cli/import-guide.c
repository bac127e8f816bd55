/* SPDX-License-Identifier: MIT */
#include "cli/import-map.h"
int import_guide(struct import_draft *d, const struct import_map *map, const char *format,
	struct str text, struct err *e)
{
	(void)map, (void)text;
	return err_set(e, BLAME_CONFIG, "'%s': %s is not read yet", d->file, format);
}
