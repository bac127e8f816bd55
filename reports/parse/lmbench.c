/* SPDX-License-Identifier: MIT */
/*
 * lmbench 3 (its programs' own lines, and its results file, whose heads scripts/lmbench writes).
 * Its MB is 10^6 bytes where it tells a bandwidth, and 2^20 where it tells a size of lat_mem_rd.
 * Invariant: a bare pair of numbers counts only below the head, or the echo of the command, that
 * says what it is.
 */
#include "lines.h"
#include "parsers.h"

#include <ctype.h>
#include <stdio.h>

/* Lines that say themselves what they are. */
static const struct lmbench_line {
	const char *head, *name, *label, *value;
} lmbench_lines[] = {
	{"Simple syscall:", "lmbench.lat_syscall", "op", "null"},
	{"Simple read:", "lmbench.lat_syscall", "op", "read"},
	{"Simple write:", "lmbench.lat_syscall", "op", "write"},
	{"Simple stat:", "lmbench.lat_syscall", "op", "stat"},
	{"Simple fstat:", "lmbench.lat_syscall", "op", "fstat"},
	{"Simple open/close:", "lmbench.lat_syscall", "op", "open"},
	{"Signal handler installation:", "lmbench.lat_sig", "op", "install"},
	{"Signal handler overhead:", "lmbench.lat_sig", "op", "catch"},
	{"Protection fault:", "lmbench.lat_sig", "op", "prot"},
	{"Procedure call:", "lmbench.lat_proc", "op", "proccall"},
	{"Process fork+exit:", "lmbench.lat_proc", "op", "fork"},
	{"Process fork+execve:", "lmbench.lat_proc", "op", "exec"},
	{"Process fork+/bin/sh -c:", "lmbench.lat_proc", "op", "shell"},
	{"Pipe latency:", "lmbench.lat_pipe", NULL, NULL},
	{"AF_UNIX sock stream latency:", "lmbench.lat_unix", NULL, NULL},
	{"Semaphore latency:", "lmbench.lat_sem", NULL, NULL},
	{"UDP latency using localhost:", "lmbench.lat_udp", NULL, NULL},
	{"TCP latency using localhost:", "lmbench.lat_tcp", NULL, NULL},
	{"TCP/IP connection cost to localhost:", "lmbench.lat_connect", NULL, NULL},
	{"Pipe bandwidth:", "lmbench.bw_pipe", NULL, NULL},
	{"AF_UNIX sock stream bandwidth:", "lmbench.bw_unix", NULL, NULL},
	{"integer bit:", "lmbench.lat_ops", "int", "bit"},
	{"integer add:", "lmbench.lat_ops", "int", "add"},
	{"integer mul:", "lmbench.lat_ops", "int", "mul"},
	{"integer div:", "lmbench.lat_ops", "int", "div"},
	{"integer mod:", "lmbench.lat_ops", "int", "mod"},
	{"int64 bit:", "lmbench.lat_ops", "int64", "bit"},
	{"int64 add:", "lmbench.lat_ops", "int64", "add"},
	{"int64 mul:", "lmbench.lat_ops", "int64", "mul"},
	{"int64 div:", "lmbench.lat_ops", "int64", "div"},
	{"int64 mod:", "lmbench.lat_ops", "int64", "mod"},
	{"float add:", "lmbench.lat_ops", "float", "add"},
	{"float mul:", "lmbench.lat_ops", "float", "mul"},
	{"float div:", "lmbench.lat_ops", "float", "div"},
	{"double add:", "lmbench.lat_ops", "double", "add"},
	{"double mul:", "lmbench.lat_ops", "double", "mul"},
	{"double div:", "lmbench.lat_ops", "double", "div"},
};

/* What the pairs of numbers below a head or a command are. */
enum lmbench_pairs { LMBENCH_NONE, LMBENCH_BW, LMBENCH_CTX, LMBENCH_MEM, LMBENCH_MAP, LMBENCH_FS };

