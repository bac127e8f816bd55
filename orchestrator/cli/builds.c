/* SPDX-License-Identifier: MIT */
/*
 * `hilab builds`: the builds that this host knows, their pins, and the cache of their images.
 * Invariant: nothing but `add`, `pin` and `unpin` writes into the user's builds folder, nothing but
 * `fetch` and `prune` into the cache.
 */
#include "cli/builds.h"
#include "base/fs.h"
#include "base/mem.h"
#include "builds/fetch.h"
#include "builds/known.h"
#include "cli/commands.h"
#include "cli/remote.h"
#include "io/json.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct builds_args, json), NULL,
		"list: a JSON array; show: a JSON object"},
	{"max", 0, CLI_TEXT, offsetof(struct builds_args, max), "SIZE",
		"prune: leave no more than this (else HILAB_CACHE_MAX, else 32GiB)"},
	{"remote", 'r', CLI_FLAG, offsetof(struct builds_args, remote), NULL,
		"the controller's builds, not this host's; --server implies it"},
	{"quiet", 'q', CLI_FLAG, offsetof(struct builds_args, quiet), NULL,
		"push: no progress on standard error"},
	REMOTE_OPT(struct builds_args),
	{0},
};

static int fail(const struct err *e)
{
	return cli_fail(blame_exit(e->blame), "builds: %s", e->msg);
}

static int put_json(json_t *j, struct buf *out)
{
	struct err e = {0};

	if (json_write(j, JSON_INDENT(2), out, &e))
		return fail(&e);
	buf_putc(out, '\n');
	return EXIT_PASS;
}

static size_t count_ready(const struct build *b, const char *cache)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += image_ready(&b->images[i], cache);
	return n;
}

/* ---- list ---- */

static void list_one(const struct known_build *k, const char *cache, json_t *list, struct buf *out)
{
	struct build b = {0};
	struct diag diag = {0};
	bool good = !build_load(&b, k->path, &diag);
	const char *problem = good || !diag.entries.n ? NULL : diag.entries.p[0].text;
	size_t ready = good ? count_ready(&b, cache) : 0;

	if (list)
		json_array_append_new(
			list, json_pack("{s:s, s:s?, s:s?, s:i, s:i, s:b, s:b, s:s, s:s?}", "name",
				      k->name, "version", b.version, "soc", b.soc, "images",
				      (int)b.n, "ready", (int)ready, "pinned", k->pinned, "added",
				      k->users, "path", k->path, "problem", problem));
	else if (good)
		buf_printf(out, "%-24s %-20s %-10s %2zu/%-6zu %-6s %s\n", k->name, b.version, b.soc,
			ready, b.n, k->pinned ? "pinned" : "", k->path);
	else
		buf_printf(out, "%-24s cannot be used: %s (%s)\n", k->name, problem ? problem : "?",
			k->path);
	if (good)
		build_done(&b);
	diag_done(&diag);
}

static int list(const struct builds_args *a, const char *name, struct buf *out)
{
	AUTOJSON *array = a->json ? json_array() : NULL;
	AUTOFREE char *cache = cache_dir();
	struct known k;
	struct err e = {0};

	(void)name;
	if (known_load(&k, &e))
		return fail(&e);
	if (!a->json)
		buf_printf(out, "%-24s %-20s %-10s %-9s %-6s %s\n", "BUILD", "VERSION", "SOC",
			"READY", "PINNED", "MANIFEST");
	vec_each (&k.v, b)
		list_one(b, cache, array, out);
	known_done(&k);
	return a->json ? put_json(array, out) : EXIT_PASS;
}

/* ---- show and fetch ---- */

static int load(const char *name, struct build *b, char **path)
{
	struct diag diag = {0};
	struct err e = {0};
	int status = EXIT_PASS;

	*path = build_locate(name, &e);
	if (!*path)
		return fail(&e);
	if (build_load(b, *path, &diag)) {
		cli_diag(&diag);
		status = EXIT_USAGE;
	}
	diag_done(&diag);
	return status;
}

