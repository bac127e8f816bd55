/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_PDK_H
#define REPORTS_PARSE_PDK_H

/* A table of a PDK data sheet as pdk.c reads it, and what pdk-row.c tells of its rows. */

#include "rows.h"

enum pdk_role {
	PDK_OTHER,
	PDK_OUTPUT,
	PDK_CONFIG,
	PDK_CLOCK,
	PDK_MODE,
	PDK_SIZE,
	PDK_FIGURE, /* this one and what follows: a number */
	PDK_FPS = PDK_FIGURE,
	PDK_CPU,
	PDK_RX_TIME,
	PDK_TX_TIME,
	PDK_ISR,
	PDK_WRITE,
	PDK_WRITE_CPU,
	PDK_READ,
	PDK_READ_CPU,
	PDK_READ_TIME,
	PDK_LIMIT,
	PDK_TUNING,
	PDK_ROLES
};

struct pdk_head {
	const char *head;
	enum pdk_role role;
	const char *unit; /* of its cells; a cell may repeat it */
};

#define PDK_COLUMNS 12

struct pdk {
	const struct sink *sink;
	const struct pdk_head *columns[PDK_COLUMNS];
	size_t n;     /* columns of the table in hand */
	bool in_head; /* more of them may come */
	size_t at;    /* column of the next cell */
	bool lost;    /* a line was damaged: nothing counts up to the next heading */
	char cells[PDK_COLUMNS][ROWS_LABEL_BYTES];
	/* What stands before a table; "": nothing. */
	char media[8], mode[ROWS_LABEL_BYTES], cache[8], by[8];
	char clock[ROWS_LABEL_BYTES]; /* of the row, or of one before it */
	size_t figures;
};

struct pdk_labels {
	struct sink_label p[8];
	size_t n;
};

void pdk_label(struct pdk_labels *l, const char *name, const char *value); /* "": none */
/* "1.0% (MCU2_0)", "33.3ms (MCU2_0)", "264.925": a number, the unit or nothing, and a core. */
int pdk_number(struct str cell, const char *unit, double *value, char core[ROWS_LABEL_BYTES]);
void pdk_tell(struct pdk *p, const char *metric, double value, const char *unit,
	const struct pdk_labels *l);
/* What the row in hand tells; the next one begins. */
void pdk_row(struct pdk *p);

#endif
