/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_MEASURE_MEASURE_H
#define AGENTS_MEASURE_MEASURE_H

/* Instruments of the lab host: programs and devices that measure a board from outside. */

#include "agents/bench/bench.h"
#include "io/driver.h"

struct measure;
struct measure_driver {
	struct driver d;
	const char *parser; /* name of the parser that reads its raw text */
	/* Runs once; the raw text of the tool goes onto out. A measurement that failed: BLAME_TEST
	 * or BLAME_INFRA. 1: the lab has not what it takes, as e says; that is no failure. */
	int (*run)(struct measure *m, struct buf *out, struct err *e);
	/* It only looks on: its failure is a lost result, and the run goes on. */
	bool aside;
};
struct measure {
	const struct measure_driver *drv;
	struct bench *bench;
	void *conf;                     /* the step's settings */
	const char *address;            /* the board's address as seen from the lab host */
	const struct node *instruments; /* lab file's section; NULL: the board has none */
	const struct node *ports; /* lab file's port map: service name -> port on address; NULL: the
				     service's own */
};

const struct driver *const *measure_drivers(void);

#endif
