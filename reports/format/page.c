/* SPDX-License-Identifier: MIT */
/* A page as Markdown, RST or text of a terminal. Invariant: no text can end its cell or its line.
 */
#include "page.h"

#include "formats.h"
#include "table.h"

#include <string.h>

void page_begin(struct page *p, const struct page_format *f, struct buf *out, const char *title)
{
	p->f = f;
	p->out = out;
	p->titles = arena_alloc(&p->arena, PAGE_TITLES_MAX * sizeof *p->titles);
	f->begin(p, title);
}

void page_end(struct page *p)
{
	p->f->end(p);
	arena_done(&p->arena);
}

const char *page_column(struct arena *a, const char *column)
{
	const char *at = strstr(column, PAGE_GROUP);

	return at ? arena_printf(a, "%.*s: %s", (int)(at - column), column, at + strlen(PAGE_GROUP))
		  : column;
}

static void nothing(struct page *p)
{
	(void)p;
}

/* A cell as one text: "12.3 (was 12.0, +2.5 %)". */
static const char *whole(struct page *p, const struct page_cell *c)
{
	const char *text = c->text ? c->text : "";

	if (!c->note)
		return text;
	return arena_printf(&p->arena, "%s%s(%s)", text, *text ? " " : "", c->note);
}

/* ---- Markdown ---- */

static void markdown_heading(struct page *p, int level, const char *text)
{
	buf_putc(p->out, '\n');
	for (int i = 0; i < level; i++)
		buf_putc(p->out, '#');
	buf_putc(p->out, ' ');
	format_markdown(text, p->out);
	buf_putc(p->out, '\n');
}

static void markdown_begin(struct page *p, const char *title)
{
	buf_puts(p->out, "# ");
	format_markdown(title, p->out);
	buf_putc(p->out, '\n');
}

static void markdown_text(struct page *p, const char *text)
{
	buf_putc(p->out, '\n');
	format_markdown(text, p->out);
	buf_putc(p->out, '\n');
}

static void markdown_alert(struct page *p, enum page_mark mark, const char *text)
{
	(void)mark;
	buf_puts(p->out, "\n> **");
	format_markdown(text, p->out);
	buf_puts(p->out, "**\n");
}

static void markdown_items(struct page *p, const char *const *items, size_t n)
{
	buf_putc(p->out, '\n');
	for (size_t i = 0; i < n; i++) {
		buf_puts(p->out, "- ");
		format_markdown(items[i], p->out);
		buf_putc(p->out, '\n');
	}
}

static void markdown_table(struct page *p, const struct page_table *t)
{
	if (t->caption) {
		buf_puts(p->out, "\n**");
		format_markdown(t->caption, p->out);
		buf_puts(p->out, "**\n");
	}
	buf_puts(p->out, "\n|");
	for (size_t i = 0; i < t->n_columns; i++) {
		buf_putc(p->out, ' ');
		format_markdown(page_column(&p->arena, t->columns[i]), p->out);
		buf_puts(p->out, " |");
	}
	buf_puts(p->out, "\n|");
	for (size_t i = 0; i < t->n_columns; i++)
		buf_puts(p->out, "---|");
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
		const struct page_cell *c = &t->cells[i];
		const char *text = whole(p, c);
		bool bold = (c->mark == PAGE_GOOD || c->mark == PAGE_BAD) && *text;

		buf_puts(p->out, i % t->n_columns ? " " : "\n| ");
		buf_puts(p->out, bold ? "**" : "");
		format_markdown(text, p->out);
		buf_puts(p->out, bold ? "** |" : " |");
	}
	buf_putc(p->out, '\n');
}

const struct page_format page_markdown = {"markdown", "text/markdown", "md", markdown_begin,
	nothing, markdown_heading, markdown_text, markdown_alert, markdown_items, markdown_table};

/* ---- RST ---- */

/* Nothing in it is markup; csv: inside a quoted cell. */
static void rst(struct page *p, const char *text, bool csv)
{
	const char *safe = format_safe(&p->arena, text ? text : "");

	for (const char *c = safe; *c; c++) {
		bool last = !c[1] || !strchr("abcdefghijklmnopqrstuvwxyz"
					     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
					     c[1]);

		if (strchr("\\*`|", *c) || (*c == '_' && last))
			buf_putc(p->out, '\\');
		if (csv && *c == '"')
			buf_putc(p->out, '"');
		buf_putc(p->out, *c);
	}
}

