/* SPDX-License-Identifier: MIT */
#ifndef JOBS_IMAGES_H
#define JOBS_IMAGES_H

/* The images of a build become those of a plan. */

#include "builds/fetch.h"
#include "jobs/plan.h"

/*
 * Sets the plan's build and images: every image that a deploy step names is made local (fetched,
 * its digest checked); the others come without a path, for their versions. A build for another SoC
 * than soc, or one that lacks an image that a step deploys, is BLAME_BUILD. o may be NULL.
 */
int plan_use_build(struct plan *p, const struct build *b, const char *soc,
	const struct fetch_opts *o, struct err *e);
/* The same without fetching: images that a step deploys have "blob:SHA256" as their path, and what
 * is needed to unpack them. */
int plan_use_blobs(struct plan *p, const struct build *b, const char *soc, struct err *e);

#endif
