/* SPDX-License-Identifier: MIT */
/*
 * When the boot chain reached its stages, from the raw console log and its time index. Invariant:
 * a stage whose mark is not there is absent; no time is made up for it.
 */
#include "worker.h"

#include "base/fs.h"
#include "base/mem.h"
#include "reports/parse/stages.h"

#include <stdlib.h>

#define LOG_BYTES    ((size_t)64 << 20) /* a longer log has no boot times */
#define STAGE_LABELS 8

static void on_metric(void *arg, const struct sink_metric *m)
{
	struct worker *w = arg;
	struct sink_label all[STAGE_LABELS];
	struct sink_metric told = *m;

	if (told.n > STAGE_LABELS - 1)
		told.n = STAGE_LABELS - 1;
	if (told.n)
		memcpy(all, told.labels, told.n * sizeof *all);
	if (w->warm)
		all[told.n++] = (struct sink_label){"kind", "warm"};
	told.labels = all;
	worker_metric(w, w->step->name, NULL, &told);
}

/* The marks of board.json; what does not compile was told by `hilab check` and is passed over. */
static size_t read_marks(
	struct worker *w, struct stage_mark *marks, struct pattern **patterns, size_t max)
{
	size_t n = 0;

	node_each (node_find(w->board, "stages"), kid) {
		const char *name = node_text(kid, "name"), *text = node_text(kid, "pattern");

		if (n == max || !name || !text || !(patterns[n] = pattern_new(text, NULL)))
			continue;
		marks[n].name = name;
		marks[n].pattern = patterns[n];
		n++;
	}
	return n;
}

static bool read_log(struct worker *w, struct buf *log, struct buf *index)
{
	const struct console *c = worker_main_console(w);
	AUTOFREE char *log_name = mem_printf("console-%s.log", c->name);
	AUTOFREE char *index_name = mem_printf("console-%s.idx", c->name);
	AUTOFREE char *log_path = fs_join(w->dir, log_name);
	AUTOFREE char *index_path = fs_join(w->dir, index_name);

	return !fs_read(log_path, log, NULL) && !fs_read(index_path, index, NULL);
}

void worker_stages(struct worker *w)
{
	struct stage_mark marks[STAGES_MAX];
	struct pattern *patterns[STAGES_MAX];
	struct stage_span span = {w->power_on_ms - w->journal.start_ms, INT64_MAX};
	AUTOBUF log = BUF_INIT(LOG_BYTES);
	AUTOBUF index = BUF_INIT(LOG_BYTES);
	struct sink sink = {.arg = w, .metric = on_metric};
	int64_t at_ms[STAGES_MAX];
	size_t n;

	if (w->stages_told || !w->power_on_ms || !w->n_consoles || !read_log(w, &log, &index))
		return;
	w->stages_told = true;
	n = read_marks(w, marks, patterns, STAGES_MAX);
	stages_find(str_make(buf_str(&log), log.len), str_make(buf_str(&index), index.len), span,
		marks, n, at_ms);
	for (size_t i = 0; i < n; i++)
		if (at_ms[i] >= 0)
			bench_event(&w->bench, "stage", "{s:s, s:I}", "name", marks[i].name,
				"ms_since_power_on", (json_int_t)at_ms[i]);
	stages_emit(marks, at_ms, n, &sink);
	for (size_t i = 0; i < n; i++)
		pattern_free(patterns[i]);
}
