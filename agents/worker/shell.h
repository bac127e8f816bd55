/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_SHELL_H
#define AGENTS_WORKER_SHELL_H

/*
 * The board's shell: commands in; exit status, output and result frames out, over a console that
 * may lose and mix bytes. A helper is typed into the shell once per login; from then on nothing is
 * believed but frames. All waits go through the bench, so the caller's deadline and a cancel end
 * them.
 */

#include "agents/bench/console.h"
#include "frame.h"

#define SHELL_COMMAND_BYTES  ((size_t)4096)    /* longest command */
#define SHELL_OUTPUT_BYTES   ((size_t)1 << 20) /* output kept of one command; the helper's limit */
#define SHELL_LINE_BYTES     200               /* a line typed to a board that is new */
#define SHELL_LINE_MAX       800   /* to one that echoed shorter ones well; busybox edits 1023 */
#define SHELL_TRIES          3     /* of each question to the board */
#define SHELL_ANSWER_MS      10000 /* for what the shell answers at once */
#define SHELL_SILENCE_MS     2000  /* nothing said: time to ask again */
#define SHELL_PROMPT_MS      1000  /* for the prompt after a line */
#define SHELL_QUIET_MS       300   /* a console that rests */
#define SHELL_QUIET_MIN_MS   2     /* on a board that had nothing to say */
#define SHELL_QUIET_SHARE    16    /* of the time that it talked so far */
#define SHELL_QUIET_LIMIT_MS 15000 /* then it never will */
#define SHELL_STOP_MS        5000  /* for a command to end after ^C */
#define SHELL_FRAMES         8192  /* frames of one command */

struct shell {
	struct bench *bench;
	struct console *console;
	struct pattern *prompt; /* borrowed; NULL: not known */
	frame_fn *on_frame;     /* gets frames that are not the shell's own: result, metric */
	void *on_frame_arg;
	/* its own */
	struct frames *frames;
	char run[16], dir[120];
	bool framed; /* set by who opens it: a command line that takes framed commands itself */
	bool cksum;  /* the board's CRC is that of cksum */
	bool installed;
	int64_t opened_ms;     /* clock_ms */
	bool typed;            /* a line was, and its prompt not seen yet */
	bool at_prompt;        /* set by who opens it: the prompt was the last that was matched */
	size_t line_bytes;     /* longest line typed now */
	bool running;          /* a command was started and has not ended */
	uint32_t first;        /* first sequence number of the newest command */
	bool went, bad, ended; /* what its frames told */
	uint64_t damaged;      /* frames known to be damaged when last asked */
	uint32_t end_seq;
	char end[160], version[32];
	char **pieces; /* SHELL_FRAMES texts of f frames, by number from first; owned */
};

struct shell_outcome {
	int64_t exit;      /* exit status; 128 + signal as the shell has it */
	bool captured;     /* output is whole and as the board had it */
	uint64_t left_out; /* bytes of output past SHELL_OUTPUT_BYTES, which are gone */
	unsigned lost;     /* frames that never came, though asked for */
};

/* s zeroed but for bench, console, prompt, framed, on_frame, on_frame_arg. Silences the kernel's
 * console, waits until the console rests, installs the helper. BLAME_INFRA when the shell does not
 * take it. A framed command line needs no helper: it is typed "hil r RUN SEQ CRC MODE COMMAND" and
 * "hil a RUN [SEQ...]", and answers with the helper's frames.
 */
int shell_open(struct shell *s, struct err *e);
void shell_close(struct shell *s); /* frees; says nothing to the board; safe on a zeroed one */

/*
 * Runs a command (any text for sh, also of several lines). output not NULL: what it prints is kept
 * off the console and comes back here, byte by byte (out->captured tells). 0: it ended, whatever
 * its exit status. -1: BLAME_JOB too long, BLAME_INFRA the shell did not take it, or what the wait
 * said; s->running tells whether the command may still be running.
 */
int shell_run(struct shell *s, const char *command, struct buf *output, struct shell_outcome *out,
	struct err *e);
/* Types a line that is answered at once, by something that pattern's first group holds, which goes
 * to out: cheaper than a command, and of use for what may be lost. 1, 0 no answer, -1. */
int shell_ask(
	struct shell *s, const char *line, const char *pattern, char *out, size_t n, struct err *e);
/* After a deadline: ^C, and waits for the end. 0: the shell is there again. */
int shell_interrupt(struct shell *s, struct err *e);
/* The line that puts text (printf's format, quoted) onto the board's file; for tests. Takes as much
 * of *rest as fits into a line of max bytes and moves it on. */
void shell_put_line(struct str *rest, const char *file, bool first, size_t max, struct buf *line);

extern const char helper_text[];

#endif
