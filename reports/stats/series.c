/* SPDX-License-Identifier: MIT */
/*
 * Reads a series. Invariant: a value is in it as it was written, or the file is refused with the
 * line: none is guessed and none dropped.
 */
#include "series.h"

#include "base/mem.h"
#include "base/vec.h"
#include "io/json.h"
#include "reports/parse/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	VEC(struct point) points;
	char *unit;
	const char *name;
	struct diag *diag;
};

static bool is_missing(struct str s)
{
	static const char *const words[] = {"", "-", "nan", "null", "n/a", "NaN", "NA"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(s, words[i]))
			return true;
	return false;
}

static int wrong(struct reading *r, size_t line, const char *what, struct str word)
{
	return diag_add(r->diag, (struct loc){r->name, (uint32_t)line, 1}, "%s '%.*s'%s", what,
		(int)(word.n < 40 ? word.n : 40), word.p ? word.p : "", word.n < 40 ? "" : "...");
}

static int add(struct reading *r, size_t line, double value, struct str time)
{
	if (r->points.n == SERIES_VALUES)
		return diag_add(r->diag, (struct loc){r->name, (uint32_t)line, 1},
			"more than %zu values", SERIES_VALUES);
	vec_push(&r->points, ((struct point){value, time.n ? mem_strndup(time.p, time.n) : NULL}));
	return 0;
}

static int add_text(struct reading *r, size_t line, struct str text, struct str time)
{
	double value = NAN;

	if (!is_missing(text) && str_double(text, &value))
		return wrong(r, line, "not a number:", text);
	return add(r, line, value, time);
}

static int use_unit(struct reading *r, size_t line, struct str unit)
{
	if (!unit.n)
		return 0;
	if (r->unit && !str_is(unit, r->unit))
		return wrong(r, line, "a series has one unit, and here another begins:", unit);
	if (!r->unit)
		r->unit = mem_strndup(unit.p, unit.n);
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int read_lines(struct reading *r, struct str text)
{
	struct str line;
	int rc = 0;

	for (size_t n = 1; str_line(&text, &line) && r->points.n < SERIES_VALUES; n++) {
		ptrdiff_t comment = str_chr(line, '#');

		if (comment == 0)
			continue;
		if (comment > 0)
			line.n = (size_t)comment;
		if (add_text(r, n, str_trim(line), STR_LIT("")))
			rc = -1;
	}
	if (text.n)
		rc = add(r, 0, 0, STR_LIT(""));
	return rc;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

struct columns {
	size_t value, time, unit; /* CSV_FIELDS: none */
};

static bool take_header(const struct csv *c, struct columns *k)
{
	*k = (struct columns){CSV_FIELDS, CSV_FIELDS, CSV_FIELDS};
	for (size_t i = 0; i < c->n; i++)
		if (str_is(c->fields[i], "value"))
			k->value = i;
		else if (str_is(c->fields[i], "time"))
			k->time = i;
		else if (str_is(c->fields[i], "unit"))
			k->unit = i;
	return k->value < CSV_FIELDS;
}

static struct str column(const struct csv *c, size_t i)
{
	return i < c->n ? c->fields[i] : STR_LIT("");
}

static int read_csv(struct reading *r, struct str text)
{
	struct columns k = {CSV_FIELDS, CSV_FIELDS, CSV_FIELDS};
	struct csv c;
	int rc = 0;

	csv_init(&c, text);
	if (!csv_next(&c) || !take_header(&c, &k))
		rc = diag_add(
			r->diag, (struct loc){r->name, 1, 1}, "no column 'value' in the header");
	while (!rc && r->points.n < SERIES_VALUES && csv_next(&c)) {
		if (c.damage)
			rc = wrong(r, c.line, c.damage, STR_LIT(""));
		else if (k.value >= c.n)
			rc = diag_add(r->diag, (struct loc){r->name, (uint32_t)c.line, 1},
				"%zu fields, and the value is in number %zu", c.n, k.value + 1);
		else
			rc = use_unit(r, c.line, column(&c, k.unit)) ||
					     add_text(r, c.line, column(&c, k.value),
						     column(&c, k.time))
				     ? -1
				     : 0;
	}
	csv_done(&c);
	return rc;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static int add_json(struct reading *r, size_t at, const json_t *item)
{
	const json_t *value = json_is_object(item) ? json_object_get(item, "value") : item;
	const char *time = json_is_object(item) ? json_text(item, "time", "") : "";
	const char *unit = json_is_object(item) ? json_text(item, "unit", "") : "";

	if (use_unit(r, at, str_of(unit)))
		return -1;
	if (json_is_number(value))
		return add(r, at, json_number_value(value), str_of(time));
	if (!value || json_is_null(value))
		return add(r, at, NAN, str_of(time));
	if (json_is_string(value))
		return add_text(r, at, str_of(json_string_value(value)), str_of(time));
	return diag_add(
		r->diag, (struct loc){r->name, 0, 0}, "value %zu of the series is no number", at);
}

static int read_json(struct reading *r, struct str text)
{
	struct err e = {0};
	AUTOJSON *doc = json_parse(text, r->name, &e);
	const json_t *list = doc, *item;
	size_t i;

	if (!doc)
		return diag_add(r->diag, (struct loc){r->name, 0, 0}, "%s", e.msg);
	if (json_is_object(list))
		list = json_object_get(list, "series");
	if (json_array_size(list) == 1 && json_is_object(json_array_get(list, 0)) &&
		json_object_get(json_array_get(list, 0), "raw"))
		list = json_object_get(json_array_get(list, 0), "raw");
	if (!json_is_array(list))
		return diag_add(r->diag, (struct loc){r->name, 0, 0},
			"neither a list of values nor an object with one as 'series'");
	json_array_foreach (list, i, item)
		if (add_json(r, i + 1, item))
			return -1;
	return 0;
}

/* ---------------------------------------------------------------------------------------------- */

/* A comma in the first line that says something: CSV. */
static bool is_csv(struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		line = str_trim(line);
		if (line.n && *line.p != '#')
			return str_chr(line, ',') >= 0 || str_is(line, "value");
	}
	return false;
}

int series_parse(struct series *s, struct str text, const char *name, struct diag *diag)
{
	struct reading r = {.name = name, .diag = diag};
	struct str start = str_trim(text);
	int rc;

	if (start.n && (*start.p == '[' || *start.p == '{'))
		rc = read_json(&r, text);
	else if (is_csv(text))
		rc = read_csv(&r, text);
	else
		rc = read_lines(&r, text);
	if (!rc && !r.points.n)
		rc = diag_add(diag, (struct loc){name, 0, 0}, "no values");
	*s = (struct series){r.points.p, r.points.n, r.unit};
	if (rc)
		series_done(s);
	return rc ? -1 : 0;
}

void series_done(struct series *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->points[i].time);
	free(s->points);
	free(s->unit);
	*s = (struct series){0};
}
