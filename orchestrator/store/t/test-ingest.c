/* SPDX-License-Identifier: MIT */
/* A job folder that grows under the reader: whole lines only, each once, status last. */
#include "storetest.h"

#include <fcntl.h>
#include <unistd.h>

static struct store *s;
static int64_t run;

static void put(const char *path, const char *text)
{
	if (fs_write(path, text, strlen(text), 0644, NULL))
		exit(97);
}

static void append(const char *text)
{
	int fd = open(storetest_path("job/events.jsonl"), O_WRONLY | O_APPEND | O_CREAT, 0644);

	if (fs_write_all(fd, text, strlen(text)))
		exit(98);
	close(fd);
}

static void ingest(int want, int want_results, const char *what)
{
	AUTOFREE char *dir = mem_strdup(storetest_path("job"));
	struct err e = {0};

	is_int(store_ingest(s, run, dir, &e), want, "%s %s", what, e.msg);
	is_int(storetest_results(s, run), want_results, "%s: %d results", what, want_results);
}

static int keep_verdict(void *arg, const struct store_run *r)
{
	snprintf(arg, 64, "%s %s %s %lld", r->verdict, r->blame ? r->blame : "-",
		r->message ? r->message : "-", (long long)r->ended_ms);
	return 0;
}

static void test_growing(void)
{
	AUTOFREE char *line = storetest_line(1, 10), *other = storetest_line(2, 10);
	char verdict[64] = "";
	struct err e = {0};

	fs_mkdirs(storetest_path("job"), 0755, NULL);
	ingest(0, 0, "nothing is there yet");
	append(line);
	ingest(0, 0, "a line that is still being written");
	append("\n");
	ingest(0, 1, "the line is whole");
	ingest(0, 1, "again");
	for (const char *p = other; *p; p++) {
		char one[2] = {*p, 0};

		append(one);
		if (p[1] == 0 || p == other)
			ingest(0, 1, "byte by byte");
	}
	append("\nno json\n\n");
	ingest(0, 2, "and one that is no event");
	append(line);
	put(storetest_path("job/status"),
		"{\"verdict\":\"pass\",\"blame\":\"none\",\"ended_ms\":77}");
	append("\n{\"kind\":\"run-");
	ingest(1, 3, "status is there: the rest, then the end");
	ingest(1, 3, "once more");
	store_run_get(s, run, keep_verdict, verdict, &e);
	is_str(verdict, "pass - - 77", "the run has ended as status says");
}

/* More than one piece, and a line longer than a piece. */
static void test_large(void)
{
	AUTOFREE char *longer = storetest_line(7, 3 * INGEST_BYTES);
	AUTOBUF many = BUF_INIT(BUF_CAP_BYTES);
	int n = 0;

	unlink(storetest_path("job/events.jsonl"));
	unlink(storetest_path("job/status"));
	run = storetest_run(s);
	while (many.len < INGEST_BYTES + INGEST_BYTES / 2) {
		AUTOFREE char *line = storetest_line(n++, 1000);

		buf_printf(&many, "%s\n", line);
	}
	append(buf_str(&many));
	ingest(0, n, "a file of several pieces");
	append(longer);
	append("\n");
	append(longer);
	append("\n");
	ingest(0, n + 2, "lines longer than a piece");
}

static void test_refused(void)
{
	AUTOFREE char *dir = mem_strdup(storetest_path("job"));
	struct err e = {0};

	put(storetest_path("job/events.jsonl"), "{}\n");
	is_int(store_ingest(s, run, dir, &e), -1, "a journal that has shrunk is refused");
	has_str(e.msg, "is shorter", "and why");
	run = storetest_run(s);
	put(storetest_path("job/status"), "{\"verdict\":");
	is_int(store_ingest(s, run, dir, &e), -1, "a damaged status is refused");
	has_str(e.msg, "job/status", "with its path");
	put(storetest_path("job/status"), "{\"blame\":\"test\"}");
	is_int(store_ingest(s, run, dir, &e), -1, "a status without a verdict is refused");
	has_str(e.msg, "no verdict", "and why");
}

int main(void)
{
	struct err e = {0};

	s = store_open(storetest_path("i.db"), false, &e);
	run = storetest_run(s);
	test_growing();
	test_large();
	test_refused();
	store_close(s);
	storetest_done();
	return tap_done();
}
