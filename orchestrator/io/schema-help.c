/* SPDX-License-Identifier: MIT */
/*
 * Rows for people and programs: what a key takes, as words, as a table and as JSON. Invariant: no
 * line of a table passes HELP_COLUMNS unless a single word does.
 */
#include "io/schema.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMNS   100
#define NAME_COLUMNS   24 /* longer names and types push what follows to the next line */
#define TYPE_COLUMNS   26
#define HELP_MIN       30 /* columns of help, however deep the section */
#define SECTIONS_DEPTH 8

static const char *const names[] = {
	[PARAM_STRING] = "text",
	[PARAM_PATH] = "file name",
	[PARAM_PATTERN] = "pattern",
	[PARAM_CHOICE] = "choice",
	[PARAM_INT] = "integer",
	[PARAM_NUMBER] = "number",
	[PARAM_BOOL] = "true or false",
	[PARAM_DURATION] = "duration",
	[PARAM_SIZE] = "size",
	[PARAM_STRINGS] = "list of texts",
	[PARAM_MAP] = "mapping",
	[PARAM_LIST] = "list",
	[PARAM_ANY] = "any value",
	[PARAM_SECTION] = "mapping",
};

static bool has_range(const struct param *row)
{
	bool ranged = row->type == PARAM_INT || row->type == PARAM_NUMBER ||
		      row->type == PARAM_DURATION || row->type == PARAM_SIZE;

	return ranged && (row->min || row->max);
}

static char *limit(const struct param *row, int64_t v, char *out, size_t n)
{
	if (row->type == PARAM_DURATION)
		return str_format_ms(v, out, n);
	if (row->type == PARAM_SIZE)
		return str_format_bytes(v, out, n);
	snprintf(out, n, "%lld", (long long)v);
	return out;
}

char *schema_type_text(const struct param *row, char *out, size_t n)
{
	struct buf text = BUF_INIT(BUF_CAP_BYTES);
	char from[40], to[40];

	if (row->choices && row->choices[0]) {
		if (row->type == PARAM_STRINGS)
			buf_puts(&text, "list of ");
		buf_printf(&text, "one of %s", row->choices[0]);
		for (int i = 1; row->choices[i]; i++)
			buf_printf(&text, ", %s", row->choices[i]);
	} else {
		buf_puts(&text, names[row->type]);
	}
	if (has_range(row)) {
		limit(row, row->min, from, sizeof from);
		limit(row, row->max, to, sizeof to);
		if (row->max < row->min)
			buf_printf(&text, ", at least %s", from);
		else
			buf_printf(&text, " %s..%s", from, to);
	}
	snprintf(out, n, "%s", buf_str(&text));
	buf_done(&text);
	return out;
}

static void pad(struct buf *out, size_t columns)
{
	buf_printf(out, "%*s", (int)columns, "");
}

/* Words from column `left` on; now: the column where the line stands. */
static void wrap(struct buf *out, struct str text, size_t left, size_t now)
{
	struct str word;
	bool first = true;

	while (str_word(&text, &word)) {
		if (!first && now + 1 + word.n > HELP_COLUMNS) {
			buf_putc(out, '\n');
			pad(out, left);
			now = left;
		} else if (!first) {
			buf_putc(out, ' ');
			now++;
		}
		buf_add(out, word.p, word.n);
		now += word.n;
		first = false;
	}
	buf_putc(out, '\n');
}

/* One cell of `columns` and two spaces; goes on in the next line when the text is longer. */
static void cell(struct buf *out, const char *text, size_t columns, size_t left)
{
	size_t n = strlen(text);

	buf_puts(out, text);
	if (n <= columns) {
		pad(out, columns - n + 2);
		return;
	}
	buf_putc(out, '\n');
	pad(out, left + columns + 2);
}

static size_t longest(const struct param *rows, size_t most, bool types)
{
	char type[HELP_COLUMNS];
	size_t widest = 0;

	for (; rows->name; rows++) {
		size_t n = strlen(types ? schema_type_text(rows, type, sizeof type) : rows->name);

		if (n > widest && n <= most)
			widest = n;
	}
	return widest;
}

/* Nothing of it would be seen without quotes. */
static bool blank(const char *text)
{
	return !text[strspn(text, " \t")];
}

static void help_rows(const struct param *rows, const char *indent, int depth, struct buf *out)
{
	size_t name_n = longest(rows, NAME_COLUMNS, false),
	       type_n = longest(rows, TYPE_COLUMNS, true);
	size_t start = strlen(indent) + 2 * (size_t)depth, left = start + name_n + type_n + 4;

	if (left + HELP_MIN > HELP_COLUMNS)
		left = HELP_COLUMNS - HELP_MIN;
	for (; rows->name; rows++) {
		AUTOBUF help = BUF_INIT(4096);
		char type[1024];

		buf_printf(&help, "%s", rows->help ? rows->help : "");
		if (rows->unit)
			buf_printf(&help, ", in %s", rows->unit);
		if (rows->required)
			buf_puts(&help, " (required)");
		else if (rows->preset)
			buf_printf(&help, "%s%s%s)",
				blank(rows->preset) ? " (default '" : " (default ", rows->preset,
				blank(rows->preset) ? "'" : "");
		if (rows->example)
			buf_printf(&help, " (example: %s)", rows->example);
		buf_puts(out, indent);
		pad(out, start - strlen(indent));
		cell(out, rows->name, name_n, start);
		cell(out, schema_type_text(rows, type, sizeof type), type_n, start + name_n + 2);
		wrap(out, str_make(buf_str(&help), help.len), left, start + name_n + type_n + 4);
		if (rows->type == PARAM_SECTION && depth < SECTIONS_DEPTH)
			help_rows(rows->rows, indent, depth + 1, out);
	}
}

void schema_help(const struct param *rows, const char *indent, struct buf *out)
{
	if (rows)
		help_rows(rows, indent, 0, out);
}

static json_t *row_json(const struct param *row)
{
	json_t *j = json_pack("{s:s, s:s, s:b}", "name", row->name, "type", names[row->type],
		"required", row->required);

	if (row->preset)
		json_object_set_new(j, "default", json_string(row->preset));
	if (has_range(row)) {
		json_object_set_new(j, "min", json_integer(row->min));
		if (row->max >= row->min)
			json_object_set_new(j, "max", json_integer(row->max));
	}
	if (row->choices) {
		json_t *choices = json_array();

		for (int i = 0; row->choices[i]; i++)
			json_array_append_new(choices, json_string(row->choices[i]));
		json_object_set_new(j, "choices", choices);
	}
	if (row->unit)
		json_object_set_new(j, "unit", json_string(row->unit));
	if (row->example)
		json_object_set_new(j, "example", json_string(row->example));
	json_object_set_new(j, "help", json_string(row->help ? row->help : ""));
	if (row->type == PARAM_SECTION)
		json_object_set_new(j, "rows", schema_json(row->rows));
	return j;
}

json_t *schema_json(const struct param *rows)
{
	json_t *all = json_array();

	for (; rows && rows->name; rows++)
		json_array_append_new(all, row_json(rows));
	return all;
}
