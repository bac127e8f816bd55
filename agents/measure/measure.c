/* SPDX-License-Identifier: MIT */
/* The table of measure drivers, sorted by name. */
#include "measure.h"

extern const struct measure_driver measure_iperf3;

static const struct driver *const drivers[] = {
	&measure_iperf3.d,
	NULL,
};

const struct driver *const *measure_drivers(void)
{
	return drivers;
}
