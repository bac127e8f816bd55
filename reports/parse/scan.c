/* SPDX-License-Identifier: MIT */
/*
 * The marks of all parsers in one pass. Each mark is looked for by the three
 * of its bytes that are rarest together in a sample of the text, so that few places need a
 * comparison, and by the three that begin one behind them, so that every second place is enough.
 * Invariant: every place where a mark stands lies in a part of its parser, and parts are whole
 * lines, in order, with something left out between any two.
 */
#include "scan.h"

#include "base/buf.h"

#include <stdlib.h>

#define SCAN_MARK_BYTES   64 /* at most, of one mark */
#define SCAN_SAMPLES      64 /* stretches of the text that are counted */
#define SCAN_SAMPLE_BYTES 1024
#define SCAN_THREES       ((size_t)1 << 16) /* hashes of three bytes */

struct scan_mark {
	struct str text;
	struct scan_parser *of;
	size_t three;  /* offset in text of the three bytes that this one is looked for by */
	uint32_t next; /* of the same hash, + 1; 0: none */
};

struct scan_pass {
	struct str text;
	VEC(struct scan_mark) marks;
	unsigned char fold[256];
	uint32_t heads[SCAN_THREES];  /* by hash: of marks, + 1; 0: none */
	uint32_t counts[SCAN_THREES]; /* in the sample */
	uint64_t filter[SCAN_THREES / 64];
};

static uint32_t three_at(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* Of the low three bytes; the case of letters is one, as is that of some other bytes. */
static uint32_t hash(uint32_t three)
{
	return ((three | 0x202020) << 8) * 2654435761u >> 16;
}

static void fold_init(struct scan_pass *pass)
{
	for (unsigned c = 0; c < 256; c++)
		pass->fold[c] = (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32
						: c == '\r'          ? '\n'
								     : c);
}

static bool same(const struct scan_pass *pass, const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pass->fold[(unsigned char)a[i]] != pass->fold[(unsigned char)b[i]])
			return false;
	return true;
}

static void count_threes(struct scan_pass *pass)
{
	size_t step = pass->text.n / SCAN_SAMPLES;
	const unsigned char *p = (const unsigned char *)pass->text.p;

	if (step < SCAN_SAMPLE_BYTES)
		step = SCAN_SAMPLE_BYTES;
	for (size_t at = 0; at < pass->text.n; at += step)
		for (size_t i = at; i < at + SCAN_SAMPLE_BYTES && i + 3 <= pass->text.n; i++)
			pass->counts[hash(three_at(p + i))]++;
}

/* The hashes of the three bytes of a mark: two where one of them ends a line. */
static void hashes(const char *mark, uint32_t out[2])
{
	unsigned char other[3];

	for (size_t i = 0; i < 3; i++)
		other[i] = (unsigned char)(mark[i] == '\n' ? '\r' : mark[i]);
	out[0] = hash(three_at((const unsigned char *)mark));
	out[1] = hash(three_at(other));
}

static void look_for(struct scan_pass *pass, struct scan_mark m)
{
	uint32_t ways[2];

	hashes(m.text.p + m.three, ways);
	for (size_t i = 0; i < (ways[0] == ways[1] ? 1 : 2); i++) {
		m.next = pass->heads[ways[i]];
		vec_push(&pass->marks, m);
		pass->heads[ways[i]] = (uint32_t)pass->marks.n;
		pass->filter[ways[i] / 64] |= UINT64_C(1) << ways[i] % 64;
	}
}

static void add_mark(struct scan_pass *pass, struct scan_parser *of, const char *text)
{
	struct scan_mark m = {.text = str_of(text), .of = of};
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i + 4 <= m.text.n && m.text.n <= SCAN_MARK_BYTES; i++) {
		uint32_t one[2], next[2];
		uint64_t n;

		hashes(text + i, one);
		hashes(text + i + 1, next);
		n = (uint64_t)pass->counts[one[0]] + pass->counts[one[1]] + pass->counts[next[0]] +
		    pass->counts[next[1]];
		if (n < least) {
			least = n;
			m.three = i;
		}
	}
	if (least == UINT64_MAX)
		return;
	look_for(pass, m);
	m.three++;
	look_for(pass, m);
}

