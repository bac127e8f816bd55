/* SPDX-License-Identifier: MIT */
/* What the HTTP server bounds, how it starts and stops, and TLS. Waits end by events, not by time.
 */
#include "io/http-client.h"
#include "io/http.h"
#include "io/t/http-peer.h"

#include "base/mem.h"

static struct http_server *server;
static struct buf trace = BUF_INIT(BUF_CAP_BYTES);
static struct http_request *held;

static void on_gone(void *arg)
{
	(void)arg;
	buf_puts(&trace, "gone;");
	held = NULL;
}

static void on_body(void *arg, struct http_request *r, struct str body)
{
	(void)arg;
	http_reply(r, 200, "text/plain", body, NULL, 0);
}

static ssize_t on_pull(void *arg, char *out, size_t max)
{
	(void)arg;
	memset(out, 'x', max);
	return (ssize_t)max;
}

static void on_done(void *arg)
{
	(void)arg;
	buf_puts(&trace, "done;");
}

static void on_request(void *arg, struct http_request *r)
{
	(void)arg;
	buf_printf(&trace, "%s;", http_path(r));
	if (!strcmp(http_path(r), "/hold")) {
		held = r;
		http_set_user(r, NULL, on_gone);
	} else if (!strcmp(http_path(r), "/stream")) {
		http_stream(r, "text/plain", on_pull, on_done, NULL);
	} else if (!strcmp(http_method(r), "POST")) {
		http_body(r, 100000, on_body, NULL);
	} else {
		http_reply(r, 200, "text/plain", str_of(http_peer(r)), NULL, 0);
	}
}

static struct http_server *open_server(struct http_opts o, struct err *e)
{
	o.address = o.address ? o.address : "127.0.0.1";
	o.on_request = on_request;
	buf_reset(&trace);
	held = NULL;
	return http_server_new(loop, &o, e);
}

static void serve(struct http_opts o)
{
	struct err e = {0};

	server = open_server(o, &e);
	if (!server)
		printf("Bail out! %s\n", e.msg), exit(1);
}

static bool traced(void *text)
{
	return strstr(buf_str(&trace), text) != NULL;
}

/* Opens a connection and lets the server answer on it. */
static void greet(struct peer *p)
{
	peer_open(p, http_server_port(server));
	peer_say(p, "GET /hi HTTP/1.1\r\nHost: x\r\n\r\n");
	peer_wait(p, "127.0.0.1", 1);
}

/* Says a text again and again, slowly. */
struct drip {
	struct peer *p;
	const char *text;
	struct loop_watch *timer;
};

static void on_drip(void *arg)
{
	struct drip *d = arg;

	d->timer = NULL;
	if (d->p->eof || send(d->p->fd, d->text, strlen(d->text), MSG_NOSIGNAL) < 0)
		return;
	d->timer = loop_timer(loop, 50, on_drip, d);
}

static void slow(const char *what, const char *begin, const char *text)
{
	struct peer p;
	struct drip d = {&p, text, NULL};

	peer_open(&p, http_server_port(server));
	peer_say(&p, begin);
	on_drip(&d);
	is_str(peer_end(&p), "", "%s", what);
	loop_del(d.timer);
	peer_done(&p);
}