static void rst_line(struct page *p, const char *text, char under, bool over)
{
	size_t n = 2 * strlen(text) + 1; /* escapes count, and more does no harm */
	char *line = arena_alloc(&p->arena, n + 1);

	memset(line, under, n);
	buf_printf(p->out, "\n%s%s", over ? line : "", over ? "\n" : "");
	rst(p, text, false);
	buf_printf(p->out, "\n%s\n", line);
}

static void rst_begin(struct page *p, const char *title)
{
	rst_line(p, title, '=', true);
	buf_puts(p->out, "\n.. contents::\n   :depth: 1\n   :local:\n");
}

static void rst_heading(struct page *p, int level, const char *text)
{
	rst_line(p, text, level <= 2 ? '=' : level == 3 ? '-' : '^', false);
}

static void rst_text(struct page *p, const char *text)
{
	buf_putc(p->out, '\n');
	rst(p, text, false);
	buf_putc(p->out, '\n');
}

static void rst_alert(struct page *p, enum page_mark mark, const char *text)
{
	buf_printf(p->out, "\n.. %s::\n\n   ", mark == PAGE_BAD ? "warning" : "note");
	rst(p, text, false);
	buf_putc(p->out, '\n');
}

static void rst_items(struct page *p, const char *const *items, size_t n)
{
	buf_putc(p->out, '\n');
	for (size_t i = 0; i < n; i++) {
		buf_puts(p->out, "- ");
		rst(p, items[i], false);
		buf_putc(p->out, '\n');
	}
}

static void rst_cell(struct page *p, size_t i, const char *text)
{
	buf_puts(p->out, i ? ",\"" : "\"");
	rst(p, text, true);
	buf_putc(p->out, '"');
}

static void rst_table(struct page *p, const struct page_table *t)
{
	buf_puts(p->out, "\n.. csv-table::");
	if (t->caption) {
		buf_putc(p->out, ' ');
		rst(p, t->caption, false);
	}
	buf_puts(p->out, "\n   :header: ");
	for (size_t i = 0; i < t->n_columns; i++)
		rst_cell(p, i, page_column(&p->arena, t->columns[i]));
	buf_puts(p->out, "\n\n");
	for (size_t i = 0; i < t->n_rows; i++) {
		buf_puts(p->out, "   ");
		for (size_t k = 0; k < t->n_columns; k++)
			rst_cell(p, k, whole(p, &t->cells[i * t->n_columns + k]));
		buf_putc(p->out, '\n');
	}
}

const struct page_format page_rst = {"rst", "text/x-rst", "rst", rst_begin, nothing, rst_heading,
	rst_text, rst_alert, rst_items, rst_table};

/* ---- text of a terminal ---- */

static void text_put(struct page *p, const char *style, const char *text)
{
	buf_printf(p->out, "%s%s%s\n", p->colour ? style : "", format_safe(&p->arena, text),
		p->colour && *style ? "\033[0m" : "");
}

static void text_begin(struct page *p, const char *title)
{
	text_put(p, "\033[1m", title);
}

static void text_heading(struct page *p, int level, const char *text)
{
	(void)level;
	buf_putc(p->out, '\n');
	text_put(p, "\033[1m", text);
}

static void text_text(struct page *p, const char *text)
{
	text_put(p, "", text);
}

static void text_alert(struct page *p, enum page_mark mark, const char *text)
{
	text_put(p, mark == PAGE_BAD ? "\033[31m" : mark == PAGE_GOOD ? "\033[32m" : "", text);
}

static void text_items(struct page *p, const char *const *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(p->out, "  %s\n", format_safe(&p->arena, items[i]));
}

static void text_table(struct page *p, const struct page_table *t)
{
	struct table rows = {
		.columns = t->n_columns < TABLE_COLUMNS ? t->n_columns : TABLE_COLUMNS};
	const char *cells[TABLE_COLUMNS];

	if (t->caption)
		text_put(p, "\033[1m", t->caption);
	for (size_t i = 0; i < rows.columns; i++)
		cells[i] = page_column(&p->arena, t->columns[i]);
	table_row(&rows, cells);
	for (size_t i = 0; i < t->n_rows; i++) {
		for (size_t k = 0; k < rows.columns; k++)
			cells[k] =
				format_safe(&p->arena, whole(p, &t->cells[i * t->n_columns + k]));
		table_row(&rows, cells);
	}
	table_write(&rows, "  ", p->width, p->out);
	table_done(&rows);
}

const struct page_format page_text = {"text", "text/plain", "txt", text_begin, nothing,
	text_heading, text_text, text_alert, text_items, text_table};