static const struct lmbench_head {
	const char *head;
	enum lmbench_pairs pairs;
	const char *name, *op;
} lmbench_heads[] = {
	{"\"read bandwidth", LMBENCH_BW, "lmbench.bw_file_rd", "io"},
	{"\"read open2close bandwidth", LMBENCH_BW, "lmbench.bw_file_rd", "o2c"},
	{"\"Mmap read bandwidth", LMBENCH_BW, "lmbench.bw_mmap_rd", "mo"},
	{"\"Mmap read open2close bandwidth", LMBENCH_BW, "lmbench.bw_mmap_rd", "o2c"},
	{"\"libc bcopy unaligned", LMBENCH_BW, "lmbench.bw_mem", "bcopy"},
	{"\"libc bcopy aligned", LMBENCH_BW, "lmbench.bw_mem", "bcopy-conflict"},
	{"\"unrolled bcopy unaligned", LMBENCH_BW, "lmbench.bw_mem", "fcp"},
	{"\"unrolled partial bcopy unaligned", LMBENCH_BW, "lmbench.bw_mem", "cp"},
	{"Memory bzero bandwidth", LMBENCH_BW, "lmbench.bw_mem", "bzero"},
	{"Memory read bandwidth", LMBENCH_BW, "lmbench.bw_mem", "frd"},
	{"Memory partial read bandwidth", LMBENCH_BW, "lmbench.bw_mem", "rd"},
	{"Memory write bandwidth", LMBENCH_BW, "lmbench.bw_mem", "fwr"},
	{"Memory partial write bandwidth", LMBENCH_BW, "lmbench.bw_mem", "wr"},
	{"Memory partial read/write bandwidth", LMBENCH_BW, "lmbench.bw_mem", "rdwr"},
	{"\"mappings", LMBENCH_MAP, "lmbench.lat_mmap", NULL},
	{"\"File system latency", LMBENCH_FS, NULL, NULL},
};

struct lmbench {
	const struct sink *sink;
	enum lmbench_pairs pairs;
	const char *name; /* of the metric */
	char op[24], size[16], stride[16];
	const char *order; /* of lat_mem_rd; NULL: by stride */
	bool near_torn;    /* the line in hand is near a torn one */
	bool order_lost;   /* it may be in that */
	bool once;         /* one pair, of the command that was echoed */
	size_t emitted;
};

static void lmbench_figure(struct lmbench *l, const char *name, double value, const char *unit,
	const struct sink_label *labels, size_t n)
{
	if (!(value > 0))
		return;
	sink_figure(l->sink, name, value, unit, labels, n);
	l->emitted++;
}

/* Bytes of a size that was printed rounded in units of unit bytes: a power of two, or half again as
 * much, when one prints like that. */
static double lmbench_bytes(double printed, double unit, double step)
{
	for (int power = 5; power < 43; power++)
		for (int i = 2; i <= 3; i++)
			if (fabs(ldexp(i, power) / unit - printed) <= step)
				return ldexp(i, power);
	return round(printed * unit);
}

/* "0.5072 microseconds", "791.41 MB/sec" */
static bool lmbench_value(struct str s, double *value, const char **unit)
{
	static const char *const units[][2] = {{"microseconds", "us"}, {"nanoseconds", "ns"},
		{"milliseconds", "ms"}, {"MB/sec", "MB/s"}, {"KB/sec", "kB/s"}};
	struct str rest;

	if (!lines_number(s, value, &rest))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (str_is(str_trim(rest), units[i][0])) {
			*unit = units[i][1];
			return true;
		}
	return false;
}

static bool lmbench_said(struct lmbench *l, struct str line)
{
	struct str rest, words[LINES_WORDS];
	const char *unit;
	double value;
	size_t n;

	for (size_t i = 0; i < ARRAY_LEN(lmbench_lines); i++) {
		const struct lmbench_line *row = &lmbench_lines[i];
		bool ops = row->label && strcmp(row->label, "op") != 0;
		struct sink_label labels[2] = {
			{ops ? "type" : row->label, ops ? row->label : row->value},
			{"op", row->value}};

		if (!lines_after(line, row->head, &rest) || !lmbench_value(rest, &value, &unit))
			continue;
		lmbench_figure(l, row->name, value, unit, labels, !row->label ? 0 : ops ? 2 : 1);
		return true;
	}
	if (lines_after(line, "Pagefaults on ", &rest)) {
		ptrdiff_t colon = str_chr(rest, ':');

		if (colon > 0 &&
			lmbench_value(str_make(rest.p + colon + 1, rest.n - (size_t)colon - 1),
				&value, &unit))
			lmbench_figure(l, "lmbench.lat_pagefault", value, unit, NULL, 0);
		return true;
	}
	if (!lines_after(line, "Select on ", &rest))
		return false;
	/* "Select on 200 tcp fd's: 32.8 microseconds" */
	n = lines_words(rest, words);
	if (n >= 4 && !str_double(words[n - 2], &value) && str_is(words[n - 1], "microseconds")) {
		char fds[16];
		struct sink_label labels[2] = {{"fds", lines_copy(words[0], fds, sizeof fds)},
			{"type", str_is(words[1], "tcp") ? "tcp" : "file"}};

		lmbench_figure(l, "lmbench.lat_select", value, "us", labels, 2);
	}
	return true;
}

