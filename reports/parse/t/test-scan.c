/* SPDX-License-Identifier: MIT */
/*
 * All parsers together against each alone. Invariant held: over every golden case, and over long
 * logs in which the cases stand among boots and kernel lines, what scan_parse() finds is what the
 * parser's own parse() finds in the whole text, offsets included; only warnings of lines far from
 * a parser's marks may be missing. HILAB_SEED gives other logs.
 */
#include "base/t/tap.h"
#include "io/console-text.h"
#include "mixed.h"
#include "reports/parse/lines.h"
#include "reports/parse/scan.h"
#include "told.h"

#define LOGS      4
#define LOG_BYTES ((size_t)2 << 20)
#define SEED      1

/* What was told, without warnings, then how it ended if the tool's own failure ended it. */
struct tale {
	struct buf text;
	struct told told;
	struct sink sink;
	struct err e;
};

static void tale_init(struct tale *t, const struct parser *p, bool warnings)
{
	/* Told at the end of the text, which has another end: no place is compared. */
	static const char *const at_end[] = {
		"frames", "ktap", "lava", "lwip", "netperf", "tap", NULL};

	*t = (struct tale){.text = BUF_INIT(BUF_CAP_BYTES)};
	t->told = (struct told){.out = &t->text, .bytes = true};
	t->sink = told_sink(&t->told);
	if (warnings)
		return;
	t->sink.warn = NULL;
	for (const char *const *n = at_end; *n; n++)
		if (!strcmp(*n, p->d.name))
			t->sink.at = NULL;
}

static void tale_end(struct tale *t)
{
	/* "no figure in its output, it says: LINE" tells the first line, wherever it stands. */
	if (err_is(&t->e) && !strstr(t->e.msg, " in its output") &&
		!strstr(t->e.msg, ": no output"))
		buf_printf(&t->text, "error %s: %s\n", err_blame_name(t->e.blame), t->e.msg);
}

static bool has_line(const struct buf *text, struct str line)
{
	struct str rest = str_make(text->data, text->len), other;

	while (str_line(&rest, &other))
		if (str_eq(line, other))
			return true;
	return false;
}

/* The first figure or result of small that large does not tell; n 0: none. */
static struct str missing(const struct tale *small, const struct tale *large)
{
	struct str rest = str_make(small->text.data, small->text.len), line;

	while (str_line(&rest, &line))
		if ((str_starts(line, "metric ") || str_starts(line, "result ")) &&
			!has_line(&large->text, line))
			return line;
	return str_make("", 0);
}

enum want { ALL, BUT_WARNINGS, NO_LESS };

static bool check(const struct scan *s, size_t i, enum want want, const char *name)
{
	const struct parser *p = s->parsers[i].parser;
	struct tale alone, together;
	bool good;

	tale_init(&alone, p, want == ALL && s->parsers[i].parts.n);
	tale_init(&together, p, want == ALL);
	p->parse(s->text, &alone.sink, &alone.e);
	scan_parse(s, i, &together.sink, &together.e);
	if (s->parsers[i].parts.n)
		tale_end(&alone);
	tale_end(&together);
	if (want == NO_LESS) {
		struct str line = missing(&alone, &together);

		good = !line.n || ok(false, "%s: %s: %.*s", name, p->d.name, STR_ARG(line));
	} else {
		good = !strcmp(buf_str(&alone.text), buf_str(&together.text));
		if (!good)
			is_str(buf_str(&together.text), buf_str(&alone.text), "%s: %s", name,
				p->d.name);
	}
	buf_done(&alone.text);
	buf_done(&together.text);
	return good;
}

/* Returns how many parts all parsers have. */
static size_t compare(struct str text, enum want want, const char *name)
{
	struct scan s;
	size_t good = 0, parts = 0;

	scan_init(&s, text, parse_drivers());
	for (size_t i = 0; i < s.n; i++) {
		good += check(&s, i, want, name);
		parts += s.parsers[i].parts.n;
	}
	is_int(good, s.n, "%s: each parser finds %s", name,
		want == NO_LESS ? "no less than alone" : "what it finds alone");
	scan_done(&s);
	return parts;
}

/* A tool that was cut off or torn makes its parser lose more in the whole text. */
static bool is_damaged(const struct mixed_case *c)
{
	struct str rest = str_make(c->text.data, c->text.len), line;

	while (str_line(&rest, &line))
		if (console_kernel_find(line) > 0 || lines_noise(line))
			return true;
	return strstr(c->name, "cut") || strstr(c->name, "damaged") ||
	       strstr(c->name, "diagnostics");
}

static void long_log(struct mixed *m, bool damaged, unsigned nth)
{
	AUTOBUF log = BUF_INIT(2 * LOG_BYTES);
	AUTOFREE char *name = mem_printf("log %u%s", nth, damaged ? " with damaged output" : "");
	size_t parts;

	mixed_boot(m, &log);
	while (log.len < LOG_BYTES) {
		const struct mixed_case *c = &m->cases.p[mixed_below(m, m->cases.n)];

		if (!damaged && is_damaged(c))
			continue;
		mixed_add(m, &log, c);
		mixed_chatter(m, &log, (size_t)256 << mixed_below(m, 9));
		if (!mixed_below(m, 20))
			mixed_boot(m, &log);
	}
	parts = compare(str_make(buf_str(&log), log.len), damaged ? NO_LESS : BUT_WARNINGS, name);
	ok(parts > 100, "%s: in %zu parts", name, parts);
}

int main(void)
{
	const char *again = getenv("HILAB_SEED");
	struct mixed m;

	ok(mixed_load(&m, again ? strtoull(again, NULL, 0) : SEED) > 100, "the cases are there");
	printf("# HILAB_SEED=%llu\n", (unsigned long long)m.seed);
	vec_each (&m.cases, c)
		compare(str_make(buf_str(&c->text), c->text.len), ALL, c->name);
	for (unsigned i = 0; i < 2 * LOGS; i++)
		long_log(&m, i % 2, i);
	mixed_done(&m);
	return tap_done();
}
