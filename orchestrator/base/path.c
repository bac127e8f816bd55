/* SPDX-License-Identifier: MIT */
/* Names of files and the folders that the system gives us: the fs_* functions that touch no file
 * contents. */
#include "base/fs.h"

#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HILAB_PREFIX
#define HILAB_PREFIX "/usr/local"
#endif

char *fs_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	if (*name == '/' || !n)
		return mem_strdup(name);
	return mem_printf("%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
}

char *fs_dirname(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

const char *fs_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *fs_beside(const char *base_file, const char *path)
{
	AUTOFREE char *dir = NULL;

	if (*path == '/' || !base_file || !strchr(base_file, '/'))
		return mem_strdup(path);
	dir = fs_dirname(base_file);
	return fs_join(dir, path);
}

char *fs_absolute(const char *path)
{
	AUTOFREE char *here = *path == '/' ? NULL : getcwd(NULL, 0);

	while (!strncmp(path, "./", 2))
		path += 2;
	return fs_join(here ? here : "/", path);
}

static char *xdg(const char *name, const char *below_home)
{
	const char *dir = getenv(name), *home = getenv("HOME");

	if (dir && *dir == '/')
		return mem_printf("%s/hilab", dir);
	return mem_printf("%s/%s/hilab", home ? home : "", below_home);
}

char *fs_state_dir(void)
{
	return xdg("XDG_STATE_HOME", ".local/state");
}

char *fs_config_dir(void)
{
	return xdg("XDG_CONFIG_HOME", ".config");
}

char *fs_cache_dir(void)
{
	return xdg("XDG_CACHE_HOME", ".cache");
}

char *fs_run_dir(void)
{
	const char *ours = getenv("HILAB_RUN_DIR");

	return mem_strdup(ours && *ours ? ours : "/run/lock");
}

/* The binary stands at TREE/build/MODE/hilab while it is being worked on. */
static char *source_tree(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return NULL;
	exe[n] = 0;
	for (char *build = strstr(exe, "/build/"); build; build = strstr(build + 1, "/build/")) {
		AUTOFREE char *tree = mem_strndup(exe, (size_t)(build - exe));
		AUTOFREE char *types = fs_join(tree, "labs/types");

		if (fs_is_dir(types))
			return mem_strdup(tree);
	}
	return NULL;
}

/* ROOT/share/hilab for a binary at ROOT/bin/hilab: an installation may be moved or staged. */
static char *beside_binary(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	AUTOFREE char *bin = NULL, *root = NULL;
	char *data;

	if (n <= 0)
		return NULL;
	exe[n] = 0;
	bin = fs_dirname(exe);
	root = fs_dirname(bin);
	data = mem_printf("%s/share/hilab", root);
	if (!strcmp(fs_basename(bin), "bin") && fs_is_dir(data))
		return data;
	free(data);
	return NULL;
}

char *fs_data_path(const char *relative)
{
	const char *set = getenv("HILAB_DATA");
	AUTOFREE char *found = set && *set ? mem_strdup(set) : source_tree();

	if (!found)
		found = beside_binary();
	return fs_join(found ? found : HILAB_PREFIX "/share/hilab", relative);
}
