/* SPDX-License-Identifier: MIT */
/* The HTTP server over real sockets: one loop holds it and its peers. */
#include "io/http.h"
#include "io/t/http-peer.h"

#include "base/mem.h"

static struct http_server *server;
static struct buf trace = BUF_INIT(BUF_CAP_BYTES);
static struct http_request *held[64];
static unsigned n_held;

/* ---- what is served ---- */

static void reply_text(struct http_request *r, const char *text)
{
	http_reply(r, 200, "text/plain", str_of(text), NULL, 0);
}

static void on_body(void *arg, struct http_request *r, struct str body)
{
	(void)arg;
	http_reply(r, 200, "text/plain", body, NULL, 0);
}

static int on_piece(void *arg, struct http_request *r, struct str piece)
{
	size_t *sum = http_user(r);
	char text[32];

	(void)arg;
	*sum += piece.n;
	if (piece.n)
		return 0;
	snprintf(text, sizeof text, "%zu bytes", *sum);
	free(sum);
	reply_text(r, text);
	return 0;
}

static void on_gone(void *user)
{
	buf_printf(&trace, "gone %s;", (char *)user);
	for (unsigned i = 0; i < n_held; i++)
		if (held[i] && http_user(held[i]) == user)
			held[i] = NULL;
}

static void hold(struct http_request *r, char *name)
{
	http_set_user(r, name, on_gone);
	if (n_held < sizeof held / sizeof *held)
		held[n_held++] = r;
}

/* Counts up, as long as it is asked: "0000000\n0000001\n". Stops at limit. */
struct counter {
	unsigned next, limit, most;
	struct http_stream *st;
	bool dry; /* nothing until woken */
};
static struct counter counters[4];

static ssize_t on_pull(void *arg, char *out, size_t max)
{
	struct counter *c = arg;
	size_t n = 0;

	if (c->next == c->limit)
		return c->dry ? 0 : -1;
	while (n + 9 < max && c->next < c->limit)
		n += (size_t)snprintf(out + n, max - n, "%07u\n", c->next++);
	return (ssize_t)n;
}

static void on_done(void *arg)
{
	struct counter *c = arg;

	buf_printf(&trace, "done %u;", (unsigned)(c - counters));
	c->st = NULL;
}

static void file(struct http_request *r)
{
	const struct http_field more = {"Content-Range", "bytes 3-6/10"};
	char path[] = "/tmp/test-http-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	if (write(fd, "0123456789", 10) != 10)
		perror("# write");
	http_reply_file(r, 206, "application/octet-stream", fd, 3, 4, &more, 1);
}

static void echo(struct http_request *r)
{
	AUTOBUF b = BUF_INIT(BUF_CAP_BYTES);
	const char *q = http_query(r, "q"), *h = http_header(r, "x-word");

	buf_printf(&b, "%s %s q=%s x=%s from %s", http_method(r), http_path(r), q ? q : "-",
		h ? h : "-", http_peer(r));
	reply_text(r, buf_str(&b));
}

static void stream(struct http_request *r)
{
	const char *which = http_query(r, "n");
	struct counter *c = &counters[which ? atoi(which) : 0];

	http_add_field(r, "X-From", "0");
	c->st = http_stream(r, "text/plain", on_pull, on_done, c);
}

static void on_request(void *arg, struct http_request *r)
{
	const char *path = http_path(r);

	(void)arg;
	buf_printf(&trace, "%s;", path);
	if (!strcmp(path, "/body"))
		http_body(r, 1000, on_body, NULL);
	else if (!strcmp(path, "/pass"))
		http_set_user(r, mem_alloc(sizeof(size_t)), free),
			http_body_pass(r, on_piece, NULL);
	else if (!strncmp(path, "/hold/", 6))
		hold(r, path[6] == 'a' ? "a" : "b");
	else if (!strcmp(path, "/refuse"))
		http_reply_json(r, 403, json_pack("{s:s}", "error", "no"));
	else if (!strcmp(path, "/stream"))
		stream(r);
	else if (!strcmp(path, "/file"))
		file(r);
	else if (!strcmp(path, "/empty"))
		http_reply(r, 204, NULL, str_make("", 0), NULL, 0);
	else
		echo(r);
}

