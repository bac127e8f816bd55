/* SPDX-License-Identifier: MIT */
/* Images against their manifest. Invariant: 0 is returned only for a file whose digest was read
 * and found to be the manifest's. */
#include "builds/build.h"
#include "io/digest.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

int image_verify(const struct image *im, struct err *e)
{
	char hex[DIGEST_HEX_BYTES];
	struct stat st;

	if (!im->path)
		return err_set(e, BLAME_BUILD,
			"image '%s': only a URL ('%s') and no local file; fetch it and give its "
			"'path'",
			im->role, im->url);
	if (stat(im->path, &st)) /* a pipe or a device would block or never end */
		return err_sys(e, BLAME_BUILD, errno, "image '%s': '%s'", im->role, im->path);
	if (!S_ISREG(st.st_mode))
		return err_set(
			e, BLAME_BUILD, "image '%s': '%s' is no plain file", im->role, im->path);
	if (digest_sha256_file(im->path, hex, e)) {
		err_wrap(e, "image '%s'", im->role);
		if (e)
			e->blame = BLAME_BUILD;
		return -1;
	}
	if (strcasecmp(hex, im->sha256))
		return err_set(e, BLAME_BUILD,
			"image '%s': '%s' has sha256 %.16s..., the manifest says %.16s...",
			im->role, im->path, hex, im->sha256);
	return 0;
}
