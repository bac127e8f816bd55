/* SPDX-License-Identifier: MIT */
#ifndef CLI_FAMILIES_H
#define CLI_FAMILIES_H

/* Every family of drivers, ended by one without a name; `hilab bench` lists them and the table test
 * walks them. */

#include "io/driver.h"

extern const struct family families[];

#endif
