/* SPDX-License-Identifier: MIT */
/*
 * Lines with kernel lines printed into them. Invariant: what is a kernel line is decided from the
 * text alone, once, and the same whatever way it was cut into reads: where the text ends inside
 * something that may become a kernel line's head, the scan waits there.
 */
#include "agents/bench/joint.h"

#include <string.h>

static struct str from(const struct text *t, uint64_t pos)
{
	size_t i = (size_t)(pos - t->base);

	return str_make(t->data + i, t->len - i);
}

/* Start of the kernel line whose '[' is at pos: a "<6>" before it belongs to it. */
static uint64_t prefix_start(const struct text *t, uint64_t pos, uint64_t floor)
{
	const char *p = t->data + (pos - t->base);
	size_t room = (size_t)(pos - floor);
	size_t n = 1;

	if (room < 3 || p[-1] != '>')
		return pos;
	while (n < room && n <= 3 && p[-1 - (ptrdiff_t)n] >= '0' && p[-1 - (ptrdiff_t)n] <= '9')
		n++;
	return n > 1 && n < room && p[-1 - (ptrdiff_t)n] == '<' ? pos - n - 1 : pos;
}

static bool at_line_start(const struct text *t, uint64_t pos)
{
	return pos == t->base || t->data[pos - t->base - 1] == '\n';
}

static struct joint *newest(struct joints *js)
{
	return js->n ? &js->all[js->n - 1] : NULL;
}

static struct joint *begin(struct joints *js, const struct text *t, uint64_t cut)
{
	size_t i = (size_t)(cut - t->base), room = i < JOINT_HEAD_BYTES ? i : JOINT_HEAD_BYTES;
	const char *nl = memrchr(t->data + i - room, '\n', room);
	struct joint *j;

	if (js->n == JOINTS) {
		memmove(js->all, js->all + 1, (JOINTS - 1) * sizeof *js->all);
		js->n--;
	}
	j = &js->all[js->n++];
	*j = (struct joint){.start = nl ? t->base + (uint64_t)(nl + 1 - t->data) : cut - room};
	j->whole = nl || !j->start;
	return j;
}

static size_t length(const struct joint *j, uint64_t end)
{
	size_t n = 0;
	uint64_t pos = j->start;

	for (size_t i = 0; i < j->n_cuts; i++) {
		n += (size_t)(j->cuts[i].start - pos);
		pos = j->cuts[i].end;
		if (!pos)
			return n;
	}
	return n + (size_t)(end - pos);
}

/* Outside any joint: to the next kernel line in mid-line. False: no further for now. */
static bool scan_plain(struct joints *js, const struct text *t)
{
	struct str rest = from(t, js->scan);
	const char *p = memchr(rest.p, '[', rest.n);
	uint64_t at, cut;
	struct joint *j;
	int head;

	if (!p) {
		js->scan = text_end(t);
		return false;
	}
	at = js->scan + (uint64_t)(p - rest.p);
	head = console_kernel_head(from(t, at));
	js->scan = at;
	if (head < 0)
		return false;
	js->scan++;
	cut = prefix_start(t, at, t->base);
	if (!head || at_line_start(t, cut))
		return true;
	j = begin(js, t, cut);
	j->cuts[j->n_cuts++] = (struct cut){.start = cut};
	return true;
}

/* A kernel line begins at pos in the joint: taken out, or the joint's end when it has too many. */
static void add_cut(struct joint *j, uint64_t pos)
{
	if (j->n_cuts < JOINT_CUTS)
		j->cuts[j->n_cuts++] = (struct cut){.start = pos};
	else
		j->end = pos;
}

