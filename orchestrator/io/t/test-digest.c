/* SPDX-License-Identifier: MIT */
/* Digests against the published examples of FIPS 180. */
#include "io/digest.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <unistd.h>

#define EMPTY   "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define MILLION "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

int main(void)
{
	char path[] = "/tmp/hilab-digest-XXXXXX", hex[DIGEST_HEX_BYTES] = "x";
	AUTOCLOSE int fd = mkstemp(path);
	AUTOFREE char *million = mem_alloc(1000000);
	struct err e = {0};

	digest_sha256("abc", 3, hex);
	is_str(hex, ABC, "three bytes");
	digest_sha256(NULL, 0, hex);
	is_str(hex, EMPTY, "none");
	is_int(digest_sha256_file(path, hex, &e), 0, "an empty file");
	is_str(hex, EMPTY, "its digest");
	memset(million, 'a', 1000000);
	ok(!fs_write_all(fd, million, 1000000), "a million bytes");
	is_int(digest_sha256_file(path, hex, &e), 0, "a large file");
	is_str(hex, MILLION, "its digest");
	unlink(path);
	is_int(digest_sha256_file(path, hex, &e), -1, "no file");
	is_str(hex, MILLION, "leaves the output alone");
	has_str(e.msg, path, "names it");
	is_int(digest_sha256_file("/", hex, &e), -1, "a folder");
	ok(digest_version() && digest_version()[0], "a version of libcrypto");
	return tap_done();
}
