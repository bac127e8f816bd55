/* SPDX-License-Identifier: MIT */
/*
 * Console logs: the first line of the input is how its bytes are cut, then an index up to an empty
 * line, then the log. The same lines come out of any cut, and a time is never below 0 but -1.
 */
#include "reports/parse/stages.h"

#include "base/mem.h"
#include "io/console-text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void collect(void *arg, const struct console_line *line)
{
	struct buf *out = arg;

	for (size_t i = 1; i < line->text.n; i++)
		if (line->offsets[i] <= line->offsets[i - 1])
			abort();
	buf_add(out, line->text.p, line->text.n);
	buf_putc(out, line->whole ? '\n' : '\r');
}

static void lines(struct str log, size_t piece, struct buf *out)
{
	struct console_text t;

	console_text_init(&t, 0, collect, out);
	for (size_t at = 0; at < log.n; at += piece)
		console_text_feed(
			&t, str_make(log.p + at, at + piece > log.n ? log.n - at : piece));
	console_text_end(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct pattern *patterns[2];
	struct str text = str_make((const char *)data, n), first, index, log;
	AUTOBUF whole = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF cut = BUF_INIT(BUF_CAP_BYTES);
	int64_t at_ms[2];
	ptrdiff_t gap;

	if (!patterns[0]) {
		patterns[0] = pattern_new("U-Boot", NULL);
		patterns[1] = pattern_new("login: ", NULL);
	}
	if (!str_line(&text, &first))
		return 0;
	gap = str_find(text, STR_LIT("\n\n"));
	index = str_make(text.p, gap < 0 ? 0 : (size_t)gap);
	log = gap < 0 ? text : str_make(text.p + gap + 2, text.n - (size_t)gap - 2);
	lines(log, log.n + 1, &whole);
	lines(log, first.n % 7 + 1, &cut);
	if (whole.len != cut.len || memcmp(buf_str(&whole), buf_str(&cut), whole.len))
		abort();
	buf_reset(&cut);
	console_text_show(log, &cut);
	for (size_t i = 0; i < cut.len; i++)
		if ((unsigned char)cut.data[i] < 0x20 && cut.data[i] != '\t')
			abort();
	stages_find(log, index, (struct stage_span){(int64_t)first.n, INT64_MAX},
		(struct stage_mark[]){{"loader", patterns[0]}, {"login", patterns[1]}}, 2, at_ms);
	if (at_ms[0] < -1 || at_ms[1] < -1)
		abort();
	return 0;
}
