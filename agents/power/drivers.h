/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_POWER_DRIVERS_H
#define AGENTS_POWER_DRIVERS_H

/* Inside the family: its drivers. */

#include "agents/power/power.h"

extern const struct power_driver power_command, power_serial_relay;

#endif
