/* SPDX-License-Identifier: MIT */
/*
 * After a login: is what runs what was deployed, and in what surroundings. Invariant: an image
 * that this run deployed and whose version the build tells is either seen running or the run is
 * incomplete; nothing is compared that the board or the build does not tell.
 */
#include "worker.h"

#include "base/mem.h"
#include "buildid.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define ENV_LINES  64
#define TELL_BYTES ((size_t)64 << 10)

/* Prints "name=value" lines; a board without one of these simply does not tell it. Few programs
 * are started: under emulation each costs a tenth of a second; so the shell itself reads the files,
 * and the digest is made meanwhile. The versions of tools are told by the parsers of what they
 * print. */
static const char tell[] =
	"k=${0%/*}/m\n"
	"if [ -r /proc/config.gz ];then sha256sum </proc/config.gz >$k.config & fi\n"
	"r(){ [ -r \"$2\" ]&&{ read -r a <\"$2\";echo \"$1=$a\";};}\n"
	"{ r version /proc/version\n"
	"r release /proc/sys/kernel/osrelease\n"
	"r build /etc/hilab-build\n"
	"r board.model /proc/device-tree/model\n"
	"c=/sys/devices/system/cpu/cpu0/cpufreq\n"
	"r cpu.governor $c/scaling_governor\n"
	"r cpu.khz $c/scaling_cur_freq\n"
	"for t in /sys/class/thermal/thermal_zone*;do r temperature.${t##*zone} $t/temp;done\n"
	"for m in /sys/block/mmcblk*;do r storage.${m##*/} $m/device/name;done;} 2>/dev/null\n"
	"wait;[ -s $k.config ]&&read -r a <$k.config&&echo \"kernel.config=$a\"\n"
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

/* A file of the board, of any bytes; empty where it has none. */
static int read_board(struct worker *w, const char *path, struct buf *bytes, struct err *e)
{
	AUTOFREE char *command = mem_printf("cat %s 2>/dev/null", path);
	struct shell_outcome out;

	if (shell_run(&w->shells[worker_main_console(w) - w->consoles], command, bytes, &out, e))
		return err_wrap(e, "read '%s' of the board", path);
	if (!out.captured)
		return err_set(
			e, BLAME_INFRA, "read '%s' of the board: it did not come whole", path);
	return 0;
}

/* By the notes that the kernel shows below path. */
static int check_build_id(
	struct worker *w, const struct plan_image *im, const char *path, struct err *e)
{
	AUTOBUF notes = BUF_INIT(TELL_BYTES);
	char got[BUILDID_HEX_BYTES];

	if (!im->build_id)
		return 0;
	if (read_board(w, path, &notes, e))
		return -1;
	if (!buildid_find(str_make(buf_str(&notes), notes.len), got)) {
		bench_note(&w->bench, "the board tells no build id of its %s", im->role);
		return 0;
	}
	return compare(w, im->role, im->build_id, got, !strcmp(im->build_id, got), blame_for(w), e);
}

static int check_loader(struct worker *w, const struct plan_image *im, struct err *e)
{
	const char *banner = w->boot.loader_version;

	if (!im->version)
		return 0;
	if (!banner) {
		bench_event(&w->bench, "warn", "{s:s}", "text",
			"no boot loader told its version: it is not known to be the one deployed");
		return 0;
	}
	return compare(
		w, im->role, im->version, banner, shows(banner, im->version), BLAME_INFRA, e);
}

static int check_kernel(
	struct worker *w, const struct plan_image *im, const struct told *t, struct err *e)
{
	if (im->release && compare(w, im->role, im->release, t->release,
				   !strcmp(im->release, t->release), blame_for(w), e))
		return -1;
	if (im->version && compare(w, im->role, im->version, t->version,
				   shows(t->version, im->version), blame_for(w), e))
		return -1;
	if (!im->release && !im->version && !im->build_id)
		bench_note(&w->bench, "the build tells no version of its %s", im->role);
	return check_build_id(w, im, "/sys/kernel/notes", e);
}

/* One module stands for all of them. Heap: the folder that the kernel shows it in. */
static char *module_dir(const char *module)
{
	char *dir = mem_printf("/sys/module/%s", module);

	for (char *p = dir; *p; p++) /* as the kernel names them */
		*p = *p == '-' ? '_' : *p;
	return dir;
}

static int check_module_id(struct worker *w, const struct plan_image *im, struct err *e)
{
	AUTOFREE char *dir = module_dir(im->module);
	AUTOFREE char *notes = mem_printf("%s/notes/.note.gnu.build-id", dir);

	return check_build_id(w, im, notes, e);
}