static void serve(const struct http_opts *more)
{
	struct http_opts o = *more;
	struct err e = {0};

	o.address = "127.0.0.1";
	o.on_request = on_request;
	server = http_server_new(loop, &o, &e);
	if (!server)
		printf("Bail out! %s\n", e.msg), exit(1);
	buf_reset(&trace);
	n_held = 0;
}

static void stop(void)
{
	http_server_free(server);
	server = NULL;
}

/* All that comes back for a text whose last request says Connection: close. */
static struct buf said = BUF_INIT(BUF_CAP_BYTES);

static const char *ask(const char *text)
{
	struct peer p;

	peer_open(&p, http_server_port(server));
	peer_say(&p, text);
	buf_reset(&said);
	buf_puts(&said, peer_end(&p));
	peer_done(&p);
	return buf_str(&said);
}

#define END "Host: x\r\nConnection: close\r\n\r\n"

/* ---- tests ---- */

static void heads(void)
{
	serve(&(struct http_opts){0});
	has_str(ask("GET /a%20b/c?x=1&q=d+e%26 HTTP/1.1\r\nX-Word: hi\r\n" END),
		"GET /a b/c q=d e& x=hi from 127.0.0.1", "a target and a header, decoded");
	has_str(buf_str(&said), "Content-Type: text/plain", "the type");
	has_str(ask("GET http://somewhere:1/p?q=1 HTTP/1.1\r\n" END), "GET /p q=1",
		"absolute form");
	has_str(ask("HEAD /file HTTP/1.1\r\n" END), "Content-Length: 4", "HEAD has the length");
	ok(!strstr(buf_str(&said), "3456"), "and no body");
	has_str(ask("GET /file HTTP/1.1\r\n" END), "\r\n\r\n3456", "a part of a file");
	has_str(buf_str(&said), "Content-Range: bytes 3-6/10", "with a header of its own");
	has_str(ask("GET /empty HTTP/1.1\r\n" END), "HTTP/1.1 204", "no content");
	has_str(ask("GET / HTTP/1.0\r\n\r\n"), "GET / q=-", "HTTP/1.0");
	has_str(ask("GET /%00 HTTP/1.1\r\n" END), "HTTP/1.1 400", "no 0 in a path");
	has_str(ask("GET /%2 HTTP/1.1\r\n" END), "\"code\":\"invalid\"", "a broken escape");
	has_str(ask("GET /?q=%zz HTTP/1.1\r\n" END), "HTTP/1.1 400", "a broken escape behind it");
	has_str(ask("GET nowhere HTTP/1.1\r\n" END), "HTTP/1.1 400", "a path begins with /");
	is_str(ask("rubbish\r\n\r\n"), "", "rubbish is cut");
	has_str(ask("GET / HTTP/1.1\r\nno colon\r\n\r\n"), "HTTP/1.1 400", "a broken header");
	stop();
}

