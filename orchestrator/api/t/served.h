/* SPDX-License-Identifier: MIT */
#ifndef API_T_SERVED_H
#define API_T_SERVED_H

/*
 * A controller of its own for a test: `hilab server` on a free port of this host, all that it keeps
 * below a folder that goes with the test.
 */

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/child.h"
#include "io/http-client.h"
#include "io/json.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct served {
	char dir[64];
	struct child server;
	char url[128];
	char *token;              /* the admin's */
	struct http_client *http; /* with that token */
};

/* Its "ready URL". False: it gave up. */
static bool served_ready(struct served *s, int fd)
{
	AUTOBUF line = BUF_INIT(4096);

	while (buf_read(&line, fd, 4000) > 0 && !strchr(line.data, '\n'))
		;
	return line.len && sscanf(line.data, "ready %127s", s->url) == 1;
}

static struct http_client *served_client(const struct served *s, const char *token)
{
	const struct http_client_opts o = {.base = s->url, .token = token, .protocol = 1};
	struct http_client *c = http_client_new(NULL, &o, NULL);

	return c;
}

static bool served_start(struct served *s)
{
	const char *argv[] = {getenv("HILAB"), "server", "--listen", "127.0.0.1:0", "--dir", s->dir,
		"--ready-fd", "1", NULL};
	AUTOFREE char *state = mem_printf("XDG_STATE_HOME=%s/state", s->dir);
	AUTOFREE char *config = mem_printf("XDG_CONFIG_HOME=%s/config", s->dir);
	AUTOFREE char *store = mem_printf("HILAB_STORE=%s/db", s->dir);
	const char *env[] = {state, config, store, "HILAB_LOG=error", NULL};
	AUTOFREE char *endpoint = mem_printf("%s/endpoint.json", s->dir);
	AUTOJSON *j = NULL;
	struct child_opts o = CHILD_OPTS;
	struct err e = {0};
	int fds[2];
	bool up;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	o.out = fds[1];
	o.err = STDERR_FILENO;
	o.env = env;
	o.die_with_us = true;
	up = !child_start(&s->server, argv, &o, &e);
	close(fds[1]);
	up = up && served_ready(s, fds[0]);
	close(fds[0]);
	j = up ? json_read(endpoint, &e) : NULL;
	free(s->token);
	s->token = mem_strdup(json_text(j, "token", NULL));
	s->http = up ? served_client(s, s->token) : NULL;
	return s->http != NULL;
}

/* conf: text of its server.yaml; NULL: it has none. */
static bool served_new_with(struct served *s, const char *conf)
{
	AUTOFREE char *folder = NULL, *path = NULL;

	*s = (struct served){.server = CHILD_INIT};
	snprintf(s->dir, sizeof s->dir, "/tmp/hilab-api.XXXXXX");
	if (!mkdtemp(s->dir))
		return false;
	folder = mem_printf("%s/config/hilab", s->dir);
	path = fs_join(folder, "server.yaml");
	if (conf &&
		(fs_mkdirs(folder, 0700, NULL) || fs_write(path, conf, strlen(conf), 0600, NULL)))
		return false;
	return served_start(s);
}

static UNUSED bool served_new(struct served *s)
{
	return served_new_with(s, NULL);
}

/* SIGKILL, as a power cut would. */
static void UNUSED served_kill(struct served *s)
{
	http_client_free(s->http);
	s->http = NULL;
	child_signal(&s->server, SIGKILL);
	child_stop(&s->server, 0);
	child_done(&s->server);
	s->server = (struct child)CHILD_INIT;
}

static void served_done(struct served *s)
{
	http_client_free(s->http);
	child_signal(&s->server, SIGTERM);
	child_stop(&s->server, 10000);
	child_done(&s->server);
	fs_remove_tree(s->dir, NULL);
	free(s->token);
}

/* One call; its status, the answer's object in *out (a new reference) unless out is NULL. */
static unsigned served_call(struct http_client *http, const char *method, const char *path,
	const char *body, json_t **out)
{
	AUTOFREE char *whole = mem_printf("/api/v1%s", path);
	const struct http_ask ask = {
		.method = method, .path = whole, .body = str_of(body), .timeout_ms = 60000};
	struct http_answer a = {0};
	unsigned status;

	http_call(http, &ask, &a);
	status = a.status;
	if (!status)
		printf("# %s %s: %s\n", method, path, a.e.msg);
	if (out)
		*out = status ? http_answer_json(&a, NULL) : NULL;
	http_answer_done(&a);
	return status;
}

/* A token with those rights; heap. */
static UNUSED char *served_token(
	struct served *s, const char *account, const char *rights, const char *more)
{
	AUTOFREE char *body = mem_printf(
		"{\"account\": \"%s\", \"rights\": \"%s\"%s}", account, rights, more ? more : "");
	AUTOJSON *j = NULL;

	served_call(s->http, "POST", "/tokens", body, &j);
	return mem_strdup(json_text(j, "token", NULL));
}

#endif
