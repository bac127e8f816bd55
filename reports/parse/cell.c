/* SPDX-License-Identifier: MIT */
/* Cells of published tables. Invariant: a figure is made of all of its cell or not at all. */
#include "cell.h"

#include "base/attr.h"

#include <math.h>
#include <strings.h>

#define UNIT_BYTES 24

/* The number that s begins with, cut off it. */
static bool cut_number(struct str *s, double *value, double *step)
{
	size_t i = 0, digits = 0, decimals = 0;

	i += i < s->n && (s->p[i] == '-' || s->p[i] == '+');
	for (; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++)
		digits++;
	if (i < s->n && s->p[i] == '.')
		for (i++; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++)
			decimals++;
	if (!digits && !decimals)
		return false;
	if (i + 1 < s->n && (s->p[i] == 'e' || s->p[i] == 'E')) {
		size_t at = i + 1 + (s->p[i + 1] == '-' || s->p[i + 1] == '+'), from = at;

		while (at < s->n && s->p[at] >= '0' && s->p[at] <= '9')
			at++;
		if (at > from)
			i = at;
	}
	if (str_double(str_make(s->p, i), value))
		return false;
	if (step)
		*step = pow(10, -(double)decimals);
	*s = str_make(s->p + i, s->n - i);
	return true;
}

static bool cut_word(struct str *s, const char *word)
{
	size_t n = strlen(word);

	*s = str_trim(*s);
	if (s->n < n || strncasecmp(s->p, word, n))
		return false;
	*s = str_trim(str_make(s->p + n, s->n - n));
	return true;
}

/* "(min 11.0, max 13.1)" */
static bool cut_range(struct str s, struct cell_figure *f)
{
	double min, max;

	if (!cut_word(&s, "(") || !cut_word(&s, "min"))
		return false;
	cut_word(&s, ":");
	if (!cut_number(&s, &min, NULL))
		return false;
	cut_word(&s, ",");
	if (!cut_word(&s, "max"))
		return false;
	cut_word(&s, ":");
	if (!cut_number(&s, &max, NULL) || !cut_word(&s, ")") || s.n)
		return false;
	f->min = min;
	f->max = max;
	return true;
}

static bool is_missing(struct str s)
{
	static const char *const words[] = {"-", "--", "---", "n/a", "na", "n.a.", "nan", "-nan",
		"none", "null", "tbd", "inf", "-inf", "\xe2\x80\x93", "\xe2\x80\x94", "?", "x",
		NULL};

	for (const char *const *w = words; *w; w++)
		if (s.n == strlen(*w) && !strncasecmp(s.p, *w, s.n))
			return true;
	return !s.n;
}

/* Marks of emphasis and literals around the whole. */
static struct str bare(struct str s)
{
	static const char *const marks[] = {"**", "``", "*", "|", NULL};

	s = str_trim(s);
	for (const char *const *m = marks; *m; m++) {
		size_t n = strlen(*m);

		if (s.n > 2 * n && str_starts(s, *m) && str_ends(s, *m))
			s = str_trim(str_make(s.p + n, s.n - 2 * n));
	}
	return s;
}

enum cell_kind cell_figure(struct str text, struct cell_figure *f)
{
	struct cell_figure made = {.min = NAN, .max = NAN};
	struct str s = bare(text), unit;
	ptrdiff_t bracket;

	if (is_missing(s))
		return CELL_MISSING;
	if (!cut_number(&s, &made.value, &made.step))
		return CELL_TEXT;
	s = str_trim(s);
	bracket = str_chr(s, '(');
	unit = str_trim(bracket < 0 ? s : str_make(s.p, (size_t)bracket));
	if (unit.n > UNIT_BYTES || (unit.n && strchr("0123456789.,-+:;x*/~<>=", unit.p[0])))
		return CELL_TEXT;
	if (bracket >= 0 && !cut_range(str_make(s.p + bracket, s.n - (size_t)bracket), &made))
		return CELL_TEXT;
	made.unit = unit;
	*f = made;
	return CELL_FIGURE;
}

struct str cell_bracket(struct str heading)
{
	size_t end = heading.n, from;

	while (end && heading.p[end - 1] != ')')
		end--;
	if (!end)
		return str_make(heading.p, 0);
	for (from = end - 1; from && heading.p[from - 1] != '('; from--)
		;
	return from ? str_trim(str_make(heading.p + from, end - 1 - from)) : str_make(heading.p, 0);
}
