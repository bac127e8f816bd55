/* SPDX-License-Identifier: MIT */
/*
 * Every route with a token of every kind, on a real server: whoever has not the rights is refused,
 * and only he. What is asked for does not exist, so nothing is done by those who may.
 */
#include "api/api.h"
#include "served.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* "/boards/{board}/lease" with something for each argument; heap. */
static char *filled(const char *path)
{
	AUTOBUF out = BUF_INIT(4096);

	while (*path) {
		if (*path != '{') {
			buf_putc(&out, *path++);
			continue;
		}
		buf_puts(&out, "99");
		path = strchr(path, '}') + 1;
	}
	return buf_take(&out);
}

/* A stream would not end. */
static bool is_endless(const struct route *r)
{
	return !strcmp(r->path, API "/events");
}

static void with_token(struct http_client *http, const char *who, int rights)
{
	for (const struct route *r = api_routes; r->method; r++) {
		AUTOFREE char *path = filled(r->path + strlen(API));
		bool may = r->rights == RIGHTS_NONE ||
			   (rights == RIGHTS_AGENT ? r->rights == RIGHTS_AGENT || r->agents
						   : rights == RIGHTS_ADMIN ||
							     (r->rights != RIGHTS_AGENT &&
								     rights != RIGHTS_NONE &&
								     rights >= (int)r->rights));
		unsigned status;

		if (is_endless(r) && may)
			continue;
		status = served_call(
			http, r->method, path, r->body == BODY_NONE ? NULL : "{}", NULL);
		if (may)
			ok(status && status != 401 && status != 403, "%s may %s %s: %u", who,
				r->method, path, status);
		else
			is_int(status, rights == RIGHTS_NONE ? 401 : 403, "%s may not %s %s", who,
				r->method, path);
	}
}

static void all_rights(struct served *s)
{
	struct http_client *nobody = served_client(s, NULL);

	with_token(nobody, "nobody", RIGHTS_NONE);
	http_client_free(nobody);
	for (int i = RIGHTS_VIEWER; i < RIGHTS_COUNT; i++) {
		const char *name = rights_name((enum rights)i);
		AUTOFREE char *token = served_token(s, name, name, NULL);
		struct http_client *http = served_client(s, token);

		if (ok(token != NULL, "a token for a %s", name))
			with_token(http, name, i);
		http_client_free(http);
	}
}

/* A deleted token, one that has expired, and one that never was. */
static void no_use(struct served *s)
{
	AUTOFREE char *gone = served_token(s, "gone", "admin", NULL);
	AUTOFREE char *old = served_token(s, "old", "admin", ", \"expires_ms\": 1");
	struct http_client *http = served_client(s, gone);
	AUTOJSON *list = NULL;
	json_t *t;
	size_t i;

	is_int(served_call(http, "GET", "/boards", NULL, NULL), 200, "a token works");
	served_call(s->http, "GET", "/tokens", NULL, &list);
	json_array_foreach (json_object_get(list, "tokens"), i, t) {
		AUTOFREE char *path = mem_printf("/tokens/%lld", (long long)json_int(t, "id", 0));

		ok(!json_object_get(t, "token") && !json_object_get(t, "sha256"),
			"the list tells nothing of the token of '%s'", json_text(t, "account", ""));
		if (!strcmp(json_text(t, "account", ""), "gone"))
			is_int(served_call(s->http, "DELETE", path, NULL, NULL), 200,
				"it is deleted");
	}
	is_int(served_call(http, "GET", "/boards", NULL, NULL), 401, "then it does not");
	http_client_free(http);
	http = served_client(s, old);
	is_int(served_call(http, "GET", "/boards", NULL, NULL), 401, "nor does one that expired");
	http_client_free(http);
}

/* A token that is deleted while the body of its call is on the way. */
static void deleted_meanwhile(struct served *s)
{
	static const char body[] = "{\"text\": \"job: a\\nboard: {type: am62axx-sk-twin}\\nsteps: "
				   "[{power: on}]\\n\"}";
	AUTOJSON *made = NULL, *audit = NULL;
	AUTOFREE char *head = NULL, *path = NULL;
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)atoi(strrchr(s->url, ':') + 1))};
	AUTOCLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char answer[256] = "";

	served_call(s->http, "POST", "/tokens",
		"{\"account\": \"late\", \"rights\": \"submitter\"}", &made);
	path = mem_printf("/tokens/%lld", (long long)json_int(made, "id", 0));
	/* The controller says "100" when it has taken the head, and who it is from. */
	head = mem_printf("POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
			  "Expect: 100-continue\r\nContent-Length: %zu\r\n\r\n",
		json_text(made, "token", ""), strlen(body));
	ok(!connect(fd, (struct sockaddr *)&to, sizeof to) &&
			!fs_write_all(fd, head, strlen(head)) &&
			recv(fd, answer, sizeof answer - 1, 0) > 0,
		"the head of a call is taken");
	has_str(answer, "100", "its body is asked for");
	is_int(served_call(s->http, "DELETE", path, NULL, NULL), 200, "its token is deleted");
	fs_write_all(fd, body, strlen(body));
	ok(recv(fd, answer, sizeof answer - 1, 0) > 0, "the call is answered");
	has_str(answer, "201", "as one that was let in");
	served_call(s->http, "GET", "/audit?limit=1", NULL, &audit);
	is_str(json_text(json_array_get(json_object_get(audit, "audit"), 0), "account", ""), "late",
		"whose it was is in the audit");
}

/* Guessing is slow: after some wrong ones a right one has to wait too. */
static void guessing(struct served *s)
{
	struct http_client *http = served_client(s, "hilab_wrong");
	unsigned status = 0;
	int n = 0;

	while (n++ < 50 && (status = served_call(http, "GET", "/boards", NULL, NULL)) == 401)
		;
	is_int(status, 429, "after %d wrong tokens an address has to wait", n - 1);
	is_int(served_call(s->http, "GET", "/boards", NULL, NULL), 429, "whatever it brings");
	http_client_free(http);
}

int main(void)
{
	struct served s;

	if (ok(served_new(&s), "a server starts")) {
		all_rights(&s);
		no_use(&s);
		deleted_meanwhile(&s);
		guessing(&s);
	}
	served_done(&s);
	return tap_done();
}