static int check_modules(struct worker *w, const struct plan_image *im, struct err *e)
{
	AUTOBUF told = BUF_INIT(TELL_BYTES);
	AUTOFREE char *dir = NULL, *versions = NULL;

	if (!im->module || (!im->version && !im->build_id)) {
		bench_note(&w->bench, "the build tells no version of its %s", im->role);
		return 0;
	}
	dir = module_dir(im->module);
	versions = mem_printf("%s/srcversion %s/version", dir, dir);
	if (im->version && read_board(w, versions, &told, e))
		return -1;
	for (size_t i = 0; i < told.len; i++)
		told.data[i] = told.data[i] == '\n' ? ' ' : told.data[i];
	if (im->version && !told.len)
		bench_note(&w->bench, "the board tells no version of its module '%s'", im->module);
	else if (im->version && compare(w, im->role, im->version, buf_str(&told),
					shows(buf_str(&told), im->version), blame_for(w), e))
		return -1;
	return check_module_id(w, im, e);
}

static int check_rootfs(
	struct worker *w, const struct plan_image *im, const struct told *t, struct err *e)
{
	if (im->version && compare(w, im->role, im->version, t->build,
				   !strcmp(im->version, t->build), blame_for(w), e))
		return -1;
	if (!im->version && !im->build_id)
		bench_note(&w->bench, "the build tells no version of its %s", im->role);
	return im->module ? check_module_id(w, im, e) : 0;
}

static int check_image(
	struct worker *w, const struct plan_image *im, const struct told *t, struct err *e)
{
	if (!strcmp(im->role, "boot-loader"))
		return check_loader(w, im, e);
	if (!was_deployed(w, im->role))
		return 0;
	if (!strcmp(im->role, "kernel"))
		return check_kernel(w, im, t, e);
	if (!strcmp(im->role, "modules"))
		return check_modules(w, im, e);
	return strcmp(im->role, "rootfs") ? 0 : check_rootfs(w, im, t, e);
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

/* ---- a firmware --------------------------------------------------------------------------------
 */

/* What `version` prints: name, version, build id, SoC and the medium that it came from, a line
 * each. */
enum { SAID_NAME, SAID_VERSION, SAID_BUILD_ID, SAID_SOC, SAID_MEDIUM, SAID_COUNT };

static int check_firmware(struct worker *w, const struct plan_image *im, char *const *said,
	enum err_blame blame, struct err *e)
{
	if (im->version && compare(w, im->role, im->version, said[SAID_VERSION],
				   !strcmp(im->version, said[SAID_VERSION]), blame, e))
		return -1;
	return im->build_id ? compare(w, im->role, im->build_id, said[SAID_BUILD_ID],
				      !strcmp(im->build_id, said[SAID_BUILD_ID]), blame, e)
			    : 0;
}

int worker_identify_firmware(struct worker *w, struct shell *sh, struct err *e)
{
	static const char *const names[SAID_COUNT] = {"firmware.name", "firmware.version",
		"firmware.build", "firmware.soc", "boot.medium"};
	AUTOBUF text = BUF_INIT(TELL_BYTES);
	char *said[SAID_COUNT], *rest;
	struct shell_outcome out;

	if (shell_run(sh, "version", &text, &out, e))
		return err_wrap(e, "ask the firmware what it is");
	rest = out.captured && !out.exit ? text.data : NULL;
	tell_board(w);
	for (size_t i = 0; i < SAID_COUNT; i++) {
		said[i] = strsep(&rest, "\n");
		if (!said[i])
			return err_set(e, BLAME_INFRA,
				"ask the firmware what it is: the answer is not whole");
		worker_env(w, names[i], said[i]);
	}
	for (size_t i = 0; i < w->plan.n_images; i++) {
		const struct plan_image *im = &w->plan.images[i];

		if (!strcmp(im->role, "rom") && check_loader(w, im, e))
			return -1;
		if (!strcmp(im->role, "firmware") && was_deployed(w, im->role) &&
			check_firmware(w, im, said, blame_for(w), e))
			return -1;
	}
	return 0;
}

int worker_identify_apps(struct worker *w, struct err *e)
{
	tell_board(w);
	for (size_t i = 0; i < w->plan.n_images; i++)
		if (!strcmp(w->plan.images[i].role, "sbl") &&
			check_loader(w, &w->plan.images[i], e))
			return -1;
	if (!w->boot.images_loaded)
		bench_note(&w->bench, "what runs came from the board's own medium, and does not "
				      "tell which image it is");
	return 0;
}
