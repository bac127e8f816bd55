/* SPDX-License-Identifier: MIT */
/*
 * JSON documents amid other text. A document is tried at each brace that a key may follow: its
 * lines are read as JSON, a line that is not is taken out whole, and a diagnostic that begins in
 * the middle of a line is taken out up to its line break, the halves joined. Invariant: the search
 * only moves forward and looks at no more than JSON_SCAN_WORK times the text.
 */
#include "json-scan.h"

#include "base/buf.h"
#include "io/console-text.h"
#include "json-lex.h"
#include "lines.h"

void json_scan_init(
	struct json_scan *s, struct str text, json_scan_fn *wanted, const struct sink *sink)
{
	*s = (struct json_scan){.text = text, .wanted = wanted, .sink = sink};
}

static void scan_warn(struct json_scan *s, struct str line)
{
	char shown[200];

	line = str_trim(line);
	if (!line.n || !s->sink || !s->sink->warn)
		return;
	if (s->warned++ >= JSON_SCAN_WARNINGS)
		return;
	sink_at(s->sink, (size_t)(line.p - s->text.p));
	sink_warn(s->sink, "%s", str_printable(line, shown, sizeof shown));
}

static void scan_tell(struct json_scan *s, size_t from, size_t to)
{
	struct str rest = str_make(s->text.p + from, to - from), line;

	while (str_line(&rest, &line))
		scan_warn(s, line);
}

/* One try at a document: what of the text it is made of, and what was taken out. */
struct attempt {
	size_t end, next; /* next: where another begins before it ended; 0: none does */
	struct buf strict;
	VEC(struct str) foreign;
};

static struct str line_at(struct str text, size_t at)
{
	struct str rest = str_make(text.p + at, text.n - at), line = {rest.p, rest.n};
	ptrdiff_t nl = str_chr(rest, '\n');

	if (nl >= 0)
		line.n = (size_t)nl;
	return line;
}

/* Where in line a diagnostic may begin: "[   12.345678] ", "<4>[", "word: ". Or -1. */
static ptrdiff_t diagnostic_start(struct str line)
{
	static const char *const openings[] = {"fio: ", "iperf3: ", "warning: ", "WARNING: ", "<"};

	for (size_t i = 0; i < line.n; i++) {
		struct str rest = str_make(line.p + i, line.n - i);

		for (size_t o = 0; o < ARRAY_LEN(openings); o++)
			if (str_starts(rest, openings[o]))
				return (ptrdiff_t)i;
		if (console_kernel_head(rest) > 0)
			return (ptrdiff_t)i;
	}
	return -1;
}

/*
 * The line at *at with diagnostics inside it taken out, into joined. True when what is left is
 * JSON: strict, depth and *at have moved on.
 */
static bool attempt_splice(struct json_scan *s, struct attempt *a, size_t *at, int *depth)
{
	AUTOBUF joined = BUF_INIT(BUF_CAP_BYTES);
	size_t told = a->foreign.n, pos = *at, used;
	struct str line = line_at(s->text, pos);

	for (int tries = 0; tries < JSON_SCAN_SPLICES; tries++) {
		size_t kept = joined.len;
		ptrdiff_t cut;

		buf_add(&joined, line.p, line.n);
		s->work += joined.len;
		if (tries && json_lex_line(str_make(buf_str(&joined), joined.len), depth, &used,
				     &a->strict)) {
			*at = pos + (used >= kept ? used - kept : 0);
			return true;
		}
		cut = diagnostic_start(line);
		/* What begins with one is one as a whole. */
		if (cut < 0 || (!cut && !tries) || pos + line.n >= s->text.n)
			break;
		joined.len = kept + (size_t)cut;
		vec_push(&a->foreign, str_make(line.p + cut, line.n - (size_t)cut));
		pos += line.n + 1;
		line = line_at(s->text, pos);
	}
	a->foreign.n = told;
	return false;
}

/* A document that stands in lines of its own: a brace at the start of one begins another. */
static bool is_indented(struct str text, size_t start)
{
	struct str line = line_at(text, start);
	size_t next = start + line.n + 1;

	return (!start || text.p[start - 1] == '\n') && str_trim(line).n == 1 && next < text.n &&
	       (text.p[next] == ' ' || text.p[next] == '\t');
}

