/* SPDX-License-Identifier: MIT */
/*
 * Tables of an HTML document, by libxml2 (a push of its SAX events, no tree): table, caption, tr,
 * th, td with spans, headings h1 to h6. Invariant: nothing is fetched and no script is looked at;
 * what a document leaves open is closed at its end.
 */
#include "base/buf.h"
#include "grid.h"
#include "io/lazy.h"

#include <libxml/HTMLparser.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SONAME     "libxml2.so.2"
#define FEED_BYTES ((size_t)64 << 10)
#define TEXT_BYTES ((size_t)1 << 16) /* of a cell or a heading; more is left out */

struct calls {
	__typeof__(&htmlCreatePushParserCtxt) create;
	__typeof__(&htmlParseChunk) chunk;
	__typeof__(&htmlCtxtUseOptions) options;
	__typeof__(&htmlFreeParserCtxt) free_ctxt;
	__typeof__(&xmlFreeDoc) free_doc;
};

static const struct lazy_symbol symbols[] = {
	{"htmlCreatePushParserCtxt", offsetof(struct calls, create)},
	{"htmlParseChunk", offsetof(struct calls, chunk)},
	{"htmlCtxtUseOptions", offsetof(struct calls, options)},
	{"htmlFreeParserCtxt", offsetof(struct calls, free_ctxt)},
	{"xmlFreeDoc", offsetof(struct calls, free_doc)}, {0}};

static const struct calls *load(struct err *e)
{
	static struct calls calls;

	return calls.create || !lazy_load(SONAME, symbols, &calls, e) ? &calls : NULL;
}

struct html {
	const struct grid_sink *sink;
	htmlParserCtxtPtr ctxt;
	struct grid_where where;
	struct grid_build table;
	struct grid_place cell;     /* line 0: none is open */
	size_t reach[GRID_COLUMNS]; /* rows that a cell above still reaches down, this one in */
	const char *title;
	struct buf text;             /* of the cell, caption, heading or paragraph that is open */
	size_t bold_bytes;           /* of the text, within <b> or <strong> */
	unsigned depth, bold, quiet; /* tables, bold, script and style that are open */
	unsigned heading;            /* 1..6, 0: none is open */
	bool caption, row, all_heads, in_head, full;
	size_t row_at;
};

static size_t line_of(const struct html *h)
{
	return h->ctxt && h->ctxt->input && h->ctxt->input->line > 0 ? (size_t)h->ctxt->input->line
								     : 1;
}

static void fresh(struct html *h)
{
	buf_reset(&h->text);
	h->bold_bytes = 0;
}

static struct str text_of(const struct html *h)
{
	return str_make(buf_str(&h->text), h->text.len);
}

static size_t span(const xmlChar **attributes, const char *name)
{
	int64_t n = 1;

	for (; attributes && attributes[0]; attributes += 2)
		if (!strcmp((const char *)attributes[0], name) && attributes[1])
			str_i64(str_trim(str_of((const char *)attributes[1])), &n);
	return n < 1 ? 1 : n > (int64_t)GRID_CELLS ? GRID_CELLS : (size_t)n;
}

/* ---- a table ----------------------------------------------------------------------------------
 */

static void end_cell(struct html *h)
{
	struct grid_place p = h->cell;

	if (!p.line)
		return;
	h->cell.line = 0;
	p.text = grid_text(&h->table.arena, text_of(h));
	fresh(h);
	if (!grid_put(&h->table, &p)) {
		if (!h->full)
			grid_warn(h->sink, p.line, "the table is too large");
		h->full = true;
		return;
	}
	for (size_t i = p.column; i < p.column + p.columns; i++)
		h->reach[i] = p.rows;
}

static void end_row(struct html *h)
{
	end_cell(h);
	if (!h->row)
		return;
	h->row = false;
	if ((h->all_heads || h->in_head) && h->table.heads == h->row_at)
		h->table.heads = h->row_at + 1;
	for (size_t i = 0; i < GRID_COLUMNS; i++)
		h->reach[i] -= h->reach[i] != 0;
	h->row_at++;
}

static void start_row(struct html *h)
{
	end_row(h);
	h->row = true;
	h->all_heads = true;
}

static void start_cell(struct html *h, bool head, const xmlChar **attributes)
{
	size_t column = 0;

	end_cell(h);
	if (!h->row)
		start_row(h);
	while (column < GRID_COLUMNS && h->reach[column])
		column++;
	h->all_heads = h->all_heads && head;
	h->cell = (struct grid_place){h->row_at, column, span(attributes, "rowspan"),
		span(attributes, "colspan"), line_of(h), NULL};
	fresh(h);
}

static void end_table(struct html *h)
{
	end_row(h);
	grid_tell(&h->table, &h->where, h->title, h->sink);
	h->title = h->where.caption = NULL;
	fresh(h);
}

static void start_table(struct html *h)
{
	if (h->depth++) {
		if (h->depth == 2)
			grid_warn(h->sink, line_of(h), "a table within a table is read as text");
		return;
	}
	memset(h->reach, 0, sizeof h->reach);
	h->row_at = 0;
	h->row = h->full = h->in_head = false;
	h->table.line = line_of(h);
	h->title = NULL;
	fresh(h);
}

/* ---- elements ---------------------------------------------------------------------------------
 */

