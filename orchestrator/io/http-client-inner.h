/* SPDX-License-Identifier: MIT */
#ifndef IO_HTTP_CLIENT_INNER_H
#define IO_HTTP_CLIENT_INNER_H

/* What the files of the HTTP client share; nobody else includes this. */

#include "io/curl.h"
#include "io/http-client.h"

/* One exchange, awaited or on the loop. */
struct http_sent {
	struct http_client *client;
	struct http_sent *next, *prev; /* on the loop: in the client's list */
	CURL *curl;
	struct http_ask ask; /* its texts are the caller's but for method; path is not kept */
	char *url, *method;
	struct curl_slist *headers;
	struct http_answer answer;
	int64_t start; /* of the body in ask.fd */
	int64_t sent_bytes;
	bool head_seen, stopped, too_long;
	bool waiting;  /* not given to libcurl yet */
	bool canceled; /* to be taken from it as soon as it lets us */
	http_answer_fn *fn;
	void *arg;
	char said[CURL_ERROR_SIZE];
};

struct http_client {
	const struct curl_calls *lib;
	struct loop *loop;
	char *base, *ca;
	char *fields[2]; /* sent with each request: token and protocol; NULL: none */
	int64_t connect_ms;
	bool local; /* base is this host: no proxy */
	CURL *easy; /* of http_call */
	CURLM *multi;
	struct loop_watch *timer;
	struct http_sent *sent;
	int inside; /* libcurl, or a callback */
	bool doomed;
};

/* http-exchange.c */
struct http_sent *http_sent_new(struct http_client *c, CURL *curl, const struct http_ask *ask);
void http_sent_free(struct http_sent *s); /* not its curl, not its answer */
void http_sent_finish(struct http_sent *s, CURLcode rc);

#endif
