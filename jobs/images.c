/* SPDX-License-Identifier: MIT */
/* Puts a build into a plan. Invariant: an image with a path in the plan was found to have its
 * digest. */
#include "jobs/images.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static bool deployed(const struct plan *p, const char *role)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct step_deploy *d = p->steps[i].conf;

		if (p->steps[i].kind != STEP_DEPLOY)
			continue;
		for (size_t k = 0; k < d->images.n; k++)
			if (!strcmp(d->images.p[k], role))
				return true;
	}
	return false;
}

/* Each image that a step deploys is one of the build's. */
static int check_roles(const struct plan *p, const struct build *b, struct err *e)
{
	char at[512];

	for (size_t i = 0; i < p->n; i++) {
		const struct step_deploy *d = p->steps[i].conf;

		for (size_t k = 0; p->steps[i].kind == STEP_DEPLOY && k < d->images.n; k++)
			if (!build_find(b, d->images.p[k]))
				return err_set(e, BLAME_BUILD,
					"build '%s' has no image '%s', which step '%s' deploys "
					"(%s)",
					b->name, d->images.p[k], p->steps[i].name,
					loc_format(p->steps[i].at, at, sizeof at));
	}
	return 0;
}

static void set_image(struct plan *p, struct plan_image *to, const struct image *im,
	const char *path, const char *sha256)
{
	*to = (struct plan_image){
		.role = arena_strdup(&p->arena, im->role),
		.path = arena_strdup(&p->arena, path),
		.sha256 = arena_strdup(&p->arena, sha256),
		.version = arena_strdup(&p->arena, im->version),
		.release = arena_strdup(&p->arena, im->release),
		.build_id = arena_strdup(&p->arena, im->build_id),
		.module = arena_strdup(&p->arena, im->module),
	};
}

/* The file of a deployed image, found to have its digest. o may be NULL. */
static int use_local(struct plan *p, struct plan_image *to, const struct image *im,
	const struct fetch_opts *o, struct err *e)
{
	char sha256[DIGEST_HEX_BYTES];
	AUTOFREE char *path = NULL;

	snprintf(sha256, sizeof sha256, "%s", im->sha256);
	if (deployed(p, im->role) && image_local(im, o, &path, sha256, e))
		return -1;
	set_image(p, to, im, path, sha256);
	return 0;
}

static void use_blob(struct plan *p, struct plan_image *to, const struct image *im)
{
	AUTOFREE char *path = deployed(p, im->role) ? mem_printf(PLAN_BLOB "%s", im->sha256) : NULL;

	set_image(p, to, im, path, im->sha256);
	to->packing = im->packing;
	to->unpacked_sha256 = arena_strdup(&p->arena, im->unpacked_sha256);
}

static int use_build(struct plan *p, const struct build *b, const char *soc, bool local,
	const struct fetch_opts *o, struct err *e)
{
	struct plan_image *images = arena_alloc(&p->arena, b->n * sizeof *images);

	if (b->soc && strcmp(b->soc, soc))
		return err_set(e, BLAME_BUILD, "build '%s' is for soc '%s', the board's is '%s'",
			b->name, b->soc, soc);
	if (check_roles(p, b, e))
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (!local)
			use_blob(p, &images[i], &b->images[i]);
		else if (use_local(p, &images[i], &b->images[i], o, e))
			return err_wrap(e, "build '%s'", b->name);
	p->images = images;
	p->n_images = b->n;
	p->build = arena_strdup(&p->arena, b->name);
	p->build_version = arena_strdup(&p->arena, b->version);
	return 0;
}

int plan_use_build(struct plan *p, const struct build *b, const char *soc,
	const struct fetch_opts *o, struct err *e)
{
	return use_build(p, b, soc, true, o, e);
}

int plan_use_blobs(struct plan *p, const struct build *b, const char *soc, struct err *e)
{
	return use_build(p, b, soc, false, NULL, e);
}
