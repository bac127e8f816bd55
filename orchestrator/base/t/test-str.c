/* SPDX-License-Identifier: MIT */
/* Views of bytes, numbers with units, nearest words. */
#include "base/str.h"

#include "base/t/tap.h"

#include <locale.h>

static void views(void)
{
	struct str rest = STR_LIT("a\r\n\nlast"), piece;

	ok(str_eq(STR_LIT("a"), str_of("a")) && !str_eq(STR_LIT("a"), STR_LIT("ab")), "equal");
	ok(str_eq(str_of(NULL), STR_LIT("")), "NULL is empty");
	ok(str_starts(STR_LIT("abc"), "ab") && !str_starts(STR_LIT("a"), "ab"), "start");
	ok(str_ends(STR_LIT("abc"), "bc") && !str_ends(STR_LIT("c"), "bc"), "end");
	ok(str_is(str_trim(STR_LIT(" \t\v x y\r\n")), "x y"), "trimmed");
	is_int(str_trim(STR_LIT("  \n")).n, 0, "nothing but space");
	is_int(str_find(STR_LIT("xabab"), STR_LIT("ab")), 1, "found");
	is_int(str_find(STR_LIT("xa"), STR_LIT("ab")), -1, "not found");
	is_int(str_find(STR_LIT("xa"), STR_LIT("")), 0, "nothing is everywhere");
	is_int(str_find(str_of(NULL), STR_LIT("a")), -1, "nothing in nothing");
	is_int(str_chr(STR_LIT("ab"), 'b'), 1, "a byte");
	is_int(str_chr(str_of(NULL), 'b'), -1, "no byte");
	ok(str_hash(str_of(NULL)) == 0xcbf29ce484222325, "hash of nothing");
	ok(str_hash(STR_LIT("foobar")) == 0x85944171f73967e8, "hash as FNV publishes it");
	ok(str_line(&rest, &piece) && str_is(piece, "a"), "a line without CR");
	ok(str_line(&rest, &piece) && str_is(piece, ""), "an empty line");
	ok(str_line(&rest, &piece) && str_is(piece, "last"), "the last, with no newline");
	ok(!str_line(&rest, &piece), "no more");
	rest = STR_LIT("  one\ttwo ");
	ok(str_word(&rest, &piece) && str_is(piece, "one"), "a word");
	ok(str_word(&rest, &piece) && str_is(piece, "two"), "the next");
	ok(!str_word(&rest, &piece), "no more");
}

static void integers(void)
{
	static const struct {
		const char *text;
		int rc;
		int64_t want;
	} rows[] = {{"0", 0, 0}, {"42", 0, 42}, {"-42", 0, -42}, {"0x1F", 0, 31}, {"-0x10", 0, -16},
		{"007", 0, 7}, {"9223372036854775807", 0, INT64_MAX},
		{"-9223372036854775808", 0, INT64_MIN}, {"9223372036854775808", -1, 7},
		{"-9223372036854775809", -1, 7}, {"99999999999999999999", -1, 7}, {"", -1, 7},
		{"-", -1, 7}, {"--1", -1, 7}, {"+1", -1, 7}, {" 1", -1, 7}, {"1 ", -1, 7},
		{"1x", -1, 7}, {"0x", -1, 7}, {"0xg", -1, 7}, {"1.0", -1, 7}};
	int64_t v;
	uint64_t u = 7;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		v = 7;
		is_int(str_i64(str_of(rows[i].text), &v), rows[i].rc, "integer '%s'", rows[i].text);
		is_int(v, rows[i].want, "its value");
	}
	ok(!str_u64(STR_LIT("18446744073709551615"), &u) && u == UINT64_MAX, "the largest");
	is_int(str_u64(STR_LIT("-1"), &u), -1, "nothing below 0");
	is_int(str_i64(str_make("1\0002", 3), &v), -1, "a NUL inside");
}

static void reals(void)
{
	static const char *const bad[] = {"", "nan", "inf", "0x1p3", "1e999", "1,5", " 1", "1 ",
		"1.5.2", "e5", ".", "-", "--1"};
	double v = 7;

	setlocale(LC_ALL, ""); /* whatever it is, numbers have points */
	ok(!str_double(STR_LIT("1.5"), &v) && v == 1.5, "a real");
	ok(!str_double(STR_LIT("-1e-3"), &v) && v == -1e-3, "with an exponent");
	ok(!str_double(STR_LIT("3"), &v) && v == 3, "an integer is one");
	v = 7;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ok(str_double(str_of(bad[i]), &v) == -1 && v == 7, "no real: '%s'", bad[i]);
}

