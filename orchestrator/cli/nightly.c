/* SPDX-License-Identifier: MIT */
/* `hilab nightly`: many jobs as one, now or by a schedule, and what came of them. Invariant: what
 * is wrong with a plan is told before anything of it begins. */
#include "cli/nightly.h"

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "io/json.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLOSING_MS    100 /* between the last job's end and the night's */
#define CLOSING_TRIES 50

static const struct cli_opt opts[] = {
	{"wait", 'w', CLI_FLAG, offsetof(struct nightly_args, wait), NULL,
		"run: wait for the end and sum up; exit status by the result"},
	{"build", 0, CLI_TEXTS, offsetof(struct nightly_args, builds), "NAME|DIR|MANIFEST",
		"with this build instead of the plan's; may be repeated"},
	{"param", 'p', CLI_TEXTS, offsetof(struct nightly_args, params), "K=V",
		"over a param of the plan; may be repeated"},
	{"format", 0, CLI_TEXT, offsetof(struct nightly_args, format), "NAME",
		"of the summary: text, markdown or json"},
	{"limit", 'n', CLI_COUNT, offsetof(struct nightly_args, limit), "N",
		"list: how many at most (default 100)"},
	{"json", 0, CLI_FLAG, offsetof(struct nightly_args, json), NULL, "answer as JSON"},
	{"quiet", 'q', CLI_FLAG, offsetof(struct nightly_args, quiet), NULL,
		"no progress on standard error"},
	REMOTE_OPT(struct nightly_args),
	{0},
};

static json_t *get(struct remote *r, const char *operand, int *status)
{
	AUTOFREE char *id = http_encode(operand);
	AUTOFREE char *path = mem_printf("/nightlies/%s", id);

	return remote_call(r, "GET", path, NULL, status);
}

static int sum_up(const struct nightly_args *a, const json_t *view)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	int format = nightly_format(a), failed;

	if (format < 0)
		return EXIT_USAGE;
	if (format == NIGHTLY_JSON) {
		failed = cli_out_json(view);
		return failed ? failed : nightly_exit(view);
	}
	nightly_summary(view, (enum nightly_format)format, &out);
	return cli_out(&out) ? EXIT_INCOMPLETE : nightly_exit(view);
}

static int wait_and_sum_up(struct remote *r, const struct nightly_args *a, int64_t nightly)
{
	AUTOFREE char *id = mem_printf("%lld", (long long)nightly);
	AUTOJSON *view = NULL;
	int status = nightly_wait(r, a, nightly);

	if (status)
		return status;
	for (int i = 0; i < CLOSING_TRIES; i++) {
		json_decref(view);
		view = get(r, id, &status);
		if (!view || json_int(view, "ended_ms", 0))
			break;
		poll(NULL, 0, CLOSING_MS);
	}
	return view ? sum_up(a, view) : status;
}

static void tell_schedule(int64_t next_ms)
{
	time_t next = next_ms / 1000;
	struct tm tm;
	char text[64];

	if (next_ms > 0 && localtime_r(&next, &tm) && strftime(text, sizeof text, "%F %R %Z", &tm))
		printf("begins %s\n", text);
	else
		printf("never begins by itself\n");
}

static int begin(struct remote *r, const struct nightly_args *a, const char *plan, bool schedule)
{
	struct nightly n = {0};
	AUTOJSON *answer = NULL;
	json_t *body;
	int status = EXIT_USAGE;

	if (nightly_format(a) < 0 || nightly_expand(&n, plan, a))
		return EXIT_USAGE;
	if (schedule && !n.schedule) {
		cli_fail(-1, "nightly: '%s' has no schedule: 'run' begins it now", plan);
		nightly_done(&n);
		return EXIT_USAGE;
	}
	body = nightly_body(r, &n, schedule, a->quiet, &status);
	nightly_done(&n);
	answer = body ? remote_call(r, "POST", "/nightlies", body, &status) : NULL;
	if (!answer)
		return status;
	if (a->wait && !schedule) {
		if (!a->quiet)
			fprintf(stderr, "nightly %lld (Ctrl-C ends only the watching)\n",
				(long long)json_int(answer, "nightly", 0));
		return wait_and_sum_up(r, a, json_int(answer, "nightly", 0));
	}
	if (a->json)
		return cli_out_json(answer);
	if (schedule)
		tell_schedule(json_int(answer, "scheduled", -1));
	else
		printf("%lld\n", (long long)json_int(answer, "nightly", 0));
	return EXIT_PASS;
}

static int run_plan(struct remote *r, const struct nightly_args *a, const char *plan)
{
	return begin(r, a, plan, false);
}

static int add(struct remote *r, const struct nightly_args *a, const char *plan)
{
	return begin(r, a, plan, true);
}

static int expand(struct remote *r, const struct nightly_args *a, const char *plan)
{
	struct nightly n = {0};
	int status;

	(void)r;
	if (nightly_expand(&n, plan, a))
		return EXIT_USAGE;
	status = nightly_print(&n, a->json);
	nightly_done(&n);
	return status;
}

static int show(struct remote *r, const struct nightly_args *a, const char *operand)
{
	int status = EXIT_INCOMPLETE;
	AUTOJSON *view = get(r, operand, &status);

	if (!view)
		return status;
	if (a->wait && !json_int(view, "ended_ms", 0))
		return wait_and_sum_up(r, a, json_int(view, "nightly", 0));
	return sum_up(a, view);
}

static int cancel(struct remote *r, const struct nightly_args *a, const char *operand)
{
	AUTOFREE char *id = http_encode(operand);
	AUTOFREE char *path = mem_printf("/nightlies/%s/cancel", id);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "POST", path, json_object(), &status);

	(void)a;
	return answer ? EXIT_PASS : status;
}

