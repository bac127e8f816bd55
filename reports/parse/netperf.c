/* SPDX-License-Identifier: MIT */
/*
 * netperf 2.4 to 2.7 (its manual, "Classic Tests" and "Omni Output Selection"): the classic tables,
 * also with -c and -C, and the omni output of -k (KEY=VALUE) and -o (a header and a row of values).
 * Invariant: a figure counts only under a banner or a unit that says what it is; a load of -1 was
 * not measured.
 */
#include "lines.h"
#include "netperf-guide.h"
#include "parsers.h"

#include <ctype.h>
#include <stdio.h>

enum netperf_key {
	NETPERF_THROUGHPUT,
	NETPERF_UNITS,
	NETPERF_SENT,
	NETPERF_RECEIVED,
	NETPERF_CPU_LOCAL,
	NETPERF_CPU_REMOTE,
	NETPERF_LATENCY,
	NETPERF_P99,
	NETPERF_ELAPSED,
	NETPERF_SEND_SIZE, /* bytes */
	NETPERF_BYTES_SENT,
	NETPERF_BYTES_RECEIVED,
	NETPERF_KEYS
};

static const char *const netperf_keys[NETPERF_KEYS][2] = {
	[NETPERF_THROUGHPUT] = {"THROUGHPUT", "Throughput"},
	[NETPERF_UNITS] = {"THROUGHPUT_UNITS", "Throughput Units"},
	[NETPERF_SENT] = {"LOCAL_SEND_THROUGHPUT", "Local Send Throughput"},
	[NETPERF_RECEIVED] = {"REMOTE_RECV_THROUGHPUT", "Remote Recv Throughput"},
	[NETPERF_CPU_LOCAL] = {"LOCAL_CPU_UTIL", "Local CPU Util %"},
	[NETPERF_CPU_REMOTE] = {"REMOTE_CPU_UTIL", "Remote CPU Util %"},
	[NETPERF_LATENCY] = {"MEAN_LATENCY", "Mean Latency Microseconds"},
	[NETPERF_P99] = {"P99_LATENCY", "99th Percentile Latency Microseconds"},
	[NETPERF_ELAPSED] = {"ELAPSED_TIME", "Elapsed Time (sec)"},
	[NETPERF_SEND_SIZE] = {"LOCAL_SEND_SIZE", "Local Send Size"},
	[NETPERF_BYTES_SENT] = {"LOCAL_BYTES_SENT", "Local Bytes Sent"},
	[NETPERF_BYTES_RECEIVED] = {"REMOTE_BYTES_RECVD", "Remote Bytes Received"},
};

struct netperf {
	const struct sink *sink;
	char test[64];               /* "tcp_stream"; "": no banner yet */
	bool rr, udp, loads, header; /* of the classic table: it is a row's turn, with CPU load */
	unsigned rows;
	size_t words;             /* of its first row */
	bool lost;                /* a banner or a head may be in a torn line */
	size_t own_at;            /* its last line */
	double messages, seconds; /* that its first row tells */
	const char *unit;
	size_t emitted;
	struct netperf_guide guide;
	/* Omni. */
	char names[2048];            /* the header of -o */
	double values[NETPERF_KEYS]; /* NAN: not told */
	const char *units;
};

