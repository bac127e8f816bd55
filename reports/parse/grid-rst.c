/* SPDX-License-Identifier: MIT */
/*
 * Tables of a reStructuredText document. Invariant: each line is read once, from the first to the
 * last; what is not a table or a heading says nothing, but for a caption right above a table.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#define RST_LINES ((size_t)1 << 20)

struct rst {
	const struct grid_sink *sink;
	struct grid_line *lines; /* without white space at their ends */
	size_t n;
	struct grid_where where;
	char levels[GRID_LEVELS][2]; /* the mark of each, and whether it stands above as well */
	const char *title;           /* of the next table, told by a directive */
};

static size_t indent_of(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == ' ')
		n++;
	return n;
}

static struct str cut(struct str s, size_t n)
{
	return n < s.n ? str_make(s.p + n, s.n - n) : str_make("", 0);
}

static int split(struct rst *r, struct str text, struct err *e)
{
	struct str line;
	size_t n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	if (n > RST_LINES)
		return err_set(e, BLAME_CONFIG, "it has more than %zu lines", RST_LINES);
	r->lines = mem_alloc((n + 1) * sizeof *r->lines);
	while (str_line(&text, &line)) {
		while (line.n && strchr(" \t\f\v", line.p[line.n - 1]))
			line.n--;
		r->lines[r->n] = (struct grid_line){line, r->n + 1};
		r->n++;
	}
	return 0;
}

/* ---- headings ---------------------------------------------------------------------------------
 */

/* One mark all along; 0: it is no line under a heading. */
static char underline(struct str s)
{
	if (s.n < 3 || !strchr("=-`:'\"~^_*+#<>.!$%&,;/?@\\|", s.p[0]))
		return 0;
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i] != s.p[0])
			return 0;
	return s.p[0];
}

static size_t level_of(struct rst *r, char mark, bool above)
{
	size_t i = 0;

	for (; i < GRID_LEVELS && r->levels[i][0]; i++)
		if (r->levels[i][0] == mark && r->levels[i][1] == above)
			return i;
	if (i == GRID_LEVELS)
		return GRID_LEVELS - 1;
	r->levels[i][0] = mark;
	r->levels[i][1] = (char)above;
	return i;
}

/* How many lines a heading at i takes; 0: there is none. */
static size_t heading(struct rst *r, size_t i)
{
	bool above = underline(r->lines[i].text) && i + 2 < r->n &&
		     underline(r->lines[i + 2].text) == r->lines[i].text.p[0];
	size_t at = i + above;
	struct str text = r->lines[at].text;
	char mark;

	if (at + 1 >= r->n || !text.n || underline(text) || (!above && text.p[0] == ' '))
		return 0;
	mark = underline(r->lines[at + 1].text);
	/* Not much shorter than the text: dashes are also rules and tables. */
	if (!mark || 2 * r->lines[at + 1].text.n < text.n)
		return 0;
	grid_enter(&r->where, level_of(r, mark, above), text);
	return above ? 3 : 2;
}

/* ---- tables -----------------------------------------------------------------------------------
 */

static void tell(struct rst *r, struct grid_build *b)
{
	grid_tell(b, &r->where, r->title, r->sink);
	r->title = r->where.caption = NULL;
}

/* Lines i.. that stay at that indent and go on as a table does; without the indent. */
static struct grid_line *gather(struct rst *r, size_t i, size_t n, size_t indent)
{
	struct grid_line *lines = mem_alloc((n + 1) * sizeof *lines);

	for (size_t k = 0; k < n; k++)
		lines[k] =
			(struct grid_line){cut(r->lines[i + k].text, indent), r->lines[i + k].line};
	return lines;
}

static size_t drawn_table(struct rst *r, size_t i)
{
	size_t indent = indent_of(r->lines[i].text), n = 0;
	struct grid_build b = {.line = r->lines[i].line};
	struct grid_line *lines;

	for (; i + n < r->n; n++) {
		struct str s = cut(r->lines[i + n].text, indent);

		if (!s.n || (s.p[0] != '+' && s.p[0] != '|'))
			break;
	}
	lines = gather(r, i, n, indent);
	grid_read_drawn(&b, lines, n, r->sink);
	free(lines);
	tell(r, &b);
	return n;
}

static size_t simple_table(struct rst *r, size_t i)
{
	size_t indent = indent_of(r->lines[i].text), n = 1, borders = 1;
	struct grid_build b = {.line = r->lines[i].line};
	struct grid_line *lines;

	for (; i + n < r->n; n++) {
		struct str s = r->lines[i + n].text;

		if (s.n && indent_of(s) < indent)
			break;
		if (!grid_is_simple_border(cut(s, indent)))
			continue;
		/* The last border has an empty line behind it. */
		if (++borders >= 2 && (i + n + 1 >= r->n || !r->lines[i + n + 1].text.n)) {
			n++;
			break;
		}
	}
	lines = gather(r, i, n, indent);
	grid_read_simple(&b, lines, n, r->sink);
	free(lines);
	tell(r, &b);
	return n;
}

/* ---- directives -------------------------------------------------------------------------------
 */

struct body { /* of a directive: its options, then its lines */
	struct str header;
	int64_t heads;
	size_t from, to; /* of its lines */
	size_t header_line;
};

/* ":name: value" */
static bool option(struct str line, const char *name, struct str *value)
{
	size_t n = strlen(name);

	line = str_trim(line);
	if (line.n < n + 2 || line.p[0] != ':' || strncmp(line.p + 1, name, n) ||
		line.p[n + 1] != ':')
		return false;
	*value = str_trim(cut(line, n + 2));
	return true;
}

