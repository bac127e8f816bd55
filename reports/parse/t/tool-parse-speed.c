/* SPDX-License-Identifier: MIT */
/*
 * How fast the parsers are: `tool-parse-speed [MB [KB]]` makes a console log of MB megabytes (100)
 * in which a golden case stands every KB kilobytes (64) between boots and kernel lines, and prints
 * MB/s of CPU time: the pass over the log alone, all parsers together, what each adds to that, and
 * each alone over the whole of a shorter log.
 */
#include "mixed.h"
#include "reports/parse/scan.h"

#include <stdio.h>
#include <time.h>

#define LOG_MB     100
#define CASE_KB    64
#define BOOT_CASES 16 /* a boot after so many of them */
#define ALONE_MB   10
#define SEED       1

struct count {
	size_t results, figures, warnings;
};

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	(void)name;
	(void)s;
	(void)why;
	((struct count *)arg)->results++;
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	(void)m;
	((struct count *)arg)->figures++;
}

static void on_warn(void *arg, const char *text)
{
	(void)text;
	((struct count *)arg)->warnings++;
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void make_log(struct mixed *m, struct buf *log, size_t bytes, size_t every)
{
	for (size_t n = 0; log->len < bytes; n++) {
		if (n % BOOT_CASES == 0)
			mixed_boot(m, log);
		mixed_add(m, log, &m->cases.p[mixed_below(m, m->cases.n)]);
		mixed_chatter(m, log, every);
	}
}

int main(int argc, char **argv)
{
	size_t mb = argc > 1 ? strtoull(argv[1], NULL, 10) : LOG_MB;
	size_t every = (argc > 2 ? strtoull(argv[2], NULL, 10) : CASE_KB) * 1000;
	struct buf log = BUF_INIT((mb + 2) * 1000000);
	struct count all = {0};
	struct sink sink = {.arg = &all, .result = on_result, .metric = on_metric, .warn = on_warn};
	struct mixed m;
	struct str text, head;
	struct scan s;
	double from_s, pass_s, parse_s = 0, size;

	if (!mixed_load(&m, SEED)) {
		fprintf(stderr, "tool-parse-speed: no cases under HILAB_DATA\n");
		return 1;
	}
	make_log(&m, &log, mb * 1000000, every);
	text = str_make(buf_str(&log), log.len);
	size = (double)text.n / 1e6;
	head = str_make(text.p, text.n < ALONE_MB * 1000000 ? text.n : ALONE_MB * 1000000);
	from_s = cpu_s();
	scan_init(&s, text, parse_drivers());
	pass_s = cpu_s() - from_s;
	printf("%-14s %10s %10s %10s %10s\n", "parser", "parts", "MB in them", "ms", "alone MB/s");
	for (size_t i = 0; i < s.n; i++) {
		const struct parser *p = s.parsers[i].parser;
		size_t bytes = 0;
		double took_s;

		vec_each (&s.parsers[i].parts, part)
			bytes += part->to - part->from;
		from_s = cpu_s();
		scan_parse(&s, i, &sink, NULL);
		took_s = cpu_s() - from_s;
		parse_s += took_s;
		from_s = cpu_s();
		p->parse(head, &(struct sink){0}, NULL);
		printf("%-14s %10zu %10.2f %10.1f %10.0f\n", p->d.name, s.parsers[i].parts.n,
			(double)bytes / 1e6, took_s * 1e3,
			(double)head.n / 1e6 / (cpu_s() - from_s));
	}
	printf("# %.0f MB, %.1f %% of them a tool's; %zu figures, %zu results, %zu warnings\n", size,
		100 * (double)m.tools / (double)text.n, all.figures, all.results, all.warnings);
	printf("the pass over the log: %.0f MB/s\n", size / pass_s);
	printf("all parsers together: %.0f MB/s\n", size / (pass_s + parse_s));
	scan_done(&s);
	buf_done(&log);
	mixed_done(&m);
	return 0;
}
