/* SPDX-License-Identifier: MIT */
/*
 * Boot logs whose lines a terminal stamped with the time of day ("[Tue Jul 31 11:35:39.422 2012]",
 * "[2012-07-31 11:35:39.422]"), as in TI's AM335x PSP guide: when the stages of the boot were on
 * the console. Invariant: a stage's time is that of the line which shows it, counted from the first
 * stamped line of its boot; without the chain's beginning in the log, or after a stamp that goes
 * back, nothing is counted from there.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

enum boot_stage { BOOT_SPL, BOOT_LOADER, BOOT_KERNEL, BOOT_USERSPACE, BOOT_LOGIN, BOOT_STAGES };

#define BOOT_LOG_DAY_MS (24 * 3600 * 1000.0)

struct boot_log {
	const struct sink *sink;
	bool started;
	bool chain;                     /* the boot in hand began with a loader */
	bool damaged;                   /* nothing counts until a boot begins */
	size_t offset, at[BOOT_STAGES]; /* of the line in hand, and of the stages' */
	double start_ms, last_ms,
		starting_ms;       /* of the boot in hand; starting: "Starting kernel" */
	double day_ms;             /* of the days that have passed */
	double at_ms[BOOT_STAGES]; /* NAN: not seen */
	double quantum_ms;
	size_t figures;
};

static void boot_log_begin(struct boot_log *p, double ms)
{
	p->started = true;
	p->chain = p->damaged = false;
	p->start_ms = p->last_ms = ms;
	p->starting_ms = NAN;
	for (size_t i = 0; i < BOOT_STAGES; i++)
		p->at_ms[i] = NAN;
}

static void boot_log_figure(struct boot_log *p, const char *name, double ms, bool from_first)
{
	struct sink_label from = {"from", "first-line"};
	struct sink_metric m = SINK_METRIC(name, ms, "ms");

	m.resolution = p->quantum_ms;
	m.labels = &from;
	m.n = from_first ? 1 : 0;
	sink_metric(p->sink, &m);
	p->figures += isfinite(ms) ? 1 : 0;
}

static void boot_log_end(struct boot_log *p)
{
	static const char *const names[BOOT_STAGES] = {"boot.spl_ms", "boot.loader_ms",
		"boot.kernel_ms", "boot.userspace_ms", "boot.login_ms"};

	if (!p->started)
		return;
	for (size_t i = 0; p->chain && i < BOOT_STAGES; i++) {
		sink_at(p->sink, p->at[i]);
		boot_log_figure(p, names[i], p->at_ms[i] - p->start_ms, true);
	}
	sink_at(p->sink, p->at[BOOT_LOGIN]);
	if (p->chain)
		boot_log_figure(p, "boot.total_ms", p->at_ms[BOOT_LOGIN] - p->start_ms, true);
	boot_log_figure(p, "boot.linux_ms", p->at_ms[BOOT_LOGIN] - p->starting_ms, false);
	p->started = false;
}

/* Two digits at s[at]; -1 when they are not there. */
static int boot_log_two(struct str s, size_t at)
{
	if (at + 2 > s.n || s.p[at] < '0' || s.p[at] > '9' || s.p[at + 1] < '0' ||
		s.p[at + 1] > '9')
		return -1;
	return (s.p[at] - '0') * 10 + (s.p[at + 1] - '0');
}

/* The time of day in a stamp, "11:35:39.422", in ms; -1 when there is none. */
static int boot_log_time(struct str stamp, double *ms, double *quantum_ms)
{
	for (size_t i = 0; i + 8 <= stamp.n; i++) {
		int h = boot_log_two(stamp, i), m = boot_log_two(stamp, i + 3),
		    s = boot_log_two(stamp, i + 6);
		double unit = 1000;
		size_t at = i + 8;

		if (h < 0 || m < 0 || s < 0 || h > 23 || m > 59 || s > 60 ||
			stamp.p[i + 2] != ':' || stamp.p[i + 5] != ':')
			continue;
		*ms = ((h * 60 + m) * 60 + s) * 1000.0;
		if (at < stamp.n && stamp.p[at] == '.')
			for (at++; at < stamp.n && stamp.p[at] >= '0' && stamp.p[at] <= '9' &&
				   unit > 0.0015;
				at++) {
				unit /= 10;
				*ms += unit * (stamp.p[at] - '0');
			}
		*quantum_ms = unit;
		return 0;
	}
	return -1;
}