/* The lines below i that are further in. */
static size_t body_end(const struct rst *r, size_t i)
{
	size_t indent = indent_of(r->lines[i].text), end = i + 1;

	for (size_t k = i + 1; k < r->n; k++) {
		if (r->lines[k].text.n && indent_of(r->lines[k].text) <= indent)
			break;
		if (r->lines[k].text.n)
			end = k + 1;
	}
	return end;
}

static void read_body(const struct rst *r, size_t i, struct body *b)
{
	struct str value;

	*b = (struct body){.from = i + 1, .to = body_end(r, i), .heads = -1};
	for (; b->from < b->to && r->lines[b->from].text.n; b->from++) {
		struct str line = str_trim(r->lines[b->from].text);

		if (line.p[0] != ':')
			break;
		if (option(line, "header", &value))
			b->header = value, b->header_line = r->lines[b->from].line;
		if (option(line, "header-rows", &value) && str_i64(value, &b->heads))
			b->heads = -1;
	}
	while (b->from < b->to && !r->lines[b->from].text.n)
		b->from++;
}

static size_t csv_table(struct rst *r, size_t i)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct grid_build b = {.line = r->lines[i].line};
	struct body body;

	read_body(r, i, &body);
	for (size_t k = body.from; k < body.to; k++) {
		struct str line = str_trim(r->lines[k].text);

		buf_add(&text, line.p, line.n);
		buf_putc(&text, '\n');
	}
	if (body.header.n)
		grid_read_csv(&b, body.header, body.header_line, 0, r->sink);
	if (text.len)
		grid_read_csv(&b, str_make(buf_str(&text), text.len), r->lines[body.from].line,
			b.rows, r->sink);
	b.heads = (body.header.n ? 1 : 0) + (body.heads > 0 ? (size_t)body.heads : 0);
	tell(r, &b);
	return body.to - i;
}

/* "* - first cell", then "  - next cell" and the rest of cells further in. */
static size_t list_table(struct rst *r, size_t i)
{
	AUTOBUF text = BUF_INIT(1 << 16);
	struct grid_build b = {.line = r->lines[i].line};
	struct grid_place p = {.rows = 1, .columns = 1};
	size_t row = 0, column = 0;
	struct body body;
	bool good = true;

	read_body(r, i, &body);
	for (size_t k = body.from; k <= body.to; k++) {
		struct str line = k < body.to ? str_trim(r->lines[k].text) : STR_LIT("* -");
		bool first = str_starts(line, "* -");

		if (!first && !str_starts(line, "- ") && !str_is(line, "-")) {
			buf_putc(&text, ' ');
			buf_add(&text, line.p, line.n);
			continue;
		}
		if (p.line) {
			p.text = grid_text(&b.arena, str_make(buf_str(&text), text.len));
			good = good && grid_put(&b, &p);
			column++;
		}
		if (first && p.line)
			row++;
		column = first ? 0 : column;
		p = (struct grid_place){
			row, column, 1, 1, k < body.to ? r->lines[k].line : r->lines[i].line, NULL};
		buf_reset(&text);
		line = cut(line, first ? 3 : 1);
		buf_add(&text, line.p, line.n);
	}
	if (!good)
		grid_warn(r->sink, r->lines[i].line, "the table is too large");
	b.heads = body.heads > 0 ? (size_t)body.heads : 0;
	tell(r, &b);
	return body.to - i;
}

static const char *keep(struct rst *r, struct str text)
{
	return grid_text(&r->where.arena, text);
}

/* How many lines a directive at i takes. */
static size_t directive(struct rst *r, size_t i)
{
	struct str s = str_trim(r->lines[i].text), name = cut(s, 3), rest;
	ptrdiff_t end = str_find(name, STR_LIT("::"));

	if (end < 0)
		return 1;
	rest = str_trim(cut(name, (size_t)end + 2));
	name = str_make(name.p, (size_t)end);
	if (str_is(name, "rubric"))
		r->where.caption = keep(r, rest);
	if (str_is(name, "table") || str_is(name, "csv-table") || str_is(name, "list-table"))
		r->title = keep(r, rest);
	if (str_is(name, "csv-table"))
		return csv_table(r, i);
	if (str_is(name, "list-table"))
		return list_table(r, i);
	if (str_is(name, "code") || str_is(name, "code-block") || str_is(name, "parsed-literal") ||
		str_is(name, "raw") || str_is(name, "image") || str_is(name, "figure"))
		return body_end(r, i) - i;
	return 1;
}

/* A line that is all bold, or says that it is a table's. */
static void caption(struct rst *r, struct str line)
{
	line = str_trim(line);
	if (str_starts(line, "Table:"))
		r->where.caption = keep(r, cut(line, 6));
	else if (line.n > 4 && str_starts(line, "**") && str_ends(line, "**"))
		r->where.caption = keep(r, line);
	else
		grid_above(&r->where, line);
}

static size_t block(struct rst *r, size_t i)
{
	struct str line = r->lines[i].text, bare = cut(line, indent_of(line));
	size_t n;

	if (!bare.n)
		return 1;
	if (str_starts(bare, ".. "))
		return directive(r, i);
	if (grid_is_border(bare))
		return drawn_table(r, i);
	if (grid_is_simple_border(bare))
		return simple_table(r, i);
	n = heading(r, i);
	if (n)
		return n;
	caption(r, line);
	return 1;
}

int grid_rst(struct str text, const struct grid_sink *sink, struct err *e)
{
	struct rst r = {.sink = sink};

	if (split(&r, text, e))
		return -1;
	for (size_t i = 0; i < r.n;)
		i += block(&r, i);
	free(r.lines);
	grid_where_done(&r.where);
	return 0;
}
