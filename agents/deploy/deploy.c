/* SPDX-License-Identifier: MIT */
/* The table of deploy drivers, sorted by name. */
#include "deploy.h"

extern const struct deploy_driver deploy_card, deploy_tftp, deploy_uart;

static const struct driver *const drivers[] = {
	&deploy_card.d,
	&deploy_tftp.d,
	&deploy_uart.d,
	NULL,
};

const struct driver *const *deploy_drivers(void)
{
	return drivers;
}
