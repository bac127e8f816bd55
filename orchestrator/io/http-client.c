/* SPDX-License-Identifier: MIT */
/*
 * HTTP requests by libcurl: one easy handle that is used again for calls that are waited for, and a
 * multi handle whose sockets and timer are the loop's. Invariant: an answer is handed on once, from
 * the loop and never from inside http_send; after http_cancel not at all.
 */
#include "io/http-client.h"

#include "base/mem.h"
#include "io/curl.h"
#include "io/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_MS  10000
#define ALIVE_S     30                 /* TCP keep-alive: a peer that is gone is noticed */
#define ERROR_BYTES ((size_t)64 << 10) /* of an answer that is not good, where it is streamed */

struct http_client {
	const struct curl_calls *lib;
	struct loop *loop;
	char *base, *token, *ca;
	int64_t connect_ms;
	unsigned protocol;
	CURL *easy;   /* of http_call */
	CURLM *multi; /* NULL without a loop */
	struct loop_watch *timer, *turn;
	struct http_sent *sent; /* under way */
};

/* One exchange, waited for or not. */
struct exchange {
	struct http_client *client;
	CURL *easy;
	struct curl_slist *headers;
	struct http_ask ask; /* body borrowed */
	struct http_answer answer;
	char error[CURL_ERROR_SIZE];
	bool stopped; /* on_bytes had enough */
	int64_t left; /* of a body from a file */
};
struct http_sent {
	struct exchange x;
	http_answer_fn *fn;
	void *arg;
	struct http_sent *next, **link;
};
struct socket_watch {
	struct http_client *client;
	struct loop_watch *watch;
	int fd;
};

/* ---- one exchange ---- */

static size_t on_bytes(char *p, size_t size, size_t n, void *arg)
{
	struct exchange *x = arg;
	long status = 0;

	n *= size;
	x->client->lib->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	if (!x->ask.on_bytes || status < 200 || status > 299)
		return buf_add(&x->answer.body, p, n) ? 0 : n;
	if (!x->ask.on_bytes(x->ask.arg, str_make(p, n)))
		return n;
	x->stopped = true;
	return 0;
}

static size_t on_read(char *p, size_t size, size_t n, void *arg)
{
	struct exchange *x = arg;
	ssize_t got;

	n *= size;
	if ((int64_t)n > x->left)
		n = (size_t)x->left;
	if (!n)
		return 0;
	do
		got = read(x->ask.fd, p, n);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return CURL_READFUNC_ABORT; /* shorter than was said */
	x->left -= got;
	return (size_t)got;
}

static void header(struct exchange *x, const char *name, const char *value)
{
	AUTOFREE char *line = mem_printf("%s:%s%s", name, *value ? " " : "", value);

	x->headers = x->client->lib->slist_append(x->headers, line);
}

static void set_body(struct exchange *x)
{
	const struct http_ask *ask = &x->ask;
	const struct curl_calls *lib = x->client->lib;
	bool get = !strcmp(ask->method, "GET");

	if (ask->body_bytes > 0) {
		x->left = ask->body_bytes;
		lib->easy_setopt(x->easy, CURLOPT_UPLOAD, 1L);
		lib->easy_setopt(x->easy, CURLOPT_READFUNCTION, on_read);
		lib->easy_setopt(x->easy, CURLOPT_READDATA, x);
		lib->easy_setopt(x->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)ask->body_bytes);
	} else if (!get && strcmp(ask->method, "HEAD") != 0) {
		lib->easy_setopt(x->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n);
		lib->easy_setopt(x->easy, CURLOPT_POSTFIELDS, ask->body.n ? ask->body.p : "");
	}
	if (!strcmp(ask->method, "HEAD"))
		lib->easy_setopt(x->easy, CURLOPT_NOBODY, 1L);
	if (ask->body.n || ask->body_bytes > 0)
		header(x, "Content-Type", ask->type ? ask->type : "application/json");
	header(x, "Expect", ""); /* no round trip before the body */
	lib->easy_setopt(x->easy, CURLOPT_CUSTOMREQUEST, get ? NULL : ask->method);
}

static void set_up(
	struct exchange *x, struct http_client *c, CURL *easy, const struct http_ask *ask)
{
	AUTOFREE char *url = mem_printf("%s%s", c->base, ask->path);
	const struct curl_calls *lib = c->lib;
	char protocol[24];