/* In a joint, behind a kernel line or further on. False: no further for now. */
static bool scan_tail(struct joints *js, const struct text *t, struct joint *j)
{
	struct str rest = from(t, js->scan);
	size_t i = 0, room = JOINT_BYTES - length(j, js->scan);
	int head = console_kernel_head(rest);

	if (js->after && head < 0)
		return false;
	if (js->after && head) {
		add_cut(j, js->scan);
		return true;
	}
	js->after = false;
	while (i < rest.n && i < room && rest.p[i] != '\n' && rest.p[i] != '[')
		i++;
	js->scan += i;
	if (i == room || (i < rest.n && rest.p[i] == '\n')) {
		js->scan += i < room;
		j->end = js->scan;
		return true;
	}
	if (i == rest.n)
		return false;
	head = console_kernel_head(from(t, js->scan));
	if (head < 0)
		return false;
	if (head)
		add_cut(j, prefix_start(t, js->scan, j->cuts[j->n_cuts - 1].end));
	else
		js->scan++;
	return true;
}

/* To the end of a kernel line that has begun. */
static bool scan_cut(struct joints *js, const struct text *t, struct cut *cut)
{
	struct str rest = from(t, js->scan);
	const char *nl = memchr(rest.p, '\n', rest.n);

	if (!nl) {
		js->scan = text_end(t);
		return false;
	}
	js->scan += (uint64_t)(nl + 1 - rest.p);
	cut->end = js->scan;
	js->after = true;
	return true;
}

void joints_scan(struct joints *js, const struct text *t)
{
	bool more = true;

	if (js->scan < t->base)
		js->scan = t->base;
	while (more && js->scan < text_end(t)) {
		struct joint *j = newest(js);

		if (!j || j->end)
			more = scan_plain(js, t);
		else if (!j->cuts[j->n_cuts - 1].end)
			more = scan_cut(js, t, &j->cuts[j->n_cuts - 1]);
		else
			more = scan_tail(js, t, j);
	}
}

void joints_drop(struct joints *js, const struct text *t, uint64_t pos)
{
	size_t n = 0;

	while (n < js->n &&
		(js->all[n].start < t->base || (js->all[n].end && js->all[n].end <= pos)))
		n++;
	if (!n)
		return;
	js->n -= n;
	memmove(js->all, js->all + n, js->n * sizeof *js->all);
}

size_t joint_text(const struct joints *js, const struct joint *j, const struct text *t, char *out)
{
	uint64_t pos = j->start, end = j->end ? j->end : js->scan;
	size_t n = 0;

	for (size_t i = 0; i <= j->n_cuts; i++) {
		uint64_t stop = i < j->n_cuts ? j->cuts[i].start : end;
		size_t piece = (size_t)(stop - pos);

		if (piece > JOINT_BYTES - n)
			piece = JOINT_BYTES - n;
		memcpy(out + n, t->data + (pos - t->base), piece);
		n += piece;
		if (i == j->n_cuts || !j->cuts[i].end)
			break;
		pos = j->cuts[i].end;
	}
	return n;
}

uint64_t joint_pos(const struct joint *j, size_t i)
{
	uint64_t pos = j->start + i;

	for (size_t k = 0; k < j->n_cuts && pos >= j->cuts[k].start && j->cuts[k].end; k++)
		pos += j->cuts[k].end - j->cuts[k].start;
	return pos;
}

size_t joint_index(const struct joint *j, uint64_t pos)
{
	uint64_t gone = 0;

	if (pos <= j->start)
		return 0;
	for (size_t k = 0; k < j->n_cuts && pos > j->cuts[k].start; k++) {
		uint64_t end = j->cuts[k].end;

		/* Inside a kernel line: what comes first behind it. */
		if (!end || pos < end)
			return (size_t)(j->cuts[k].start - gone - j->start);
		gone += end - j->cuts[k].start;
	}
	return (size_t)(pos - gone - j->start);
}

bool joint_spans(const struct joint *j, size_t start, size_t end)
{
	for (size_t k = 0; k < j->n_cuts; k++) {
		size_t at = joint_index(j, j->cuts[k].start);

		if (start < at && at <= end)
			return true;
	}
	return false;
}
