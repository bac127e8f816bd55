/* SPDX-License-Identifier: MIT */
/* `hilab alerts`: what became worse, how sure that is, which build did it, and what people say. */
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"
#include "jobs/nightly.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct args {
	const char *server, *why, *type, *metric, *test, *suite, *labels, *good, *before, *after,
		*deviation;
	int64_t nightly, limit;
	bool all, json;
};

static const struct cli_opt opts[] = {
	{"why", 'm', CLI_TEXT, offsetof(struct args, why), "TEXT",
		"the reason; acknowledge, accept and reopen need one"},
	{"metric", 0, CLI_TEXT, offsetof(struct args, metric), "NAME",
		"open: that metric, with --before, --after and --deviation"},
	{"test", 0, CLI_TEXT, offsetof(struct args, test), "NAME",
		"open: that test; neither: the board does not boot"},
	{"suite", 0, CLI_TEXT, offsetof(struct args, suite), "NAME", "open: of that suite"},
	{"labels", 0, CLI_TEXT, offsetof(struct args, labels), "JSON",
		"open: of the metric with these labels (default {})"},
	{"good", 0, CLI_TEXT, offsetof(struct args, good), "VERSION", "open: the last good build"},
	{"before", 0, CLI_TEXT, offsetof(struct args, before), "N", "open: the level before"},
	{"after", 0, CLI_TEXT, offsetof(struct args, after), "N", "open: the level after"},
	{"deviation", 0, CLI_TEXT, offsetof(struct args, deviation), "N",
		"open: the standard deviation of one run"},
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

static const char *const verbs[] = {"list", "show", "open", "acknowledge", "accept", "reopen"};
enum verb { LIST, SHOW, OPEN, ACKNOWLEDGE, ACCEPT, REOPEN };

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

/* ---- open ---- */

/* As far as the person says; the rest is the job's. */
static const struct {
	const char *key;
	size_t offset;
	bool number;
} says[] = {
	{"suite", offsetof(struct args, suite), false},
	{"good", offsetof(struct args, good), false},
	{"before", offsetof(struct args, before), true},
	{"after", offsetof(struct args, after), true},
	{"deviation", offsetof(struct args, deviation), true},
};

static int body_of(const struct args *a, json_t *body)
{
	const struct nightly_confirm c = nightly_confirm_preset();
	json_t *labels = a->labels ? json_loads(a->labels, 0, NULL) : json_object();
	const char *name = a->metric ? a->metric : a->test;

	if (!json_is_object(labels)) {
		json_decref(labels);
		return cli_fail(EXIT_USAGE, "alerts open: --labels: a JSON object is needed");
	}
	json_object_set_new(body, "labels", labels);
	json_object_set_new(body, "policy", nightly_policy(&c));
	json_object_set_new(body, "kind",
		json_string(a->metric ? "metric"
			    : a->test ? "test"
				      : "boot"));
	if (name)
		json_object_set_new(body, "name", json_string(name));
	for (size_t i = 0; i < ARRAY_LEN(says); i++) {
		const char *text = *(const char *const *)((const char *)a + says[i].offset);
		double value;

		if (!text && says[i].number && a->metric)
			return cli_fail(
				EXIT_USAGE, "alerts open: --metric needs --%s", says[i].key);
		if (!text)
			continue;
		if (says[i].number && str_double(str_of(text), &value))
			return cli_fail(EXIT_USAGE, "alerts open: --%s: '%s' is no number",
				says[i].key, text);
		json_object_set_new(
			body, says[i].key, says[i].number ? json_real(value) : json_string(text));
	}
	return EXIT_PASS;
}

static int open_one(struct remote *r, const struct args *a, const char *job)
{
	json_t *body = json_object();
	AUTOJSON *answer = NULL;
	int status;
	int64_t id;

	if (str_i64(str_of(job), &id) || id <= 0)
		status = cli_fail(EXIT_USAGE, "alerts open: '%s' is no job's number", job);
	else
		status = body_of(a, body);
	if (status) {
		json_decref(body);
		return status;
	}
	json_object_set_new(body, "source", json_integer(id));
	answer = remote_call(r, "POST", "/alerts", body, &status);
	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(answer);
	printf("%lld\n", (long long)json_int(answer, "alert", 0));
	return EXIT_PASS;
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
			verb == LIST   ? "takes no number"
			: verb == OPEN ? "the number of a job is needed"
				       : "the number of an alert is needed");
	if (verb > OPEN && !(a.why && *a.why))
		return cli_fail(EXIT_USAGE, "alerts %s: say why with --why", verbs[verb]);
	if (remote_open(&r, a.server, "alerts"))
		return EXIT_USAGE;
	status = verb == LIST   ? list(&r, &a)
		 : verb == OPEN ? open_one(&r, &a, operands[1])
				: one(&r, &a, (enum verb)verb, operands[1]);
	remote_done(&r);
	return status;
}

const struct cli_command alerts_command = {
	.name = "alerts",
	.brief = "what became worse, how sure that is, and which build did it",
	.usage = "[list | show ALERT | open JOB | acknowledge ALERT | accept ALERT | reopen ALERT]",
	.details =
		"A night's regression is run again on the same board, with the build that was\n"
		"good, and on another board of the type; then the builds between are bisected\n"
		"(hilab-alerts(7)). acknowledge: somebody looks after it. accept: the new level\n"
		"is meant to be so. reopen: look again at one that was over. open: a person saw "
		"it,\n"
		"in that job.",
	.example = "  hilab alerts\n  hilab alerts show 12\n"
		   "  hilab alerts accept 12 --why 'safer timing, agreed with the driver team'",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
