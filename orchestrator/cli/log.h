/* SPDX-License-Identifier: MIT */
#ifndef CLI_LOG_H
#define CLI_LOG_H

/* Between log.c (a job folder's log), log-remote.c (a controller's) and log-show.c. */

#include "base/err.h"
#include "io/console-text.h"

#include <stdint.h>
#include <stdio.h>

#define READ_BYTES ((size_t)64 << 10)

struct log_args {
	const char *console, *store, *server, *role;
	bool raw, time, follow;
	int64_t tail; /* 0: all */
};

struct log_shower {
	struct console_text text;
	FILE *index;          /* NULL: no times */
	uint64_t next_offset; /* of the read after the one that ms is of */
	long long ms, next_ms;
	int64_t skip; /* lines that are not shown */
	int64_t lines;
	int64_t hidden; /* lines left out since the last one shown */
	bool live;      /* what is fed comes at ms, whatever the index says */
	bool count_only, open_line, hiding, failed;
	struct buf out;
};
void log_shower_init(struct log_shower *s);
/*
 * A log from its beginning. index: of the times of its bytes, borrowed; NULL: lines have none.
 * last: only so many lines; 0: all. name: for errors. More may be fed afterwards.
 */
int log_shower_file(
	struct log_shower *s, int fd, FILE *index, int64_t last, const char *name, struct err *e);
/* What comes behind that. -1: it cannot be printed. */
int log_shower_feed(struct log_shower *s, struct str bytes);
int log_shower_done(struct log_shower *s, struct err *e);
/* The bytes as they are, from where fd stands. */
int log_raw(int fd, const char *name, struct err *e);

/* A run's log from the controller. Returns the exit status, after telling. */
int log_remote(const struct log_args *a, const char *operand);

#endif
