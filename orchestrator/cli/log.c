/* SPDX-License-Identifier: MIT */
/*
 * `hilab log`: a run's console, from its job folder. Invariant: without --raw nothing that the
 * board printed can act on the reader's terminal; memory does not grow with the log.
 */
#include "base/fs.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "io/console-text.h"
#include "reports/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define READ_BYTES ((size_t)64 << 10)

struct args {
	const char *console, *store;
	bool raw, time;
	int64_t tail;
};

static const struct cli_opt opts[] = {
	{"console", 'c', CLI_TEXT, offsetof(struct args, console), "NAME",
		"which console (main, or the only one)"},
	{"raw", 0, CLI_FLAG, offsetof(struct args, raw), NULL, "the bytes as they came"},
	{"time", 't', CLI_FLAG, offsetof(struct args, time), NULL,
		"seconds since the run's start before each line"},
	{"tail", 'n', CLI_COUNT, offsetof(struct args, tail), "N",
		"only the last N lines (0: all)"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

/* ---- which file ------------------------------------------------------------------------------ */

static int keep_dir(void *arg, const struct store_run *r)
{
	*(char **)arg = mem_strdup(r->dir);
	return 0;
}

/* The job folder of what the operand names; heap, NULL with e. */
static char *find_dir(const struct args *a, const char *operand, struct err *e)
{
	struct store *s = NULL;
	char *dir = NULL;
	int64_t run, number;
	int found;

	if (strcmp(operand, "latest") && str_i64(str_of(operand), &number) && fs_is_dir(operand))
		return mem_strdup(operand);
	if (report_open(&s, a->store, operand, &run, e))
		return NULL;
	found = store_run_get(s, run, keep_dir, &dir, e);
	if (!found)
		err_set(e, BLAME_CONFIG, "store '%s' holds no run %lld", store_path(s),
			(long long)run);
	else if (found > 0 && !dir)
		err_set(e, BLAME_CONFIG, "run %lld has no job folder", (long long)run);
	store_close(s);
	return dir;
}

static int is_console(const struct dirent *d)
{
	return str_starts(str_of(d->d_name), "console-") && str_ends(str_of(d->d_name), ".log");
}

/* The names of the folder's consoles for an error, and the only one if there is just one. */
static void list_consoles(const char *dir, struct buf *names, char **only)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_console, alphasort);

	for (int i = 0; i < n; i++) {
		int length = (int)strlen(list[i]->d_name) - 12; /* console-NAME.log */

		buf_printf(names, "%s%.*s", i ? ", " : "", length, list[i]->d_name + 8);
		if (n == 1)
			*only = mem_strndup(list[i]->d_name + 8, (size_t)length);
		free(list[i]);
	}
	free(list);
}

/* The path of a console's log without ".log"; heap, NULL with e. */
static char *find_log(const struct args *a, const char *dir, struct err *e)
{
	AUTOBUF names = BUF_INIT(1 << 16);
	AUTOFREE char *only = NULL, *path = NULL, *name = NULL;

	if (!fs_is_dir(dir)) {
		err_sys(e, BLAME_CONFIG, ENOENT, "job folder '%s'", dir);
		return NULL;
	}
	list_consoles(dir, &names, &only);
	name = mem_strdup(a->console ? a->console : only ? only : "main");
	path = mem_printf("%s/console-%s.log", dir, name);
	if (strchr(name, '/') || !fs_exists(path)) {
		err_set(e, BLAME_CONFIG, "'%s' has no console '%s': it has %s", dir, name,
			names.len ? buf_str(&names) : "none");
		return NULL;
	}
	return mem_printf("%s/console-%s", dir, name);
}

/* ---- the log --------------------------------------------------------------------------------- */

struct shower {
	const struct args *a;
	FILE *index;          /* NULL: no times */
	uint64_t next_offset; /* of the read after the one that ms is of */
	long long ms, next_ms;
	int64_t skip; /* lines that are not shown */
	int64_t lines;
	int64_t hidden; /* lines left out since the last one shown */
	bool count_only, open_line, hiding, failed;
	struct buf out;
};

static void index_next(struct shower *s)
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

static void put_time(struct shower *s, uint64_t offset)
{
	while (s->next_offset <= offset) {
		s->ms = s->next_ms;
		index_next(s);
	}
	if (s->ms < 0)
		buf_printf(&s->out, "%10s  ", "-");
	else
		buf_printf(&s->out, "%6lld.%03lld  ", s->ms / 1000, s->ms % 1000);
}

static void flush(struct shower *s)
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