static void units(void)
{
	static const struct {
		const char *text;
		int64_t ms; /* -1: none */
	} times[] = {{"90s", 90000}, {"1500ms", 1500}, {"2m", 120000}, {"2min", 120000},
		{"1h30m", 5400000}, {"1h30min5s", 5405000}, {"250us", 1}, {"1.5s", 1500}, {"0", 0},
		{"1d", 86400000}, {"0s", 0}, {"90", -1}, {"", -1}, {"s", -1}, {"90 s", -1},
		{"-5s", -1}, {"1x", -1}, {"5s3", -1}, {"1e3s", -1}, {"999999999999d", -1},
		{"1h30", -1}, {"1.2.3s", -1}};
	static const struct {
		const char *text;
		int64_t bytes;
	} sizes[] = {{"512", 512}, {"64KiB", 65536}, {"1MiB", 1048576}, {"2GiB", 2147483648},
		{"1kB", 1000}, {"1MB", 1000000}, {"4k", 4096}, {"1m", 1048576}, {"1g", 1073741824},
		{"1.5KiB", 1536}, {"0", 0}, {"0.3B", -1}, {"", -1}, {"k", -1}, {"1 k", -1},
		{"-1k", -1}, {"1kk", -1}, {"1KiB2", -1}, {"99999999999GiB", -1},
		{"18446744073709551615", -1}};
	char out[40];
	int64_t v;

	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		v = -1;
		is_int(str_duration_ms(str_of(times[i].text), &v), times[i].ms < 0 ? -1 : 0,
			"duration '%s'", times[i].text);
		is_int(v, times[i].ms, "its milliseconds");
	}
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		v = -1;
		is_int(str_size_bytes(str_of(sizes[i].text), &v), sizes[i].bytes < 0 ? -1 : 0,
			"size '%s'", sizes[i].text);
		is_int(v, sizes[i].bytes, "its bytes");
	}
	is_str(str_format_ms(250, out, sizeof out), "250 ms", "short");
	is_str(str_format_ms(1500, out, sizeof out), "1.5 s", "seconds");
	is_str(str_format_ms(90000, out, sizeof out), "90 s", "whole seconds");
	is_str(str_format_ms(120000, out, sizeof out), "2 min", "minutes");
	is_str(str_format_ms(9000000, out, sizeof out), "2.5 h", "hours");
	is_str(str_format_bytes(512, out, sizeof out), "512 bytes", "bytes");
	is_str(str_format_bytes(1536, out, sizeof out), "1.5 KiB", "KiB");
	is_str(str_format_bytes(64 << 20, out, sizeof out), "64 MiB", "MiB");
	is_str(str_format_bytes(INT64_MAX, out, sizeof out), "8388608 TiB", "the largest");
	is_str(str_format_bytes(64 << 20, out, 4), "64 ", "cut");
}

static void words(void)
{
	static const char *const names[] = {"timeout", "port", "baud", "id"};
	size_t n = ARRAY_LEN(names);
	char out[20];

	is_int(str_distance("", "abc"), 3, "from nothing");
	is_int(str_distance("abc", "abc"), 0, "the same");
	is_int(str_distance("tiemout", "timeout"), 1, "two letters swapped");
	is_int(str_distance("kitten", "sitting"), 3, "the textbook");
	is_str(str_nearest("tiemout", names, n), "timeout", "near");
	is_str(str_nearest("prot", names, n), "port", "nearer");
	is_str(str_nearest("bad", names, n), "baud", "one letter short");
	is_str(str_nearest("ip", names, n), "id", "one of two letters");
	ok(!str_nearest("xyz", names, n), "far");
	ok(!str_nearest("x", names, n), "one letter says nothing");
	ok(!str_nearest("", names, n), "nor does none");
	ok(!str_nearest("port", NULL, 0), "no names");

	is_str(str_printable(STR_LIT("a\tb\x1b[0m"), out, sizeof out), "a\\x09b\\x1b[0m",
		"control bytes");
	is_str(str_printable(STR_LIT("abcdefghijklmnopqrstuvwxyz"), out, sizeof out),
		"abcdefghijklmnop...", "cut");
	is_str(str_printable(STR_LIT("0123456789abcdefghi"), out, sizeof out),
		"0123456789abcdefghi", "just fits");
	is_str(str_printable(str_of(NULL), out, sizeof out), "", "nothing");
	is_str(str_printable(STR_LIT("abcdef"), out, 3), "..", "hardly any room");
	is_str(str_printable(STR_LIT("abcdef"), out, 1), "", "none");
	is_str(str_printable(STR_LIT("\xc3\xa4xxxxxx"), out, 12), "\\xc3\\xa4...",
		"not in the middle of an escape");

	ok(str_is_name("am62axx-sk.1_a+b"), "a name");
	ok(str_is_name("9p") && !str_is_name("-x") && !str_is_name("") && !str_is_name("a b"),
		"what may be one");
	ok(!str_is_name("a/b") && !str_is_name("..") && !str_is_name("\xc3\xa4"), "what may not");
}

int main(void)
{
	views();
	integers();
	reals();
	units();
	words();
	return tap_done();
}
