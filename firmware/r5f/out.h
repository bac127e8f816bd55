/* SPDX-License-Identifier: MIT */
#ifndef R5F_OUT_H
#define R5F_OUT_H

/* Output of the ROM and the firmware: to the console, or kept for the frames of a command. */

#include <stddef.h>

/* Text; each \n goes to the console as \r\n. */
void out_put(const char *bytes, size_t n);

#endif
