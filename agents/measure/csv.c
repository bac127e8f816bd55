/* SPDX-License-Identifier: MIT */
/*
 * Loggers with a program of their own, by the CSV file that it writes: a line that names the
 * columns, then one a reading. Invariant: only lines that came whole since the step began are
 * read, and of those only the last one of each round; a file that is cut or
 * replaced is another's.
 */
#include "agents/measure/drivers.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES ((size_t)64 << 10) /* of the line that names the columns */
#define READ_BYTES ((size_t)1 << 20)  /* that come between two rounds */
#define COLUMNS    512

struct conf {
	const char *file, *separator;
};
struct place {
	const char *column;
	int unit;
	int64_t voltage_mv;
	size_t index; /* of the column; found by open */
};

static const struct unit {
	const char *name;
	char kind; /* W, V or A */
	double scale;
} units[] = {{"mW", 'W', 1}, {"W", 'W', 1e3}, {"uW", 'W', 1e-3}, {"V", 'V', 1}, {"mV", 'V', 1e-3},
	{"mA", 'A', 1}, {"A", 'A', 1e3}, {"uA", 'A', 1e-3}};
static const char *const unit_names[] = {"mW", "W", "uW", "V", "mV", "mA", "A", "uA", NULL};

static const struct param rows[] = {
	{"file", PARAM_PATH, offsetof(struct conf, file), .required = true,
		.help = "the file that the logger adds to", .example = "/srv/logger/board-1.csv"},
	{"separator", PARAM_STRING, offsetof(struct conf, separator), .preset = ",",
		.help = "what stands between two columns, one character", .example = ";"},
	{0},
};
static const struct param rail_rows[] = {
	{"column", PARAM_STRING, offsetof(struct place, column), .required = true,
		.help = "name of its column", .example = "core power"},
	{"unit", PARAM_CHOICE, offsetof(struct place, unit), .preset = "mW", .choices = unit_names,
		.help = "what the column holds"},
	{"voltage-mv", PARAM_INT, offsetof(struct place, voltage_mv), .min = 1, .max = 1000000,
		.help = "the rail's voltage, where the column holds a current", .unit = "mV",
		.example = "850"},
	{0},
};

struct csv {
	int fd;
	off_t at; /* read up to here */
	struct buf text;
};

/* The cell, its quotes taken off. False: the line has not so many. */
static bool cell(struct str line, char separator, size_t index, struct str *out)
{
	for (size_t i = 0;; i++) {
		ptrdiff_t end = str_chr(line, separator);
		size_t n = end < 0 ? line.n : (size_t)end;

		if (i == index) {
			*out = str_trim(str_make(line.p, n));
			if (out->n > 1 && out->p[0] == '"' && out->p[out->n - 1] == '"')
				*out = str_make(out->p + 1, out->n - 2);
			return true;
		}
		if (end < 0)
			return false;
		line = str_make(line.p + n + 1, line.n - n - 1);
	}
}

static int read_cell(struct instrument *in, struct rail *r, struct str line, struct err *e)
{
	const struct conf *conf = in->conf;
	const struct place *p = r->conf;
	const struct unit *u = &units[p->unit];
	char seen[120];
	struct str text;
	double value;

	if (!cell(line, *conf->separator, p->index, &text) || str_double(text, &value))
		return err_set(e, BLAME_INFRA, "'%s' has no number in column '%s': '%s'",
			conf->file, p->column, str_printable(line, seen, sizeof seen));
	*(u->kind == 'W' ? &r->mw : u->kind == 'V' ? &r->v : &r->ma) = value * u->scale;
	if (p->voltage_mv)
		r->v = (double)p->voltage_mv / 1e3;
	return 0;
}

/* Adds what the logger wrote since. */
static int read_on(struct instrument *in, struct err *e)
{
	const struct conf *conf = in->conf;
	struct csv *c = in->priv;
	struct stat open_one, named;

	if (fstat(c->fd, &open_one) || stat(conf->file, &named) ||
		open_one.st_ino != named.st_ino || open_one.st_dev != named.st_dev)
		return err_set(e, BLAME_INFRA, "'%s' went away", conf->file);
	if (open_one.st_size < c->at)
		return err_set(e, BLAME_INFRA, "'%s' became shorter", conf->file);
	for (;;) {
		char bytes[4096];
		ssize_t n = pread(c->fd, bytes, sizeof bytes, c->at);

		if (n < 0)
			return err_sys(e, BLAME_INFRA, errno, "read '%s'", conf->file);
		if (!n)
			return 0;
		c->at += n;
		if (buf_add(&c->text, bytes, (size_t)n))
			return err_set(e, BLAME_INFRA,
				"'%s' grows by more than %zu bytes at a time", conf->file,
				READ_BYTES);
	}
}

