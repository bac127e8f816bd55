/* SPDX-License-Identifier: MIT */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

/*
 * The controller that a command talks to: --server NAME|URL, else $HILAB_SERVER, else the default
 * of hilab.yaml in the configuration folder, else the one that this user runs on this host. The
 * token: $HILAB_TOKEN, else the named server's token-file, else the local server's own.
 *
 *	default: lab1
 *	servers:
 *	  lab1: {url: "https://lab1.example:8420", token-file: token.lab1, ca: lab1.pem}
 */

#include "cli/cli.h"
#include "io/http-client.h"
#include "io/schema.h"

#define REMOTE_PROTOCOL 1

struct remote {
	char *url, *token, *ca;
	struct http_client *http;
};
extern const struct param client_params[], client_server_params[];

#define REMOTE_OPT(type)                                                                           \
	{                                                                                          \
		"server", 0, CLI_TEXT, offsetof(type, server), "NAME|URL",                         \
			"controller (else $HILAB_SERVER, the configured or this user's own)"       \
	}

/* 0, or -1 after telling on standard error (what: the command's name). */
int remote_open(struct remote *r, const char *server, const char *what);
void remote_done(struct remote *r);
/* Is there any to talk to? Asks nobody. */
bool remote_known(const char *server);
/*
 * One call of the API; path goes behind /api/v1 and is encoded by the caller (http_encode). body
 * may be NULL; its reference is taken. The answer's object, a new reference, or NULL after telling
 * what is wrong, diagnostics one a line. *status gets the exit status for that (cli_exit): 2 for
 * 4xx, 3 for the others.
 */
json_t *remote_call(
	struct remote *r, const char *method, const char *path, json_t *body, int *exit_status);
/* An answer as bytes handed on as they come; fn may stop it by a non-zero return. 0 the end, -1
 * after telling. */
int remote_stream(struct remote *r, const char *path, int (*fn)(void *arg, struct str bytes),
	void *arg, int *exit_status);

#endif
