/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_MEASURE_DRIVERS_H
#define AGENTS_MEASURE_DRIVERS_H

/* Every driver of this folder's two tables, each defined in the file of its name. */

#include "agents/measure/instrument.h"
#include "agents/measure/measure.h"

extern const struct measure_driver measure_iperf3, measure_rails;
extern const struct instrument_driver instrument_csv, instrument_hwmon, instrument_scpi;

#endif
