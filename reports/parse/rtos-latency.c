/* SPDX-License-Identifier: MIT */
/*
 * What RTOS SDKs measure at a pin: time from reset to the first sign of the application, latency
 * from the audio input to the output (MCU+ SDK 9 to 11, PDK 8 and 9). Invariant: a figure has its
 * unit and the line that says what it is of; one without either is passed over.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

struct rtos_latency {
	const struct sink *sink;
	char media[ROWS_LABEL_BYTES]; /* of the boot; "": not told */
	char rate[ROWS_LABEL_BYTES];  /* of the audio, in Hz */
	/* What the next time is of; event "": nothing. */
	char event[16], core[ROWS_LABEL_BYTES];
	const char *post; /* NULL: not told */
	size_t figures;
};

static struct str rtos_latency_bare(struct str line)
{
	static const char *const bullets[] = {"\xe2\x80\xa2", "*", "-"};

	for (size_t i = 0; i < sizeof bullets / sizeof bullets[0]; i++)
		if (str_starts(line, bullets[i]))
			return str_trim(
				str_make(line.p + strlen(bullets[i]), line.n - strlen(bullets[i])));
	return line;
}

/* "R5FSS0_0 boot time using Fast-xSPI Bootmode" */
static void rtos_latency_media(struct rtos_latency *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT(" time using "));
	char mode[ROWS_LABEL_BYTES];
	struct str name;

	if (at < 0)
		return;
	name = str_make(line.p + at + 12, line.n - (size_t)at - 12);
	at = str_find(name, STR_LIT(" Bootmode"));
	if (at <= 0 || rows_slug(str_make(name.p, (size_t)at), mode))
		return;
	/* the fast one is a kind of it: "xspi-fast" */
	if (!strncmp(mode, "fast-", 5))
		snprintf(p->media, sizeof p->media, "%.80s-fast", mode + 5);
	else
		snprintf(p->media, sizeof p->media, "%s", mode);
}

static void rtos_latency_expect(struct rtos_latency *p, const char *event, const char *post)
{
	snprintf(p->event, sizeof p->event, "%s", event);
	p->core[0] = 0;
	p->post = post;
}

/* "GPIO toggle time from R5FSS0_0 (Measured from PORz)" */
static void rtos_latency_core(struct rtos_latency *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT(" from "));
	struct str word, rest;

	if (at < 0)
		return;
	rest = str_make(line.p + at + 6, line.n - (size_t)at - 6);
	if (!str_word(&rest, &word) || rows_slug(word, p->core))
		p->core[0] = 0;
	for (char *c = p->core; *c; c++)
		*c = *c == '_' ? '-' : *c;
}

/* "McASP operating at 48KHz, I2S mode" */
static void rtos_latency_rate(struct rtos_latency *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT("operating at "));
	struct str rest;
	double value;

	p->rate[0] = 0;
	if (at < 0 ||
		!lines_number(str_make(line.p + at + 13, line.n - (size_t)at - 13), &value, &rest))
		return;
	rest = str_trim(rest);
	if (rows_has(str_make(rest.p, rest.n < 3 ? rest.n : 3), "khz"))
		snprintf(p->rate, sizeof p->rate, "%.0f", value * 1000);
	else if (rows_has(str_make(rest.p, rest.n < 2 ? rest.n : 2), "hz"))
		snprintf(p->rate, sizeof p->rate, "%.0f", value);
}

/* "Rx To Tx pin to pin latency ~126us" */
static void rtos_latency_audio(struct rtos_latency *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT("pin latency"));
	struct sink_label labels[] = {{"device", "mcasp"}, {"rate", p->rate}};
	struct str rest = str_trim(str_make(line.p + at + 11, line.n - (size_t)at - 11)), unit;
	double value;

	while (rest.n && strchr("~:=", *rest.p))
		rest = str_trim(str_make(rest.p + 1, rest.n - 1));
	if (rows_number(rest, &value, &unit) || !(str_is(unit, "us") || str_is(unit, "ms")))
		return;
	sink_figure(p->sink, "audio.latency", value, str_is(unit, "us") ? "us" : "ms", labels,
		*p->rate ? 2 : 1);
	p->figures++;
}

static void rtos_latency_time(struct rtos_latency *p, struct str line)
{
	struct sink_label labels[4] = {{"event", p->event}};
	struct str unit;
	double value;
	size_t n = 1;

	if (rows_number(line, &value, &unit) || !(str_is(unit, "ms") || str_is(unit, "us"))) {
		sink_warn(p->sink, "no time with its unit where that of '%s' is told", p->event);
	} else {
		if (*p->core)
			labels[n++] = (struct sink_label){"core", p->core};
		if (*p->media && !p->post)
			labels[n++] = (struct sink_label){"media", p->media};
		if (p->post)
			labels[n++] = (struct sink_label){"post", p->post};
		sink_figure(p->sink, "boot.response", value, str_is(unit, "ms") ? "ms" : "us",
			labels, n);
		p->figures++;
	}
	p->event[0] = 0;
}

static void rtos_latency_cell(struct rtos_latency *p, struct str cell)
{
	if (str_is(cell, "Early CAN")) {
		rtos_latency_expect(p, "can", "off");
	} else if (str_is(cell, "POST + Early CAN")) {
		rtos_latency_expect(p, "can", "on");
	} else if (str_starts(cell, "GPIO toggle time")) {
		rtos_latency_expect(p, "gpio", NULL);
		rtos_latency_core(p, cell);
	} else if (rows_has(cell, "audio out time")) {
		rtos_latency_expect(p, "audio", NULL);
	} else if (str_find(cell, STR_LIT("pin latency")) >= 0) {
		rtos_latency_audio(p, cell);
	} else if (rows_has(cell, "mcasp operating")) {
		rtos_latency_rate(p, cell);
	} else if (*p->event) {
		rtos_latency_time(p, cell);
	} else {
		rtos_latency_media(p, cell);
	}
}

static int rtos_latency_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct rtos_latency p = {.sink = sink};
	struct lines lines;
	struct str line, cells[ROWS_CELLS];

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		size_t n = rows_is_rule(line) ? 0 : rows_cells(line, cells, ROWS_CELLS);

		for (size_t i = 0; i < n; i++) {
			struct str cell = rtos_latency_bare(cells[i]);

			if (cell.n)
				rtos_latency_cell(&p, cell);
		}
	}
	return p.figures ? 0 : lines_nothing(text, "rtos-latency", "time at a pin", e);
}

static int rtos_latency_detect(struct str text)
{
	return str_find(text, STR_LIT("Early CAN")) >= 0 ||
			       str_find(text, STR_LIT("pin latency")) >= 0 ||
			       str_find(text, STR_LIT("GPIO toggle time")) >= 0
		       ? 85
		       : 0;
}

static const char *const rtos_latency_marks[] = {"Early CAN", "GPIO toggle time", "audio out time",
	"pin latency", "mcasp operating", " Bootmode", NULL};

const struct parser rtos_latency_parser = {
	.d = {.name = "rtos-latency",
		.brief = "boot response and audio latency of RTOS SDKs",
		.proven = "golden cases; lines of MCU+ SDK 11 and the J721E PDK 8"},
	.detect = rtos_latency_detect,
	.parse = rtos_latency_parse,
	.marks = rtos_latency_marks,
};
