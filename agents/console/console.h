/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_CONSOLE_CONSOLE_H
#define AGENTS_CONSOLE_CONSOLE_H

/* The family of console drivers: ways to reach a board's console. */

#include "agents/bench/console.h"

const struct driver *const *console_drivers(void); /* NULL-ended, sorted; each heads a struct
						       console_driver */

#endif
