/* SPDX-License-Identifier: MIT */
/*
 * The lines of a tool's plain text. Invariant: a line that is handed out is whole: no part of it
 * is the kernel's, no byte of it is noise, and its end was seen.
 */
#include "lines.h"

#include "io/console-text.h"

#include <ctype.h>
#include <stdio.h>

#define LINES_WARNINGS   20
#define LINES_NOISE_PART 4 /* of a line: with more noise it was no text */

void lines_init(struct lines *l, struct str text, const struct sink *sink)
{
	*l = (struct lines){.text = text, .rest = text, .sink = sink};
}

static void lines_warn(struct lines *l, const char *why, struct str line)
{
	char shown[120];

	if (l->warned++ < LINES_WARNINGS)
		sink_warn(l->sink, "%s: %s", why, str_printable(line, shown, sizeof shown));
}

/* ---- noise ---------------------------------------------------------------------------------- */

/* What of a line is no text: how many bytes, as they come. */
struct noise {
	size_t bytes, backs; /* backs: backspaces */
	unsigned more;       /* bytes that a UTF-8 character still lacks */
	bool escape;         /* the last bytes were one */
	unsigned char first; /* of it: what follows ESC; 0: nothing does */
	char before;         /* it */
};

static bool of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == ',';
}

static void noise_text(struct noise *n, unsigned char c)
{
	if (n->more) {
		if ((c & 0xc0) == 0x80) {
			n->more--;
			return;
		}
		n->bytes++;
		n->more = 0;
	}
	if (c >= 0x80) {
		n->more = c < 0xc2 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 0;
		n->bytes += !n->more;
	} else if (c == '\b') {
		n->backs++;
	} else if ((c < ' ' && c != '\t') || c == 127) {
		n->bytes++;
	}
}

/* Nothing but printable ASCII and tabs: most lines of most logs. */
static bool is_plain(struct str s)
{
	unsigned bad = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		bad |= (unsigned)(c - 0x20u > 0x5eu) & (unsigned)(c != 0x09);
	}
	return !bad;
}

size_t lines_noise(struct str s)
{
	struct console_escape escape = {0};
	struct noise noise = {0};

	if (is_plain(s))
		return 0;
	for (size_t i = 0; i < s.n; i++) {
		if (console_escape(&escape, (unsigned char)s.p[i]))
			noise.bytes +=
				s.p[i] == 0x1b && (i + 1 == s.n || !strchr("[(]", s.p[i + 1]));
		else
			noise_text(&noise, (unsigned char)s.p[i]);
	}
	noise.bytes += escape.state != CONSOLE_PLAIN;
	return noise.bytes + noise.backs + (noise.more > 0);
}

/* The byte after an escape, 0 at the line's end. Colours stand around numbers, never inside; a
 * byte of a number that became ESC takes the next ones with it. */
static void noise_escape(struct noise *n, char after)
{
	bool inside = of_number(n->before), colour = n->first == '[' || n->first == '(';
	bool known = n->first && strchr("[(])78=>MDEcHP_^X#%", n->first);

	if (!known || (inside && of_number(after)))
		n->bytes++;
	else if (!colour &&
		 (isalnum((unsigned char)n->before) || of_number(n->before) || of_number(after)))
		n->bytes++;
	n->escape = false;
	n->first = 0;
}