/* Left out, but said to be. */
static bool hide(struct shower *s, const struct console_line *line, bool begins)
{
	if (begins)
		s->hiding = is_helper(line->text);
	if (s->hiding) {
		s->hidden += begins;
		return true;
	}
	if (s->hidden && !s->count_only && s->lines >= s->skip)
		buf_printf(&s->out, "(%lld lines of hilab's helper: --raw shows them)\n",
			(long long)s->hidden);
	s->hidden = 0;
	return false;
}

static void on_line(void *arg, const struct console_line *line)
{
	struct shower *s = arg;
	bool begins = !s->open_line;

	s->open_line = !line->whole;
	if (hide(s, line, begins))
		return;
	if (begins)
		s->lines++;
	if (s->count_only || s->lines <= s->skip)
		return;
	if (begins && s->index)
		put_time(s, line->offset);
	console_text_show(line->text, &s->out);
	if (line->whole)
		buf_putc(&s->out, '\n');
	if (s->out.len >= READ_BYTES)
		flush(s);
}

/* One pass over the log, as lines. */
static int walk(struct shower *s, int fd, const char *path, struct err *e)
{
	AUTOFREE char *piece = mem_alloc(READ_BYTES);
	struct console_text text;
	ssize_t n;

	s->lines = s->hidden = 0;
	s->open_line = s->hiding = false;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", path);
	console_text_init(&text, 0, on_line, s);
	while ((n = read(fd, piece, READ_BYTES)) > 0 && !s->failed)
		console_text_feed(&text, str_make(piece, (size_t)n));
	console_text_end(&text);
	if (n < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", path);
	return 0;
}

static int show_lines(const struct args *a, const char *base, int fd, struct err *e)
{
	AUTOFREE char *index_path = mem_printf("%s.idx", base);
	/* A line is at most four times as long as its bytes, beside a time. */
	struct shower s = {.a = a, .ms = -1, .out = BUF_INIT(6 * CONSOLE_LINE_BYTES)};
	int failed = 0;

	if (a->tail) {
		s.count_only = true;
		failed = walk(&s, fd, base, e);
		s.skip = s.lines > a->tail ? s.lines - a->tail : 0;
		s.count_only = false;
	}
	if (!failed && a->time) {
		s.index = fopen(index_path, "re");
		if (!s.index)
			failed = err_sys(e, BLAME_INFRA, errno, "time index '%s'", index_path);
		index_next(&s);
	}
	if (!failed)
		failed = walk(&s, fd, base, e);
	if (!failed && s.open_line)
		buf_putc(&s.out, '\n');
	if (!failed)
		flush(&s);
	if (!failed && s.failed)
		failed = err_set(e, BLAME_INFRA, "the log could not be printed");
	if (s.index)
		fclose(s.index);
	buf_done(&s.out);
	return failed;
}

static int show_raw(const char *path, int fd, struct err *e)
{
	AUTOFREE char *piece = mem_alloc(READ_BYTES);
	ssize_t n;

	while ((n = read(fd, piece, READ_BYTES)) > 0)
		if (fs_write_all(STDOUT_FILENO, piece, (size_t)n))
			return err_sys(e, BLAME_INFRA, errno, "print '%s'", path);
	return n < 0 ? err_sys(e, BLAME_INFRA, errno, "read '%s'", path) : 0;
}

static int show(const struct args *a, const char *operand, struct err *e)
{
	AUTOFREE char *dir = find_dir(a, operand, e), *base = NULL, *path = NULL;
	AUTOCLOSE int fd = -1;

	if (!dir)
		return -1;
	base = find_log(a, dir, e);
	if (!base)
		return -1;
	path = mem_printf("%s.log", base);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open '%s'", path);
	return a->raw ? show_raw(path, fd, e) : show_lines(a, base, fd, e);
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct err e = {0};
	char **operands;
	int status;

	if (cli_parse(&log_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (a.raw && (a.time || a.tail))
		return cli_fail(
			EXIT_USAGE, "--raw is all bytes: it goes neither with --time nor --tail");
	if (show(&a, operands[0], &e))
		return cli_fail(blame_exit(e.blame), "%s", e.msg);
	return EXIT_PASS;
}

const struct cli_command log_command = {
	.name = "log",
	.brief = "print a run's console log",
	.usage = "RUN|latest|DIR",
	.details = "Terminal sequences are taken out and control bytes made visible, and the lines "
		   "that put hilab's own helper onto the board are left out, unless --raw.",
	.example = "hilab log latest --tail 50\nhilab log 12 --time | less",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
