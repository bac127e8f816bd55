/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_TEST_H
#define DRIVERS_TEST_H

/*
 * What all driver tests of `hil-test` share: options, results, figures, CPU load, files. One
 * process runs one test. What the board does not have is a skip that names it; a failure is what a
 * driver does wrong; an error is what kept the test itself from going on.
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEST_OPTIONS_MAX  10
#define TEST_PATH_BYTES   256
#define TEST_TEXT_BYTES   256
#define TEST_LIST_MAX     16 /* values of an option that is a list */
#define TEST_SECTOR_BYTES 512

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct option_row {
	const char *name, *preset, *help; /* preset NULL: nothing unless given */
};

struct driver_test {
	const char *name;  /* "uart": the peripheral, as the support matrices call it */
	const char *what;  /* one line */
	const char *needs; /* what the kernel must offer */
	struct option_row options[TEST_OPTIONS_MAX]; /* ended by a row without a name */
	void (*run)(void);
};
extern const struct driver_test *const driver_tests[]; /* sorted by name, NULL-ended */

/* ---- options: of the test that runs ---------------------------------------------------------- */

const char *option(const char *name); /* NULL: not given and without preset */
/* A number that may end in k, m or g (of 1024); one that is none ends the test with an error. */
int64_t option_number(const char *name);
size_t option_numbers(const char *name, int64_t out[TEST_LIST_MAX]); /* "4k,64k" */

/* ---- results and figures --------------------------------------------------------------------- */

void test_pass(const char *name);
/* Pass, or fail with the reason; returns good. */
bool test_check(bool good, const char *name, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
void test_fail(const char *name, const char *why, ...) __attribute__((format(printf, 2, 3)));
void test_skip(const char *name, const char *why, ...) __attribute__((format(printf, 2, 3)));
void test_error(const char *name, const char *why, ...) __attribute__((format(printf, 2, 3)));
/* What a driver answered to a request that not every driver has: "not supported" is a skip, any
 * other refusal a failure. what: "TIOCGSERIAL". */
void test_refused(const char *name, const char *what, int sys);
/* labels: "KEY=VALUE KEY=VALUE", printf's, or NULL. */
void test_metric(const char *name, double value, const char *unit, const char *labels, ...)
	__attribute__((format(printf, 4, 5)));

/* ---- time and CPU ---------------------------------------------------------------------------- */

int64_t now_ns(void); /* CLOCK_MONOTONIC */
void sleep_ms(int ms);

/* The share of all CPUs that was busy, from /proc/stat: its grain is a tick (10 ms). */
struct load {
	int64_t busy, all;
};
void load_start(struct load *l);
double load_percent(const struct load *l); /* since then; negative: no tick has passed */

/* ---- files ----------------------------------------------------------------------------------- */

/* Opens it, or skips with the reason: -1. */
int device_open(const char *test, const char *path, int flags);
/* The first that the pattern (glob) finds: out; false after skipping. */
bool device_find(const char *test, const char *pattern, char out[TEST_PATH_BYTES]);
/* A path made by printf's rules; one that does not fit is empty, which no file is called. */
void path_make(char out[TEST_PATH_BYTES], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A short file without the newline at its end; -1 with errno. */
int text_read(char out[TEST_TEXT_BYTES], const char *path);
int text_write(const char *path, const char *text); /* -1 with errno */
int64_t number_read(const char *path);              /* -1: there is none */
bool write_all(int fd, const void *bytes, size_t n);
bool read_all(int fd, void *bytes, size_t n);
/* Bytes that tell their own place: what is read back is compared with what was meant. */
void pattern_fill(unsigned char *bytes, size_t n, uint64_t seed);
bool pattern_check(const unsigned char *bytes, size_t n, uint64_t seed);
/* The same for storage, cheap enough to be timed: the buffer is filled once, and each sector of 512
 * bytes then bears its place. at: where the buffer lies. */
void sectors_fill(unsigned char *bytes, size_t n);
void sectors_stamp(unsigned char *bytes, size_t n, uint64_t at);
bool sectors_check(const unsigned char *bytes, size_t n, uint64_t at);

#endif
