/* SPDX-License-Identifier: MIT */
/*
 * The HTTP client against our server, which a child process runs so that the client may wait, and
 * against a peer on the same loop that says what a test tells it to.
 */
#include "io/http-client.h"
#include "io/http.h"
#include "io/t/http-peer.h"

#include "base/mem.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static char base[64];

/* ---- the server's process ---- */

static void on_body(void *arg, struct http_request *r, struct str body)
{
	const char *who = http_header(r, "Authorization"), *n = http_header(r, "Hilab-Protocol");
	AUTOFREE char *text = mem_strndup(body.p, body.n < 100 ? body.n : 100);

	(void)arg;
	http_add_field(r, "X-Length", "some");
	http_reply_json(r, 201,
		json_pack("{s:s,s:s,s:s,s:s,s:I,s:s}", "method", http_method(r), "who",
			who ? who : "-", "protocol", n ? n : "-", "type",
			http_header(r, "Content-Type") ? http_header(r, "Content-Type") : "-",
			"bytes", (json_int_t)body.n, "text", text));
}

static ssize_t on_pull(void *arg, char *out, size_t max)
{
	unsigned *left = arg;

	if (!*left)
		return -1;
	return snprintf(out, max, "id: %u\ndata: {\"left\":%u}\n\n", *left, *left), --*left,
	       (ssize_t)strlen(out);
}

static void on_request(void *arg, struct http_request *r)
{
	static unsigned left;

	(void)arg;
	if (!strcmp(http_path(r), "/body")) {
		http_body(r, (size_t)4 << 20, on_body, NULL);
	} else if (!strcmp(http_path(r), "/events")) {
		left = 1000;
		http_add_field(r, "X-Begin", "1000");
		http_stream(r, "text/event-stream", on_pull, NULL, &left);
	} else if (!strcmp(http_path(r), "/never")) {
		http_set_user(r, NULL, NULL);
	} else if (!strcmp(http_path(r), "/plain")) {
		http_reply(r, 404, "text/plain", str_of("no JSON"), NULL, 0);
	} else {
		http_reply_json(r, 404,
			json_pack("{s:{s:s,s:s}}", "error", "code", "not-found", "message",
				"nothing here"));
	}
}