/* Without escapes, in l->line. False: too long. */
static bool lines_strip(struct lines *l, struct str *line)
{
	struct console_escape escape = {0};
	struct noise noise = {0};
	size_t n = l->kept;

	if (is_plain(*line)) {
		if (line->n > sizeof l->line - n)
			return false;
		memcpy(l->line + n, line->p, line->n);
		l->noise = l->kept ? l->noise : 0;
		*line = str_make(l->line, n + line->n);
		return true;
	}
	for (size_t i = 0; i < line->n; i++) {
		unsigned char c = (unsigned char)line->p[i];

		if (console_escape(&escape, c)) {
			if (c == 0x1b) {
				noise.before = n ? l->line[n - 1] : 0;
				noise.first = 0;
				noise.escape = true;
			} else if (!noise.first) {
				noise.first = c;
			}
			continue;
		}
		if (n == sizeof l->line)
			return false;
		/* Some terminals' "back to plain" ends in SI. */
		if (noise.escape && c == 0x0f)
			continue;
		/* U-Boot draws "Loading: *", steps back and goes on with a row of "#". */
		if (c == '\b' && n && l->line[n - 1] == '*') {
			l->line[n - 1] = ' ';
			continue;
		}
		if (noise.escape)
			noise_escape(&noise, line->p[i]);
		if (c < ' ' || c >= 127 || noise.more)
			noise_text(&noise, c);
		l->line[n++] = line->p[i];
	}
	if (escape.state != CONSOLE_PLAIN)
		noise.bytes++;
	else if (noise.escape)
		noise_escape(&noise, 0);
	noise.bytes += (noise.more > 0) + (noise.backs == 1);
	l->noise = noise.bytes + (l->kept ? l->noise : 0);
	*line = str_make(l->line, n);
	return true;
}

/* Keeps the head of a line that the kernel printed into; true when the line is whole. */
static bool lines_joined(struct lines *l, struct str line)
{
	ptrdiff_t torn = console_kernel_find(str_make(line.p + l->kept, line.n - l->kept));

	l->kept = torn < 0 ? 0 : l->kept + (size_t)torn;
	return torn < 0;
}

/* That line is lost: with it what it headed, or only itself. */
static void lines_lose(struct lines *l, struct str line)
{
	l->lost++;
	if (l->alone && l->alone(line)) {
		l->lost_alone++;
		return;
	}
	l->torn++;
	l->torn_at = l->at;
}

bool lines_near_torn(const struct lines *l, size_t at)
{
	size_t apart = at > l->torn_at ? at - l->torn_at : l->torn_at - at;

	return l->torn && apart <= LINES_HEAD_BYTES;
}

/* A line of which bytes were damaged: it may have been any. What is mostly noise was none: a line
 * whose speed was still another one. */
static void lines_noisy(struct lines *l, struct str line)
{
	if (l->noise > 1 && l->noise > line.n / LINES_NOISE_PART)
		return;
	lines_lose(l, line);
	lines_warn(l, "a line is damaged", line);
}

static bool lines_wanted(struct lines *l, struct str *line)
{
	int head;

	if (!lines_strip(l, line)) {
		l->kept = 0;
		return false;
	}
	if (l->join && !lines_joined(l, *line))
		return false;
	head = l->join ? 0 : console_kernel_head(*line);
	if (l->noise && (head <= 0 || l->kernel)) {
		lines_noisy(l, *line);
		return false;
	}
	if (l->join)
		return true;
	if (head > 0) {
		*line = str_make(line->p + head, line->n - (size_t)head);
		if (!l->kernel)
			return false;
	}
	if (console_kernel_find(*line) < 0) {
		/* What follows a torn line without a head of its own is the rest of it. */
		if (!l->tail || head > 0)
			return true;
		l->tail = false;
		lines_warn(l, "the rest of that line", *line);
		return false;
	}
	l->tail = true;
	lines_lose(l, *line);
	lines_warn(l, "the kernel printed into a line", *line);
	return false;
}

/* What follows the line break at end: CR LF is one. */
static struct str lines_break(struct str rest, size_t end)
{
	while (rest.p[end] == '\r' && end + 1 < rest.n &&
		(rest.p[end + 1] == '\r' || rest.p[end + 1] == '\n'))
		end++;
	return str_make(rest.p + end + 1, rest.n - end - 1);
}

/* Up to the next line break; a window at a time, or a text without LF would be searched for it
 * again and again. */
static size_t lines_end(struct str rest)
{
	for (size_t from = 0, n; from < rest.n; from += n) {
		const char *nl, *cr;

		n = rest.n - from < LINES_BYTES ? rest.n - from : LINES_BYTES;
		nl = memchr(rest.p + from, '\n', n);
		cr = memchr(rest.p + from, '\r', nl ? (size_t)(nl - rest.p) - from : n);
		if (cr || nl)
			return (size_t)((cr ? cr : nl) - rest.p);
	}
	return rest.n;
}

