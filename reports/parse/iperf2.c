/* SPDX-License-Identifier: MIT */
/*
 * iperf 2 (2.0.5 to 2.2; its Reports.c and man page): the text form, also -e, and -y C. Of each
 * stream only the report over the whole test counts: the last that begins at 0, when no interval
 * ends after it. Invariant: a line that has a jitter is what the receiver counted, one of UDP that
 * has none is the sender's, and the letters of a byte unit are powers of 1024, those of a bit unit
 * of 1000.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

#define IPERF2_STREAMS 256
#define IPERF2_TICKS   8 /* user nice system idle iowait irq softirq steal; guests are in user */

/* Which end of the test the board was: its directions are then the board's own. */
struct iperf2_set {
	const char *board; /* "client", "server"; NULL: not told */
};
static const char *const iperf2_ends[] = {"client", "server", NULL};
static const struct param iperf2_params[] = {
	{"board", PARAM_STRING, offsetof(struct iperf2_set, board), .choices = iperf2_ends,
		.help = "which end the board was: directions are then seen from it (out, in), and "
			"a "
			"test both ways has the sum, too (both)",
		.example = "client"},
	{0},
};

struct iperf2_report {
	bool told;
	double end, rate, jitter_ms, lost, packets; /* NAN: not told */
	const char *unit;
	size_t offset;
};

struct iperf2_stream {
	char id[16];
	bool reverse;
	double last; /* end of the latest interval */
	struct iperf2_report sender, receiver;
};

/* The board's load while a test ran: the first line of /proc/stat before and behind it. */
struct iperf2_load {
	double ticks[IPERF2_TICKS]; /* when it began */
	size_t n;                   /* of them; 0: it has not begun */
	size_t lost, unfinished;    /* then */
	size_t tests;               /* told since */
	const char *direction;      /* of the last of them */
	size_t streams;
};

struct iperf2 {
	const char *board; /* as in the settings */
	struct lines lines;
	struct iperf2_load load;
	const struct sink *sink;
	bool udp, client, reported, duplex, csv;
	double listens; /* port, or -1 */
	size_t n, emitted, unfinished;
	size_t seen, own_at; /* torn lines up to its last line, and where that stands */
	bool lost;           /* what heads the test in hand may be in one of them */
	size_t local_at;     /* the last line that told of a stream */
	size_t rows_lost,
		lost_at; /* rows that cost only themselves, and where the last one ended */
	struct iperf2_stream streams[IPERF2_STREAMS];
};

/* Direction of a stream from the client, or to it. */
static const char *iperf2_way(const struct iperf2 *p, bool reverse)
{
	if (!p->board)
		return reverse ? "reverse" : "forward";
	return reverse == !strcmp(p->board, "server") ? "out" : "in";
}

