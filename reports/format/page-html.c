/* SPDX-License-Identifier: MIT */
/*
 * A page as one HTML file that needs nothing else: no network, no script; dark or light as the
 * reader's system is, readable on a phone and on paper. Invariant: every text is escaped.
 */
#include "page.h"

#include "formats.h"

#include <ctype.h>
#include <string.h>

/* clang-format off */
static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1c2430;--soft:#5b6675;--line:#d9dee5;"
	"--head:#f3f5f8;--bar:#0b5cad;--good:#0a6b3d;--goodbg:#e3f5ea;--bad:#b3261e;--badbg:#fdeceb;"
	"--zebra:#fafbfc}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#14181e;--fg:#e4e8ee;--soft:#9aa6b5;"
	"--line:#323a45;--head:#1e242d;--bar:#7ab8ff;--good:#6fd69a;--goodbg:#12301f;--bad:#ff9b93;"
	"--badbg:#3a1815;--zebra:#181d24}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--bg);color:var(--fg);"
	"font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;"
	"display:flex;flex-direction:column}\n"
	"main,nav{width:100%;max-width:80rem;margin:0 auto;padding:0 1rem}\n"
	"main{padding-bottom:3rem}nav{order:-1;padding-top:1rem}\n"
	"nav summary{cursor:pointer;color:var(--soft)}nav ol{columns:18rem;margin:.5rem 0}\n"
	"a{color:var(--bar)}a:focus-visible,summary:focus-visible,.wide:focus-visible"
	"{outline:2px solid var(--bar);outline-offset:2px}\n"
	"h1{font-size:1.9rem;line-height:1.2;margin:1.2rem 0 .6rem}"
	"h2{font-size:1.35rem;margin:2.4rem 0 .6rem;padding-bottom:.25rem;"
	"border-bottom:2px solid var(--line)}"
	"h3{font-size:1.1rem;margin:1.6rem 0 .4rem}\n"
	"p{margin:.5rem 0;max-width:46rem}ul{margin:.5rem 0;padding-left:1.2rem;color:var(--soft)}\n"
	".alert{border-left:4px solid var(--bar);background:var(--head);padding:.6rem .9rem;"
	"margin:1rem 0;max-width:none;font-weight:600}\n"
	".alert.bad{border-color:var(--bad);background:var(--badbg);color:var(--bad)}\n"
	".alert.good{border-color:var(--good);background:var(--goodbg);color:var(--good)}\n"
	".wide{overflow-x:auto;margin:.8rem 0 1.4rem}\n"
	"table{border-collapse:collapse;font-size:.92rem;width:max-content}\n"
	"caption{text-align:left;font-weight:600;padding:.2rem 0 .4rem}\n"
	"th,td{max-width:26rem;overflow-wrap:break-word;border:1px solid var(--line);padding:.32rem .6rem;text-align:left;vertical-align:top}\n"
	"thead th{background:var(--head)}tbody tr:nth-child(even){background:var(--zebra)}\n"
	"tbody th{font-weight:400}thead th[colspan]{text-align:center}\n"
	"td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
	"td.good{background:var(--goodbg)}td.bad{background:var(--badbg)}"
	"td.good small{color:var(--good)}td.bad small{color:var(--bad)}"
	"td.faint,th.faint{color:var(--soft)}\n"
	"small{display:block;color:var(--soft);font-size:.82rem}\n"
	".banner{display:none}\n"
	"@media(max-width:40rem){body{font-size:15px}h1{font-size:1.5rem}}\n"
	"@media print{:root{--bg:#fff;--fg:#000;--head:#eee;--zebra:#fff;--line:#999}nav{display:none}"
	"body{display:block}.wide{overflow:visible}tr,caption{break-inside:avoid}"
	"h2,h3,caption{break-after:avoid}"
	".banner{display:block;position:fixed;bottom:0;left:0;right:0;text-align:center;"
	"font-size:.75rem;background:#fff}}\n";
/* clang-format on */

static const char *const mark_names[] = {"", "good", "bad", "faint"};

static void html(struct page *p, const char *text)
{
	format_xml(text ? text : "", p->out);
}

