/* SPDX-License-Identifier: MIT */
/*
 * TAP and KTAP into a tree of tests: levels by indentation, each closed by the test that it
 * belongs to. Invariant: a test is never charged to another parent than its own; where that is
 * not known its level is kept as lost.
 */
#include "tap-read.h"

struct tap_reader {
	struct shown s;
	bool ktap;
	const struct sink *sink;
	struct tap_group *open[TAP_DEPTH]; /* the levels that a line may belong to */
	size_t n;
	const char *subtest; /* told for the level below */
	int yaml;            /* indentation of a YAML block; -1: in none */
	size_t tests;        /* of all that was told */
};

static struct tap_group *top(struct tap_reader *r)
{
	return r->open[r->n - 1];
}

static void open_group(struct tap_reader *r, int indent, size_t at, const char *name)
{
	struct tap_group *g = arena_alloc(&r->s.arena, sizeof *g);

	*g = (struct tap_group){.indent = indent, .plan = -1, .name = name, .at = at};
	r->open[r->n++] = g;
}

static bool is_empty(const struct tap_group *g)
{
	return !g->points.n && g->plan < 0 && !g->lost && !g->kids;
}

static void lose(struct tap_group *g)
{
	if (!g->kids)
		return;
	if (g->lost)
		g->lost_last->chain = g->kids;
	else
		g->lost = g->kids;
	g->lost_last = g->kids;
	g->kids = NULL;
}

static void close_group(struct tap_reader *r)
{
	struct tap_group *g = top(r), *above = r->open[r->n - 2];

	lose(g);
	r->n--;
	lose(above);
	if (is_empty(g))
		vec_done(&g->points);
	else
		above->kids = g;
}

/* Tells what was read and begins anew. */
static void end_document(struct tap_reader *r, size_t at)
{
	while (r->n > 1)
		close_group(r);
	lose(top(r));
	if (is_empty(top(r)))
		vec_done(&top(r)->points);
	else
		tap_tell(top(r), &r->s, "", r->ktap, r->sink);
	r->n = 0;
	open_group(r, 0, at, NULL);
	r->subtest = NULL;
}

/* The indentation, cut off *line. A selftest's own output stands behind "# ". */
static int indentation(const struct tap_reader *r, struct str *line)
{
	int indent = 0;

	for (;;) {
		struct str inner;
		enum tap_kind kind;

		while (line->n && (*line->p == ' ' || (*line->p == '\t' && r->ktap))) {
			indent += *line->p == '\t' ? 8 : 1;
			*line = str_make(line->p + 1, line->n - 1);
		}
		if (!r->ktap || !str_starts(*line, "# "))
			return indent;
		inner = str_make(line->p + 2, line->n - 2);
		while (str_starts(inner, "# ") || (inner.n && *inner.p == ' '))
			inner = str_make(inner.p + 1, inner.n - 1);
		kind = tap_kind(inner);
		if (kind != TAP_VERSION && !((kind == TAP_PLAN || kind == TAP_POINT) &&
						   r->open[r->n - 1]->indent > indent))
			return indent;
		indent += 2;
		*line = str_make(line->p + 2, line->n - 2);
	}
}

