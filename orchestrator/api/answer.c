/* SPDX-License-Identifier: MIT */
/*
 * The answers of calls. Invariant: a call is answered once, by the first who does; what is answered
 * goes out when the turn is over, and as 503 when that turn was not kept.
 */
#include "api/api.h"

#include "base/mem.h"
#include "io/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void answered(struct call *c, unsigned status)
{
	if (c->answered)
		return; /* the first one counts */
	c->answered = true;
	c->status = status;
	c->next = NULL;
	*c->server->waiting_end = c;
	c->server->waiting_end = &c->next;
}

void call_ok(struct call *c, unsigned status, json_t *j)
{
	if (c->answered) {
		json_decref(j);
		return;
	}
	c->answer = j ? j : json_object();
	answered(c, status);
}

void call_text(struct call *c, unsigned status, const char *type, struct buf *text)
{
	if (c->answered)
		return;
	c->text = *text;
	*text = (struct buf)BUF_INIT(text->cap);
	c->text_type = type;
	answered(c, status);
}

json_t *call_error_json(const char *code, const char *message)
{
	json_t *text = json_string(message);

	/* A message may hold what a client sent. */
	return json_pack("{s:{s:s, s:o}}", "error", "code", code, "message",
		text ? text : json_string("(not UTF-8)"));
}

void call_fail(struct call *c, unsigned status, const char *code, const char *fmt, ...)
{
	char message[ERR_MSG_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	call_ok(c, status, call_error_json(code, message));
}

void call_err(struct call *c, const struct err *e)
{
	/* It may have been done by half. */
	if (store_turn_open(c->server->store) && (e->blame == BLAME_INFRA || e->blame == BLAME_BUG))
		c->server->spoiled = true;
	switch (e->blame) {
	case BLAME_JOB:
		call_fail(c, 409, "conflict", "%s", e->msg);
		break;
	case BLAME_CONFIG:
	case BLAME_BUILD:
		call_fail(c, 400, "invalid", "%s", e->msg);
		break;
	case BLAME_INFRA:
		call_fail(c, 503, "unavailable", "%s", e->msg);
		break;
	default:
		call_fail(c, 500, "bug", "%s", e->msg);
	}
}

void call_diag(struct call *c, struct diag *d)
{
	json_t *lines = json_array(), *body;
	char at[512];

	vec_each (&d->entries, en) {
		AUTOFREE char *line =
			en->at.file
				? mem_printf("%s: %s", loc_format(en->at, at, sizeof at), en->text)
				: mem_strdup(en->text);

		json_array_append_new(lines, json_string(line));
	}
	body = call_error_json("invalid", "the document has errors");
	json_object_set_new(json_object_get(body, "error"), "diagnostics", lines);
	call_ok(c, 422, body);
}

void call_field(struct call *c, const char *name, const char *value)
{
	struct http_field *f = &c->fields[c->n_fields];

	if (c->n_fields == CALL_FIELDS)
		return;
	snprintf(c->field_texts[c->n_fields], sizeof c->field_texts[0], "%s", value);
	f->name = name;
	f->value = c->field_texts[c->n_fields++];
}

void call_stream(struct call *c, const char *type, http_pull_fn *pull, http_done_fn *done,
	void *arg, struct http_stream **stream)
{
	c->answered = c->streaming = true;
	http_set_user(c->request, NULL, NULL);
	*stream = http_stream(c->request, type, pull, done, arg);
	c->state = NULL;
	call_free(c);
}

/* "bytes=FIRST-LAST", "bytes=FIRST-" or "bytes=-N" against size. 1 a part, 0 none asked for, -1. */
static int range_parse(const char *text, uint64_t size, uint64_t *first, uint64_t *n)
{
	const char *dash = text ? strchr(text, '-') : NULL;
	int64_t a = 0, b = 0;
	bool has_a, has_b;

	if (!text || strncmp(text, "bytes=", 6) || !dash || strchr(text, ','))
		return 0;
	has_a = dash > text + 6;
	has_b = dash[1] != 0;
	if ((has_a && str_i64(str_make(text + 6, (size_t)(dash - text - 6)), &a)) ||
		(has_b && str_i64(str_of(dash + 1), &b)) || a < 0 || b < 0 || (!has_a && !has_b))
		return 0;
	if (!has_a) {
		*n = (uint64_t)b < size ? (uint64_t)b : size;
		*first = size - *n;
		return *n ? 1 : -1;
	}
	if ((uint64_t)a >= size || (has_b && b < a))
		return -1;
	*first = (uint64_t)a;
	*n = (has_b && (uint64_t)b < size ? (uint64_t)b + 1 : size) - *first;
	return 1;
}

void call_file(struct call *c, const char *type, int fd, uint64_t size)
{
	uint64_t first = 0, n = size;
	char text[64];
	int part = range_parse(http_header(c->request, "Range"), size, &first, &n);

	if (part < 0) {
		close(fd);
		snprintf(text, sizeof text, "bytes */%llu", (unsigned long long)size);
		call_field(c, "Content-Range", text);
		call_fail(c, 416, "invalid", "there are %llu bytes", (unsigned long long)size);
		return;
	}
	call_field(c, "Accept-Ranges", "bytes");
	if (part) {
		snprintf(text, sizeof text, "bytes %llu-%llu/%llu", (unsigned long long)first,
			(unsigned long long)(first + n - 1), (unsigned long long)size);
		call_field(c, "Content-Range", text);
	}
	http_set_user(c->request, NULL, NULL);
	http_reply_file(c->request, part ? 206 : 200, type, fd, first, n, c->fields, c->n_fields);
	c->answered = true;
	call_free(c);
}

static void send_one(struct call *c, bool committed)
{
	if (!c->request)
		return;
	http_set_user(c->request, NULL, NULL);
	if (!committed) {
		json_decref(c->answer);
		c->answer = call_error_json(
			"unavailable", "the store cannot keep it; nothing was changed");
		c->status = 503;
		c->text_type = NULL;
	}
	if (c->text_type) {
		http_reply(c->request, c->status, c->text_type,
			str_make(buf_str(&c->text), c->text.len), c->fields, c->n_fields);
		return;
	}
	if (c->n_fields) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

		json_write(c->answer, 0, &out, NULL);
		buf_putc(&out, '\n');
		http_reply(c->request, c->status, "application/json",
			str_make(buf_str(&out), out.len), c->fields, c->n_fields);
		return;
	}
	http_reply_json(c->request, c->status, json_incref(c->answer));
}

void calls_send(struct server *s, bool committed)
{
	struct call *c = s->waiting;

	s->waiting = NULL;
	s->waiting_end = &s->waiting;
	while (c) {
		struct call *next = c->next;

		send_one(c, committed);
		call_free(c);
		c = next;
	}
}