static void html_begin(struct page *p, const char *title)
{
	buf_puts(p->out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width, "
			 "initial-scale=1\">\n<title>");
	html(p, title);
	buf_printf(p->out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
	html(p, title);
	buf_puts(p->out, "</h1>\n");
}

/* The contents are known only now; the style puts them above. */
static void html_end(struct page *p)
{
	if (p->banner) {
		buf_puts(p->out, "<div class=\"banner\">");
		html(p, p->banner);
		buf_puts(p->out, "</div>\n");
	}
	buf_puts(p->out, "</main>\n");
	if (p->n_titles > 1) {
		buf_puts(p->out, "<nav aria-label=\"contents\">\n<details>\n"
				 "<summary>Contents</summary>\n<ol>\n");
		for (size_t i = 0; i < p->n_titles; i++) {
			buf_printf(p->out, "<li><a href=\"#s%zu\">", i + 1);
			html(p, p->titles[i]);
			buf_puts(p->out, "</a></li>\n");
		}
		buf_puts(p->out, "</ol>\n</details>\n</nav>\n");
	}
	buf_puts(p->out, "</body>\n</html>\n");
}

static void html_heading(struct page *p, int level, const char *text)
{
	buf_printf(p->out, "<h%d", level);
	if (level == 2 && p->n_titles < PAGE_TITLES_MAX) {
		p->titles[p->n_titles++] = arena_strdup(&p->arena, text);
		buf_printf(p->out, " id=\"s%zu\"", p->n_titles);
	}
	buf_putc(p->out, '>');
	html(p, text);
	buf_printf(p->out, "</h%d>\n", level);
}

static void html_text(struct page *p, const char *text)
{
	buf_puts(p->out, "<p>");
	html(p, text);
	buf_puts(p->out, "</p>\n");
}

static void html_alert(struct page *p, enum page_mark mark, const char *text)
{
	buf_printf(p->out, "<p class=\"alert %s\" role=\"note\">", mark_names[mark]);
	html(p, text);
	buf_puts(p->out, "</p>\n");
}

static void html_items(struct page *p, const char *const *items, size_t n)
{
	buf_puts(p->out, "<ul>\n");
	for (size_t i = 0; i < n; i++) {
		buf_puts(p->out, "<li>");
		html(p, items[i]);
		buf_puts(p->out, "</li>\n");
	}
	buf_puts(p->out, "</ul>\n");
}

static bool is_number(const char *text)
{
	if (text && (*text == '-' || *text == '+'))
		text++;
	return text && isdigit((unsigned char)*text);
}

static void html_cell(struct page *p, const struct page_cell *c, bool first, bool aligned)
{
	const char *tag = first ? "th" : "td";

	buf_printf(p->out, "<%s%s class=\"%s%s%s\">", tag, first ? " scope=\"row\"" : "",
		mark_names[c->mark], c->mark ? " " : "",
		aligned && !first && is_number(c->text) ? "n" : "");
	html(p, c->text);
	if (c->note) {
		buf_puts(p->out, "<small>");
		html(p, c->note);
		buf_puts(p->out, "</small>");
	}
	buf_printf(p->out, "</%s>", tag);
}

/* How many characters of a column's caption name its group; 0: it has none. */
static size_t group_of(const char *column)
{
	const char *at = strstr(column, PAGE_GROUP);

	return at ? (size_t)(at - column) : 0;
}

/* Columns from i on that share its group. */
static size_t group_size(const struct page_table *t, size_t i)
{
	size_t n = group_of(t->columns[i]), k = i + 1;

	while (n && k < t->n_columns && group_of(t->columns[k]) == n &&
		!memcmp(t->columns[i], t->columns[k], n))
		k++;
	return k - i;
}

static void html_heading_cell(struct page *p, const char *text, size_t across, int down)
{
	buf_printf(p->out, "<th scope=\"%s\"", across > 1 ? "colgroup" : "col");
	if (across > 1)
		buf_printf(p->out, " colspan=\"%zu\"", across);
	if (down > 1)
		buf_printf(p->out, " rowspan=\"%d\"", down);
	buf_putc(p->out, '>');
	html(p, text);
	buf_puts(p->out, "</th>");
}

static void html_head(struct page *p, const struct page_table *t)
{
	bool grouped = false;

	for (size_t i = 0; i < t->n_columns; i++)
		grouped |= group_of(t->columns[i]) > 0;
	buf_puts(p->out, "<thead><tr>");
	for (size_t i = 0, n; i < t->n_columns; i += n) {
		size_t of = group_of(t->columns[i]);

		n = group_size(t, i);
		html_heading_cell(p,
			of ? arena_strndup(&p->arena, t->columns[i], of) : t->columns[i], n,
			grouped && !of ? 2 : 1);
	}
	if (grouped)
		buf_puts(p->out, "</tr>\n<tr>");
	for (size_t i = 0; i < t->n_columns; i++)
		if (group_of(t->columns[i]))
			html_heading_cell(p,
				t->columns[i] + group_of(t->columns[i]) + strlen(PAGE_GROUP), 1, 1);
	buf_puts(p->out, "</tr></thead>\n");
}

static void html_table(struct page *p, const struct page_table *t)
{
	bool headed = false;

	for (size_t i = 0; i < t->n_columns; i++)
		headed |= *t->columns[i] != 0;
	buf_puts(p->out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
	html(p, t->caption ? t->caption : "table");
	buf_puts(p->out, "\">\n<table>\n");
	if (t->caption) {
		buf_puts(p->out, "<caption>");
		html(p, t->caption);
		buf_puts(p->out, "</caption>\n");
	}
	if (headed)
		html_head(p, t);
	buf_puts(p->out, "<tbody>\n");
	for (size_t i = 0; i < t->n_rows; i++) {
		buf_puts(p->out, "<tr>");
		for (size_t k = 0; k < t->n_columns; k++)
			html_cell(p, &t->cells[i * t->n_columns + k], !k, headed);
		buf_puts(p->out, "</tr>\n");
	}
	buf_puts(p->out, "</tbody>\n</table>\n</div>\n");
}

const struct page_format page_html = {"html", "text/html", "html", html_begin, html_end,
	html_heading, html_text, html_alert, html_items, html_table};
