/* SPDX-License-Identifier: MIT */
/*
 * Images that a boot driver sends over a console. Invariant: nothing is copied; ${image.ROLE} is
 * the verified file itself.
 */
#include "deploy.h"

#include "base/mem.h"

#include <errno.h>
#include <unistd.h>

static const struct param params[] = {{0}};

static int stage(struct deploy *dp, const struct deploy_image *images, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		AUTOFREE char *var = mem_printf("image.%s", images[i].role);

		if (access(images[i].path, R_OK))
			return err_sys(e, BLAME_BUILD, errno, "image '%s'", images[i].path);
		bench_var_set(dp->bench, var, images[i].path);
	}
	return 0;
}

extern const struct deploy_driver deploy_uart;
const struct deploy_driver deploy_uart = {
	.d = {.name = "uart",
		.brief = "images that the boot method sends over the console",
		.params = params,
		.size = 1,
		.proven = "the twins' ROM"},
	.stage = stage,
};
