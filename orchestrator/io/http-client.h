/* SPDX-License-Identifier: MIT */
#ifndef IO_HTTP_CLIENT_H
#define IO_HTTP_CLIENT_H

/*
 * HTTP(S) requests by libcurl, one at a time (a command) or many on the event loop (the agent).
 * libcurl is loaded by the first call (BLAME_CONFIG: it is not there). Connections are kept open
 * and used again.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "io/loop.h"

#include <jansson.h>
#include <stdint.h>

#define HTTP_ANSWER_BYTES ((size_t)64 << 20)

struct http_client; /* owned by the caller */
struct http_answer;

struct http_client_opts {
	const char *base;   /* "https://lab.example:8420": paths are put behind it */
	const char *token;  /* sent as bearer; NULL: none */
	const char *ca;     /* PEM of who may sign the server's certificate; NULL: the system's */
	int64_t connect_ms; /* 0: 10 s */
	unsigned protocol;  /* value of the Hilab-Protocol header; 0: none */
};
struct http_ask {
	const char *method, *path; /* path with its query, encoded */
	const char *type;          /* of the body; NULL: application/json */
	struct str body;           /* len 0: none; borrowed until the answer */
	int fd; /* of the caller, until the answer: body from a file from its position on; used when
		   body_bytes > 0 */
	int64_t body_bytes;
	int64_t timeout_ms; /* of the whole exchange; 0: none (a followed stream) */
	/* Bytes of a good (2xx) answer as they come, instead of being gathered; non-zero return:
	 * stop (BLAME_CANCEL). NULL: gathered. */
	int (*on_bytes)(void *arg, struct str bytes);
	/* Once, when the answer's head is there, before its bytes: status and header lines are
	 * known. NULL: not told. */
	void (*on_head)(void *arg, const struct http_answer *a);
	void *arg;
};
struct http_answer {
	unsigned status; /* 0: there was none, e says why (BLAME_INFRA, BLAME_TIMEOUT) */
	struct buf body; /* at most HTTP_ANSWER_BYTES */
	struct buf head; /* see http_answer_header */
	struct err e;
};
void http_answer_done(struct http_answer *a);
/* A header line's value; NULL: absent. Borrowed. */
const char *http_answer_header(const struct http_answer *a, const char *name);
/* The body as JSON; NULL with e where it is none. A new reference. */
json_t *http_answer_json(const struct http_answer *a, struct err *e);
/* 2xx: 0; else -1 with e: the text of the answer's {"error": {"message": ...}}, or what is known:
 * BLAME_JOB, or for 429 and 5xx BLAME_INFRA. */
int http_answer_check(const struct http_answer *a, struct err *e);

/* loop may be NULL: only http_call works then. */
struct http_client *http_client_new(
	struct loop *loop, const struct http_client_opts *o, struct err *e);
void http_client_free(struct http_client *c); /* what is under way ends without a callback */

/* Waits for the answer; *out is filled in any case (http_answer_done it). Returns 0 where there was
 * an answer, whatever its status. */
int http_call(struct http_client *c, const struct http_ask *ask, struct http_answer *out);

struct http_sent; /* dead after its callback or http_cancel */
/* fn is never called from inside http_send; from inside a callback everything here may be called.
 * */
typedef void http_answer_fn(void *arg, const struct http_answer *a);
struct http_sent *http_send(
	struct http_client *c, const struct http_ask *ask, http_answer_fn *fn, void *arg);
void http_cancel(struct http_sent *s); /* NULL is fine; fn is not called */

/* text as one part of a path or query; heap. */
char *http_encode(const char *text);

/*
 * Server-sent events (WHATWG HTML, 9.2) out of bytes as they come: fn gets the last id that the
 * stream gave so far ("" when it gave none), the event's name ("message" unless said) and its data
 * (a 0 byte in it ends it). An event is at most SSE_EVENT_BYTES long, an id and a name 63 bytes.
 */
#define SSE_EVENT_BYTES ((size_t)1 << 20)
struct sse {
	struct buf line, data;
	char id[64], name[64];
	bool cr, begun;
};
typedef void sse_fn(void *arg, const char *id, const char *name, const char *data);
void sse_init(struct sse *s);
void sse_done(struct sse *s);
int sse_feed(struct sse *s, struct str bytes, sse_fn *fn, void *arg); /* -1: event too long */

#endif
