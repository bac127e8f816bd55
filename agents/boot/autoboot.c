/* SPDX-License-Identifier: MIT */
/*
 * A board that starts by itself, from whatever medium its pins say. Invariant: nothing is typed;
 * the kernel's first sign ends it well, the boot loader's prompt, where nobody will go on, ends it
 * badly.
 */
#include "boot.h"

#include "base/mem.h"

struct autoboot {
	const char *kernel_start, *prompt;
	int64_t timeout_ms;
};

static const struct param params[] = {
	{"kernel-start", PARAM_PATTERN, offsetof(struct autoboot, kernel_start),
		.preset = "Starting kernel|Linux version", .help = "the first sign of the kernel"},
	{"prompt", PARAM_PATTERN, offsetof(struct autoboot, prompt), .preset = "^(U-Boot# |=> )",
		.help = "the boot loader's prompt: it found nothing to start"},
	{"timeout", PARAM_DURATION, offsetof(struct autoboot, timeout_ms), .preset = "60s",
		.min = 100, .max = 3600000, .help = "from the start to the kernel's first sign"},
	{0},
};

enum { SEEN_KERNEL, SEEN_PROMPT, SEEN_BANNER, SEEN_COUNT };

static int watch(struct boot *bt, struct pattern *const *patterns, struct err *e)
{
	const struct autoboot *conf = bt->conf;
	struct expect_match m;
	int r;

	bench_push(bt->bench, "autoboot", conf->timeout_ms);
	do {
		r = console_expect(bt->console, patterns, SEEN_COUNT, INT64_MAX, &m, e);
		if (r == SEEN_BANNER && !bt->loader_version) {
			bt->loader_version = mem_strndup(m.group[0].p, m.group[0].n);
			bench_note(bt->bench, "boot loader: %s", bt->loader_version);
		}
	} while (r == SEEN_BANNER);
	bench_pop(bt->bench);
	if (r == SEEN_PROMPT)
		return err_set(e, BLAME_INFRA,
			"the boot loader found nothing to start, its prompt is there");
	if (r < 0 && !bt->console->received_bytes && e && e->blame == BLAME_TIMEOUT)
		e->blame = BLAME_INFRA; /* not one byte: nothing is connected, or no power */
	return r < 0 ? -1 : 0;
}

static int start(struct boot *bt, struct err *e)
{
	const struct autoboot *conf = bt->conf;
	struct pattern *patterns[SEEN_COUNT] = {0};
	int r = -1;

	if ((patterns[SEEN_KERNEL] = pattern_new(conf->kernel_start, e)) &&
		(patterns[SEEN_PROMPT] = pattern_new(conf->prompt, e)) &&
		(patterns[SEEN_BANNER] = pattern_new("^U-Boot (?!SPL|TPL)\\S+[^\n]*\n", e)))
		r = watch(bt, patterns, e);
	for (size_t i = 0; i < SEEN_COUNT; i++)
		pattern_free(patterns[i]);
	return r ? err_wrap(e, "autoboot") : 0;
}

extern const struct boot_driver boot_autoboot;
const struct boot_driver boot_autoboot = {
	.d = {.name = "autoboot",
		.brief = "waits while the board starts by itself, from the medium its pins say",
		.params = params,
		.size = sizeof(struct autoboot),
		.proven = "played boards; the twin's U-Boot from its card"},
	.wants_power = true,
	.start = start,
};
