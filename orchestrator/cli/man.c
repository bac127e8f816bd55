/* SPDX-License-Identifier: MIT */
/*
 * The manual pages of the program and its commands. Invariant: whatever the rows hold, a line of
 * text never turns into a request of roff.
 */
#include "cli/man.h"

#include "base/str.h"
#include "cli/commands.h"
#include "cli/report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PAGE_DATE "November 30, 2026"

static const struct {
	const char *name, *help;
} variables[] =
	{
		{"HILAB_CACHE_MAX",
			"how large the cache of images may grow, as a size; 32GiB unless set"},
		{"HILAB_DATA",
			"folder of the board types, jobs and tables; that of the installation, or "
			"the source tree, unless set"},
		{"HILAB_LOG", "error, warn, info or debug: how much is told on standard error"},
		{"HILAB_RUN_DIR", "folder of the boards' locks; /run/lock unless set"},
		{"HILAB_SERVER",
			"the controller that commands talk to: a name of hilab.yaml, or a URL"},
		{"HILAB_STORE", "the store's file; hilab.db in the state folder unless set"},
		{"HILAB_TOKEN", "the token for it"},
		{"NO_COLOR", "when not empty: no colour and no line that is redrawn"},
},
  files[] =
	  {
		  {"~/.config/hilab/lab.yaml", "the user's lab file, used when no --lab is given"},
		  {"/etc/hilab/lab.yaml", "the system's lab file, used when the user has none"},
		  {"~/.config/hilab/builds", "the user's builds"},
		  {"~/.cache/hilab/builds", "images that were fetched or unpacked"},
		  {"~/.local/state/hilab", "the store, and a folder for each run"},
},
  statuses[] = {
	  {"0", "pass, or done"},
	  {"1", "the thing under test failed"},
	  {"2", "wrong usage or input that is not valid"},
	  {"3", "incomplete: the lab failed, time was up, or nothing ran"},
	  {"4", "a regression, where judging was asked for"},
	  {"5", "a build that cannot be used"},
	  {"130", "canceled"},
};

/* Text that stands at the beginning of a line. */
static void put_words(struct str text, struct buf *out)
{
	if (text.n && (text.p[0] == '.' || text.p[0] == '\''))
		buf_puts(out, "\\&");
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\\')
			buf_puts(out, "\\e");
		else
			buf_putc(out, text.p[i]);
}

/* The rows write sentences without capital and full stop. */
static void put_sentence(const char *text, struct buf *out)
{
	size_t n = strlen(text);

	/* A name in its own spelling keeps it. */
	if (n > 1 && islower((unsigned char)text[0]) && !strchr("._/", text[1])) {
		buf_putc(out, (char)toupper((unsigned char)*text++));
		n--;
		for (size_t i = 0; i < n; i++)
			buf_puts(out, text[i] == '\\' ? "\\e" : (char[]){text[i], 0});
	} else {
		put_words(str_of(text), out);
	}
	buf_puts(out, n && strchr(".?!", text[n - 1]) ? "\n" : ".\n");
}

/* Lines; an empty one begins a paragraph. */
static void put_literal(const char *text, struct buf *out)
{
	struct str rest = str_of(text), line;

	while (str_line(&rest, &line)) {
		put_words(line, out);
		buf_putc(out, '\n');
	}
}

/* The same filled, each sentence on a line of its own as roff wants it. */
static void put_text(const char *text, struct buf *out)
{
	struct str rest = str_of(text), line;

	while (str_line(&rest, &line)) {
		ptrdiff_t end;

		line = str_trim(line);
		if (!line.n)
			buf_puts(out, ".Pp");
		while ((end = str_find(line, STR_LIT(". "))) >= 0) {
			put_words(str_make(line.p, (size_t)end + 1), out);
			buf_putc(out, '\n');
			line = str_trim(str_make(line.p + end + 1, line.n - (size_t)end - 1));
		}
		put_words(line, out);
		buf_putc(out, '\n');
	}
}

static void put_head(const char *name, const char *brief, struct buf *out)
{
	buf_printf(out, ".\\\" Written by hilab help --man.\n.Dd " PAGE_DATE "\n.Dt ");
	for (const char *p = name; *p; p++)
		buf_putc(out, (char)toupper((unsigned char)*p));
	buf_printf(out, " 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd %s\n.Sh SYNOPSIS\n", name, brief);
}