/* A paragraph that is all bold may be the caption of the table below. */
static void end_paragraph(struct html *h)
{
	struct str text = str_trim(text_of(h));

	if (text.n && h->bold_bytes >= text.n)
		h->where.caption = grid_text(&h->where.arena, text);
	else if (text.n)
		h->where.caption = NULL, grid_above(&h->where, text);
	fresh(h);
}

static unsigned heading_of(const char *name)
{
	return name[0] == 'h' && name[1] >= '1' && name[1] <= '6' && !name[2]
		       ? (unsigned)(name[1] - '0')
		       : 0;
}

static bool is(const char *name, const char *a, const char *b)
{
	return !strcmp(name, a) || (b && !strcmp(name, b));
}

static void start_in_table(struct html *h, const char *name, const xmlChar **attributes)
{
	if (is(name, "tr", NULL))
		start_row(h);
	else if (is(name, "td", "th"))
		start_cell(h, name[1] == 'h', attributes);
	else if (is(name, "thead", NULL))
		h->in_head = true;
	else if (is(name, "tbody", "tfoot"))
		end_row(h), h->in_head = false;
	else if (is(name, "caption", NULL))
		h->caption = true, fresh(h);
}

static void on_start(void *arg, const xmlChar *element, const xmlChar **attributes)
{
	const char *name = (const char *)element;
	struct html *h = arg;

	if (is(name, "script", "style")) {
		h->quiet++;
	} else if (is(name, "br", "p") || is(name, "div", "li")) {
		if (h->depth)
			buf_putc(&h->text, ' ');
		else if (!h->heading)
			end_paragraph(h);
	}
	if (is(name, "b", "strong"))
		h->bold++;
	if (is(name, "table", NULL)) {
		if (!h->depth)
			end_paragraph(h);
		start_table(h);
	} else if (h->depth == 1) {
		start_in_table(h, name, attributes);
	} else if (!h->depth && heading_of(name)) {
		end_paragraph(h);
		h->heading = heading_of(name);
	}
}

static void end_in_table(struct html *h, const char *name)
{
	if (is(name, "td", "th"))
		end_cell(h);
	else if (is(name, "tr", NULL))
		end_row(h);
	else if (is(name, "thead", NULL))
		end_row(h), h->in_head = false;
	else if (is(name, "caption", NULL) && h->caption) {
		h->title = grid_text(&h->where.arena, text_of(h));
		h->caption = false;
		fresh(h);
	}
}

static void on_end(void *arg, const xmlChar *element)
{
	const char *name = (const char *)element;
	struct html *h = arg;

	if (is(name, "script", "style"))
		h->quiet -= h->quiet != 0;
	if (is(name, "b", "strong"))
		h->bold -= h->bold != 0;
	if (is(name, "table", NULL) && h->depth) {
		if (--h->depth == 0)
			end_table(h);
	} else if (h->depth == 1) {
		end_in_table(h, name);
	} else if (!h->depth && h->heading && heading_of(name)) {
		grid_enter(&h->where, h->heading - 1, text_of(h));
		h->heading = 0;
		fresh(h);
	} else if (!h->depth && (is(name, "p", "div") || is(name, "li", NULL))) {
		end_paragraph(h);
	}
}

static void on_text(void *arg, const xmlChar *text, int n)
{
	struct html *h = arg;

	if (h->quiet || n <= 0 || h->text.len + (size_t)n > TEXT_BYTES)
		return;
	if (!h->depth || h->cell.line || h->caption)
		buf_add(&h->text, text, (size_t)n);
	if (h->bold)
		h->bold_bytes += (size_t)n;
}

static void on_error(void *arg, const char *format, ...)
{
	(void)arg;
	(void)format;
}

static void on_structured(void *arg, xmlErrorPtr error)
{
	(void)arg;
	(void)error;
}

int grid_html(struct str text, const struct grid_sink *sink, struct err *e)
{
	const struct calls *calls = load(e);
	struct html h = {.sink = sink, .text = BUF_INIT(2 * TEXT_BYTES)};
	htmlSAXHandler handler = {.startElement = on_start,
		.endElement = on_end,
		.characters = on_text,
		.cdataBlock = on_text,
		.ignorableWhitespace = on_text,
		.warning = on_error,
		.error = on_error,
		.fatalError = on_error,
		.serror = on_structured,
		.initialized = 1};

	if (!calls)
		return -1;
	h.ctxt = calls->create(&handler, &h, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
	if (!h.ctxt)
		return err_set(e, BLAME_BUG, "no HTML parser");
	calls->options(h.ctxt, HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
	for (size_t i = 0; i < text.n; i += FEED_BYTES) {
		size_t n = text.n - i < FEED_BYTES ? text.n - i : FEED_BYTES;

		calls->chunk(h.ctxt, text.p + i, (int)n, 0);
	}
	calls->chunk(h.ctxt, "", 0, 1);
	if (h.depth)
		end_table(&h);
	if (h.ctxt->myDoc)
		calls->free_doc(h.ctxt->myDoc);
	h.ctxt->myDoc = NULL;
	calls->free_ctxt(h.ctxt);
	arena_done(&h.table.arena);
	grid_where_done(&h.where);
	buf_done(&h.text);
	return 0;
}