static void show_image(const struct image *im, const char *cache, json_t *images, struct buf *out)
{
	bool ready = image_ready(im, cache);
	const char *packing = packing_names[im->packing];

	if (images) {
		json_array_append_new(images,
			json_pack("{s:s, s:s?, s:s?, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, "
				  "s:b}",
				"role", im->role, "path", im->path, "url", im->url, "sha256",
				im->sha256, "compression", packing, "unpacked-sha256",
				im->unpacked_sha256, "version", im->version, "release", im->release,
				"build-id", im->build_id, "module", im->module, "ready", ready));
		return;
	}
	buf_printf(out, "  %-12s %-9s %.16s  %s", im->role, ready ? "ready" : "not here",
		im->sha256, im->path ? im->path : im->url);
	if (im->packing != PACKING_NONE)
		buf_printf(out, " (%s)", packing);
	if (im->version || im->release)
		buf_printf(out, "  %s", im->release ? im->release : im->version);
	buf_putc(out, '\n');
}

static int show(const struct builds_args *a, const char *name, struct buf *out)
{
	AUTOFREE char *cache = cache_dir(), *path = NULL;
	AUTOJSON *images = a->json ? json_array() : NULL, *j = NULL;
	struct build b = {0};
	bool pinned = known_is_pinned(name);
	int status = load(name, &b, &path);

	if (status)
		return status;
	if (!a->json)
		buf_printf(out, "%s %s for %s%s\n%s\n", b.name, b.version, b.soc,
			pinned ? ", pinned" : "", path);
	for (size_t i = 0; i < b.n; i++)
		show_image(&b.images[i], cache, images, out);
	if (a->json) {
		j = json_pack("{s:s, s:s, s:s, s:s, s:b, s:O}", "name", b.name, "version",
			b.version, "soc", b.soc, "path", path, "pinned", pinned, "images", images);
		status = put_json(j, out);
	}
	build_done(&b);
	return status;
}

static int told(void *arg, const char *role, int64_t got, int64_t total)
{
	char a[32], b[32];

	if (*(bool *)arg)
		fprintf(stderr, "\r\033[K  %s: %s of %s", role, str_format_bytes(got, a, sizeof a),
			total ? str_format_bytes(total, b, sizeof b) : "?");
	return 0;
}

static int fetch(const struct builds_args *a, const char *name, struct buf *out)
{
	bool live = cli_tty(STDERR_FILENO);
	struct cache_hold hold = {0};
	const struct fetch_opts o = {.hold = &hold, .progress = told, .arg = &live};
	AUTOFREE char *path = NULL;
	struct build b = {0};
	struct err e = {0};
	int status = load(name, &b, &path);

	(void)a;
	if (status)
		return status;
	for (size_t i = 0; i < b.n && !status; i++) {
		AUTOFREE char *file = NULL;

		if (image_local(&b.images[i], &o, &file, NULL, &e)) {
			if (live)
				fputc('\n', stderr);
			status = fail(&e);
		} else {
			buf_printf(out, "%s %s\n", b.images[i].role, file);
		}
	}
	if (live && !status)
		fputs("\r\033[K", stderr);
	cache_hold_done(&hold);
	build_done(&b);
	return status;
}

/* ---- the others ---- */

static int add(const struct builds_args *a, const char *from, struct buf *out)
{
	AUTOFREE char *name = NULL, *replaced = NULL;
	struct diag diag = {0};
	struct err e = {0};
	int status = EXIT_PASS;

	(void)a;
	if (known_add(from, &name, &replaced, &diag, &e)) {
		cli_diag(&diag);
		status = diag.total ? EXIT_USAGE : fail(&e);
	} else if (replaced) {
		buf_printf(out, "%s: replaced version %s\n", name, replaced);
	} else {
		buf_printf(out, "%s: added\n", name);
	}
	diag_done(&diag);
	return status;
}

static int pin(const struct builds_args *a, const char *name, struct buf *out)
{
	struct err e = {0};

	(void)a, (void)out;
	return known_pin(name, true, &e) ? fail(&e) : EXIT_PASS;
}

static int unpin(const struct builds_args *a, const char *name, struct buf *out)
{
	struct err e = {0};

	(void)a, (void)out;
	return known_pin(name, false, &e) ? fail(&e) : EXIT_PASS;
}

