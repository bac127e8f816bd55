/* SPDX-License-Identifier: MIT */
#ifndef PLAYER_CAGE_H
#define PLAYER_CAGE_H

/*
 * What a played board's programs see in place of the host's files: a mount and a host-name
 * namespace in which files below the board's folder stand at their places.
 */

/*
 * For a child of ours, between fork and exec. files are absolute paths, NULL-ended; each that is at
 * root + path is seen at path. One that the host does not have is there only if it is right in
 * /etc. 0, or -1 with errno: this host does not let us, and nothing is changed.
 */
int cage_enter(const char *root, const char *const *files, const char *hostname);

#endif
