/* SPDX-License-Identifier: MIT */
/*
 * A console's log as lines for a reader. Invariant: nothing that the board printed can act on the
 * reader's terminal; memory does not grow with the log.
 */
#include "cli/log.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void index_next(struct log_shower *s)
{
	unsigned long long offset;
	char line[80];

	while (s->index && fgets(line, sizeof line, s->index))
		if (sscanf(line, "%llu %lld", &offset, &s->next_ms) == 2) {
			s->next_offset = offset;
			return;
		}
	s->next_offset = UINT64_MAX;
}

/* When the byte came: also of lines that are left out, or the one behind them has no time. */
static void find_time(struct log_shower *s, uint64_t offset)
{
	while (s->index && !s->live && s->next_offset <= offset) {
		s->ms = s->next_ms;
		index_next(s);
	}
}

static void put_time(struct log_shower *s)
{
	if (s->ms < 0)
		buf_printf(&s->out, "%10s  ", "-");
	else
		buf_printf(&s->out, "%6lld.%03lld  ", s->ms / 1000, s->ms % 1000);
}

static void flush(struct log_shower *s)
{
	if (!s->failed && s->out.len && cli_out(&s->out))
		s->failed = true;
	buf_reset(&s->out);
}

/* "printf '...'>>/tmp/hil.abcdef/x": the helper on its way to the board (agents/worker/helper.c).
 */
static bool is_helper(struct str line)
{
	static const char dir[] = "/hil.";
	ssize_t at = str_find(line, STR_LIT("printf '")), folder;

	if (at < 0)
		return false;
	while ((folder = str_find(line, STR_LIT(dir))) >= 0) {
		line = str_make(
			line.p + folder + strlen(dir), line.n - (size_t)folder - strlen(dir));
		if (line.n > 7 && line.p[6] == '/' && line.p[7] == 'x' &&
			(line.n == 8 || line.p[8] == ';'))
			return true;
	}
	return false;
}

/*
 * What the worker and its helper say to each other, each a line of its own: a result frame (one
 * that something was printed into is shown), a question and its answer ("hil=7="), and what asks
 * for the board's environment. The commands of a job are not among them.
 */
static bool is_own(struct str line)
{
	struct str s = str_trim(line);

	return (str_starts(s, "@hil ") && str_ends(s, "@")) ||
	       (str_starts(s, "hil=") && str_ends(s, "=")) ||
	       str_find(s, STR_LIT("echo \"hil=$")) >= 0 ||
	       str_find(s, STR_LIT("printf 'k=${0%%/*}/m\\n")) >= 0;
}

/* Left out, but said to be. */
static bool hide(struct log_shower *s, const struct console_line *line, bool begins)
{
	if (begins)
		s->hiding = is_helper(line->text) || is_own(line->text);
	if (s->hiding) {
		s->hidden += begins;
		return true;
	}
	if (s->hidden && !s->count_only && s->lines >= s->skip)
		buf_printf(&s->out, "(%lld lines of hilab's own: --raw shows them)\n",
			(long long)s->hidden);
	s->hidden = 0;
	return false;
}

static void on_line(void *arg, const struct console_line *line)
{
	struct log_shower *s = arg;
	bool begins = !s->open_line;

	s->open_line = !line->whole;
	if (begins)
		find_time(s, line->offset);
	if (hide(s, line, begins))
		return;
	if (begins)
		s->lines++;
	if (s->count_only || s->lines <= s->skip)
		return;
	if (begins && (s->index || s->live))
		put_time(s);
	console_text_show(line->text, &s->out);
	if (line->whole)
		buf_putc(&s->out, '\n');
	if (s->out.len >= READ_BYTES)
		flush(s);
}

void log_shower_init(struct log_shower *s)
{
	/* A line is at most four times as long as its bytes, beside a time. */
	*s = (struct log_shower){.ms = -1, .out = BUF_INIT(6 * CONSOLE_LINE_BYTES)};
	console_text_init(&s->text, 0, on_line, s);
}

int log_shower_feed(struct log_shower *s, struct str bytes)
{
	console_text_feed(&s->text, bytes);
	flush(s);
	return s->failed ? -1 : 0;
}

/* One pass over the log, as lines. */
static int walk(struct log_shower *s, int fd, const char *name, struct err *e)
{
	AUTOFREE char *piece = mem_alloc(READ_BYTES);
	ssize_t n;

	s->lines = s->hidden = 0;
	s->open_line = s->hiding = false;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", name);
	while ((n = read(fd, piece, READ_BYTES)) > 0 && !s->failed)
		console_text_feed(&s->text, str_make(piece, (size_t)n));
	if (n < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", name);
	return 0;
}

int log_shower_file(
	struct log_shower *s, int fd, FILE *index, int64_t last, const char *name, struct err *e)
{
	if (last) {
		s->count_only = true;
		if (walk(s, fd, name, e))
			return -1;
		console_text_end(&s->text);
		s->skip = s->lines > last ? s->lines - last : 0;
		s->count_only = false;
		console_text_init(&s->text, 0, on_line, s);
	}
	s->index = index;
	index_next(s);
	if (walk(s, fd, name, e))
		return -1;
	flush(s);
	return 0;
}

int log_shower_done(struct log_shower *s, struct err *e)
{
	bool failed;

	console_text_end(&s->text);
	if (s->open_line)
		buf_putc(&s->out, '\n');
	flush(s);
	failed = s->failed;
	buf_done(&s->out);
	return failed ? err_set(e, BLAME_INFRA, "the log could not be printed") : 0;
}

int log_raw(int fd, const char *name, struct err *e)
{
	AUTOFREE char *piece = mem_alloc(READ_BYTES);
	ssize_t n;

	while ((n = read(fd, piece, READ_BYTES)) > 0)
		if (fs_write_all(STDOUT_FILENO, piece, (size_t)n))
			return err_sys(e, BLAME_INFRA, errno, "print '%s'", name);
	return n < 0 ? err_sys(e, BLAME_INFRA, errno, "read '%s'", name) : 0;
}
