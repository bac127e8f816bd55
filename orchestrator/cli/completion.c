/* SPDX-License-Identifier: MIT */
/*
 * `hilab completion`: scripts for shells, written from the tables that parse the command line.
 * Invariant: a script holds no word that a table does not hold, but for the names of builds, which
 * it asks for when they are needed.
 */
#include "cli/commands.h"
#include "cli/families.h"
#include "reports/format/format.h"

#include <string.h>

#define SCRIPT_BYTES ((size_t)1 << 20)

/* What stands in the place of an option's argument or of operands, where that is not a file. */
enum words { WORDS_BUILDS, WORDS_COMMANDS, WORDS_DRIVERS, WORDS_FORMATS, WORDS_FIXED };

static const struct place {
	const char *command, *option; /* option NULL: the operands */
	enum words words;
	const char *fixed; /* WORDS_FIXED */
} places[] = {
	{"bench", NULL, WORDS_DRIVERS, NULL},
	{"builds", NULL, WORDS_FIXED, "add fetch list pin prune show unpin"},
	{"completion", NULL, WORDS_FIXED, "bash zsh"},
	{"help", NULL, WORDS_COMMANDS, NULL},
	{"log", NULL, WORDS_FIXED, "latest"},
	{"report", NULL, WORDS_FIXED, "latest"},
	{"report", "format", WORDS_FORMATS, NULL},
	{"run", "build", WORDS_BUILDS, NULL},
	{"run", "format", WORDS_FORMATS, NULL},
};

static const struct place *find_place(const char *command, const char *option)
{
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (!strcmp(places[i].command, command) &&
			(option ? places[i].option && !strcmp(places[i].option, option)
				: !places[i].option))
			return &places[i];
	return NULL;
}

/* The words of a place, for between double quotes of either shell. */
static void put_words(const struct place *p, struct buf *out)
{
	switch (p->words) {
	case WORDS_BUILDS:
		buf_puts(out, "$(_hilab_builds)");
		break;
	case WORDS_COMMANDS:
		for (const struct cli_command *const *c = cli_commands; *c; c++)
			buf_printf(out, "%s%s", c == cli_commands ? "" : " ", (*c)->name);
		break;
	case WORDS_DRIVERS:
		for (const struct family *f = families; f->name; f++) {
			buf_printf(out, "%s%s", f == families ? "" : " ", f->name);
			for (const struct driver *const *d = f->drivers(); *d; d++)
				buf_printf(out, " %s/%s", f->name, (*d)->name);
		}
		break;
	case WORDS_FORMATS:
		for (const struct driver *const *d = report_formats(); *d; d++)
			buf_printf(out, "%s%s", d == report_formats() ? "" : " ", (*d)->name);
		break;
	case WORDS_FIXED:
		buf_puts(out, p->fixed);
		break;
	}
}

/* Does an argument of this name stand for a file or a folder? */
static bool is_file(const char *arg)
{
	return strstr(arg, "FILE") || strstr(arg, "DIR") || strstr(arg, "PROGRAM");
}

static const char builds_function[] = "_hilab_builds() {\n"
				      "\tcommand hilab builds list 2>/dev/null |\n"
				      "\t\twhile read -r name rest; do\n"
				      "\t\t\t[ \"$name\" = BUILD ] || printf '%s\\n' \"$name\"\n"
				      "\t\tdone\n"
				      "}\n";

/* ---- bash ---- */

static void bash_option(const struct cli_command *c, const struct cli_opt *o, struct buf *out)
{
	const struct place *p = find_place(c->name, o->name);

	if (!o->arg)
		return;
	buf_printf(out, "\t\t--%s", o->name);
	if (o->letter)
		buf_printf(out, " | -%c", o->letter);
	buf_puts(out, ") ");
	if (p) {
		buf_puts(out, "words=\"");
		put_words(p, out);
		buf_puts(out, "\" ");
	}
	buf_printf(out, "files=%d ;;\n", is_file(o->arg));
}

/* One arm of the case over commands: what may stand where the cursor is. */
static void bash_command(const struct cli_command *c, struct buf *out)
{
	const struct place *p = find_place(c->name, NULL);

	buf_printf(out, "\t%s)\n\t\tcase $previous in\n", c->name);
	for (const struct cli_opt *o = c->opts; o && o->name; o++)
		bash_option(c, o, out);
	buf_puts(out, "\t\t*)\n");
	if (p) {
		buf_puts(out, "\t\t\twords=\"");
		put_words(p, out);
		buf_puts(out, "\"\n");
	}
	if (!strcmp(c->name, "builds"))
		buf_puts(out, "\t\t\tcase $previous in fetch | pin | show | unpin) "
			      "words=\"$(_hilab_builds)\" ;; esac\n");
	buf_printf(out, "\t\t\tfiles=%d\n\t\t\toptions=\"", c->max_operands != 0);
	for (const struct cli_opt *o = c->opts; o && o->name; o++) {
		if (o->letter)
			buf_printf(out, "-%c ", o->letter);
		buf_printf(out, "--%s ", o->name);
	}
	buf_puts(out, "-h --help\" ;;\n\t\tesac ;;\n");
}

