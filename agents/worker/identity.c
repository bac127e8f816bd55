/* SPDX-License-Identifier: MIT */
/*
 * After a login: is what runs what was deployed, and in what surroundings. Invariant: an image
 * that this run deployed and whose version the build tells is either seen running or the run is
 * incomplete; nothing is compared that the board or the build does not tell.
 */
#include "worker.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define ENV_LINES  64
#define TELL_BYTES ((size_t)64 << 10)

/* Prints "name=value" lines; a board without one of these simply does not tell it. Few programs
 * are started: under emulation each costs a tenth of a second. The versions of tools are told by
 * the parsers of what they print. */
static const char tell[] =
	"p(){ a=$(cat \"$2\" 2>/dev/null)&&echo \"$1=$a\";}\n"
	"r(){ [ -r \"$2\" ]&&{ read -r a <\"$2\";echo \"$1=$a\";};}\n"
	"p version /proc/version\n"
	"p release /proc/sys/kernel/osrelease\n"
	"p build /etc/hilab-build\n"
	"{ r board.model /proc/device-tree/model\n"
	"c=/sys/devices/system/cpu/cpu0/cpufreq\n"
	"r cpu.governor $c/scaling_governor\n"
	"r cpu.khz $c/scaling_cur_freq\n"
	"for t in /sys/class/thermal/thermal_zone*;do r temperature.${t##*zone} $t/temp;done\n"
	"for m in /sys/block/mmcblk*;do r storage.${m##*/} $m/device/name;done;} 2>/dev/null\n"
	"[ -r /proc/config.gz ]&&echo \"kernel.config=$(gzip -dc </proc/config.gz|sha256sum)\"\n"
	":\n";

struct told {
	const char *version, *release, *build; /* "" when not told */
};

static bool was_deployed(const struct worker *w, const char *role)
{
	for (size_t i = 0; i < w->plan.n; i++) {
		const struct step_deploy *s = w->plan.steps[i].conf;

		if (w->plan.steps[i].kind != STEP_DEPLOY)
			continue;
		for (size_t k = 0; k < s->images.n; k++)
			if (!strcmp(s->images.p[k], role))
				return true;
	}
	return false;
}

/* Does text show that version, and no longer one that only begins or ends with it ("6.1.1" in
 * "6.1.12")? */
static bool shows(const char *text, const char *version)
{
	size_t n = strlen(version);

	for (const char *at = n ? strstr(text, version) : NULL; at; at = strstr(at + 1, version)) {
		const char *end = at + n;
		bool more = isalnum((unsigned char)end[-1]) &&
			    (isalnum((unsigned char)*end) ||
				    (*end == '.' && isalnum((unsigned char)end[1])));
		bool less = at > text && isalnum((unsigned char)*at) &&
			    (isalnum((unsigned char)at[-1]) || at[-1] == '.');

		if (!more && !less)
			return true;
	}
	return false;
}

/* One comparison into the journal. Of several that differ the first one tells who is to blame. */
static int compare(struct worker *w, const char *role, const char *want, const char *got, bool same,
	enum err_blame blame, struct err *e)
{
	AUTOFREE char *clean = journal_text(got);
	char shown[160];

	bench_event(&w->bench, "identity", "{s:s, s:s, s:s, s:b}", "role", role, "want", want,
		"got", clean, "same", same);
	if (same)
		return 0;
	return err_set(e, blame, "another %s runs than the one deployed: '%s' is not '%s'", role,
		str_printable(str_of(got), shown, sizeof shown), want);
}

/*
 * Another kernel or root runs: when the boot loader said that it loaded our images, they are not
 * what the manifest says; else something else booted, from another medium.
 */
static enum err_blame blame_for(const struct worker *w)
{
	return w->boot.images_loaded ? BLAME_BUILD : BLAME_INFRA;
}

static int check_image(
	struct worker *w, const struct plan_image *im, const struct told *t, struct err *e)
{
	const char *banner = w->boot.loader_version;

	if (!strcmp(im->role, "boot-loader")) {
		if (im->version && !banner)
			bench_note(&w->bench, "no boot loader told its version");
		if (!im->version || !banner)
			return 0;
		return compare(w, im->role, im->version, banner, shows(banner, im->version),
			BLAME_INFRA, e);
	}
	if (!was_deployed(w, im->role))
		return 0;
	if (!strcmp(im->role, "kernel")) {
		if (im->release && compare(w, im->role, im->release, t->release,
					   !strcmp(im->release, t->release), blame_for(w), e))
			return -1;
		if (im->version && compare(w, im->role, im->version, t->version,
					   shows(t->version, im->version), blame_for(w), e))
			return -1;
		if (!im->release && !im->version)
			bench_note(&w->bench, "the build tells no version of its %s", im->role);
	} else if (!strcmp(im->role, "rootfs")) {
		if (im->version)
			return compare(w, im->role, im->version, t->build,
				!strcmp(im->version, t->build), blame_for(w), e);
		bench_note(&w->bench, "the build tells no version of its %s", im->role);
	}
	return 0;
}

static void take_line(struct worker *w, char *line, struct told *t)
{
	char *equals = strchr(line, '='), *value = equals ? equals + 1 : NULL;

	if (!equals || !*value)
		return;
	*equals = 0;
	if (!strcmp(line, "version"))
		t->version = value;
	else if (!strcmp(line, "release"))
		t->release = value;
	else if (!strcmp(line, "build"))
		t->build = value;
	if (!strcmp(line, "kernel.config"))
		value[strcspn(value, " ")] = 0;
	if (str_is_name(line))
		worker_env(w,
			!strcmp(line, "version")   ? "kernel.version"
			: !strcmp(line, "release") ? "kernel.release"
			: !strcmp(line, "build")   ? "rootfs.build"
						   : line,
			value);
}

static void tell_board(struct worker *w)
{
	const char *revision = node_text(w->board, "revision");
	const char *type = node_text(w->board, "type");

	worker_env(w, "board.type", type ? type : "?");
	if (revision)
		worker_env(w, "board.revision", revision);
	worker_env(w, "hilab.version", HILAB_VERSION);
}

int worker_identify(struct worker *w, struct err *e)
{
	AUTOBUF text = BUF_INIT(TELL_BYTES);
	struct told t = {"", "", ""};
	struct shell_outcome out;
	char *rest, *line;
	int lines = 0;

	if (shell_run(&w->shells[worker_main_console(w) - w->consoles], tell, &text, &out, e))
		return err_wrap(e, "ask the board what runs");
	if (!out.captured)
		return err_set(
			e, BLAME_INFRA, "ask the board what runs: the answer did not come whole");
	tell_board(w);
	rest = text.data;
	while ((line = strsep(&rest, "\n")) && lines++ < ENV_LINES)
		take_line(w, line, &t);
	for (size_t i = 0; i < w->plan.n_images; i++)
		if (check_image(w, &w->plan.images[i], &t, e))
			return -1;
	return 0;
}
