/* SPDX-License-Identifier: MIT */
#ifndef VIRTUAL_VLAB_H
#define VIRTUAL_VLAB_H

/*
 * What the player and the twin have in common: a daemon with a folder that holds everything it
 * offers (serial ports, TFTP root, lab.yaml) and a control socket `ctl`, which says when it is
 * ready and ends all it started on SIGTERM, SIGINT, SIGHUP (unless it is ignored) or `quit`.
 *
 * The control socket takes lines and answers each with zero or more lines of its own and a last one
 * that is "ok" or "error: TEXT". `quit` is answered here.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "io/loop.h"
#include "io/node.h"
#include "labs/virtual/pty.h"

#define VLAB_LINE_BYTES   ((size_t)4 << 10) /* a control line */
#define VLAB_ANSWER_BYTES ((size_t)4 << 20)
#define VLAB_CLIENTS      16
#define VLAB_CALL_MS      10000 /* how long vlab_call waits for an answer */

/* Does what line says, adds its answer lines; the last one is added by the caller, from the return
 * value and e. */
typedef int vlab_line_fn(void *arg, struct str line, struct buf *answer, struct err *e);

struct vlab_client;
struct vlab {
	struct loop *loop;
	struct pty_hub *hub;
	char *dir;    /* absolute */
	bool own_dir; /* made by us under TMPDIR: goes with us */
	int listen_fd;
	struct loop_watch *listen_watch, *signals[3], *child_watch;
	VEC(struct vlab_client *) clients;
	vlab_line_fn *on_line;
	void *arg;
	struct child child;
	int status; /* exit status of the daemon */
};

/* Opens the folder (made when it is not there; NULL: a fresh one under TMPDIR) and the control
 * socket; another daemon that answers there is an error. v must be zeroed. */
int vlab_init(struct vlab *v, const char *dir, vlab_line_fn *on_line, void *arg, struct err *e);
void vlab_done(struct vlab *v);                          /* safe on a zeroed or half-made one */
char *vlab_path(const struct vlab *v, const char *name); /* DIR/name; heap */

/* A key with a text, or with a mapping (returned), for lab.yaml. */
void vlab_put(struct arena *a, struct node *in, const char *key, const char *text);
struct node *vlab_put_map(struct arena *a, struct node *in, const char *key);
/* Writes lab.yaml: `lab: NAME` and the boards. */
int vlab_lab_file(
	struct vlab *v, const char *name, struct arena *a, struct node *boards, struct err *e);

struct vlab_run {
	int ready_fd;            /* gets "ready DIR\n" and is closed; -1: none */
	bool quiet;              /* no "ready DIR" on standard output */
	const char *const *argv; /* a command to run while the boards are there; NULL: none */
};
/*
 * Says "ready DIR" and serves until told to end. With a command: runs it with HILAB_LAB set to the
 * lab file and ends with it; *status is then its exit status (128 + signal), else 0.
 */
int vlab_run(struct vlab *v, const struct vlab_run *run, int *status, struct err *e);

/* Unix sockets by folder and name, however long the folder's path is. Descriptors are the caller's;
 * -1 with e. A stale name is replaced. */
int vlab_listen(const char *dir, const char *name, struct err *e); /* non-blocking */
int vlab_connect(const char *dir, const char *name, struct err *e);

/* The other side: sends one line to the daemon of dir and gathers its answer without the last line,
 * which becomes the return value and e. `quit` returns when the daemon has gone. */
int vlab_call(const char *dir, const char *line, struct buf *answer, struct err *e);

#endif
