/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_LIB_H
#define DRIVERS_LIB_H

/* Between main.c and lib.c; tests use test.h. */
void lib_begin(const char *suite);
int lib_end(void); /* the exit status */

#endif