static pid_t serve(void)
{
	struct http_opts o = {.address = "127.0.0.1", .on_request = on_request};
	struct http_server *s;
	unsigned port = 0;
	int fd[2];
	pid_t pid;

	if (pipe(fd))
		exit(1);
	pid = fork();
	if (pid) {
		close(fd[1]);
		if (read(fd[0], &port, sizeof port) != sizeof port)
			printf("Bail out! no server\n"), exit(1);
		close(fd[0]);
		snprintf(base, sizeof base, "http://127.0.0.1:%u/", port);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loop = loop_new(NULL);
	s = http_server_new(loop, &o, NULL);
	port = http_server_port(s);
	if (write(fd[1], &port, sizeof port) == sizeof port)
		loop_run(loop, NULL);
	_exit(0);
}

static struct http_client *client(const char *at, const char *token)
{
	struct http_client_opts o = {.base = at, .token = token, .protocol = token ? 1 : 0};
	struct err e = {0};
	struct http_client *c = http_client_new(loop, &o, &e);

	if (!c)
		printf("# %s\n", e.msg);
	return c;
}

/* ---- awaited ---- */

static void calls(void)
{
	struct http_client *c = client(base, "secret");
	struct http_ask ask = {.method = "POST", .path = "/body?x=1", .body = STR_LIT("{}")};
	struct http_answer a;
	struct err e = {0};
	json_t *j;

	is_int(http_call(c, &ask, &a), 0, "a call");
	is_int(a.status, 201, "its status");
	is_int(http_answer_check(&a, &e), 0, "is good");
	is_str(http_answer_header(&a, "x-length"), "some", "a header of the answer");
	ok(!http_answer_header(&a, "x-len"), "not one whose name it begins with");
	j = http_answer_json(&a, &e);
	is_str(json_string_value(json_object_get(j, "who")), "Bearer secret", "the token");
	is_str(json_string_value(json_object_get(j, "protocol")), "1", "the protocol");
	is_str(json_string_value(json_object_get(j, "type")), "application/json", "the type");
	is_str(json_string_value(json_object_get(j, "text")), "{}", "the body");
	json_decref(j);
	http_answer_done(&a);

	ask = (struct http_ask){.method = "PUT", .path = "/body"};
	http_call(c, &ask, &a);
	has_str(buf_str(&a.body), "\"method\":\"PUT\"", "a method, no body");
	http_answer_done(&a);
	ask = (struct http_ask){.method = "GET", .path = "/nothing"};
	is_int(http_call(c, &ask, &a), 0, "an answer of another status");
	is_int(http_answer_check(&a, &e), -1, "is not good");
	is_str(e.msg, "nothing here", "and says why");
	http_answer_done(&a);
	ask.path = "/plain";
	http_call(c, &ask, &a);
	is_int(http_answer_check(&a, &e), -1, "one that is no JSON");
	is_str(e.msg, "the server answers with status 404", "says its status");
	ok(!http_answer_json(&a, &e), "and is none");
	http_answer_done(&a);
	ask.method = "HEAD";
	is_int(http_call(c, &ask, &a), 0, "HEAD");
	is_int((int)a.body.len, 0, "has no body");
	http_answer_done(&a);
	http_client_free(c);
	ok(!client(base, "two\nlines"), "no such token");
}

static void from_file(void)
{
	struct http_client *c = client(base, NULL);
	char path[] = "/tmp/test-http-client-XXXXXX";
	int fd = mkstemp(path);
	struct http_ask ask = {.method = "PUT",
		.path = "/body",
		.type = "application/x",
		.fd = fd,
		.body_bytes = 3000000};
	struct http_answer a;

	unlink(path);
	if (ftruncate(fd, 3000010) || pwrite(fd, "skippedbegin", 12, 0) != 12)
		perror("# file");
	lseek(fd, 7, SEEK_SET);
	is_int(http_call(c, &ask, &a), 0, "a body from a file");
	has_str(buf_str(&a.body), "\"bytes\":3000000,\"text\":\"begin\"", "from its position on");
	has_str(buf_str(&a.body), "application/x", "with its type");
	http_answer_done(&a);
	ask.body_bytes = 4000000;
	is_int(http_call(c, &ask, &a), -1, "a file that is shorter than said");
	has_str(a.e.msg, "the file to send has ended", "says so");
	http_answer_done(&a);
	ask.body_bytes = 5000000;
	is_int(http_call(c, &ask, &a), 0, "a body longer than the server takes");
	is_int(a.status, 413, "is refused before it is sent");
	http_answer_done(&a);
	close(fd);
	http_client_free(c);
}

static void failures(void)
{
	struct http_client *c = client("http://127.0.0.1:1", NULL);
	struct http_ask ask = {.method = "GET", .path = "/never", .timeout_ms = 50};
	struct http_answer a;
	struct err e = {0};

	is_int(http_call(c, &ask, &a), -1, "nobody listens");
	is_int(a.e.blame, BLAME_INFRA, "whose fault");
	ok(*a.e.msg, "in words");
	is_int(http_answer_check(&a, &e), -1, "no answer is not good");
	is_str(e.msg, a.e.msg, "for that reason");
	ok(!http_answer_json(&a, &e), "and no JSON");
	http_answer_done(&a);
	http_client_free(c);
	c = client(base, NULL);
	is_int(http_call(c, &ask, &a), -1, "no answer in time");
	is_int(a.e.blame, BLAME_TIMEOUT, "is a timeout");
	http_answer_done(&a);
	http_client_free(c);
}

/* ---- on the loop ---- */

struct got {
	int answers;
	unsigned status;
	struct buf text;
	struct err e;
	struct http_sent *cancel; /* from inside */
	struct http_client *client;
	bool free_client;
	int stop_at, pieces;
	char begin[16];
	struct sse sse;
	unsigned events;
};

static void on_answer(void *arg, const struct http_answer *a)
{
	struct got *g = arg;

	g->answers++;
	g->status = a->status;
	g->e = a->e;
	buf_reset(&g->text);
	buf_add(&g->text, buf_str(&a->body), a->body.len);
	http_cancel(g->cancel);
	if (g->free_client)
		http_client_free(g->client);
}

static bool answered(void *arg)
{
	return ((struct got *)arg)->answers > 0;
}

static void on_event(void *arg, const char *id, const char *name, const char *data)
{
	struct got *g = arg;
	AUTOFREE char *want = mem_printf("{\"left\":%s}", id);

	g->events += !strcmp(name, "message") && !strcmp(data, want);
}

static void on_head(void *arg, const struct http_answer *a)
{
	struct got *g = arg;
	const char *z = http_answer_header(a, "X-Begin");

	snprintf(g->begin, sizeof g->begin, "%u %s", a->status, z ? z : "-");
}

static int on_piece(void *arg, struct str bytes)
{
	struct got *g = arg;

	if (sse_feed(&g->sse, bytes, on_event, g))
		return -1;
	http_cancel(g->cancel);
	return g->stop_at && ++g->pieces == g->stop_at;
}

static void got_done(struct got *g)
{
	buf_done(&g->text);
	sse_done(&g->sse);
}
#define GOT                                                                                        \
	{                                                                                          \
		.text = BUF_INIT(BUF_CAP_BYTES)                                                    \
	}

static void sends(void)
{
	struct http_client *c = client(base, NULL);
	struct http_ask ask = {.method = "POST", .path = "/body", .body = STR_LIT("x")};
	struct http_ask never = {.method = "GET", .path = "/never", .timeout_ms = 50};
	struct got many = GOT, one = GOT, other = GOT;
	struct http_sent *s;

	for (int i = 0; i < 50; i++)
		http_send(c, &ask, on_answer, &many);
	is_int(many.answers, 0, "no answer before the loop runs");
	while (many.answers < 50)
		if (!await(answered, &(struct got){.answers = 0}) || many.answers)
			break;
	s = http_send(c, &never, on_answer, &one);
	http_cancel(s);
	http_cancel(NULL);
	never.timeout_ms = 100;
	http_send(c, &never, on_answer, &other);
	ok(await(answered, &other), "one that times out");
	is_int(other.e.blame, BLAME_TIMEOUT, "says so");
	is_int(one.answers, 0, "one that was canceled says nothing");
	is_int(many.answers, 50, "many at once");
	/* One whose answer cancels another, and then frees the client. */
	never.timeout_ms = 0;
	one.cancel = http_send(c, &never, on_answer, &other);
	one.client = c;
	one.free_client = true;
	other.answers = 0;
	http_send(c, &never, on_answer, &other);
	http_send(c, &ask, on_answer, &one);
	ok(await(answered, &one), "an answer that cancels and frees");
	is_int(other.answers, 0, "and nobody hears of it");
	got_done(&many);
	got_done(&one);
	got_done(&other);
}

static void follows(void)
{
	struct http_client *c = client(base, NULL);
	struct http_ask ask = {
		.method = "GET", .path = "/events", .on_bytes = on_piece, .on_head = on_head};
	struct got g = GOT, gone = GOT;

	sse_init(&g.sse);
	sse_init(&gone.sse);
	ask.arg = &g;
	http_send(c, &ask, on_answer, &g);
	ok(await(answered, &g), "a followed stream ends");
	is_int(g.events, 1000, "with all its events");
	is_int(g.status, 200, "well");
	is_str(g.begin, "200 1000", "its head was told before");
	g.answers = 0;
	g.stop_at = 2;
	http_send(c, &ask, on_answer, &g);
	ok(await(answered, &g), "one that its reader stops");
	is_int(g.e.blame, BLAME_CANCEL, "says so");
	ask.arg = &gone;
	gone.cancel = http_send(c, &ask, on_answer, &gone);
	g.answers = 0;
	ask = (struct http_ask){
		.method = "GET", .path = "/nothing", .on_bytes = on_piece, .arg = &g};
	http_send(c, &ask, on_answer, &g);
	ok(await(answered, &g), "a bad answer");
	has_str(buf_str(&g.text), "nothing here", "is gathered");
	http_client_free(c);
	ok(gone.answers == 0, "one that is canceled by its own bytes says nothing");
	got_done(&g);
	got_done(&gone);
}

/* ---- a peer that is no good ---- */

struct bad {
	const char *text;
	size_t n;
	bool stay; /* open, in silence */
	int fd, taken;
	struct loop_watch *watch, *asked;
};

static void on_asked(void *arg, uint32_t events)
{
	struct bad *b = arg;
	char rest[4096];

	(void)events;
	loop_del(b->asked);
	if (read(b->taken, rest, sizeof rest) < 0 ||
		send(b->taken, b->text, b->n, MSG_NOSIGNAL) < 0)
		perror("# peer");
	if (b->stay)
		return;
	close(b->taken);
	b->taken = -1;
}

static void on_connect(void *arg, uint32_t events)
{
	struct bad *b = arg;

	(void)events;
	b->taken = accept(b->fd, NULL, NULL);
	b->asked = loop_fd(loop, b->taken, EPOLLIN, on_asked, b);
}

static void meets(const char *what, struct bad *b, int64_t timeout_ms, struct got *g)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t n = sizeof at;
	struct http_ask ask = {.method = "GET", .path = "/x", .timeout_ms = timeout_ms};
	struct http_client *c;
	char url[64];

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	b->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(b->fd, (struct sockaddr *)&at, n) || listen(b->fd, 8) ||
		getsockname(b->fd, (struct sockaddr *)&at, &n))
		perror("# listen");
	snprintf(url, sizeof url, "http://127.0.0.1:%u", ntohs(at.sin_port));
	b->taken = -1;
	b->watch = loop_fd(loop, b->fd, EPOLLIN, on_connect, b);
	c = client(url, NULL);
	g->answers = 0;
	http_send(c, &ask, on_answer, g);
	ok(await(answered, g), "%s", what);
	printf("# %u %s\n", g->status, g->e.msg);
	http_client_free(c);
	loop_del(b->watch);
	if (b->taken >= 0)
		close(b->taken);
	close(b->fd);
}