/* Makes the level with that indentation the top. false: no line may stand there. */
static bool reach(struct tap_reader *r, int indent, enum tap_kind kind, bool first, size_t at)
{
	while (r->n > 1 && top(r)->indent > indent)
		close_group(r);
	if (top(r)->indent == indent)
		return true;
	if (r->n == TAP_DEPTH || (kind == TAP_POINT && !first))
		return false;
	if (!r->ktap && indent != top(r)->indent + 4)
		return false;
	lose(top(r));
	open_group(r, indent, at, r->subtest);
	r->subtest = NULL;
	return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void begin_again(struct tap_reader *r, size_t at)
{
	int indent = top(r)->indent;

	close_group(r);
	lose(top(r));
	open_group(r, indent, at, NULL);
}

static void on_version(struct tap_reader *r, size_t at)
{
	if (r->n > 1 && !is_empty(top(r)))
		begin_again(r, at);
	if (r->n == 1 && !is_empty(top(r)))
		end_document(r, at);
}

static void on_plan(struct tap_reader *r, struct str line)
{
	struct tap_group *g = top(r);
	struct str number = str_make(line.p + 3, line.n - 3), why = {"", 0};
	ptrdiff_t hash = str_chr(number, '#');
	int64_t n = -1;

	if (hash >= 0) {
		why = str_trim(str_make(number.p + hash + 1, number.n - (size_t)hash - 1));
		number = str_make(number.p, (size_t)hash);
	}
	if (str_i64(str_trim(number), &n))
		return;
	if (g->plan >= 0 && g->plan != n)
		g->plans_differ = true;
	g->plan = n;
	if (str_starts(why, "SKIP "))
		why = str_trim(str_make(why.p + 5, why.n - 5));
	if (!n)
		g->skip_all = why.n ? shown_name(&r->s, why) : "no tests";
}

/* What may have lost its end, its beginning, or a part between. */
static void judge_line(const struct tap_reader *r, const struct shown_line *l,
	const struct tap_group *g, struct tap_point *p)
{
	struct str before = {"", 0};

	if (l > r->s.lines.p)
		before = l[-1].text;
	if (!l->ended)
		p->damage = "its line has no end";
	else if (l->torn && p->number != g->last + 1)
		p->damage = "a kernel message tore its line";
	else if (!str_trim(before).n && before.n)
		p->damage = "its indentation is damaged";
	before = str_trim(before);
	if (str_is(before, "n") || str_is(before, "no") || str_is(before, "not"))
		p->damage = "its line is broken in two";
}

static void on_point(struct tap_reader *r, const struct shown_line *l, struct str line)
{
	struct tap_group *g = top(r), *kids = g->kids;
	bool is_last = l + 1 == r->s.lines.p + r->s.lines.n;
	struct tap_point p =
		tap_point(&r->s, line, is_last ? (struct str){"", 0} : l[1].text, r->ktap);

	p.at = l->at;
	judge_line(r, l, g, &p);
	if (kids && kids->name && strcmp(kids->name, p.name)) {
		sink_at(r->sink, l->at);
		sink_warn(r->sink, "the tests of '%s' are not followed by its own", kids->name);
		lose(g);
		kids = NULL;
	}
	if (!l->ended) { /* nor is its name whole */
		lose(g);
		kids = NULL;
	}
	p.children = kids;
	g->kids = NULL;
	if (p.number && p.number <= g->last)
		g->restarted = true;
	g->last = p.number ? p.number : g->last + 1;
	vec_push(&g->points, p);
	r->tests++;
}

static void on_subtest(struct tap_reader *r, struct str line, int indent, size_t at)
{
	const char *name = shown_name(&r->s, str_make(line.p + 10, line.n - 10));

	while (r->n > 1 && top(r)->indent > indent)
		close_group(r);
	if (indent > top(r)->indent) {
		r->subtest = name;
		reach(r, indent, TAP_SUBTEST, true, at);
	} else if (r->n > 1 && (r->ktap || (!top(r)->points.n && !top(r)->name))) {
		if (top(r)->points.n || top(r)->name)
			begin_again(r, at);
		top(r)->name = name;
	} else {
		r->subtest = name;
	}
}

static void on_bail(struct tap_reader *r, struct str line, size_t at)
{
	const char *why = shown_name(&r->s, str_make(line.p + 9, line.n - 9));

	r->open[0]->bailed = true;
	sink_at(r->sink, at);
	sink_result(r->sink, "bail out", STATUS_ERROR, *why ? why : NULL);
}

/* A YAML scalar of one line without its quotes: \\ and \" in double ones, '' in single ones. */
static const char *yaml_text(struct tap_reader *r, struct str text)
{
	AUTOBUF plain = BUF_INIT(BUF_CAP_BYTES);
	char quote = text.n > 1 && (*text.p == '"' || *text.p == '\'') ? *text.p : 0;

	if (!quote || text.p[text.n - 1] != quote)
		return shown_name(&r->s, text);
	for (size_t i = 1; i + 1 < text.n; i++) {
		bool doubled = quote == '\'' && text.p[i] == quote && i + 2 < text.n &&
			       text.p[i + 1] == quote;
		bool escaped = quote == '"' && text.p[i] == '\\' && i + 2 < text.n &&
			       (text.p[i + 1] == '"' || text.p[i + 1] == '\\');

		i += doubled || escaped;
		buf_putc(&plain, text.p[i]);
	}
	return shown_name(&r->s, str_make(buf_str(&plain), plain.len));
}

/* Inside a YAML block, which ends with "..." or with a line that stands further left. */
static bool in_block(struct tap_reader *r, struct str line, int indent)
{
	static const char key[] = "message:";
	struct tap_group *g = top(r);

	if (r->yaml < 0)
		return false;
	if (line.n && indent < r->yaml) {
		r->yaml = -1;
		return false;
	}
	if (indent == r->yaml && str_is(str_trim(line), "..."))
		r->yaml = -1;
	if (indent == r->yaml && str_starts(line, key) && g->points.n) {
		struct tap_point *p = &g->points.p[g->points.n - 1];
		struct str text = str_trim(str_make(line.p + 8, line.n - 8));

		if (text.n && *text.p != '|' && *text.p != '>' && !p->why)
			p->why = yaml_text(r, text);
	}
	return true;
}

static void on_line(struct tap_reader *r, const struct shown_line *l)
{
	struct str line = l->text, rest, word = {"", 0};
	int indent = indentation(r, &line);
	enum tap_kind kind;
	int64_t number = 0;

	if (l->stray || in_block(r, line, indent))
		return;
	kind = tap_kind(line);
	if (!r->ktap && top(r)->points.n && indent == top(r)->indent + 2 &&
		str_is(str_trim(line), "---")) {
		r->yaml = indent;
		return;
	}
	if (kind == TAP_OTHER || kind == TAP_COMMENT || (kind != TAP_POINT && !l->ended))
		return;
	if (kind == TAP_SUBTEST) {
		on_subtest(r, line, indent, l->at);
		return;
	}
	if (kind == TAP_BAIL) {
		on_bail(r, line, l->at);
		return;
	}
	rest = line;
	for (int i = 0; i < 3 && str_word(&rest, &word); i++)
		if (word.n && word.n <= TAP_NUMBER && !str_i64(word, &number))
			break;
	if (kind == TAP_POINT && r->ktap && number < 1)
		return; /* KTAP always tells the number */
	if (!reach(r, indent, kind, number == 1 && !r->ktap, l->at)) {
		char shown[80];

		sink_at(r->sink, l->at);
		sink_warn(r->sink, "a test that no level is open for: '%s'",
			str_printable(line, shown, sizeof shown));
	} else if (kind == TAP_VERSION) {
		on_version(r, l->at);
	} else if (kind == TAP_PLAN) {
		on_plan(r, line);
	} else {
		on_point(r, l, line);
	}
}

static bool is_ours(struct str line)
{
	enum tap_kind kind = tap_kind(str_trim(line));

	return kind == TAP_VERSION || kind == TAP_PLAN || kind == TAP_POINT || kind == TAP_SUBTEST;
}

int tap_read(struct str text, bool ktap, const struct sink *sink)
{
	struct tap_reader r = {.ktap = ktap, .sink = sink, .yaml = -1};

	shown_read(&r.s, text, is_ours);
	open_group(&r, 0, 0, NULL);
	vec_each (&r.s.lines, l)
		on_line(&r, l);
	end_document(&r, text.n);
	if (r.s.more)
		sink_warn(sink, "only the first %zu lines were read", SHOWN_LINES);
	shown_done(&r.s);
	return 0;
}

const char *const tap_marks[] = {"TAP version ", "1..0", "1..1", "1..2", "1..3", "1..4", "1..5",
	"1..6", "1..7", "1..8", "1..9", "ok 0", "ok 1", "ok 2", "ok 3", "ok 4", "ok 5", "ok 6",
	"ok 7", "ok 8", "ok 9", "not ok", "ok - ", "ok # ", "\nok", "    ok", "] ok ", "Bail out!",
	"# Subtest:", NULL};

/* Past what printk puts in front: "[    1.204511][    T1] ". */
static struct str past_heads(struct str line, bool *stamped)
{
	ptrdiff_t end;

	line = str_trim(line);
	while (line.n && *line.p == '[' && (end = str_chr(line, ']')) > 0) {
		line = str_trim(str_make(line.p + end + 1, line.n - (size_t)end - 1));
		*stamped = true;
	}
	return line;
}

/* Kernel selftests and the KUnit of before 5.18 begin as TAP does: what tells them is the names of
 * the former, and the printk heads of the latter. */
int tap_detect(struct str text, bool ktap)
{
	bool version = false, subtest = false, plan = false, point = false, kernel = false;
	struct str line;

	for (int i = 0; i < 1000 && str_line(&text, &line); i++) {
		bool stamped = false;
		enum tap_kind kind = tap_kind(line = past_heads(line, &stamped));

		if (version && kind == TAP_VERSION)
			break; /* another's document */
		version = version || kind == TAP_VERSION;
		subtest = subtest || kind == TAP_SUBTEST;
		plan = plan || kind == TAP_PLAN;
		point = point || kind == TAP_POINT;
		if (kind == TAP_VERSION)
			kernel = kernel || stamped || *line.p == 'K';
		else if (kind == TAP_POINT || kind == TAP_COMMENT)
			kernel = kernel || str_find(line, STR_LIT(" selftests: ")) >= 0;
	}
	if (version)
		return kernel == ktap ? 95 : 60;
	if (subtest && ktap)
		return 70;
	return plan && point ? 60 - 10 * (kernel != ktap) : 0;
}
