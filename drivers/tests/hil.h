/* SPDX-License-Identifier: MIT */
#ifndef HIL_H
#define HIL_H

/*
 * Results of tests that run on the board, from C. Header only, C99 and POSIX, nothing but libc:
 *
 *	#include "hil.h"
 *	int main(void)
 *	{
 *		hil_plan("mmc-rw", 2);
 *		hil_result("write", HIL_PASS, NULL);
 *		hil_metric("mmc.write.bw", 21.4, "MB/s", "bs=1M");
 *		hil_result("verify", bad ? HIL_FAIL : HIL_PASS, "%d of %d blocks differ", bad, all);
 *		return hil_done();
 *	}
 *
 * Each is printed as a line of KTAP (Documentation/dev-tools/ktap.rst of Linux, version 1), which
 * is what one sees who runs the test by hand; a metric is a diagnostic line
 * "# metric NAME VALUE UNIT [KEY=VALUE...]". In a `run` step of hilab it is sent as a result frame
 * as well, the same that hil_result and hil_metric send from a shell: the name of a test and the
 * order are the same, a damaged line is asked for again, and the step needs no parser.
 *
 * The frame: "@hil LEN CRC RUN SEQ KIND FIELDS@", LEN and CRC (POSIX cksum) of "RUN SEQ KIND
 * FIELDS", FIELDS joined by "|" with % @ | as %25 %40 %7C. Its number is taken in the folder of
 * the board's helper, which is the first in PATH with a name hil.RUN: file q holds the next
 * number, and file nN, created where there was none, takes number N and keeps the frame. So
 * processes, threads of them and the shell's own frames never share a number. Frames go to
 * descriptor 9, the console, wherever stdout goes; to stdout where nobody opened it.
 */

/* Where there is no operating system (-ffreestanding), or HIL_BARE says so: see hil_send. */
#if __STDC_HOSTED__ && !defined HIL_BARE
#define HIL_HOSTED 1
#else
#define HIL_HOSTED 0
#endif
#if HIL_HOSTED
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#endif
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIL_FIELD_BYTES 300  /* longer names and reasons are cut */
#define HIL_FRAME_BYTES 2048 /* a frame with all its fields encoded, and its head */
#define HIL_DIR_BYTES   200
#define HIL_NUMBERS     (1u << 20)
#define HIL_CONSOLE     9

enum hil_status { HIL_PASS, HIL_FAIL, HIL_SKIP, HIL_ERROR };

static unsigned hil_n, hil_bad;

/* ---- frames ---------------------------------------------------------------------------------- */

/* The CRC of cksum(1), POSIX.1-2017. */
static inline uint32_t hil_cksum(const char *p, size_t n)
{
	uint32_t crc = 0;
	size_t length = n;

	while (n || length) {
		uint8_t byte = n ? (uint8_t)*p++ : (uint8_t)length;

		if (n)
			n--;
		else
			length >>= 8;
		crc ^= (uint32_t)byte << 24;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 0x80000000u ? crc << 1 ^ 0x04C11DB7u : crc << 1;
	}
	return ~crc;
}

#if HIL_HOSTED
/* The helper's folder; NULL: this does not run in a step. run points to its token within out. */
static inline const char *hil_dir(char *out, size_t size, const char **run)
{
	const char *p = getenv("PATH");

	while (p && *p) {
		size_t n = strcspn(p, ":");
		const char *base;

		if (n && n < size - sizeof "/q") {
			memcpy(out, p, n);
			out[n] = 0;
			base = strrchr(out, '/');
			if (base && !strncmp(base, "/hil.", 5) && base[5]) {
				*run = base + 5;
				return out;
			}
		}
		p += n + (p[n] == ':');
	}
	return NULL;
}

/* Takes a number: the first from q on whose file is not there. -1: none. */
static inline int hil_number(const char *dir, unsigned *seq)
{
	char path[HIL_DIR_BYTES + 24], text[24] = "";
	int q, fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "%s/q", dir);
	q = open(path, O_RDWR | O_CLOEXEC);
	if (q < 0)
		return -1;
	/* the shell may be between emptying and writing it */
	for (int tries = 0; tries < 100 && (n = pread(q, text, sizeof text - 1, 0)) <= 0; tries++)
		;
	for (*seq = (unsigned)strtoul(text, NULL, 10); fd < 0 && *seq < HIL_NUMBERS; ++*seq) {
		snprintf(path, sizeof path, "%s/n%u", dir, *seq);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0) {
		/* numbers grow, so that what is there is covered without emptying it first */
		n = snprintf(text, sizeof text, "%u\n", *seq);
		if (pwrite(q, text, (size_t)n, 0) != n) { /* found again by the files */
		}
		--*seq;
	}
	close(q);
	return fd;
}

