/* SPDX-License-Identifier: MIT */
/* Build manifests, where they are found, and images that are not what the manifest says. */
#include "builds/build.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/digest.h"
#include "io/t/page.h"
#include "io/yaml.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* sha256 of "abc", from FIPS 180-2 */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static char said[2048];

static int check(const char *text)
{
	struct arena a = {0};
	struct diag diag = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	const struct node *doc = yaml_parse(&a, "b.yaml", str_of(text), &diag);
	int rc = doc ? build_check(doc, &diag) : -1;

	diag_print(&diag, &out);
	snprintf(said, sizeof said, "%s", buf_str(&out));
	ok(!rc == !diag.total, "the status goes with what was said");
	diag_done(&diag);
	arena_done(&a);
	return rc;
}

static void wrong(void)
{
	ok(!check("build: b\nversion: 1.10\nsoc: am62axx\nimages: {kernel: {url: 'http://x/', "
		  "sha256: " ABC "}}\n"),
		"a right one: %s", said);
	is_int(check("build: b\nversion: 1\nsoc: x\nimages:\n"
		     "  kernel: {path: Image, sha: abc, sha256: abc}\n"
		     "  rootfs: {sha256: " ABC "}\n"
		     "  'dev tree': {path: x, sha256: " ABC "}\n"
		     "  dtb: x\n"
		     "  spl: {path: '', sha256: " ABC "}\n"
		     "  tee: {path: x}\n"),
		-1, "wrong images");
	is_str(said,
		"b.yaml:5:25: unknown key 'sha' in image 'kernel'\n"
		"b.yaml:5:43: image 'kernel': 'sha256' must be 64 hex digits\n"
		"b.yaml:6:3: image 'rootfs': needs 'path' or 'url'\n"
		"b.yaml:7:3: an image's role must be a name: letters, digits, '.', '_', '+', '-'\n"
		"b.yaml:8:8: image 'dtb' must be a mapping, not a text\n"
		"b.yaml:9:15: image 'spl': 'path' is empty\n"
		"b.yaml:10:8: missing key 'sha256' in image 'tee'\n",
		"are told");
	is_int(check("build: a b\nversoin: 1\nimages: {}\n"), -1, "a wrong head");
	has_str(said, "b.yaml:1:8: 'build' must be a name", "name");
	has_str(said, "b.yaml:2:1: unknown key 'versoin' in build (did you mean 'version'?)",
		"key");
	has_str(said, "b.yaml:1:1: missing key 'soc' in build", "soc");
	has_str(said, "b.yaml:3:1: a build needs at least one image", "no images");
}

static void build_ids(void)
{
	is_int(check("build: b\nversion: 1\nsoc: x\nimages:\n"
		     "  kernel: {path: a, sha256: " ABC ", build-id: abc}\n"
		     "  dtb: {path: a, sha256: " ABC ", build-id: abcd, module: x}\n"
		     "  modules: {path: a, sha256: " ABC ", build-id: abcd}\n"),
		-1, "wrong build ids");
	has_str(said, "image 'kernel': 'build-id' must be an even number of hex digits", "odd");
	has_str(said, "image 'dtb': 'build-id' is for a kernel, modules, a rootfs or a firmware",
		"of another role");
	has_str(said, "image 'dtb': 'module' is for modules or a rootfs",
		"a module of another role");
	has_str(said, "image 'modules': 'build-id' needs 'module'", "of no module");
	is_int(check("build: b\nversion: 1\nsoc: x\nimages: {modules: {path: a, sha256: " ABC
		     ", module: '../x', build-id: ''}}\n"),
		-1, "neither a name nor an id");
	has_str(said, "'module' must be the name of one", "the name");
	has_str(said, "'build-id' must be", "the id");
	ok(!check("build: b\nversion: 1\nsoc: x\nimages:\n"
		  "  kernel: {path: a, sha256: " ABC ", build-id: D34Ebfe0}\n"
		  "  modules: {path: a, sha256: " ABC ", module: snd-soc, build-id: '0012'}\n"),
		"right ones: %s", said);
}

