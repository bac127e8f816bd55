/* SPDX-License-Identifier: MIT */
#ifndef BASE_STR_H
#define BASE_STR_H

/*
 * A view of bytes (not owned, not NUL-terminated) and the text functions that need no memory.
 */

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *p;
	size_t n;
};

/* For "%.*s". */
#define STR_ARG(s)   (int)(s).n, (s).p
#define STR_LIT(lit) ((struct str){(lit), sizeof(lit) - 1})

static inline struct str str_of(const char *z)
{
	return (struct str){z, z ? strlen(z) : 0};
}
static inline struct str str_make(const char *p, size_t n)
{
	return (struct str){p, n};
}

bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *z);
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
struct str str_trim(struct str s); /* ASCII white space at both ends */
/* Position of needle, or -1. */
ptrdiff_t str_find(struct str s, struct str needle);
ptrdiff_t str_chr(struct str s, char c);
/* FNV-1a, 64 bits: the same in every process and version; for names, not against an adversary. */
uint64_t str_hash(struct str s);
/* Cuts the next line off *rest into *line (without \n, and without a \r before it). False at the
 * end. A last line with no \n counts as a line. */
bool str_line(struct str *rest, struct str *line);
/* Cuts the next word (run of non-white-space) off *rest. False at the end. */
bool str_word(struct str *rest, struct str *word);

/*
 * Whole-string number parsing: leading/trailing rubbish, overflow or an empty string give -1
 * and leave *out alone. str_i64/str_u64 take decimal or 0x hex. str_double takes finite decimal
 * numbers only (no nan, inf, hex), independent of locale.
 */
int str_i64(struct str s, int64_t *out);
int str_u64(struct str s, uint64_t *out);
int str_double(struct str s, double *out);
/* "90s" "1500ms" "2m" "1h30m" "250us" -> milliseconds (sub-millisecond rounded up). A unit is
 * required, but for 0. */
int str_duration_ms(struct str s, int64_t *out);
/* "512" (bytes) "64KiB" "1MiB" "2GiB" "1kB" "1MB"; also fio's "4k" "1m" "1g" (powers of two). */
int str_size_bytes(struct str s, int64_t *out);
/* Formats of the same ("1h 2m 3s"-free: "1.5 s", "250 ms", "2 min"; sizes "64 MiB") into out;
 * returns out. */
char *str_format_ms(int64_t ms, char *out, size_t n);
char *str_format_bytes(int64_t bytes, char *out, size_t n);

/* Edit distance (Damerau-Levenshtein, restricted), for "did you mean". */
int str_distance(const char *a, const char *b);
/* The nearest of names[0..n) to word if near enough to be offered (about a third of it wrong),
 * else NULL. */
const char *str_nearest(const char *word, const char *const *names, size_t n);

/* A name that we give to boards, jobs, steps, roles: letters, digits and . _ + - after a first
 * letter or digit, at most STR_NAME_BYTES - 1 of them. */
#define STR_NAME_BYTES 128
bool str_is_name(const char *z);

/* Copies printable text for a message: control and non-ASCII bytes as \xNN, cut with "..." to fit.
 * Returns out.
 */
char *str_printable(struct str s, char *out, size_t n);

#endif
