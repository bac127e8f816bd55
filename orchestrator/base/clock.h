/* SPDX-License-Identifier: MIT */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Time. Durations and deadlines come from the monotonic clock; wall time stands only in records. */

#include <stddef.h>
#include <stdint.h>

int64_t clock_ms(void);      /* monotonic, milliseconds */
int64_t clock_us(void);      /* monotonic, microseconds */
int64_t clock_wall_ms(void); /* since the epoch */
/* For tests: from now on both clocks stand at wall_ms, until set again; 0: they run as ever. */
void clock_set_test(int64_t wall_ms);
/* "2026-11-30T12:00:01.123Z"; out needs CLOCK_ISO_BYTES. Returns out. */
#define CLOCK_ISO_BYTES 32
char *clock_iso(int64_t wall_ms, char *out, size_t n);

#endif
