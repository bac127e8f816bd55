/* SPDX-License-Identifier: MIT */
/*
 * The dialogue with U-Boot: stops its autoboot, types the commands that load the images, starts
 * the kernel. Invariant: nothing is typed before the prompt was seen but the interrupt key, and
 * that only while autoboot counts; each command's output is looked at for errors before the next
 * one is typed.
 */
#include "boot.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>

#define KEY_EVERY_MS  100
#define ERRORS_MAX    32
#define REST_MS       100 /* for the rest of a line that an error began */
#define REST_LIMIT_MS 2000

struct u_boot {
	const char *interrupt, *key, *prompt, *boot_command, *kernel_start;
	int64_t interrupt_timeout_ms, command_timeout_ms;
	struct param_strings commands, errors;
};

static const struct param params[] = {
	{"prompt", PARAM_PATTERN, offsetof(struct u_boot, prompt), .preset = "^=> ",
		.help = "pattern of U-Boot's prompt"},
	{"interrupt", PARAM_PATTERN, offsetof(struct u_boot, interrupt),
		.preset = "Hit any key to stop autoboot",
		.help = "what is printed when autoboot can be stopped"},
	{"key", PARAM_STRING, offsetof(struct u_boot, key), .preset = " ",
		.help = "what stops autoboot; sent again and again until the prompt is there"},
	{"interrupt-timeout", PARAM_DURATION, offsetof(struct u_boot, interrupt_timeout_ms),
		.preset = "30s", .min = 100, .max = 600000, .help = "from the start to the prompt"},
	{"commands", PARAM_STRINGS, offsetof(struct u_boot, commands), .required = true,
		.help = "commands that load the images, in order; ${image.ROLE}, ${net.server} and "
			"the like are replaced, $${ stands for U-Boot's own ${",
		.example = "[dhcp, 'tftpboot 0x82000000 ${image.kernel}']"},
	{"boot-command", PARAM_STRING, offsetof(struct u_boot, boot_command), .required = true,
		.help = "command that starts the kernel",
		.example = "booti 0x82000000 - 0x88000000"},
	{"kernel-start", PARAM_PATTERN, offsetof(struct u_boot, kernel_start),
		.preset = "Starting kernel|Linux version", .help = "the first sign of the kernel"},
	{"errors", PARAM_STRINGS, offsetof(struct u_boot, errors),
		.help = "patterns of what U-Boot prints when a command fails",
		.example = "['TFTP error', 'Retry count exceeded']"},
	{"command-timeout", PARAM_DURATION, offsetof(struct u_boot, command_timeout_ms),
		.preset = "60s", .min = 100, .max = 3600000,
		.help = "how long one command may take"},
	{0},
};

/* One dialogue: the compiled patterns, dropped together. */
struct dialogue {
	struct boot *bt;
	const struct u_boot *conf;
	struct pattern *prompt, *interrupt, *kernel, *banner, *loaded, *refused;
	struct pattern *errors[ERRORS_MAX];
	size_t n_errors;
};

static void dialogue_done(struct dialogue *d)
{
	struct pattern *all[] = {
		d->prompt, d->interrupt, d->kernel, d->banner, d->loaded, d->refused};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		pattern_free(all[i]);
	for (size_t i = 0; i < d->n_errors; i++)
		pattern_free(d->errors[i]);
}

static int dialogue_init(struct dialogue *d, struct boot *bt, struct err *e)
{
	const struct u_boot *conf = bt->conf;

	*d = (struct dialogue){.bt = bt, .conf = conf};
	if (conf->errors.n > ERRORS_MAX)
		return err_set(e, BLAME_CONFIG, "more than %d error patterns", ERRORS_MAX);
	if (!(d->prompt = pattern_new(conf->prompt, e)) ||
		!(d->interrupt = pattern_new(conf->interrupt, e)) ||
		!(d->kernel = pattern_new(conf->kernel_start, e)) ||
		!(d->banner = pattern_new("^U-Boot (?!SPL|TPL)\\S+[^\n]*", e)) ||
		!(d->loaded = pattern_new("Bytes transferred = \\d+|\\d+ bytes read", e)) ||
		!(d->refused = pattern_new("(?i)magic|wrong.*image|bad.*image|corrupt|not a valid|"
					   "flattened device tree|ramdisk|checksum",
			  e)))
		return -1;
	for (; d->n_errors < conf->errors.n; d->n_errors++) {
		d->errors[d->n_errors] = pattern_new(conf->errors.p[d->n_errors], e);
		if (!d->errors[d->n_errors])
			return -1;
	}
	return 0;
}

