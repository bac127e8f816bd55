/* SPDX-License-Identifier: MIT */
/*
 * What a run that was made for an alert told of its subject. Invariant: a run that the lab is to
 * blame for tells nothing.
 */
#include "api/alert.h"

#include "base/mem.h"
#include "base/verdict.h"
#include "io/json.h"
#include "store/series.h"

#include <math.h>
#include <string.h>

struct looking {
	struct server *server;
	const json_t *body;
	struct alert_value *v;
	int64_t series; /* of the metric */
	char *labels;   /* as the store has them */
	int verdict, blame;
};

static bool says(const json_t *body, const char *key, const char *text)
{
	return !strcmp(json_text(body, key, ""), text ? text : "");
}

static int take_job(void *arg, const struct store_job *job)
{
	((struct looking *)arg)->v->run = job->last_run;
	return 0;
}

static int take_run(void *arg, const struct store_run *run)
{
	struct looking *l = arg;

	l->verdict = verdict_parse(run->verdict);
	l->blame = err_blame_parse(run->blame ? run->blame : "none");
	l->v->board = mem_strdup(run->board);
	return 0;
}

/* The product's own fault, which another board would not mend. */
static bool is_product(const struct looking *l)
{
	return l->blame == BLAME_BUILD || l->blame == BLAME_TEST;
}

static int take_result(void *arg, const struct store_result *r)
{
	struct looking *l = arg;
	int status = status_parse(r->status);

	if (!says(l->body, "suite", r->suite) || !says(l->body, "name", r->name))
		return 0;
	if (status == STATUS_PASS || status == STATUS_FAIL || status == STATUS_ERROR ||
		status == STATUS_MISS)
		l->v->value = status != STATUS_PASS;
	return 0;
}

static int take_series(void *arg, const struct store_series *ser)
{
	struct looking *l = arg;

	if (says(l->body, "suite", ser->suite) && says(l->body, "name", ser->metric) &&
		!strcmp(l->labels, ser->labels) &&
		(!json_object_get(l->body, "test") || says(l->body, "test", ser->test)))
		l->series = ser->id;
	return 0;
}

static int take_point(void *arg, int64_t series, const struct store_point *p)
{
	struct looking *l = arg;

	if (series == l->series)
		l->v->value = p->value;
	return 0;
}

static int look_at_metric(struct looking *l, struct err *e)
{
	const struct store_series_filter f = {.run = l->v->run};
	const json_t *labels = json_object_get(l->body, "labels");
	int r;

	l->labels = json_is_object(labels) ? json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS)
					   : mem_strdup("{}");
	r = store_series_list(l->server->store, &f, take_series, l, e);
	if (r >= 0 && l->series)
		r = store_points_of_run(l->server->store, l->v->run, take_point, l, e);
	free(l->labels);
	return r;
}

int alert_value_of(
	struct server *s, const json_t *body, int64_t job, struct alert_value *v, struct err *e)
{
	struct looking l = {.server = s, .body = body, .v = v, .verdict = -1};
	int r;

	*v = (struct alert_value){.value = NAN};
	r = store_job_get(s->store, job, take_job, &l, e);
	if (r > 0 && v->run)
		r = store_run_get(s->store, v->run, take_run, &l, e);
	if (r <= 0 || !v->run)
		return r < 0 ? -1 : 0;
	if (l.verdict == VERDICT_CANCELED)
		return 0;
	if (says(body, "kind", "boot")) {
		if (l.verdict != VERDICT_INCOMPLETE)
			v->value = 0;
		else if (is_product(&l))
			v->value = 1;
		return 0;
	}
	v->unusable = l.verdict == VERDICT_INCOMPLETE && is_product(&l);
	r = says(body, "kind", "metric") ? look_at_metric(&l, e)
					 : store_results(s->store, v->run, take_result, &l, e);
	if (isfinite(v->value))
		v->unusable = false;
	return r < 0 ? -1 : 0;
}
