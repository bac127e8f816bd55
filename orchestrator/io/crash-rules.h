/* SPDX-License-Identifier: MIT */
#ifndef IO_CRASH_RULES_H
#define IO_CRASH_RULES_H

/*
 * What each kind of crash means for a run: the `crash:` section of a board type, and of a job,
 * which is laid over it.
 *
 *	crash:
 *	  oom: fail
 *	  except:
 *	    - {kind: warning, pattern: "at drivers/clk/", until: login, reason: "a clock we know"}
 */

#include "io/crash-kinds.h"
#include "io/pattern.h"
#include "io/schema.h"

#define CRASH_EXCEPTS 64 /* of a type and a job together */

struct crash_except {
	int kind; /* -1: any */
	struct pattern *pattern;
	const char *reason;
	bool until_login;
};
struct crash_rules { /* start with crash_rules_init */
	struct arena arena;
	int rule[CRASH_KINDS]; /* enum crash_rule */
	struct crash_except except[CRASH_EXCEPTS];
	size_t n_except;
};

/* One row a kind and `except`; of one entry of it. */
extern const struct param crash_rule_params[], crash_except_params[];

/* Every problem of a section (NULL: none) goes to diag. */
int crash_rules_check(const struct node *section, struct diag *diag);
/*
 * The presets with a type's section over them and a job's over both; either may be NULL. The
 * exceptions of both hold. BLAME_CONFIG, and r holds the presets
 * alone, when a section is wrong. crash_rules_done() frees.
 */
int crash_rules_init(
	struct crash_rules *r, const struct node *type, const struct node *job, struct err *e);
void crash_rules_done(struct crash_rules *r);
/* Why that line of the kind is nobody's fault; NULL: no exception is made of it. booting: nobody
 * has logged in yet. */
const char *crash_rules_excuse(
	const struct crash_rules *r, enum crash_kind_id kind, const char *line, bool booting);

#endif