/* 1: a document ends at a->end; 0: not a document; -1: it has no end, or another begins in it. */
static int attempt_run(struct json_scan *s, struct attempt *a, size_t start)
{
	size_t at = start, last = start, used;
	bool indented = is_indented(s->text, start);
	int depth = 0;

	while (at < s->text.n) {
		struct str line = line_at(s->text, at);
		size_t before = at;

		if (indented && at > start && *line.p == '{' && str_trim(line).n == 1) {
			a->next = at;
			return -1;
		}
		s->work += line.n + 1;
		if (json_lex_line(line, &depth, &used, &a->strict)) {
			at += used;
			last = used ? at : last;
		} else if (!attempt_splice(s, a, &at, &depth)) {
			if (at == start)
				return 0;
			vec_push(&a->foreign, line);
			at += line.n;
			if (at - last > JSON_SCAN_FOREIGN_BYTES)
				return -1;
		}
		a->end = at;
		if (depth <= 0)
			return depth ? 0 : 1;
		if (s->work / JSON_SCAN_WORK > s->text.n + 4096)
			return 0;
		buf_putc(&a->strict, '\n');
		at = line_at(s->text, at).n + at + 1;
		if (at <= before)
			return 0;
	}
	return -1;
}

static bool may_begin(struct str text, size_t at)
{
	size_t i = at + 1;

	while (i < text.n && (text.p[i] == ' ' || (text.p[i] >= '\t' && text.p[i] <= '\r')))
		i++;
	/* Cut off or followed by a diagnostic: it is looked at. */
	return i >= text.n || text.p[i] == '"' || text.p[i] == '}' ||
	       memchr(text.p + at, '\n', i - at);
}

/* Is doc wanted, or an object inside it? */
static bool wants(const struct json_scan *s, json_t *doc)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_object(doc) && s->wanted(doc))
		return true;
	json_object_foreach (doc, key, item)
		if (wants(s, item))
			return true;
	json_array_foreach (doc, i, item)
		if (wants(s, item))
			return true;
	return false;
}

/* Is the name of a member damaged? *any: any byte. Names are ASCII; of values, some tools print any
 * bytes. */
static bool name_damaged(struct str doc, bool *any)
{
	bool noise = false;

	*any = false;
	for (size_t i = 0; i < doc.n; i++) {
		unsigned char c = (unsigned char)doc.p[i];

		if (c == '\n') {
			noise = false;
		} else if (c == '"') {
			size_t next = i + 1;

			while (next < doc.n && (doc.p[next] == ' ' || doc.p[next] == '\t'))
				next++;
			if (noise && next < doc.n && doc.p[next] == ':')
				return true;
			noise = false;
		} else if (c >= 127 || (c < ' ' && c != '\t' && c != '\r')) {
			noise = *any = true;
		}
	}
	return false;
}

/* Was what was taken out part of the document, or the name of something in it damaged? */
static bool attempt_damaged(const struct attempt *a, struct str doc, bool *noisy)
{
	if (name_damaged(doc, noisy))
		return true;
	for (size_t i = 0; i < a->foreign.n; i++)
		if (lines_noise(str_trim(a->foreign.p[i])))
			return true;
	return false;
}

json_t *json_scan_next(struct json_scan *s)
{
	while (s->at < s->text.n && s->work / JSON_SCAN_WORK <= s->text.n + 4096) {
		ptrdiff_t brace = str_chr(str_make(s->text.p + s->at, s->text.n - s->at), '{');
		struct attempt a = {.strict = BUF_INIT(4 * s->text.n + 4096)};
		size_t start = s->at + (size_t)brace;
		json_t *doc = NULL;
		int got = 0;

		if (brace < 0)
			break;
		s->at = start + 1;
		if (may_begin(s->text, start))
			got = attempt_run(s, &a, start);
		if (got > 0)
			doc = json_loadb(buf_str(&a.strict), a.strict.len,
				JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);
		/* A lone brace in some text is no document. */
		s->cut_off |= got < 0 && memchr(buf_str(&a.strict), '"', a.strict.len);
		s->work += a.strict.len;
		if (a.next)
			s->at = a.next;
		if (got > 0)
			s->work += a.end - start;
		if (doc && attempt_damaged(
				   &a, str_make(s->text.p + start, a.end - start), &s->noisy)) {
			s->cut_off = true;
			json_decref(doc);
			doc = NULL;
		}
		if (doc && !s->wanted(doc)) {
			if (!wants(s, doc))
				s->at = a.end;
			json_decref(doc);
			doc = NULL;
		}
		if (doc) {
			scan_tell(s, s->told_to, start);
			for (size_t i = 0; i < a.foreign.n; i++)
				scan_warn(s, a.foreign.p[i]);
			s->start = start;
			s->at = s->told_to = a.end;
			s->cut_off = false;
		}
		vec_done(&a.foreign);
		buf_done(&a.strict);
		if (doc)
			return doc;
	}
	return NULL;
}

void json_scan_end(struct json_scan *s)
{
	scan_tell(s, s->told_to, s->text.n);
	s->told_to = s->text.n;
	if (s->warned > JSON_SCAN_WARNINGS && s->sink)
		sink_warn(s->sink, "%zu more lines", s->warned - JSON_SCAN_WARNINGS);
}

int json_scan_number(const json_t *obj, const char *key, double *out)
{
	const json_t *value = json_object_get(obj, key);

	if (!json_is_number(value))
		return 0;
	*out = json_number_value(value);
	return 1;
}
