/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_CONSOLE_H
#define AGENTS_BENCH_CONSOLE_H

/*
 * A console: one byte stream to a board, owned by one process for the whole lease. The core
 * here reads it from bench_wait whatever else is going on, writes every byte to the raw log with
 * a time index before anything looks at it, feeds the matcher and the taps; a driver
 * (agents/console/) only opens and closes the line. A dead line is reopened by the driver's
 * stable id within reopen_ms; until then bytes are simply absent.
 *
 * Files in the job folder: console-NAME.log (raw bytes), console-NAME.idx (one line per read:
 * "OFFSET MS\n", decimal, offset of its first byte and monotonic milliseconds since run start).
 */

#include "agents/bench/bench.h"
#include "agents/bench/expect.h"
#include "base/arena.h"
#include "io/driver.h"

#define CONSOLE_LOG_BYTES   ((uint64_t)256 << 20) /* preset cap of a console's raw log */
#define CONSOLE_TAPS        4
#define CONSOLE_TYPED_BYTES 1024 /* newest bytes sent that are remembered */

struct console;

struct console_driver {
	struct driver d;
	/* Opens the line, sets c->fd (non-blocking, close-on-exec). Called again to reopen. */
	int (*open)(struct console *c, struct err *e);
	void (*close)(struct console *c); /* closes c->fd; NULL: close(2) is enough */
	int (*send_break)(struct console *c, struct err *e); /* NULL: not supported */
	/* Adds {"framing":..,"overrun":..,"parity":..,"break":..} counters; NULL: cannot tell. */
	int (*counters)(struct console *c, json_t *into, struct err *e);
};

/* Sees every raw byte in order, before any matching. */
typedef void console_tap_fn(void *arg, struct str raw, uint64_t offset, int64_t at_ms);

struct console_opts {
	const char *dir;        /* job folder for the log; NULL: no log */
	int64_t run_start_ms;   /* zero of the time index (clock_ms) */
	uint64_t log_cap_bytes; /* 0: CONSOLE_LOG_BYTES */
	int64_t reopen_ms;      /* how long a dead line may stay away; 0: 10 s */
	int64_t char_delay_us;  /* pause after each byte sent; 0: none */
	bool may_be_away; /* a line that is not there (and not in use) is one that went away */
};

struct console {
	const struct console_driver *drv;
	struct bench *bench;
	const char *name;
	void *conf; /* the driver's settings, filled by its params */
	int fd;     /* -1: closed or dead */
	void *priv; /* the driver's own; freed by its close */
	struct expect *expect;
	struct console_opts opts;
	int log_fd, idx_fd;
	uint64_t received_bytes, sent_bytes;
	uint64_t
		base_bytes; /* of the log before this opening; offsets count from the log's start */
	int64_t first_byte_ms;           /* of the first byte since it was opened; 0: none yet */
	int64_t last_byte_ms;            /* clock_ms of the newest byte; 0: none yet */
	int64_t last_sent_ms;            /* the same of bytes sent */
	char typed[CONSOLE_TYPED_BYTES]; /* the newest bytes sent */
	size_t n_typed;
	int64_t dead_since_ms; /* 0: alive */
	int timer_fd;          /* paces the attempts to reopen a dead line; -1 while it lives */
	unsigned reopens;
	unsigned retypes;  /* lines that were typed again */
	struct err broken; /* set once: why the console was given up */
	struct {
		console_tap_fn *fn;
		void *arg;
	} taps[CONSOLE_TAPS];
	unsigned n_taps;
};

/* Opens: driver, log, pump. conf is borrowed and must outlive c. */
int console_open(struct console *c, const struct console_driver *drv, const char *name, void *conf,
	struct bench *b, const struct console_opts *opts, struct err *e);
void console_close(struct console *c); /* safe on a zeroed or half-open one, and twice */
void console_tap(struct console *c, console_tap_fn *fn, void *arg);
void console_untap(struct console *c, console_tap_fn *fn, void *arg); /* not from within a tap */

/* All bytes out, through bench_wait; pacing as opts say. Bytes sent are not logged (their echo is).
 */
int console_send(struct console *c, struct str bytes, struct err *e);
/* At most n of them, as many as the line takes now: cut off *bytes. Waits for nothing, no pacing.
 */
int console_send_now(struct console *c, struct str *bytes, size_t n, struct err *e);
int console_break(struct console *c, struct err *e);

enum { CONSOLE_TIMEOUT = -2 };
/*
 * Waits for the earliest of the patterns. Index >= 0 and *m filled (m may be NULL); CONSOLE_TIMEOUT
 * when timeout_ms passed, or -1 (deadline, cancel, dead line, log cap); both with e filled, which
 * shows the last bytes seen.
 */
int console_expect(struct console *c, struct pattern *const *patterns, size_t n, int64_t timeout_ms,
	struct expect_match *m, struct err *e);
/* Until no byte came or went for quiet_ms, or limit_ms passed: 1 quiet, 0 still talking, -1 error.
 */
int console_quiet(struct console *c, int64_t quiet_ms, int64_t limit_ms, struct err *e);
/*
 * Types one line with its echo verified before Enter: waits for quiet, sends the text, waits
 * until exactly that text came back (kernel lines between, wrap at the terminal's width and ANSI
 * redraws allowed), then sends Enter ("\r"). A wrong or missing echo: kills the line (^U, and ^C
 * when that fails) and tries again, at most CONSOLE_TYPE_TRIES times, then BLAME_INFRA. echo false:
 * the line does not echo; sent as is.
 */
#define CONSOLE_TYPE_TRIES 4
int console_type(struct console *c, const char *text, bool echo, struct err *e);
/* The same right behind a prompt that was matched: where nothing came after it the board is quiet
 * and waits for a line, and no time is spent to see that. */
int console_type_at_prompt(struct console *c, const char *text, struct err *e);

#endif