static int prune(const struct builds_args *a, const char *name, struct buf *out)
{
	AUTOFREE char *dir = cache_dir();
	struct cache_pruned p;
	struct map keep = {0};
	struct err e = {0};
	char freed[32], left[32];
	int64_t max;
	int rc;

	(void)name;
	if (a->max && str_size_bytes(str_of(a->max), &max))
		return cli_fail(
			EXIT_USAGE, "builds: --max must be a size like '8GiB', not '%s'", a->max);
	if (!a->max && cache_limit(&max, &e))
		return fail(&e);
	rc = known_pinned(&keep, &e) || cache_prune(dir, max, &keep, &p, &e);
	map_done(&keep);
	if (rc)
		return fail(&e);
	buf_printf(out, "removed %zu files (%s), left %zu (%s)\n", p.freed,
		str_format_bytes(p.freed_bytes, freed, sizeof freed), p.left,
		str_format_bytes(p.left_bytes, left, sizeof left));
	if (p.left_bytes > max)
		buf_printf(out, "still over the limit: %zu pinned, %zu in use\n", p.kept, p.in_use);
	return EXIT_PASS;
}

static const struct verb {
	const char *name, *operand; /* NULL: none */
	int (*run)(const struct builds_args *a, const char *operand, struct buf *out);
	bool remote; /* a controller has it, too; only one does where run is NULL */
} verbs[] = {
	{"add", "FILE|URL", add, false},
	{"delete", "NAME", NULL, true},
	{"fetch", "NAME", fetch, false},
	{"list", NULL, list, true},
	{"pin", "NAME", pin, true},
	{"prune", NULL, prune, true},
	{"push", "NAME|FILE|DIR", NULL, true},
	{"show", "NAME", show, true},
	{"unpin", "NAME", unpin, true},
};

static const struct verb *find_verb(const char *word)
{
	const char *names[ARRAY_LEN(verbs)];
	int i;

	for (size_t k = 0; k < ARRAY_LEN(verbs); k++)
		names[k] = verbs[k].name;
	i = cli_verb("builds", word, names, ARRAY_LEN(names));
	return i < 0 ? NULL : &verbs[i];
}

static int run(int argc, char **argv)
{
	struct builds_args a = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	const struct verb *v;
	char **operands;
	int status, n = cli_parse(&builds_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	v = find_verb(n ? operands[0] : "list");
	if (!v)
		return EXIT_USAGE;
	if ((v->operand != NULL) != (n == 2))
		return cli_fail(EXIT_USAGE, "builds: %s needs %s", v->name,
			v->operand ? v->operand : "no operand");
	a.remote |= a.server || !v->run;
	if (a.remote && !v->remote)
		return cli_fail(EXIT_USAGE, "builds: %s is for this host's builds", v->name);
	status = a.remote ? builds_remote(&a, v->name, n == 2 ? operands[1] : NULL, &out)
			  : v->run(&a, n == 2 ? operands[1] : NULL, &out);
	return cli_out(&out) && !status ? EXIT_INCOMPLETE : status;
}

const struct cli_command builds_command = {
	.name = "builds",
	.brief = "list, add, fetch and pin builds; prune the cache of their images",
	.usage = "[list | show NAME | add FILE|URL | fetch NAME | pin NAME | unpin NAME | prune | "
		 "push NAME|FILE|DIR | delete NAME]",
	.details =
		"A build is a manifest (hilab-build(5)) that a job names. add copies one into "
		"the\n"
		"user's builds folder. Images that a manifest names by URL are fetched, and "
		"compressed\n"
		"ones unpacked, when a run needs them or by fetch; the cache keeps them, and drops "
		"those\n"
		"longest not used when it grows over its limit, but none of a pinned build.\n"
		"\n"
		"With --remote list, show, pin, unpin and prune are about the controller's "
		"builds,\n"
		"named NAME or NAME@VERSION. push uploads a build, without a job; delete takes "
		"one\n"
		"from the controller.",
	.example = "  hilab builds add https://builds.example/nightly/am62axx.yaml\n"
		   "  hilab builds pin am62axx-11.00\n"
		   "  hilab builds prune --max 8GiB\n"
		   "  hilab builds push out/build.yaml\n"
		   "  hilab builds list --remote",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
