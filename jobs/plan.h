/* SPDX-License-Identifier: MIT */
#ifndef JOBS_PLAN_H
#define JOBS_PLAN_H

/*
 * A plan: a job with everything decided, ready for a worker. Immutable once compiled; lives in
 * its arena; written to the job folder as plan.json and read back by the worker.
 */

#include "builds/packed.h"
#include "labs/lab.h"

#define PLAN_VERSION   2
#define PLAN_STEPS_MAX 20000
#define PLAN_BYTES_MAX ((size_t)64 << 20) /* memory of one plan */
#define RETRY_MAX      100                /* further attempts of one step */
#define PLAN_ROLES_MAX 16                 /* parts of one job */
#define PLAN_BLOB      "blob:"            /* a path that is to be resolved */

enum step_kind {
	STEP_POWER,
	STEP_DEPLOY,
	STEP_BOOT,
	STEP_LOADER,
	STEP_LOGIN,
	STEP_RUN,
	STEP_EXPECT,
	STEP_SEND,
	STEP_MEASURE,
	STEP_FETCH,
	STEP_PUT,
	STEP_BOOTMODE,
	STEP_BARRIER,
	STEP_TELL,
	STEP_HEAR,
	STEP_COUNT
};

/* The settings of each kind. All texts may hold ${run-time.variables} (names with a dot). */
struct step_power {
	int action; /* index in on, off, cycle */
};
struct step_deploy {
	const char *method;
	struct param_strings images;
};
enum boot_via { BOOT_COLD, BOOT_WARM, BOOT_ON };
struct step_boot {
	const char *method;
	int via;           /* index of boot_via */
	int until;         /* index in kernel, prompt */
	const char *reset; /* command that restarts the running system, for warm */
};
struct step_loader {
	struct param_strings commands; /* typed one after the other at the boot loader's prompt */
	const char *feature;           /* that the board's type must have; NULL: any board's */
	const struct node *parse;      /* parser of all they print, as in step_run; NULL: none */
	struct param_strings expect;   /* patterns that must all be in it */
};
struct step_login {
	const char *user; /* NULL: the board's; its password comes from the lab, never from a job */
};
struct step_run {
	const char *command;         /* for the board's shell */
	const struct node *parse;    /* parser of its output (plan_parser); NULL: none */
	struct param_strings expect; /* patterns that must all be in its output */
	int64_t exit;                /* exit status that means pass; -1: any */
	const struct node *env;      /* name -> text; NULL: none */
	struct param_strings needs;  /* commands whose programs must be on the board, else a skip */
};
struct step_expect {
	const char *pattern;
	const char *fail; /* NULL: none */
};
struct step_send {
	const char *text;
	bool enter;
};
struct step_measure {
	const char *with;
	const struct node
		*settings; /* all other keys: a mapping for the driver's params, never NULL */
};
struct step_fetch {
	const char *from; /* file on the board */
	const char *as;   /* name of the artifact; NULL: as the file is called */
};
struct step_put {
	const char *file; /* on the host that compiles; the job folder gets a copy */
	const char *to;   /* path on the board */
	const char *mode; /* octal */
};
struct step_bootmode {
	const char *mode; /* one of the board's */
};
/* Between the parts of a job with roles. */
struct step_barrier {
	const char *point; /* its name */
};
struct step_tell {
	const char *key, *value; /* value NULL: the bytes of the artifact */
	const char *artifact;
	const char *to; /* a role; NULL: all the others */
};
struct step_hear {
	const char *key;
	const char *from; /* a role; NULL: any */
	const char *as;   /* it is ${msg.AS} from here on; NULL: ${msg.KEY} */
};

/* What a step that failed, or could not be done, means for those after it. */
enum on_failure {
	ON_FAILURE_PRESET, /* a failed result: go on; not done: stop */
	ON_FAILURE_STOP,
	ON_FAILURE_CONTINUE,
};

struct step {
	enum step_kind kind;
	const char *name;  /* unique within the plan; results are named by it */
	const char *suite; /* result suite; the job's name unless given */
	int64_t timeout_ms;
	int64_t retry; /* further attempts after one that failed */
	enum on_failure on_failure;
	bool always;               /* also after a step that ended the run */
	const char *console;       /* "main" */
	const struct node *labels; /* name -> text: parameters that key its metrics; NULL: none */
	const struct node *sample; /* a struct sampler_window; NULL: no rails are read meanwhile */
	const struct node *params; /* the kind's mapping, for the record */
	void *conf;                /* the kind's struct, filled by step_kinds[kind].params */
	struct loc at;
};
struct step_spec {        /* the table behind steps: compile, help and docs */
	const char *name; /* "run" */
	const char *brief;
	const struct param *params;
	size_t size;
	const char *shorthand; /* the row a plain scalar fills: `power: on`; NULL: none allowed */
	int64_t timeout_ms;    /* preset deadline */
	const char *blame;     /* who must act when it cannot be done, in words */
	bool needs_shell;      /* a login has to come before it */
};
extern const struct step_spec step_specs[STEP_COUNT];
extern const struct param step_common_params[], group_params[];

/*
 * path NULL: only its versions matter, no step deploys it. "blob:SHA256": the bytes as shipped, for
 * an agent to fetch and, by packing, to unpack; a worker gets the path of a plain file, its digest
 * as sha256, and PACKING_NONE.
 */
struct plan_image {
	const char *role, *path, *sha256, *version, *release, *build_id, *module;
	enum packing packing;        /* of what sha256 is the digest of */
	const char *unpacked_sha256; /* NULL: not told */
};
struct plan {
	struct arena arena;
	bool session;     /* a lease: no steps, people type (inbox.h); timeout_ms is its hard end */
	const char *role; /* this part of a job with several boards; NULL: it has one */
	struct param_strings roles; /* all its parts, this one among them; none when role is NULL */
	const char *job;            /* name of the job */
	const char *description;
	int64_t timeout_ms;
	const char *build, *build_version; /* NULL: the job deploys nothing */
	struct plan_image *images;
	size_t n_images;
	const struct node *params; /* name -> value: what was substituted, for the record */
	const struct node *crash;  /* rules of crashes: io/crash-rules.h; NULL: the type's alone */
	struct match match;
	struct step *steps;
	size_t n;
};

void plan_done(struct plan *p);
json_t *plan_to_json(const struct plan *p); /* new reference */
/* Reads what plan_to_json wrote; BLAME_BUG where it does not fit. */
int plan_from_json(struct plan *p, const json_t *j, struct err *e);
/* Gives a `put` step another file, such as "blob:SHA256" or what that was resolved to. */
void plan_set_put_file(struct plan *p, struct step *s, const char *file);
/*
 * What `parse:` of a step says, "fio" or {regex: {pattern: ...}}: the parser's name, and *settings
 * of it, NULL where there are none. NULL: it says neither, or nothing (parse is NULL). Borrowed.
 */
const char *plan_parser(const struct node *parse, const struct node **settings);
/* The digest in "blob:SHA256"; NULL: path is none (or NULL). Borrowed from path. */
const char *plan_blob(const char *path);

#endif
