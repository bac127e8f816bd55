/* SPDX-License-Identifier: MIT */
/* The table of measure drivers, sorted by name. */
#include "measure.h"

#include "drivers.h"

static const struct driver *const drivers[] = {
	&measure_iperf3.d,
	&measure_rails.d,
	NULL,
};

const struct driver *const *measure_drivers(void)
{
	return drivers;
}
