/* SPDX-License-Identifier: MIT */
/*
 * `hilab builds --remote`: the builds that a controller has. Invariant: a name without a version
 * means the only version there is, or nothing is done.
 */
#include "base/mem.h"
#include "cli/builds.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "cli/upload.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

static json_t *get_builds(struct remote *r, const char *name, int *status)
{
	AUTOFREE char *word = http_encode(name ? name : "");
	AUTOFREE char *path = mem_printf("/builds%s%s", name ? "?name=" : "", word);
	AUTOJSON *answer = remote_call(r, "GET", path, NULL, status);

	return json_incref(json_object_get(answer, "builds"));
}

/* Those of "NAME" or "NAME@VERSION"; a new reference, NULL after telling that there is none. */
static json_t *find_builds(struct remote *r, const char *operand, int *status)
{
	const char *at = strchr(operand, '@');
	AUTOFREE char *name = mem_strndup(operand, at ? (size_t)(at - operand) : strlen(operand));
	AUTOJSON *list = get_builds(r, name, status);
	json_t *found, *j;
	size_t i;

	if (!list)
		return NULL;
	found = json_array();
	json_array_foreach (list, i, j)
		if (!at || !strcmp(json_text(j, "version", ""), at + 1))
			json_array_append(found, j);
	if (json_array_size(found))
		return found;
	json_decref(found);
	*status = EXIT_USAGE;
	cli_fail(-1, "builds: the controller has no build '%s'", operand);
	return NULL;
}

/* The path of the one that is meant, heap; NULL after telling. */
static char *path_of(struct remote *r, const char *operand, const char *verb, int *status)
{
	AUTOJSON *found = find_builds(r, operand, status);
	const json_t *one = json_array_get(found, 0);
	AUTOFREE char *name = one ? http_encode(json_text(one, "build", "")) : NULL;
	AUTOFREE char *version = one ? http_encode(json_text(one, "version", "")) : NULL;

	if (!found)
		return NULL;
	if (json_array_size(found) == 1)
		return mem_printf("/builds/%s/%s%s", name, version, verb);
	*status = EXIT_USAGE;
	cli_fail(-1, "builds: the controller has %zu versions of '%s': say which, as %s@%s",
		json_array_size(found), operand, operand, json_text(one, "version", ""));
	return NULL;
}

static int print(const struct builds_args *a, const json_t *list, struct buf *out)
{
	static const char *const headings[] = {
		"BUILD", "VERSION", "SOC", "SIZE", "BY", "ADDED", "USED", "PINNED", NULL};
	struct listing t;
	char size[32];
	json_t *j;
	size_t i;

	if (a->json)
		return cli_out_json(list);
	listing_init(&t, headings);
	json_array_foreach ((json_t *)list, i, j) {
		listing_add(&t, json_text(j, "build", NULL));
		listing_add(&t, json_text(j, "version", NULL));
		listing_add(&t, json_text(j, "soc", NULL));
		listing_add(&t, str_format_bytes(json_int(j, "bytes", 0), size, sizeof size));
		listing_add(&t, json_text(j, "owner", NULL));
		listing_age(&t, json_int(j, "added_ms", 0));
		listing_age(&t, json_int(j, "used_ms", 0));
		listing_add(&t, json_flag(j, "pinned", false) ? "pinned" : NULL);
	}
	listing_print(&t, out);
	listing_done(&t);
	return EXIT_PASS;
}

static int prune(struct remote *r, const struct builds_args *a, struct buf *out)
{
	AUTOJSON *answer = NULL;
	json_t *body = json_object(), *j;
	char freed[32], left[32];
	int status = EXIT_INCOMPLETE;
	int64_t max;
	size_t i;

	if (a->max && str_size_bytes(str_of(a->max), &max)) {
		json_decref(body);
		return cli_fail(
			EXIT_USAGE, "builds: --max must be a size like '8GiB', not '%s'", a->max);
	}
	if (a->max)
		json_object_set_new(body, "max_bytes", json_integer(max));
	answer = remote_call(r, "POST", "/builds/prune", body, &status);
	if (!answer || a->json)
		return answer ? cli_out_json(answer) : status;
	json_array_foreach (json_object_get(answer, "removed"), i, j)
		buf_printf(out, "%s@%s removed\n", json_text(j, "build", "?"),
			json_text(j, "version", "?"));
	buf_printf(out, "freed %s, left %s\n",
		str_format_bytes(json_int(answer, "freed_bytes", 0), freed, sizeof freed),
		str_format_bytes(json_int(answer, "left_bytes", 0), left, sizeof left));
	return EXIT_PASS;
}

static int push(struct remote *r, const struct builds_args *a, const char *build, struct buf *out)
{
	int status = EXIT_INCOMPLETE;
	AUTOFREE char *name = upload_build(r, build, a->quiet, &status);

	if (!name)
		return status;
	if (!strcmp(name, build)) /* nothing here is called so */
		return cli_fail(EXIT_USAGE, "builds: there is no build '%s' here", build);
	buf_printf(out, "%s\n", name);
	return EXIT_PASS;
}

/* One call without an answer worth printing. */
static int change(struct remote *r, const char *method, const char *operand, const char *verb)
{
	int status = EXIT_INCOMPLETE;
	AUTOFREE char *path = path_of(r, operand, verb, &status);
	AUTOJSON *answer = NULL;

	if (!path)
		return status;
	answer = remote_call(
		r, method, path, !strcmp(method, "POST") ? json_object() : NULL, &status);
	return answer ? EXIT_PASS : status;
}

static int call(struct remote *r, const struct builds_args *a, const char *verb,
	const char *operand, struct buf *out)
{
	int status = EXIT_INCOMPLETE;
	AUTOJSON *list = NULL;

	if (!strcmp(verb, "pin"))
		return change(r, "POST", operand, "/pin");
	if (!strcmp(verb, "unpin"))
		return change(r, "POST", operand, "/unpin");
	if (!strcmp(verb, "delete"))
		return change(r, "DELETE", operand, "");
	if (!strcmp(verb, "prune"))
		return prune(r, a, out);
	if (!strcmp(verb, "push"))
		return push(r, a, operand, out);
	list = operand ? find_builds(r, operand, &status) : get_builds(r, NULL, &status);
	return list ? print(a, list, out) : status;
}

int builds_remote(
	const struct builds_args *a, const char *verb, const char *operand, struct buf *out)
{
	struct remote r;
	int status;

	if (remote_open(&r, a->server, "builds"))
		return EXIT_USAGE;
	status = call(&r, a, verb, operand, out);
	remote_done(&r);
	return status;
}
