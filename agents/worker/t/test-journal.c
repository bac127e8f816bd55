/* SPDX-License-Identifier: MIT */
/* The journal: numbers without a gap, also after a kill in the middle of a line; a full disk is
 * remembered; no byte of a board makes it anything but JSON. And status, whole or not there. */
#include "agents/worker/journal.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/hilab-test.XXXXXX";

static void add(struct journal *j, const char *text)
{
	journal_add(j, json_pack("{s:s, s:s}", "kind", "note", "text", text));
}

static void read_back(struct buf *out)
{
	AUTOFREE char *path = fs_join(dir, "events.jsonl");

	buf_reset(out);
	fs_read(path, out, NULL);
}

static void test_resume(void)
{
	AUTOFREE char *path = fs_join(dir, "events.jsonl");
	AUTOBUF text = BUF_INIT(1 << 20);
	struct journal j;
	struct err e = {0};
	struct str rest, line;
	int64_t n = 0, last_ms = -1;
	int fd;

	ok(!journal_open(&j, dir, &e), "opens");
	add(&j, "one");
	add(&j, "two");
	journal_close(&j);
	fd = open(path, O_WRONLY | O_APPEND);
	ok(write(fd, "{\"seq\":2,\"at\":", 14) == 14, "a worker is killed in a line");
	close(fd);
	ok(!journal_open(&j, dir, &e), "another process goes on");
	add(&j, "three");
	journal_close(&j);
	read_back(&text);
	for (rest = str_make(text.data, text.len); str_line(&rest, &line); n++) {
		AUTOJSON *ev = json_loadb(line.p, line.n, 0, NULL);

		is_int(json_int(ev, "seq", -1), n, "event %d has its number", (int)n);
		ok(json_int(ev, "ms", -1) >= last_ms && json_int(ev, "at", 0) > 0, "and its times");
		last_ms = json_int(ev, "ms", -1);
	}
	is_int(n, 3, "three events, the half one is gone");
}

static void test_bell(void)
{
	struct journal j;
	struct err e = {0};
	char rung[8];
	int bell[2];

	ok(!pipe2(bell, O_NONBLOCK) && !journal_open(&j, dir, &e), "opens");
	add(&j, "silent");
	is_int(read(bell[0], rung, sizeof rung), -1, "no bell, no ring");
	j.bell_fd = bell[1];
	add(&j, "one");
	add(&j, "two");
	is_int(read(bell[0], rung, sizeof rung), 2, "a ring for each event");
	while (write(bell[1], rung, 1) == 1)
		;
	add(&j, "three");
	is_int(j.lost, 0, "a bell that nobody hears holds nothing up");
	journal_close(&j);
	close(bell[0]);
	close(bell[1]);
}

static void test_bytes(void)
{
	static const char *const bad[] = {"\xff", "\xc0\x80", "a\x1b[31mb", "\xe2\x82",
		"ok \xc3\xa9", "\xed\xa0\x80", "\xf4\x90\x80\x80", "tab\tline\nend\x7f"};
	static const char *const want[] = {
		"?", "??", "a?[31mb", "??", "ok \xc3\xa9", "???", "????", "tab\tline\nend?"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTOFREE char *clean = journal_text(bad[i]);
		AUTOJSON *j = json_string(clean);

		is_str(clean, want[i], "bytes %zu", i);
		ok(j != NULL, "are text now");
	}
	ok(!journal_text(NULL), "nothing stays nothing");
}

static void test_full(void)
{
	struct journal j = {.dir = dir};

	j.fd = open("/dev/full", O_WRONLY);
	add(&j, "lost");
	is_int(j.lost, ENOSPC, "a full disk is remembered");
	add(&j, "not tried");
	is_int(j.lost, ENOSPC, "and nothing is written after it");
	journal_close(&j);
}

static void test_status(void)
{
	AUTOFREE char *path = fs_join(dir, "status");
	struct run_status s = {.verdict = VERDICT_FAIL,
				  .blame = BLAME_TEST,
				  .message = "because \xff",
				  .power = "off",
				  .started_ms = 1,
				  .ended_ms = 2,
				  .counts = {1, 2, 3, 4, 5, 6}},
			  got = {0};
	struct err e = {0};

	is_int(run_status_load(&got, dir, &e), 1, "not there yet");
	ok(!run_status_save(&s, dir, &e), "saved %s", e.msg);
	is_int(run_status_load(&got, dir, &e), 0, "there %s", e.msg);
	ok(got.verdict == s.verdict && got.blame == s.blame && got.ended_ms == 2 &&
			got.counts[5] == 6 && !strcmp(got.power, "off"),
		"the same");
	ok(!fs_write(path, "{\"verdict\": \"pa", 15, 0644, &e), "a damaged one");
	is_int(run_status_load(&got, dir, &e), -1, "is told: %s", e.msg);
	ok(!fs_write(path, "{\"verdict\": \"won\", \"blame\": \"none\"}", 35, 0644, &e),
		"a strange one");
	is_int(run_status_load(&got, dir, &e), -1, "is told, too: %s", e.msg);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_resume();
	test_bell();
	test_bytes();
	test_full();
	test_status();
	fs_remove_tree(dir, NULL);
	return tap_done();
}
