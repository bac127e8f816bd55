/* SPDX-License-Identifier: MIT */
/*
 * What comes in: targets, heads and bodies. Invariant: a reply is handed to libmicrohttpd when the
 * whole request is there, or else as the answer to its head; in between it takes none.
 */
#include "http-inner.h"

#include "base/mem.h"
#include "base/str.h"

#include <string.h>
#include <strings.h>

#define CHUNKED     UINT64_MAX
#define EARLY_BYTES ((uint64_t)1 << 20)  /* a longer body that nobody wants is not waited for */
#define DROP_BYTES  ((uint64_t)64 << 20) /* at most that much is read for nothing */
#define STEP_BYTES  ((uint64_t)64 << 10) /* of a body, at least that much in idle_s */
#define QUERIES_MAX 64

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place. -1: no escape, or one for a 0, which would end the text. */
static int decode(char *z, bool plus)
{
	char *out = z;

	for (; *z; z++) {
		int c = *z;

		if (c == '%') {
			int high = hex(z[1]), low = high < 0 ? -1 : hex(z[2]);

			if (low < 0 || !(high | low))
				return -1;
			c = high << 4 | low;
			z += 2;
		} else if (plus && c == '+') {
			c = ' ';
		}
		*out++ = (char)c;
	}
	*out = 0;
	return 0;
}

static int split_query(struct http_request *r, char *query)
{
	char *rest = query, *one;

	while ((one = strsep(&rest, "&"))) {
		struct http_pair p = {one, strchr(one, '=')};

		if (!*one)
			continue;
		if (r->queries.n == QUERIES_MAX)
			return -1;
		if (p.value)
			*p.value++ = 0;
		else
			p.value = one + strlen(one);
		if (decode(p.name, true) || decode(p.value, true))
			return -1;
		vec_push(&r->queries, p);
	}
	return 0;
}

static bool parse_target(struct http_request *r)
{
	char *path = r->target, *query = strchr(path, '?');

	if (query)
		*query++ = 0;
	/* The absolute form, which a server must take too. */
	if (!strncasecmp(path, "http://", 7) || !strncasecmp(path, "https://", 8)) {
		path = strchr(strstr(path, "//") + 2, '/');
		if (!path)
			path = r->target + strlen(r->target);
	}
	r->path = *path ? path : "/";
	return (*r->path == '/' || !strcmp(r->path, "*")) && !decode(path, false) &&
	       (!query || !split_query(r, query));
}

void *http_on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
	struct http_server *s = cls;
	struct http_request *r = mem_alloc(sizeof *r);

	r->server = s;
	r->conn = s->lib->get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
			  ->socket_context;
	r->conn->request = r;
	r->target = mem_strdup(target);
	r->bad = !parse_target(r);
	s->n_requests++;
	return r;
}

static void measure_body(struct http_request *r)
{
	const char *length = http_header(r, "Content-Length");

	r->expects = http_header(r, "Expect") != NULL;
	if (http_header(r, "Transfer-Encoding"))
		r->body_bytes = CHUNKED;
	else if (length)
		str_u64(str_of(length), &r->body_bytes);
}

static enum MHD_Result on_head(struct http_request *r, const char *method)
{
	r->seen = r->in_head = true;
	r->method = method;
	measure_body(r);
	if (r->body_bytes)
		http_read_from(r->conn);
	if (r->bad)
		http_reply_error(r, 400, "invalid", "the request's target is no path");
	else
		r->server->on_request(r->server->arg, r);
	r->in_head = false;
	if (!r->response || !r->body_bytes)
		return MHD_YES;
	if (!r->expects && (r->body_bytes == CHUNKED || r->body_bytes <= EARLY_BYTES))
		return MHD_YES;
	r->early = true;
	http_list_move(r->conn, &r->server->rest);
	return http_queue(r);
}

static void too_large(struct http_request *r)
{
	http_reply_error(r, 413, "too-large", "the request's body is too large");
}

static enum MHD_Result on_data(struct http_request *r, struct str piece)
{
	r->got_bytes += piece.n;
	if (r->got_bytes - r->mark_bytes >= STEP_BYTES) {
		r->mark_bytes = r->got_bytes;
		http_read_from(r->conn);
	}
	if (r->replied || r->mode == BODY_DROP) {
		r->dropped_bytes += piece.n;
		return r->dropped_bytes <= DROP_BYTES ? MHD_YES : MHD_NO;
	}
	if (r->mode == BODY_PASS) {
		if (r->on_piece(r->body_arg, r, piece))
			r->mode = BODY_DROP;
	} else if (buf_add(&r->body, piece.p, piece.n)) {
		buf_done(&r->body);
		too_large(r);
	}
	return MHD_YES;
}