/* A mark stands at from..to. Marks come nearly in order: parts are made so later. */
static void found(struct scan_parser *p, size_t from, size_t to)
{
	struct scan_part *last = p->parts.n ? &p->parts.p[p->parts.n - 1] : NULL;

	if (last && from <= last->to + SCAN_BEFORE_BYTES + SCAN_AFTER_BYTES) {
		last->from = from < last->from ? from : last->from;
		last->to = to > last->to ? to : last->to;
		return;
	}
	vec_push(&p->parts, ((struct scan_part){from, to}));
}
static void candidate(struct scan_pass *pass, size_t at, uint32_t which)
{
	for (uint32_t next = pass->heads[which]; next; next = pass->marks.p[next - 1].next) {
		const struct scan_mark *m = &pass->marks.p[next - 1];
		size_t from = at - m->three;

		if (m->three <= at && from + m->text.n <= pass->text.n &&
			same(pass, pass->text.p + from, m->text.p, m->text.n))
			found(m->of, from, from + m->text.n);
	}
}

static void search(struct scan_pass *pass)
{
	const unsigned char *p = (const unsigned char *)pass->text.p;
	size_t n = pass->text.n, i = 0;

	/* The start of the text is the start of a line, too. */
	vec_each (&pass->marks, m)
		if (*m->text.p == '\n' && m->text.n - 1 <= n &&
			same(pass, pass->text.p, m->text.p + 1, m->text.n - 1))
			found(m->of, 0, m->text.n - 1);
	for (; i + 4 <= n; i += 2) {
		/* A fourth byte costs less than to read three, and is not in the hash. */
		uint32_t which = hash(three_at(p + i) | (uint32_t)p[i + 3] << 24);

		if (pass->filter[which / 64] >> which % 64 & 1)
			candidate(pass, i, which);
	}
	if (i + 3 == n)
		candidate(pass, i, hash(three_at(p + i)));
}

/* ---- parts ----------------------------------------------------------------------------------- */

static size_t line_start(struct str text, size_t at, size_t from)
{
	const char *nl = at > from ? memrchr(text.p + from, '\n', at - from) : NULL;

	return nl ? (size_t)(nl - text.p) + 1 : from;
}

static size_t line_end(struct str text, size_t at)
{
	const char *nl = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;

	return nl ? (size_t)(nl - text.p) + 1 : text.n;
}

/* How far a part goes on behind a line: a row of a drawn table, or a line of JSON. 0: it is
 * neither. */
static size_t reach(struct str text, size_t at)
{
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '\t'))
		at++;
	if (at == text.n || !text.p[at])
		return 0;
	return text.p[at] == '|'             ? SCAN_AFTER_BYTES
	       : strchr("\"{}]", text.p[at]) ? SCAN_JSON_BYTES
					     : 0;
}

static size_t part_end(struct str text, size_t mark)
{
	size_t start = line_end(text, mark), end = start, to;

	end = start + SCAN_AFTER_BYTES;
	for (; start < end && start < text.n; start = to) {
		size_t more = reach(text, start);

		to = line_end(text, start);
		end = more && to + more > end ? to + more : end;
	}
	return start;
}

