/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_DEPLOY_DEPLOY_H
#define AGENTS_DEPLOY_DEPLOY_H

/* Putting a build's images where the board can load them from. Whatever was put is taken back by
 * undo, however the job ended. */

#include "agents/bench/bench.h"
#include "io/driver.h"

struct deploy_image {
	const char *role; /* "kernel", "rootfs", "dtb" */
	const char *path; /* verified local file */
};

struct deploy;
struct deploy_driver {
	struct driver d;
	bool wants_power_off;
	int (*stage)(struct deploy *dp, const struct deploy_image *images, size_t n,
		struct err *e); /* on the host */
	int (*vars)(struct deploy *dp,
		struct err *e); /* sets ${image.ROLE}, ${net.server} ... on the bench; NULL: none */
	void (*undo)(struct deploy *dp); /* safe to repeat; also run by a later process after a
					    crash, from conf and run id alone */
};
struct deploy {
	const struct deploy_driver *drv;
	struct bench *bench;
	void *conf;         /* lab settings of this method, e.g. TFTP root */
	const char *run_id; /* names what is staged */
	void *priv;
};

const struct driver *const *deploy_drivers(void);

#endif