static enum MHD_Result on_whole(struct http_request *r)
{
	if (!r->whole) {
		r->whole = true;
		http_list_move(r->conn, &r->server->rest);
		if (!r->replied && r->mode == BODY_GATHER)
			r->on_body(r->body_arg, r, str_make(buf_str(&r->body), r->body.len));
		else if (!r->replied && r->mode == BODY_PASS)
			r->on_piece(r->body_arg, r, str_make("", 0));
		buf_done(&r->body);
	}
	if (r->response)
		return http_queue(r);
	http_hold(r);
	return MHD_YES;
}

enum MHD_Result http_on_access(void *cls, struct MHD_Connection *mhd, const char *url,
	const char *method, const char *version, const char *data, size_t *n, void **context)
{
	struct http_request *r = *context;
	size_t got = *n;

	(void)cls;
	(void)mhd;
	(void)url;
	(void)version;
	if (!r || r->dead)
		return MHD_NO;
	if (!r->seen)
		return on_head(r, method);
	if (!got)
		return on_whole(r);
	*n = 0;
	return on_data(r, str_make(data, got));
}

static void request_free(struct http_request *r)
{
	if (r->response)
		r->server->lib->destroy_response(r->response);
	vec_each (&r->fields, f) {
		free(f->name);
		free(f->value);
	}
	vec_done(&r->fields);
	vec_done(&r->queries);
	buf_done(&r->body);
	free(r->target);
	free(r);
}

void http_on_end(
	void *cls, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode why)
{
	struct http_server *s = cls;
	struct http_request *r = *context;
	struct http_conn *c;

	if (!r)
		return;
	c = r->conn;
	*context = NULL;
	c->request = NULL;
	s->n_requests--;
	if (r->is_stream && s->stall_s != s->idle_s)
		s->lib->set_connection_option(mhd, MHD_CONNECTION_OPTION_TIMEOUT, s->idle_s);
	if (r->early)
		http_linger(c);
	if (why == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
		http_read_from(c);
		http_watch(c);
	}
	if (r->is_stream && r->stream.done)
		r->stream.done(r->stream.arg);
	else if (!r->replied && r->gone)
		r->gone(r->user);
	request_free(r);
}

/* ---- what a handler asks ---- */

const char *http_method(const struct http_request *r)
{
	return r->method;
}

const char *http_path(const struct http_request *r)
{
	return r->path;
}

const char *http_query(const struct http_request *r, const char *name)
{
	for (size_t i = 0; i < r->queries.n; i++)
		if (!strcmp(r->queries.p[i].name, name))
			return r->queries.p[i].value;
	return NULL;
}

const char *http_header(const struct http_request *r, const char *name)
{
	return r->server->lib->lookup_connection_value(r->conn->mhd, MHD_HEADER_KIND, name);
}

const char *http_peer(const struct http_request *r)
{
	return r->conn->peer;
}

void http_set_user(struct http_request *r, void *user, http_gone_fn *gone)
{
	r->user = user;
	r->gone = gone;
}

void *http_user(const struct http_request *r)
{
	return r->user;
}

/* False: too late, or longer than it may be; answered. */
static bool may_read(struct http_request *r, uint64_t max_bytes)
{
	if (r->replied)
		return false;
	if (!r->in_head)
		http_reply_error(r, 500, "bug", "the body was asked for too late");
	else if (r->body_bytes != CHUNKED && r->body_bytes > max_bytes)
		too_large(r);
	return !r->replied;
}

void http_body(struct http_request *r, size_t max_bytes, http_body_fn *fn, void *arg)
{
	if (!may_read(r, max_bytes))
		return;
	r->mode = BODY_GATHER;
	buf_init(&r->body, max_bytes);
	r->on_body = fn;
	r->body_arg = arg;
}

void http_body_pass(struct http_request *r, http_piece_fn *fn, void *arg)
{
	if (!may_read(r, UINT64_MAX))
		return;
	r->mode = BODY_PASS;
	r->on_piece = fn;
	r->body_arg = arg;
}
