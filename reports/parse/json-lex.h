/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_JSON_LEX_H
#define REPORTS_PARSE_JSON_LEX_H

/* The words of JSON, a line at a time, copied in a form that a strict parser takes. */

#include "base/buf.h"
#include "base/str.h"

/*
 * Reads line as JSON tokens from nesting depth *depth on and adds them, made strict, to out.
 * Stops after the brace that brings the depth to 0. True: all that was read is JSON, *used bytes
 * of it, *depth is the new depth. False: *used says where it stops being JSON; *depth and out stay.
 */
bool json_lex_line(struct str line, int *depth, size_t *used, struct buf *out);

#endif
