/* SPDX-License-Identifier: MIT */
/* Builds that are known by name: the list, adding from a file, pins. (By URL: t/builds.t of cli.)
 */
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "builds/known.h"

#include <stdlib.h>
#include <unistd.h>

#define A64 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define B64 "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"

static char dir[] = "/tmp/hilab-known-XXXXXX";

static char *manifest(const char *file, const char *text)
{
	char *path = fs_join(dir, file);

	if (fs_write(path, text, strlen(text), 0644, NULL))
		abort();
	return path;
}

static int add(const char *path, char *said, size_t n, struct err *e)
{
	AUTOFREE char *name = NULL, *replaced = NULL;
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct diag diag = {0};
	int rc = known_add(path, &name, &replaced, &diag, e);

	diag_print(&diag, &out);
	snprintf(said, n, "%s", rc ? buf_str(&out) : replaced ? replaced : name);
	diag_done(&diag);
	return rc;
}

static void adding(void)
{
	AUTOFREE char *src = manifest("src.yaml",
		"build: nightly\nversion: '1.10'\nsoc: am62axx\nimages:\n"
		"  kernel: &k {path: sub/Image, sha256: " A64 ", version: 'yes'}\n"
		"  copy: *k\n"
		"  card: {url: 'http://x/card.xz', sha256: " B64 ", compression: xz,\n"
		"         unpacked-sha256: " A64 "}\n");
	AUTOFREE char *bad = manifest(
		"bad.yaml", "build: nightly\nversion: 1\nsoc: x\nimages: {k: {path: a, sha: 1}}\n");
	AUTOFREE char *want = fs_join(dir, "sub/Image"), *path = NULL;
	char said[512];
	struct err e = {0};
	struct build b = {0};

	ok(!add(src, said, sizeof said, &e), "added: %s", e.msg);
	is_str(said, "nightly", "under its own name");
	path = build_locate("nightly", &e);
	ok(path && strcmp(path, src) && !build_load(&b, path, NULL), "it is found and right");
	unlink(src);
	is_str(b.version, "1.10", "a version stays text");
	is_str(build_find(&b, "kernel")->path, want, "a path holds from anywhere");
	is_str(build_find(&b, "copy")->path, want, "also one behind an alias");
	is_str(build_find(&b, "kernel")->version, "yes", "so does a word that YAML would turn");
	is_str(build_find(&b, "card")->url, "http://x/card.xz", "a URL stays");
	is_int(build_find(&b, "card")->packing, PACKING_XZ, "with its packing");
	is_str(build_find(&b, "card")->unpacked_sha256, A64, "and the digest behind it");
	build_done(&b);
	is_int(add(bad, said, sizeof said, &e), -1, "a wrong manifest is not added");
	has_str(said, "bad.yaml:4:23: unknown key 'sha'", "and told with its place");
	ok(!build_load(&b, path, NULL) && !strcmp(b.version, "1.10"), "the old one stays");
	build_done(&b);
	is_int(add("/nonexistent.yaml", said, sizeof said, &e), -1, "no file");
	has_str(said, "/nonexistent.yaml: ", "is told");
}

static void pins(void)
{
	AUTOFREE char *src = manifest("src.yaml",
		"build: nightly\nversion: '2'\nsoc: am62axx\nimages: {kernel: {path: I, sha256: "
		"" B64 "}}\n");
	AUTOFREE char *users = known_dir(), *there = fs_join(users, "nightly.yaml");
	struct map keep = {0};
	char said[512];
	struct err e = {0};

	ok(!known_pinned(&keep, &e) && !keep.n, "nothing is pinned");
	ok(!known_pin("nightly", true, &e) && known_is_pinned("nightly"), "pinned: %s", e.msg);
	ok(!known_pinned(&keep, &e) && map_has(&keep, A64) && map_has(&keep, B64),
		"its digests are kept: %s", e.msg);
	is_int(add(src, said, sizeof said, &e), -1, "it is not replaced");
	has_str(e.msg, "unpin nightly", "and how it could be is told");
	ok(!known_pin("nightly", false, &e) && !known_is_pinned("nightly"), "unpinned");
	is_int(known_pin("nightly", false, &e), -1, "which is done once");
	has_str(e.msg, "is not pinned", "says so");
	ok(!add(src, said, sizeof said, &e), "now it is replaced: %s", e.msg);
	is_str(said, "1.10", "the version before is told");
	is_int(known_pin("unknown", true, &e), -1, "one that is nowhere: %s", e.msg);
	is_int(known_pin("../nightly", true, &e), -1, "a path is no name");
	ok(!known_pin("nightly", true, &e), "pinned");
	fs_write(there, "build: [", 8, 0644, NULL);
	is_int(known_pinned(&keep, &e), -1, "a pinned manifest that cannot be read");
	has_str(e.msg, "pinned build 'nightly'", "is named");
	ok(!known_pin("nightly", false, &e), "and can be unpinned");
	map_done(&keep);
}

static void listing(void)
{
	AUTOFREE char *images = mem_printf("%s/build/images", dir);
	struct known k;
	struct err e = {0};

	ok(!fs_mkdirs(images, 0755, &e), "the tree's images");
	free(manifest("build/images/nightly.yaml", ""));
	free(manifest("build/images/am62axx-twin.yaml", ""));
	free(manifest("build/images/notes.txt", ""));
	free(manifest("build/images/.hidden.yaml", ""));
	if (!ok(!known_load(&k, &e), "the list: %s", e.msg))
		return;
	is_int((long long)k.v.n, 2, "manifests only, each name once");
	is_str(k.v.p[0].name, "am62axx-twin", "sorted");
	ok(!k.v.p[0].users, "one is the tree's");
	ok(k.v.p[1].users && !strcmp(k.v.p[1].name, "nightly"), "the user's own comes first");
	known_done(&k);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	setenv("XDG_CONFIG_HOME", dir, 1);
	setenv("HILAB_DATA", dir, 1);
	adding();
	pins();
	listing();
	ok(!fs_remove_tree(dir, NULL), "tidied up");
	return tap_done();
}
