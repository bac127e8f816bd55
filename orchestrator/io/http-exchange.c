/* SPDX-License-Identifier: MIT */
/*
 * One request and its answer as libcurl sees them. Invariant: an answer has a status, or an error
 * that says why it has none, never both and never neither.
 */
#include "http-client-inner.h"

#include "base/mem.h"
#include "io/json.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONNECT_MS   10000
#define ALIVE_IDLE_S 30L
#define ALIVE_STEP_S 10L
#define HEAD_BYTES   ((size_t)32 << 10)

static size_t on_bytes(char *p, size_t size, size_t n, void *arg)
{
	struct http_sent *s = arg;
	bool good = s->answer.status >= 200 && s->answer.status < 300;

	n *= size;
	if (s->canceled)
		return 0;
	if (good && s->ask.on_bytes) {
		s->stopped = s->ask.on_bytes(s->ask.arg, str_make(p, n)) != 0;
		return s->stopped || s->canceled ? 0 : n;
	}
	s->too_long = buf_add(&s->answer.body, p, n) != 0;
	return s->too_long ? 0 : n;
}

/* Each line of a head; of several heads (a 100 before the answer) the last one counts. */
static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct http_sent *s = arg;
	struct str line = str_trim(str_make(p, n *= size));
	long status = 0;

	if (s->canceled)
		return 0;
	if (str_starts(line, "HTTP/")) {
		buf_reset(&s->answer.head);
	} else if (line.n) {
		if (buf_add(&s->answer.head, line.p, line.n) || buf_putc(&s->answer.head, 0))
			s->too_long = true;
	} else {
		s->client->lib->easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
		s->answer.status = (unsigned)status;
		if (status >= 200 && !s->head_seen && s->ask.on_head) {
			s->head_seen = true;
			s->ask.on_head(s->ask.arg, &s->answer);
		}
	}
	return s->too_long || s->canceled ? 0 : n;
}

static size_t on_read(char *out, size_t size, size_t n, void *arg)
{
	struct http_sent *s = arg;
	int64_t left = s->ask.body_bytes - s->sent_bytes;
	ssize_t got;

	n *= size;
	if ((int64_t)n > left)
		n = (size_t)left;
	got = n ? pread(s->ask.fd, out, n, s->start + s->sent_bytes) : 0;
	if (got < 0 || (n && !got))
		return CURL_READFUNC_ABORT;
	s->sent_bytes += got;
	return (size_t)got;
}

static int on_seek(void *arg, curl_off_t at, int whence)
{
	struct http_sent *s = arg;

	if (whence != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	s->sent_bytes = at;
	return CURL_SEEKFUNC_OK;
}

static void add_header(struct http_sent *s, const char *name, const char *value)
{
	AUTOFREE char *line = mem_printf("%s: %s", name, value);

	s->headers = s->client->lib->slist_append(s->headers, line);
}

static void set_body(struct http_sent *s)
{
	typeof(curl_easy_setopt) *set = s->client->lib->easy_setopt;
	const char *method = s->ask.method;
	CURL *c = s->curl;

	if (!strcmp(method, "HEAD")) {
		set(c, CURLOPT_NOBODY, 1L);
		return;
	}
	if (s->ask.body_bytes > 0) {
		s->start = lseek(s->ask.fd, 0, SEEK_CUR);
		set(c, CURLOPT_UPLOAD, 1L);
		set(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)s->ask.body_bytes);
		set(c, CURLOPT_READFUNCTION, on_read);
		set(c, CURLOPT_READDATA, s);
		set(c, CURLOPT_SEEKFUNCTION, on_seek);
		set(c, CURLOPT_SEEKDATA, s);
	} else if (s->ask.body.n || !strcmp(method, "POST") || !strcmp(method, "PUT")) {
		set(c, CURLOPT_POSTFIELDS, s->ask.body.n ? s->ask.body.p : "");
		set(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)s->ask.body.n);
	}
	if (s->ask.body_bytes > 0 || s->ask.body.n)
		add_header(s, "Content-Type", s->ask.type ? s->ask.type : "application/json");
	set(c, CURLOPT_CUSTOMREQUEST, method);
}

