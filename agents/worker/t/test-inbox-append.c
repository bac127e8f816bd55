/* SPDX-License-Identifier: MIT */
#include "agents/worker/inbox.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/json.h"

#include <stdlib.h>
#include <unistd.h>

static char *dir, *path;

static int append(int64_t n, const char *action, struct err *e)
{
	AUTOJSON *line =
		json_pack("{s:I, s:s, s:s}", "n", (json_int_t)n, "kind", "power", "action", action);

	return inbox_append(dir, line, e);
}

static void is_file(const char *want, const char *what)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	fs_read(path, &text, NULL);
	is_str(buf_str(&text), want, "%s", what);
}

#define LINE1 "{\"n\":1,\"kind\":\"power\",\"action\":\"on\"}\n"
#define LINE3 "{\"n\":3,\"kind\":\"power\",\"action\":\"off\"}\n"
#define LINE4 "{\"n\":4,\"kind\":\"power\",\"action\":\"on\"}\n"

static void lines(void)
{
	struct err e = {0};

	is_int(inbox_last(dir), 0, "no file: nothing was said");
	ok(!append(1, "on", &e) && !append(3, "off", &e), "lines with rising numbers");
	is_file(LINE1 LINE3, "stand one after the other");
	is_int(inbox_last(dir), 3, "the last one is known");
	ok(!append(3, "off", &e) && !append(2, "on", &e), "one that comes again is no error");
	is_file(LINE1 LINE3, "and is not written again");
	is_int(append(0, "on", &e), -1, "no number: %s", e.msg);
}

static void cut_off(void)
{
	for (size_t cut = 1; cut < strlen(LINE4); cut++) {
		AUTOFREE char *text = mem_printf("%s%.*s", LINE3, (int)cut, LINE4);
		AUTOBUF got = BUF_INIT(BUF_CAP_BYTES);

		fs_write(path, text, strlen(text), 0600, NULL);
		if (inbox_last(dir) != 3 || append(4, "on", NULL) || fs_read(path, &got, NULL) ||
			strcmp(buf_str(&got), LINE3 LINE4))
			ok(false, "cut at %zu: '%s'", cut, buf_str(&got));
	}
	is_file(LINE3 LINE4, "a line that was cut off is made whole");
	fs_write(path, LINE3 "{\"other", strlen(LINE3) + 7, 0600, NULL);
	ok(!append(4, "on", NULL), "what is no beginning of it");
	is_file(LINE3 LINE4, "goes away");
}

static void large(void)
{
	char *data = mem_alloc(INBOX_LINE_BYTES);
	AUTOJSON *line = NULL, *more = NULL;
	struct err e = {0};

	memset(data, 'A', INBOX_LINE_BYTES - 100);
	line = json_pack("{s:I, s:s}", "n", (json_int_t)5, "data", data);
	ok(!inbox_append(dir, line, &e), "a long line");
	is_int(inbox_last(dir), 5, "is found behind");
	memset(data, 'A', INBOX_LINE_BYTES - 1);
	more = json_pack("{s:I, s:s}", "n", (json_int_t)6, "data", data);
	ok(inbox_append(dir, more, &e) < 0, "one longer than a reader takes: %s", e.msg);
	is_int(inbox_last(dir), 5, "is not written");
	free(data);
}

int main(void)
{
	char name[] = "/tmp/hilab-inbox-XXXXXX";

	dir = mkdtemp(name);
	path = fs_join(dir, INBOX_FILE);
	lines();
	cut_off();
	large();
	fs_remove_tree(dir, NULL);
	free(path);
	return tap_done();
}
