/* SPDX-License-Identifier: MIT */
/*
 * The streaming matcher. Invariant: for each pattern from[i] says where its next match can start at
 * the earliest, so a search looks only at new bytes and at what might still become a match; what is
 * found does not depend on how the bytes were cut into reads, but for patterns whose match could
 * still grow (`a+`) or that ask for the end (`$`), which are taken as they stand.
 *
 * Two views are searched: the text itself, and the lines that kernel lines were printed into, put
 * together again (joint.h). Of all matches the one that is complete first wins.
 */
#include "agents/bench/expect.h"

#include "agents/bench/joint.h"
#include "base/mem.h"

#include <stdlib.h>

#define KEEP_BYTES  (2 * EXPECT_WINDOW_BYTES) /* so that a whole read is always searched */
#define LIMIT_BYTES (4 * EXPECT_WINDOW_BYTES)
#define SPAN_TRIES  64 /* matches in one joint that lie beside its kernel lines */

struct expect {
	struct text text;
	struct joints joints;
	uint64_t cursor;
	uint64_t signature; /* of the patterns that from[] is about */
	uint64_t *from;
	size_t n, room;
	char found[JOINT_BYTES]; /* the joint that the last match was found in */
};

struct hit {
	int which;
	uint64_t start, end; /* positions */
	struct pattern_match m;
};

struct expect *expect_new(void)
{
	return mem_alloc(sizeof(struct expect));
}

void expect_free(struct expect *x)
{
	if (!x)
		return;
	text_done(&x->text);
	free(x->from);
	free(x);
}

void expect_feed(struct expect *x, struct str raw)
{
	while (raw.n) {
		size_t n = raw.n < TEXT_FEED_BYTES ? raw.n : TEXT_FEED_BYTES;

		if (x->text.len > LIMIT_BYTES) {
			text_trim(&x->text, KEEP_BYTES);
			if (x->cursor < x->text.base)
				x->cursor = x->text.base;
			joints_drop(&x->joints, &x->text, x->cursor);
		}
		text_feed(&x->text, str_make(raw.p, n));
		joints_scan(&x->joints, &x->text);
		raw.p += n;
		raw.n -= n;
	}
}

/* Text of the patterns as well as their addresses: memory of a freed one is used again. */
static uint64_t sign(struct pattern *const *patterns, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ (uintptr_t)patterns[i]) * 1099511628211u;
		for (const char *p = pattern_text(patterns[i]); *p; p++)
			h = (h ^ (unsigned char)*p) * 1099511628211u;
	}
	return h;
}

static void restart(struct expect *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->from[i] = x->cursor;
	for (size_t i = 0; i < x->joints.n; i++)
		x->joints.all[i].searched = 0;
}

static void prepare(struct expect *x, struct pattern *const *patterns, size_t n)
{
	uint64_t signature = sign(patterns, n);

	if (n > x->room) {
		x->from = mem_grow(x->from, n, sizeof *x->from);
		x->room = n;
	}
	if (n == x->n && signature == x->signature)
		return;
	x->signature = signature;
	x->n = n;
	restart(x);
}

static void better(struct hit *best, const struct hit *h)
{
	if (best->which < 0 || h->end < best->end)
		*best = *h;
}

static int search_text(
	struct expect *x, struct pattern *const *patterns, size_t n, struct hit *best)
{
	const struct text *t = &x->text;
	struct str all = str_make(t->data ? t->data : "", t->len);

	for (size_t i = 0; i < n; i++) {
		struct hit h = {.which = (int)i};
		int rc;

		if (x->from[i] < x->cursor)
			x->from[i] = x->cursor;
		/* The first byte of a cut window is no line's start. */
		if (t->base && x->from[i] == t->base)
			x->from[i]++;
		rc = pattern_search(patterns[i], all, (size_t)(x->from[i] - t->base), true, &h.m);
		if (rc < 0)
			return -1;
		if (!rc) {
			x->from[i] = h.m.partial ? t->base + h.m.start : text_end(t);
			continue;
		}
		h.start = t->base + h.m.start;
		h.end = t->base + h.m.end;
		better(best, &h);
	}
	return 0;
}

