/* SPDX-License-Identifier: MIT */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/*
 * The daemon's own log, on standard error: "2026-11-30T12:00:01.123Z warn text". Only top-level
 * code (commands, daemons) logs; everything else returns its errors.
 * HILAB_LOG=error|warn|info|debug sets the level (default info for daemons, warn else).
 */

#include "base/attr.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_init(enum log_level preset); /* reads HILAB_LOG */
void log_error(const char *fmt, ...) PRINTF(1, 2);
void log_warn(const char *fmt, ...) PRINTF(1, 2);
void log_info(const char *fmt, ...) PRINTF(1, 2);
void log_debug(const char *fmt, ...) PRINTF(1, 2);

#endif