static void lmbench_word(struct str word, char *out, size_t n)
{
	lines_copy(word, out, n);
	for (char *c = out; *c; c++)
		*c = (char)tolower((unsigned char)*c);
}

/* The echo of a command whose line of output does not say what it is: "# bw_mem -P 1 1m rd". */
static bool lmbench_command(struct lmbench *l, const struct str *words, size_t n)
{
	static const char *const tools[][2] = {{"bw_mem", "lmbench.bw_mem"},
		{"bw_file_rd", "lmbench.bw_file_rd"}, {"bw_mmap_rd", "lmbench.bw_mmap_rd"},
		{"lat_mmap", "lmbench.lat_mmap"}};
	static const char *const modes[][2] = {
		{"io_only", "io"}, {"open2close", "o2c"}, {"mmap_only", "mo"}};
	int64_t bytes;

	for (size_t i = 0; i < n; i++)
		if (str_ends(words[i], "lat_fs")) {
			l->pairs = LMBENCH_FS;
			return true;
		}

	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < ARRAY_LEN(tools); t++) {
			if (!str_ends(words[i], tools[t][0]))
				continue;
			l->pairs = t == 3 ? LMBENCH_MAP : LMBENCH_BW;
			l->name = tools[t][1];
			l->once = true;
			l->size[0] = l->op[0] = '\0';
			for (size_t w = i + 1; w < n; w++) {
				char word[24];

				if (str_starts(words[w], "-")) {
					w++; /* and its value */
					continue;
				}
				lmbench_word(words[w], word, sizeof word);
				if (!*l->size) {
					if (str_size_bytes(str_of(word), &bytes))
						break;
					lines_size((double)bytes, l->size, sizeof l->size);
				} else if (!*l->op && t < 3) {
					snprintf(l->op, sizeof l->op, "%s", word);
				}
			}
			for (size_t m = 0; m < ARRAY_LEN(modes); m++)
				if (!strcmp(l->op, modes[m][0]))
					snprintf(l->op, sizeof l->op, "%s", modes[m][1]);
			if (!*l->size || (t < 3 && !*l->op))
				l->pairs = LMBENCH_NONE;
			return true;
		}
	return false;
}

static bool lmbench_head(struct lmbench *l, struct str line)
{
	struct str rest;

	for (size_t i = 0; i < ARRAY_LEN(lmbench_heads); i++)
		if (str_is(line, lmbench_heads[i].head)) {
			l->pairs = lmbench_heads[i].pairs;
			l->name = lmbench_heads[i].name;
			l->once = false;
			snprintf(l->op, sizeof l->op, "%s",
				lmbench_heads[i].op ? lmbench_heads[i].op : "");
			return true;
		}
	if (lines_after(line, "\"size=", &rest)) {
		/* lat_ctx: "size=128k ovr=1.20 */
		struct str word;

		l->once = false;
		l->pairs = str_word(&rest, &word) ? LMBENCH_CTX : LMBENCH_NONE;
		if (l->pairs)
			lmbench_word(word, l->size, sizeof l->size);
		return true;
	}
	if (lines_after(line, "\"stride=", &rest)) {
		l->pairs = LMBENCH_MEM;
		l->order_lost = l->near_torn;
		l->once = false;
		lmbench_word(rest, l->stride, sizeof l->stride);
		return true;
	}
	if (str_is(line, "Random load latency") || str_is(line, "Memory load latency"))
		l->order = str_starts(line, "R") ? "random" : NULL;
	return false;
}