static int by_from(const void *a, const void *b)
{
	const struct scan_part *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* From where marks stand to the lines around them. */
static void widen(struct scan_parser *p, struct str text)
{
	size_t n = 0, end = 0;

	if (p->parts.n)
		qsort(p->parts.p, p->parts.n, sizeof *p->parts.p, by_from);
	for (size_t i = 0; i < p->parts.n; i++) {
		struct scan_part part = p->parts.p[i];
		size_t back = part.from > SCAN_BEFORE_BYTES ? part.from - SCAN_BEFORE_BYTES : 0;

		if (n && part.to <= end)
			continue;
		part.from = n && back <= end ? end : line_start(text, back, end);
		part.to = part_end(text, part.to);
		if (n && part.from <= end)
			p->parts.p[n - 1].to = part.to;
		else
			p->parts.p[n++] = part;
		end = part.to;
	}
	p->parts.n = n;
	if (n && p->parser->whole)
		p->parts.p[0] = (struct scan_part){0, text.n}, p->parts.n = 1;
}

void scan_init(struct scan *s, struct str text, const struct driver *const *parsers)
{
	struct scan_pass *pass = mem_alloc(sizeof *pass);
	size_t n = 0;

	while (parsers[n])
		n++;
	*s = (struct scan){text, mem_alloc((n + 1) * sizeof *s->parsers), n};
	pass->text = text;
	fold_init(pass);
	count_threes(pass);
	for (size_t i = 0; i < n; i++) {
		const struct parser *p = (const struct parser *)parsers[i];

		s->parsers[i].parser = p;
		if (!p->marks)
			vec_push(&s->parsers[i].parts, ((struct scan_part){0, text.n}));
		for (const char *const *m = p->marks; m && *m; m++)
			add_mark(pass, &s->parsers[i], *m);
	}
	search(pass);
	for (size_t i = 0; i < n; i++)
		if (s->parsers[i].parser->marks)
			widen(&s->parsers[i], text);
	vec_done(&pass->marks);
	free(pass);
}

void scan_done(struct scan *s)
{
	for (size_t i = 0; i < s->n; i++)
		vec_done(&s->parsers[i].parts);
	free(s->parsers);
	*s = (struct scan){0};
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* What a parser is given: its parts, an empty line between each two. */
struct view {
	const struct sink *sink;
	const struct scan_part *parts;
	size_t n;
	size_t *starts; /* of each part in the view */
	struct str text;
	char *copy;    /* that text is of; NULL: of the scanned text */
	size_t offset; /* of the parser's text in the view */
	size_t last;   /* the farthest that it told, in the view */
};

static void on_at(void *arg, size_t offset)
{
	struct view *v = arg;
	size_t low = 0, high = v->n, at;

	offset += v->offset;
	v->last = offset > v->last ? offset : v->last;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		*(v->starts[middle] <= offset ? &low : &high) = middle;
	}
	at = v->parts[low].from + (offset - v->starts[low]);
	sink_at(v->sink, at < v->parts[low].to ? at : v->parts[low].to);
}

static void on_suite(void *arg, const char *name)
{
	sink_suite(((struct view *)arg)->sink, name);
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	sink_result(((struct view *)arg)->sink, name, s, why);
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	sink_metric(((struct view *)arg)->sink, m);
}

static void on_env(void *arg, const char *name, const char *value)
{
	sink_env(((struct view *)arg)->sink, name, value);
}

static void on_warn(void *arg, const char *text)
{
	sink_warn(((struct view *)arg)->sink, "%s", text);
}

static void view_init(struct view *v, const struct scan *s, const struct scan_parser *p)
{
	size_t bytes = 0, to = 0;

	*v = (struct view){.parts = p->parts.p, .n = p->parts.n};
	v->starts = mem_alloc(v->n * sizeof *v->starts);
	for (size_t i = 0; i < v->n; i++) {
		v->starts[i] = bytes;
		bytes += v->parts[i].to - v->parts[i].from + 1;
	}
	v->text = str_make(s->text.p + v->parts[0].from, v->parts[0].to - v->parts[0].from);
	if (v->n == 1)
		return;
	v->copy = mem_alloc(bytes);
	for (size_t i = 0; i < v->n; i++) {
		size_t n = v->parts[i].to - v->parts[i].from;

		memcpy(v->copy + to, s->text.p + v->parts[i].from, n);
		to += n;
		v->copy[to++] = '\n';
	}
	v->text = str_make(v->copy, to - 1);
}

static int run(const struct scan *s, size_t i, bool on, const struct sink *sink, struct err *e)
{
	const struct scan_parser *p = &s->parsers[i];
	const struct sink own = {NULL, on_at, on_suite, on_result, on_metric, on_env, on_warn};
	struct sink to = own;
	struct err now = {0};
	struct view v;
	bool stopped = false;
	int failed = 0;

	if (!p->parts.n)
		return 0;
	view_init(&v, s, p);
	v.sink = sink;
	to.arg = &v;
	for (;;) {
		struct str text = str_make(v.text.p + v.offset, v.text.n - v.offset);
		size_t next;

		v.last = v.offset;
		if (!p->parser->parse(text, &to, &now))
			break;
		next = line_end(v.text, v.last);
		if (!on || !p->parser->stops || next >= v.text.n) {
			failed = stopped ? 0 : -1;
			break;
		}
		stopped = true;
		sink_warn(sink, "%s", now.msg);
		err_clear(&now);
		v.offset = next;
	}
	free(v.starts);
	free(v.copy);
	if (failed && e)
		*e = now;
	return failed;
}

int scan_parse(const struct scan *s, size_t i, const struct sink *sink, struct err *e)
{
	return run(s, i, false, sink, e);
}

int scan_parse_on(const struct scan *s, size_t i, const struct sink *sink, struct err *e)
{
	return run(s, i, true, sink, e);
}
