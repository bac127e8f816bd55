/* SPDX-License-Identifier: MIT */
#ifndef IO_HTTP_INNER_H
#define IO_HTTP_INNER_H

/* What the files of the HTTP server share; nobody else includes this. */

#include "base/vec.h"
#include "io/http.h"
#include "io/mhd.h"

#include <netinet/in.h>

/* A connection is in at most one list: of those that are read from, in the order in which they must
 * show progress, or of those whose request is held since this turn or the one before. */
struct http_list {
	struct http_conn *first, *last;
};

struct http_conn {
	struct http_server *server;
	struct MHD_Connection *mhd;
	struct http_request *request; /* under way; NULL: none */
	struct http_list *in;
	struct http_conn *next, *prev;
	int fd;                   /* libmicrohttpd's */
	int64_t since_ms;         /* when it began what it is read for */
	bool aged;                /* held since a turn before this one */
	struct loop_watch *watch; /* for the peer's end */
	bool ended;               /* it came */
	int unread, turns;        /* bytes then, and for how many turns */
	char peer[INET6_ADDRSTRLEN];
};

struct http_server {
	const struct mhd_calls *lib;
	struct loop *loop;
	struct MHD_Daemon *mhd;
	struct loop_watch *watch, *turn;
	struct loop_watch *timer; /* libmicrohttpd's, at due_ms */
	int64_t due_ms;
	struct loop_watch *slow;  /* for the first that is read from */
	struct loop_watch *again; /* another turn, for those held in this one */
	struct http_list reading; /* heads and bodies that are not there yet */
	struct http_list held;    /* since this turn or the one before */
	struct http_list rest;    /* all others */
	struct http_linger *lingers;
	unsigned n_lingers;
	unsigned n_requests;
	unsigned n_connections, connections_max;
	unsigned port;
	unsigned stall_s, idle_s;
	bool quiesced, freeing;
	http_fn *on_request;
	void *arg;
	char said[256]; /* by libmicrohttpd, last */
};

enum http_body_mode { BODY_DROP, BODY_GATHER, BODY_PASS };

struct http_stream {
	http_pull_fn *pull;
	http_done_fn *done; /* NULL: none */
	void *arg;
	struct http_request *request;
	bool pulling, woken;
};

struct http_pair {
	char *name, *value;
};

struct http_request {
	struct http_conn *conn;
	struct http_server *server;
	char *target;                  /* as sent, then decoded piece by piece */
	const char *path;              /* in target */
	VEC(struct http_pair) queries; /* borrowed from target */
	const char *method;            /* libmicrohttpd's */
	bool bad;                      /* the target cannot be decoded */
	bool seen;                     /* on_request was called */
	bool in_head;                  /* it is being called */
	bool whole;                    /* the body is there, or dropped */
	bool suspended;                /* libmicrohttpd leaves it alone */
	bool dead;                     /* its peer has gone */
	bool replied;
	bool expects;        /* a 100 before it sends the body */
	uint64_t body_bytes; /* as announced; UINT64_MAX: chunked */
	uint64_t got_bytes, dropped_bytes, mark_bytes;
	enum http_body_mode mode;
	struct buf body;
	http_body_fn *on_body;
	http_piece_fn *on_piece;
	void *body_arg;
	struct MHD_Response *response;
	unsigned status;
	VEC(struct http_pair) fields; /* owned */
	struct http_stream stream;
	bool is_stream;
	bool early; /* replied before the body was there */
	void *user;
	http_gone_fn *gone;
};

/* http.c */
void http_list_move(struct http_conn *c, struct http_list *to);
void http_read_from(struct http_conn *c); /* it must show progress within idle_s from now on */
void http_watch(struct http_conn *c);     /* for the peer's end; again where it came */
void http_cut(struct http_conn *c);
void http_resume(struct http_request *r);

/* http-request.c: libmicrohttpd's callbacks; cls is the server. */
void *http_on_target(void *cls, const char *target, struct MHD_Connection *mhd);
enum MHD_Result http_on_access(void *cls, struct MHD_Connection *mhd, const char *url,
	const char *method, const char *version, const char *data, size_t *n, void **context);
void http_on_end(
	void *cls, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode why);

/* http-reply.c */
void http_hold(struct http_request *r); /* until http_resume */
enum MHD_Result http_queue(struct http_request *r);
void http_reply_error(struct http_request *r, unsigned status, const char *code, const char *text);

/* http-linger.c: connections that were ended while their peer still sent. */
void http_linger(struct http_conn *c);
void http_linger_end_all(struct http_server *s);

#endif
