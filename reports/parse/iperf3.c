/* SPDX-License-Identifier: MIT */
/*
 * iperf3's JSON (iperf3 -J, 3.0 to 3.17; keys as iperf_api.c writes them). The rate is what the
 * receiver counted; what the sender put out is a metric of its own. Invariant: a figure that
 * stands twice under one key in `end` (old versions, bidirectional) or that the other side never
 * told is missing, not guessed.
 */
#include "iperf3-text.h"
#include "json-scan.h"
#include "parsers.h"

#include <stdio.h>

struct iperf3 {
	const struct sink *sink;
	struct str text;
	const json_t *end;
	bool udp;
	unsigned emitted;
	struct sink_label labels[3];
	size_t n_labels;
};

static bool is_iperf3(const json_t *doc)
{
	const json_t *end = json_object_get(doc, "end");

	return (json_is_object(json_object_get(doc, "start")) && (!end || json_is_object(end))) ||
	       (json_is_string(json_object_get(doc, "error")) && !json_object_get(doc, "jobs"));
}

static void iperf3_metric(
	struct iperf3 *p, const char *name, const json_t *obj, const char *key, const char *unit)
{
	double value;

	if (!json_scan_number(obj, key, &value))
		return;
	p->emitted++;
	sink_figure(p->sink, name, value, unit, p->labels, p->n_labels);
}

/* A sum over no time holds nothing: the other side did not tell it. */
static const json_t *iperf3_sum(const struct iperf3 *p, const char *key)
{
	const json_t *sum = json_object_get(p->end, key);
	double seconds, bytes;

	if (!json_is_object(sum) || !json_scan_number(sum, "seconds", &seconds) || seconds <= 0)
		return NULL;
	if (!json_scan_number(sum, "bytes", &bytes) || bytes < 0)
		return NULL;
	return sum;
}

static void iperf3_direction(struct iperf3 *p, const char *direction, const char *suffix)
{
	char key[64];
	const json_t *sent, *received, *sum;
	double packets;
	bool told;

	p->labels[0] = (struct sink_label){"direction", direction};
	snprintf(key, sizeof key, "sum_sent%s", suffix);
	sent = iperf3_sum(p, key);
	snprintf(key, sizeof key, "sum_received%s", suffix);
	received = iperf3_sum(p, key);
	snprintf(key, sizeof key, "sum%s", suffix);
	/* A server is not told what the client sent. */
	if (json_number_value(json_object_get(sent, "bytes")) <= 0 && received)
		sent = NULL;
	sum = p->udp ? iperf3_sum(p, key) : NULL;
	/* Over UDP `sum` holds the receiver's losses and, before 3.7, is the only sum; its rate is
	 * the sender's. */
	told = received && json_object_get(received, "jitter_ms");
	iperf3_metric(p, "iperf3.bw", received, "bits_per_second", "bit/s");
	iperf3_metric(p, "iperf3.sent_bw", sent ? sent : sum, "bits_per_second", "bit/s");
	if (!p->udp) {
		iperf3_metric(p, "iperf3.retransmits", sent, "retransmits", "count");
		return;
	}
	sum = told ? received : sum;
	iperf3_metric(p, "iperf3.packets", sum, "packets", "count");
	if (json_scan_number(sum, "packets", &packets) && packets <= 0)
		return;
	iperf3_metric(p, "iperf3.jitter", sum, "jitter_ms", "ms");
	iperf3_metric(p, "iperf3.lost", sum, "lost_packets", "count");
	iperf3_metric(p, "iperf3.lost_percent", sum, "lost_percent", "%");
}

static bool stands_twice(struct str text, const char *key)
{
	struct str needle = str_of(key);
	ptrdiff_t at = str_find(text, needle);

	if (at < 0)
		return false;
	text = str_make(text.p + at + needle.n, text.n - (size_t)at - needle.n);
	return str_find(text, needle) >= 0;
}

static void iperf3_settings(struct iperf3 *p, const json_t *test, char *streams, size_t n)
{
	const char *protocol = json_string_value(json_object_get(test, "protocol"));
	double count;

	p->udp = protocol && !strcmp(protocol, "UDP");
	p->labels[p->n_labels++] = (struct sink_label){"direction", NULL};
	if (protocol)
		p->labels[p->n_labels++] =
			(struct sink_label){"protocol", p->udp                     ? "udp"
							: !strcmp(protocol, "TCP") ? "tcp"
										   : protocol};
	if (json_scan_number(test, "num_streams", &count) && count >= 1 && count < 1e6) {
		snprintf(streams, n, "%.0f", count);
		p->labels[p->n_labels++] = (struct sink_label){"streams", streams};
	}
}

