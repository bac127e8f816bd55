/* SPDX-License-Identifier: MIT */
/*
 * Boot profiles of TI's secondary boot loader (MCU+ SDK 8.x to 11.x, bootloader_profile.c): lines
 * "[BOOTLOADER PROFILE] STAGE : N us", spelt with a blank or an underscore, with or without
 * KPI_DATA, and the tables "SBL boot time breakdown" of its data sheets. Invariant: a stage's time
 * has its unit printed beside it or in its column's head, else it is passed over.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

struct sbl_set {
	const char *media, *device; /* over what is printed; NULL: not given */
};

static const struct param sbl_params[] = {
	{"media", PARAM_STRING, offsetof(struct sbl_set, media),
		.help = "what the board started from: a loader prints OSPI for each of its modes",
		.example = "xspi-fast"},
	{"device", PARAM_STRING, offsetof(struct sbl_set, device),
		.help = "kind of device, as the guide's headings have it", .example = "hs-fs"},
	{0},
};

struct sbl {
	const struct sink *sink;
	struct sbl_set set;
	char media[ROWS_LABEL_BYTES], device[ROWS_LABEL_BYTES];
	bool second;    /* a first loader said that it starts a second one */
	bool cores;     /* lines of core names follow */
	char unit[8];   /* of the table in hand; "" : there is none */
	char last[128]; /* line of a profile: told twice, it counts once */
	size_t figures;
};

static const char *sbl_known_unit(struct str unit)
{
	static const char *const known[] = {"us", "ms", "ns", "s", NULL};

	for (size_t i = 0; known[i]; i++)
		if (str_is(unit, known[i]))
			return known[i];
	return NULL;
}

static bool sbl_is_total(struct str stage)
{
	return rows_has(stage, "total time");
}

/* One stage; value and unit are known to be whole. */
static void sbl_tell(struct sbl *p, struct str stage, double value, const char *unit)
{
	const char *media = p->set.media ? p->set.media : p->media;
	const char *device = p->set.device ? p->set.device : p->device;
	char name[ROWS_LABEL_BYTES];
	struct sink_label labels[4];
	size_t n = 0;

	if (rows_label(stage, name)) {
		sink_warn(p->sink, "a stage of the boot loader has no name that can be kept");
		return;
	}
	if (*media)
		labels[n++] = (struct sink_label){"media", media};
	if (*device)
		labels[n++] = (struct sink_label){"device", device};
	if (p->second)
		labels[n++] = (struct sink_label){"loader", "2"};
	if (!sbl_is_total(stage))
		labels[n++] = (struct sink_label){"stage", name};
	sink_figure(
		p->sink, sbl_is_total(stage) ? "sbl.total" : "sbl.stage", value, unit, labels, n);
	p->figures++;
}

static void sbl_media(struct sbl *p, struct str printed)
{
	static const struct {
		const char *printed, *media;
	} known[] = {{"emmc", "emmc"}, {"sd card", "sd"}, {"mmcsd", "sd"},
		{"fast-xspi", "xspi-fast"}, {"ospi nand", "ospi-nand"}, {"ospi", "ospi"},
		{"qspi", "qspi"}};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (!rows_has(printed, known[i].printed))
			continue;
		snprintf(p->media, sizeof p->media, "%s", known[i].media);
		return;
	}
	/* "NOR SPI FLASH" says less than what was started. */
	if (!*p->media && rows_slug(printed, p->media))
		*p->media = 0;
}

static void sbl_setting(struct sbl *p, const char *name, struct str value)
{
	char text[ROWS_LABEL_BYTES];

	if (!rows_label(value, text))
		sink_env(p->sink, name, text);
}

/* "[BOOTLOADER PROFILE] NAME : VALUE"; rest is what stands after the mark. */
static void sbl_profile(struct sbl *p, struct str rest)
{
	size_t colon = rest.n;
	char line[sizeof p->last];
	struct str name, value, printed;
	char shown[80];
	const char *unit;
	double number;

	if (!strcmp(lines_copy(rest, line, sizeof line), p->last))
		return;
	memcpy(p->last, line, sizeof line);
	while (colon && rest.p[colon - 1] != ':')
		colon--;
	if (!colon) {
		sink_warn(p->sink, "a line of the boot profile has no value");
		return;
	}
	name = str_trim(str_make(rest.p, colon - 1));
	value = str_trim(str_make(rest.p + colon, rest.n - colon));
	p->cores = str_is(name, "Cores present");
	p->unit[0] = 0;
	if (p->cores)
		return;
	if (str_is(name, "Boot Media")) {
		sbl_media(p, value);
		sbl_setting(p, "sbl.media", value);
	} else if (str_is(name, "Boot Media Clock")) {
		sbl_setting(p, "sbl.clock", value);
	} else if (str_is(name, "Boot Image Size")) {
		sbl_setting(p, "sbl.image_size", value);
	} else if (rows_number(value, &number, &printed) || !(unit = sbl_known_unit(printed))) {
		sink_warn(p->sink, "stage '%s': no time with a unit",
			str_printable(name, shown, sizeof shown));
	} else {
		sbl_tell(p, name, number, unit);
		if (sbl_is_total(name)) {
			p->second = false;
			p->media[0] = 0;
		}
	}
}

