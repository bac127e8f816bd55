/* SPDX-License-Identifier: MIT */
#ifndef IO_YAML_TEXT_H
#define IO_YAML_TEXT_H

/* What YAML files may be made of, for the reader and the writer. */

#include "base/diag.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

/* Cuts the first character off *s: its code point, or -1 when the bytes are no UTF-8 (nothing is
 * cut then). */
int32_t yaml_text_char(struct str *s);
/* Characters that may stand in a YAML stream as they are. */
bool yaml_text_allowed(int32_t c);
/* A plain scalar that means null. */
bool yaml_text_is_null(const char *text);
/* Looks for bytes that cannot be YAML; adds to diag and returns -1 at the first. */
int yaml_text_check(struct str text, const char *name, struct diag *diag);
/* What the parser stopped at, in plain words. Returns -1. */
int yaml_text_explain(const yaml_parser_t *p, struct str text, const char *name, struct diag *diag);

#endif