static const char *iperf2_unit(struct str unit)
{
	static const char *const names[][2] = {{"bits/sec", "bit/s"}, {"Kbits/sec", "kbit/s"},
		{"Mbits/sec", "Mbit/s"}, {"Gbits/sec", "Gbit/s"}, {"Bytes/sec", "B/s"},
		{"KBytes/sec", "KiB/s"}, {"MBytes/sec", "MiB/s"}, {"GBytes/sec", "GiB/s"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(unit, names[i][0]))
			return names[i][1];
	return NULL;
}

static struct iperf2_stream *iperf2_stream(struct iperf2 *p, struct str id)
{
	for (size_t i = 0; i < p->n; i++)
		if (str_is(id, p->streams[i].id))
			return &p->streams[i];
	if (!id.n || p->n == IPERF2_STREAMS || id.n >= sizeof p->streams->id)
		return NULL;
	p->streams[p->n] = (struct iperf2_stream){.reverse = id.p[0] == '*'};
	lines_copy(id, p->streams[p->n].id, sizeof p->streams->id);
	return &p->streams[p->n++];
}

static void iperf2_figure(struct iperf2 *p, const char *name, double value, const char *unit,
	const struct sink_label *labels, size_t n)
{
	if (!isfinite(value))
		return;
	sink_figure(p->sink, name, value, unit, labels, n);
	p->emitted++;
}

static void iperf2_report(struct iperf2 *p, const struct iperf2_stream *s,
	const struct iperf2_report *r, bool receiver, const struct sink_label *labels, size_t n)
{
	/* Cut off in its rows, a first interval may stand for the whole test. */
	if (!r->told || r->end < s->last ||
		(!(s->last > 0) &&
			((r->offset < p->lost_at && p->lost_at - r->offset <= LINES_HEAD_BYTES) ||
				str_starts(p->lines.cut, "[")))) {
		p->unfinished += r->told || s->last > 0;
		return;
	}
	sink_at(p->sink, r->offset);
	iperf2_figure(p, p->udp && !receiver ? "iperf2.sent_bw" : "iperf2.bw", r->rate, r->unit,
		labels, n);
	if (!receiver)
		return;
	iperf2_figure(p, "iperf2.packets", r->packets, "count", labels, n);
	if (!(r->packets > 0))
		return;
	iperf2_figure(p, "iperf2.jitter", r->jitter_ms, "ms", labels, n);
	iperf2_figure(p, "iperf2.lost", r->lost, "count", labels, n);
	iperf2_figure(p, "iperf2.lost_percent", 100 * r->lost / r->packets, "%", labels, n);
}

static bool iperf2_is_sum(const struct iperf2_stream *s)
{
	return !strncmp(s->id, "SUM", 3) || !strncmp(s->id, "FD", 2);
}

/* The sum where there is one, else each stream. */
static void iperf2_flush_side(struct iperf2 *p, bool receiver, size_t streams, bool mixed)
{
	bool summed = false;
	char count[24];

	snprintf(count, sizeof count, "%zu", streams);
	for (size_t i = 0; i < p->n; i++)
		summed |= !strncmp(p->streams[i].id, "SUM", 3) &&
			  (receiver ? p->streams[i].receiver : p->streams[i].sender).told;
	for (size_t i = 0; i < p->n; i++) {
		const struct iperf2_stream *s = &p->streams[i];
		const struct iperf2_report *r = receiver ? &s->receiver : &s->sender;
		bool sum = iperf2_is_sum(s);
		struct sink_label labels[4] = {
			{"direction", sum && mixed ? "both" : iperf2_way(p, s->reverse)},
			{"protocol", p->udp ? "udp" : "tcp"}, {"streams", count},
			{"stream", s->id}};

		if (summed && !mixed && !sum)
			continue;
		if (r->told || (!s->sender.told && !s->receiver.told && !receiver))
			iperf2_report(p, s, r, receiver, labels,
				!sum && streams > 1 && !(mixed && streams == 2) ? 4 : 3);
	}
}

/* Both ways at once by TCP, which iperf does not sum: of the reports that were told. */
static void iperf2_sum(struct iperf2 *p, size_t streams)
{
	double rate = 0;
	char count[24];
	struct sink_label labels[3] = {
		{"direction", "both"}, {"protocol", "tcp"}, {"streams", count}};

	for (size_t i = 0; i < p->n; i++) {
		const struct iperf2_report *r = &p->streams[i].sender;

		if (iperf2_is_sum(&p->streams[i]) || !r->told || r->end < p->streams[i].last ||
			strcmp(r->unit, p->streams[0].sender.unit))
			return;
		rate += r->rate;
	}
	snprintf(count, sizeof count, "%zu", streams);
	iperf2_figure(p, "iperf2.bw", rate, p->streams[0].sender.unit, labels, ARRAY_LEN(labels));
}

/* What was told of the test that ends here. */
static void iperf2_flush(struct iperf2 *p)
{
	size_t streams = 0, reverse = 0, emitted = p->emitted;
	bool torn = p->lost;

	for (size_t i = 0; i < p->n; i++) {
		streams += !iperf2_is_sum(&p->streams[i]);
		reverse += !iperf2_is_sum(&p->streams[i]) && p->streams[i].reverse;
	}
	/* Which way and in how many streams may have been said in what was lost. */
	if (torn || (p->duplex && 2 * reverse != streams) ||
		(p->csv && p->lines.cut.n && p->lines.cut.p[0] >= '0' &&
			p->lines.cut.p[0] <= '9')) {
		p->unfinished += streams;
	} else {
		iperf2_flush_side(p, false, streams, reverse && reverse < streams);
		iperf2_flush_side(p, true, streams, reverse && reverse < streams);
		if (p->board && !p->udp && reverse && reverse < streams)
			iperf2_sum(p, streams);
	}
	p->load.tests += p->emitted > emitted;
	p->load.direction = reverse && reverse < streams ? "both" : iperf2_way(p, reverse);
	p->load.streams = streams;
	p->n = 0;
	p->duplex = false;
	p->reported = false;
}

/* "cpu  2255 34 2290 22625563 6290 127 456 0 0 0" */
static size_t iperf2_ticks(struct str s, double ticks[IPERF2_TICKS])
{
	size_t n = 0;

	if (!lines_after(s, "cpu ", &s))
		return 0;
	while (n < IPERF2_TICKS && lines_number(s, &ticks[n], &s))
		n++;
	return n < 4 ? 0 : n;
}

/* Told when one test was, whole, between the two lines. */
static void iperf2_load(struct iperf2 *p, struct str s)
{
	const struct iperf2_load *l = &p->load;
	double ticks[IPERF2_TICKS], all = 0, idle = 0;
	struct sink_metric m = SINK_METRIC("iperf2.cpu_load", 0, "%");
	char count[24];
	struct sink_label labels[3] = {{"direction", l->direction},
		{"protocol", p->udp ? "udp" : "tcp"}, {"streams", count}};
	size_t n = iperf2_ticks(s, ticks);
	bool backwards = false;

	if (!n || n != l->n || l->tests != 1 || l->lost != p->lines.lost ||
		l->unfinished != p->unfinished) {
		sink_warn(p->sink, "iperf2: no load: not one whole test between its two lines");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		double d = ticks[i] - l->ticks[i];

		backwards |= d < 0;
		all += d;
		idle += i == 3 || i == 4 ? d : 0; /* waiting for a disk is not load */
	}
	if (backwards || !(all > 0)) {
		sink_warn(p->sink, "iperf2: no load: the kernel's counters did not go forward");
		return;
	}
	snprintf(count, sizeof count, "%zu", l->streams);
	m.value = 100 * (all - idle) / all;
	m.resolution = 100 / all;
	m.labels = labels;
	m.n = ARRAY_LEN(labels);
	sink_at(p->sink, p->lines.at);
	sink_metric(p->sink, &m);
	p->emitted++;
}

static bool iperf2_load_line(struct iperf2 *p, struct str line)
{
	bool begins = lines_after(line, "iperf begin:", &line);

	if (!begins && !lines_after(line, "iperf end:", &line))
		return false;
	if (p->n)
		iperf2_flush(p);
	if (!begins)
		iperf2_load(p, line);
	p->load = (struct iperf2_load){.lost = p->lines.lost, .unfinished = p->unfinished};
	p->load.n = begins ? iperf2_ticks(line, p->load.ticks) : 0;
	return true;
}

static void iperf2_keep(
	struct iperf2 *p, struct iperf2_stream *s, double start, const struct iperf2_report *r)
{
	struct iperf2_report *to =
		isnan(r->jitter_ms) && isnan(r->packets) ? &s->sender : &s->receiver;

	p->udp |= to == &s->receiver;
	if (start > 0) {
		s->last = r->end > s->last ? r->end : s->last;
		return;
	}
	*to = *r;
	p->reported = true;
}

/* "lost/ total (0.1%)" with white space anywhere. */
static void iperf2_losses(struct str rest, struct iperf2_report *r)
{
	double lost, total, jitter;
	struct str after;

	if (lines_number(rest, &jitter, &after) && lines_after(str_trim(after), "ms ", &after)) {
		r->jitter_ms = jitter;
		rest = after;
	}
	if (!lines_number(rest, &lost, &after) || !lines_after(after, "/", &after) ||
		!lines_number(after, &total, &after) || !str_starts(str_trim(after), "("))
		return;
	r->lost = lost;
	r->packets = total;
}

/* A line of one stream: what stands behind its "[ID]". */
static void iperf2_line(struct iperf2 *p, struct str id, struct str s)
{
	struct iperf2_report r = {true, NAN, NAN, NAN, NAN, NAN, NULL, p->lines.at};
	struct iperf2_stream *stream;
	struct str words[LINES_WORDS];
	double start, amount, rate, port;
	size_t n;

	if (str_starts(s, "local ")) {
		/* Streams of one test are told of before its rows. */
		if (p->reported || (p->n && p->lost_at > p->local_at))
			iperf2_flush(p);
		p->local_at = p->lines.at;
		stream = iperf2_stream(p, id);
		n = lines_words(s, words);
		if (!stream || n < 4)
			return;
		p->duplex |= lines_has(s, "(full-duplex)");
		stream->reverse |=
			lines_has(s, "(reverse)") ||
			(p->client && !str_double(words[3], &port) && port == p->listens);
		return;
	}
	if (!lines_number(s, &start, &s) || !lines_after(s, "-", &s) ||
		!lines_number(s, &r.end, &s) || !lines_after(str_trim(s), "sec", &s) ||
		!lines_number(s, &amount, &s) || !str_word(&s, words) ||
		!lines_number(s, &rate, &s) || !str_word(&s, words + 1) ||
		!lines_has(words[0], "Byte"))
		return;
	r.unit = iperf2_unit(words[1]);
	stream = iperf2_stream(p, id);
	if (!r.unit || !stream || r.end <= start)
		return;
	r.rate = rate;
	iperf2_losses(s, &r);
	iperf2_keep(p, stream, start, &r);
}

/* date,local,port,remote,port,id,start-end,bytes,bit/s[,jitter ms,lost,total,percent,late] */
static void iperf2_csv(struct iperf2 *p, struct str s)
{
	struct iperf2_report r = {true, NAN, NAN, NAN, NAN, NAN, "bit/s", p->lines.at};
	struct iperf2_stream *stream;
	struct str field[16], after;
	double start;
	size_t n = 0;
	ptrdiff_t comma;

	for (; n < ARRAY_LEN(field) && (comma = str_chr(s, ',')) >= 0; n++) {
		field[n] = str_make(s.p, (size_t)comma);
		s = str_make(s.p + comma + 1, s.n - (size_t)comma - 1);
	}
	if (n == ARRAY_LEN(field))
		return;
	field[n++] = s;
	if ((n != 9 && n != 14) || !lines_number(field[6], &start, &after) ||
		!lines_after(after, "-", &after) || str_double(after, &r.end) ||
		str_double(field[8], &r.rate) || r.end <= start)
		return;
	if (n == 14) {
		str_double(field[9], &r.jitter_ms);
		str_double(field[10], &r.lost);
		str_double(field[11], &r.packets);
	}
	p->csv = true;
	stream = iperf2_stream(p, str_is(field[5], "-1") ? STR_LIT("SUM") : field[5]);
	if (stream)
		iperf2_keep(p, stream, start, &r);
}

static void iperf2_banner(struct iperf2 *p, struct str s)
{
	struct str words[LINES_WORDS];
	size_t n = lines_words(s, words);
	bool client = str_starts(s, "Client connecting to "), server;

	server = str_starts(s, "Server listening on ");
	if (!client && !server)
		return;
	if (p->reported)
		iperf2_flush(p);
	p->udp = lines_has(s, "UDP port");
	p->client |= client;
	for (size_t i = 0; server && i + 1 < n; i++)
		if (str_is(words[i], "port"))
			str_double(words[i + 1], &p->listens);
}

static bool iperf2_is_own(struct str line)
{
	size_t commas = 0;

	if (str_starts(line, "["))
		return lines_has(line, " sec ") || lines_has(line, "] local ");
	for (size_t i = 0; i < line.n && *line.p == '2'; i++)
		commas += line.p[i] == ',';
	return commas >= 8 || str_starts(line, "Client connecting to ") ||
	       str_starts(line, "Server listening on ");
}

/* Whether what was torn since the last line stood near one of iperf's. */
static void iperf2_torn(struct iperf2 *p)
{
	if (p->seen != p->lines.torn && p->n && lines_near_torn(&p->lines, p->own_at))
		p->lost = true;
	p->seen = p->lines.torn;
}

/* A line of iperf's. What is torn far from all of them was none. */
static void iperf2_own(struct iperf2 *p)
{
	const struct lines *l = &p->lines;
	bool near = lines_near_torn(l, l->at);

	if (near)
		p->lost = true;
	else if (!near && l->at - p->own_at > LINES_HEAD_BYTES) {
		if (p->reported)
			iperf2_flush(p);
		p->lost = p->n > 0 && p->lost;
	}
	p->own_at = l->at;
}

static int iperf2_parse_set(
	const void *set, struct str text, const struct sink *sink, struct err *e)
{
	const struct iperf2_set *conf = set;
	struct iperf2 p = {.board = conf->board, .sink = sink, .listens = -1};
	struct str line, failed = {0};
	char shown[160];

	lines_init(&p.lines, text, sink);
	p.lines.alone = lines_is_stream;
	while (lines_next(&p.lines, &line)) {
		ptrdiff_t close;

		p.lost_at = p.rows_lost == p.lines.lost_alone ? p.lost_at : p.lines.at;
		p.rows_lost = p.lines.lost_alone;
		line = str_trim(line);
		close = str_chr(line, ']');
		iperf2_torn(&p);
		if (iperf2_is_own(line))
			iperf2_own(&p);
		if (iperf2_load_line(&p, line))
			continue;
		if (str_starts(line, "[") && close > 0)
			iperf2_line(&p, str_trim(str_make(line.p + 1, (size_t)close - 1)),
				str_trim(str_make(line.p + close + 1, line.n - (size_t)close - 1)));
		else if (line.n > 14 && line.p[0] >= '0' && line.p[0] <= '9')
			iperf2_csv(&p, line);
		else if (lines_has(line, " failed: ") || lines_has(line, "unrecognized option"))
			failed = str_of(str_printable(line, shown, sizeof shown));
		else
			iperf2_banner(&p, line);
	}
	iperf2_torn(&p);
	if (p.rows_lost != p.lines.lost_alone)
		p.lost_at = text.n;
	iperf2_flush(&p);
	if (failed.n && !p.emitted)
		return err_set(e, BLAME_TEST, "iperf2: %s", shown);
	if (p.unfinished)
		sink_warn(sink,
			"iperf2: %zu streams have no report over the whole test that is certain",
			p.unfinished);
	return p.emitted ? 0 : lines_nothing(text, "iperf2", "report over a whole test", e);
}

static int iperf2_parse(struct str text, const struct sink *sink, struct err *e)
{
	const struct iperf2_set none = {NULL};

	return iperf2_parse_set(&none, text, sink, e);
}

static int iperf2_detect(struct str text)
{
	if (!lines_has(text, "connected with "))
		return 0;
	return lines_has(text, "Client connecting to ") || lines_has(text, "Server listening on ")
		       ? 90
		       : 60;
}

static const char *const iperf2_marks[] = {"Client connecting to ", "Server listening on ",
	"connected with ", "] local ", "bits/sec", "Bytes/sec", ",0.0",
	" failed: ", "unrecognized option", "iperf begin: cpu ", "iperf end: cpu ", NULL};

const struct parser iperf2_parser = {
	.d = {.name = "iperf2",
		.brief = "iperf 2, text and -y C, TCP and UDP, both directions",
		.params = iperf2_params,
		.size = sizeof(struct iperf2_set),
		.proven = "golden cases; output of iperf 2.1.8"},
	.detect = iperf2_detect,
	.parse = iperf2_parse,
	.parse_set = iperf2_parse_set,
	.marks = iperf2_marks,
};
