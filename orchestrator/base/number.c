/* SPDX-License-Identifier: MIT */
/*
 * Text to numbers and back: the str_* functions that parse whole strings. Invariant: *out is
 * untouched unless the whole string was a number in range.
 */
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_CHARS 64

static int copy(struct str s, char out[NUMBER_CHARS])
{
	if (!s.n || s.n >= NUMBER_CHARS || memchr(s.p, 0, s.n))
		return -1;
	memcpy(out, s.p, s.n);
	out[s.n] = 0;
	return 0;
}

static bool is_hex(const char *z)
{
	return z[0] == '0' && (z[1] == 'x' || z[1] == 'X') && z[2];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int str_u64(struct str s, uint64_t *out)
{
	char z[NUMBER_CHARS], *end;
	unsigned long long v;

	if (copy(s, z) || !is_digit(z[0]))
		return -1;
	errno = 0;
	v = strtoull(z, &end, is_hex(z) ? 16 : 10);
	if (*end || errno)
		return -1;
	*out = v;
	return 0;
}

int str_i64(struct str s, int64_t *out)
{
	bool minus = s.n && *s.p == '-';
	uint64_t v;

	if (str_u64(minus ? str_make(s.p + 1, s.n - 1) : s, &v) || v > (uint64_t)INT64_MAX + minus)
		return -1;
	*out = minus ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

int str_double(struct str s, double *out)
{
	static locale_t c_locale; /* made once; the C locale is always there */
	char z[NUMBER_CHARS], *end;
	double v;

	if (copy(s, z) || strspn(z, "+-.0123456789eE") != s.n)
		return -1;
	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	v = strtod_l(z, &end, c_locale);
	if (end == z || *end || !isfinite(v))
		return -1;
	*out = v;
	return 0;
}

struct unit {
	const char *name;
	double factor;
};

static const struct unit times[] = {{"ms", 1}, {"us", 1e-3}, {"s", 1e3}, {"min", 6e4}, {"m", 6e4},
	{"h", 3.6e6}, {"d", 8.64e7}, {NULL, 0}};
static const struct unit sizes[] = {{"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
	{"TiB", 1099511627776.0}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	{"k", 1024}, {"K", 1024}, {"m", 1048576}, {"M", 1048576}, {"g", 1073741824},
	{"G", 1073741824}, {NULL, 0}};

/* One "12.5unit" cut off *s: 0 and its value, -1 when it is none. */
static int quantity(struct str *s, const struct unit *units, double *value)
{
	size_t n = 0, u;
	double v;

	while (n < s->n && (is_digit(s->p[n]) || s->p[n] == '.'))
		n++;
	if (str_double(str_make(s->p, n), &v))
		return -1;
	s->p += n, s->n -= n;
	for (u = 0; units[u].name; u++) {
		size_t len = strlen(units[u].name);
		bool ends = s->n == len || (s->n > len && is_digit(s->p[len]));

		if (s->n >= len && ends && !memcmp(s->p, units[u].name, len)) {
			s->p += len, s->n -= len;
			*value = v * units[u].factor;
			return 0;
		}
	}
	return -1;
}

int str_duration_ms(struct str s, int64_t *out)
{
	double sum = 0, part;

	if (str_is(s, "0")) {
		*out = 0;
		return 0;
	}
	if (!s.n)
		return -1;
	while (s.n) {
		if (quantity(&s, times, &part))
			return -1;
		sum += part;
	}
	if (sum > 9e15)
		return -1;
	*out = (int64_t)ceil(sum);
	return 0;
}

int str_size_bytes(struct str s, int64_t *out)
{
	uint64_t plain;
	double v;

	if (!str_u64(s, &plain)) {
		if (plain > INT64_MAX)
			return -1;
		*out = (int64_t)plain;
		return 0;
	}
	if (quantity(&s, sizes, &v) || s.n || v > 9e15 || v != floor(v))
		return -1;
	*out = (int64_t)v;
	return 0;
}

char *str_format_ms(int64_t ms, char *out, size_t n)
{
	if (ms < 1000)
		snprintf(out, n, "%" PRId64 " ms", ms);
	else if (ms < 120000)
		snprintf(out, n, ms % 1000 ? "%.1f s" : "%.0f s", ms / 1e3);
	else if (ms < 7200000)
		snprintf(out, n, ms % 60000 ? "%.1f min" : "%.0f min", ms / 6e4);
	else
		snprintf(out, n, ms % 3600000 ? "%.1f h" : "%.0f h", ms / 3.6e6);
	return out;
}

char *str_format_bytes(int64_t bytes, char *out, size_t n)
{
	static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)bytes;
	unsigned u = 0;

	for (; v >= 1024 && u + 1 < ARRAY_LEN(names); u++)
		v /= 1024;
	snprintf(out, n, v == floor(v) ? "%.0f %s" : "%.1f %s", v, names[u]);
	return out;
}
