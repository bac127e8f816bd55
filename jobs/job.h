/* SPDX-License-Identifier: MIT */
#ifndef JOBS_JOB_H
#define JOBS_JOB_H

/*
 * The native job language: a YAML document compiled to a plan. `${name}` of a declared param and
 * `matrix:` on a step are its only logic. All problems of a file are reported in one pass.
 *
 *	job: am62axx-smoke
 *	board: {soc: am62axx, peripherals: [mmc]}
 *	build: am62axx-twin
 *	params:
 *	  size: {default: 64MiB, help: bytes that each fio run moves}
 *	timeout: 5m
 *	steps:
 *	  - power: off
 *	  - deploy: {method: tftp, images: [kernel, rootfs]}
 *	  - boot: u-boot
 *	  - login
 *	  - run: {name: fio-write, command: fio ... --size=${size}, parse: fio, timeout: 60s}
 *	  - run:
 *	      name: fio-${bs}
 *	      matrix: {bs: [4k, 1m]}
 *	      command: fio --bs=${bs} ...
 */

#include "jobs/plan.h"

/* Names that steps may use, handed down from above. Any table may be NULL: names are then not
 * checked. parsers: each is a struct parser (reports/parse/parse.h). */
struct job_tables {
	const struct driver *const *deploy, *const *boot, *const *measure, *const *parsers;
};

struct job_setting { /* from --param K=V, or from a nightly */
	const char *name, *value;
	struct loc at; /* zero: the command line */
};

/* Compiles. -1 with everything that is wrong in diag. doc and settings need to live only for the
 * call. The build is not looked at. A job with roles is refused: it has several plans. */
int job_compile(struct plan *p, const struct node *doc, const struct job_setting *settings,
	size_t n_settings, const struct job_tables *tables, struct diag *diag);
/* The same for a job that nobody runs: params that must be given have their example. */
int job_compile_preset(
	struct plan *p, const struct node *doc, const struct job_tables *tables, struct diag *diag);

/*
 * A job with `roles:` has a part for each of its boards:
 *
 *	roles:
 *	  server: {board: {type: am62axx-sk}, steps: [login, {barrier: ready}]}
 *	  client: {count: 2, steps: [login, {barrier: ready}]}       # client-1, client-2
 *
 * A job without them has one part, whose plan has no role.
 */
struct job_parts {
	struct plan plans[PLAN_ROLES_MAX];         /* owned */
	const struct node *boards[PLAN_ROLES_MAX]; /* where each says its board, in the document;
						      NULL: nowhere */
	size_t n;
};
bool job_has_roles(const struct node *doc);
/* As job_compile, all parts; those of a job with roles are checked against each other, too. */
int job_compile_parts(struct job_parts *out, const struct node *doc,
	const struct job_setting *settings, size_t n_settings, const struct job_tables *tables,
	struct diag *diag);
int job_compile_parts_preset(struct job_parts *out, const struct node *doc,
	const struct job_tables *tables, struct diag *diag);
void job_parts_done(struct job_parts *p);

/* Only the check, with preset params. */
int job_check(const struct node *doc, const struct job_tables *tables, struct diag *diag);
/* Rows of the top level, for help and the page. */
extern const struct param job_params[], job_param_params[], job_role_params[];

/* What a YAML document is, by its first own key. */
enum doc_kind { DOC_UNKNOWN, DOC_JOB, DOC_LAB, DOC_TYPE, DOC_BUILD, DOC_NIGHTLY };
enum doc_kind doc_kind_of(const struct node *doc);

#endif
