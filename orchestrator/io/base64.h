/* SPDX-License-Identifier: MIT */
#ifndef IO_BASE64_H
#define IO_BASE64_H

/* Base 64 of RFC 4648, section 4, with padding. */

#include "base/buf.h"
#include "base/str.h"

int base64_add(struct buf *out, struct str bytes); /* onto the end; -1: out's cap */
/* Text to bytes onto the end of out. White space is allowed; anything else that is not base 64, a
 * text that was cut, or out's cap: -1. */
int base64_parse(struct str text, struct buf *out);

#endif