static void note_banner(struct dialogue *d, struct str text)
{
	struct pattern_match m;

	if (d->bt->loader_version || pattern_search(d->banner, text, 0, false, &m) != 1)
		return;
	d->bt->loader_version = mem_strndup(m.group[0].p, m.group[0].n);
	bench_note(d->bt->bench, "boot loader: %s", d->bt->loader_version);
}

/*
 * Waits for one of `wanted` or any error pattern. Index into wanted, or -1. An image that is
 * refused is the build's fault, a command that U-Boot does not know the type file's, all else (no
 * link, no answer, no such file) the lab's.
 */
static int await(struct dialogue *d, struct pattern *const *wanted, size_t n, int64_t timeout_ms,
	struct expect_match *m, struct err *e)
{
	struct console *c = d->bt->console;
	struct pattern *all[ERRORS_MAX + 4];
	struct pattern_match pm;
	AUTOBUF text = BUF_INIT(4096);
	enum err_blame blame = BLAME_INFRA;
	struct str rest, line;
	char shown[200];
	int r;

	memcpy(all, wanted, n * sizeof *all);
	memcpy(all + n, d->errors, d->n_errors * sizeof *all);
	r = console_expect(c, all, n + d->n_errors, timeout_ms, m, e);
	if (r >= 0)
		note_banner(d, m->before);
	if (r < (int)n) {
		if (r == CONSOLE_TIMEOUT && !c->received_bytes && e)
			e->blame = BLAME_INFRA;
		return r < 0 ? -1 : r;
	}
	buf_add(&text, m->group[0].p, m->group[0].n < 2048 ? m->group[0].n : 2048);
	if (console_quiet(c, REST_MS, REST_LIMIT_MS, e) < 0)
		return -1;
	rest = expect_pending(c->expect);
	if (str_line(&rest, &line))
		buf_add(&text, line.p, line.n < 256 ? line.n : 256);
	rest = str_make(buf_str(&text), text.len);
	if (pattern_search(d->refused, rest, 0, false, &pm) == 1)
		blame = BLAME_BUILD;
	else if (str_find(rest, STR_LIT("Unknown command")) >= 0)
		blame = BLAME_CONFIG;
	return err_set(e, blame, "boot loader says '%s'",
		str_printable(str_trim(rest), shown, sizeof shown));
}

/* Power is on: until the prompt is there. */
static int get_prompt(struct dialogue *d, struct err *e)
{
	struct pattern *wanted[] = {d->prompt, d->interrupt, d->kernel};
	int64_t until = clock_ms() + d->conf->interrupt_timeout_ms;
	struct expect_match m;
	int r = await(d, wanted, 3, d->conf->interrupt_timeout_ms, &m, e);

	if (r < 0)
		return err_wrap(e, "wait for autoboot");
	if (r == 2)
		return err_set(e, BLAME_INFRA, "a kernel starts, and autoboot was never offered");
	while (r != 0) {
		struct pattern *next[] = {d->prompt, d->kernel};
		struct err waited = {0};

		if (console_send(d->bt->console, str_of(d->conf->key), e))
			return -1;
		r = console_expect(d->bt->console, next, 2, KEY_EVERY_MS, &m, &waited);
		if (r >= 0)
			note_banner(d, m.before);
		if (r == 1)
			return err_set(e, BLAME_INFRA, "autoboot was not stopped: a kernel starts");
		if (r == -1) {
			*e = waited;
			return -1;
		}
		if (r == CONSOLE_TIMEOUT && clock_ms() > until)
			return err_set(e, BLAME_INFRA,
				"autoboot was not stopped: no prompt in %lld ms",
				(long long)d->conf->interrupt_timeout_ms);
	}
	/* what the last keys left behind */
	if (console_quiet(d->bt->console, REST_MS, REST_LIMIT_MS, e) < 0)
		return -1;
	expect_skip(d->bt->console->expect);
	return 0;
}

