/* SPDX-License-Identifier: MIT */
/*
 * Boot stages out of console logs: kernel lines in the middle of others, bytes one at a time,
 * stages that a chain lacks, a second boot.
 */
#include "reports/parse/stages.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <stdlib.h>

/* ---- stages --------------------------------------------------------------------------------- */

static struct stage_mark marks[4];

/* A log and its index out of "ms|bytes" reads. */
struct chunk {
	int64_t ms;
	const char *bytes;
};

static void build(
	const struct chunk *chunks, size_t n, bool byte_by_byte, struct buf *log, struct buf *index)
{
	for (size_t i = 0; i < n; i++) {
		for (const char *p = chunks[i].bytes; *p; p++) {
			if (byte_by_byte || p == chunks[i].bytes)
				buf_printf(index, "%zu %lld\n", log->len, (long long)chunks[i].ms);
			buf_putc(log, *p);
		}
	}
}

static void check(const char *what, const struct chunk *chunks, size_t n, struct stage_span span,
	const char *want)
{
	for (int bytes = 0; bytes < 2; bytes++) {
		AUTOBUF log = BUF_INIT(1 << 20);
		AUTOBUF index = BUF_INIT(1 << 20);
		AUTOBUF got = BUF_INIT(1 << 10);
		int64_t at_ms[4];

		build(chunks, n, bytes, &log, &index);
		stages_find(str_make(buf_str(&log), log.len), str_make(buf_str(&index), index.len),
			span, marks, 4, at_ms);
		for (int i = 0; i < 4; i++)
			buf_printf(&got, at_ms[i] < 0 ? "- " : "%lld ", (long long)at_ms[i]);
		is_str(buf_str(&got), want, "%s%s", what, bytes ? ", byte by byte" : "");
	}
}

#define CHECK(what, span, want, ...)                                                               \
	check(what, (const struct chunk[]){__VA_ARGS__},                                           \
		ARRAY_LEN(((const struct chunk[]){__VA_ARGS__})), span, want)

static const struct stage_span from_100 = {100, INT64_MAX};

static void test_stages(void)
{
	CHECK("a whole boot", from_100, "812 2104 3000 5003 ", {50, "old login: \r\n"},
		{912, "\r\nU-Boot 2023.01 (Jan 2023)\r\n"}, {1000, "Hit any key: 3\b\b 2\r\n"},
		{2204, "[    0.000000] Booting Linux on physical CPU 0x0\r\n"},
		{3100, "\033[32mWelcome\033[0m to \033[1mDebian\033[0m\r\n"},
		{5103, "am62 login: "});
	CHECK("a stage that the chain lacks is absent", from_100, "- 2104 - 5003 ",
		{2204, "[    0.000000] Booting Linux on physical CPU 0x0\r\n"},
		{5103, "am62 login: "});
	CHECK("nothing came", from_100, "- - - - ", {50, "U-Boot 2023.01\r\n"});
	CHECK("a mark cut by a read counts from its first byte", from_100, "900 - - - ",
		{1000, "U-Bo"}, {1200, "ot 2023.01\r\n"});
	CHECK("what comes before its turn does not count", from_100, "1900 - - 3900 ",
		{1000, "no login: here\r\n"}, {2000, "U-Boot 2023.01\r\n"}, {4000, "am62 login: "});
	CHECK("a kernel line inside a prompt", from_100, "- 900 - 4900 ",
		{1000, "[    0.000000] Booting Linux\r\n"},
		{5000, "am62 log[    9.123456] usb 1-1: new device\r\n"},
		{5100, "[    9.200000] usb 1-1: ready\r\n"}, {5200, "in: "});
	CHECK("a colour inside a mark", from_100, "900 - - - ",
		{1000, "U-\033[0mBoot\033[0m 2023.01\r\n"});
	CHECK("only the boot that is asked for", ((struct stage_span){100, 3000}), "900 - - - ",
		{1000, "U-Boot 2023.01\r\n"}, {3000, "U-Boot 2023.01\r\n"},
		{3500, "[    0.000000] Booting Linux\r\n"});
	CHECK("and the second one", ((struct stage_span){2900, INT64_MAX}), "100 600 - - ",
		{1000, "U-Boot 2023.01\r\n"}, {3000, "U-Boot 2023.01\r\n"},
		{3500, "[    0.000000] Booting Linux\r\n"});
	CHECK("zero is a time", ((struct stage_span){1000, INT64_MAX}), "0 - - - ",
		{1000, "U-Boot 2023.01\r\n"});
}

static void test_damaged_index(void)
{
	struct str log = STR_LIT("U-Boot 2023.01\r\nam62 login: ");
	int64_t at_ms[4];

	is_int((long long)stages_find(log, STR_LIT(""), from_100, marks, 4, at_ms), 0,
		"no index, no times");
	is_int((long long)stages_find(log, STR_LIT("0 200\nrubbish\n9 x\n16 700\n5 300\n20 6"),
		       from_100, marks, 4, at_ms),
		2, "damaged lines of the index are passed over");
	is_int(at_ms[0], 100, "the first");
	is_int(at_ms[3], 600, "and the last stage");
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	buf_printf(arg, "%s %g %s %zu\n", m->name, m->value, m->unit, m->n);
}

static void test_emit(void)
{
	AUTOBUF got = BUF_INIT(1 << 10);
	struct sink sink = {.arg = &got, .metric = on_metric};

	stages_emit(marks, (int64_t[]){812, -1, 0, 5003}, 4, &sink);
	is_str(buf_str(&got),
		"boot.loader_ms 812 ms 0\nboot.userspace_ms 0 ms 0\nboot.login_ms 5003 ms 0\n"
		"boot.total_ms 5003 ms 0\n",
		"a metric for each stage that was seen");
	buf_reset(&got);
	stages_emit(marks, (int64_t[]){812, -1, -1, -1}, 4, &sink);
	is_str(buf_str(&got), "boot.loader_ms 812 ms 0\n", "no total of a boot that did not end");
	buf_reset(&got);
	stages_emit(marks, (int64_t[]){-1, 2003, -1, 5003}, 4, &sink);
	is_str(buf_str(&got),
		"boot.kernel_ms 2003 ms 0\nboot.login_ms 5003 ms 0\nboot.total_ms 5003 ms 0\n"
		"boot.linux_ms 3000 ms 0\n",
		"and from the kernel to the login");
}

int main(void)
{
	static const char *const texts[4][2] = {{"loader", "^U-Boot \\d"},
		{"kernel", "Booting Linux"}, {"userspace", "^Welcome to Debian"},
		{"login", "login: ?"}};
	struct err e = {0};

	for (int i = 0; i < 4; i++) {
		marks[i] = (struct stage_mark){texts[i][0], pattern_new(texts[i][1], &e)};
		if (!marks[i].pattern)
			return printf("Bail out! %s\n", e.msg), 1;
	}
	test_stages();
	test_damaged_index();
	test_emit();
	for (int i = 0; i < 4; i++)
		pattern_free((struct pattern *)marks[i].pattern);
	return tap_done();
}