static int forget(struct remote *r, const struct nightly_args *a, const char *plan)
{
	AUTOFREE char *name = http_encode(plan);
	AUTOFREE char *path = mem_printf("/schedules/%s", name);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "DELETE", path, NULL, &status);

	(void)a;
	return answer ? EXIT_PASS : status;
}

/* ---- lists ---- */

static int put_listing(struct listing *t)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	listing_print(t, &out);
	listing_done(t);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int list(struct remote *r, const struct nightly_args *a, const char *plan)
{
	static const char *const headings[] = {
		"NIGHTLY", "PLAN", "BY", "BEGAN", "ENDED", "VERDICT", NULL};
	AUTOFREE char *name = plan ? http_encode(plan) : NULL;
	AUTOFREE char *path = mem_printf("/nightlies?limit=%lld%s%s",
		(long long)(a->limit ? a->limit : 100), plan ? "&plan=" : "", plan ? name : "");
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "GET", path, NULL, &status);
	const json_t *nights = json_object_get(answer, "nightlies");
	struct listing t;
	json_t *j;
	size_t i;

	if (!answer || a->json)
		return answer ? cli_out_json(nights) : status;
	listing_init(&t, headings);
	json_array_foreach ((json_t *)nights, i, j) {
		listing_printf(&t, "%lld", (long long)json_int(j, "nightly", 0));
		listing_add(&t, json_text(j, "plan", NULL));
		listing_add(&t, json_text(j, "submitter", NULL));
		listing_age(&t, json_int(j, "started_ms", 0));
		listing_age(&t, json_int(j, "ended_ms", 0));
		listing_add(&t, json_text(j, "verdict", NULL));
	}
	return put_listing(&t);
}

static int schedules(struct remote *r, const struct nightly_args *a, const char *none)
{
	static const char *const headings[] = {"PLAN", "SCHEDULE", "BY", "NEXT IN", NULL};
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "GET", "/schedules", NULL, &status);
	const json_t *all = json_object_get(answer, "schedules");
	struct listing t;
	json_t *j;
	size_t i;

	(void)none;
	if (!answer || a->json)
		return answer ? cli_out_json(all) : status;
	listing_init(&t, headings);
	json_array_foreach ((json_t *)all, i, j) {
		listing_add(&t, json_text(j, "plan", NULL));
		listing_add(&t, json_text(j, "schedule", NULL));
		listing_add(&t, json_text(j, "submitter", NULL));
		listing_age(&t, json_int(j, "next_ms", 0));
	}
	return put_listing(&t);
}

/* ---- the verbs ---- */

static const struct verb {
	const char *name, *operand; /* NULL: none */
	bool optional, local;       /* local: nobody is asked */
	int (*run)(struct remote *r, const struct nightly_args *a, const char *operand);
} verbs[] = {
	{"add", "PLAN.yaml", false, false, add},
	{"cancel", "NIGHTLY", false, false, cancel},
	{"expand", "PLAN.yaml", false, true, expand},
	{"forget", "PLAN", false, false, forget},
	{"list", "PLAN", true, false, list},
	{"run", "PLAN.yaml", false, false, run_plan},
	{"schedules", NULL, true, false, schedules},
	{"show", "NIGHTLY", false, false, show},
};

static const struct verb *find_verb(const char *word)
{
	const char *names[ARRAY_LEN(verbs)];
	int i;

	for (size_t k = 0; k < ARRAY_LEN(verbs); k++)
		names[k] = verbs[k].name;
	i = cli_verb("nightly", word, names, ARRAY_LEN(names));
	return i < 0 ? NULL : &verbs[i];
}

static int call(const struct nightly_args *a, const char *word, int n, const char *operand)
{
	const struct verb *v = find_verb(word);
	struct remote r;
	int status;

	if (!v)
		return EXIT_USAGE;
	if (n > (v->operand ? 1 : 0) || (!n && !v->optional))
		return cli_fail(EXIT_USAGE, "nightly: %s needs %s", v->name,
			v->operand ? v->operand : "no operand");
	if (v->local)
		return v->run(NULL, a, operand);
	if (remote_open(&r, a->server, "nightly"))
		return EXIT_USAGE;
	status = v->run(&r, a, operand);
	remote_done(&r);
	return status;
}

static int run(int argc, char **argv)
{
	struct nightly_args a = {0};
	char **operands;
	int n, status;

	n = cli_parse(&nightly_command, argc, argv, &a, &operands, &status);
	if (n >= 0)
		status = call(
			&a, n ? operands[0] : "list", n ? n - 1 : 0, n > 1 ? operands[1] : NULL);
	free(a.builds.p);
	free(a.params.p);
	return status;
}

const struct cli_command nightly_command = {
	.name = "nightly",
	.brief = "submit a plan of many jobs, now or by its schedule, and sum up",
	.usage = "[list [PLAN] | expand PLAN.yaml | run PLAN.yaml | add PLAN.yaml | show NIGHTLY | "
		 "cancel NIGHTLY | schedules | forget PLAN]",
	.details = "A plan (hilab-nightly(5)) is a matrix of jobs over boards and builds. expand "
		   "says\n"
		   "what it stands for and asks nobody. run submits it; with --wait the exit "
		   "status is\n"
		   "0 when all passed, 1 when the product failed, 3 when only the lab did. add "
		   "leaves\n"
		   "it with the controller, which begins it by its schedule; files and builds are "
		   "sent\n"
		   "as they are now, and adding a plan again replaces them.",
	.example = "  hilab nightly run jobs/nightly.yaml --wait --format markdown >night.md\n"
		   "  hilab nightly add jobs/nightly.yaml\n"
		   "  hilab nightly show 12",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
