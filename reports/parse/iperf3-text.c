/* SPDX-License-Identifier: MIT */
/*
 * iperf3's text (3.0 to 3.17), client and server. Of a test only the rows that end in "sender" or
 * "receiver" count: [SUM] where there is one, else the stream's. Invariant: the direction is the
 * role in the second column in --bidir ([TX-C], [RX-C]), and a row of datagrams of which
 * none arrived has no jitter and no loss.
 */
#include "iperf3-text.h"

#include "lines.h"

#include <stdio.h>

#define IPERF3_IDS 4096 /* descriptors that a stream may be named by */

struct iperf3_text {
	const struct sink *sink;
	bool reverse, udp, bidir, summed; /* of the test in hand */
	size_t streams, emitted;
	uint64_t ids[IPERF3_IDS / 64]; /* of the streams; a line may be told twice */
	bool lost;                     /* what was said of the test may be in a torn line */
};

static const char *iperf3_text_unit(struct str unit)
{
	static const char *const names[][2] = {{"bits/sec", "bit/s"}, {"Kbits/sec", "kbit/s"},
		{"Mbits/sec", "Mbit/s"}, {"Gbits/sec", "Gbit/s"}, {"Tbits/sec", NULL},
		{"Bytes/sec", "B/s"}, {"KBytes/sec", "KiB/s"}, {"MBytes/sec", "MiB/s"},
		{"GBytes/sec", "GiB/s"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(unit, names[i][0]))
			return names[i][1];
	return NULL;
}

static void iperf3_text_figure(struct iperf3_text *p, const char *name, double value,
	const char *unit, const struct sink_label *labels)
{
	sink_figure(p->sink, name, value, unit, labels, 3);
	p->emitted++;
}

/* "0.019 ms  0/382 (0%)" */
static void iperf3_text_losses(struct iperf3_text *p, struct str s, const struct sink_label *labels)
{
	double jitter, lost, total;

	if (!lines_number(s, &jitter, &s) || !lines_after(str_trim(s), "ms", &s) ||
		!lines_number(s, &lost, &s) || !lines_after(s, "/", &s) ||
		!lines_number(s, &total, &s))
		return;
	iperf3_text_figure(p, "iperf3.packets", total, "count", labels);
	if (total <= 0)
		return;
	iperf3_text_figure(p, "iperf3.jitter", jitter, "ms", labels);
	iperf3_text_figure(p, "iperf3.lost", lost, "count", labels);
	iperf3_text_figure(p, "iperf3.lost_percent", 100 * lost / total, "%", labels);
}

/* A row over the whole test: what stands behind "[ID][ROLE] a-b sec". */
static void iperf3_text_row(
	struct iperf3_text *p, struct str s, const char *direction, bool receiver)
{
	char streams[24];
	struct sink_label labels[3] = {{"direction", direction},
		{"protocol", p->udp ? "udp" : "tcp"}, {"streams", streams}};
	struct str words[2];
	double amount, rate, retransmits;
	const char *unit;

	if (p->lost || !p->streams) {
		sink_warn(p->sink, "iperf3: a sum of a test that is not wholly known");
		return;
	}
	snprintf(streams, sizeof streams, "%zu", p->bidir ? (p->streams + 1) / 2 : p->streams);
	if (!lines_number(s, &amount, &s) || !str_word(&s, words) || !lines_number(s, &rate, &s) ||
		!str_word(&s, words + 1) || !(unit = iperf3_text_unit(words[1])))
		return;
	iperf3_text_figure(p, receiver ? "iperf3.bw" : "iperf3.sent_bw", rate, unit, labels);
	if (p->udp && receiver)
		iperf3_text_losses(p, s, labels);
	else if (!p->udp && !receiver && lines_number(s, &retransmits, &s))
		iperf3_text_figure(p, "iperf3.retransmits", retransmits, "count", labels);
}

/* Is that stream one that no line told of yet? */
static bool iperf3_text_new(struct iperf3_text *p, struct str id)
{
	uint64_t n, bit;

	if (str_u64(id, &n) || n >= IPERF3_IDS)
		return true;
	bit = (uint64_t)1 << n % 64;
	if (p->ids[n / 64] & bit)
		return false;
	p->ids[n / 64] |= bit;
	return true;
}

static void iperf3_text_line(struct iperf3_text *p, struct str line)
{
	const char *direction = p->reverse ? "reverse" : "forward";
	bool receiver = str_ends(line, "receiver"), sum = str_starts(line, "[SUM]");
	ptrdiff_t close = str_chr(line, ']');
	double start, end;
	struct str s;

	if (!str_starts(line, "[") || close < 0)
		return;
	s = str_trim(str_make(line.p + close + 1, line.n - (size_t)close - 1));
	if (str_starts(s, "local ")) {
		p->streams += iperf3_text_new(p, str_trim(str_make(line.p + 1, (size_t)close - 1)));
		return;
	}
	if (lines_after(s, "[TX-C]", &s) || lines_after(s, "[RX-S]", &s))
		direction = "forward";
	else if (lines_after(s, "[RX-C]", &s) || lines_after(s, "[TX-S]", &s))
		direction = "reverse";
	if (!receiver && !str_ends(line, "sender"))
		return;
	if (!lines_number(s, &start, &s) || !lines_after(s, "-", &s) ||
		!lines_number(s, &end, &s) || end <= 0 || start > 0 ||
		!lines_after(str_trim(s), "sec", &s))
		return;
	if (lines_has(s, " sec ")) {
		p->lost = true;
		sink_warn(p->sink, "iperf3: two rows in one line");
		return;
	}
	if (lines_has(s, "/") && lines_has(s, " ms "))
		p->udp = true;
	/* A stream alone gives way to the sum of several. */
	if (sum == (p->summed || p->streams > (p->bidir ? 2u : 1u)))
		iperf3_text_row(p, s, direction, receiver);
}

/* What tells of the test rather than of one stream. */
static void iperf3_text_head(struct iperf3_text *p, struct str line)
{
	char version[64];

	if (str_starts(line, "Connecting to host ") || str_starts(line, "Accepted connection ")) {
		p->streams = 0;
		memset(p->ids, 0, sizeof p->ids);
		p->lost = false;
		p->reverse = p->udp = p->bidir = p->summed = false;
	}
	if (str_starts(line, "iperf 3") && line.n < sizeof version)
		sink_env(p->sink, "iperf3.version", lines_copy(line, version, sizeof version));
	p->reverse |= str_starts(line, "Reverse mode");
	p->bidir |= str_starts(line, "[ ID][Role]");
	p->udp |= lines_has(line, "Total Datagrams");
	p->summed |= str_starts(line, "[SUM]");
}

int iperf3_text_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct iperf3_text p = {.sink = sink};
	struct lines lines;
	struct str line, rest;
	char shown[200] = "";
	size_t torn = 0;

	lines_init(&lines, text, sink);
	lines.alone = lines_is_stream;
	while (lines_next(&lines, &line)) {
		line = str_trim(line);
		if (lines_after(line, "iperf3: error - ", &rest) && !*shown)
			str_printable(rest, shown, sizeof shown);
		if (torn != lines.torn)
			p.lost = true;
		torn = lines.torn;
		iperf3_text_head(&p, line);
		iperf3_text_line(&p, line);
	}
	if (*shown)
		return err_set(e, BLAME_TEST, "iperf3: %s", shown);
	return p.emitted ? 0 : lines_nothing(text, "iperf3", "JSON (-J) and no sum", e);
}