static int type_command(struct dialogue *d, const char *template, struct buf *text, struct err *e)
{
	buf_reset(text);
	if (bench_expand(d->bt->bench, template, text, e))
		return -1;
	return console_type(d->bt->console, buf_str(text), true, e);
}

static int load(struct dialogue *d, const char *command, struct err *e)
{
	AUTOBUF text = BUF_INIT(4096);
	struct pattern_match pm;
	struct expect_match m;

	if (type_command(d, command, &text, e) ||
		await(d, &d->prompt, 1, d->conf->command_timeout_ms, &m, e) < 0)
		return err_wrap(e, "command '%s'", text.len ? buf_str(&text) : command);
	if (strstr(command, "${image.") && pattern_search(d->loaded, m.before, 0, false, &pm) == 1)
		d->bt->images_loaded++;
	return 0;
}

static int start_kernel(struct dialogue *d, struct err *e)
{
	struct pattern *wanted[] = {d->kernel, d->prompt};
	AUTOBUF text = BUF_INIT(4096);
	struct expect_match m;
	int r;

	if (type_command(d, d->conf->boot_command, &text, e))
		return err_wrap(e, "command '%s'", d->conf->boot_command);
	r = await(d, wanted, 2, d->conf->command_timeout_ms, &m, e);
	if (r == 1)
		r = err_set(e, BLAME_BUILD, "no kernel starts, the prompt is back");
	return r < 0 ? err_wrap(e, "command '%s'", buf_str(&text)) : 0;
}

static int start(struct boot *bt, struct err *e)
{
	const struct u_boot *conf = bt->conf;
	struct dialogue d;
	int r = dialogue_init(&d, bt, e);

	if (!r)
		r = get_prompt(&d, e);
	for (size_t i = 0; !r && i < conf->commands.n; i++)
		r = load(&d, conf->commands.p[i], e);
	if (!r)
		r = start_kernel(&d, e);
	dialogue_done(&d);
	return r ? err_wrap(e, "u-boot") : 0;
}

static int prompt(struct boot *bt, struct err *e)
{
	struct dialogue d;
	int r = dialogue_init(&d, bt, e);

	if (!r)
		r = get_prompt(&d, e);
	dialogue_done(&d);
	return r ? err_wrap(e, "u-boot") : 0;
}

/* To the prompt, whatever comes before it goes to out. The first complaint is kept in shown. */
static int collect(struct dialogue *d, struct buf *out, char *shown, size_t n, struct err *e)
{
	struct pattern *all[ERRORS_MAX + 1] = {d->prompt};
	struct expect_match m;
	int r;

	memcpy(all + 1, d->errors, d->n_errors * sizeof *all);
	do {
		r = console_expect(
			d->bt->console, all, *shown ? 1 : 1 + d->n_errors, INT64_MAX, &m, e);
		if (r < 0)
			return -1;
		buf_add(out, m.before.p, m.before.n);
		if (r) {
			buf_add(out, m.group[0].p, m.group[0].n);
			str_printable(str_trim(m.group[0]), shown, n);
		}
	} while (r);
	return 0;
}

static int command(struct boot *bt, const char *text, struct buf *out, struct err *e)
{
	struct dialogue d;
	char shown[200] = "";
	size_t from = out->len;
	int r = dialogue_init(&d, bt, e);

	buf_printf(out, "=> %s\n", text);
	if (!r)
		r = console_type(bt->console, text, true, e);
	if (!r)
		r = collect(&d, out, shown, sizeof shown, e);
	dialogue_done(&d);
	buf_putc(out, '\n');
	if (r)
		return err_wrap(e, "command '%s'", text);
	if (!*shown)
		return 0;
	bench_note(bt->bench, "boot loader to '%s': %.*s", text, (int)(out->len - from),
		out->data + from);
	err_set(e, BLAME_TEST, "command '%s': boot loader says '%s'", text, shown);
	return 1;
}

extern const struct boot_driver boot_u_boot;
const struct boot_driver boot_u_boot = {
	.d = {.name = "u-boot",
		.brief = "stops U-Boot's autoboot and types the commands that load and start",
		.params = params,
		.size = sizeof(struct u_boot),
		.proven = "scripted peer over a PTY; real U-Boot in the twin"},
	.wants_power = true,
	.start = start,
	.prompt = prompt,
	.command = command,
};
