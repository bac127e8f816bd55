/* SPDX-License-Identifier: MIT */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Checks each file by what it is and writes what was found onto out: diagnostics and "FILE: ok
 * (KIND)" lines, or one JSON array. EXIT_PASS, or EXIT_USAGE when anything is wrong.
 */
int check_files(const char *const *paths, size_t n, bool json, struct buf *out);

#endif
