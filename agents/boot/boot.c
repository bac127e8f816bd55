/* SPDX-License-Identifier: MIT */
/* The table of boot drivers, sorted by name. */
#include "boot.h"

extern const struct boot_driver boot_autoboot, boot_rtos, boot_u_boot;

static const struct driver *const drivers[] = {
	&boot_autoboot.d,
	&boot_rtos.d,
	&boot_u_boot.d,
	NULL,
};

const struct driver *const *boot_drivers(void)
{
	return drivers;
}
