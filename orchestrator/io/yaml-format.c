/* SPDX-License-Identifier: MIT */
/*
 * Nodes to YAML, block style. Invariant: what is written reads back as the same tree; a text is
 * written plain only when that is certain, else as a literal block, else in double quotes.
 */
#include "io/yaml.h"

#include "io/yaml-text.h"

#include <string.h>

#define INDENT         2
#define SIMPLE_KEY_MAX 1000 /* bytes of a key before ':': libyaml looks no farther than 1024 */

static int put_node(const struct node *n, int indent, int depth, struct buf *out);

/* Words and numbers that readers of YAML 1.1 take for something other than text. */
static bool reads_as_value(const char *text)
{
	static const char *const words[] = {
		"true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "<<", "="};
	struct str s = str_of(text);
	int64_t i;
	double d;

	for (size_t w = 0; w < ARRAY_LEN(words); w++)
		if (!strcasecmp(text, words[w]))
			return true;
	return !*text || !str_i64(s, &i) || !str_double(s, &d);
}

/* All characters may stand in a line as they are. */
static bool is_printable(struct str s, bool tabs_and_lines)
{
	while (s.n) {
		int32_t c = yaml_text_char(&s);

		if (c < 0 || !yaml_text_allowed(c) || c == '\r' || c == 0x85 || c == 0x2028 ||
			c == 0x2029)
			return false;
		if ((c == '\t' || c == '\n') && !tabs_and_lines)
			return false;
	}
	return true;
}

static bool can_be_plain(const char *text)
{
	size_t n = strlen(text);

	if (!n || text[0] == ' ' || text[n - 1] == ' ' || text[n - 1] == ':')
		return false;
	if (strchr("&*!|>'\"%@`#{}[],", text[0]))
		return false;
	if (strchr("-?:", text[0]) && (!text[1] || text[1] == ' '))
		return false;
	if (!strncmp(text, "---", 3) || !strncmp(text, "...", 3))
		return false;
	return !strstr(text, ": ") && !strstr(text, " #") && is_printable(str_of(text), false);
}

/* Several lines that can stand as they are: the first not indented, at most one break at the
 * end. */
static bool can_be_literal(const char *text)
{
	const char *end = strchr(text, '\n');
	size_t n = strlen(text);

	if (!end || strchr(" \t\n", text[0]) || !is_printable(str_of(text), true))
		return false;
	return n < 2 || text[n - 1] != '\n' || text[n - 2] != '\n';
}

static int put_literal(const char *text, int indent, struct buf *out)
{
	struct str rest = str_of(text), line;
	int rc = buf_puts(out, str_ends(rest, "\n") ? "|\n" : "|-\n");

	while (rest.n) {
		ptrdiff_t end = str_chr(rest, '\n');

		line = str_make(rest.p, end < 0 ? rest.n : (size_t)end);
		rest = end < 0 ? str_make("", 0) : str_make(rest.p + end + 1, rest.n - line.n - 1);
		if (line.n)
			rc |= buf_printf(out, "%*s", indent, "") | buf_add(out, line.p, line.n);
		rc |= buf_putc(out, '\n');
	}
	return rc;
}

static int put_quoted(const char *text, struct buf *out)
{
	struct str s = str_of(text);
	int rc = buf_putc(out, '"');

	while (s.n) {
		const char *from = s.p;
		int32_t c = yaml_text_char(&s);

		if (c < 0)
			return -1;
		if (c == '"' || c == '\\')
			rc |= buf_printf(out, "\\%c", (char)c);
		else if (c == '\n')
			rc |= buf_puts(out, "\\n");
		else if (c == '\t')
			rc |= buf_puts(out, "\\t");
		else if (is_printable(str_make(from, (size_t)(s.p - from)), false))
			rc |= buf_add(out, from, (size_t)(s.p - from));
		else
			rc |= buf_printf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)c);
	}
	return rc | buf_putc(out, '"');
}

static int put_scalar(const struct node *n, int indent, struct buf *out)
{
	int rc;

	if (n->type == NODE_NULL)
		return buf_puts(out, "null\n");
	if (can_be_literal(n->text))
		return put_literal(n->text, indent ? indent : INDENT, out);
	if (can_be_plain(n->text) && !(n->quoted && reads_as_value(n->text)))
		rc = buf_puts(out, n->text);
	else
		rc = put_quoted(n->text, out);
	return rc | buf_putc(out, '\n');
}

static int put_key(const char *key, int indent, struct buf *out)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	int rc;

	if (can_be_plain(key) && strcmp(key, "<<"))
		rc = buf_puts(&text, key);
	else
		rc = put_quoted(key, &text);
	if (rc || text.len > SIMPLE_KEY_MAX)
		return rc | buf_puts(out, "? ") | buf_add(out, text.data, text.len) |
		       buf_printf(out, "\n%*s:", indent, "");
	return buf_add(out, text.data, text.len) | buf_putc(out, ':');
}

static bool is_branch(const struct node *n)
{
	return (n->type == NODE_LIST || n->type == NODE_MAP) && n->n;
}

/* The line stands at column `indent`: the first child goes on in it. */
static int put_branch(const struct node *n, int indent, int depth, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; i < n->n && !rc; i++) {
		const struct node *kid = n->kids[i];

		if (i)
			rc |= buf_printf(out, "%*s", indent, "");
		if (n->type == NODE_LIST) {
			rc |= buf_puts(out, "- ");
		} else {
			rc |= put_key(kid->key, indent, out);
			rc |= is_branch(kid) ? buf_printf(out, "\n%*s", indent + INDENT, "")
					     : buf_putc(out, ' ');
		}
		rc |= put_node(kid, indent + INDENT, depth + 1, out);
	}
	return rc;
}

static int put_node(const struct node *n, int indent, int depth, struct buf *out)
{
	if (depth >= YAML_DEPTH_MAX)
		return -1;
	if (is_branch(n))
		return put_branch(n, indent, depth, out);
	if (n->type == NODE_LIST || n->type == NODE_MAP)
		return buf_puts(out, n->type == NODE_LIST ? "[]\n" : "{}\n");
	return put_scalar(n, indent, out);
}

/* What put_node could not write. */
static const char *reason(const struct node *n, int depth)
{
	const char *why = NULL;

	if (depth >= YAML_DEPTH_MAX)
		return "nested too deep";
	for (struct str s = str_of(n->text); s.n && !why;)
		why = yaml_text_char(&s) < 0 ? "a text is not UTF-8" : NULL;
	for (struct str s = str_of(n->key); s.n && !why;)
		why = yaml_text_char(&s) < 0 ? "a key is not UTF-8" : NULL;
	for (size_t i = 0; i < n->n && !why; i++)
		why = reason(n->kids[i], depth + 1);
	return why;
}

int yaml_format(const struct node *n, struct buf *out, struct err *e)
{
	struct node nothing = {.type = NODE_NULL};
	size_t len = out->len;
	const char *why;

	if (!n)
		n = &nothing;
	if (!put_node(n, 0, 0, out))
		return 0;
	why = out->overflow ? "the buffer is full" : reason(n, 0);
	if (out->data) {
		out->len = len;
		out->data[len] = 0;
	}
	return err_set(e, BLAME_BUG, "write YAML: %s", why ? why : "unknown reason");
}