/* The kernel's line as a whole, where those are passed over: the most common of all. */
static bool lines_is_kernels(const struct lines *l, struct str line)
{
	return !l->kernel && !l->kept && line.n && (*line.p == '[' || *line.p == '<') &&
	       line.n <= sizeof l->line && console_kernel_head(line) > 0;
}

bool lines_next(struct lines *l, struct str *line)
{
	while (l->rest.n) {
		size_t end = lines_end(l->rest);

		*line = str_make(l->rest.p, end);
		if (!l->kept)
			l->at = (size_t)(l->rest.p - l->text.p);
		sink_at(l->sink, l->at);
		if (end == l->rest.n) {
			l->rest.n = 0;
			lines_strip(l, line);
			l->cut = str_trim(*line);
			if (str_trim(*line).n)
				lines_warn(l, "the last line has no end", *line);
			return false;
		}
		l->rest = lines_break(l->rest, end);
		l->tail &= end > 0;
		if (lines_is_kernels(l, *line))
			continue;
		if ((end || l->kept) && lines_wanted(l, line))
			return true;
	}
	return false;
}

size_t lines_words(struct str line, struct str *words)
{
	size_t n = 0;

	while (n < LINES_WORDS && str_word(&line, &words[n]))
		n++;
	return n;
}

bool lines_after(struct str s, const char *prefix, struct str *rest)
{
	size_t n = strlen(prefix);

	if (!str_starts(s, prefix))
		return false;
	*rest = str_trim(str_make(s.p + n, s.n - n));
	return true;
}

bool lines_number(struct str s, double *value, struct str *rest)
{
	size_t n = 0;

	s = str_trim(s);
	if (n < s.n && (s.p[n] == '-' || s.p[n] == '+'))
		n++;
	while (n < s.n && ((s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == '.'))
		n++;
	if (n + 1 < s.n && (s.p[n] == 'e' || s.p[n] == 'E')) {
		size_t to = n + 1 + (s.p[n + 1] == '-' || s.p[n + 1] == '+');

		if (to < s.n && s.p[to] >= '0' && s.p[to] <= '9')
			for (n = to; n < s.n && s.p[n] >= '0' && s.p[n] <= '9';)
				n++;
	}
	if (str_double(str_make(s.p, n), value))
		return false;
	*rest = str_make(s.p + n, s.n - n);
	return true;
}

bool lines_unit(struct str word, const char *unit, double *value)
{
	struct str rest;
	double number;

	if (!lines_number(word, &number, &rest) || !str_is(rest, unit))
		return false;
	*value = number;
	return true;
}

bool lines_has(struct str s, const char *part)
{
	return str_find(s, str_of(part)) >= 0;
}

char *lines_copy(struct str s, char *out, size_t n)
{
	snprintf(out, n, "%.*s", (int)(s.n < n ? s.n : n), s.n ? s.p : "");
	return out;
}

int lines_nothing(struct str text, const char *tool, const char *what, struct err *e)
{
	struct str first = {0}, rest = str_trim(text);
	char shown[160];

	str_line(&rest, &first);
	if (!first.n)
		return err_set(e, BLAME_TEST, "%s: no output", tool);
	return err_set(e, BLAME_TEST, "%s: no %s in its output, it says: %s", tool, what,
		str_printable(first, shown, sizeof shown));
}

char *lines_size(double bytes, char *out, size_t n)
{
	double k = bytes / 1024, m = k / 1024;

	if (m >= 1 && m == floor(m))
		snprintf(out, n, "%.0fm", m);
	else if (k >= 1 && k == floor(k))
		snprintf(out, n, "%.0fk", k);
	else
		snprintf(out, n, "%.0f", bytes);
	return out;
}

bool lines_is_stream(struct str line)
{
	line = str_trim(line);
	return str_starts(line, "[") && !str_starts(line, "[SUM") && !str_starts(line, "[FD") &&
	       lines_has(line, " sec ");
}
