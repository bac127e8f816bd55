/* SPDX-License-Identifier: MIT */
#ifndef LABS_HARDWARE_H
#define LABS_HARDWARE_H

/*
 * The sections of a board type that tell what is on the board. Each is a mapping of names to
 * mappings that the rows here fill; their order is kept. Facts are those of the vendors' guides
 * and of the boards' own U-Boot.
 */

#include "base/arena.h"
#include "base/diag.h"
#include "io/schema.h"

struct type_core {         /* `cores:` */
	const char *core;  /* "cortex-a53" */
	int64_t count;     /* of them */
	int64_t clock_mhz; /* 0: not told */
	const char *runs;  /* NULL: not told */
};
struct type_memory {        /* `memory:` RAM, flash and cards */
	const char *kind;   /* "LPDDR4" */
	int64_t size_bytes; /* 0: not told */
	int64_t at;         /* address; 0: not told or not mapped */
	int64_t rate_mts;   /* MT/s; 0: not told */
	const char *part;   /* NULL: not told */
};
struct type_port { /* `ports:` */
	int64_t speed_mbits;
	const char *interface, *mac, *mode, *phy; /* NULL: not told */
};
struct type_rail {          /* `rails:` */
	int64_t voltage_mv; /* 0: not told */
};
struct type_boot_mode { /* `boot-modes:` */
	bool supported;
	const char *pins;   /* NULL: not told */
	const char *device; /* NULL: there is one only */
};
extern const struct param type_core_params[], type_memory_params[], type_port_params[],
	type_rail_params[], type_boot_mode_params[];

struct type_section {
	const char *key;  /* in the type; NULL ends the table */
	const char *what; /* one entry of it, for people */
	const struct param *rows;
	size_t size; /* of the struct that the rows fill */
};
extern const struct type_section type_sections[];
/* Keys of `loader-features:`, NULL-ended. */
extern const char *const type_loader_features[];

/* All of the above in a merged type; every problem goes to diag. a: memory for the check. */
int hardware_check(struct arena *a, const struct node *type, struct diag *diag);

#endif
