/* SPDX-License-Identifier: MIT */
/*
 * One line of TAP: its kind, and a test point's number, description and directive. Invariant: a
 * line that a lost or changed byte may have made of another one carries its damage.
 */
#include "tap-read.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

static bool is_number(struct str s)
{
	if (!s.n || s.n > TAP_NUMBER)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]))
			return false;
	return true;
}

/* "ok" or "not ok" at the start, with a blank or nothing behind: its length, else 0. */
static size_t point_head(struct str line)
{
	size_t n = str_starts(line, "not ok") ? 6 : str_starts(line, "ok") ? 2 : 0;

	return n && (n == line.n || line.p[n] == ' ') ? n : 0;
}

static bool is_plan(struct str line)
{
	size_t n = 3;

	if (!str_starts(line, "1.."))
		return false;
	while (n < line.n && isdigit((unsigned char)line.p[n]))
		n++;
	if (!is_number(str_make(line.p + 3, n - 3)))
		return false;
	line = str_trim(str_make(line.p + n, line.n - n));
	return !line.n || *line.p == '#';
}

enum tap_kind tap_kind(struct str line)
{
	if (str_starts(line, "TAP version ") || str_starts(line, "KTAP version "))
		return TAP_VERSION;
	if (is_plan(line))
		return TAP_PLAN;
	if (point_head(line))
		return TAP_POINT;
	if (str_starts(line, "Bail out!"))
		return TAP_BAIL;
	if (str_starts(line, "# Subtest:"))
		return TAP_SUBTEST;
	return line.n && *line.p == '#' ? TAP_COMMENT : TAP_OTHER;
}

/* ---- directives ------------------------------------------------------------------------------ */

enum word { WORD_NONE, WORD_DOUBT, WORD_SKIP, WORD_TODO, WORD_XFAIL, WORD_TIMEOUT, WORD_ERROR };

static const struct {
	const char *text;
	enum word word;
} words[] = {{"SKIP", WORD_SKIP}, {"TODO", WORD_TODO}, {"XFAIL", WORD_XFAIL},
	{"TIMEOUT", WORD_TIMEOUT}, {"ERROR", WORD_ERROR}};
#define WORDS_TAP  2
#define WORDS_KTAP 5

/* The directive that s, what follows a '#', begins with. */
static enum word directive(struct str s, bool ktap, struct str *rest)
{
	size_t n = 0;
	char upper[12];

	s = str_trim(s);
	while (n < s.n && n < sizeof upper - 1 && s.p[n] != ' ' && s.p[n] != '\t') {
		upper[n] = (char)toupper((unsigned char)s.p[n]);
		n++;
	}
	upper[n] = 0;
	for (size_t i = 0; i < (ktap ? WORDS_KTAP : WORDS_TAP); i++) {
		size_t length = strlen(words[i].text);

		if (!strncmp(upper, words[i].text, length)) {
			*rest = str_trim(str_make(s.p + length, s.n - length));
			return words[i].word;
		}
		if ((n == s.n && !strncmp(upper, words[i].text, n)) ||
			str_distance(upper, words[i].text) == 1)
			return WORD_DOUBT;
	}
	return WORD_NONE;
}

/* Where the directive of a description begins, with its word and text; s.n: nowhere. */
static size_t find_directive(struct str s, bool ktap, enum word *word, struct str *why)
{
	*word = WORD_NONE;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\') {
			i++;
			continue;
		}
		if (s.p[i] != '#')
			continue;
		*word = directive(str_make(s.p + i + 1, s.n - i - 1), ktap, why);
		if (*word > WORD_DOUBT && i && s.p[i - 1] != ' ' && s.p[i - 1] != '\t')
			*word = WORD_DOUBT;
		if (*word != WORD_NONE)
			return i;
	}
	return s.n;
}

static const char *word_why(struct shown *s, enum word word, struct str why)
{
	static const char *const said[] = {[WORD_SKIP] = NULL,
		[WORD_TODO] = "todo",
		[WORD_XFAIL] = "expected to fail",
		[WORD_TIMEOUT] = "timeout",
		[WORD_ERROR] = "error"};
	const char *text = shown_name(s, why);

	if (!said[word])
		return *text ? text : NULL;
	return *text ? arena_printf(&s->arena, "%s: %s", said[word], text) : said[word];
}

static enum status word_status(enum word word, bool is_ok)
{
	switch (word) {
	case WORD_SKIP:
		return STATUS_SKIP;
	case WORD_TODO:
		return STATUS_DONE;
	case WORD_XFAIL:
		return is_ok ? STATUS_PASS : STATUS_DONE;
	case WORD_ERROR:
		return STATUS_ERROR;
	default:
		return is_ok ? STATUS_PASS : STATUS_FAIL;
	}
}

/* ---- the point ------------------------------------------------------------------------------- */

/* "\#" and "\\" without their "\". */
static const char *unescaped(struct shown *s, struct str text)
{
	char *copy = arena_strdup(&s->arena, shown_name(s, text)), *to = copy;

	for (const char *p = copy; *p; p++) {
		if (*p == '\\' && (p[1] == '#' || p[1] == '\\'))
			p++;
		*to++ = *p;
	}
	*to = 0;
	return copy;
}

/* Another point stands inside the description: the line break between them was lost. */
static bool holds_point(struct str text, int64_t number)
{
	char want[32];

	snprintf(want, sizeof want, "ok %lld", (long long)number + 1);
	return number && str_find(text, str_of(want)) >= 0;
}

/* A selftest's exit status stands behind its name: "ok 3 selftests: x: y # exit=1". */
static void strip_exit(struct shown *s, struct tap_point *p)
{
	struct str name = str_of(p->name);
	ptrdiff_t at = str_find(name, STR_LIT("# exit="));

	if (at <= 0)
		return;
	p->why = p->name + at + 2;
	p->name = shown_name(s, str_make(name.p, (size_t)at));
}

struct tap_point tap_point(struct shown *s, struct str line, struct str next, bool ktap)
{
	struct tap_point p = {0};
	struct str rest, why = {"", 0}, unused, first;
	enum word word;
	size_t head = point_head(line);

	rest = str_make(line.p + head, line.n - head);
	unused = rest;
	if (str_word(&unused, &first) && is_number(first) && !str_i64(first, &p.number) && p.number)
		rest = unused;
	rest = str_trim(rest);
	if (rest.n && *rest.p == '-' && (rest.n == 1 || rest.p[1] == ' '))
		rest = str_trim(str_make(rest.p + 1, rest.n - 1));
	p.name = unescaped(s, str_make(rest.p, find_directive(rest, ktap, &word, &why)));
	if (ktap && word == WORD_NONE)
		strip_exit(s, &p);
	next = str_trim(next);
	if (next.n && *next.p == '#')
		next = str_trim(str_make(next.p + 1, next.n - 1));
	if (word == WORD_DOUBT)
		p.damage = "its directive is damaged";
	else if (word == WORD_NONE && next.n > 3 && isupper((unsigned char)next.p[1]) &&
		 directive(next, ktap, &unused) > WORD_DOUBT)
		p.damage = "a directive stands alone behind it";
	else if (holds_point(rest, p.number))
		p.damage = "the line of another test stands inside";
	p.status = word_status(word, head == 2);
	if (word > WORD_DOUBT)
		p.why = word_why(s, word, why);
	return p;
}
