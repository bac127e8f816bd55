/* SPDX-License-Identifier: MIT */
/*
 * CPU load of aplay and arecord (alsa-utils 1.1 to 1.2): run under `time -v` (GNU time 1.7 to 1.9),
 * and the tables of TI's PSP guides. Invariant: a load belongs to the stream that was announced
 * last before it, and to one only.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

struct alsa {
	const struct sink *sink;
	const struct lines *lines;
	const char *metric; /* of the stream or table in hand; NULL: none */
	bool stream, table; /* which of both it is */
	size_t stream_at;   /* where the stream was announced */
	bool lost;          /* what heads the next table may be in a line that is lost */
	char rate[16], channels[16], format[24], period[16]; /* "" : not told */
	size_t figures;
};

static void alsa_tell(struct alsa *p, double load, double quantum)
{
	struct sink_metric m = SINK_METRIC(p->metric, load, "%");
	struct sink_label labels[4];
	size_t n = 0;

	if (*p->rate)
		labels[n++] = (struct sink_label){"rate", p->rate};
	if (*p->channels)
		labels[n++] = (struct sink_label){"channels", p->channels};
	if (*p->format)
		labels[n++] = (struct sink_label){"format", p->format};
	if (*p->period)
		labels[n++] = (struct sink_label){"period", p->period};
	m.resolution = quantum;
	m.labels = labels;
	m.n = n;
	sink_metric(p->sink, &m);
	p->figures++;
}

/* "Signed 16 bit Little Endian" is S16_LE. */
static void alsa_format(struct str told, char out[24])
{
	struct str words[LINES_WORDS];
	size_t n = lines_words(told, words);
	uint64_t bits;

	out[0] = 0;
	if (n != 5 || str_u64(words[1], &bits) || bits > 64 || !str_is(words[2], "bit") ||
		!str_is(words[4], "Endian"))
		return;
	snprintf(out, 24, "%c%u_%s",
		str_is(words[0], "Signed")  ? 'S'
		: str_is(words[0], "Float") ? 'F'
					    : 'U',
		(unsigned)bits, str_is(words[3], "Little") ? "LE" : "BE");
}

/* "Playing WAVE 'x.wav' : Signed 16 bit Little Endian, Rate 44100 Hz, Stereo" */
static bool alsa_stream(struct alsa *p, struct str line)
{
	const char *metric = str_starts(line, "Playing ")     ? "alsa.playback.cpu_load"
			     : str_starts(line, "Recording ") ? "alsa.capture.cpu_load"
							      : NULL;
	ptrdiff_t at = str_find(line, STR_LIT("' : "));
	ptrdiff_t rate = str_find(line, STR_LIT(", Rate "));
	struct str words[LINES_WORDS], rest;
	uint64_t hz;

	if (!metric || at < 0 || rate < at)
		return false;
	p->metric = NULL;
	p->table = false;
	p->period[0] = p->channels[0] = p->rate[0] = 0;
	alsa_format(str_make(line.p + at + 4, (size_t)(rate - at) - 4), p->format);
	rest = str_make(line.p + rate + 7, line.n - (size_t)rate - 7);
	if (lines_words(rest, words) < 3 || str_u64(words[0], &hz) || !str_is(words[1], "Hz,")) {
		sink_warn(p->sink, "a stream tells no rate: its load is passed over");
		return true;
	}
	p->metric = metric;
	p->stream = true;
	p->stream_at = p->lines->at;
	snprintf(p->rate, sizeof p->rate, "%llu", (unsigned long long)hz);
	if (str_is(words[2], "Mono"))
		snprintf(p->channels, sizeof p->channels, "1");
	else if (str_is(words[2], "Stereo"))
		snprintf(p->channels, sizeof p->channels, "2");
	else if (str_is(words[2], "Channels") && lines_words(rest, words) > 3 && words[3].n < 8)
		lines_copy(words[3], p->channels, sizeof p->channels);
	return true;
}