static void slow_peers(void)
{
	struct peer waiting, quiet;

	serve((struct http_opts){.idle_s = 1});
	peer_open(&waiting, http_server_port(server));
	peer_say(&waiting, "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
	greet(&quiet);
	slow("a head that never ends is cut", "GET / HTTP/1.1\r\n", "X: y\r\n");
	slow("so is a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n", "x");
	peer_end(&quiet);
	ok(quiet.eof, "and who asks for nothing more");
	ok(!waiting.eof && held, "not a request whose reply is due");
	if (held)
		http_reply(held, 200, NULL, str_of("at last"), NULL, 0);
	has_str(peer_wait(&waiting, "at last", 1), "at last", "which is answered");
	peer_done(&waiting);
	peer_done(&quiet);
	http_server_free(server);
}

static void cut_peers(void)
{
	struct peer p;

	serve((struct http_opts){0});
	peer_open(&p, http_server_port(server));
	peer_say(&p, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\nbegun");
	shutdown(p.fd, SHUT_WR);
	is_str(peer_end(&p), "", "a body that was cut ends its connection at once");
	is_int(http_server_requests(server), 0, "and its request");
	peer_done(&p);
	peer_open(&p, http_server_port(server));
	peer_say(&p, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET");
	shutdown(p.fd, SHUT_WR);
	peer_end(&p);
	ok(traced("/1;/2;"), "what was whole before");
	ok(strstr(strstr(buf_str(&p.in), "127.0.0.1") + 1, "127.0.0.1"), "is answered");
	peer_done(&p);
	http_server_free(server);
}

static void stalled(void)
{
	struct peer p;

	serve((struct http_opts){.stall_s = 1});
	peer_open(&p, http_server_port(server));
	peer_listen(&p, false);
	peer_say(&p, "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
	ok(await(traced, "done;"), "a stream that is not read ends in the end");
	peer_done(&p);
	http_server_free(server);
}

static void counts(void)
{
	struct peer a, b, c, d;

	serve((struct http_opts){.per_address_max = 2});
	greet(&a);
	greet(&b);
	peer_open(&c, http_server_port(server));
	peer_end(&c);
	ok(c.eof, "a third connection from one address is cut");
	peer_done(&a);
	peer_say(&b, "GET /again HTTP/1.1\r\nHost: x\r\n\r\n");
	peer_wait(&b, "127.0.0.1", 2);
	greet(&d);
	has_str(buf_str(&d.in), "127.0.0.1", "one that comes when another has left is served");
	peer_done(&b);
	peer_done(&c);
	peer_done(&d);
	http_server_free(server);

	serve((struct http_opts){.connections_max = 2});
	greet(&a);
	greet(&b);
	peer_open(&c, http_server_port(server));
	peer_say(&c, "GET /third HTTP/1.1\r\nHost: x\r\n\r\n");
	peer_say(&a, "GET /second HTTP/1.1\r\nHost: x\r\n\r\n");
	peer_wait(&a, "127.0.0.1", 2);
	ok(!traced("/third;"), "one above all that are allowed waits");
	peer_done(&a);
	has_str(peer_wait(&c, "127.0.0.1", 1), "127.0.0.1", "until there is room");
	peer_done(&b);
	peer_done(&c);
	http_server_free(server);
}

static void quiet_end(void)
{
	struct peer a, b;
	struct sockaddr_in at = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	serve((struct http_opts){0});
	peer_open(&a, http_server_port(server));
	peer_say(&a, "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
	await(traced, "/hold;");
	greet(&b);
	http_server_quiesce(server);
	http_server_quiesce(server);
	at.sin_port = htons((uint16_t)http_server_port(server));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ok(connect(fd, (struct sockaddr *)&at, sizeof at) && errno == ECONNREFUSED,
		"no new connection");
	is_int(http_server_requests(server), 1, "one request is under way");
	http_reply(held, 200, NULL, str_of("the last"), NULL, 0);
	has_str(peer_end(&a), "the last", "it is answered");
	has_str(buf_str(&a.in), "Connection: close", "and its connection ends");
	is_int(http_server_requests(server), 0, "none is under way");
	close(fd);
	peer_done(&a);
	peer_done(&b);
	http_server_free(server);
}

static void given(void)
{
	struct peer p;
	int fd[2];

	serve((struct http_opts){0});
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd))
		perror("# socketpair");
	is_int(http_server_add(server, fd[1], NULL), 0, "a connection from elsewhere");
	peer_init(&p, fd[0]);
	peer_say(&p, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	has_str(peer_end(&p), "HTTP/1.1 200", "is served");
	peer_done(&p);
	http_server_free(server);
}

static void starts(void)
{
	struct err e = {0};
	struct http_server *other;

	serve((struct http_opts){0});
	ok(!open_server((struct http_opts){.port = http_server_port(server)}, &e), "a port in use");
	has_str(e.msg, "listen on '127.0.0.1' port ", "says which");
	has_str(e.msg, "in use", "and why");
	is_int(e.blame, BLAME_CONFIG, "a matter of configuration");
	ok(!open_server((struct http_opts){.address = "no such.address"}, &e), "no address");
	has_str(e.msg, "listen on 'no such.address' port 0: ", "says so");
	ok(!open_server((struct http_opts){.cert = "/x"}, &e), "a certificate without a key");
	ok(!open_server((struct http_opts){.cert = "/no/cert", .key = "/no/key"}, &e), "no file");
	has_str(e.msg, "/no/cert", "is named");
	other = open_server((struct http_opts){.address = "::"}, &e);
	if (other) { /* else this host has no IPv6 */
		http_server_free(server);
		server = other;
		struct peer p;

		greet(&p);
		has_str(buf_str(&p.in), "\r\n\r\n127.0.0.1", "an IPv4 peer of an IPv6 server");
		peer_done(&p);
	}
	http_server_free(server);
	http_server_free(NULL);
}

/* ---- TLS ---- */

struct got {
	unsigned status;
	int n;
	struct err e;
};

static void on_answer(void *arg, const struct http_answer *a)
{
	struct got *g = arg;

	g->n++;
	g->status = a->status;
	g->e = a->e;
}

static bool answered(void *arg)
{
	return ((struct got *)arg)->n > 0;
}

static struct got fetch(const char *ca)
{
	char *base = mem_printf("https://localhost:%u", http_server_port(server));
	struct http_client_opts o = {.base = base, .ca = ca};
	struct http_client *c = http_client_new(loop, &o, NULL);
	struct http_ask ask = {.method = "POST", .path = "/x", .body = STR_LIT("hello")};
	struct got g = {0};

	http_send(c, &ask, on_answer, &g);
	await(answered, &g);
	http_client_free(c);
	free(base);
	return g;
}

static void tls(void)
{
	char dir[] = "/tmp/test-http-tls-XXXXXX";
	AUTOFREE char *cert = NULL, *key = NULL;
	int status = -1;
	struct child_opts co = CHILD_OPTS;
	struct err e = {0};
	struct peer p;
	struct got g;

	if (!mkdtemp(dir))
		perror("# mkdtemp");
	cert = fs_join(dir, "cert.pem");
	key = fs_join(dir, "key.pem");
	const char *const argv[] = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
		"ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
		"-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert, NULL};

	ok(!child_run(argv, &co, GUARD_MS, NULL, NULL, &status, &e) && !status, "a certificate");
	serve((struct http_opts){.cert = cert, .key = key});
	g = fetch(cert);
	is_int(g.status, 200, "a request over TLS");
	if (!g.status)
		printf("# %s\n", g.e.msg);
	g = fetch(NULL);
	is_int(g.status, 0, "not from one who does not know the certificate");
	has_str(g.e.msg, "certificate", "and says why");
	peer_open(&p, http_server_port(server));
	peer_say(&p, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	ok(!strstr(peer_end(&p), "HTTP/1.1 200"), "nor without TLS");
	peer_done(&p);
	peer_open(&p, http_server_port(server));
	http_server_free(server);
	peer_done(&p);
	ok(!open_server((struct http_opts){.cert = key, .key = key}, &e), "a key as certificate");
	has_str(e.msg, "start the HTTP server: ", "is refused");
	printf("# %s\n", e.msg);
	fs_remove_tree(dir, NULL);
}

int main(void)
{
	loop = loop_new(NULL);
	slow_peers();
	cut_peers();
	stalled();
	counts();
	quiet_end();
	given();
	starts();
	tls();
	loop_free(loop);
	buf_done(&trace);
	return tap_done();
}
