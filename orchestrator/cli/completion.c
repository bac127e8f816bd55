/* SPDX-License-Identifier: MIT */
/*
 * `hilab completion`: scripts for shells, written from the tables that parse the command line.
 * Invariant: a script holds no word that a table does not hold, but for names of builds, boards
 * and jobs, which it asks for when they are needed.
 */
#include "cli/commands.h"
#include "cli/families.h"
#include "cli/import.h"
#include "cli/report.h"
#include "reports/format/format.h"
#include "reports/parse/parse.h"

#include <string.h>

#define SCRIPT_BYTES ((size_t)1 << 20)

/* What stands in the place of an option's argument or of operands, where that is not a file. */
enum words {
	WORDS_NAMES,
	WORDS_COMMANDS,
	WORDS_DRIVERS,
	WORDS_FORMATS,
	WORDS_PARSERS,
	WORDS_KINDS, /* of files that are imported */
	WORDS_FIXED
};

#define BOARDS    WORDS_NAMES, "1 boards list"
#define TYPES     WORDS_NAMES, "2 boards list"
#define BUILDS    WORDS_NAMES, "1 builds list"
#define OPEN_JOBS WORDS_NAMES, "1 jobs"
#define ALL_JOBS  WORDS_NAMES, "1 jobs --all"

static const struct place {
	const char *command, *option; /* option NULL: the operands */
	enum words words;
	/* WORDS_FIXED: the words; WORDS_NAMES: a column, and the list that has the names in it. */
	const char *fixed;
	const char *after; /* "show|pin": only right behind one of these words; NULL: anywhere */
	bool files;        /* there may be a file as well */
} places[] = {
	{"bench", NULL, WORDS_DRIVERS},
	{"boards", NULL, WORDS_FIXED, "check health list show"},
	{"boards", NULL, BOARDS, "check|health|show"},
	{"builds", NULL, WORDS_FIXED, "add delete fetch list pin prune push show unpin"},
	{"builds", NULL, BUILDS, "delete|fetch|pin|push|show|unpin", true},
	{"builds", NULL, WORDS_FIXED, "", "add", true},
	{"cancel", NULL, OPEN_JOBS},
	{"compare", NULL, WORDS_FIXED, "latest"},
	{"compare", "format", WORDS_FIXED, "csv html json markdown text"},
	{"compare", "type", TYPES},
	{"completion", NULL, WORDS_FIXED, "bash zsh"},
	{"console", NULL, BOARDS},
	{"coverage", NULL, WORDS_FIXED, "adsp-sc5xx am275x am335x am62axx j721e"},
	{"help", NULL, WORDS_COMMANDS},
	{"import", "as", WORDS_KINDS},
	{"import", "board", BOARDS},
	{"import", "type", TYPES},
	{"log", NULL, WORDS_FIXED, "latest", NULL, true},
	{"nightly", NULL, WORDS_FIXED, "add cancel expand forget list run schedules show"},
	{"nightly", NULL, WORDS_NAMES, "1 nightly list", "cancel|show"},
	{"nightly", NULL, WORDS_NAMES, "1 nightly schedules", "forget"},
	{"nightly", NULL, WORDS_FIXED, "", "add|expand|run", true},
	{"nightly", "build", BUILDS, NULL, true},
	{"nightly", "format", WORDS_FIXED, "json markdown text"},
	{"parse", "as", WORDS_PARSERS},
	{"power", NULL, WORDS_FIXED, "cycle off on status"},
	{"power", NULL, BOARDS, "power"},
	{"reference", NULL, WORDS_FIXED, "check list show"},
	{"release", NULL, BOARDS},
	{"report", NULL, WORDS_FIXED, "guide latest run trend", NULL, true},
	{"report", "format", WORDS_FORMATS},
	{"report guide", NULL, WORDS_FIXED, "adsp-sc5xx am275x am335x am62axx j721e"},
	{"report guide", "format", WORDS_FIXED, "html markdown rst"},
	{"report guide", "release", WORDS_FIXED, "published"},
	{"report guide", "type", TYPES},
	{"report run", NULL, WORDS_FIXED, "latest", NULL, true},
	{"report run", "format", WORDS_FORMATS},
	{"reserve", NULL, BOARDS},
	{"retry", NULL, ALL_JOBS},
	{"run", "build", BUILDS, NULL, true},
	{"run", "format", WORDS_FORMATS},
	{"show", NULL, ALL_JOBS},
	{"show", "format", WORDS_FORMATS},
	{"submit", "board", BOARDS},
	{"submit", "build", BUILDS, NULL, true},
	{"submit", "format", WORDS_FORMATS},
	{"submit", "type", TYPES},
	{"token", NULL, WORDS_FIXED, "add delete list"},
};

