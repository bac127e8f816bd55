/* SPDX-License-Identifier: MIT */
/*
 * The text of YAML files: which bytes may stand in one, and what libyaml's complaints mean for
 * the person who wrote the file. Invariant: whatever yaml_text_check lets pass, libyaml's reader
 * takes too, so that all its later errors carry a line and a column.
 */
#include "io/yaml-text.h"

#include <string.h>

/* More than any file has use for: libyaml compares each with all before it. */
#define DIRECTIVES_MAX 16

int32_t yaml_text_char(struct str *s)
{
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)*s->p;
	unsigned n = first < 0x80       ? 1
		     : first >> 5 == 6  ? 2
		     : first >> 4 == 14 ? 3
		     : first >> 3 == 30 ? 4
					: 0;
	int32_t c;

	if (!n || n > s->n)
		return -1;
	c = n == 1 ? first : first & (0x7f >> n);
	for (unsigned i = 1; i < n; i++) {
		unsigned char more = (unsigned char)s->p[i];

		if (more >> 6 != 2)
			return -1;
		c = c << 6 | (more & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	*s = str_make(s->p + n, s->n - n);
	return c;
}

bool yaml_text_allowed(int32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7e) || c == 0x85 ||
	       (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd && c != 0xfeff) ||
	       c >= 0x10000;
}

bool yaml_text_is_null(const char *text)
{
	return !*text || !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") ||
	       !strcmp(text, "NULL");
}

int yaml_text_check(struct str text, const char *name, struct diag *diag)
{
	struct loc at = {name, 1, 1};
	unsigned directives = 0;

	while (text.n) {
		unsigned char byte = (unsigned char)*text.p;
		int32_t c;

		if (at.col == 1 && str_starts(text, "%TAG") && ++directives > DIRECTIVES_MAX)
			return diag_add(diag, at, "more than %d tag directives", DIRECTIVES_MAX);
		c = yaml_text_char(&text);
		if (c < 0)
			return diag_add(diag, at, "not text: byte 0x%02x is not UTF-8", byte);
		if (!yaml_text_allowed(c))
			return diag_add(
				diag, at, "not text: control character 0x%02x", (unsigned)c);
		at.col++;
		if (c == '\n' || (c == '\r' && !str_starts(text, "\n")))
			at.line++, at.col = 1;
	}
	return 0;
}

enum where { AT_PROBLEM, AT_CONTEXT };

/* libyaml's words, where to point, ours. "%u" in ours is the line where the context started. */
static const struct {
	const char *problem, *context; /* context NULL: any */
	enum where where;
	const char *text;
} words[] = {
	{"mapping values are not allowed in this context", NULL, AT_PROBLEM,
		"':' is not allowed here: the indentation is off, or a value that holds ': ' needs "
		"quotes"},
	{"block sequence entries are not allowed in this context", NULL, AT_PROBLEM,
		"'-' is not allowed here: a list starts on a line of its own"},
	{"mapping keys are not allowed in this context", NULL, AT_PROBLEM,
		"'?' is not allowed here"},
	{"could not find expected ':'", NULL, AT_CONTEXT, "missing ':' after this key"},
	{"found unexpected end of stream", "while scanning a quoted scalar", AT_CONTEXT,
		"the quote opened here is never closed"},
	{"found unexpected document indicator", "while scanning a quoted scalar", AT_CONTEXT,
		"the quote opened here is never closed"},
	{"found unknown escape character", NULL, AT_PROBLEM,
		"unknown escape in double quotes (write '\\\\' for a backslash, or use single "
		"quotes)"},
	{"did not find expected hexdecimal number", NULL, AT_PROBLEM,
		"an escape in double quotes lacks its hexadecimal digits"},
	{"found a tab character where an indentation space is expected", NULL, AT_PROBLEM,
		"tab in the indentation (use spaces)"},
	{"found a tab character that violates indentation", NULL, AT_PROBLEM,
		"tab in the indentation (use spaces)"},
	{"did not find expected key", "while parsing a block mapping", AT_PROBLEM,
		"expected a key of the mapping that starts at line %u (indentation?)"},
	{"did not find expected '-' indicator", NULL, AT_PROBLEM,
		"expected '-' of the list that starts at line %u (indentation?)"},
	{"did not find expected ',' or ']'", NULL, AT_PROBLEM,
		"expected ',' or ']' of the list opened at line %u"},
	{"did not find expected ',' or '}'", NULL, AT_PROBLEM,
		"expected ',' or '}' of the mapping opened at line %u"},
	{"did not find expected <document start>", NULL, AT_PROBLEM,
		"this does not belong to what stands before it (indentation?)"},
	{"did not find expected node content", NULL, AT_PROBLEM, "a value is missing here"},
	{"found undefined tag handle", NULL, AT_PROBLEM, "unknown tag"},
	{"did not find expected alphabetic or numeric character", "while scanning an alias",
		AT_CONTEXT, "'*' starts an alias here: a value that starts with '*' needs quotes"},
	{"did not find expected alphabetic or numeric character", "while scanning an anchor",
		AT_CONTEXT, "'&' starts an anchor here: a value that starts with '&' needs quotes"},
	{"did not find expected comment or line break", "while scanning a block scalar", AT_PROBLEM,
		"after '|' or '>' only the line's end may follow"},
	{"found incompatible YAML document", NULL, AT_PROBLEM, "unknown YAML version"},
};

