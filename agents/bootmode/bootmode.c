/* SPDX-License-Identifier: MIT */
/* The table of boot-mode drivers, sorted by name. */
#include "bootmode.h"

extern const struct bootmode_driver bootmode_command;

static const struct driver *const drivers[] = {
	&bootmode_command.d,
	NULL,
};

const struct driver *const *bootmode_drivers(void)
{
	return drivers;
}
