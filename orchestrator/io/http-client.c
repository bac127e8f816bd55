/* SPDX-License-Identifier: MIT */
/*
 * The HTTP client: libcurl awaited, or its sockets and its timer on the loop. Invariant: libcurl is
 * called only when it is not running already: what is asked for from inside one of its callbacks is
 * noted, and done when it has returned.
 */
#include "http-client-inner.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

struct socket_watch {
	struct http_client *client;
	struct loop_watch *watch;
	int fd;
};

static void act(struct http_client *c, curl_socket_t fd, int events);

static void on_timer(void *arg)
{
	struct http_client *c = arg;

	c->timer = NULL;
	act(c, CURL_SOCKET_TIMEOUT, 0);
}

static void on_socket_ready(void *arg, uint32_t events)
{
	const struct socket_watch *w = arg;
	int bits = 0;

	if (events & EPOLLIN)
		bits |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		bits |= CURL_CSELECT_OUT;
	if (events & (EPOLLERR | EPOLLHUP))
		bits |= CURL_CSELECT_ERR;
	act(w->client, w->fd, bits);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *watch)
{
	struct http_client *c = arg;
	struct socket_watch *w = watch;
	uint32_t events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (w)
			loop_del(w->watch);
		free(w);
		c->lib->multi_assign(c->multi, fd, NULL);
		return 0;
	}
	if (what & CURL_POLL_IN)
		events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		events |= EPOLLOUT;
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

static int on_timeout(CURLM *multi, long ms, void *arg)
{
	struct http_client *c = arg;

	(void)multi;
	loop_del(c->timer);
	c->timer = ms < 0 ? NULL : loop_timer(c->loop, ms, on_timer, c);
	return 0;
}

/* ---- exchanges on the loop ---- */

static void unlink_sent(struct http_sent *s)
{
	*(s->prev ? &s->prev->next : &s->client->sent) = s->next;
	if (s->next)
		s->next->prev = s->prev;
}

/* libcurl is not running. */
static void drop(struct http_sent *s)
{
	struct http_client *c = s->client;

	if (!s->waiting)
		c->lib->multi_remove_handle(c->multi, s->curl);
	c->lib->easy_cleanup(s->curl);
	unlink_sent(s);
	http_answer_done(&s->answer);
	http_sent_free(s);
}

static void done(struct http_sent *s, CURLcode rc)
{
	struct http_client *c = s->client;
	struct http_answer answer;
	http_answer_fn *fn = s->fn;
	void *arg = s->arg;

	http_sent_finish(s, rc);
	answer = s->answer;
	c->lib->multi_remove_handle(c->multi, s->curl);
	c->lib->easy_cleanup(s->curl);
	unlink_sent(s);
	http_sent_free(s);
	fn(arg, &answer);
	http_answer_done(&answer);
}

static void client_end(struct http_client *c)
{
	while (c->sent)
		drop(c->sent);
	if (c->multi)
		c->lib->multi_cleanup(c->multi);
	if (c->easy)
		c->lib->easy_cleanup(c->easy);
	loop_del(c->timer);
	for (size_t i = 0; i < sizeof c->fields / sizeof *c->fields; i++)
		free(c->fields[i]);
	free(c->base);
	free(c->ca);
	free(c);
}

/* What had to wait for libcurl's return. */
static void settle(struct http_client *c)
{
	struct http_sent *next;

	for (struct http_sent *s = c->sent; s; s = next) {
		next = s->next;
		if (s->canceled) {
			drop(s);
		} else if (s->waiting) {
			s->waiting = false;
			c->lib->multi_add_handle(c->multi, s->curl);
		}
	}
}

static void act(struct http_client *c, curl_socket_t fd, int events)
{
	struct CURLMsg *m;
	int running, left;

	c->inside++;
	c->lib->multi_socket_action(c->multi, fd, events, &running);
	while (!c->doomed && (m = c->lib->multi_info_read(c->multi, &left))) {
		struct http_sent *s = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		c->lib->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &s);
		if (s->canceled)
			drop(s);
		else
			done(s, m->data.result);
	}
	c->inside--;
	if (c->doomed)
		client_end(c);
	else
		settle(c);
}

