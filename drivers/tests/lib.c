/* SPDX-License-Identifier: MIT */
/*
 * What the driver tests share. Invariant: results leave through hil.h and nothing else, so KTAP
 * and frames always tell the same.
 */
#include "test.h"

#include "hil.h"
#include "lib.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- results --------------------------------------------------------------------------------- */

void lib_begin(const char *suite)
{
	hil_plan(suite, 0);
}

int lib_end(void)
{
	if (!hil_n)
		hil_result("run", HIL_ERROR, "the test ended without a result");
	printf("1..%u\n", hil_n);
	return hil_done();
}

static void result(const char *name, enum hil_status status, const char *why, va_list ap)
{
	char text[HIL_FIELD_BYTES];

	vsnprintf(text, sizeof text, why, ap);
	hil_result(name, status, "%s", text);
}

void test_pass(const char *name)
{
	hil_result(name, HIL_PASS, NULL);
}

bool test_check(bool good, const char *name, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	if (good)
		test_pass(name);
	else
		result(name, HIL_FAIL, why, ap);
	va_end(ap);
	return good;
}

void test_fail(const char *name, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	result(name, HIL_FAIL, why, ap);
	va_end(ap);
}

void test_skip(const char *name, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	result(name, HIL_SKIP, why, ap);
	va_end(ap);
}

void test_error(const char *name, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	result(name, HIL_ERROR, why, ap);
	va_end(ap);
}

void test_refused(const char *name, const char *what, int sys)
{
	if (sys == ENOTTY || sys == EOPNOTSUPP || sys == ENOSYS)
		test_skip(name, "the driver has no %s", what);
	else if (sys == EPERM || sys == EACCES)
		test_skip(name, "%s needs rights that this user does not have", what);
	else
		test_fail(name, "%s: %s", what, strerror(sys));
}

void test_metric(const char *name, double value, const char *unit, const char *labels, ...)
{
	char text[HIL_FIELD_BYTES] = "";
	va_list ap;

	if (labels) {
		va_start(ap, labels);
		vsnprintf(text, sizeof text, labels, ap);
		va_end(ap);
	}
	hil_metric(name, value, unit, *text ? text : NULL);
}

/* ---- time and CPU ---------------------------------------------------------------------------- */

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void sleep_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* proc(5): user nice system idle iowait irq softirq steal; guests are in user already. */
void load_start(struct load *l)
{
	long long t[8] = {0};
	FILE *f = fopen("/proc/stat", "re");
	int n = f ? fscanf(f, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &t[0], &t[1], &t[2],
			    &t[3], &t[4], &t[5], &t[6], &t[7])
		  : 0;

	if (f)
		fclose(f);
	*l = (struct load){0};
	for (int i = 0; i < n; i++) {
		l->all += t[i];
		if (i != 3 && i != 4)
			l->busy += t[i];
	}
}

double load_percent(const struct load *l)
{
	struct load now;

	load_start(&now);
	if (now.all <= l->all)
		return -1;
	return 100.0 * (double)(now.busy - l->busy) / (double)(now.all - l->all);
}

/* ---- files ----------------------------------------------------------------------------------- */

int device_open(const char *test, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
		test_skip(test, "no device '%s'", path);
	else
		test_skip(test, "cannot open '%s': %s", path, strerror(errno));
	return -1;
}

bool device_find(const char *test, const char *pattern, char out[TEST_PATH_BYTES])
{
	glob_t found;
	bool any = !glob(pattern, 0, NULL, &found);

	if (any)
		snprintf(out, TEST_PATH_BYTES, "%s", found.gl_pathv[0]);
	else
		test_skip(test, "nothing is called '%s'", pattern);
	globfree(&found);
	return any;
}

void path_make(char out[TEST_PATH_BYTES], const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(out, TEST_PATH_BYTES, format, ap);
	va_end(ap);
	if (n < 0 || n >= TEST_PATH_BYTES)
		*out = 0;
}

int text_read(char out[TEST_TEXT_BYTES], const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, out, TEST_TEXT_BYTES - 1);
	close(fd);
	if (n < 0)
		return -1;
	while (n && out[n - 1] == '\n')
		n--;
	out[n] = 0;
	return 0;
}

int text_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);
	int rc, sys;

	if (fd < 0)
		return -1;
	rc = write(fd, text, n) == (ssize_t)n ? 0 : -1;
	sys = errno;
	close(fd);
	errno = sys;
	return rc;
}

int64_t number_read(const char *path)
{
	char text[TEST_TEXT_BYTES], *end;
	int64_t v;

	if (text_read(text, path) < 0)
		return -1;
	v = strtoll(text, &end, 10);
	return end == text ? -1 : v;
}

bool write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

bool read_all(int fd, void *bytes, size_t n)
{
	char *p = bytes;

	while (n) {
		ssize_t done = read(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			if (!done)
				errno = ENODATA;
			return false;
		}
		p += done;
		n -= (size_t)done;
	}
	return true;
}

/* splitmix64 of the place: cheap, and no two blocks are alike. */
static uint64_t mixed(uint64_t x)
{
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
	x = (x ^ x >> 27) * 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

void pattern_fill(unsigned char *bytes, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t v = mixed(seed + i);

		memcpy(bytes + i, &v, n - i < 8 ? n - i : 8);
	}
}

bool pattern_check(const unsigned char *bytes, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t v = mixed(seed + i);

		if (memcmp(bytes + i, &v, n - i < 8 ? n - i : 8))
			return false;
	}
	return true;
}

static size_t sector_bytes(size_t n, size_t at)
{
	return n - at < TEST_SECTOR_BYTES ? n - at : TEST_SECTOR_BYTES;
}

void sectors_fill(unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += TEST_SECTOR_BYTES)
		pattern_fill(bytes + i, sector_bytes(n, i), 0);
}

void sectors_stamp(unsigned char *bytes, size_t n, uint64_t at)
{
	for (size_t i = 0; i + sizeof at <= n; i += TEST_SECTOR_BYTES) {
		uint64_t place = at + i;

		memcpy(bytes + i, &place, sizeof place);
	}
}

bool sectors_check(const unsigned char *bytes, size_t n, uint64_t at)
{
	unsigned char want[TEST_SECTOR_BYTES];

	pattern_fill(want, sizeof want, 0);
	for (size_t i = 0; i + sizeof at <= n; i += TEST_SECTOR_BYTES) {
		sectors_stamp(want, sizeof want, at + i);
		if (memcmp(bytes + i, want, sector_bytes(n, i)))
			return false;
	}
	return true;
}
