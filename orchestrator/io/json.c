/* SPDX-License-Identifier: MIT */
/*
 * JSON by jansson. Invariant: what json_write wrote, json_parse reads as the same value; reals are
 * written with the fewest digits for which that holds (jansson 2.14 writes 0.1 with 17).
 */
#include "io/json.h"

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REAL_BYTES 40

void json_unref_auto(json_t **j)
{
	json_decref(*j);
}

json_t *json_parse(struct str text, const char *name, struct err *e)
{
	json_error_t why;
	json_t *j = json_loadb(
		text.p ? text.p : "", text.n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);

	if (!j)
		err_set(e, BLAME_CONFIG, "'%s':%d:%d: %s", name, why.line > 0 ? why.line : 1,
			why.column > 0 ? why.column : 1, why.text);
	return j;
}

json_t *json_read(const char *path, struct err *e)
{
	AUTOBUF text = BUF_INIT(JSON_FILE_BYTES);

	if (fs_read(path, &text, e))
		return NULL;
	return json_parse(str_make(buf_str(&text), text.len), path, e);
}

static int onto(const char *text, size_t n, void *out)
{
	return buf_add(out, text, n);
}

char *json_real_text(double v, char *out, size_t n)
{
	char text[REAL_BYTES], *comma;
	double again;

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		comma = strchr(text, ',');
		if (comma)
			*comma = '.'; /* whatever the locale says */
		if (!str_double(str_of(text), &again) && again == v)
			break;
	}
	snprintf(out, n, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
	return out;
}

static int new_line(size_t indent, size_t depth, struct buf *out)
{
	return indent ? buf_printf(out, "\n%*s", (int)(indent * depth), "") : 0;
}

static int put(const json_t *j, size_t flags, size_t depth, struct buf *out)
{
	size_t indent = flags & JSON_MAX_INDENT, i, n = 0;
	char real[REAL_BYTES];
	const char *key;
	json_t *value;
	int rc;

	if (json_is_real(j))
		return buf_puts(out, json_real_text(json_real_value(j), real, sizeof real));
	if (!json_is_object(j) && !json_is_array(j))
		return json_dump_callback(j, onto, out, flags | JSON_ENCODE_ANY);
	rc = buf_putc(out, json_is_array(j) ? '[' : '{');
	json_array_foreach (j, i, value)
		rc |= (i ? buf_putc(out, ',') : 0) | new_line(indent, depth + 1, out) |
		      put(value, flags, depth + 1, out);
	json_object_foreach ((json_t *)j, key, value) {
		json_t *name = json_string_nocheck(key);

		rc |= (n++ ? buf_putc(out, ',') : 0) | new_line(indent, depth + 1, out) |
		      put(name, flags, 0, out) | buf_puts(out, indent ? ": " : ":") |
		      put(value, flags, depth + 1, out);
		json_decref(name);
	}
	if (json_is_array(j) ? json_array_size(j) : n)
		rc |= new_line(indent, depth, out);
	return rc | buf_putc(out, json_is_array(j) ? ']' : '}');
}

int json_write(const json_t *j, size_t flags, struct buf *out, struct err *e)
{
	size_t len = out->len;
	char room[32];

	if (!j)
		return err_set(e, BLAME_BUG, "write JSON: there is no value");
	if (!put(j, flags, 0, out))
		return 0;
	if (out->overflow)
		err_set(e, BLAME_INFRA, "write JSON: larger than %s",
			str_format_bytes((int64_t)out->cap, room, sizeof room));
	else
		err_set(e, BLAME_BUG, "write JSON: a text is not UTF-8");
	if (out->data) {
		out->len = len;
		out->data[len] = 0;
	}
	return -1;
}

static int save(const char *path, const json_t *j, unsigned mode, bool light, struct err *e)
{
	AUTOBUF text = BUF_INIT(JSON_FILE_BYTES);

	if (json_write(j, JSON_INDENT(2), &text, e) || buf_putc(&text, '\n'))
		return err_wrap(e, "write '%s'", path);
	return (light ? fs_write_light : fs_write)(path, text.data, text.len, mode, e);
}

int json_save(const char *path, const json_t *j, unsigned mode, struct err *e)
{
	return save(path, j, mode, false, e);
}

int json_save_light(const char *path, const json_t *j, unsigned mode, struct err *e)
{
	return save(path, j, mode, true, e);
}

const char *json_text(const json_t *obj, const char *key, const char *preset)
{
	const json_t *j = json_object_get(obj, key);

	return json_is_string(j) ? json_string_value(j) : preset;
}

int64_t json_int(const json_t *obj, const char *key, int64_t preset)
{
	const json_t *j = json_object_get(obj, key);

	return json_is_integer(j) ? json_integer_value(j) : preset;
}

double json_num(const json_t *obj, const char *key, double preset)
{
	const json_t *j = json_object_get(obj, key);

	return json_is_number(j) ? json_number_value(j) : preset;
}

bool json_flag(const json_t *obj, const char *key, bool preset)
{
	const json_t *j = json_object_get(obj, key);

	return json_is_boolean(j) ? json_is_true(j) : preset;
}