	*x = (struct exchange){.client = c,
		.easy = easy,
		.ask = *ask,
		.answer = {.body = BUF_INIT(ask->on_bytes ? ERROR_BYTES : HTTP_ANSWER_BYTES)}};
	lib->easy_setopt(easy, CURLOPT_URL, url);
	lib->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, CURL_PROTOCOLS);
	lib->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	lib->easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	lib->easy_setopt(easy, CURLOPT_PROXY, ""); /* a lab is not behind the web's proxy */
	lib->easy_setopt(easy, CURLOPT_ERRORBUFFER, x->error);
	lib->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
	lib->easy_setopt(easy, CURLOPT_WRITEDATA, x);
	lib->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)c->connect_ms);
	lib->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)ask->timeout_ms);
	lib->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	lib->easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)ALIVE_S);
	lib->easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)ALIVE_S);
	if (c->ca)
		lib->easy_setopt(easy, CURLOPT_CAINFO, c->ca);
	if (c->token) {
		AUTOFREE char *bearer = mem_printf("Bearer %s", c->token);

		header(x, "Authorization", bearer);
	}
	if (c->protocol) {
		snprintf(protocol, sizeof protocol, "%u", c->protocol);
		header(x, "Hilab-Protocol", protocol);
	}
	set_body(x);
	lib->easy_setopt(easy, CURLOPT_HTTPHEADER, x->headers);
}

/* What came of it, into the answer. */
static void conclude(struct exchange *x, CURLcode code)
{
	const struct curl_calls *lib = x->client->lib;
	struct http_answer *a = &x->answer;
	long status = 0;

	lib->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	a->status = (unsigned)status;
	if (code == CURLE_OK)
		return;
	a->status = 0; /* cut short is no answer */
	if (x->stopped)
		err_set(&a->e, BLAME_CANCEL, "the reader had enough");
	else if (a->body.overflow)
		err_set(&a->e, BLAME_INFRA, "the answer is longer than %zu bytes", a->body.cap);
	else
		err_set(&a->e, code == CURLE_OPERATION_TIMEDOUT ? BLAME_TIMEOUT : BLAME_INFRA, "%s",
			*x->error ? x->error : lib->easy_strerror(code));
}

static void clean_up(struct exchange *x)
{
	x->client->lib->slist_free_all(x->headers);
	x->headers = NULL;
}

void http_answer_done(struct http_answer *a)
{
	buf_done(&a->body);
}

json_t *http_answer_json(const struct http_answer *a, struct err *e)
{
	json_t *j = json_parse(str_make(buf_str(&a->body), a->body.len), "answer", e);

	if (!j && e)
		e->blame = BLAME_INFRA;
	return j;
}

int http_answer_check(const struct http_answer *a, struct err *e)
{
	AUTOJSON *j = NULL;
	const char *message;

	if (!a->status) {
		if (e)
			*e = a->e;
		return -1;
	}
	if (a->status >= 200 && a->status < 300)
		return 0;
	j = http_answer_json(a, NULL);
	message = json_text(json_object_get(j, "error"), "message", NULL);
	return err_set(e, a->status >= 500 || a->status == 429 ? BLAME_INFRA : BLAME_JOB, "%s",
		message ? message : "the server did not say why");
}

/* ---- waited for ---- */

int http_call(struct http_client *c, const struct http_ask *ask, struct http_answer *out)
{
	struct exchange x;

	c->lib->easy_reset(c->easy);
	set_up(&x, c, c->easy, ask);
	conclude(&x, c->lib->easy_perform(c->easy));
	clean_up(&x);
	*out = x.answer;
	return out->status ? 0 : -1;
}

/* ---- on the loop ---- */

static void sent_free(struct http_sent *s)
{
	struct http_client *c = s->x.client;

	c->lib->multi_remove_handle(c->multi, s->x.easy);
	c->lib->easy_cleanup(s->x.easy);
	clean_up(&s->x);
	http_answer_done(&s->x.answer);
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	free(s);
}