struct http_sent *http_send(
	struct http_client *c, const struct http_ask *ask, http_answer_fn *fn, void *arg)
{
	struct http_sent *s = http_sent_new(c, c->lib->easy_init(), ask);

	s->fn = fn;
	s->arg = arg;
	s->waiting = true;
	s->next = c->sent;
	if (s->next)
		s->next->prev = s;
	c->sent = s;
	if (!c->inside)
		settle(c);
	return s;
}

void http_cancel(struct http_sent *s)
{
	if (!s || s->canceled)
		return;
	s->canceled = true;
	if (!s->client->inside)
		drop(s);
}

/* ---- the client ---- */

static bool is_local(const char *base)
{
	const char *host = strstr(base, "://");

	host = host ? host + 3 : base;
	return !strncmp(host, "127.", 4) || !strncmp(host, "[::1]", 5) ||
	       (!strncmp(host, "localhost", 9) && strchr(":/", host[9]));
}

static int check_token(const char *token, struct err *e)
{
	for (const char *z = token; z && *z; z++)
		if (*z < '!' || *z > '~')
			return err_set(
				e, BLAME_CONFIG, "the token has a character that no token has");
	return 0;
}

static CURLM *multi_new(struct http_client *c)
{
	CURLM *m = c->lib->multi_init();

	if (!m)
		return NULL;
	c->lib->multi_setopt(m, CURLMOPT_SOCKETFUNCTION, on_socket);
	c->lib->multi_setopt(m, CURLMOPT_SOCKETDATA, c);
	c->lib->multi_setopt(m, CURLMOPT_TIMERFUNCTION, on_timeout);
	c->lib->multi_setopt(m, CURLMOPT_TIMERDATA, c);
	return m;
}

struct http_client *http_client_new(
	struct loop *loop, const struct http_client_opts *o, struct err *e)
{
	const struct curl_calls *lib = curl_load(e);
	struct http_client *c;

	if (!lib || check_token(o->token, e))
		return NULL;
	c = mem_alloc(sizeof *c);
	c->lib = lib;
	c->loop = loop;
	c->base = mem_strdup(o->base);
	if (str_ends(str_of(c->base), "/"))
		c->base[strlen(c->base) - 1] = 0;
	c->ca = mem_strdup(o->ca);
	c->connect_ms = o->connect_ms;
	c->local = is_local(c->base);
	if (o->token)
		c->fields[0] = mem_printf("Authorization: Bearer %s", o->token);
	if (o->protocol)
		c->fields[1] = mem_printf("Hilab-Protocol: %u", o->protocol);
	c->easy = lib->easy_init();
	c->multi = loop ? multi_new(c) : NULL;
	if (!c->easy || (loop && !c->multi)) {
		err_set(e, BLAME_BUG, "libcurl does not start");
		client_end(c);
		return NULL;
	}
	return c;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	c->doomed = true;
	if (!c->inside)
		client_end(c);
}

int http_call(struct http_client *c, const struct http_ask *ask, struct http_answer *out)
{
	struct http_sent *s;

	c->lib->easy_reset(c->easy); /* its connections stay */
	s = http_sent_new(c, c->easy, ask);
	http_sent_finish(s, c->lib->easy_perform(c->easy));
	*out = s->answer;
	http_sent_free(s);
	return out->status ? 0 : -1;
}

char *http_encode(const char *text)
{
	struct buf out = BUF_INIT(BUF_CAP_BYTES);

	for (; *text; text++)
		if (strchr("-._~", *text) || (*text >= '0' && *text <= '9') ||
			((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z'))
			buf_putc(&out, *text);
		else
			buf_printf(&out, "%%%02X", (unsigned char)*text);
	return buf_take(&out);
}
