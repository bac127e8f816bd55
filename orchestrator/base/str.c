/* SPDX-License-Identifier: MIT */
/* Views of bytes. Invariant: nothing here reads past s.n or allocates. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

bool str_is(struct str a, const char *z)
{
	return str_eq(a, str_of(z));
}

bool str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && !memcmp(s.p, prefix, n);
}

bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && !memcmp(s.p + s.n - n, suffix, n);
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(*s.p))
		s.p++, s.n--;
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

ptrdiff_t str_find(struct str s, struct str needle)
{
	const char *at;

	if (!needle.n)
		return 0;
	at = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
	return at ? at - s.p : -1;
}

ptrdiff_t str_chr(struct str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? at - s.p : -1;
}

uint64_t str_hash(struct str s)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return h;
}

bool str_line(struct str *rest, struct str *line)
{
	ptrdiff_t nl;

	if (!rest->n)
		return false;
	nl = str_chr(*rest, '\n');
	*line = str_make(rest->p, nl < 0 ? rest->n : (size_t)nl);
	*rest = nl < 0 ? str_make(rest->p + rest->n, 0)
		       : str_make(rest->p + nl + 1, rest->n - nl - 1);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

bool str_word(struct str *rest, struct str *word)
{
	size_t n = 0;

	while (rest->n && is_space(*rest->p))
		rest->p++, rest->n--;
	while (n < rest->n && !is_space(rest->p[n]))
		n++;
	*word = str_make(rest->p, n);
	*rest = str_make(rest->p + n, rest->n - n);
	return n > 0;
}

int str_distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	int na = (int)strnlen(a, MAX), nb = (int)strnlen(b, MAX);
	int rows[3][MAX + 1], *two = rows[0], *one = rows[1], *now = rows[2], *tmp;

	for (int j = 0; j <= nb; j++)
		one[j] = j;
	for (int i = 1; i <= na; i++) {
		now[0] = i;
		for (int j = 1; j <= nb; j++) {
			int best = one[j - 1] + (a[i - 1] != b[j - 1]);

			if (one[j] + 1 < best)
				best = one[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				two[j - 2] + 1 < best)
				best = two[j - 2] + 1;
			now[j] = best;
		}
		tmp = two, two = one, one = now, now = tmp;
	}
	return one[nb];
}

const char *str_nearest(const char *word, const char *const *names, size_t n)
{
	const char *best = NULL;
	int len = (int)strnlen(word, 64), least = len < 3 ? len : (len + 1) / 3 + 1;

	for (size_t i = 0; i < n; i++) {
		int d = str_distance(word, names[i]);

		if (d < least) {
			least = d;
			best = names[i];
		}
	}
	return best;
}

char *str_printable(struct str s, char *out, size_t n)
{
	size_t o = 0, fits = 0; /* fits: where "..." may still go */

	if (!n)
		return out;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		size_t need = c < 0x20 || c >= 0x7f ? 4 : 1;

		if (o + 4 <= n)
			fits = o;
		if (o + need + 1 > n) {
			snprintf(out + fits, n - fits, "...");
			return out;
		}
		if (need == 4)
			snprintf(out + o, n - o, "\\x%02x", c);
		else
			out[o] = (char)c;
		o += need;
	}
	out[o] = 0;
	return out;
}

bool str_is_name(const char *z)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t n = z ? strlen(z) : 0;

	if (!n || n >= STR_NAME_BYTES || !strchr(letters, *z))
		return false;
	for (; *z; z++)
		if (!strchr(letters, *z) && !strchr("._+-", *z))
			return false;
	return true;
}
