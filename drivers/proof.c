/* SPDX-License-Identifier: MIT */
/*
 * Which job and step prove a row. Invariant: a row is proven by a step only if that job of the
 * library compiles as nobody set its params, and its plan has the step.
 */
#include "drivers/support.h"

#include "base/fs.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/yaml.h"
#include "jobs/job.h"

#include <string.h>

struct library {
	const char *dir;
	struct arena arena;
	struct map jobs; /* file below jobs/ -> struct library_job */
};
struct library_job {
	const char *name; /* NULL: there is no such file, or it does not compile */
	struct map steps;
};

static struct library_job *library_get(struct library *l, const char *file)
{
	struct library_job *j = map_find(&l->jobs, file);
	AUTOFREE char *path = fs_join(l->dir, file);
	struct job_parts parts = {0};
	struct diag diag = {0};
	const struct node *doc;

	if (j)
		return j;
	j = arena_alloc(&l->arena, sizeof *j);
	map_set(&l->jobs, file, j);
	doc = fs_exists(path) ? yaml_load(&l->arena, path, &diag) : NULL;
	if (doc && doc_kind_of(doc) == DOC_JOB &&
		!job_compile_parts_preset(&parts, doc, NULL, &diag)) {
		j->name = arena_strdup(&l->arena, parts.plans[0].job);
		for (size_t i = 0; i < parts.n; i++)
			for (size_t k = 0; k < parts.plans[i].n; k++)
				map_set(&j->steps,
					arena_strdup(&l->arena, parts.plans[i].steps[k].name), j);
	}
	job_parts_done(&parts);
	diag_done(&diag);
	return j;
}

static int resolve_row(
	struct support *s, struct library *l, struct support_row *r, struct diag *diag)
{
	struct library_job *j = r->job ? library_get(l, r->job) : NULL;
	bool has_step = j && j->name && r->step && map_has(&j->steps, r->step);

	if (r->not_testable) {
		r->proof = SUPPORT_NOT_TESTABLE;
		return 0;
	}
	if (has_step) {
		r->proof = SUPPORT_BY_STEP;
		r->job_name = arena_strdup(&s->arena, j->name);
		return 0;
	}
	r->proof = SUPPORT_NOT_YET;
	if (r->not_yet)
		return 0;
	if (!j || !j->name)
		return diag_add(
			diag, r->at, "row '%s': no job '%s' that compiles", r->name, r->job);
	return diag_add(
		diag, r->at, "row '%s': job '%s' has no step '%s'", r->name, r->job, r->step);
}

int support_resolve(struct support *s, const char *dir, struct diag *diag)
{
	AUTOFREE char *installed = fs_data_path("jobs");
	struct library l = {.dir = dir ? dir : installed};
	int rc = 0;

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->drivers[i].n; k++)
			if (resolve_row(s, &l, &s->drivers[i].rows[k], diag))
				rc = -1;
	map_each (&l.jobs, entry)
		map_done(&((struct library_job *)entry->value)->steps);
	map_done(&l.jobs);
	arena_done(&l.arena);
	return rc;
}