static struct loc loc_of(const char *name, const yaml_mark_t *mark)
{
	return (struct loc){name, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1};
}

/* The byte at a line and column; columns count characters. 0 when there is none. */
static unsigned char byte_at(struct str text, const yaml_mark_t *mark)
{
	struct str line = {0};

	for (size_t i = 0; i <= mark->line; i++)
		if (!str_line(&text, &line))
			return 0;
	for (size_t i = 0; i < mark->column && line.n; i++)
		if (yaml_text_char(&line) < 0)
			return 0;
	return line.n ? (unsigned char)*line.p : 0;
}

static int no_token(const yaml_parser_t *p, struct str text, const char *name, struct diag *diag)
{
	unsigned char c = byte_at(text, &p->problem_mark);
	struct loc at = loc_of(name, &p->problem_mark);

	if (c == '\t')
		return diag_add(diag, at, "tab in the indentation (use spaces)");
	if (c > 0x20 && c < 0x7f)
		return diag_add(diag, at, "a value cannot start with '%c' (put it in quotes)", c);
	return diag_add(diag, at, "no value can start here");
}

int yaml_text_explain(const yaml_parser_t *p, struct str text, const char *name, struct diag *diag)
{
	const char *problem = p->problem ? p->problem : "cannot be read";
	const char *context = p->context ? p->context : "";
	struct loc at = loc_of(name, &p->problem_mark), from = loc_of(name, &p->context_mark);

	if (p->error == YAML_MEMORY_ERROR)
		return diag_add(diag, (struct loc){name, 0, 0}, "out of memory");
	if (p->error == YAML_READER_ERROR)
		return diag_add(diag, (struct loc){name, 0, 0}, "not text: %s", problem);
	if (!strcmp(problem, "found character that cannot start any token"))
		return no_token(p, text, name, diag);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const char *mark;

		if (strcmp(words[i].problem, problem) ||
			(words[i].context && strcmp(words[i].context, context)))
			continue;
		mark = strstr(words[i].text, "%u");
		if (words[i].where == AT_CONTEXT)
			at = from;
		if (!mark)
			return diag_add(diag, at, "%s", words[i].text);
		return diag_add(diag, at, "%.*s%u%s", (int)(mark - words[i].text), words[i].text,
			from.line, mark + 2);
	}
	if (*context)
		return diag_add(
			diag, at, "%s (%s that starts at line %u)", problem, context, from.line);
	return diag_add(diag, at, "%s", problem);
}