static void verify(const char *dir)
{
	AUTOFREE char *manifest = fs_join(dir, "b.yaml"), *image = fs_join(dir, "Image");
	struct build b = {0};
	struct diag diag = {0};
	struct err e = {0};
	static const char text[] =
		"build: b\nversion: '1'\nsoc: am62axx\nimages:\n"
		"  kernel: {path: Image, sha256: BA7816BF8F01CFEA414140DE5DAE2223B0036"
		"1A396177A9CB410FF61F20015AD, release: 6.1.0, build-id: D34E}\n"
		"  rootfs: {path: gone, sha256: " ABC "}\n"
		"  tools: {url: 'http://x/y', sha256: " ABC "}\n"
		"  pipe: {path: pipe, sha256: " ABC "}\n";
	AUTOFREE char *pipe_path = fs_join(dir, "pipe");

	ok(!fs_write(manifest, text, sizeof text - 1, 0644, NULL), "a manifest");
	ok(!fs_write(image, "abc", 3, 0644, NULL), "an image");
	if (!ok(!build_load(&b, manifest, &diag), "loads"))
		return;
	is_int((long long)b.n, 4, "all images");
	is_str(build_find(&b, "kernel")->path, image, "a path is beside the manifest");
	is_str(build_find(&b, "kernel")->release, "6.1.0", "release");
	is_str(build_find(&b, "kernel")->build_id, "d34e", "build id, in small letters");
	ok(!build_find(&b, "dtb"), "a role that is not there");
	ok(!image_verify(build_find(&b, "kernel"), &e), "the image is what it says: %s", e.msg);
	ok(!fs_write(image, "abd", 3, 0644, NULL), "one byte changes");
	is_int(image_verify(build_find(&b, "kernel"), &e), -1, "it is not used");
	is_int(e.blame, BLAME_BUILD, "the build is to blame");
	has_str(e.msg, "has sha256 a52d159f262b2c6d..., the manifest says ba7816bf8f01cfea...",
		"both digests are shown");
	is_int(image_verify(build_find(&b, "rootfs"), &e), -1, "an image that is not there");
	is_int(e.blame, BLAME_BUILD, "is the build's");
	has_str(e.msg, "image 'rootfs': '", "and named");
	is_int(image_verify(build_find(&b, "tools"), &e), -1, "an image that was not fetched");
	has_str(e.msg, "http://x/y", "shows where it would be");
	ok(!mkfifo(pipe_path, 0600), "a pipe");
	is_int(image_verify(build_find(&b, "pipe"), &e), -1, "is no image, and nothing hangs");
	build_done(&b);
	diag_done(&diag);
}

static void locate(const char *dir)
{
	AUTOFREE char *builds = mem_printf("%s/hilab/builds", dir);
	AUTOFREE char *ours = mem_printf("%s/build/images", dir);
	AUTOFREE char *theirs_b = fs_join(builds, "b.yaml"), *ours_b = fs_join(ours, "b.yaml"),
		      *ours_c = fs_join(ours, "c.yaml");
	struct err e = {0};
	char *found;

	setenv("XDG_CONFIG_HOME", dir, 1);
	setenv("HILAB_DATA", dir, 1);
	ok(!fs_mkdirs(builds, 0755, &e) && !fs_mkdirs(ours, 0755, &e), "folders %s", e.msg);
	ok(!fs_write(theirs_b, "", 0, 0644, &e) && !fs_write(ours_b, "", 0, 0644, &e) &&
			!fs_write(ours_c, "", 0, 0644, &e),
		"manifests %s", e.msg);
	found = build_locate("b", &e);
	is_str(found, theirs_b, "the user's own come first");
	free(found);
	found = build_locate("c", &e);
	is_str(found, ours_c, "then those that were made here");
	free(found);
	found = build_locate(ours_b, &e);
	is_str(found, ours_b, "a path is a path");
	free(found);
	ok(!build_locate("d", &e), "one that is nowhere");
	is_int(e.blame, BLAME_BUILD, "is the build's");
	has_str(e.msg, "no build 'd': neither", "both places are told");
	ok(!build_locate("./d.yaml", &e), "a path that is not there");
}

int main(void)
{
	char dir[] = "/tmp/hilab-build-XXXXXX";

	if (!mkdtemp(dir))
		return 1;
	page_has_rows("orchestrator/builds/doc/hilab-build.5", build_params, "a build");
	page_has_rows("orchestrator/builds/doc/hilab-build.5", image_params, "an image");
	wrong();
	build_ids();
	verify(dir);
	locate(dir);
	ok(!fs_remove_tree(dir, NULL), "tidied up");
	return tap_done();
}
