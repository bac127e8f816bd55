/* SPDX-License-Identifier: MIT */
/*
 * Boot logs whose lines a terminal stamped with the time of day ("[Tue Jul 31 11:35:39.422 2012]",
 * "[2012-07-31 11:35:39.422]"), as in TI's AM335x PSP guide: when the stages of the boot were on
 * the console. Invariant: a stage's time is counted from the
 * loader's line that its label names; after a line without a stamp or one whose stamp goes back
 * nothing is counted until an SPL begins again.
 */
#include "lines.h"
#include "parsers.h"

#include <ctype.h>
#include <stdio.h>

enum boot_stage { BOOT_SPL, BOOT_LOADER, BOOT_KERNEL, BOOT_USERSPACE, BOOT_LOGIN, BOOT_STAGES };

#define BOOT_LOG_DAY_MS (24 * 3600 * 1000.0)

struct boot_log {
	const struct sink *sink;
	bool started;
	const char *from; /* what the boot in hand began with; NULL: no loader */
	bool damaged; /* nothing counts until an SPL begins: another loader may have been torn */
	size_t offset, at[BOOT_STAGES]; /* of the line in hand, and of the stages' */
	double start_ms, last_ms,
		starting_ms;       /* of the boot in hand; starting: "Starting kernel" */
	double day_ms;             /* of the days that have passed */
	double at_ms[BOOT_STAGES]; /* NAN: not seen */
	double quantum_ms;
	size_t stamp;         /* bytes of one; 0: none was seen */
	struct str last_line; /* told twice, it counts once */
	size_t figures;
};

static void boot_log_begin(struct boot_log *p, double ms)
{
	p->started = true;
	p->from = NULL;
	p->damaged = false;
	p->start_ms = p->last_ms = ms;
	p->starting_ms = NAN;
	for (size_t i = 0; i < BOOT_STAGES; i++)
		p->at_ms[i] = NAN;
}

static void boot_log_figure(struct boot_log *p, const char *name, double ms, bool from_first)
{
	struct sink_label from = {"from", p->from ? p->from : ""};
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
	for (size_t i = 0; p->from && i < BOOT_STAGES; i++) {
		sink_at(p->sink, p->at[i]);
		boot_log_figure(p, names[i], p->at_ms[i] - p->start_ms, true);
	}
	sink_at(p->sink, p->at[BOOT_LOGIN]);
	if (p->from)
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
	double quantum_ms;

	if (!line->n || *line->p != '[' || end < 9 || end > 40 ||
		str_chr(str_make(line->p + 1, (size_t)end - 1), '[') >= 0 ||
		boot_log_time(str_make(line->p, (size_t)end), ms, &quantum_ms))
		return -1;
	/* All have one shape, but for the digits of a day. */
	if (p->stamp && (quantum_ms != p->quantum_ms || (size_t)end + 2 < p->stamp ||
				(size_t)end > p->stamp + 2))
		return -1;
	p->stamp = (size_t)end;
	p->quantum_ms = quantum_ms;
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

static void boot_log_damaged(struct boot_log *p, const char *why)
{
	if (p->started)
		sink_warn(p->sink, "%s: the boot is not counted further", why);
	boot_log_end(p);
	p->damaged = true;
}

/* A loader begins a boot; what has no loader in the log is begun by its first line. */
static bool boot_log_begins(const struct boot_log *p, int stage)
{
	return stage == BOOT_SPL ||
	       (stage == BOOT_LOADER && !p->damaged &&
		       (!p->from || !isnan(p->at_ms[BOOT_LOADER]) || !strcmp(p->from, "loader"))) ||
	       (!p->started && !p->damaged);
}

/* "Mon ": a stamp may begin with it. */
static bool boot_log_weekday(struct str line, size_t i)
{
	return i + 3 < line.n && isupper((uint8_t)line.p[i]) && islower((uint8_t)line.p[i + 1]) &&
	       islower((uint8_t)line.p[i + 2]) && line.p[i + 3] == ' ';
}

/* Is a line end gone, so that the next stamp reads as an escape? */
static bool boot_log_swallowed(struct str line)
{
	for (size_t i = 0; i + 5 < line.n; i++)
		if (line.p[i] == 0x1b && line.p[i + 1] == '[' &&
			((boot_log_two(line, i + 2) >= 0 && line.p[i + 4] == ':') ||
				boot_log_weekday(line, i + 2)))
			return true;
	return false;
}

static void boot_log_line(struct boot_log *p, struct str line)
{
	int stage;
	double ms;

	if (boot_log_stamp(p, &line, &ms)) {
		/* What stands before the log is none of it, but the head of a torn stamp is. */
		if (str_trim(line).n && (p->started || *line.p == '['))
			boot_log_damaged(p, "a line has no stamp");
		return;
	}
	if (lines_noise(str_trim(line)) || boot_log_swallowed(line)) {
		boot_log_damaged(p, "a line is damaged");
		return;
	}
	ms += p->day_ms;
	if (p->started && ms < p->last_ms - BOOT_LOG_DAY_MS / 2) {
		p->day_ms += BOOT_LOG_DAY_MS;
		ms += BOOT_LOG_DAY_MS;
	}
	if (p->started && ms < p->last_ms)
		boot_log_damaged(p, "the time of a line goes back");
	stage = boot_log_stage(line);
	if (boot_log_begins(p, stage)) {
		boot_log_end(p);
		boot_log_begin(p, ms);
		p->from = stage == BOOT_SPL ? "spl" : stage == BOOT_LOADER ? "loader" : NULL;
	} else if (p->started && stage >= 0 && isnan(p->at_ms[stage])) {
		p->at_ms[stage] = ms;
		p->at[stage] = p->offset;
	}
	p->last_ms = ms;
	if (p->started && isnan(p->starting_ms) && lines_has(line, "Starting kernel"))
		p->starting_ms = ms;
}

/* To the line that an SPL begins in: until then nothing counts. */
static void boot_log_skip(struct str *rest)
{
	ptrdiff_t at = str_find(*rest, STR_LIT("U-Boot SPL "));
	size_t n = at < 0 ? rest->n : (size_t)at;

	while (at >= 0 && n && rest->p[n - 1] != '\n')
		n--;
	*rest = str_make(rest->p + n, rest->n - n);
}

static int boot_log_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct boot_log p = {.sink = sink};
	struct str rest = text, line;

	/* Not lines_next(): the last line is the prompt, and kernel lines stand behind stamps. */
	for (const char *at = rest.p; str_line(&rest, &line); at = rest.p) {
		if (line.n && str_eq(line, p.last_line))
			continue;
		p.last_line = line;
		p.offset = (size_t)(at - text.p);
		sink_at(sink, p.offset);
		boot_log_line(&p, line);
		if (p.damaged && !p.started)
			boot_log_skip(&rest);
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

static const char *const boot_log_marks[] = {"U-Boot SPL ", "U-Boot 2", "Starting kernel", NULL};

const struct parser boot_log_parser = {
	.d = {.name = "boot-log",
		.brief = "boot stages of a log with times of day",
		.proven = "golden cases; the shape of the AM335x PSP 04.06 guide"},
	.detect = boot_log_detect,
	.parse = boot_log_parse,
	.marks = boot_log_marks,
	.whole = true,
	.beside = true,
};
