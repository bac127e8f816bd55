/* SPDX-License-Identifier: MIT */
#ifndef PLAYER_FAULT_H
#define PLAYER_FAULT_H

/*
 * Faults of a console line and of a board. A fault is one line of words:
 *
 *	KIND [typed] [every=N] [after=TEXT [offset=N]] [at=STATE] [count=N] [text=TEXT]
 *
 * KIND is what happens: insert (a kernel line), drop, dup, corrupt (one byte), hang, panic, reboot
 * (the board). It happens to what the board prints, with `typed` to what the host types (bytes
 * only); after every N bytes, N bytes after TEXT went by, or as a state is entered; with none of
 * these at once. count bounds how often; preset: once for hang, panic and reboot, else always (0).
 * TEXT may stand in quotes; \n \r \t \s \\ \" \xNN are its escapes. Each \n of an inserted text is
 * sent as CR LF.
 *
 * Pure: bytes in, bytes out.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define FAULTS_MAX       32  /* of one board */
#define FAULT_TEXT_BYTES 512 /* of after= and text= */

enum fault_kind {
	FAULT_NONE,
	FAULT_INSERT,
	FAULT_DROP,
	FAULT_DUP,
	FAULT_CORRUPT,
	FAULT_HANG,
	FAULT_PANIC,
	FAULT_REBOOT,
};

struct fault {
	enum fault_kind kind;
	bool typed;
	int64_t every, offset, count;
	struct str after; /* memory of the fault's own; n == 0: none */
	char *text;       /* insert: NULL: the transcript's line */
	char *at;         /* state; NULL: none */
	/* progress */
	uint64_t seen, fired;
	size_t matched;    /* bytes of after that went by */
	int64_t countdown; /* bytes until it fires; -1: not after a match */
};

struct faults {
	VEC(struct fault) all;
	const char *line; /* what insert inserts when it names no text; borrowed */
};

void faults_done(struct faults *f); /* empty and usable again */
/* One line; a mistake changes nothing. */
int faults_add(struct faults *f, struct str spec, struct err *e);
/* Did the last one added ask to happen at once (no every, after, at)? */
bool faults_is_now(const struct faults *f);
/* Lets that one happen: inserted lines go to out, what happens to the board is returned. */
enum fault_kind faults_now(struct faults *f, struct buf *out);
void faults_drop_last(struct faults *f);
/*
 * Passes bytes on to out. Stops behind the byte at which the board itself is struck: returns what
 * happens to it and how many bytes went by in *eaten; FAULT_NONE when all of them did.
 */
enum fault_kind faults_pass(
	struct faults *f, bool typed, struct str in, struct buf *out, size_t *eaten);
/* A state is entered: what happens to the board; inserted lines go to out. */
enum fault_kind faults_enter(struct faults *f, const char *state, struct buf *out);
/* One line each, as a spec, with how often it struck. */
void faults_print(struct faults *f, const char *indent, struct buf *out);

/* Adds text with each \n as CR LF. */
void fault_add_lines(struct buf *out, struct str text);

#endif
