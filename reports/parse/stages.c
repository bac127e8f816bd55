/* SPDX-License-Identifier: MIT */
/*
 * Boot-stage times. Invariant: a time is that of the read which brought the first byte of a mark's
 * match; a mark without a match has none.
 */
#include "stages.h"

#include "io/console-text.h"

#include <stdio.h>

struct read_at {
	uint64_t offset;
	int64_t ms;
};

struct search {
	VEC(struct read_at) reads;
	const struct pattern *pattern; /* of the mark that is looked for */
	bool found;
	uint64_t first, after; /* of its match, in the log */
	/* The start of a line that a kernel line cut in two. */
	struct buf head;
	VEC(uint64_t) head_offsets;
};

static void index_parse(struct search *s, struct str index)
{
	struct str line, offset, ms;
	struct read_at r;
	int64_t at;

	while (str_line(&index, &line)) {
		if (!str_word(&line, &offset) || !str_word(&line, &ms) ||
			str_u64(offset, &r.offset) || str_i64(ms, &at))
			continue;
		r.ms = at;
		/* A line that goes back is damaged. */
		if (s->reads.n && (r.offset < s->reads.p[s->reads.n - 1].offset ||
					  r.ms < s->reads.p[s->reads.n - 1].ms))
			continue;
		vec_push(&s->reads, r);
	}
}

/* When the byte at offset came; -1 when the index does not say. */
static int64_t time_of(const struct search *s, uint64_t offset)
{
	size_t low = 0, high = s->reads.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->reads.p[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? s->reads.p[low - 1].ms : -1;
}

static void look(struct search *s, struct str text, const uint64_t *offsets)
{
	struct pattern_match m;

	if (s->found || !text.n || pattern_search(s->pattern, text, 0, false, &m) != 1 ||
		m.start >= text.n)
		return;
	s->found = true;
	s->first = offsets[m.start];
	s->after = offsets[m.end > m.start ? m.end - 1 : m.start] + 1;
}

static void keep_head(struct search *s, struct str text, const uint64_t *offsets)
{
	buf_add(&s->head, text.p, text.n);
	for (size_t i = 0; s->head_offsets.n < s->head.len && i < text.n; i++)
		vec_push(&s->head_offsets, offsets[i]);
}

static void on_line(void *arg, const struct console_line *line)
{
	struct search *s = arg;
	ptrdiff_t stamp;

	if (s->found)
		return;
	stamp = console_kernel_find(line->text);
	look(s, line->text, line->offsets);
	if (stamp > 0)
		keep_head(s, str_make(line->text.p, (size_t)stamp), line->offsets);
	if (stamp >= 0 || !s->head.len)
		return;
	keep_head(s, line->text, line->offsets);
	if (s->head_offsets.n == s->head.len)
		look(s, str_make(buf_str(&s->head), s->head.len), s->head_offsets.p);
	buf_reset(&s->head);
	s->head_offsets.n = 0;
}

/* The bytes of log that came from from_ms on, and before until_ms. */
static struct str cut(
	const struct search *s, struct str log, struct stage_span span, uint64_t *offset)
{
	uint64_t start = log.n, end = log.n;

	for (size_t i = s->reads.n; i-- > 0;) {
		if (s->reads.p[i].ms >= span.until_ms)
			end = s->reads.p[i].offset;
		if (s->reads.p[i].ms >= span.power_on_ms)
			start = s->reads.p[i].offset;
	}
	end = end > log.n ? log.n : end;
	start = start > end ? end : start;
	*offset = start;
	return str_make(log.p + start, end - start);
}

/* The first match of a pattern in log, whose first byte has this offset. */
static bool find_mark(
	struct search *s, const struct pattern *pattern, struct str log, uint64_t offset)
{
	struct console_text text;

	s->pattern = pattern;
	s->found = false;
	buf_reset(&s->head);
	s->head_offsets.n = 0;
	console_text_init(&text, offset, on_line, s);
	for (size_t at = 0, n; at < log.n && !s->found; at += n) {
		n = log.n - at < CONSOLE_LINE_BYTES ? log.n - at : CONSOLE_LINE_BYTES;
		console_text_feed(&text, str_make(log.p + at, n));
	}
	console_text_end(&text);
	return s->found;
}

size_t stages_find(struct str log, struct str index, struct stage_span span,
	const struct stage_mark *marks, size_t n, int64_t *at_ms)
{
	struct search s = {.head = BUF_INIT(2 * CONSOLE_LINE_BYTES)};
	uint64_t offset;
	size_t found = 0;

	index_parse(&s, index);
	log = cut(&s, log, span, &offset);
	for (size_t i = 0; i < n; i++) {
		int64_t ms;

		at_ms[i] = -1;
		if (i >= STAGES_MAX || !find_mark(&s, marks[i].pattern, log, offset))
			continue;
		ms = time_of(&s, s.first);
		if (ms < span.power_on_ms)
			continue;
		at_ms[i] = ms - span.power_on_ms;
		found++;
		log = str_make(log.p + (s.after - offset), log.n - (size_t)(s.after - offset));
		offset = s.after;
	}
	vec_done(&s.reads);
	buf_done(&s.head);
	vec_done(&s.head_offsets);
	return found;
}

static int64_t time_at(
	const struct stage_mark *marks, const int64_t *at_ms, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(marks[i].name, name))
			return at_ms[i];
	return -1;
}

void stages_emit(
	const struct stage_mark *marks, const int64_t *at_ms, size_t n, const struct sink *sink)
{
	int64_t kernel = time_at(marks, at_ms, n, "kernel");
	int64_t login = time_at(marks, at_ms, n, "login");
	char name[80];

	for (size_t i = 0; i < n; i++) {
		if (at_ms[i] < 0)
			continue;
		snprintf(name, sizeof name, "boot.%.60s_ms", marks[i].name);
		sink_figure(sink, name, (double)at_ms[i], "ms", NULL, 0);
	}
	if (n && at_ms[n - 1] >= 0)
		sink_figure(sink, "boot.total_ms", (double)at_ms[n - 1], "ms", NULL, 0);
	if (kernel >= 0 && login >= kernel)
		sink_figure(sink, "boot.linux_ms", (double)(login - kernel), "ms", NULL, 0);
}
