/* SPDX-License-Identifier: MIT */
/* Tables for terminals. Invariant: every row has as many cells as there are headings. */
#include "cli/listing.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void listing_init(struct listing *t, const char *const *headings)
{
	*t = (struct listing){.headings = headings};
	while (headings[t->columns])
		t->columns++;
}

void listing_done(struct listing *t)
{
	vec_each (&t->cells, c)
		free(*c);
	vec_done(&t->cells);
}

void listing_add(struct listing *t, const char *text)
{
	char *kept = mem_strdup(text && *text ? text : "-");

	for (char *p = kept; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	vec_push(&t->cells, kept);
}

void listing_printf(struct listing *t, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	listing_add(t, text);
}

void listing_age(struct listing *t, int64_t wall_ms)
{
	int64_t s = (clock_wall_ms() - wall_ms) / 1000;

	s = s < 0 ? -s : s;
	if (!wall_ms)
		listing_add(t, NULL);
	else if (s < 100)
		listing_printf(t, "%lld s", (long long)s);
	else if (s < 6000)
		listing_printf(t, "%lld min", (long long)s / 60);
	else if (s < 48 * 3600)
		listing_printf(t, "%lld h", (long long)s / 3600);
	else
		listing_printf(t, "%lld d", (long long)s / 86400);
}

/* Columns that a text takes: one for each character of UTF-8. */
static int width(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void put_row(
	const struct listing *t, const char *const *cells, const int *widths, struct buf *out)
{
	for (size_t i = 0; i < t->columns; i++) {
		int pad = i + 1 < t->columns ? widths[i] - width(cells[i]) + 2 : 0;

		buf_printf(out, "%s%*s", cells[i], pad, "");
	}
	buf_putc(out, '\n');
}

void listing_print(const struct listing *t, struct buf *out)
{
	int widths[LISTING_COLUMNS] = {0};

	for (size_t i = 0; i < t->columns; i++) {
		widths[i] = width(t->headings[i]);
		for (size_t k = i; k < t->cells.n; k += t->columns)
			if (width(t->cells.p[k]) > widths[i])
				widths[i] = width(t->cells.p[k]);
	}
	put_row(t, t->headings, widths, out);
	for (size_t k = 0; k + t->columns <= t->cells.n; k += t->columns)
		put_row(t, (const char *const *)t->cells.p + k, widths, out);
}

static void markdown_row(const struct listing *t, const char *const *cells, struct buf *out)
{
	buf_putc(out, '|');
	for (size_t i = 0; i < t->columns; i++) {
		buf_putc(out, ' ');
		for (const char *p = cells[i]; *p; p++) {
			if (strchr("\\|*_`[]<>&", *p))
				buf_putc(out, '\\');
			buf_putc(out, *p);
		}
		buf_puts(out, " |");
	}
	buf_putc(out, '\n');
}

void listing_markdown(const struct listing *t, struct buf *out)
{
	markdown_row(t, t->headings, out);
	buf_putc(out, '|');
	for (size_t i = 0; i < t->columns; i++)
		buf_puts(out, " --- |");
	buf_putc(out, '\n');
	for (size_t k = 0; k + t->columns <= t->cells.n; k += t->columns)
		markdown_row(t, (const char *const *)t->cells.p + k, out);
}
