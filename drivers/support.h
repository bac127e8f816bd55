/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_SUPPORT_H
#define DRIVERS_SUPPORT_H

/*
 * The support matrix of a SoC (drivers/SOC.yaml): what its published guide says of each driver, one
 * row a statement, and which step of which job of the library proves it.
 *
 *	soc: am335x
 *	drivers:
 *	  - driver: uart
 *	    title: UART
 *	    type: Character
 *	    dma: Not Supported
 *	    job: am335x/uart.yaml
 *	    rows:
 *	      - {row: uart-tiocgserial, kind: ioctl, says: reads the settings, step: ioctls}
 *	      - {row: uart-flow, kind: unsupported, says: no RTS/CTS, not-testable: no wires}
 */

#include "base/arena.h"
#include "base/diag.h"
#include "io/schema.h"

#define SUPPORT_ROWS_MAX 1000 /* of one SoC */

/* What a row is about. */
enum support_kind {
	SUPPORT_DRIVER,      /* that there is one, and what it is */
	SUPPORT_FEATURE,     /* it can */
	SUPPORT_UNSUPPORTED, /* it cannot */
	SUPPORT_CONSTRAINT,  /* it can, as long as */
	SUPPORT_CALL,        /* system calls */
	SUPPORT_IOCTL,
	SUPPORT_TOOL,    /* what the guide measures with */
	SUPPORT_COMMAND, /* and how it is called */
	SUPPORT_BOOT_MODE,
	SUPPORT_LOADER, /* a feature of the boot loader */
	SUPPORT_KINDS
};
extern const char *const support_kinds[]; /* their words, NULL-ended */

/* How far a row is proven; see support_resolve. */
enum support_proof {
	SUPPORT_UNKNOWN,     /* not resolved yet */
	SUPPORT_BY_STEP,     /* job and step are there */
	SUPPORT_NOT_YET,     /* they are not there yet, and the row says so */
	SUPPORT_NOT_TESTABLE /* and the row says why */
};

struct support_driver;
struct support_row {
	const char *name; /* unique in the file */
	int kind;         /* enum support_kind */
	const char *says;
	const char *job;          /* below jobs/; NULL: none */
	const char *step;         /* of that job, as the compiled plan names it; NULL: none */
	const char *test;         /* result STEP/TEST; NULL: the step's own */
	const char *not_testable; /* why; NULL: it is */
	const char *not_yet;      /* what is missing; NULL: nothing */
	const struct support_driver *of;
	struct loc at;
	/* resolved */
	enum support_proof proof;
	const char *job_name; /* the job's own name, under which its results are filed; NULL */
};
struct support_driver {
	const char *name, *title, *does;
	const char *type; /* Linux or RTOS driver type, as published; NULL: not told */
	const char *dma;  /* what moves its bytes, as published; NULL: not told */
	struct param_strings calls, options, modules; /* system calls, kernel options, modules */
	const char *job, *step, *not_yet;             /* of rows that name none */
	const struct node *node_rows;
	struct support_row *rows;
	size_t n;
};
struct support {
	struct arena arena;
	const char *soc, *document;
	const struct node *node_drivers;
	struct support_driver *drivers;
	size_t n, n_rows;
};
extern const struct param support_params[], support_driver_params[], support_row_params[];

/* Reads one file; every problem goes to diag. */
int support_load(struct support *s, const char *path, struct diag *diag);
void support_done(struct support *s);
/* "drivers/SOC.yaml" among the installed files; -1 with the SoCs that there are, when soc is none.
 */
int support_load_soc(struct support *s, const char *soc, struct diag *diag);
/* Names of the SoCs that have a file, sorted, NULL-ended, in a. */
const char **support_socs(struct arena *a);
/*
 * Looks up job and step of every row in the library (dir NULL: the installed jobs/) and fills proof
 * and job_name. A row that names a job or a step which is not there, without saying `not-yet`, goes
 * to diag.
 */
int support_resolve(struct support *s, const char *dir, struct diag *diag);
/* By name; NULL. */
const struct support_row *support_find(const struct support *s, const char *row);

#endif