/* "2. Channels - 2": what a guide says before its tables. */
static void alsa_setting(struct str line, const char *name, char *out, size_t size)
{
	ptrdiff_t at = str_find(line, str_of(name));
	struct str value;

	if (at < 0)
		return;
	value = str_trim(str_make(line.p + at + strlen(name), line.n - (size_t)at - strlen(name)));
	if (value.n && value.n < size && str_chr(value, ' ') < 0)
		lines_copy(value, out, size);
}

static void alsa_context(struct alsa *p, struct str line)
{
	alsa_setting(line, "Channels - ", p->channels, sizeof p->channels);
	alsa_setting(line, "Format - ", p->format, sizeof p->format);
	alsa_setting(line, "Period size - ", p->period, sizeof p->period);
	p->table = false;
	if (rows_has(line, "audio playback"))
		p->metric = "alsa.playback.cpu_load";
	else if (rows_has(line, "audio capture"))
		p->metric = "alsa.capture.cpu_load";
	else
		return;
	p->stream = false;
}

static void alsa_row(struct alsa *p, const struct str *cells)
{
	double rate, load;

	if (rows_plain(cells[0], "", &rate) || rows_plain(cells[1], "%", &load) ||
		cells[0].n >= sizeof p->rate) {
		sink_warn(p->sink, "a row of the table has no load, and is passed over");
		return;
	}
	lines_copy(cells[0], p->rate, sizeof p->rate);
	alsa_tell(p, load, 0);
}

/* Is a load that is told here the stream's? Not if another may have been announced since. */
static bool alsa_is_streams(const struct alsa *p)
{
	return p->metric && p->stream && !lines_near_torn(p->lines, p->lines->at);
}

static void alsa_line(struct alsa *p, struct str line)
{
	struct str cells[ROWS_CELLS], rest;
	double load;
	size_t n;

	if (rows_is_rule(line) || alsa_stream(p, line))
		return;
	if (lines_after(line, "Percent of CPU this job got:", &rest)) {
		if (alsa_is_streams(p) && lines_unit(rest, "%", &load))
			alsa_tell(p, load, 1);
		else
			sink_warn(p->sink, "a CPU load that is no stream's is passed over");
		p->metric = NULL;
		p->table = false;
		return;
	}
	n = rows_cells(line, cells, ROWS_CELLS);
	if (n == 2 && rows_has(cells[0], "sampling rate (in hz)"))
		p->table = p->metric && !p->stream && !p->lost && rows_has(cells[1], "cpu load");
	else if (n == 2 && p->table)
		alsa_row(p, cells);
	else if (n < 2)
		alsa_context(p, line);
}

static int alsa_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lines lines;
	struct alsa p = {.sink = sink, .lines = &lines};
	struct str line;
	size_t torn = 0;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		if (torn != lines.torn) {
			p.table = false;
			p.stream &= !lines_near_torn(&lines, p.stream_at);
		}
		torn = lines.torn;
		p.lost = lines_near_torn(&lines, lines.at);
		alsa_line(&p, line);
	}
	return p.figures ? 0 : lines_nothing(text, "alsa", "CPU load of a stream", e);
}

static int alsa_detect(struct str text)
{
	bool stream = str_find(text, STR_LIT("Playing WAVE '")) >= 0 ||
		      str_find(text, STR_LIT("Recording WAVE '")) >= 0;

	if (stream && str_find(text, STR_LIT("Percent of CPU this job got:")) >= 0)
		return 92;
	return str_find(text, STR_LIT("Sampling Rate (in Hz)")) >= 0 ? 85 : 0;
}

static const char *const alsa_marks[] = {
	", Rate ", "Percent of CPU this job got:", "sampling rate (in hz)", NULL};

const struct parser alsa_parser = {
	.d = {.name = "alsa",
		.brief = "CPU load of aplay and arecord",
		.proven = "golden cases; alsa-utils 1.2, GNU time 1.9, tables of PSP 04.06"},
	.detect = alsa_detect,
	.parse = alsa_parse,
	.marks = alsa_marks,
	.beside = true,
};
