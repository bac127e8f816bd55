/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/*
 * The command line: one table of commands, one file a command, one row an option. The same rows
 * parse, help and complete.
 */

#include "base/attr.h"
#include "base/diag.h"
#include "base/verdict.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_opt_type {
	CLI_FLAG,  /* bool */
	CLI_TEXT,  /* const char * */
	CLI_TEXTS, /* struct cli_texts: may be given several times */
	CLI_COUNT, /* int64_t, >= 0 */
};

struct cli_texts {
	const char **p; /* from the heap: the command frees it, also when the parse failed */
	size_t n;
};

struct cli_opt {
	const char *name; /* without dashes; a row with NULL ends the table */
	char letter;      /* 0: none */
	enum cli_opt_type type;
	size_t offset;
	const char *arg; /* "FILE"; NULL for flags */
	const char *help;
};

struct cli_command {
	const char *name, *brief;
	const char *usage;                 /* operands: "JOB.yaml" */
	const char *details;               /* paragraphs for -h, or NULL */
	const char *example;               /* lines, or NULL */
	const struct cli_opt *opts;        /* NULL: none */
	int min_operands, max_operands;    /* max -1: any number */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

/* NULL-ended, in the order of help. */
extern const struct cli_command *const cli_commands[];
const struct cli_command *cli_find(const char *name);
/* The same; NULL after telling that there is none. */
const struct cli_command *cli_get(const char *name);

/*
 * Parses argv into the struct at out by the command's rows; operands are left in *operands
 * (borrowed from argv), their number returned. -1: stop and exit with *status (help was asked for
 * and printed, or the usage is wrong and was told).
 */
int cli_parse(const struct cli_command *c, int argc, char **argv, void *out, char ***operands,
	int *status);
void cli_help(const struct cli_command *c, struct buf *out);
void cli_list_commands(struct buf *out);

/* "hilab: text" on standard error; returns the status, so that a command can `return
 * cli_fail(...)`. */
int cli_fail(int status, const char *fmt, ...) PRINTF(2, 3);
/* Which of a command's verbs a word is; -1 after telling that it is none. */
int cli_verb(const char *command, const char *word, const char *const *names, size_t n);
/* Diagnostics on standard error, one a line. */
void cli_diag(struct diag *d);
/* All of a file, or of standard input for "-", onto the end of text; its cap bounds it. */
int cli_read(const char *file, struct buf *text, struct err *e);
/* Writes all of b to standard output; -1 when that fails (told on standard error). */
int cli_out(const struct buf *b);
/* j, indented, on standard output. Returns EXIT_PASS, or EXIT_INCOMPLETE after telling. */
int cli_out_json(const json_t *j);
/* May standard output be coloured and redrawn? (a terminal, and neither NO_COLOR nor TERM=dumb) */
bool cli_tty(int fd);

int cli_main(int argc, char **argv);

#endif
