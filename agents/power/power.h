/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_POWER_POWER_H
#define AGENTS_POWER_POWER_H

/*
 * Power to a board. State is on, off or unknown, and unknown is never treated as off. A switch
 * is believed only when the relay reads it back; without read-back the state stays unknown until
 * the console agrees (the worker sees to that).
 */

#include "agents/bench/bench.h"
#include "io/driver.h"

enum power_state { POWER_UNKNOWN, POWER_OFF, POWER_ON };

struct power;

struct power_driver {
	struct driver d;
	int (*open)(struct power *p, struct err *e); /* NULL: nothing to open */
	void (*close)(struct power *p);              /* NULL: nothing to close */
	/* Commands the switch; both safe to repeat. Success means the relay took the command. */
	int (*on)(struct power *p, struct err *e);
	int (*off)(struct power *p, struct err *e);
	/* Reads the switch back: 0 and *on, 1 this one cannot tell, -1. NULL: no switch of
	 * this driver can tell. */
	int (*query)(struct power *p, bool *on, struct err *e);
};

struct power {
	const struct power_driver *drv;
	struct bench *bench;
	void *conf;             /* the driver's settings */
	void *priv;             /* the driver's own */
	enum power_state state; /* what is known */
	bool blind;             /* the last question told that this switch cannot tell */
	int64_t off_ms;         /* how long a cycle stays off at least */
	int64_t off_at_ms;      /* when power_off switched it off; 0: it did not yet */
};

const struct driver *const *power_drivers(void);  /* NULL-ended, sorted */
const char *power_state_name(enum power_state s); /* "unknown", "off", "on" */

/*
 * Switch and read back: on success state is POWER_ON/POWER_OFF where the driver can query, else
 * POWER_UNKNOWN. A relay that does not answer, or reads back the other state: -1, BLAME_INFRA,
 * state POWER_UNKNOWN (or what it read). One retry.
 */
int power_on(struct power *p, struct err *e);
int power_off(struct power *p, struct err *e);
/* Between off and on of a cycle: waits until off_ms have passed since power_off, or from now on. */
int power_rest(struct power *p, struct err *e);
int power_query(struct power *p, struct err *e); /* refreshes state */
/* p->off_ms is the caller's and stays; all else of *p is set here. */
int power_open(struct power *p, const struct power_driver *drv, void *conf, struct bench *b,
	struct err *e);
void power_close(struct power *p);

#endif
