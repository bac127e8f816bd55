/* SPDX-License-Identifier: MIT */
/*
 * Faults of a console line. Invariant: without a fault that strikes, bytes pass unchanged; a fault
 * counts every byte of its direction, whatever other faults do to it.
 */
#include "labs/virtual/player/fault.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

static const char *const kind_names[] = {
	"", "insert", "drop", "dup", "corrupt", "hang", "panic", "reboot"};

static void fault_done(struct fault *f)
{
	free((char *)f->after.p);
	free(f->text);
	free(f->at);
}

void faults_done(struct faults *f)
{
	vec_each (&f->all, it)
		fault_done(it);
	vec_done(&f->all);
}

void fault_add_lines(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			buf_putc(out, '\r');
		buf_putc(out, text.p[i]);
	}
}

/* ---- reading a spec ------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
					    : -1;
}

/* One escape behind the backslash; the bytes it took. */
static size_t unescape(struct str s, char *byte)
{
	static const char from[] = "nrts", to[] = "\n\r\t ";
	int high = s.n >= 3 ? hex_digit(s.p[1]) : -1, low = s.n >= 3 ? hex_digit(s.p[2]) : -1;
	const char *known = memchr(from, s.p[0], sizeof from - 1);

	if (s.p[0] == 'x' && high >= 0 && low >= 0) {
		*byte = (char)(high << 4 | low);
		return 3;
	}
	*byte = known ? to[known - from] : s.p[0];
	return 1;
}

/* Cuts the next word off: up to a space outside of quotes, quotes and escapes taken away. False at
 * the end; -1 in *bad when a quote stays open. */
static bool next_word(struct str *rest, struct buf *word, bool *bad)
{
	char quote = 0;
	size_t i = 0;

	*rest = str_trim(*rest);
	buf_reset(word);
	if (!rest->n)
		return false;
	for (; i < rest->n && (quote || !isspace((unsigned char)rest->p[i])); i++) {
		char c = rest->p[i];

		if (c == '\\' && i + 1 < rest->n) {
			i += unescape(str_make(rest->p + i + 1, rest->n - i - 1), &c);
			buf_putc(word, c);
		} else if (c == quote) {
			quote = 0;
		} else if (!quote && (c == '"' || c == '\'')) {
			quote = c;
		} else {
			buf_putc(word, c);
		}
	}
	*rest = str_make(rest->p + i, rest->n - i);
	*bad = quote != 0 || word->overflow;
	return true;
}

static int set_number(struct str value, const char *key, int64_t min, int64_t *out, struct err *e)
{
	int64_t n;

	if (str_i64(value, &n) < 0 || n < min)
		return err_set(e, BLAME_CONFIG, "fault: '%s' needs a number from %d, not '%.*s'",
			key, (int)min, STR_ARG(value));
	*out = n;
	return 0;
}