/* The next row for an option, or for operands (option NULL): behind p, NULL for the first. */
static const struct place *next_place(
	const struct place *p, const char *command, const char *option, bool after)
{
	for (p = p ? p + 1 : places; p < places + ARRAY_LEN(places); p++)
		if (!strcmp(p->command, command) && after == (p->after != NULL) &&
			(option ? p->option && !strcmp(p->option, option) : !p->option))
			return p;
	return NULL;
}

static const struct place *find_place(const char *command, const char *option)
{
	return next_place(NULL, command, option, false);
}

static void put_drivers(const struct driver *const *table, struct buf *out)
{
	for (const struct driver *const *d = table; *d; d++)
		buf_printf(out, "%s%s", d == table ? "" : " ", (*d)->name);
}

/* The words of a place, for between double quotes of either shell. */
static void put_words(const struct place *p, struct buf *out)
{
	switch (p->words) {
	case WORDS_NAMES:
		buf_printf(out, "$(_hilab_names %s)", p->fixed);
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
		put_drivers(report_formats(), out);
		break;
	case WORDS_KINDS:
		buf_puts(out, IMPORT_KINDS " ");
		put_drivers(parse_drivers(), out);
		break;
	case WORDS_PARSERS:
		put_drivers(parse_drivers(), out);
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

/* What stands in a column of a list below its heading. Without a controller there is nothing. */
static const char names_function[] =
	"_hilab_names() {\n"
	"\tlocal column=$1 one two rest\n"
	"\tshift\n"
	"\tcommand hilab \"$@\" 2>/dev/null | {\n"
	"\t\tread -r rest\n"
	"\t\twhile read -r one two rest; do\n"
	"\t\t\tif [ \"$column\" = 1 ]; then printf '%s\\n' \"$one\"; else printf '%s\\n' "
	"\"$two\"; fi\n"
	"\t\tdone\n"
	"\t} | sort -u\n"
	"}\n";

/* May a file stand where this command's operands are, unless a row says more? */
static bool takes_files(const struct cli_command *c, const struct place *p)
{
	return p ? p->files : c->max_operands != 0;
}

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
	buf_printf(out, "files=%d ;;\n", p ? p->files : is_file(o->arg));
}

/* One arm of the case over commands: what may stand where the cursor is. */
static void bash_command(const struct cli_command *c, struct buf *out)
{
	const struct place *p = find_place(c->name, NULL), *after = NULL;

	buf_printf(out, "\t'%s')\n\t\tcase $previous in\n", c->name);
	for (const struct cli_opt *o = c->opts; o && o->name; o++)
		bash_option(c, o, out);
	buf_puts(out, "\t\t*)\n");
	if (p) {
		buf_puts(out, "\t\t\twords=\"");
		put_words(p, out);
		buf_puts(out, "\"\n");
	}
	buf_printf(out, "\t\t\tfiles=%d\n", takes_files(c, p));
	while ((after = next_place(after, c->name, NULL, true))) {
		buf_printf(out, "\t\t\tcase $previous in %s) words=\"", after->after);
		put_words(after, out);
		buf_printf(out, "\" files=%d ;; esac\n", after->files);
	}
	buf_puts(out, "\t\t\toptions=\"");
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
	buf_puts(out, names_function);
	buf_puts(out,
		"_hilab() {\n"
		"\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal words= options= files=0 command=${COMP_WORDS[1]}\n\n"
		"\t[ \"$COMP_CWORD\" -gt 1 ] || command=\n"
		"\tcase \"$COMP_CWORD $command ${COMP_WORDS[2]-}\" in 2\\ *) ;;\n");
	for (const struct cli_command *const *v = report_verbs; *v; v++)
		buf_printf(out, "\t*\" %s\") command='%s' ;;\n", (*v)->name, (*v)->name);
	buf_puts(out, "\tesac\n"
		      "\tcase $command in\n"
		      "\t'') words=\"");
	put_words(&(struct place){.words = WORDS_COMMANDS}, out);
	buf_puts(out, "\" options='-h --help --version' ;;\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		bash_command(*c, out);
	for (const struct cli_command *const *v = report_verbs; *v; v++)
		bash_command(*v, out);
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

/* The words of a row, and files where it says so, as commands. */
static void zsh_words(const struct place *p, struct buf *out)
{
	if (p->words == WORDS_NAMES)
		buf_printf(out, "compadd -- ${(f)\"$(_hilab_names %s)\"}", p->fixed);
	else if (p->words != WORDS_FIXED || *p->fixed) {
		buf_puts(out, "compadd -- ");
		put_words(p, out);
	}
	if (p->files)
		buf_puts(out, p->words == WORDS_FIXED && !*p->fixed ? "_files" : "; _files");
}

/* ":message:action" of an argument. */
static void zsh_action(const struct place *p, const char *message, bool files, struct buf *out)
{
	buf_putc(out, ':');
	zsh_text(message, out);
	buf_putc(out, ':');
	if (p) {
		buf_putc(out, '{');
		zsh_words(p, out);
		buf_putc(out, '}');
	} else if (files) {
		buf_puts(out, "_files");
	}
}

/* The same for operands, which may depend on the word before. */
static void zsh_operands(const struct cli_command *c, struct buf *out)
{
	const struct place *p = find_place(c->name, NULL), *after = NULL;

	if (!next_place(NULL, c->name, NULL, true)) {
		zsh_action(p, "operand", !p, out);
		return;
	}
	buf_puts(out, ":operand:{case $words[CURRENT-1] in ");
	while ((after = next_place(after, c->name, NULL, true))) {
		buf_printf(out, "%s) ", after->after);
		zsh_words(after, out);
		buf_puts(out, " ;; ");
	}
	buf_puts(out, "*) ");
	zsh_words(p, out);
	buf_puts(out, " ;; esac}");
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
	buf_printf(out, "\t'%s')\n\t\t_arguments -s", c->name);
	for (const struct cli_opt *o = c->opts; o && o->name; o++)
		zsh_option(c, o, out);
	buf_puts(out, " \\\n\t\t\t'-h[this help]' '--help[this help]'");
	if (c->max_operands) {
		buf_puts(out, " \\\n\t\t\t'*");
		zsh_operands(c, out);
		buf_putc(out, '\'');
	}
	buf_puts(out, " ;;\n");
}

static void zsh(struct buf *out)
{
	buf_puts(out, "#compdef hilab\n"
		      "# Completion of hilab for zsh, written by hilab completion zsh.\n");
	buf_puts(out, names_function);
	buf_puts(out, "_hilab() {\n"
		      "\tif (( CURRENT == 2 )); then\n"
		      "\t\tlocal -a commands=(");
	for (const struct cli_command *const *c = cli_commands; *c; c++) {
		buf_printf(out, "\n\t\t\t'%s:", (*c)->name);
		zsh_text((*c)->brief, out);
		buf_putc(out, '\'');
	}
	buf_puts(out, ")\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
		      "\tshift words\n\t(( CURRENT-- ))\n");
	for (const struct cli_command *const *v = report_verbs; *v; v++)
		buf_printf(out,
			"\tif (( CURRENT > 2 )) && [[ \"$words[1,2]\" == '%s' ]]; then\n"
			"\t\twords[1,2]=('%s')\n\t\t(( CURRENT-- ))\n\tfi\n",
			(*v)->name, (*v)->name);
	buf_puts(out, "\tcase $words[1] in\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		zsh_command(*c, out);
	for (const struct cli_command *const *v = report_verbs; *v; v++)
		zsh_command(*v, out);
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