static void bash(struct buf *out)
{
	buf_puts(out, "# Completion of hilab for bash, written by hilab completion bash.\n");
	buf_puts(out, builds_function);
	buf_puts(out,
		"_hilab() {\n"
		"\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal words= options= files=0 command=${COMP_WORDS[1]}\n\n"
		"\t[ \"$COMP_CWORD\" -gt 1 ] || command=\n"
		"\tcase $command in\n"
		"\t'') words=\"");
	put_words(&(struct place){.words = WORDS_COMMANDS}, out);
	buf_puts(out, "\" options='-h --help --version' ;;\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		bash_command(*c, out);
	buf_puts(out,
		"\tesac\n"
		"\tcase $current in -*) [ -z \"$options\" ] || words=$options files=0 ;; esac\n"
		"\tCOMPREPLY=()\n"
		"\tmapfile -t COMPREPLY < <(\n"
		"\t\tcompgen -W \"$words\" -- \"$current\"\n"
		"\t\t[ $files = 0 ] || compgen -f -- \"$current\"\n"
		"\t)\n"
		"}\n"
		"complete -o filenames -F _hilab hilab\n");
}

/* ---- zsh ---- */

/* Text within single quotes and, as _arguments wants it, within brackets. */
static void zsh_text(const char *text, struct buf *out)
{
	for (; *text; text++)
		if (*text == '\'')
			buf_puts(out, "'\\''");
		else if (strchr("[]:\\", *text))
			buf_printf(out, "\\%c", *text);
		else
			buf_putc(out, *text);
}

/* ":message:action" of an argument or of operands. */
static void zsh_action(const struct place *p, const char *message, bool files, struct buf *out)
{
	buf_putc(out, ':');
	zsh_text(message, out);
	buf_putc(out, ':');
	if (p && p->words == WORDS_BUILDS) {
		buf_puts(out, "_hilab_build_names");
	} else if (p) {
		buf_puts(out, files ? "{compadd -- " : "(");
		put_words(p, out);
		buf_puts(out, files ? "; _files}" : ")");
	} else if (files) {
		buf_puts(out, "_files");
	}
}

static void zsh_option(const struct cli_command *c, const struct cli_opt *o, struct buf *out)
{
	const char *many = o->type == CLI_TEXTS ? "*" : "";

	for (int i = 0; i < (o->letter ? 2 : 1); i++) {
		buf_puts(out, " \\\n\t\t\t'");
		if (i)
			buf_printf(out, "%s-%c[", many, o->letter);
		else
			buf_printf(out, "%s--%s[", many, o->name);
		zsh_text(o->help, out);
		buf_putc(out, ']');
		if (o->arg)
			zsh_action(find_place(c->name, o->name), o->arg, is_file(o->arg), out);
		buf_putc(out, '\'');
	}
}

static void zsh_command(const struct cli_command *c, struct buf *out)
{
	const struct place *p = find_place(c->name, NULL);

	buf_printf(out, "\t%s)\n\t\t_arguments -s", c->name);
	for (const struct cli_opt *o = c->opts; o && o->name; o++)
		zsh_option(c, o, out);
	buf_puts(out, " \\\n\t\t\t'-h[this help]' '--help[this help]'");
	if (!strcmp(c->name, "builds"))
		buf_printf(
			out, " \\\n\t\t\t'1:verb:(%s)' '2:build:_hilab_build_or_file'", p->fixed);
	else if (c->max_operands) {
		buf_puts(out, " \\\n\t\t\t'*");
		zsh_action(p, "operand", !p || (p->words == WORDS_FIXED && is_file(c->usage)), out);
		buf_putc(out, '\'');
	}
	buf_puts(out, " ;;\n");
}

static void zsh(struct buf *out)
{
	buf_puts(out, "#compdef hilab\n"
		      "# Completion of hilab for zsh, written by hilab completion zsh.\n");
	buf_puts(out, builds_function);
	buf_puts(out, "_hilab_build_names() { compadd -- ${(f)\"$(_hilab_builds)\"} }\n"
		      "_hilab_build_or_file() { _hilab_build_names; _files }\n"
		      "_hilab() {\n"
		      "\tif (( CURRENT == 2 )); then\n"
		      "\t\tlocal -a commands=(");
	for (const struct cli_command *const *c = cli_commands; *c; c++) {
		buf_printf(out, "\n\t\t\t'%s:", (*c)->name);
		zsh_text((*c)->brief, out);
		buf_putc(out, '\'');
	}
	buf_puts(out, ")\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
		      "\tshift words\n\t(( CURRENT-- ))\n"
		      "\tcase $words[1] in\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		zsh_command(*c, out);
	buf_puts(out, "\tesac\n}\n"
		      "if [[ $funcstack[1] == _hilab ]]; then _hilab \"$@\"; else compdef _hilab "
		      "hilab; fi\n");
}

static int run(int argc, char **argv)
{
	AUTOBUF out = BUF_INIT(SCRIPT_BYTES);
	struct cli_texts none;
	char **operands;
	int status;

	if (cli_parse(&completion_command, argc, argv, &none, &operands, &status) < 0)
		return status;
	if (!strcmp(operands[0], "bash"))
		bash(&out);
	else if (!strcmp(operands[0], "zsh"))
		zsh(&out);
	else
		return cli_fail(EXIT_USAGE, "completion: bash or zsh, not '%s'", operands[0]);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

const struct cli_command completion_command = {
	.name = "completion",
	.brief = "print a script that completes hilab's words in bash or zsh",
	.usage = "bash|zsh",
	.details = "make install puts both where the shells look for them. For this user only:\n"
		   "source the script from ~/.bashrc, or save it as _hilab in a folder of zsh's "
		   "fpath.",
	.example = "  . <(hilab completion bash)",
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
