/* SPDX-License-Identifier: MIT */
#ifndef BASE_T_TAP_H
#define BASE_T_TAP_H

/*
 * TAP for C tests: `ok(cond, "name %d", i); is_int(got, want, "name"); return tap_done();`
 * A failed check prints where it stands and what it saw. tap_done prints the plan and fails
 * when nothing was checked.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_n, tap_failed;

__attribute__((unused, format(printf, 4, 5))) static bool tap_ok(
	bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!good) {
		tap_failed++;
		printf("# at %s:%d\n", file, line);
	}
	fflush(stdout);
	return good;
}

#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)

#define is_int(got, want, ...)                                                                     \
	do {                                                                                       \
		long long tap_g = (got), tap_w = (want);                                           \
		if (!ok(tap_g == tap_w, __VA_ARGS__))                                              \
			printf("# got %lld, want %lld\n", tap_g, tap_w);                           \
	} while (0)

__attribute__((unused)) static void tap_text(const char *what, const char *s)
{
	printf("# %s: ", what);
	for (; s && *s; s++) {
		putchar(*s);
		if (*s == '\n')
			printf("#   ");
	}
	printf("%s\n", s ? "" : "(null)");
}

#define is_str(got, want, ...)                                                                     \
	do {                                                                                       \
		const char *tap_g = (got), *tap_w = (want);                                        \
		bool tap_same = tap_g == tap_w || (tap_g && tap_w && !strcmp(tap_g, tap_w));       \
		if (!ok(tap_same, __VA_ARGS__)) {                                                  \
			tap_text("got", tap_g);                                                    \
			tap_text("want", tap_w);                                                   \
		}                                                                                  \
	} while (0)

/* got contains part. */
#define has_str(got, part, ...)                                                                    \
	do {                                                                                       \
		const char *tap_g = (got), *tap_p = (part);                                        \
		if (!ok(tap_g && strstr(tap_g, tap_p), __VA_ARGS__)) {                             \
			tap_text("got", tap_g);                                                    \
			tap_text("want in it", tap_p);                                             \
		}                                                                                  \
	} while (0)

__attribute__((unused)) static int tap_done(void)
{
	printf("1..%d\n", tap_n);
	return tap_failed || !tap_n;
}

#endif