static const char *netperf_unit(struct str s)
{
	static const char *const names[][2] = {{"10^3bits/s", "kbit/s"}, {"10^6bits/s", "Mbit/s"},
		{"10^9bits/s", "Gbit/s"}, {"Trans/s", "1/s"}, {"KBytes", "KiB/s"},
		{"MBytes", "MiB/s"}, {"GBytes", "GiB/s"}, {"per sec", "1/s"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (lines_has(s, names[i][0]))
			return names[i][1];
	return NULL;
}

static void netperf_figure(struct netperf *p, const char *name, double value, const char *unit)
{
	struct sink_label label = {"test", p->test};

	if (!isfinite(value) || value < 0 || !unit || p->lost)
		return;
	sink_figure(p->sink, name, value, unit, &label, *p->test ? 1 : 0);
	p->emitted++;
}

/* Datagrams of which the receiver counted some; none sent tells nothing. */
static void netperf_packets(struct netperf *p, double sent, double received, double seconds)
{
	if (seconds > 0)
		netperf_figure(p, "netperf.packet_rate", received / seconds, "packets/s");
	if (sent > 0 && received <= sent)
		netperf_figure(p, "netperf.lost_percent", 100 * (sent - received) / sent, "%");
}

/* What the omni output told so far. */
static void netperf_omni(struct netperf *p)
{
	const double *v = p->values;
	bool rate = p->units && !strcmp(p->units, "1/s"), told = false;

	for (int i = 0; i < NETPERF_KEYS; i++)
		told |= !isnan(v[i]);
	if (told && isfinite(v[NETPERF_THROUGHPUT]) && !p->units)
		sink_warn(p->sink, "netperf: a throughput without its units is passed over");
	netperf_figure(p,
		rate     ? "netperf.rate"
		: p->udp ? "netperf.sent_bw"
			 : "netperf.bw",
		v[NETPERF_THROUGHPUT], p->units);
	if (!rate) {
		if (!p->udp || isnan(v[NETPERF_THROUGHPUT]))
			netperf_figure(p, "netperf.sent_bw", v[NETPERF_SENT], p->units);
		if (p->udp || isnan(v[NETPERF_THROUGHPUT]))
			netperf_figure(p, "netperf.bw", v[NETPERF_RECEIVED], p->units);
	}
	netperf_figure(p, "netperf.latency", v[NETPERF_LATENCY], "us");
	netperf_figure(p, "netperf.latency_p99", v[NETPERF_P99], "us");
	netperf_figure(p, "netperf.cpu_local", v[NETPERF_CPU_LOCAL], "%");
	netperf_figure(p, "netperf.cpu_remote", v[NETPERF_CPU_REMOTE], "%");
	netperf_figure(p, "netperf.elapsed", v[NETPERF_ELAPSED], "s");
	if (p->udp && !p->rr && v[NETPERF_SEND_SIZE] > 0)
		netperf_packets(p, v[NETPERF_BYTES_SENT] / v[NETPERF_SEND_SIZE],
			v[NETPERF_BYTES_RECEIVED] / v[NETPERF_SEND_SIZE], v[NETPERF_ELAPSED]);
	for (int i = 0; i < NETPERF_KEYS; i++)
		p->values[i] = NAN;
	p->units = NULL;
	p->names[0] = '\0';
}

static void netperf_banner(struct netperf *p, struct str s)
{
	struct str name = str_make(s.p, (size_t)str_find(s, STR_LIT(" TEST ")));
	size_t n = 0;

	netperf_omni(p);
	p->lost = false;
	lines_after(name, "MIGRATED ", &name);
	for (; n < name.n && n + 1 < sizeof p->test; n++)
		p->test[n] = isalnum((unsigned char)name.p[n])
				     ? (char)tolower((unsigned char)name.p[n])
				     : '_';
	p->test[n] = '\0';
	p->rr = lines_has(name, "REQUEST/RESPONSE") || lines_has(name, "Request/Response");
	if (p->rr)
		snprintf(p->test + (p->test[0] ? 3 : 0), 5, "%s",
			lines_has(name, "onnect") ? "_crr" : "_rr");
	if (lines_has(name, "UNIDIRECTIONAL SEND"))
		snprintf(p->test, sizeof p->test, "udp_stream");
	p->udp = lines_has(name, "UDP");
	p->loads = p->header = false;
	p->rows = 0;
	p->unit = NULL;
}

static void netperf_set(struct netperf *p, struct str name, int column, struct str value)
{
	for (int i = 0; i < NETPERF_KEYS; i++) {
		if (!str_is(str_trim(name), netperf_keys[i][column]))
			continue;
		if (i == NETPERF_UNITS)
			p->units = netperf_unit(value);
		else
			str_double(str_trim(value), &p->values[i]);
	}
}

static bool netperf_cell(struct str *rest, struct str *cell)
{
	ptrdiff_t comma = str_chr(*rest, ',');

	if (!rest->p)
		return false;
	if (comma < 0) {
		*cell = *rest;
		*rest = (struct str){0};
		return true;
	}
	*cell = str_make(rest->p, (size_t)comma);
	*rest = str_make(rest->p + comma + 1, rest->n - (size_t)comma - 1);
	return true;
}

static size_t netperf_cells(struct str s)
{
	size_t n = 0;
	struct str cell;

	while (netperf_cell(&s, &cell))
		n++;
	return n;
}

/* The row under the header of -o. */
static void netperf_row(struct netperf *p, struct str s)
{
	struct str names = str_of(p->names), name, value;

	if (netperf_cells(names) != netperf_cells(s)) {
		sink_warn(p->sink, "netperf: a row that does not have its header's columns");
		p->names[0] = '\0';
		return;
	}
	while (netperf_cell(&names, &name) && netperf_cell(&s, &value))
		netperf_set(p, name, 1, value);
	netperf_omni(p);
}

/* A row of numbers under a classic table's head. */
static void netperf_table(struct netperf *p, const struct str *words, size_t n)
{
	double v[LINES_WORDS];
	size_t at = p->rr ? 5 : p->udp ? 5 : 4;

	if (n > 12)
		return;
	for (size_t i = 0; i < n; i++)
		if (str_double(words[i], &v[i]))
			return;
	/* A row that is told twice is not the other side's. */
	if (p->rows && p->udp && !p->rr && n == p->words)
		return;
	if (!p->rows)
		p->words = n, p->messages = NAN, p->seconds = NAN;
	p->rows++;
	if (p->udp && !p->rr && p->rows == 2 && n >= 4) {
		netperf_figure(p, "netperf.bw", v[3], p->unit);
		/* of the same test: it took as long */
		if (v[1] == p->seconds)
			netperf_packets(p, p->messages, v[2], v[1]);
		if (p->loads && n >= 5)
			netperf_figure(p, "netperf.cpu_remote", v[4], "%");
		p->header = false;
		return;
	}
	if (p->rows > 1 || n < at + 1 + (p->loads ? 1 : 0))
		return;
	netperf_figure(p,
		p->rr    ? "netperf.rate"
		: p->udp ? "netperf.sent_bw"
			 : "netperf.bw",
		v[at], p->unit);
	if (p->udp && !p->rr)
		p->messages = v[3], p->seconds = v[2];
	netperf_figure(p, "netperf.elapsed", v[p->udp && !p->rr ? 2 : at - 1], "s");
	if (p->loads)
		netperf_figure(p, "netperf.cpu_local", v[at + 1], "%");
	if (p->loads && (p->rr || !p->udp) && n > at + 2)
		netperf_figure(p, "netperf.cpu_remote", v[at + 2], "%");
}

/* Lines that a program kept as strings of a JSON array. */
static struct str netperf_unquote(struct str line)
{
	struct str s = str_trim(line);

	if (!str_starts(s, "\"") || !(str_ends(s, "\"") || str_ends(s, "\",")))
		return line;
	s.n -= s.p[s.n - 1] == ',';
	return s.n > 2 ? str_make(s.p + 1, s.n - 2) : str_make("", 0);
}

static void netperf_line(struct netperf *p, struct str line)
{
	struct str words[LINES_WORDS], trimmed = str_trim(line);
	ptrdiff_t equals = str_chr(trimmed, '=');
	size_t n = lines_words(line, words);

	if (lines_has(trimmed, " TEST ") && lines_has(trimmed, " from ")) {
		netperf_banner(p, trimmed);
	} else if (p->names[0]) {
		netperf_row(p, trimmed);
	} else if (lines_has(trimmed, "Throughput") && str_chr(trimmed, ',') >= 0) {
		netperf_omni(p);
		lines_copy(trimmed, p->names, sizeof p->names);
	} else if (equals > 0) {
		struct str key = str_make(trimmed.p, (size_t)equals);

		/* The same key again: another test's. */
		if (str_is(key, "THROUGHPUT") && !isnan(p->values[NETPERF_THROUGHPUT]))
			netperf_omni(p);
		netperf_set(p, key, 0,
			str_make(trimmed.p + equals + 1, trimmed.n - (size_t)equals - 1));
	} else if (*p->test && (lines_has(trimmed, "Utilization") || lines_has(trimmed, "CPU"))) {
		p->loads = true;
	} else if (*p->test && lines_has(trimmed, "secs") && lines_has(trimmed, "ytes ")) {
		ptrdiff_t from = str_find(trimmed, STR_LIT("secs"));

		/* The unit stands behind the time's; before it, bytes are the sockets'. */
		p->unit = netperf_unit(str_make(trimmed.p + from, trimmed.n - (size_t)from));
		p->header = p->unit != NULL;
		p->rows = 0;
	} else if (p->header && n) {
		netperf_table(p, words, n);
	}
}

/* May it be netperf's? A key is in capitals. */
static bool netperf_is_own(const struct netperf *p, struct str line)
{
	ptrdiff_t equals = str_chr(line, '=');

	return p->names[0] || p->header || equals > 2 || lines_has(line, " TEST ") ||
	       lines_has(line, "Throughput") || lines_has(line, "ytes ") ||
	       lines_has(line, "Socket");
}

static int netperf_parse(struct str text, const struct sink *sink, struct err *e)
{
	static const char *const faults[] = {"netserver listening", "control connection",
		"send_omni: ", "recv_response", "connect failed", "Name or service not known"};
	struct netperf p = {.sink = sink};
	char shown[160] = "";
	struct lines lines;
	struct str line;
	size_t torn = 0;

	for (int i = 0; i < NETPERF_KEYS; i++)
		p.values[i] = NAN;
	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		line = netperf_unquote(line);
		p.lost |= torn != lines.torn && lines_near_torn(&lines, p.own_at);
		torn = lines.torn;
		if (netperf_is_own(&p, line)) {
			p.lost |= lines_near_torn(&lines, lines.at);
			/* Far from the last line: another test's. */
			if (!lines_near_torn(&lines, lines.at) &&
				lines.at - p.own_at > LINES_HEAD_BYTES)
				p.lost = false;
			p.own_at = lines.at;
		}
		netperf_line(&p, line);
		p.emitted += netperf_guide_line(&p.guide, &lines, line, sink);
		for (size_t i = 0; i < ARRAY_LEN(faults) && !*shown; i++)
			if (lines_has(line, faults[i]))
				str_printable(line, shown, sizeof shown);
	}
	p.lost |= torn != lines.torn && lines_near_torn(&lines, p.own_at);
	netperf_omni(&p);
	if (*shown && !p.emitted)
		return err_set(e, BLAME_TEST, "netperf: %s", shown);
	return p.emitted ? 0 : lines_nothing(text, "netperf", "figures under a banner", e);
}

static int netperf_detect(struct str text)
{
	if (lines_has(text, " TEST from ") || lines_has(text, "THROUGHPUT_UNITS="))
		return 90;
	if (lines_has(text, "Throughput Units,"))
		return 80;
	return lines_has(text, "Frame Size(bytes)") && lines_has(text, "LOCAL_CPU_UTIL") ? 75 : 0;
}

static const char *const netperf_marks[] = {" TEST from ", " TEST to ", "Throughput",
	"MEAN_LATENCY", "P99_LATENCY", "_CPU_UTIL", "ELAPSED_TIME", "_SEND_SIZE", "_BYTES_SENT",
	"_BYTES_RECVD", "netserver", "control connection", "send_omni", "recv_response",
	"connect failed", "Name or service not known", "Frame Size(bytes)", NULL};

const struct parser netperf_parser = {
	.d = {.name = "netperf",
		.brief = "netperf's tables and omni output (-k, -o)",
		.proven = "golden cases"},
	.detect = netperf_detect,
	.parse = netperf_parse,
	.marks = netperf_marks,
};
