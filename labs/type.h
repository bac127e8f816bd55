/* SPDX-License-Identifier: MIT */
#ifndef LABS_TYPE_H
#define LABS_TYPE_H

/*
 * Board types: what a kind of board can do (never how one is wired). One YAML file each,
 * `labs/types/NAME.yaml`; `extends: OTHER` lays the file over OTHER's (mappings merge, lists and
 * scalars replace).
 */

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "io/driver.h"

struct type_stage {          /* one mark of the boot chain on the console */
	const char *name;    /* "loader", "kernel", "userspace", "login" */
	const char *pattern; /* the text whose arrival ends the stage before it */
};

struct type {
	const char *name; /* "am62axx-sk" */
	const char *soc;
	const char *description;
	const char *extends; /* NULL: none */
	const char *arch;    /* "arm64", "armv7", "r5f" */
	bool twin;           /* a virtual EVM: its figures are never compared with a real one's */
	bool template_only;  /* only to extend from; no board may have it */
	struct param_strings peripherals; /* "mmc", "ethernet", "usb" */
	struct param_strings tags;
	const struct node
		*consoles; /* name -> settings that the type fixes (baud); laid under the lab's */
	const struct node *boot;   /* method -> settings of that boot driver */
	const struct node *login;  /* prompt, user, password, shell prompt; see jobs' login step */
	const struct node *stages; /* list of {name, pattern} in order */
	const struct node *crash;  /* what a crash means for a run: io/crash-rules.h; NULL */
	const char *boot_mode_by;  /* how the boot mode is set: switches, pins; NULL: not told */
	const char
		*since_revision; /* oldest board revision that the guide covers; NULL: not told */
	struct param_strings sleep_modes; /* low-power modes: "deep-sleep" */
	struct param_strings opps_mhz;    /* clocks of the CPU, slowest first */
	/* What is on the board; see hardware.h. NULL: not told. */
	const struct node *cores, *memory, *ports, *rails, *boot_modes, *loader_features;
	const struct node *node; /* the whole merged document */
};
extern const struct param type_params[];

/* The `login:` section: from the kernel's first line to a shell. */
struct type_login {
	const char *prompt;       /* pattern of the login prompt */
	const char *user;         /* NULL: the console comes up with a shell, nobody logs in */
	const char *password;     /* NULL: none is asked for */
	const char *shell_prompt; /* pattern */
	int64_t timeout_ms;       /* from the login step's start to the shell */
};
extern const struct param type_login_params[];
/* One entry of `stages:`, a struct type_stage. */
extern const struct param type_stage_params[];

/* All types, by name, in one arena; a reload builds new and swaps. */
struct types {
	struct arena arena;
	struct map by_name; /* -> struct type */
};
/* Every *.yaml of dirs (NULL-ended; later ones win). Problems to diag; returns -1 when any. */
int types_load(struct types *t, const char *const *dirs, struct diag *diag);
/* The preset: the user's config folder over the installed labs/types. */
int types_load_default(struct types *t, struct diag *diag);
/* Of the preset the types named in only (NULL-ended, one at least) and what they extend: reading all
 * takes milliseconds. A name that no file has is not there and no error. */
int types_load_only(struct types *t, const char *const *only, struct diag *diag);
void types_done(struct types *t);
const struct type *type_find(const struct types *t, const char *name);
/*
 * Checks one type document. What it extends is looked up in t (NULL: what is inherited is not
 * checked), the settings of each boot method in boot (NULL: not checked).
 */
int type_check(const struct types *t, const struct driver *const *boot, const struct node *doc,
	struct diag *diag);
/* is or extends (directly or not) the named type? */
bool type_is(const struct types *t, const struct type *type, const char *name);

#endif
