/* SPDX-License-Identifier: MIT */
#ifndef PLAYER_SCRIPT_H
#define PLAYER_SCRIPT_H

/*
 * A transcript: what a played board prints and answers, as a machine of states. YAML:
 *
 *	transcript: small
 *	type: am62axx-sk             # the board type that the lab file names
 *	vars: {kernel: "6.1.0"}      # ${kernel} in texts; can be set while it plays
 *	files: {/proc/version: "Linux version ${kernel}\n"}   # what the shell's `cat` shows
 *	start: loader                # entered when the relay closes
 *	states:
 *	  loader:
 *	    enter: ["U-Boot 2023.01\n", {hold: 2s}, {goto: kernel}]
 *	    key: stopped             # any byte typed here goes there
 *	  stopped:
 *	    prompt: "=> "
 *	    chain: true              # `;` and `&&` split a line, ${name} stands for a variable
 *	    rules:
 *	      - {match: 'setenv (\S+) (.*)', do: [{set: {name: '${1}', value: '${2}'}}]}
 *	      - {match: boot, do: [{goto: kernel}]}
 *	    otherwise: ["Unknown command '${0}' - try 'help'\n"]
 *	  kernel:
 *	    enter: ["Linux version ${kernel}\n", {wait: 300ms}, {goto: shell}]
 *	  shell:
 *	    shell: [busybox, sh]     # a real shell on an inner PTY
 *	    exits: {101: loader}     # by its exit status; otherwise it is started again
 *
 * An action is a text (printed, \n as CR LF) or a mapping of one key, the rows of enum act_kind.
 * `wait` is scaled by the player's factor (0: not at all), `hold` never is: it is the time in which
 * somebody may press a key. In texts ${0} is the typed line, ${1}.. are the pattern's groups.
 * Patterns match the whole line.
 */

#include "base/arena.h"
#include "base/diag.h"
#include "io/node.h"
#include "io/pattern.h"
#include "io/schema.h"

#define SCRIPT_STATES_MAX 64
#define SCRIPT_ACTS_MAX   256

enum act_kind {
	ACT_PRINT, /* text */
	ACT_WAIT,  /* ms, scaled */
	ACT_HOLD,  /* ms, as it stands */
	ACT_GOTO,  /* state */
	ACT_SET,   /* {name, value} */
	ACT_SHOW,  /* prints NAME=VALUE, or U-Boot's complaint and fails */
	ACT_FAIL,  /* prints text; the command has failed: `&&` stops here */
	ACT_LOAD,  /* {file, address}: U-Boot's tftpboot of a file under the TFTP root */
	ACT_BOOT,  /* {kernel, ramdisk}: fails unless both addresses were loaded; ${kernel} and
		      ${build} become what the images say */
	ACT_PANIC, /* the transcript's panic text, then nothing until power off */
	ACT_HANG,  /* nothing until power off */
};

struct state;

struct act {
	enum act_kind kind;
	struct loc at;
	int64_t ms;
	const char *text;          /* text, name, file, kernel address */
	const char *more;          /* value, load address, ramdisk address; NULL: not given */
	const struct state *state; /* ACT_GOTO */
};
struct acts {
	struct act *p;
	size_t n;
};

struct rule {
	const char *match;
	struct pattern *pattern; /* of the whole line */
	struct acts acts;
};

struct exit_rule {
	int status; /* -1: any other */
	const struct state *state;
};

struct state {
	const char *name;
	struct acts enter;
	const char *prompt;      /* NULL: none */
	bool echo;               /* of what is typed */
	bool chain;              /* U-Boot's `;`, `&&` and variables */
	const struct state *key; /* NULL: keys wait for the prompt */
	struct rule *rules;
	size_t n_rules;
	struct acts otherwise;      /* a line that no rule matches; not for an empty one */
	struct param_strings shell; /* argv of a real shell; n == 0: none */
	struct exit_rule *exits;
	size_t n_exits;
};

struct script {
	struct arena arena;
	const char *name, *type;
	const char *panic;           /* text of a kernel panic */
	const char *line;            /* a kernel line, where a fault inserts one and names none */
	const struct node *vars;     /* NULL: none */
	const struct node *files;    /* path -> text, in the userland's folder; NULL: none */
	const struct node *lab;      /* laid over the board's entry of the lab file; NULL: none */
	const struct node *rails;    /* name -> {mv, mw}: what the meter reads; NULL: none */
	struct param_strings faults; /* fault specs that every board begins with */
	const struct state *start;
	struct state *states;
	size_t n_states;
};

/* Rows of the whole file, a state and a rule, for checks and help. */
extern const struct param script_params[], state_params[], rule_params[];

/* NULL after adding to diag. */
struct script *script_load(const char *path, struct diag *diag);
/* The same from memory; name stands for the file in positions. */
struct script *script_parse(const char *name, struct str text, struct diag *diag);
void script_free(struct script *s);                                         /* NULL is fine */
const struct state *script_state(const struct script *s, const char *name); /* or NULL */

#endif
