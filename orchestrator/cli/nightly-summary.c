/* SPDX-License-Identifier: MIT */
/*
 * What came of a night, for people and for CI. Invariant: failures of the product and trouble of
 * the lab never stand in one list, and trouble alone never makes a failure.
 */
#include "cli/listing.h"
#include "cli/nightly.h"
#include "io/json.h"

#include <string.h>

int nightly_format(const struct nightly_args *a)
{
	static const char *const names[] = {
		[NIGHTLY_TEXT] = "text", [NIGHTLY_MARKDOWN] = "markdown", [NIGHTLY_JSON] = "json"};

	if (!a->format)
		return a->json ? NIGHTLY_JSON : NIGHTLY_TEXT;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(a->format, names[i]))
			return (int)i;
	return cli_fail(-1, "nightly: --format is text, markdown or json, not '%s'", a->format);
}

int nightly_exit(const json_t *view)
{
	const char *verdict = json_text(view, "verdict", NULL);

	if (!verdict || !strcmp(verdict, "pass"))
		return EXIT_PASS;
	/* Nothing failed but what is expected to. */
	if (!strcmp(verdict, "fail") && json_array_size(json_object_get(view, "known")) &&
		!json_array_size(json_object_get(view, "product")))
		return json_array_size(json_object_get(view, "lab")) ? EXIT_INCOMPLETE : EXIT_PASS;
	if (!strcmp(verdict, "fail") || json_array_size(json_object_get(view, "product")))
		return EXIT_FAIL;
	return EXIT_INCOMPLETE;
}

static void put_number(struct listing *t, const json_t *j, const char *key)
{
	if (json_object_get(j, key))
		listing_printf(t, "%lld", (long long)json_int(j, key, 0));
	else
		listing_add(t, NULL);
}

/* "suite/result", or what a whole run ended with. */
static void put_what(struct listing *t, const json_t *j)
{
	const char *result = json_text(j, "result", NULL);

	put_number(t, j, "job");
	put_number(t, j, "run");
	listing_add(t, json_text(j, "name", NULL));
	listing_add(t, json_text(j, "type", NULL));
	listing_add(t, json_text(j, "board", NULL));
	if (result)
		listing_printf(t, "%s/%s", json_text(j, "suite", "-"), result);
	else
		listing_printf(t, "blame: %s", json_text(j, "blame", "?"));
}

static void put_product(struct listing *t, const json_t *j)
{
	put_what(t, j);
	listing_add(t, json_text(j, "status", "incomplete"));
	listing_add(t, json_text(j, json_object_get(j, "result") ? "why" : "message", NULL));
}

static void put_known(struct listing *t, const json_t *j)
{
	put_what(t, j);
	put_number(t, j, "known");
	listing_add(t, json_text(j, "reason", NULL));
}

static void put_lab(struct listing *t, const json_t *j)
{
	put_number(t, j, "job");
	put_number(t, j, "run");
	listing_add(t, json_text(j, "name", NULL));
	listing_add(t, json_text(j, "board", NULL));
	listing_add(t, json_text(j, "blame", NULL));
	listing_add(t, json_flag(j, "retried", false) ? "yes" : "no");
	listing_add(t, json_text(j, "message", NULL));
}

static void put_list(const json_t *list, const char *title, const char *const *headings,
	void (*put)(struct listing *, const json_t *), bool markdown, struct buf *out)
{
	struct listing t;
	json_t *j;
	size_t i;

	buf_printf(out, "\n%s%s (%zu)\n%s", markdown ? "## " : "", title, json_array_size(list),
		markdown ? "\n" : "");
	listing_init(&t, headings);
	json_array_foreach ((json_t *)list, i, j)
		put(&t, j);
	if (markdown)
		listing_markdown(&t, out);
	else
		listing_print(&t, out);
	listing_done(&t);
}

/* "9 pass, 1 fail". */
static void put_counts(const json_t *counts, struct buf *out)
{
	static const char *const order[] = {"pass", "fail", "incomplete", "canceled",
		"not submitted", "running", "assigned", "canceling", "queued"};
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		int64_t n = json_int(counts, order[i], 0);

		if (!n)
			continue;
		buf_printf(out, "%s%lld %s", comma, (long long)n, order[i]);
		comma = ", ";
	}
}

/* What is known of the results of all jobs. */
static void put_results(const json_t *jobs, struct buf *out)
{
	static const char *const order[] = {"pass", "fail", "error", "miss", "skip", "done"};
	int64_t sums[ARRAY_LEN(order)] = {0};
	const char *comma = "; results: ";
	json_t *job;
	size_t i;

	json_array_foreach ((json_t *)jobs, i, job)
		for (size_t k = 0; k < ARRAY_LEN(order); k++)
			sums[k] += json_int(json_object_get(job, "results"), order[k], 0);
	for (size_t k = 0; k < ARRAY_LEN(order); k++) {
		if (!sums[k])
			continue;
		buf_printf(out, "%s%lld %s", comma, (long long)sums[k], order[k]);
		comma = ", ";
	}
}

void nightly_summary(const json_t *view, enum nightly_format format, struct buf *out)
{
	static const char *const product_headings[] = {
		"JOB", "RUN", "NAME", "TYPE", "BOARD", "RESULT", "STATUS", "WHY", NULL};
	static const char *const known_headings[] = {
		"JOB", "RUN", "NAME", "TYPE", "BOARD", "RESULT", "KNOWN", "REASON", NULL};
	static const char *const lab_headings[] = {
		"JOB", "RUN", "NAME", "BOARD", "BLAME", "RETRIED", "MESSAGE", NULL};
	const json_t *jobs = json_object_get(view, "jobs"),
		     *product = json_object_get(view, "product"),
		     *known = json_object_get(view, "known"), *lab = json_object_get(view, "lab");
	int64_t took_ms = json_int(view, "ended_ms", 0) - json_int(view, "started_ms", 0);
	bool markdown = format == NIGHTLY_MARKDOWN;
	char took[32];

	buf_printf(out, "%snightly %lld %s: %s\n%s", markdown ? "# " : "",
		(long long)json_int(view, "nightly", 0), json_text(view, "plan", "?"),
		json_text(view, "verdict", "not done yet"), markdown ? "\n" : "");
	buf_printf(out, "%zu jobs: ", json_array_size(jobs));
	put_counts(json_object_get(view, "counts"), out);
	put_results(jobs, out);
	if (took_ms > 0)
		buf_printf(out, "; took %s", str_format_ms(took_ms, took, sizeof took));
	buf_putc(out, '\n');
	if (json_array_size(known))
		put_list(known, "known issues", known_headings, put_known, markdown, out);
	if (json_array_size(product))
		put_list(product, "failures of the product", product_headings, put_product,
			markdown, out);
	if (json_array_size(lab))
		put_list(lab, "trouble of the lab", lab_headings, put_lab, markdown, out);
}
