/* SPDX-License-Identifier: MIT */
#ifndef IO_YAML_H
#define IO_YAML_H

/*
 * YAML 1.1 files (libyaml) to nodes. Aliases and merge keys (`<<`) are resolved by copying
 * references, so a bomb costs nothing to read; a document whose expansion would pass
 * YAML_NODES_MAX nodes, YAML_TEXT_BYTES of text, YAML_DEPTH_MAX levels or that is larger than YAML_FILE_BYTES is refused.
 * Duplicate keys, keys that are not scalars, NUL bytes, bad UTF-8, unknown aliases and tags other
 * than the core ones (!!str and so on) are errors at their line. A key given beside a merge wins
 * over the merged one.
 */

#include "io/node.h"

#define YAML_FILE_BYTES ((size_t)1 << 20)
#define YAML_NODES_MAX  100000
#define YAML_TEXT_BYTES ((size_t)16 << 20) /* scalars and keys, aliases written out */
#define YAML_DEPTH_MAX  32

/* The one document of a file. NULL after adding to diag (also when the file cannot be read, is
 * empty or holds several documents). The tree and the file name in its positions live in a. */
struct node *yaml_load(struct arena *a, const char *path, struct diag *diag);
/* The same from memory; name stands for the file in positions. */
struct node *yaml_parse(struct arena *a, const char *name, struct str text, struct diag *diag);
/* All documents of a stream, as a NODE_LIST. */
struct node *yaml_parse_all(struct arena *a, const char *name, struct str text, struct diag *diag);
/* A tree as YAML text, block style, strings quoted only where YAML needs it; a parse of it gives
 * the same tree. */
int yaml_format(const struct node *n, struct buf *out, struct err *e);

#endif
