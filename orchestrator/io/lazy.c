/* SPDX-License-Identifier: MIT */
/*
 * Libraries loaded when needed. Invariant: a table holds either nothing or every symbol asked for,
 * so that nobody finds half a library in the middle of a job.
 */
#include "io/lazy.h"

#include <dlfcn.h>
#include <string.h>

int lazy_load(const char *soname, const struct lazy_symbol *symbols, void *table, struct err *e)
{
	void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return err_set(e, BLAME_CONFIG, "load a library: %s", dlerror());
	for (const struct lazy_symbol *s = symbols; s->name; s++)
		if (!dlsym(library, s->name)) {
			dlclose(library);
			return err_set(
				e, BLAME_CONFIG, "library '%s' has no '%s'", soname, s->name);
		}
	for (const struct lazy_symbol *s = symbols; s->name; s++) {
		void *at = dlsym(library, s->name);

		memcpy((char *)table + s->offset, &at, sizeof at);
	}
	return 0;
}
