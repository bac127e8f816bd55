/* SPDX-License-Identifier: MIT */
/* The table of deploy drivers, sorted by name. */
#include "deploy.h"

extern const struct deploy_driver deploy_tftp;

static const struct driver *const drivers[] = {
	&deploy_tftp.d,
	NULL,
};

const struct driver *const *deploy_drivers(void)
{
	return drivers;
}