static void bodies(void)
{
	struct peer p;

	serve(&(struct http_opts){0});
	has_str(ask("POST /body HTTP/1.1\r\nContent-Length: 5\r\n" END "hello"), "\r\n\r\nhello",
		"a body");
	has_str(ask("POST /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" END
		    "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n"),
		"\r\n\r\nhello", "in chunks");
	has_str(ask("POST /pass HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" END
		    "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"),
		"5 bytes", "piece by piece");
	has_str(ask("POST /pass HTTP/1.1\r\nContent-Length: 0\r\n" END), "0 bytes", "an empty one");
	has_str(ask("POST /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" END "x\r\n"),
		"HTTP/1.1 400", "broken chunks");
	buf_reset(&trace);
	peer_open(&p, http_server_port(server));
	peer_say(&p, "POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
		     "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
		     "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
		     "GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
	has_str(peer_wait(&p, "GET /x", 1), "\r\n\r\nabcHTTP/1.1 200",
		"four in one piece, on one connection, the first with a body that nobody wants");
	is_str(buf_str(&trace), "/refuse;/body;/body;/x;", "each seen once, in order");
	peer_done(&p);
	stop();
}

static void too_large(void)
{
	AUTOFREE char *big = mem_alloc((size_t)8 << 20);
	struct peer p;
	size_t sent = 0;

	serve(&(struct http_opts){0});
	peer_open(&p, http_server_port(server));
	peer_say(&p, "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n");
	peer_say(&p, memset(big, 0x61, 1001));
	peer_say(&p, "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
		     "3e9\r\n");
	peer_say(&p, big);
	peer_say(&p, "\r\n0\r\n\r\nGET /next HTTP/1.1\r\n" END);
	peer_end(&p);
	ok(strstr(strstr(buf_str(&p.in), " 413 ") + 1, " 413 "), "too large, said or not");
	has_str(buf_str(&p.in), "\"code\":\"too-large\"", "in words");
	has_str(buf_str(&p.in), "GET /next", "and the connection goes on");
	peer_done(&p);
	peer_open(&p, http_server_port(server));
	peer_say(&p, "PUT /body HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n");
	fcntl(p.fd, F_SETFL, 0);
	for (int i = 0; i < 8 && !p.eof; i++) {
		ssize_t n = send(p.fd, big, 65536, MSG_NOSIGNAL | MSG_DONTWAIT);

		sent += n > 0 ? (size_t)n : 0;
	}
	ok(sent >= 65536, "a client that goes on sending");
	has_str(peer_end(&p), " 413 ", "reads that it was too large");
	peer_done(&p);
	peer_open(&p, http_server_port(server));
	peer_say(&p, "PUT /body HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
		     "Content-Length: 1001\r\n\r\n");
	ok(!strstr(peer_end(&p), "100 Continue"), "asked whether to send: no");
	has_str(buf_str(&p.in), " 413 ", "and why");
	peer_done(&p);
	peer_open(&p, http_server_port(server));
	peer_say(&p, "PUT /body HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n" END);
	has_str(peer_wait(&p, "\r\n\r\n", 1), "100 Continue", "asked whether to send: yes");
	peer_say(&p, "ok");
	has_str(peer_end(&p), "\r\n\r\nok", "and it sent");
	peer_done(&p);
	stop();
}

static bool holds(void *n)
{
	return n_held >= *(unsigned *)n;
}

static bool traced(void *text)
{
	return strstr(buf_str(&trace), text) != NULL;
}

static void later(void)
{
	struct peer a, b;

	serve(&(struct http_opts){0});
	peer_open(&a, http_server_port(server));
	peer_open(&b, http_server_port(server));
	peer_say(&a, "POST /hold/a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
		     "GET /after HTTP/1.1\r\nHost: x\r\n\r\n");
	peer_say(&b, "GET /hold/b HTTP/1.1\r\nHost: x\r\n\r\n");
	ok(await(holds, &(unsigned){2}), "two requests are held");
	is_int(http_server_requests(server), 2, "and counted");
	ok(!strstr(buf_str(&trace), "after"), "what comes behind one waits for it");
	for (int i = 0; i < 2; i++) {
		if (strcmp(http_user(held[i]), "a"))
			continue;
		reply_text(held[i], "for a");
		reply_text(held[i], "for nobody");
		held[i] = NULL;
	}
	has_str(peer_wait(&a, "GET /after", 1), "for a", "answered later, then the next");
	ok(!strstr(buf_str(&a.in), "nobody"), "a second reply is none");
	ok(!strstr(buf_str(&trace), "gone"), "nobody has gone");
	buf_reset(&trace);
	peer_done(&b);
	ok(await(traced, "gone b;"), "one that leaves is noticed");
	n_held = 0;
	peer_open(&b, http_server_port(server));
	peer_say(&b, "GET /hold/b HTTP/1.1\r\nHost: x\r\n\r\n");
	await(holds, &(unsigned){1});
	buf_reset(&trace);
	stop();
	is_str(buf_str(&trace), "gone b;", "the server's end is one");
	is_str(peer_end(&b), "", "without an answer");
	peer_done(&a);
	peer_done(&b);
}

static void turns(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < n_held; i++)
		if (held[i])
			reply_text(held[i], "in its turn");
	n_held = 0;
}