/* "0k\t18774\t171147\t234949": files, made and deleted per second */
static void lmbench_fs(struct lmbench *l, const struct str *words, size_t n)
{
	static const char *const names[] = {
		"lmbench.lat_fs.files", "lmbench.lat_fs.create", "lmbench.lat_fs.delete"};
	static const char *const units[] = {"count", "1/s", "1/s"};
	char size[16];
	struct sink_label label = {"size", size};
	double value;

	if (n != 4 || !str_ends(words[0], "k"))
		return;
	lmbench_word(words[0], size, sizeof size);
	for (size_t i = 0; i < 3; i++)
		if (!str_double(words[i + 1], &value))
			lmbench_figure(l, names[i], value, units[i], &label, 1);
}

static void lmbench_pair(struct lmbench *l, struct str first, struct str second)
{
	ptrdiff_t point = str_chr(first, '.');
	size_t digits = point < 0 ? 0 : first.n - (size_t)point - 1;
	double a, b, step = 0.5 * pow(10, -(double)digits);
	char size[16], procs[16];
	struct sink_label labels[3];

	if (str_double(first, &a) || str_double(second, &b))
		return;
	labels[0] = (struct sink_label){"op", l->op};
	labels[1] = (struct sink_label){"size", size};
	lines_size(
		lmbench_bytes(a, l->pairs == LMBENCH_MEM ? 1048576 : 1e6, step), size, sizeof size);
	if (l->once)
		snprintf(size, sizeof size, "%s", l->size);
	if (l->pairs == LMBENCH_BW) {
		lmbench_figure(l, l->name, b, "MB/s", labels, 2);
	} else if (l->pairs == LMBENCH_MAP) {
		lmbench_figure(l, l->name, b, "us", labels + 1, 1);
	} else if (l->pairs == LMBENCH_MEM) {
		if (l->order_lost)
			return;
		labels[0] = (struct sink_label){"stride", l->stride};
		labels[2] = (struct sink_label){"order", l->order};
		lmbench_figure(l, "lmbench.lat_mem_rd", b, "ns", labels, l->order ? 3 : 2);
	} else {
		labels[0] = (struct sink_label){"procs", lines_copy(first, procs, sizeof procs)};
		labels[1].value = l->size;
		lmbench_figure(l, "lmbench.lat_ctx", b, "us", labels, 2);
	}
	if (l->once)
		l->pairs = LMBENCH_NONE;
}

static int lmbench_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lmbench l = {.sink = sink};
	struct str words[LINES_WORDS], line;
	struct lines lines;
	size_t torn = 0;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		size_t n;

		if (torn != lines.torn)
			l.pairs = LMBENCH_NONE;
		torn = lines.torn;
		l.near_torn = lines_near_torn(&lines, lines.at);
		line = str_trim(line);
		n = lines_words(line, words);
		if (lmbench_said(&l, line) || lmbench_head(&l, line) ||
			lmbench_command(&l, words, n))
			continue;
		if (l.pairs == LMBENCH_FS && n == 4)
			lmbench_fs(&l, words, n);
		else if (l.pairs && l.pairs != LMBENCH_FS && n == 2)
			lmbench_pair(&l, words[0], words[1]);
		else if (n)
			l.pairs = LMBENCH_NONE;
	}
	return l.emitted ? 0 : lines_nothing(text, "lmbench", "figure that says what it is", e);
}

static int lmbench_detect(struct str text)
{
	if (lines_has(text, "[lmbench3.0 results") || lines_has(text, "Simple syscall: "))
		return 90;
	return lines_has(text, "bw_mem") || lines_has(text, "\"stride=") ||
			       lines_has(text, "Pipe latency: ")
		       ? 70
		       : 0;
}

static const char *const lmbench_marks[] = {"microseconds", "nanoseconds", "milliseconds", "MB/sec",
	"KB/sec", "bandwidth", "bcopy ", "\"mappings", "\"File system latency",
	"\"stride=", "\"size=", "load latency", "bw_mem", "bw_file_rd", "bw_mmap_rd", "lat_mmap",
	"lat_fs", NULL};

const struct parser lmbench_parser = {
	.d = {.name = "lmbench",
		.brief = "lmbench's programs and results",
		.proven = "golden cases"},
	.detect = lmbench_detect,
	.parse = lmbench_parse,
	.marks = lmbench_marks,
};
