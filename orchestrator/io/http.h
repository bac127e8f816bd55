/* SPDX-License-Identifier: MIT */
#ifndef IO_HTTP_H
#define IO_HTTP_H

/*
 * An HTTP/1.1 server on the event loop, by libmicrohttpd (TLS by its GnuTLS support), which is
 * loaded when the first server starts (BLAME_CONFIG: it is not there). One thread: every callback
 * runs in the loop. A request lives until its reply was sent or its connection ended.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "io/loop.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define HTTP_CONNECTIONS_MAX 4096
#define HTTP_BODY_BYTES      ((size_t)8 << 20) /* preset bound of a body that is gathered */
#define HTTP_HEAD_BYTES      ((size_t)32 << 10)
#define HTTP_IDLE_S          120 /* see http_opts */
#define HTTP_STALL_S         3600

struct http_server;  /* owned by the caller */
struct http_request; /* owned by the server; see http_gone_fn */
struct http_stream;  /* owned by the server, until its done was called */

/* The head of a request is there. The callback does one of: http_reply (the body is not read),
 * http_body, http_body_pass, http_stream; when it does none of them, the reply comes later. */
typedef void http_fn(void *arg, struct http_request *r);
/* The connection is gone before the reply: r is dead when this returns, no reply is due. */
typedef void http_gone_fn(void *user);

struct http_opts {
	const char *address;      /* "127.0.0.1", "::" */
	unsigned port;            /* 0: a free one, see http_server_port */
	const char *cert, *key;   /* PEM files; NULL: plain HTTP */
	unsigned connections_max; /* 0: HTTP_CONNECTIONS_MAX */
	unsigned per_address_max; /* 0: no bound of its own */
	/* A connection is cut when it makes no progress for so long: a head that is not whole, a
	 * body that comes slower than 64 KiB in that time, a reply that is not read, no request.
	 * Requests whose reply is due have no limit. 0: HTTP_IDLE_S */
	unsigned idle_s;
	unsigned stall_s; /* the same for a stream whose client does not read; 0: HTTP_STALL_S */
	http_fn *on_request;
	void *arg;
};

struct http_server *http_server_new(struct loop *l, const struct http_opts *o, struct err *e);
unsigned http_server_port(const struct http_server *s);
/* A connection that somebody else accepted (any stream socket); fd becomes the server's. */
int http_server_add(struct http_server *s, int fd, struct err *e);
unsigned http_server_requests(const struct http_server *s); /* under way */
/* No new connections, and none stays open behind its reply; requests under way may end. */
void http_server_quiesce(struct http_server *s);
/* Ends every connection (gone and done are called). Not from inside a callback of the server; NULL
 * is fine. */
void http_server_free(struct http_server *s);

/* ---- a request; texts are borrowed for its life ---- */
const char *http_method(const struct http_request *r); /* "GET" */
const char *http_path(
	const struct http_request *r); /* decoded, without the query: "/api/v1/jobs" */
const char *http_query(const struct http_request *r, const char *name);  /* decoded; NULL: absent */
const char *http_header(const struct http_request *r, const char *name); /* NULL: absent */
const char *http_peer(const struct http_request *r); /* address as text, without port */
void http_set_user(struct http_request *r, void *user, http_gone_fn *gone); /* gone may be NULL */
void *http_user(const struct http_request *r);

/* Gathers the body, at most max_bytes (longer: answered 413 here, fn is not called), then calls fn.
 * body is borrowed for the call. */
typedef void http_body_fn(void *arg, struct http_request *r, struct str body);
void http_body(struct http_request *r, size_t max_bytes, http_body_fn *fn, void *arg);
/* Hands the body on piece by piece. piece with len 0: its end. Non-zero return: the rest is
 * dropped (reply before returning that). */
typedef int http_piece_fn(void *arg, struct http_request *r, struct str piece);
void http_body_pass(struct http_request *r, http_piece_fn *fn, void *arg);

/* ---- replies ---- */
/* Extra header lines of a reply. */
struct http_field {
	const char *name, *value;
};
/* One more header line of the reply, whichever kind it will be; at most 16. Copied. */
void http_add_field(struct http_request *r, const char *name, const char *value);
/* Exactly one for each request, now or later; a second one is dropped. All is copied. fields may be
 * NULL (n 0). */
void http_reply(struct http_request *r, unsigned status, const char *type, struct str body,
	const struct http_field *fields, size_t n);
/* j as JSON and a newline; takes the reference. */
void http_reply_json(struct http_request *r, unsigned status, json_t *j);
/* n bytes of an open file from offset on (sendfile); fd becomes the server's. */
void http_reply_file(struct http_request *r, unsigned status, const char *type, int fd,
	uint64_t offset, uint64_t n, const struct http_field *fields, size_t n_fields);
/*
 * A reply without an end: pull is called whenever the client can take bytes. It returns how many
 * it put into out (at most max), 0 when there are none now (it is called again after
 * http_stream_wake), or -1 at the end. The server holds no queue: a client that does not read is
 * simply not asked for, and blocks nobody. done is called once, when all is over.
 */
typedef ssize_t http_pull_fn(void *arg, char *out, size_t max);
typedef void http_done_fn(void *arg);
struct http_stream *http_stream(struct http_request *r, const char *type, http_pull_fn *pull,
	http_done_fn *done, void *arg);
void http_stream_wake(struct http_stream *st);

#endif
