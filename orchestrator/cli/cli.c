/* SPDX-License-Identifier: MIT */
/*
 * What all commands share: finding one by name, options by rows, help, and ways out. Invariant:
 * nothing here exits the process; statuses are returned to main.
 */
#include "cli/cli.h"

#include "io/json.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTS_MAX     32
#define COMMANDS_MAX 64
#define HELP_BYTES   ((size_t)64 << 10)
#define READ_BYTES   ((size_t)1 << 20) /* of standard input at a time */

int cli_fail(int status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("hilab: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

int cli_verb(const char *command, const char *word, const char *const *names, size_t n)
{
	const char *near = str_nearest(word, names, n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, names[i]))
			return (int)i;
	if (near)
		return cli_fail(-1, "%s: no '%s' here, did you mean '%s'? (see 'hilab %s -h')",
			command, word, near, command);
	return cli_fail(-1, "%s: no '%s' here (see 'hilab %s -h')", command, word, command);
}

void cli_diag(struct diag *d)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	diag_print(d, &text);
	fflush(stdout);
	fputs(buf_str(&text), stderr);
}

int cli_out(const struct buf *b)
{
	if (fwrite(buf_str(b), 1, b->len, stdout) == b->len && !fflush(stdout))
		return 0;
	return cli_fail(-1, "standard output: cannot write");
}

int cli_read(const char *file, struct buf *text, struct err *e)
{
	ssize_t n;

	if (strcmp(file, "-"))
		return fs_read(file, text, e);
	while ((n = buf_read(text, 0, READ_BYTES)) > 0)
		;
	return n < 0 ? err_sys(e, BLAME_CONFIG, errno, "standard input") : 0;
}

int cli_out_json(const json_t *j)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};

	if (json_write(j, JSON_INDENT(2), &out, &e))
		return cli_fail(EXIT_INCOMPLETE, "%s", e.msg);
	buf_putc(&out, '\n');
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

bool cli_tty(int fd)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb");
}

const struct cli_command *cli_find(const char *name)
{
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

void cli_help(const struct cli_command *c, struct buf *out)
{
	buf_printf(out, "usage: hilab %s%s%s%s\n\n%s\n", c->name, c->opts ? " [options]" : "",
		*c->usage ? " " : "", c->usage, c->brief);
	if (c->details)
		buf_printf(out, "\n%s\n", c->details);
	buf_puts(out, "\noptions:\n");
	for (const struct cli_opt *o = c->opts; o && o->name; o++) {
		char left[64];

		snprintf(left, sizeof left, "%s%c%s--%s%s%s", o->letter ? "-" : " ",
			o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
			o->arg ? " " : "", o->arg ? o->arg : "");
		buf_printf(out, "  %-26s %s\n", left, o->help);
	}
	buf_printf(out, "  %-26s %s\n", "-h, --help", "this help");
	if (c->example)
		buf_printf(out, "\nexample:\n%s\n", c->example);
}

static int store_opt(
	const struct cli_command *c, const struct cli_opt *o, const char *value, void *out)
{
	char *at = (char *)out + o->offset;
	struct cli_texts *list = (struct cli_texts *)at;

	switch (o->type) {
	case CLI_FLAG:
		*(bool *)at = true;
		break;
	case CLI_TEXT:
		*(const char **)at = value;
		break;
	case CLI_TEXTS:
		list->p = mem_grow(list->p, list->n + 1, sizeof *list->p);
		list->p[list->n++] = value;
		break;
	case CLI_COUNT:
		if (str_i64(str_of(value), (int64_t *)at) || *(int64_t *)at < 0)
			return cli_fail(
				-1, "%s: --%s needs a number, not '%s'", c->name, o->name, value);
		break;
	}
	return 0;
}

static int wrong_option(const struct cli_command *c, const char *given)
{
	const char *names[OPTS_MAX], *near = NULL;
	size_t n = 0;

	for (const struct cli_opt *o = c->opts; o && o->name; o++)
		names[n++] = o->name;
	if (!strncmp(given, "--", 2))
		near = str_nearest(given + 2, names, n);
	return cli_fail(-1, "%s: unknown or incomplete option '%s'%s%s%s (see 'hilab %s -h')",
		c->name, given, near ? ", did you mean '--" : "", near ? near : "",
		near ? "'?" : "", c->name);
}

/* getopt's tables from ours. */
static void fill_tables(const struct cli_command *c, struct option *longs, char *shorts)
{
	size_t n = 0;

	*shorts++ = ':';
	*shorts++ = 'h';
	for (const struct cli_opt *o = c->opts; o && o->name; o++, n++) {
		longs[n] = (struct option){
			o->name, o->arg ? required_argument : no_argument, NULL, 256 + (int)n};
		if (o->letter) {
			*shorts++ = o->letter;
			if (o->arg)
				*shorts++ = ':';
		}
	}
	*shorts = 0;
	longs[n++] = (struct option){"help", no_argument, NULL, 'h'};
	longs[n] = (struct option){0};
}

int cli_parse(const struct cli_command *c, int argc, char **argv, void *out, char ***operands,
	int *status)
{
	struct option longs[OPTS_MAX + 2];
	char shorts[2 * OPTS_MAX + 3];
	int o, n;

	fill_tables(c, longs, shorts);
	*status = EXIT_USAGE;
	optind = 0;
	opterr = 0;
	while ((o = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct cli_opt *row = c->opts;

		if (o == 'h') {
			AUTOBUF text = BUF_INIT(HELP_BYTES);

			cli_help(c, &text);
			*status = cli_out(&text) ? EXIT_INCOMPLETE : EXIT_PASS;
			return -1;
		}
		if (o == '?' || o == ':')
			return wrong_option(c, argv[optind - 1]);
		if (!row)
			return wrong_option(c, argv[optind - 1]);
		if (o >= 256)
			row += o - 256;
		else
			while (row->letter != o)
				row++;
		if (store_opt(c, row, optarg, out))
			return -1;
	}
	n = argc - optind;
	if (n < c->min_operands || (c->max_operands >= 0 && n > c->max_operands))
		return cli_fail(-1, "%s: needs %s (see 'hilab %s -h')", c->name,
			*c->usage ? c->usage : "no operand", c->name);
	*operands = argv + optind;
	*status = EXIT_PASS;
	return n;
}

const struct cli_command *cli_get(const char *name)
{
	const char *names[COMMANDS_MAX], *near;
	const struct cli_command *c = cli_find(name);
	size_t n = 0;

	if (c)
		return c;
	for (const struct cli_command *const *p = cli_commands; *p && n < COMMANDS_MAX; p++)
		names[n++] = (*p)->name;
	near = str_nearest(name, names, n);
	cli_fail(-1, "unknown command '%s'%s%s%s (see 'hilab help')", name,
		near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

int cli_main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct cli_command *c;

	log_init(LOG_WARN);
	if (!name) {
		AUTOBUF text = BUF_INIT(HELP_BYTES);

		cli_list_commands(&text);
		return cli_out(&text) ? EXIT_INCOMPLETE : EXIT_USAGE;
	}
	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		name = "help";
	else if (!strcmp(name, "--version"))
		name = "version";
	c = cli_get(name);
	return c ? c->run(argc - 1, argv + 1) : EXIT_USAGE;
}