static void iperf3_load(struct iperf3 *p)
{
	const json_t *cpu = json_object_get(p->end, "cpu_utilization_percent");

	iperf3_metric(p, "iperf3.cpu_local", cpu, "host_total", "%");
	iperf3_metric(p, "iperf3.cpu_remote", cpu, "remote_total", "%");
}

static int iperf3_document(
	const struct sink *sink, const json_t *doc, struct str text, struct err *e)
{
	const json_t *start = json_object_get(doc, "start");
	const json_t *test = json_object_get(start, "test_start");
	const char *error = json_string_value(json_object_get(doc, "error"));
	const char *version = json_string_value(json_object_get(start, "version"));
	struct iperf3 p = {.sink = sink, .end = json_object_get(doc, "end")};
	bool bidir = json_object_get(p.end, "sum_sent_bidir_reverse") ||
		     json_object_get(p.end, "sum_bidir_reverse");
	double reverse = 0;
	char streams[24];
	const char *direction;

	if (version)
		sink_env(sink, "iperf3.version", version);
	if (error)
		return err_set(e, BLAME_TEST, "iperf3: %.300s", error);
	iperf3_settings(&p, test, streams, sizeof streams);
	json_scan_number(test, "reverse", &reverse);
	direction = reverse > 0 ? "reverse" : "forward";
	if (stands_twice(text, "\"sum_sent\"") || stands_twice(text, "\"sum_received\""))
		return err_set(e, BLAME_TEST,
			"iperf3: its sums stand twice under one key, so their direction is not "
			"known");
	iperf3_direction(&p, direction, "");
	if (bidir)
		iperf3_direction(&p, "reverse", "_bidir_reverse");
	if (!p.emitted)
		return err_set(e, BLAME_TEST, "iperf3: it reports no sum: the test did not end");
	p.labels[0].value = bidir ? "both" : direction;
	iperf3_load(&p);
	return 0;
}

static int iperf3_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct json_scan scan;
	struct err other = {0};
	struct str first = {0}, rest = str_trim(text);
	size_t n = 0, from;
	int failed = 0;
	char shown[160];
	bool rows = str_find(text, STR_LIT("[ ID]")) >= 0 ||
		    str_find(text, STR_LIT("iperf3: error - ")) >= 0;

	if (rows && str_find(text, STR_LIT("{")) < 0)
		return iperf3_text_parse(text, sink, e);
	json_scan_init(&scan, text, is_iperf3, sink);
	for (from = 0;; n++, from = scan.at) {
		json_t *doc = json_scan_next(&scan);

		if (!doc)
			break;
		sink_at(sink, scan.start);
		if (iperf3_document(sink, doc, str_make(text.p + from, scan.at - from),
			    failed ? &other : e))
			failed = -1;
		json_decref(doc);
	}
	json_scan_end(&scan);
	/* A log may hold both, of several runs. */
	if (rows && iperf3_text_parse(text, sink, n ? &other : e)) {
		if (!n)
			return -1;
		sink_warn(sink, "%s", other.msg);
	}
	if (scan.cut_off && !failed)
		return err_set(e, BLAME_TEST, "iperf3: its JSON output is cut off or damaged");
	if (n || rows)
		return failed;
	str_line(&rest, &first);
	if (!first.n)
		return err_set(e, BLAME_TEST, "iperf3: no output");
	return err_set(e, BLAME_TEST, "iperf3: no JSON in its output (-J), it says: %s",
		str_printable(first, shown, sizeof shown));
}

static int iperf3_detect(struct str text)
{
	if (str_find(text, STR_LIT("\"iperf 3")) >= 0)
		return 95;
	/* iperf 2 says "connected with". */
	return str_find(text, STR_LIT(" connected to ")) >= 0 &&
			       str_find(text, STR_LIT("[ ID]")) >= 0
		       ? 90
		       : 0;
}

static const char *const iperf3_marks[] = {"Connecting to host ", "Accepted connection ",
	"\niperf 3", "Reverse mode", "[ ID]", "iperf3: error - ", "] local ", "bits/sec",
	"Bytes/sec", "\"start\":", "\"error\":", "\"iperf 3", NULL};

const struct parser iperf3_parser = {
	.d = {.name = "iperf3",
		.brief = "iperf3, -J and text, TCP and UDP, both directions",
		.proven = "golden cases; output of iperf3 3.12"},
	.detect = iperf3_detect,
	.parse = iperf3_parse,
	.marks = iperf3_marks,
};
