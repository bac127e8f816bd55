/* SPDX-License-Identifier: MIT */
/*
 * Frame rates that tools on the board log: modetest -v (libdrm 2.4), kmscube, GStreamer's
 * fpsdisplaysink (1.x, verbose), v4l2-ctl --stream-mmap (v4l-utils 1.2x). A tool that tells its
 * rate again and again makes one figure: mean, least and most. Invariant: a rate that is not whole
 * in its line counts for nothing.
 */
#include "parsers.h"
#include "rows.h"

enum frames_tool { FRAMES_MODETEST, FRAMES_KMSCUBE, FRAMES_GSTREAMER, FRAMES_V4L2, FRAMES_TOOLS };

struct frames_rate {
	double sum, min, max;
	size_t n;
	bool lost; /* one of them may be in a damaged line */
};

struct frames {
	struct frames_rate rates[FRAMES_TOOLS];
	struct frames_rate *last; /* what was told of last, and where */
	size_t last_at;
	const struct lines *lines;
};

static void frames_add(struct frames *p, enum frames_tool tool, double rate)
{
	struct frames_rate *r = &p->rates[tool];

	r->min = !r->n || rate < r->min ? rate : r->min;
	r->max = !r->n || rate > r->max ? rate : r->max;
	r->sum += rate;
	r->n++;
	r->lost |= lines_near_torn(p->lines, p->lines->at);
	p->last = r;
	p->last_at = p->lines->at;
}

/* The number between two marks of a line, and nothing else between them. */
static bool frames_between(struct str line, const char *before, const char *after, double *rate)
{
	ptrdiff_t at = str_find(line, str_of(before)), end;
	struct str rest;

	if (at < 0)
		return false;
	rest = str_make(line.p + at + strlen(before), line.n - (size_t)at - strlen(before));
	end = *after ? str_find(rest, str_of(after)) : (ptrdiff_t)rest.n;
	return end >= 0 && !rows_plain(str_trim(str_make(rest.p, (size_t)end)), "", rate);
}

/* "<<<<<<<< 29.97 fps", "<<<< 30.00 fps, dropped buffers: 2" */
static bool frames_v4l2(struct str line, double *rate)
{
	size_t n = 0;
	ptrdiff_t end;

	while (n < line.n && (line.p[n] == '<' || line.p[n] == '>'))
		n++;
	line = str_make(line.p + n, line.n - n);
	end = str_find(line, STR_LIT(" fps"));
	if (!n || end < 0 || ((size_t)end + 4 < line.n && line.p[end + 4] != ','))
		return false;
	return !rows_plain(str_trim(str_make(line.p, (size_t)end)), "", rate);
}

static void frames_line(struct frames *p, struct str line)
{
	double rate;

	if (str_starts(line, "freq:") && frames_between(line, "freq:", "Hz", &rate))
		frames_add(p, FRAMES_MODETEST, rate);
	else if (str_starts(line, "Rendered ") && frames_between(line, " sec (", " fps)", &rate))
		frames_add(p, FRAMES_KMSCUBE, rate);
	else if (lines_has(line, "last-message = rendered:") &&
		 frames_between(line, ", current:", ", average:", &rate))
		frames_add(p, FRAMES_GSTREAMER, rate);
	else if (frames_v4l2(line, &rate))
		frames_add(p, FRAMES_V4L2, rate);
}

static size_t frames_tell(const struct frames *p, const struct sink *sink)
{
	static const char *const tools[FRAMES_TOOLS] = {
		"modetest", "kmscube", "gstreamer", "v4l2-ctl"};
	size_t told = 0;

	for (size_t i = 0; i < FRAMES_TOOLS; i++) {
		const struct frames_rate *r = &p->rates[i];
		struct sink_label by = {"by", tools[i]};
		struct sink_metric m =
			SINK_METRIC(i == FRAMES_V4L2 ? "capture.fps" : "display.fps", 0, "fps");

		if (!r->n)
			continue;
		if (r->lost) {
			sink_warn(sink, "%s: a rate may be lost, and so is the mean", tools[i]);
			told++;
			continue;
		}
		m.value = r->sum / (double)r->n;
		m.min = r->n > 1 ? r->min : NAN;
		m.max = r->n > 1 ? r->max : NAN;
		m.labels = &by;
		m.n = 1;
		sink_metric(sink, &m);
		told++;
	}
	return told;
}

/* The line behind the last rate, or near it, was damaged. */
static void frames_torn(struct frames *p)
{
	if (p->last && (p->lines->cut.n || lines_near_torn(p->lines, p->last_at)))
		p->last->lost = true;
}

static int frames_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lines lines;
	struct frames p = {.lines = &lines};
	size_t torn = 0;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		if (torn != lines.torn)
			frames_torn(&p);
		torn = lines.torn;
		frames_line(&p, line);
	}
	if (torn != lines.torn || (lines.cut.n && lines.noise))
		frames_torn(&p);
	return frames_tell(&p, sink) ? 0 : lines_nothing(text, "frames", "frame rate", e);
}

static int frames_detect(struct str text)
{
	if (str_find(text, STR_LIT("last-message = rendered:")) >= 0)
		return 90;
	if (str_find(text, STR_LIT(" sec (")) >= 0 && str_find(text, STR_LIT(" fps)")) >= 0)
		return 80;
	if (str_find(text, STR_LIT("<<< ")) >= 0 && str_find(text, STR_LIT(" fps")) >= 0)
		return 80;
	return str_starts(text, "freq: ") || str_find(text, STR_LIT("\nfreq: ")) >= 0 ? 60 : 0;
}

static const char *const frames_marks[] = {
	"\nfreq:", " freq:", "\tfreq:", " fps", "last-message = rendered:", NULL};

const struct parser frames_parser = {
	.d = {.name = "frames",
		.brief = "frame rates of display and capture",
		.proven = "golden cases"},
	.detect = frames_detect,
	.parse = frames_parse,
	.marks = frames_marks,
};
