/* SPDX-License-Identifier: MIT */
/* The table of console drivers. Keep it sorted by name. */
#include "agents/console/console.h"

extern const struct console_driver console_serial;

const struct driver *const *console_drivers(void)
{
	static const struct driver *const table[] = {
		&console_serial.d,
		NULL,
	};

	return table;
}
