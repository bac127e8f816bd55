/* SPDX-License-Identifier: MIT */
/* The daemons' log: levels, one line a message, cut. */
#include "base/log.h"

#include "base/buf.h"
#include "base/str.h"
#include "base/t/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int all_levels(void)
{
	log_error("e");
	log_warn("w");
	log_info("i");
	log_debug("d");
	return 0;
}

static int odd_texts(void)
{
	char longer[8000];

	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	log_error("two\nlines %d\x1b[0m", 5);
	log_error("%s", longer);
	return 0;
}

/* What fn writes to standard error, each line without its time. */
static const char *said(int (*fn)(void))
{
	static struct buf out = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF raw = BUF_INIT(BUF_CAP_BYTES);
	struct str rest, text;
	int p[2], keep = fcntl(2, F_DUPFD_CLOEXEC, 3);

	buf_reset(&out);
	if (pipe2(p, O_CLOEXEC) || dup2(p[1], 2) < 0)
		return "no pipe";
	close(p[1]);
	fn();
	dup2(keep, 2);
	close(keep);
	while (buf_read(&raw, p[0], 65536) > 0)
		;
	close(p[0]);
	rest = str_make(buf_str(&raw), raw.len);
	while (str_line(&rest, &text)) {
		if (text.n < 25 || text.p[10] != 'T' || text.p[23] != 'Z')
			return "a line without its time";
		buf_add(&out, text.p + 25, text.n - 25);
		buf_putc(&out, '\n');
	}
	return buf_str(&out);
}

int main(void)
{
	const char *text;

	unsetenv("HILAB_LOG");
	is_str(said(all_levels), "error e\nwarn w\n", "by default what matters");
	log_init(LOG_INFO);
	is_str(said(all_levels), "error e\nwarn w\ninfo i\n", "as a daemon");
	setenv("HILAB_LOG", "debug", 1);
	log_init(LOG_WARN);
	is_str(said(all_levels), "error e\nwarn w\ninfo i\ndebug d\n", "as asked");
	setenv("HILAB_LOG", "loud", 1);
	log_init(LOG_ERROR);
	is_str(said(all_levels), "error e\n", "no such level");
	text = said(odd_texts);
	ok(!strncmp(text, "error two lines 5 [0m\n", 22), "one line, whatever is in it");
	ok(str_ends(str_of(text), "xxx\n") && strlen(text) < 2200, "and not too long");
	return tap_done();
}