static inline void hil_send(const char *kind, const char *fields)
{
	char body[HIL_FRAME_BYTES], frame[HIL_FRAME_BYTES + 48], dir[HIL_DIR_BYTES];
	const char *run;
	unsigned seq;
	int file, n, out = HIL_CONSOLE;

	if (!hil_dir(dir, sizeof dir, &run) || (file = hil_number(dir, &seq)) < 0)
		return;
	n = snprintf(body, sizeof body, "%s %u %s %s", run, seq, kind, fields);
	n = snprintf(frame, sizeof frame, "@hil %d %lu %s@\n", n,
		(unsigned long)hil_cksum(body, (size_t)n), body);
	if (write(file, frame, (size_t)n) != n) { /* then it cannot be asked for again */
	}
	close(file);
	if (fcntl(out, F_GETFD) < 0)
		out = 1;
	if (write(out, frame, (size_t)n) != n) { /* a gap, which the worker asks for */
	}
}

#else
/* Without an operating system the frame is the firmware's to send. */
void hil_send(const char *kind, const char *fields);
#endif

/* Adds a field to a frame's, encoded and without control bytes, and "|" before all but the first.
 */
static inline void hil_field(char *out, const char *text)
{
	size_t n = strlen(out);
	unsigned taken = 0;

	if (n)
		out[n++] = '|';
	for (; *text && taken < HIL_FIELD_BYTES && n + 4 < HIL_FRAME_BYTES - 64; text++, taken++) {
		unsigned char c = (unsigned char)*text;

		if (c == '%' || c == '@' || c == '|')
			n += (size_t)snprintf(out + n, 4, "%%%02X", c);
		else
			out[n++] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
	}
	out[n] = 0;
}

/* ---- for tests ------------------------------------------------------------------------------- */

/* First of all; n: how many results will come, 0 where that is not known yet. */
static inline void hil_plan(const char *suite, unsigned n)
{
	printf("KTAP version 1\n# Subtest: %s\n", suite);
	if (n)
		printf("1..%u\n", n);
	fflush(stdout);
}

/* One result. why: printf's, or NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline void
hil_result(const char *name, enum hil_status status, const char *why, ...)
{
	static const char *const words[] = {"pass", "fail", "skip", "error"};
	char fields[HIL_FRAME_BYTES] = "", reason[HIL_FIELD_BYTES] = "";
	va_list ap;

	if (why) {
		va_start(ap, why);
		vsnprintf(reason, sizeof reason, why, ap);
		va_end(ap);
	}
	hil_bad += status == HIL_FAIL || status == HIL_ERROR;
	printf("%sok %u %s%s%s\n", status == HIL_FAIL || status == HIL_ERROR ? "not " : "", ++hil_n,
		name,
		status == HIL_SKIP ? " # SKIP "
		: *reason          ? " # "
				   : "",
		reason);
	fflush(stdout); /* before the frame, so that neither cuts the other */
	hil_field(fields, name);
	hil_field(fields, words[status]);
	if (*reason)
		hil_field(fields, reason);
	hil_send("result", fields);
}

/* One figure. labels: "KEY=VALUE KEY=VALUE", or NULL. */
static inline void hil_metric(const char *name, double value, const char *unit, const char *labels)
{
	char fields[HIL_FRAME_BYTES] = "", text[64];

	/* 17 digits give every double back; %g drops the zeros behind */
	snprintf(text, sizeof text, "%.15g", value);
	printf("# metric %s %s %s%s%s\n", name, text, unit, labels ? " " : "",
		labels ? labels : "");
	fflush(stdout);
	hil_field(fields, name);
	hil_field(fields, text);
	hil_field(fields, unit);
	while (labels && *labels) {
		char one[HIL_FIELD_BYTES];
		size_t n = strcspn(labels, " ");

		snprintf(one, sizeof one, "%.*s", (int)n, labels);
		if (n)
			hil_field(fields, one);
		labels += n + (labels[n] == ' ');
	}
	hil_send("metric", fields);
}

/* Last of all: the plan where none was given. The program's exit status: 0 when all went well. */
static inline int hil_done(void)
{
	printf("# %u of %u failed\n", hil_bad, hil_n);
	if (fflush(stdout))
		return 1;
	return hil_bad || !hil_n;
}

#endif
