/* SPDX-License-Identifier: MIT */
/*
 * Puts images into a TFTP server's folder, each run in a folder of its own. Invariant: nothing
 * outside ROOT/RUN is made, changed or removed.
 */
#include "deploy.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SPARE_BYTES ((uint64_t)1 << 20) /* left free beside the images */

struct tftp {
	const char *root, *server, *prefix;
};

static const struct param params[] = {
	{"root", PARAM_PATH, offsetof(struct tftp, root), .required = true,
		.help = "folder that the TFTP server serves, writable for hilab",
		.example = "/srv/tftp"},
	{"server", PARAM_STRING, offsetof(struct tftp, server), .required = true,
		.help = "address of the TFTP server as the board sees it",
		.example = "192.168.1.1"},
	{"prefix", PARAM_STRING, offsetof(struct tftp, prefix), .preset = "",
		.help = "what the board must put before a name to get at root", .example = "lab/"},
	{0},
};

static char *run_dir(const struct deploy *dp)
{
	const struct tftp *conf = dp->conf;

	return str_is_name(dp->run_id) ? fs_join(conf->root, dp->run_id) : NULL;
}

static int check_space(const char *root, const struct deploy_image *images, size_t n, struct err *e)
{
	uint64_t need = SPARE_BYTES;
	struct statvfs fs;
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		if (stat(images[i].path, &st))
			return err_sys(e, BLAME_BUILD, errno, "image '%s'", images[i].path);
		need += (uint64_t)st.st_size;
	}
	if (statvfs(root, &fs))
		return err_sys(e, BLAME_INFRA, errno, "TFTP root '%s'", root);
	if ((uint64_t)fs.f_bavail * fs.f_frsize < need)
		return err_set(e, BLAME_INFRA,
			"TFTP root '%s' has %llu bytes free, the images need %llu", root,
			(unsigned long long)fs.f_bavail * fs.f_frsize, (unsigned long long)need);
	return 0;
}

static int sync_path(const char *path, struct err *e)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fsync(fd))
		return err_sys(e, BLAME_INFRA, errno, "write '%s'", path);
	return 0;
}

/* A link where that serves: same file system, and readable for the server's own user. */
static int stage_one(const struct deploy_image *im, const char *to, struct err *e)
{
	struct stat st;

	if (unlink(to) && errno != ENOENT)
		return err_sys(e, BLAME_INFRA, errno, "remove '%s'", to);
	if (!stat(im->path, &st) && st.st_mode & S_IROTH && !link(im->path, to))
		return 0;
	if (fs_copy(im->path, to, e))
		return -1;
	if (chmod(to, 0644))
		return err_sys(e, BLAME_INFRA, errno, "make '%s' readable", to);
	return sync_path(to, e);
}

static int stage(struct deploy *dp, const struct deploy_image *images, size_t n, struct err *e)
{
	const struct tftp *conf = dp->conf;
	AUTOFREE char *dir = run_dir(dp);

	if (!dir)
		return err_set(e, BLAME_BUG, "'%s' is no name for a folder", dp->run_id);
	if (!fs_is_dir(conf->root))
		return err_set(e, BLAME_INFRA, "TFTP root '%s' is no folder", conf->root);
	if (check_space(conf->root, images, n, e) || fs_mkdirs(dir, 0755, e))
		return -1;
	chmod(dir, 0755); /* whatever our umask is: the server reads as somebody else */
	for (size_t i = 0; i < n; i++) {
		AUTOFREE char *to = fs_join(dir, images[i].role);
		AUTOFREE char *var = mem_printf("image.%s", images[i].role);
		AUTOFREE char *name =
			mem_printf("%s%s/%s", conf->prefix, dp->run_id, images[i].role);

		if (!str_is_name(images[i].role))
			return err_set(e, BLAME_JOB, "'%s' is no image role", images[i].role);
		if (stage_one(&images[i], to, e))
			return err_wrap(e, "stage image '%s'", images[i].role);
		bench_var_set(dp->bench, var, name);
	}
	bench_var_set(dp->bench, "net.server", conf->server);
	return sync_path(dir, e);
}

static void undo(struct deploy *dp)
{
	AUTOFREE char *dir = run_dir(dp);
	struct err e = {0};

	if (dir && fs_remove_tree(dir, &e))
		bench_note(dp->bench, "%s", e.msg);
}

extern const struct deploy_driver deploy_tftp;
const struct deploy_driver deploy_tftp = {
	.d = {.name = "tftp",
		.brief = "images in a TFTP server's folder, for boot loaders that load by network",
		.params = params,
		.size = sizeof(struct tftp),
		.proven = "folders; the twin's TFTP server in QEMU"},
	.stage = stage,
	.undo = undo,
};
