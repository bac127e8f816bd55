/* SPDX-License-Identifier: MIT */
#ifndef IO_JSON_H
#define IO_JSON_H

/* Small helpers around jansson: files, one-line output, tolerant getters. */

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <jansson.h>

#define JSON_FILE_BYTES ((size_t)64 << 20)

#define AUTOJSON CLEANUP(json_unref_auto) json_t
void json_unref_auto(json_t **j);

/* A new reference, or NULL with e ("'file':line:col: text"). Duplicate keys are refused; depth is
 * capped (jansson's 2048). */
json_t *json_read(const char *path, struct err *e);
json_t *json_parse(struct str text, const char *name, struct err *e);
/* Compact (flags 0) or indented (JSON_INDENT(2)) onto out; key order kept. */
int json_write(const json_t *j, size_t flags, struct buf *out, struct err *e);
/* fs_write of the indented text and a newline. */
int json_save(const char *path, const json_t *j, unsigned mode, struct err *e);
/* The same by fs_write_light. */
int json_save_light(const char *path, const json_t *j, unsigned mode, struct err *e);
/* The shortest text that reads back as the finite v, with a point or an exponent so that it stays
 * a real: "0.1", "3.0", "1e+20". Returns out (32 bytes are enough). */
char *json_real_text(double v, char *out, size_t n);

/* Getters that never fail: the preset when absent or of another type. Text is borrowed from j. */
const char *json_text(const json_t *obj, const char *key, const char *preset);
int64_t json_int(const json_t *obj, const char *key, int64_t preset);
double json_num(const json_t *obj, const char *key, double preset);
bool json_flag(const json_t *obj, const char *key, bool preset);

#endif
