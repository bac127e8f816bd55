/* SPDX-License-Identifier: MIT */
/*
 * Comma-separated values. Invariant: each byte is looked at once; a quote that is never closed
 * costs the record that it began in and no more than its line.
 */
#include "csv.h"

void csv_init(struct csv *c, struct str text)
{
	if (str_starts(text, "\xef\xbb\xbf"))
		text = str_make(text.p + 3, text.n - 3);
	*c = (struct csv){.rest = text, .next = 1, .text = BUF_INIT(BUF_CAP_BYTES)};
}

void csv_done(struct csv *c)
{
	buf_done(&c->text);
}

struct ends {
	size_t n, at[CSV_FIELDS]; /* where each field ends in the text */
};

/* A quoted field, its first quote passed: the bytes that it takes, its last quote among them.
 * 0: it is never closed. */
static size_t quoted(struct csv *c, struct str s)
{
	size_t from = c->text.len;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '"') {
			if (i > CSV_FIELD_BYTES)
				break;
			buf_putc(&c->text, s.p[i]);
			continue;
		}
		if (i + 1 == s.n || s.p[i + 1] != '"')
			return i + 1;
		buf_putc(&c->text, s.p[i++]);
	}
	c->text.len = from;
	return 0;
}

static void end_field(struct csv *c, struct ends *ends)
{
	if (ends->n < CSV_FIELDS)
		ends->at[ends->n++] = c->text.len;
	else
		c->damage = "it has too many fields";
}

/* A record of s into the text; the bytes that it takes, its line break among them. */
static size_t record(struct csv *c, struct str s, struct ends *ends)
{
	bool fresh = true; /* nothing but white space of the field so far */
	size_t i = 0;

	/* A second quote after one that is not closed is text: none is looked for twice. */
	for (; i < s.n && s.p[i] != '\n'; i++) {
		if (s.p[i] == '"' && fresh && !c->damage) {
			size_t n = quoted(c, str_make(s.p + i + 1, s.n - i - 1));

			if (n) {
				i += n;
				fresh = false;
				continue;
			}
			c->damage = "a quote is not closed";
		}
		if (s.p[i] == ',') {
			end_field(c, ends);
			fresh = true;
			continue;
		}
		fresh = fresh && (s.p[i] == ' ' || s.p[i] == '\t');
		buf_putc(&c->text, s.p[i]);
	}
	end_field(c, ends);
	return i < s.n ? i + 1 : i;
}

static bool is_empty(const struct csv *c)
{
	return c->n == 1 && !c->fields[0].n;
}

static void take(struct csv *c)
{
	struct ends ends = {0};
	size_t from = 0, n;

	buf_reset(&c->text);
	c->damage = NULL;
	c->line = c->next;
	n = record(c, c->rest, &ends);
	for (size_t i = 0; i < n; i++)
		c->next += c->rest.p[i] == '\n';
	c->rest = str_make(c->rest.p + n, c->rest.n - n);
	c->n = ends.n;
	for (size_t i = 0; i < ends.n; i++) {
		c->fields[i] = str_trim(str_make(buf_str(&c->text) + from, ends.at[i] - from));
		from = ends.at[i];
	}
}

bool csv_next(struct csv *c)
{
	while (c->rest.n) {
		take(c);
		if (!is_empty(c))
			return true;
	}
	return false;
}