/* The last whole line of text. */
static bool last_line(struct buf *text, struct str *line)
{
	const char *end = text->len ? memrchr(text->data, '\n', text->len) : NULL, *start;

	if (!end)
		return false;
	start = memrchr(text->data, '\n', (size_t)(end - text->data));
	start = start ? start + 1 : text->data;
	*line = str_make(start, (size_t)(end - start));
	return true;
}

static int csv_ask(struct instrument *in, struct err *e)
{
	struct csv *c = in->priv;
	struct str line;

	if (read_on(in, e))
		return -1;
	if (!last_line(&c->text, &line))
		return 0;
	for (size_t i = 0; i < in->n; i++)
		if (read_cell(in, &in->rails[i], line, e))
			return -1;
	buf_eat(&c->text, (size_t)(line.p + line.n + 1 - c->text.data));
	return 1;
}

/* ---- open ----------------------------------------------------------------------------------- */

static int find_column(const struct conf *conf, struct place *p, struct str head, struct err *e)
{
	struct str name;

	for (p->index = 0; p->index < COLUMNS; p->index++) {
		if (!cell(head, *conf->separator, p->index, &name))
			break;
		if (str_is(name, p->column))
			return 0;
	}
	return err_set(e, BLAME_CONFIG, "'%s' has no column '%s'", conf->file, p->column);
}

static int read_head(struct instrument *in, struct err *e)
{
	const struct conf *conf = in->conf;
	struct csv *c = in->priv;
	AUTOBUF text = BUF_INIT(HEAD_BYTES + 1);
	ssize_t n = buf_read(&text, c->fd, HEAD_BYTES);
	struct str rest, head;

	if (n < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", conf->file);
	if (!n || !memchr(text.data, '\n', text.len))
		return err_set(e, BLAME_INFRA, "'%s' has no line that names columns", conf->file);
	rest = str_make(text.data, text.len);
	str_line(&rest, &head);
	for (size_t i = 0; i < in->n; i++)
		if (find_column(conf, in->rails[i].conf, head, e))
			return -1;
	return 0;
}

/* From here on: a line that is being written now counts when it is whole. */
static int find_end(struct csv *c, const char *file, struct err *e)
{
	char byte;

	c->at = lseek(c->fd, 0, SEEK_END);
	for (int i = 0; i < (int)HEAD_BYTES && c->at > 0; i++, c->at--)
		if (pread(c->fd, &byte, 1, c->at - 1) != 1 || byte == '\n')
			break;
	return c->at > 0 ? 0 : err_set(e, BLAME_INFRA, "'%s' has no whole line", file);
}

static int csv_open(struct instrument *in, struct err *e)
{
	const struct conf *conf = in->conf;
	struct csv *c = in->priv = arena_alloc(in->arena, sizeof *c);
	struct stat st;

	buf_init(&c->text, READ_BYTES);
	if (strlen(conf->separator) != 1) {
		c->fd = -1;
		return err_set(e, BLAME_CONFIG, "'separator' is one character");
	}
	c->fd = open(conf->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (c->fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open '%s'", conf->file);
	if (fstat(c->fd, &st) || !S_ISREG(st.st_mode))
		return err_set(e, BLAME_CONFIG, "'%s' is no file that grows", conf->file);
	return read_head(in, e) || find_end(c, conf->file, e) ? -1 : 0;
}

static void csv_close(struct instrument *in)
{
	struct csv *c = in->priv;

	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	buf_done(&c->text);
	in->priv = NULL;
}

const struct instrument_driver instrument_csv = {
	.d = {.name = "csv",
		.brief = "a logger's CSV file while it grows",
		.params = rows,
		.size = sizeof(struct conf),
		.proven = "a file that a test adds to"},
	.rail = rail_rows,
	.rail_size = sizeof(struct place),
	.open = csv_open,
	.close = csv_close,
	.ask = csv_ask,
};
