/* SPDX-License-Identifier: MIT */
/*
 * What goes out: replies and streams. Invariant: a request has at most one response, made here and
 * handed on by http_queue from inside libmicrohttpd's callback; a request that is held is resumed,
 * so that libmicrohttpd asks again.
 */
#include "http-inner.h"

#include "base/mem.h"
#include "io/json.h"

#include <string.h>
#include <unistd.h>

#define PULL_BYTES 4096 /* at once to a client of HTTP/1.0; others get what libmicrohttpd has */
#define FIELDS_MAX 16

void http_hold(struct http_request *r)
{
	r->server->lib->suspend_connection(r->conn->mhd);
	r->suspended = true;
	r->conn->aged = false;
	http_list_move(r->conn, &r->server->held);
}

enum MHD_Result http_queue(struct http_request *r)
{
	struct http_server *s = r->server;
	struct MHD_Response *response = r->response;
	enum MHD_Result rc;

	vec_each (&r->fields, f)
		s->lib->add_response_header(response, f->name, f->value);
	if (s->quiesced)
		s->lib->add_response_header(response, "Connection", "close");
	if (r->is_stream && s->stall_s != s->idle_s)
		s->lib->set_connection_option(
			r->conn->mhd, MHD_CONNECTION_OPTION_TIMEOUT, s->stall_s);
	r->response = NULL;
	rc = s->lib->queue_response(r->conn->mhd, r->status, response);
	s->lib->destroy_response(response);
	return rc;
}

void http_add_field(struct http_request *r, const char *name, const char *value)
{
	struct http_pair p;

	if (r->fields.n == FIELDS_MAX)
		return;
	p.name = mem_strdup(name);
	p.value = mem_strdup(value);
	vec_push(&r->fields, p);
}

/* Takes the response. */
static void reply(struct http_request *r, unsigned status, const char *type,
	struct MHD_Response *response, const struct http_field *fields, size_t n)
{
	r->replied = true;
	if (!response) { /* no memory, or a file that is none */
		r->dead = true;
		http_cut(r->conn);
		return;
	}
	if (type)
		http_add_field(r, "Content-Type", type);
	for (size_t i = 0; i < n; i++)
		http_add_field(r, fields[i].name, fields[i].value);
	r->response = response;
	r->status = status;
	http_resume(r);
}

void http_reply(struct http_request *r, unsigned status, const char *type, struct str body,
	const struct http_field *fields, size_t n)
{
	if (r->replied)
		return;
	reply(r, status, type,
		r->server->lib->create_response_from_buffer(body.n, (void *)(body.n ? body.p : ""),
			body.n ? MHD_RESPMEM_MUST_COPY : MHD_RESPMEM_PERSISTENT),
		fields, n);
}

void http_reply_json(struct http_request *r, unsigned status, json_t *j)
{
	struct buf text = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};

	if (!r->replied && (json_write(j, 0, &text, &e) || buf_putc(&text, '\n'))) {
		http_reply_error(r, 500, "bug", err_is(&e) ? e.msg : "the answer is too long");
	} else if (!r->replied) {
		size_t len = text.len;

		reply(r, status, "application/json",
			r->server->lib->create_response_from_buffer(
				len, buf_take(&text), MHD_RESPMEM_MUST_FREE),
			NULL, 0);
	}
	buf_done(&text);
	json_decref(j);
}

void http_reply_error(struct http_request *r, unsigned status, const char *code, const char *text)
{
	http_reply_json(
		r, status, json_pack("{s:{s:s,s:s}}", "error", "code", code, "message", text));
}

void http_reply_file(struct http_request *r, unsigned status, const char *type, int fd,
	uint64_t offset, uint64_t n, const struct http_field *fields, size_t n_fields)
{
	if (!n || r->replied) {
		close(fd);
		http_reply(r, status, type, str_make("", 0), fields, n_fields);
		return;
	}
	reply(r, status, type, r->server->lib->create_response_from_fd_at_offset64(n, fd, offset),
		fields, n_fields);
}

/* ---- streams ---- */

static ssize_t on_pull(void *cls, uint64_t at, char *out, size_t max)
{
	struct http_request *r = cls;
	struct http_stream *st = &r->stream;
	ssize_t n;

	(void)at;
	if (r->dead)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	st->woken = false;
	st->pulling = true;
	n = st->pull(st->arg, out, max);
	st->pulling = false;
	if (n < 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n > 0)
		return n;
	http_hold(r);
	if (st->woken)
		http_resume(r);
	return 0;
}

struct http_stream *http_stream(
	struct http_request *r, const char *type, http_pull_fn *pull, http_done_fn *done, void *arg)
{
	if (r->replied)
		return NULL;
	r->is_stream = true;
	r->stream = (struct http_stream){.pull = pull, .done = done, .arg = arg, .request = r};
	reply(r, 200, type,
		r->server->lib->create_response_from_callback(
			MHD_SIZE_UNKNOWN, PULL_BYTES, on_pull, r, NULL),
		NULL, 0);
	return &r->stream;
}

void http_stream_wake(struct http_stream *st)
{
	if (st->pulling)
		st->woken = true;
	else
		http_resume(st->request);
}