static void set_options(struct http_sent *s)
{
	typeof(curl_easy_setopt) *set = s->client->lib->easy_setopt;
	struct http_client *k = s->client;
	CURL *c = s->curl;

	set(c, CURLOPT_URL, s->url);
	set(c, CURLOPT_PROTOCOLS_STR, CURL_PROTOCOLS);
	set(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	set(c, CURLOPT_NOSIGNAL, 1L);
	set(c, CURLOPT_PATH_AS_IS, 1L);
	set(c, CURLOPT_CONNECTTIMEOUT_MS, (long)(k->connect_ms ? k->connect_ms : CONNECT_MS));
	set(c, CURLOPT_TIMEOUT_MS, (long)s->ask.timeout_ms);
	set(c, CURLOPT_TCP_KEEPALIVE, 1L);
	set(c, CURLOPT_TCP_KEEPIDLE, ALIVE_IDLE_S);
	set(c, CURLOPT_TCP_KEEPINTVL, ALIVE_STEP_S);
	set(c, CURLOPT_USERAGENT, "hilab/" HILAB_VERSION);
	set(c, CURLOPT_ERRORBUFFER, s->said);
	set(c, CURLOPT_WRITEFUNCTION, on_bytes);
	set(c, CURLOPT_WRITEDATA, s);
	set(c, CURLOPT_HEADERFUNCTION, on_header);
	set(c, CURLOPT_HEADERDATA, s);
	set(c, CURLOPT_PRIVATE, s);
	if (k->ca)
		set(c, CURLOPT_CAINFO, k->ca);
	if (k->local)
		set(c, CURLOPT_PROXY, "");
	set_body(s);
	for (size_t i = 0; i < sizeof k->fields / sizeof *k->fields; i++)
		if (k->fields[i])
			s->headers = k->lib->slist_append(s->headers, k->fields[i]);
	set(c, CURLOPT_HTTPHEADER, s->headers);
}

struct http_sent *http_sent_new(struct http_client *c, CURL *curl, const struct http_ask *ask)
{
	struct http_sent *s = mem_alloc(sizeof *s);

	s->client = c;
	s->curl = curl;
	s->ask = *ask;
	s->ask.method = s->method = mem_strdup(ask->method);
	s->url = mem_printf("%s%s", c->base, ask->path);
	buf_init(&s->answer.body, HTTP_ANSWER_BYTES);
	buf_init(&s->answer.head, HEAD_BYTES);
	set_options(s);
	return s;
}

void http_sent_free(struct http_sent *s)
{
	s->client->lib->slist_free_all(s->headers);
	free(s->url);
	free(s->method);
	free(s);
}

void http_sent_finish(struct http_sent *s, CURLcode rc)
{
	struct err *e = &s->answer.e;

	if (rc == CURLE_OK && s->answer.status)
		return;
	s->answer.status = 0;
	if (s->stopped)
		err_set(e, BLAME_CANCEL, "the reader had enough");
	else if (s->too_long)
		err_set(e, BLAME_INFRA, "an answer of more than %zu bytes", s->answer.body.cap);
	else if (rc == CURLE_ABORTED_BY_CALLBACK)
		err_set(e, BLAME_INFRA, "the file to send has ended");
	else
		err_set(e, rc == CURLE_OPERATION_TIMEDOUT ? BLAME_TIMEOUT : BLAME_INFRA, "%s",
			*s->said ? s->said
				 : s->client->lib->easy_strerror(rc ? rc : CURLE_GOT_NOTHING));
}

/* ---- answers ---- */

void http_answer_done(struct http_answer *a)
{
	buf_done(&a->body);
	buf_done(&a->head);
}

const char *http_answer_header(const struct http_answer *a, const char *name)
{
	const char *z = buf_str(&a->head), *end = z + a->head.len;
	size_t n = strlen(name);

	for (; z < end; z += strlen(z) + 1)
		if (!strncasecmp(z, name, n) && z[n] == ':')
			return z + n + 1 + strspn(z + n + 1, " \t");
	return NULL;
}

json_t *http_answer_json(const struct http_answer *a, struct err *e)
{
	json_t *j;

	if (!a->status) {
		if (e)
			*e = a->e;
		return NULL;
	}
	j = json_parse(str_make(buf_str(&a->body), a->body.len), "answer", e);
	if (!j && e)
		e->blame = BLAME_INFRA;
	return j;
}

int http_answer_check(const struct http_answer *a, struct err *e)
{
	enum err_blame blame = a->status >= 500 || a->status == 429 ? BLAME_INFRA : BLAME_JOB;
	AUTOJSON *j = NULL;
	const char *said;

	if (a->status >= 200 && a->status < 300)
		return 0;
	if (!a->status) {
		if (e)
			*e = a->e;
		return -1;
	}
	j = json_parse(str_make(buf_str(&a->body), a->body.len), "answer", NULL);
	said = json_text(json_object_get(j, "error"), "message", NULL);
	if (said)
		return err_set(e, blame, "%s", said);
	return err_set(e, blame, "the server answers with status %u", a->status);
}