/* The first match of p in the joint that takes in a place where a kernel line stood. */
static int search_joint(const struct joint *j, const struct pattern *p, struct str line,
	size_t offset, struct hit *h)
{
	for (int i = 0; i < SPAN_TRIES && offset <= line.n; i++) {
		int rc = pattern_search(p, line, offset, false, &h->m);

		if (rc <= 0)
			return rc;
		if (h->m.end > h->m.start && joint_spans(j, h->m.start, h->m.end)) {
			h->start = joint_pos(j, h->m.start);
			h->end = joint_pos(j, h->m.end - 1) + 1;
			return 1;
		}
		offset = h->m.end > offset ? h->m.end : offset + 1;
	}
	return 0;
}

static int search_joints(
	struct expect *x, struct pattern *const *patterns, size_t n, struct hit *best)
{
	char buf[JOINT_BYTES];
	int in_joint = 0;

	for (size_t k = 0; k < x->joints.n; k++) {
		struct joint *j = &x->joints.all[k];
		size_t length = joint_text(&x->joints, j, &x->text, buf);
		struct str line = {buf, length};
		size_t offset = joint_index(j, x->cursor);

		if (j->searched == joint_version(j, line.n) || (j->end && j->end <= x->cursor))
			continue;
		/* Past the first byte of a cut line `^` does not match. */
		if (!j->whole && !offset)
			offset = 1;
		for (size_t i = 0; i < n; i++) {
			struct hit h = {.which = (int)i};
			int rc = search_joint(j, patterns[i], line, offset, &h);

			if (rc < 0)
				return -1;
			if (!rc || (best->which >= 0 && h.end >= best->end))
				continue;
			*best = h;
			in_joint = 1;
			/* Groups point into the line: it has to outlive this function. */
			memcpy(x->found, buf, line.n);
			for (size_t g = 0; g < PATTERN_GROUPS; g++)
				if (best->m.group[g].p)
					best->m.group[g].p = x->found + (best->m.group[g].p - buf);
		}
		j->searched = joint_version(j, line.n);
	}
	return in_joint;
}

static void report(struct expect *x, const struct hit *h, struct expect_match *m)
{
	const struct text *t = &x->text;
	uint64_t before_end = h->start > x->cursor ? h->start : x->cursor;

	m->which = h->which;
	m->before = str_make(t->data + (x->cursor - t->base), (size_t)(before_end - x->cursor));
	memcpy(m->group, h->m.group, sizeof m->group);
	m->raw_end = h->end > t->base ? text_raw(t, h->end - 1) + 1 : text_raw(t, h->end);
	m->raw_start = h->start < h->end ? text_raw(t, h->start) : m->raw_end;
}

int expect_search(
	struct expect *x, struct pattern *const *patterns, size_t n, struct expect_match *m)
{
	struct hit best = {.which = -1};

	prepare(x, patterns, n);
	if (search_text(x, patterns, n, &best))
		return -1;
	if (x->joints.n && search_joints(x, patterns, n, &best) < 0)
		return -1;
	if (best.which < 0)
		return 0;
	if (m)
		report(x, &best, m);
	x->cursor = best.end;
	/* The joint may hold a second match behind this one. */
	for (size_t i = 0; i < x->joints.n; i++)
		x->joints.all[i].searched = 0;
	return 1;
}

void expect_skip(struct expect *x)
{
	x->cursor = text_end(&x->text);
	joints_drop(&x->joints, &x->text, x->cursor);
}

struct str expect_pending(const struct expect *x)
{
	size_t i = (size_t)(x->cursor - x->text.base);

	return str_make(x->text.data + i, x->text.len - i);
}