static void in_turns(void)
{
	struct loop_watch *w;
	struct peer p[8];
	bool good = true;

	serve(&(struct http_opts){0});
	w = loop_turn(loop, turns, NULL);
	for (int i = 0; i < 8; i++) {
		peer_open(&p[i], http_server_port(server));
		for (int k = 0; k < 20; k++)
			peer_say(&p[i], "POST /hold/a HTTP/1.1\r\nHost: x\r\n"
					"Content-Length: 2\r\n\r\nok");
	}
	for (int i = 0; i < 8; i++) {
		peer_wait(&p[i], "in its turn", 20);
		good = good && !p[i].eof;
		peer_done(&p[i]);
	}
	ok(good, "160 requests answered at the end of their turns");
	loop_del(w);
	stop();
}

static void streams(void)
{
	struct peer p, slow, other;
	unsigned at;

	serve(&(struct http_opts){0});
	memset(counters, 0, sizeof counters);
	counters[0].limit = 3;
	has_str(ask("GET /stream HTTP/1.1\r\n" END), "0000000\n0000001\n0000002\n\r\n0\r\n",
		"a stream to its end");
	has_str(buf_str(&said), "X-From: 0", "with a header of its own");
	has_str(buf_str(&trace), "done 0;", "its end is told");
	counters[0] = (struct counter){.limit = 3};
	has_str(ask("GET /stream HTTP/1.0\r\n\r\n"), "\r\n\r\n0000000\n", "to an old client");
	counters[0] = (struct counter){.limit = 3};
	buf_reset(&trace);
	ok(!strstr(ask("HEAD /stream HTTP/1.1\r\n" END), "0000000"), "HEAD of one");
	has_str(buf_str(&trace), "done 0;", "ends too");

	counters[1] = (struct counter){.limit = 2, .dry = true};
	peer_open(&p, http_server_port(server));
	peer_say(&p, "GET /stream?n=1 HTTP/1.1\r\nHost: x\r\n\r\n");
	peer_wait(&p, "0000001", 1);
	ok(!p.eof, "a stream that waits");
	counters[1].limit = 4;
	http_stream_wake(counters[1].st);
	http_stream_wake(counters[1].st);
	has_str(peer_wait(&p, "0000003", 1), "0000002", "woken, it goes on");
	buf_reset(&trace);
	peer_done(&p);
	ok(await(traced, "done 1;"), "a follower that leaves while it waits");

	counters[2] = (struct counter){.limit = 50000000};
	counters[3] = (struct counter){.limit = 100000};
	peer_open(&slow, http_server_port(server));
	peer_listen(&slow, false);
	peer_say(&slow, "GET /stream?n=2 HTTP/1.1\r\nHost: x\r\n\r\n");
	peer_open(&other, http_server_port(server));
	peer_say(&other, "GET /stream?n=3 HTTP/1.1\r\n" END);
	peer_wait(&other, "0099999", 1);
	ok(other.in.len > 800000, "a client that does not read stops nobody");
	ok(await(traced, "done 3;"), "the other one has all");
	has_str(ask("GET /x HTTP/1.1\r\n" END), "GET /x", "others are served");
	at = counters[2].next;
	ok(at * 8 < (16 << 20), "for the one that does not read, little is made");
	peer_listen(&slow, true);
	peer_wait(&slow, "0900000", 1);
	ok(counters[2].next > at, "until it reads again");
	buf_reset(&trace);
	peer_done(&slow);
	ok(await(traced, "done 2;"), "and then it leaves");
	peer_done(&other);
	stop();
}

int main(void)
{
	loop = loop_new(NULL);
	heads();
	bodies();
	too_large();
	later();
	in_turns();
	streams();
	loop_free(loop);
	buf_done(&trace);
	buf_done(&said);
	return tap_done();
}