/* What stands after "[BOOTLOADER PROFILE]" in a line; false when it is none. */
static bool sbl_mark(struct str line, struct str *rest)
{
	static const char *const marks[] = {"[BOOTLOADER PROFILE]", "[BOOTLOADER_PROFILE]"};

	for (size_t i = 0; i < 2; i++) {
		ptrdiff_t at = str_find(line, str_of(marks[i]));
		size_t skip = (size_t)at + strlen(marks[i]);

		if (at < 0)
			continue;
		*rest = str_trim(str_make(line.p + skip, line.n - skip));
		return true;
	}
	return false;
}

/* "SBL Fast-xSPI NOR performance (HS-FS)" */
static void sbl_heading(struct sbl *p, struct str line)
{
	ptrdiff_t open = str_chr(line, '(');

	p->media[0] = p->device[0] = 0;
	sbl_media(p, line);
	if (open < 0 || !str_ends(line, ")") ||
		rows_slug(str_make(line.p + open + 1, line.n - (size_t)open - 2), p->device))
		p->device[0] = 0;
}

/* A row of a table whose head is known; false when it is none. */
static bool sbl_row(struct sbl *p, struct str line)
{
	struct str cells[ROWS_CELLS], printed;
	const char *unit;
	double number;

	if (rows_is_rule(line))
		return true;
	if (rows_cells(line, cells, ROWS_CELLS) != 2 || rows_number(cells[1], &number, &printed))
		return false;
	unit = printed.n ? sbl_known_unit(printed) : p->unit;
	if (!unit)
		return false;
	sbl_tell(p, cells[0], number, unit);
	if (sbl_is_total(cells[0]))
		p->unit[0] = 0;
	return true;
}

/* "SBL boot time breakdown | Time (us)" */
static bool sbl_head(struct sbl *p, struct str line)
{
	struct str cells[ROWS_CELLS];
	const char *unit = NULL;

	if (!rows_has(line, "boot time breakdown") || rows_cells(line, cells, ROWS_CELLS) != 2)
		return false;
	if (str_find(cells[1], STR_LIT("(us)")) >= 0)
		unit = "us";
	else if (str_find(cells[1], STR_LIT("(ms)")) >= 0)
		unit = "ms";
	snprintf(p->unit, sizeof p->unit, "%s", unit ? unit : "");
	if (!unit)
		sink_warn(p->sink, "the head of a boot time table tells no unit");
	return true;
}

static void sbl_line(struct sbl *p, struct str line)
{
	struct str rest;

	if (*p->unit && line.n) {
		if (sbl_row(p, line))
			return;
		p->unit[0] = 0; /* the table ended */
	}
	if (sbl_mark(line, &rest)) {
		sbl_profile(p, rest);
	} else if (sbl_head(p, line)) {
		p->cores = false;
	} else if (p->cores && line.n && !rows_has(line, " ")) {
		sbl_setting(p, "sbl.core", line);
	} else if (line.n > 3 && str_starts(line, "SBL ") && rows_has(line, "performance")) {
		sbl_heading(p, line);
	} else if (str_starts(line, "Starting ") && rows_has(line, "Bootloader ...")) {
		p->media[0] = 0;
		sbl_media(p, str_make(line.p + 9, line.n - 9));
	} else if (rows_has(line, "2nd stage bootloader")) {
		p->second = true;
	}
}

static int sbl_parse_set(const void *set, struct str text, const struct sink *sink, struct err *e)
{
	struct sbl p = {.sink = sink, .set = *(const struct sbl_set *)set};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line))
		sbl_line(&p, line);
	if (!p.figures)
		return lines_nothing(text, "sbl", "boot profile", e);
	return 0;
}

static int sbl_parse(struct str text, const struct sink *sink, struct err *e)
{
	return sbl_parse_set(&(const struct sbl_set){0}, text, sink, e);
}

static int sbl_detect(struct str text)
{
	if (str_find(text, STR_LIT("[BOOTLOADER PROFILE]")) >= 0 ||
		str_find(text, STR_LIT("[BOOTLOADER_PROFILE]")) >= 0)
		return 95;
	return str_find(text, STR_LIT("SBL boot time breakdown")) >= 0 ? 90 : 0;
}

static const char *const sbl_marks[] = {"BOOTLOADER PROFILE]", "BOOTLOADER_PROFILE]",
	"boot time breakdown", "\nSBL ", "Bootloader ...", "2nd stage bootloader", NULL};

const struct parser sbl_parser = {
	.d = {.name = "sbl",
		.brief = "boot profiles of TI's secondary boot loader",
		.params = sbl_params,
		.size = sizeof(struct sbl_set),
		.proven = "golden cases; samples of MCU+ SDK 8.5 to 9.2"},
	.detect = sbl_detect,
	.parse = sbl_parse,
	.parse_set = sbl_parse_set,
	.marks = sbl_marks,
};
