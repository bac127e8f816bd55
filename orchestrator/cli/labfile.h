/* SPDX-License-Identifier: MIT */
#ifndef CLI_LABFILE_H
#define CLI_LABFILE_H

/* The board types and the lab file that commands without a controller work on. */

#include "labs/lab.h"

struct labfile {
	struct types types;
	struct lab lab;
};

/*
 * path NULL: the user's lab.yaml in the configuration folder, else /etc/hilab/lab.yaml. On failure
 * everything was told on standard error, -1 is returned and nothing needs to be freed.
 */
int labfile_load(struct labfile *l, const char *path);
void labfile_done(struct labfile *l);

#endif