/* Cuts "[...] " off a line; -1 when it has no stamp. */
static int boot_log_stamp(struct boot_log *p, struct str *line, double *ms)
{
	ptrdiff_t end = str_chr(*line, ']');

	if (!line->n || *line->p != '[' || end < 9 || end > 40 ||
		boot_log_time(str_make(line->p, (size_t)end), ms, &p->quantum_ms))
		return -1;
	*line = str_make(line->p + end + 1, line->n - (size_t)end - 1);
	return 0;
}

static int boot_log_stage(struct str line)
{
	if (lines_has(line, "U-Boot SPL "))
		return BOOT_SPL;
	if (str_starts(str_trim(line), "U-Boot 2"))
		return BOOT_LOADER;
	if (lines_has(line, "Linux version ") || lines_has(line, "Uncompressing Linux") ||
		lines_has(line, "Booting Linux on"))
		return BOOT_KERNEL;
	if (lines_has(line, "INIT: version ") || lines_has(line, "systemd[1]:") ||
		lines_has(line, "as init process"))
		return BOOT_USERSPACE;
	return str_ends(str_trim(line), " login:") ? BOOT_LOGIN : -1;
}

static bool boot_log_seen(const struct boot_log *p, int from)
{
	for (int i = from; i < BOOT_STAGES; i++)
		if (!isnan(p->at_ms[i]))
			return true;
	return false;
}

static void boot_log_line(struct boot_log *p, struct str line)
{
	bool begins = false, first;
	int stage;
	double ms;

	if (boot_log_stamp(p, &line, &ms))
		return;
	ms += p->day_ms;
	if (p->started && ms < p->last_ms - BOOT_LOG_DAY_MS / 2) {
		p->day_ms += BOOT_LOG_DAY_MS;
		ms += BOOT_LOG_DAY_MS;
	}
	if (p->started && ms < p->last_ms) {
		sink_warn(p->sink, "the time of a line goes back: the boot is not counted further");
		boot_log_end(p);
		p->damaged = true;
	}
	stage = boot_log_stage(line);
	if (p->damaged && (stage < 0 || stage > BOOT_LOADER))
		return;
	/* The loader after what only comes later: the board was reset. */
	if (p->started && stage >= 0 && stage <= BOOT_LOADER && boot_log_seen(p, BOOT_KERNEL))
		boot_log_end(p);
	if (stage >= 0 && stage <= BOOT_LOADER && (!p->started || !boot_log_seen(p, BOOT_SPL)))
		begins = true;
	first = !p->started;
	if (first)
		boot_log_begin(p, ms);
	p->chain = p->chain || begins;
	p->last_ms = ms;
	if (isnan(p->starting_ms) && lines_has(line, "Starting kernel"))
		p->starting_ms = ms;
	/* What stands on the first line itself is where the count begins, not a figure of 0. */
	if (first || stage < 0 || !isnan(p->at_ms[stage]))
		return;
	p->at_ms[stage] = ms;
	p->at[stage] = p->offset;
}

static int boot_log_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct boot_log p = {.sink = sink};
	struct str rest = text, line;

	/* Not lines_next(): the last line is the prompt, and kernel lines stand behind stamps. */
	for (const char *at = rest.p; str_line(&rest, &line); at = rest.p) {
		p.offset = (size_t)(at - text.p);
		sink_at(sink, p.offset);
		boot_log_line(&p, line);
	}
	boot_log_end(&p);
	return p.figures ? 0 : lines_nothing(text, "boot-log", "stamped boot", e);
}

static int boot_log_detect(struct str text)
{
	struct boot_log p = {.sink = NULL};
	struct str line;
	double ms;

	for (size_t i = 0; i < 20 && str_line(&text, &line); i++)
		if (!boot_log_stamp(&p, &line, &ms))
			return 70;
	return 0;
}

const struct parser boot_log_parser = {
	.d = {.name = "boot-log",
		.brief = "boot stages of a log with times of day",
		.proven = "golden cases; the shape of the AM335x PSP 04.06 guide"},
	.detect = boot_log_detect,
	.parse = boot_log_parse,
};
