/* SPDX-License-Identifier: MIT */
#ifndef R5F_SUITES_H
#define R5F_SUITES_H

/* What `run NAME` can run. Each prints KTAP with results (hil.h), its figures as metric frames, and
 * its tables in the shape of the SoC's document. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIZES_MAX 10

struct suite_args {
	bool figures, tables; /* print metrics as frames; print tables */
	uint32_t messages;    /* 0: the suite's own */
	uint32_t sizes[SIZES_MAX];
	size_t n_sizes; /* 0: the suite's own */
};
struct suite {
	const char *name, *brief;
	int (*run)(const struct suite_args *args); /* exit status */
};
extern const struct suite suites[]; /* NULL-ended */

int suite_boot(const struct suite_args *args);
int suite_notify(const struct suite_args *args);
int suite_rpmsg(const struct suite_args *args);
int suite_round_trip(const struct suite_args *args);
int suite_memory(const struct suite_args *args);
int suite_card(const struct suite_args *args);
int suite_timer(const struct suite_args *args);
int suite_interrupts(const struct suite_args *args);

/* profile.c: how long the firmware's own stages took. */
void profile_stage(const char *name);
void profile_begin(void);

/* ipc.c */
void ipc_main_1(void); /* what core 1 does, for ever */
int ipc_start(void);   /* releases core 1; 0 when it answered */
void ipc_stop(void);   /* and switches it off again */

/* main.c: did somebody type ^C? */
bool stop_wanted(void);

/* How the documents name what we have. */
#ifdef SOC_J721E
#define CORE_0_NAME "MAIN R5F0"
#define CORE_1_NAME "Main R5F1"
#else
#define CORE_0_NAME "r5f0-0"
#define CORE_1_NAME "r5f0-1"
#endif

#endif