static int set_word(struct fault *f, struct str word, struct err *e)
{
	static const char *const keys[] = {
		"typed", "every", "after", "offset", "at", "count", "text"};
	ptrdiff_t eq = str_chr(word, '=');
	struct str key = eq < 0 ? word : str_make(word.p, (size_t)eq);
	struct str value =
		eq < 0 ? str_make("", 0) : str_make(word.p + eq + 1, word.n - (size_t)eq - 1);
	AUTOFREE char *name = mem_strndup(key.p, key.n);
	const char *near;

	if (str_is(word, "typed")) {
		f->typed = true;
	} else if (str_is(key, "every")) {
		return set_number(value, name, 1, &f->every, e);
	} else if (str_is(key, "offset")) {
		return set_number(value, name, 0, &f->offset, e);
	} else if (str_is(key, "count")) {
		return set_number(value, name, 0, &f->count, e);
	} else if (str_is(key, "after") && value.n) {
		free((char *)f->after.p);
		f->after = str_make(mem_dup(value.p, value.n), value.n);
	} else if (str_is(key, "text")) {
		free(f->text);
		f->text = mem_strndup(value.p, value.n);
	} else if (str_is(key, "at") && value.n) {
		free(f->at);
		f->at = mem_strndup(value.p, value.n);
	} else {
		near = str_nearest(name, keys, ARRAY_LEN(keys));
		return err_set(e, BLAME_CONFIG, "fault: unknown or empty '%s'%s%s%s", name,
			near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	return 0;
}

static int set_kind(struct fault *f, struct str word, struct err *e)
{
	for (size_t k = FAULT_INSERT; k < ARRAY_LEN(kind_names); k++)
		if (str_is(word, kind_names[k]))
			f->kind = (enum fault_kind)k;
	if (f->kind == FAULT_NONE)
		return err_set(e, BLAME_CONFIG,
			"fault: '%.*s' is none of insert, drop, dup, corrupt, hang, panic, reboot",
			STR_ARG(word));
	f->count = f->kind >= FAULT_HANG;
	return 0;
}

static int parse(struct fault *f, struct str spec, struct err *e)
{
	AUTOBUF word = BUF_INIT(FAULT_TEXT_BYTES);
	bool bad = false;
	int rc = 0;

	f->countdown = -1;
	while (rc == 0 && next_word(&spec, &word, &bad)) {
		if (bad)
			return err_set(
				e, BLAME_CONFIG, "fault: a quote left open, or a text too long");
		if (f->kind == FAULT_NONE)
			rc = set_kind(f, str_make(buf_str(&word), word.len), e);
		else
			rc = set_word(f, str_make(buf_str(&word), word.len), e);
	}
	if (rc == 0 && f->kind == FAULT_NONE)
		rc = err_set(e, BLAME_CONFIG, "fault: nothing said");
	if (rc == 0 && f->kind >= FAULT_DROP && f->kind <= FAULT_CORRUPT && !f->every &&
		!f->after.n)
		rc = err_set(
			e, BLAME_CONFIG, "fault: '%s' needs every= or after=", kind_names[f->kind]);
	return rc;
}

int faults_add(struct faults *f, struct str spec, struct err *e)
{
	struct fault fault = {0};

	if (f->all.n >= FAULTS_MAX)
		return err_set(e, BLAME_CONFIG, "fault: a board has at most %d", FAULTS_MAX);
	if (parse(&fault, spec, e) < 0) {
		fault_done(&fault);
		return -1;
	}
	vec_push(&f->all, fault);
	return 0;
}

bool faults_is_now(const struct faults *f)
{
	const struct fault *last = &f->all.p[f->all.n - 1];

	return f->all.n && !last->every && !last->after.n && !last->at;
}

void faults_drop_last(struct faults *f)
{
	if (f->all.n)
		fault_done(&f->all.p[--f->all.n]);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* How much of `after` the stream ends with, one byte on. */
static size_t follow(const struct fault *f, char byte)
{
	size_t k = f->matched == f->after.n ? f->matched - 1 : f->matched;

	if (f->matched < f->after.n && f->after.p[k] == byte)
		return k + 1;
	/* the longest shorter start of `after` that the bytes end with */
	for (k = f->matched; k > 0; k--)
		if (f->after.p[k - 1] == byte &&
			!memcmp(f->after.p, f->after.p + f->matched - (k - 1), k - 1))
			return k;
	return 0;
}

static bool strikes(struct fault *f, char byte)
{
	bool now = false;

	f->seen++;
	if (f->every)
		now = f->seen % (uint64_t)f->every == 0;
	if (f->countdown > 0 && --f->countdown == 0) {
		f->countdown = -1;
		now = true;
	}
	if (f->after.n) {
		f->matched = follow(f, byte);
		if (f->matched == f->after.n && f->offset)
			f->countdown = f->offset;
		else if (f->matched == f->after.n)
			now = true;
	}
	if (!now || (f->count && f->fired >= (uint64_t)f->count))
		return false;
	f->fired++;
	return true;
}

static void insert(const struct faults *f, const struct fault *one, struct buf *out)
{
	fault_add_lines(out, str_of(one->text ? one->text : f->line ? f->line : ""));
}

enum fault_kind faults_pass(
	struct faults *f, bool typed, struct str in, struct buf *out, size_t *eaten)
{
	if (!f->all.n) {
		buf_add(out, in.p, in.n);
		*eaten = in.n;
		return FAULT_NONE;
	}
	for (size_t i = 0; i < in.n; i++) {
		enum fault_kind struck = FAULT_NONE;
		char byte = in.p[i];
		uint64_t inserts = 0;
		int copies = 1;

		for (size_t k = 0; k < f->all.n; k++) {
			struct fault *one = &f->all.p[k];

			if (one->typed != typed || !strikes(one, in.p[i]))
				continue;
			if (one->kind == FAULT_INSERT)
				inserts |= (uint64_t)1 << k;
			else if (one->kind == FAULT_DROP)
				copies = 0;
			else if (one->kind == FAULT_DUP)
				copies *= 2;
			else if (one->kind == FAULT_CORRUPT)
				byte ^= 0x10;
			else
				struck = one->kind;
		}
		while (copies-- > 0)
			buf_putc(out, byte);
		for (size_t k = 0; k < f->all.n; k++)
			if (inserts >> k & 1)
				insert(f, &f->all.p[k], out);
		if (struck != FAULT_NONE) {
			*eaten = i + 1;
			return struck;
		}
	}
	*eaten = in.n;
	return FAULT_NONE;
}

enum fault_kind faults_enter(struct faults *f, const char *state, struct buf *out)
{
	enum fault_kind struck = FAULT_NONE;

	vec_each (&f->all, one) {
		if (!one->at || strcmp(one->at, state) ||
			(one->count && one->fired >= (uint64_t)one->count))
			continue;
		one->fired++;
		if (one->kind == FAULT_INSERT)
			insert(f, one, out);
		else if (one->kind >= FAULT_HANG)
			struck = one->kind;
	}
	return struck;
}

enum fault_kind faults_now(struct faults *f, struct buf *out)
{
	struct fault *last = &f->all.p[f->all.n - 1];

	last->fired++;
	if (last->kind != FAULT_INSERT)
		return last->kind;
	insert(f, last, out);
	return FAULT_NONE;
}

void faults_print(struct faults *f, const char *indent, struct buf *out)
{
	char text[256];

	vec_each (&f->all, one) {
		buf_printf(
			out, "%s%s%s", indent, kind_names[one->kind], one->typed ? " typed" : "");
		if (one->every)
			buf_printf(out, " every=%lld", (long long)one->every);
		if (one->after.n)
			buf_printf(out, " after=\"%s\" offset=%lld",
				str_printable(one->after, text, sizeof text),
				(long long)one->offset);
		if (one->at)
			buf_printf(out, " at=%s", one->at);
		buf_printf(out, " count=%lld struck %llu times\n", (long long)one->count,
			(unsigned long long)one->fired);
	}
}