#define SAYS(z) .text = (z), .n = sizeof(z) - 1

static void bad_peers(void)
{
	struct got g = GOT;

	meets("one that says nothing and leaves", &(struct bad){SAYS("")}, 0, &g);
	ok(!g.status && g.e.blame == BLAME_INFRA, "no answer");
	meets("one that is cut in its head", &(struct bad){SAYS("HTTP/1.1 200 OK\r\nConten")}, 0,
		&g);
	ok(!g.status && g.e.blame == BLAME_INFRA, "no answer");
	meets("one that is cut in its body",
		&(struct bad){SAYS("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")}, 0, &g);
	ok(!g.status && g.e.blame == BLAME_INFRA, "no answer");
	meets("one that is cut between chunks",
		&(struct bad){
			SAYS("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")},
		0, &g);
	ok(!g.status && g.e.blame == BLAME_INFRA, "no answer");
	meets("one that talks rubbish", &(struct bad){SAYS("\0\1\2SSH-2.0-nothing\r\n")}, 0, &g);
	ok(!g.status && g.e.blame == BLAME_INFRA, "no answer");
	meets("one that stalls", &(struct bad){SAYS("HTTP/1.1 200 OK\r\n"), .stay = true}, 100, &g);
	ok(!g.status && g.e.blame == BLAME_TIMEOUT, "no answer in time");
	meets("one that stalls in its body",
		&(struct bad){
			SAYS("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .stay = true},
		100, &g);
	ok(!g.status && g.e.blame == BLAME_TIMEOUT, "no answer in time");
	got_done(&g);
}

static void texts(void)
{
	AUTOFREE char *z = http_encode("a/b c%\xc3\xa4-._~09Z");

	is_str(z, "a%2Fb%20c%25%C3%A4-._~09Z", "text in a path");
}

int main(void)
{
	pid_t server = serve();

	loop = loop_new(NULL);
	calls();
	from_file();
	failures();
	sends();
	follows();
	bad_peers();
	texts();
	loop_free(loop);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return tap_done();
}