/* Hands on what has ended. A callback may send, cancel, and free the client's other requests. */
static void take_ended(void *arg)
{
	struct http_client *c = arg;
	CURLMsg *m;
	int left;

	while ((m = c->lib->multi_info_read(c->multi, &left))) {
		struct http_sent *s = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		c->lib->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &s);
		conclude(&s->x, m->data.result);
		c->lib->multi_remove_handle(c->multi, s->x.easy);
		s->fn(s->arg, &s->x.answer);
		sent_free(s);
	}
}

static void act(struct http_client *c, curl_socket_t fd, int what)
{
	int running;

	c->lib->multi_socket_action(c->multi, fd, what, &running);
}

static void on_socket_ready(void *arg, uint32_t events)
{
	struct socket_watch *w = arg;
	int what = (events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
		   (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		   (events & EPOLLERR ? CURL_CSELECT_ERR : 0);

	act(w->client, w->fd, what);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *client, void *watch)
{
	struct http_client *c = client;
	struct socket_watch *w = watch;
	uint32_t events =
		(what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (w)
			loop_del(w->watch);
		free(w);
		c->lib->multi_assign(c->multi, fd, NULL);
		return 0;
	}
	if (w) {
		loop_fd_set(w->watch, events);
		return 0;
	}
	w = mem_alloc(sizeof *w);
	w->client = c;
	w->fd = fd;
	w->watch = loop_fd(c->loop, fd, events, on_socket_ready, w);
	c->lib->multi_assign(c->multi, fd, w);
	return 0;
}

static void on_time(void *arg)
{
	struct http_client *c = arg;

	c->timer = NULL;
	act(c, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer(CURLM *multi, long after_ms, void *client)
{
	struct http_client *c = client;

	(void)multi;
	loop_del(c->timer);
	c->timer = after_ms < 0 ? NULL : loop_timer(c->loop, after_ms, on_time, c);
	return 0;
}

struct http_sent *http_send(
	struct http_client *c, const struct http_ask *ask, http_answer_fn *fn, void *arg)
{
	struct http_sent *s = mem_alloc(sizeof *s);

	set_up(&s->x, c, c->lib->easy_init(), ask);
	s->fn = fn;
	s->arg = arg;
	s->next = c->sent;
	s->link = &c->sent;
	if (c->sent)
		c->sent->link = &s->next;
	c->sent = s;
	c->lib->easy_setopt(s->x.easy, CURLOPT_PRIVATE, s);
	c->lib->multi_add_handle(c->multi, s->x.easy);
	return s;
}

void http_cancel(struct http_sent *s)
{
	if (s)
		sent_free(s);
}

/* ---- the client ---- */

static int open_multi(struct http_client *c, struct err *e)
{
	c->multi = c->lib->multi_init();
	if (!c->multi)
		return err_set(e, BLAME_INFRA, "libcurl cannot begin");
	c->lib->multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	c->lib->multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
	c->lib->multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	c->lib->multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
	c->turn = loop_turn(c->loop, take_ended, c);
	return 0;
}

struct http_client *http_client_new(
	struct loop *loop, const struct http_client_opts *o, struct err *e)
{
	struct http_client *c = mem_alloc(sizeof *c);

	c->lib = curl_load(e);
	c->loop = loop;
	c->base = mem_strdup(o->base);
	c->token = mem_strdup(o->token);
	c->ca = mem_strdup(o->ca);
	c->connect_ms = o->connect_ms ? o->connect_ms : CONNECT_MS;
	c->protocol = o->protocol;
	c->easy = c->lib ? c->lib->easy_init() : NULL;
	if (!c->easy || (loop && open_multi(c, e))) {
		http_client_free(c);
		return NULL;
	}
	/* "http://host:1/" and a path that begins with a slash */
	while (*c->base && c->base[strlen(c->base) - 1] == '/')
		c->base[strlen(c->base) - 1] = 0;
	return c;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	while (c->sent)
		sent_free(c->sent);
	if (c->multi)
		c->lib->multi_cleanup(c->multi);
	loop_del(c->turn);
	loop_del(c->timer);
	if (c->easy)
		c->lib->easy_cleanup(c->easy);
	free(c->base);
	free(c->token);
	free(c->ca);
	free(c);
}

char *http_encode(const char *text)
{
	static const char hex[] = "0123456789ABCDEF";
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			strchr("-._~", c))
			buf_putc(&out, (char)c);
		else
			buf_printf(&out, "%%%c%c", hex[c >> 4], hex[c & 15]);
	}
	return buf_take(&out);
}
