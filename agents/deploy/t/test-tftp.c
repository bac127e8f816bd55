/* SPDX-License-Identifier: MIT */
/* deploy/tftp in folders: what is staged, readable and named for the board, and all of it gone
 * after undo, also by a process that knows only the run's name. */
#include "agents/deploy/deploy.h"
#include "base/fs.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/hilab-test.XXXXXX";
static struct arena arena;

static void *conf_of(const struct deploy_driver *drv, const char *root)
{
	struct node *m = node_new(&arena, NODE_MAP, (struct loc){0});
	void *conf = arena_alloc(&arena, drv->d.size);
	struct diag diag = {0};

	node_map_set(&arena, m, "root", node_scalar(&arena, root, (struct loc){0}));
	node_map_set(&arena, m, "server", node_scalar(&arena, "10.0.2.2", (struct loc){0}));
	node_map_set(&arena, m, "prefix", node_scalar(&arena, "lab/", (struct loc){0}));
	ok(!schema_fill(&arena, drv->d.params, "tftp", m, conf, &diag), "settings are taken");
	diag_done(&diag);
	return conf;
}

static bool same(const char *a, const char *b)
{
	AUTOBUF x = BUF_INIT(1000);
	AUTOBUF y = BUF_INIT(1000);

	return !fs_read(a, &x, NULL) && !fs_read(b, &y, NULL) && x.len == y.len &&
	       !memcmp(buf_str(&x), buf_str(&y), x.len);
}

int main(void)
{
	struct bench b;
	struct err e = {0};
	const struct deploy_driver *drv;
	struct deploy dp = {.bench = &b, .run_id = "run-7"};
	struct stat st;

	if (!mkdtemp(dir) || chdir(dir) || mkdir("root", 0755))
		return 1;
	umask(077);
	bench_init(&b);
	dp.drv = drv = (const struct deploy_driver *)driver_get(
		deploy_drivers(), "deploy driver", "tftp", &e);
	dp.conf = conf_of(drv, "root");
	fs_write("Image", "kernel", 6, 0644, &e);
	fs_write("secret.gz", "root", 4, 0600, &e);
	{
		struct deploy_image images[] = {{"kernel", "Image"}, {"rootfs", "secret.gz"}};
		struct deploy_image bad[] = {{"../kernel", "Image"}}, gone[] = {{"dtb", "none"}};

		ok(!drv->stage(&dp, images, 2, &e), "staged %s", e.msg);
		ok(same("root/run-7/kernel", "Image"), "the kernel is there");
		ok(same("root/run-7/rootfs", "secret.gz"), "the root is there");
		ok(!stat("root/run-7/rootfs", &st) && st.st_mode & S_IROTH,
			"readable for the server, though the build's file is not");
		ok(!stat("root/run-7", &st) && st.st_mode & S_IXOTH, "so is the folder");
		ok(!stat("secret.gz", &st) && (st.st_mode & 0777) == 0600,
			"the build's file is as it was");
		is_str(bench_var_find(&b, "image.kernel"), "lab/run-7/kernel",
			"its name for the board");
		is_str(bench_var_find(&b, "net.server"), "10.0.2.2", "and the server's");
		ok(!drv->stage(&dp, images, 2, &e), "staging again is fine %s", e.msg);
		is_int(drv->stage(&dp, bad, 1, &e), -1, "a role that is a path is refused");
		ok(!fs_exists("root/kernel"), "and nothing was written");
		is_int(drv->stage(&dp, gone, 1, &e), -1, "an image that is not there");
		is_int(e.blame, BLAME_BUILD, "is the build's: %s", e.msg);
	}
	fs_write("root/other", "x", 1, 0644, &e);
	{
		struct deploy later = {
			.drv = drv, .bench = &b, .run_id = "run-7", .conf = conf_of(drv, "root")};

		drv->undo(&later);
		ok(!fs_exists("root/run-7"), "another process takes it away");
		drv->undo(&dp);
		ok(fs_exists("root/other") && fs_exists("Image"), "again, and nothing else");
		later.run_id = "..";
		drv->undo(&later);
		ok(fs_exists("root/other"), "a run that is no name touches nothing");
		later.conf = conf_of(drv, "nowhere");
		later.run_id = "run-8";
		is_int(drv->stage(&later, NULL, 0, &e), -1, "no TFTP root");
		is_int(e.blame, BLAME_INFRA, "is the lab's: %s", e.msg);
	}
	bench_done(&b);
	arena_done(&arena);
	if (!chdir("/"))
		fs_remove_tree(dir, NULL);
	return tap_done();
}