static void put_options(const struct cli_opt *opts, struct buf *out)
{
	buf_puts(out, ".Pp\nThe options are as follows:\n.Bl -tag -width Ds\n");
	for (const struct cli_opt *o = opts; o && o->name; o++) {
		buf_puts(out, ".It ");
		if (o->letter)
			buf_printf(out, "Fl %c , ", o->letter);
		buf_printf(
			out, "Fl Fl %s%s%s\n", o->name, o->arg ? " Ar " : "", o->arg ? o->arg : "");
		put_sentence(o->help, out);
	}
	buf_puts(out, ".It Fl h , Fl Fl help\nPrint a short help.\n.El\n");
}

static void put_statuses(struct buf *out)
{
	buf_puts(out, ".Sh EXIT STATUS\n.Bl -tag -width Ds\n");
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		buf_printf(out, ".It %s\n", statuses[i].name);
		put_sentence(statuses[i].help, out);
	}
	buf_puts(out, ".El\n");
}

/* The verbs that are commands of their own stand in their command's page. */
static void put_verbs(struct buf *out)
{
	for (const struct cli_command *const *v = report_verbs; *v; v++) {
		buf_printf(out, ".Sh HILAB %s\n.Nm hilab %s\n.Op Ar options\n", (*v)->name,
			(*v)->name);
		put_words(str_of((*v)->usage), out);
		buf_printf(out, "%s.Pp\n", *(*v)->usage ? "\n" : "");
		if ((*v)->details)
			put_text((*v)->details, out);
		else
			put_sentence((*v)->brief, out);
		put_options((*v)->opts, out);
	}
}

void man_command(const struct cli_command *c, struct buf *out)
{
	char name[STR_NAME_BYTES];

	snprintf(name, sizeof name, "hilab-%s", c->name);
	for (char *p = name; *p; p++)
		if (*p == ' ')
			*p = '-';
	put_head(name, c->brief, out);
	buf_printf(out, ".Nm hilab %s\n.Op Ar options\n", c->name);
	if (*c->usage) {
		put_words(str_of(c->usage), out);
		buf_putc(out, '\n');
	}
	buf_puts(out, ".Sh DESCRIPTION\n");
	if (c->details)
		put_text(c->details, out);
	else
		put_sentence(c->brief, out);
	put_options(c->opts, out);
	if (c == &report_command)
		put_verbs(out);
	put_statuses(out);
	if (c->example) {
		buf_puts(out, ".Sh EXAMPLES\n.Bd -literal\n");
		put_literal(c->example, out);
		buf_puts(out, ".Ed\n");
	}
	buf_puts(out, ".Sh SEE ALSO\n.Xr hilab 1\n");
}

void man_program(struct buf *out)
{
	put_head("hilab", "run jobs on lab boards and report on them", out);
	buf_puts(out,
		".Nm\n.Ar command\n.Op Ar options\n.Op Ar operand ...\n"
		".Sh DESCRIPTION\n"
		"Powers, deploys to, boots and tests the boards of a lab over their serial lines,\n"
		"power relays and network, and turns what comes back into results and figures.\n"
		".Pp\nThe commands are as follows:\n.Bl -tag -width Ds\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++) {
		buf_printf(out, ".It Xr hilab-%s 1\n", (*c)->name);
		put_sentence((*c)->brief, out);
	}
	buf_puts(out, ".El\n.Sh ENVIRONMENT\n.Bl -tag -width Ds\n");
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		buf_printf(out, ".It Ev %s\n", variables[i].name);
		put_sentence(variables[i].help, out);
	}
	buf_puts(out, ".El\n.Sh FILES\n"
		      "The folders below the home are those that\n.Ev XDG_CONFIG_HOME ,\n"
		      ".Ev XDG_CACHE_HOME\nand\n.Ev XDG_STATE_HOME\nname, when they are set.\n"
		      ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		buf_printf(out, ".It Pa %s\n", files[i].name);
		put_sentence(files[i].help, out);
	}
	buf_puts(out, ".El\n");
	put_statuses(out);
	buf_puts(out, ".Sh SEE ALSO\n.Xr hilab-build 5 ,\n.Xr hilab-job 5 ,\n.Xr hilab-lab 5 ,\n"
		      ".Xr hilab-type 5\n");
}
