/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_MEASURE_INSTRUMENT_H
#define AGENTS_MEASURE_INSTRUMENT_H

/*
 * Instruments of a board: devices of the lab host that read its power rails, as the lab file names
 * them. A driver reads all wanted rails in rounds; when and for how long is the sampler's.
 *
 *	instruments:
 *	  ina: {driver: hwmon, rails: {vdd_core: {device: 1-0040}}}
 *	  psu: {driver: scpi, address: 192.168.1.60, model: rigol-dp800, rails: {board: {channel:
 *2}}}
 */

#include "agents/bench/bench.h"
#include "io/driver.h"

#define INSTRUMENTS_MAX 4       /* of one board */
#define RAILS_MAX       256     /* of one board */
#define RAIL_TOTAL      "total" /* a rail of this name is all of the board's power */

struct rail {
	const char *name;
	void *conf;   /* the driver's settings of it */
	bool counted; /* is part of the total */
	/* The reading in hand, in mW, V and mA; NAN: the instrument does not tell it. */
	double mw, v, ma;
	double kept_mw, kept_v; /* of the last round that was whole; the sampler's */
};

struct instrument;
struct instrument_driver {
	struct driver d;
	const struct param *rail; /* settings of one rail */
	size_t rail_size;         /* bytes of the struct that they fill */
	/* Ready to be asked; may wait, at most answer_ms for each answer. Sets id where the
	 * instrument says what it is. */
	int (*open)(struct instrument *in, struct err *e);
	void (*close)(struct instrument *in); /* also after an open that failed; NULL: nothing */
	/* Begins a round. 1: all rails have their readings; 0: they come through `hear`, or where
	 * there is none, when it is asked again. Never waits. */
	int (*ask)(struct instrument *in, struct err *e);
	/* fd can be read: 1 the round is whole, 0 not yet. NULL: only `ask` tells. */
	int (*hear)(struct instrument *in, struct err *e);
};

struct instrument {
	const struct instrument_driver *drv;
	struct bench *bench;
	const char *name;    /* in the lab file */
	void *conf;          /* the driver's settings */
	void *priv;          /* the driver's own */
	struct arena *arena; /* of the measurement: what the driver may need until close */
	struct rail *rails;  /* the wanted ones */
	size_t n;
	int fd;      /* set by open; -1: none */
	char id[96]; /* what it says it is; "": nothing */
	int64_t interval_ms, answer_ms;
};

const struct driver *const *instrument_drivers(void); /* NULL-ended, sorted */

/* Keys of an instrument and of a rail that are the core's, not the driver's. */
struct instrument_core {
	const char *driver;
	int64_t interval_ms, answer_ms;
	const struct node *rails;
};
struct rail_core {
	bool counted;
};
extern const struct param instrument_params[], rail_params[];

/*
 * The instrument that map describes, with the rails for which want says true (NULL: all), not yet
 * opened. 0 rails is no error. BLAME_CONFIG. Everything is in a.
 */
int instrument_load(struct instrument *in, const struct node *map,
	bool (*want)(const void *arg, const char *rail), const void *arg, struct arena *a,
	struct err *e);
int instrument_open(struct instrument *in, struct bench *b, struct err *e);
void instrument_close(struct instrument *in);

#endif
