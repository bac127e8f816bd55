/* SPDX-License-Identifier: MIT */
/* `hilab alerts`: what became worse, how sure that is, which build did it, and what people say. */
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct args {
	const char *server, *why, *type;
	int64_t nightly, limit;
	bool all, json;
};

static const struct cli_opt opts[] = {
	{"why", 'm', CLI_TEXT, offsetof(struct args, why), "TEXT",
		"the reason; acknowledge, accept and reopen need one"},
	{"all", 'a', CLI_FLAG, offsetof(struct args, all), NULL, "list those that are over too"},
	{"type", 0, CLI_TEXT, offsetof(struct args, type), "TYPE", "list those of a board type"},
	{"nightly", 0, CLI_COUNT, offsetof(struct args, nightly), "N",
		"list those that this night opened"},
	{"limit", 'n', CLI_COUNT, offsetof(struct args, limit), "N",
		"how many at most (default 100)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	REMOTE_OPT(struct args),
	{0},
};

static const char *const verbs[] = {"list", "show", "acknowledge", "accept", "reopen"};
enum verb { LIST, SHOW, ACKNOWLEDGE, ACCEPT, REOPEN };

/* ---- texts of one ---- */

/* "96.2 to 88.1 MB/s (-8.4 %)" */
static void add_change(struct buf *out, const json_t *a)
{
	double before = json_num(a, "before", NAN), after = json_num(a, "after", NAN);

	if (strcmp(json_text(a, "kind", ""), "metric")) {
		buf_printf(
			out, "%s", !strcmp(json_text(a, "kind", ""), "boot") ? "no boot" : "fails");
		return;
	}
	buf_printf(out, "%.4g to %.4g %s", before, after, json_text(a, "unit", ""));
	if (isfinite(before) && before != 0)
		buf_printf(out, " (%+.1f %%)", (after - before) / fabs(before) * 100);
}

static void add_name(struct buf *out, const json_t *a)
{
	const json_t *labels = json_object_get(a, "labels");
	const char *key;
	json_t *v;

	if (!strcmp(json_text(a, "kind", ""), "boot")) {
		buf_printf(out, "%s", json_text(a, "job", "-"));
		return;
	}
	buf_printf(out, "%s %s", json_text(a, "suite", ""), json_text(a, "name", "-"));
	json_object_foreach ((json_t *)labels, key, v)
		if (json_is_string(v))
			buf_printf(out, " %s=%s", key, json_string_value(v));
}

/* Which build, as far as that is known. */
static void add_build(struct buf *out, const json_t *a)
{
	const json_t *first = json_array_get(json_object_get(a, "suspects"), 0);
	const char *blame = json_text(a, "blame", "");

	if (!strcmp(blame, "board"))
		buf_printf(out, "the board");
	else if (json_object_get(a, "first_bad"))
		buf_printf(out, "%s", json_text(a, "first_bad", ""));
	else if (first)
		buf_printf(out, "%s? (%.0f %%)", json_text(first, "version", ""),
			json_num(first, "probability", 0) * 100);
	else if (json_object_get(a, "good") && json_object_get(a, "bad"))
		buf_printf(
			out, "after %s, by %s", json_text(a, "good", ""), json_text(a, "bad", ""));
	else
		buf_printf(out, "-");
}

static void add_cell(
	struct listing *t, void (*add)(struct buf *out, const json_t *a), const json_t *a)
{
	AUTOBUF text = BUF_INIT(4096);

	add(&text, a);
	listing_add(t, buf_str(&text));
}

/* ---- list ---- */

static int list(struct remote *r, const struct args *a)
{
	static const char *const headings[] = {"ALERT", "STATE", "AGO", "TYPE", "BOARD", "WHAT",
		"CHANGE", "BUILD", "SEEN TO", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF path = BUF_INIT(4096);
	AUTOFREE char *type = a->type ? http_encode(a->type) : NULL;
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = NULL;
	struct listing t;
	json_t *j;
	size_t i;

	buf_printf(&path, "/alerts?limit=%lld&open=%d", (long long)(a->limit ? a->limit : 100),
		!a->all);
	if (type)
		buf_printf(&path, "&type=%s", type);
	if (a->nightly)
		buf_printf(&path, "&nightly=%lld", (long long)a->nightly);
	answer = remote_call(r, "GET", buf_str(&path), NULL, &status);
	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(json_object_get(answer, "alerts"));
	listing_init(&t, headings);
	json_array_foreach (json_object_get(answer, "alerts"), i, j) {
		listing_printf(&t, "%lld", (long long)json_int(j, "alert", 0));
		listing_add(&t, json_text(j, "state", NULL));
		listing_age(&t, json_int(j, "opened_ms", 0));
		listing_add(&t, json_text(j, "type", NULL));
		listing_add(&t, json_text(j, "board", NULL));
		add_cell(&t, add_name, j);
		add_cell(&t, add_change, j);
		add_cell(&t, add_build, j);
		listing_add(&t, json_text(json_object_get(j, "acknowledged"), "who", ""));
	}
	listing_print(&t, &out);
	listing_done(&t);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* ---- show ---- */

static void line(struct buf *out, const char *what, void (*add)(struct buf *out, const json_t *a),
	const json_t *a)
{
	AUTOBUF text = BUF_INIT(4096);

	add(&text, a);
	buf_printf(out, "%-12s%s\n", what, buf_str(&text));
}

static void put(struct buf *out, const char *what, const char *text)
{
	if (text)
		buf_printf(out, "%-12s%s\n", what, text);
}

static void show_measures(struct buf *out, const json_t *a)
{
	static const char *const headings[] = {"", "RUN", "FOR", "BOARD", "BUILD", "VALUE", NULL};
	struct listing t;
	json_t *m;
	size_t i;

	if (!json_array_size(json_object_get(a, "measures")))
		return;
	buf_puts(out, "\nrun again:\n");
	listing_init(&t, headings);
	json_array_foreach (json_object_get(a, "measures"), i, m) {
		listing_add(&t, "");
		listing_printf(&t, "%lld", (long long)json_int(m, "run", 0));
		listing_add(&t, json_text(m, "what", NULL));
		listing_add(&t, json_text(m, "board", NULL));
		listing_add(&t, json_text(m, "version", NULL));
		if (json_object_get(m, "value"))
			listing_printf(&t, "%.6g", json_num(m, "value", NAN));
		else
			listing_add(&t, "no result");
	}
	listing_print(&t, out);
	listing_done(&t);
}

static void show_history(struct buf *out, const json_t *a)
{
	static const char *const headings[] = {"", "AGO", "STATE", "WHO", "WHY", NULL};
	struct listing t;
	json_t *h;
	size_t i;

	if (!json_array_size(json_object_get(a, "history")))
		return;
	buf_puts(out, "\nhistory:\n");
	listing_init(&t, headings);
	json_array_foreach (json_object_get(a, "history"), i, h) {
		listing_add(&t, "");
		listing_age(&t, json_int(h, "at_ms", 0));
		listing_add(&t, json_text(h, "state", NULL));
		listing_add(&t, json_text(h, "who", "hilab"));
		listing_add(&t, json_text(h, "reason", ""));
	}
	listing_print(&t, out);
	listing_done(&t);
}

static void show_suspects(struct buf *out, const json_t *a)
{
	json_t *s;
	size_t i;

	json_array_foreach (json_object_get(a, "suspects"), i, s)
		buf_printf(out, "%-12s%s %.1f %%\n", i ? "" : "suspects",
			json_text(s, "version", ""), json_num(s, "probability", 0) * 100);
}

static int shown(const json_t *a, const struct args *args)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	const json_t *ack = json_object_get(a, "acknowledged");

	if (args->json)
		return cli_out_json(a);
	buf_printf(&out, "%-12s%lld\n", "alert", (long long)json_int(a, "alert", 0));
	put(&out, "state", json_text(a, "state", NULL));
	line(&out, "what", add_name, a);
	line(&out, "change", add_change, a);
	put(&out, "type", json_text(a, "type", NULL));
	put(&out, "board", json_text(a, "board", NULL));
	put(&out, "job", json_text(a, "job", NULL));
	put(&out, "builds", json_text(a, "line", NULL));
	put(&out, "last good", json_text(a, "good", NULL));
	put(&out, "first seen", json_text(a, "bad", NULL));
	put(&out, "blame", json_text(a, "blame", NULL));
	put(&out, "first bad", json_text(a, "first_bad", NULL));
	show_suspects(&out, a);
	put(&out, "stuck", json_text(a, "stuck", NULL));
	if (ack)
		buf_printf(&out, "%-12s%s: %s\n", "seen to", json_text(ack, "who", ""),
			json_text(ack, "reason", ""));
	show_measures(&out, a);
	show_history(&out, a);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int one(struct remote *r, const struct args *a, enum verb verb, const char *number)
{
	AUTOFREE char *id = http_encode(number);
	AUTOFREE char *path = verb == SHOW ? mem_printf("/alerts/%s", id)
					   : mem_printf("/alerts/%s/%s", id, verbs[verb]);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = verb == SHOW ? remote_call(r, "GET", path, NULL, &status)
					: remote_call(r, "POST", path,
						  json_pack("{s:s}", "reason", a->why), &status);

	return answer ? shown(answer, a) : status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status, n = cli_parse(&alerts_command, argc, argv, &a, &operands, &status), verb;

	if (n < 0)
		return status;
	verb = n ? cli_verb("alerts", operands[0], verbs, ARRAY_LEN(verbs)) : LIST;
	if (verb < 0)
		return EXIT_USAGE;
	if ((verb == LIST) != (n < 2))
		return cli_fail(EXIT_USAGE, "alerts %s: %s", verbs[verb],
			verb == LIST ? "takes no number" : "the number of an alert is needed");
	if (verb > SHOW && !(a.why && *a.why))
		return cli_fail(EXIT_USAGE, "alerts %s: say why with --why", verbs[verb]);
	if (remote_open(&r, a.server, "alerts"))
		return EXIT_USAGE;
	status = verb == LIST ? list(&r, &a) : one(&r, &a, (enum verb)verb, operands[1]);
	remote_done(&r);
	return status;
}

const struct cli_command alerts_command = {
	.name = "alerts",
	.brief = "what became worse, how sure that is, and which build did it",
	.usage = "[list | show ALERT | acknowledge ALERT | accept ALERT | reopen ALERT]",
	.details =
		"A night's regression is run again on the same board, with the build that was\n"
		"good, and on another board of the type; then the builds between are bisected\n"
		"(hilab-alerts(7)). acknowledge: somebody looks after it. accept: the new level\n"
		"is meant to be so. reopen: look again at one that was over.",
	.example = "  hilab alerts\n  hilab alerts show 12\n"
		   "  hilab alerts accept 12 --why 'safer timing, agreed with the driver team'",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
