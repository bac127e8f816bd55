/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_CRASH_H
#define AGENTS_WORKER_CRASH_H

/*
 * Watches every byte of a console for what a kernel says when something is wrong with it, and for
 * the first words of a board that started anew. What they print stands in one table
 * (io/crash-kinds.h), what it means for the run in the rules (io/crash-rules.h); what is done about
 * it the caller decides when it is told, with an excerpt and the place in the log.
 *
 * A report is told CRASH_REST_MS after its first words, when its trace is there, or at
 * crash_flush. Where the kernel's lines carry their time, as all do but those of kernels built or
 * booted without it, the words count only right behind it: never in a command line, its echo or
 * what a program prints. They never count in what this host has typed, nor (but for the last
 * words of a kernel) in a line older than one already seen: that is somebody reading the kernel's
 * log. On a side console no kernel's words count, which may be the same kernel's once more, and no
 * boot loader's first words: other cores are started anew while the main one runs. A kernel that
 * gave up or a board that was reset is none when frames of the board's helper come afterwards.
 */

#include "agents/bench/console.h"
#include "io/console-text.h"
#include "io/crash-rules.h"

#define CRASH_EXCERPT_BYTES 2048
#define CRASH_REST_MS       1000 /* for what the kernel says after it */
#define CRASH_REPORTS       32   /* told of one run; further ones are counted only */

enum crash_level {
	CRASH_WARN,  /* the kernel says so and goes on: told, no verdict */
	CRASH_FAIL,  /* it is wrong for certain, and goes on as well as it can */
	CRASH_DEAD,  /* its last words: nothing more will come */
	CRASH_RESET, /* a boot loader speaks */
	CRASH_LEVELS
};

struct crash_report {
	enum crash_level level;
	enum crash_kind_id kind;
	const char *name; /* of the kind: "oops", "kasan" */
	enum crash_rule rule;
	const char *what;              /* the line that told, printable */
	const char *excerpt;           /* it and the first lines behind it, printable */
	const char *known;             /* why nobody has to act; NULL: somebody has */
	uint64_t offset;               /* of its first byte in the console's log */
	bool last;                     /* the kernel's last words */
	bool told_before;              /* past CRASH_REPORTS: not to be told again, only acted on */
	bool from_log;                 /* crash_scan: offset says nothing */
	const struct console *console; /* that told it */
};
/* -1 with *e: whatever is being waited for ends with it. */
typedef int crash_fn(void *arg, const struct crash_report *r, struct err *e);

struct crash {
	struct bench *bench;
	struct console *console;
	crash_fn *fn;
	void *arg;
	bool side; /* another processor's console: only what firmware and loaders say of an end */
	bool twin; /* its time is its host's: a stall says nothing about the kernel */
	const struct crash_rules *rules; /* borrowed; NULL: the presets */
	int timer_fd;                    /* -1: not watching */
	/* the line being read */
	char line[400];
	struct console_escape escape;
	size_t n;
	uint64_t line_offset;
	/* this boot */
	bool heads;        /* its kernel's lines carry the time */
	int64_t newest_us; /* the newest of it */
	int64_t line_us;   /* of the newest line; 0: it has none */
	int64_t open_us;   /* of the report's first line */
	bool logged_in;    /* somebody has; login_us: then */
	int64_t login_us;
	bool seen; /* its last words were; told: and reported */
	bool told;
	int64_t told_us[CRASH_REPORTS]; /* the kernel's time of each report of this boot */
	unsigned n_told;
	bool from_log;    /* crash_scan: no console */
	char broken[160]; /* the first line that proved it to be broken; "": none did */
	/* the report being collected */
	bool open;
	struct err due; /* of a reset, told while bytes were taken */
	enum crash_level level;
	enum crash_kind_id kind;
	const char *known;
	bool last;
	uint64_t offset;
	char what[160];
	struct buf excerpt;
	/* of the whole run */
	unsigned counts[CRASH_LEVELS], kinds[CRASH_KINDS], n_known, n_ignored, reports, failures;
};

/* A console that is not the main one: c->side = true behind it. */
int crash_watch(struct crash *c, struct bench *b, struct console *console, bool twin,
	const struct crash_rules *rules, crash_fn *fn, void *arg, struct err *e);
/* What was made an exception of until then counts from now on. */
void crash_logged_in(struct crash *c);
/* A new boot: what was seen before is over. */
void crash_forget(struct crash *c);
/* Tells what is being collected now, as at the end of a step. Returns what fn returned. */
int crash_flush(struct crash *c, struct err *e);
/*
 * The same for text that the kernel's log holds, as dmesg prints it: lines that never came over the
 * console. Reports that the console told already, by the kernel's time of them, are passed over.
 */
void crash_scan(struct crash *c, struct str text);
/* The worst that the kernel said on this boot; CRASH_WARN: nothing that matters. */
enum crash_level crash_worst(const struct crash *c);
void crash_done(struct crash *c); /* safe on a zeroed one */

#endif
