/* SPDX-License-Identifier: MIT */
/*
 * The draft of what an import stores. Invariant: what gets in is what a journal of ours would say,
 * so that an imported run is read like any other; a figure that the metric table cannot take is
 * told and left out, never bent.
 */
#include "agents/worker/journal.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/import.h"
#include "io/json.h"
#include "store/control.h"

#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void import_draft_init(struct import_draft *d, const char *file, const struct import_args *args,
	const struct metric_table *metrics)
{
	*d = (struct import_draft){.file = file, .args = args, .metrics = metrics};
}

void import_draft_done(struct import_draft *d)
{
	vec_each (&d->runs, r)
		vec_done(&(*r)->events);
	vec_done(&d->runs);
	vec_done(&d->warnings);
	map_done(&d->by_id);
	map_done(&d->printed);
	map_done(&d->seen);
	arena_done(&d->arena);
}

void import_warn(struct import_draft *d, size_t line, const char *fmt, ...)
{
	AUTOBUF text = BUF_INIT(1 << 12);
	va_list ap;

	if (d->n_warnings++ >= IMPORT_WARNINGS)
		return;
	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	vec_push(&d->warnings,
		line ? arena_printf(&d->arena, "%s:%zu: %s", d->file, line, buf_str(&text))
		     : arena_printf(&d->arena, "%s: %s", d->file, buf_str(&text)));
}

/* What may follow the seconds: a fraction, and how far from UTC that clock was. */
static int date_tail(const char *text, int64_t *offset_s)
{
	int hours, minutes, n = 0;
	char sign;

	if (*text == '.')
		text += 1 + strspn(text + 1, "0123456789");
	*offset_s = 0;
	if (!*text || !strcmp(text, "Z"))
		return 0;
	if (sscanf(text, "%c%2d:%2d%n", &sign, &hours, &minutes, &n) != 3 || text[n] ||
		(sign != '+' && sign != '-'))
		return -1;
	*offset_s = (sign == '+' ? 60 : -60) * (60 * hours + minutes);
	return 0;
}

int import_date(const char *text, int64_t *wall_ms)
{
	static const char *const shapes[] = {
		"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d", NULL};

	for (const char *const *shape = shapes; text && *shape; shape++) {
		struct tm tm = {0}, same;
		const char *end = strptime(text, *shape, &tm);
		int64_t offset_s;

		if (!end || date_tail(end, &offset_s))
			continue;
		same = tm;
		*wall_ms = ((int64_t)timegm(&same) - offset_s) * 1000;
		if (same.tm_mday != tm.tm_mday) /* the 30th of February */
			return -1;
		return 0;
	}
	return -1;
}

struct import_id import_id_of(const struct import_draft *d, struct import_id id)
{
	const struct import_args *a = d->args;

	id.type = a->type ? a->type : id.type;
	id.board = a->board ? a->board : id.board;
	id.soc = a->soc ? a->soc : id.soc;
	id.build = a->build ? a->build : id.build;
	id.version = a->release ? a->release : id.version;
	id.job = a->job ? a->job : id.job;
	id.twin = a->twin || id.twin;
	if (a->date)
		import_date(a->date, &id.at_ms);
	return id;
}

/* The text that keys a run of a file: the same whenever the file is read again. */
static char *id_text(const struct import_id *id)
{
	const char *parts[] = {id->job, id->type, id->board, id->build, id->version};
	AUTOBUF text = BUF_INIT(1 << 16);

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		buf_printf(&text, "%s\n", parts[i] ? parts[i] : "");
	buf_printf(&text, "%lld%s", (long long)id->at_ms, id->twin ? " twin" : "");
	return buf_take(&text);
}

static const char *keep(struct import_draft *d, const char *text)
{
	AUTOFREE char *clean = journal_text(text);

	return clean && *clean ? arena_strdup(&d->arena, clean) : NULL;
}

static void add_event(struct import_draft *d, struct import_run *r, json_t *event)
{
	AUTOBUF line = BUF_INIT(BUF_CAP_BYTES);
	struct store_event ev = {.offset = r->offset};

	json_object_set_new(event, "seq", json_integer((json_int_t)r->events.n));
	json_object_set_new(event, "at", json_integer(r->id.at_ms));
	json_write(event, 0, &line, NULL);
	json_decref(event);
	ev.line = arena_strndup(&d->arena, buf_str(&line), line.len);
	r->offset += line.len + 1;
	vec_push(&r->events, ev);
}

struct import_run *import_run_of(struct import_draft *d, struct import_id id)
{
	AUTOFREE char *key = id_text(&id);
	struct import_run *r = map_find(&d->by_id, key);

	if (r)
		return r;
	if (d->runs.n >= IMPORT_RUNS_MAX) {
		import_warn(d, 0, "it holds more than %d runs", IMPORT_RUNS_MAX);
		return NULL;
	}
	r = arena_alloc(&d->arena, sizeof *r);
	r->id = (struct import_id){keep(d, id.job), keep(d, id.board), keep(d, id.type),
		keep(d, id.soc), keep(d, id.build), keep(d, id.version), id.at_ms, id.twin};
	add_event(d, r,
		json_pack("{s:s, s:s*, s:s*, s:s*, s:s*, s:b, s:s*, s:s*, s:s}", "kind",
			"run-start", "job", r->id.job, "board", r->id.board, "type", r->id.type,
			"soc", r->id.soc, "twin", r->id.twin, "build", r->id.build, "build_version",
			r->id.version, "imported", d->file));
	map_set(&d->by_id, key, r);
	vec_push(&d->runs, r);
	return r;
}

static json_t *line_or_null(size_t line)
{
	return line ? json_integer((json_int_t)line) : NULL;
}

void import_result(struct import_draft *d, struct import_run *r, const char *suite,
	const char *name, enum status status, const char *why, size_t line)
{
	AUTOFREE char *clean_suite = journal_text(suite ? suite : ""),
		      *clean = journal_text(name && *name ? name : "?"),
		      *clean_why = why && *why ? journal_text(why) : NULL;

	r->n_results++;
	tally_result(&r->tally, clean, status, clean_why, BLAME_TEST);
	add_event(d, r,
		json_pack("{s:s, s:s, s:s, s:s, s:s*, s:o*}", "kind", "result", "suite",
			clean_suite, "name", clean, "status", status_name(status), "why", clean_why,
			"line", line_or_null(line)));
}

/* Whether the store can take it as what it says. */
static bool understood(struct import_draft *d, const struct sink_metric *m, size_t line)
{
	const struct metric_def *def = metric_find(d->metrics, m->name);
	struct err e = {0};
	double value;

	if (!isfinite(m->value)) {
		d->n_missing++;
		return false;
	}
	if (def && metric_value(def, m->value, m->unit, &value, &e))
		import_warn(d, line, "%s: %s", m->name, e.msg);
	else if (!def && m->unit && *m->unit && !metric_unit_known(m->unit))
		import_warn(d, line, "%s: unit '%s' is not known", m->name, m->unit);
	else if (m->min > m->value || m->max < m->value)
		import_warn(d, line, "%s: %.10g is not between its min and max", m->name, m->value);
	else
		return true;
	d->n_refused++;
	return false;
}

bool import_figure(struct import_draft *d, struct import_run *r, const char *suite,
	const char *test, const struct sink_metric *m, size_t line)
{
	AUTOFREE char *clean_suite = journal_text(suite ? suite : ""),
		      *clean_test = journal_text(test ? test : ""), *name = journal_text(m->name),
		      *unit = journal_text(m->unit ? m->unit : "");
	json_t *labels;

	if (!understood(d, m, line))
		return false;
	labels = json_object();
	for (size_t i = 0; i < m->n; i++) {
		AUTOFREE char *key = journal_text(m->labels[i].name),
			      *value = journal_text(m->labels[i].value);

		json_object_set_new(labels, key, json_string(value));
	}
	r->n_figures++;
	add_event(d, r,
		json_pack("{s:s, s:s, s:s, s:s, s:f, s:o*, s:o*, s:o*, s:s, s:o, s:o*}", "kind",
			"metric", "suite", clean_suite, "test", clean_test, "name", name, "value",
			m->value, "min", isfinite(m->min) ? json_real(m->min) : NULL, "max",
			isfinite(m->max) ? json_real(m->max) : NULL, "resolution",
			m->resolution > 0 ? json_real(m->resolution) : NULL, "unit", unit, "labels",
			labels, "line", line_or_null(line)));
	return true;
}

void import_env(struct import_draft *d, struct import_run *r, const char *name, const char *value)
{
	AUTOFREE char *clean_name = journal_text(name), *clean = journal_text(value);

	add_event(d, r,
		json_pack("{s:s, s:s, s:s}", "kind", "env", "name", clean_name, "value", clean));
}

/* ---- into the store ---------------------------------------------------------------------------
 */

/* The names of boards, for a message. */
static void put_boards(const struct import_draft *d, struct buf *out)
{
	map_each (&d->printed, board)
		buf_printf(out, "%s'%s'", out->len ? ", " : "", board->key);
}

static int no_type(const struct import_draft *d, const struct import_run *r, struct err *e)
{
	if (!r->id.board || !map_has(&d->printed, r->id.board))
		return err_set(e, BLAME_CONFIG,
			"'%s': on which type of board was it measured? (--type)", d->file);
	return err_set(e, BLAME_CONFIG,
		"'%s': of which type is '%s'? (--type, or 'boards' of a mapping)", d->file,
		r->id.board);
}

int import_complete(struct import_draft *d, struct err *e)
{
	size_t found = 0;

	if (d->args->type && d->printed.n > 1) {
		AUTOBUF boards = BUF_INIT(1 << 12);

		put_boards(d, &boards);
		return err_set(e, BLAME_CONFIG,
			"'%s': it has figures of several boards, of which --type cannot be true: "
			"%s (--of NAME takes one)",
			d->file, buf_str(&boards));
	}
	vec_each (&d->runs, p) {
		const struct import_run *r = *p;

		found += r->n_results + r->n_figures;
		if (!r->n_results && !r->n_figures)
			continue;
		if (!r->id.type)
			return no_type(d, r, e);
		if (!r->id.at_ms)
			return err_set(
				e, BLAME_CONFIG, "'%s': when was it measured? (--date)", d->file);
	}
	if (!found)
		return err_set(e, BLAME_CONFIG, "'%s': no result and no figure was found", d->file);
	if (d->args->strict && d->n_warnings)
		return err_set(e, BLAME_CONFIG, "'%s': %zu warnings, and --strict was given",
			d->file, d->n_warnings);
	return 0;
}

/* How it ended, by what the file says or else by its results. Figures alone were measured. */
static void end_of(const struct import_run *r, struct run_status *end)
{
	struct tally tally = r->tally;

	if (!r->n_results && r->n_figures)
		tally.counts[STATUS_DONE] = 1;
	tally_verdict(&tally, end);
	if (!r->verdict)
		return;
	end->verdict = (enum verdict)verdict_parse(r->verdict);
	end->blame = err_blame_parse(r->blame) < 0 ? BLAME_NONE
						   : (enum err_blame)err_blame_parse(r->blame);
	snprintf(end->message, sizeof end->message, "%s", r->message ? r->message : "");
}

static int add_run(struct import_draft *d, struct import_run *r, struct store *s,
	const struct store_origin *origin, struct err *e)
{
	struct store_run run = {
		.job = r->id.job ? r->id.job : "import",
		.board = r->id.board,
		.type = r->id.type,
		.soc = r->id.soc,
		.twin = r->id.twin,
		.build = r->id.build,
		.build_version = r->id.version,
		.started_ms = r->id.at_ms,
	};
	struct run_status end = {0};
	AUTOFREE char *from =
		mem_printf("%s (%s, sha256 %.12s)", origin->source, origin->format, origin->sha256);

	import_env(d, r, "imported", from);
	end_of(r, &end);
	if (store_run_add(s, &run, e) || store_run_events(s, run.id, r->events.p, r->events.n, e) ||
		store_run_end(s, run.id, verdict_name(end.verdict), err_blame_name(end.blame),
			end.message, r->id.at_ms, e) ||
		store_origin_add(s, run.id, origin, e))
		return -1;
	r->stored = run.id;
	return 0;
}

static int store_all(struct import_draft *d, struct store *s, struct store_origin *o, struct err *e)
{
	vec_each (&d->runs, p) {
		struct import_run *r = *p;
		AUTOFREE char *part = id_text(&r->id);
		int known;

		if (!r->n_results && !r->n_figures)
			continue;
		o->part = part;
		known = store_origin_find(s, o->sha256, part, &r->stored, e);
		if (known > 0 && d->args->replace) {
			if (store_origin_del(s, r->stored, e) < 0)
				return -1;
			known = 0;
		}
		r->known = known > 0;
		if (known < 0 || (!known && add_run(d, r, s, o, e)))
			return -1;
	}
	return 0;
}

int import_store(struct import_draft *d, struct store *s, const char *sha256, struct err *e)
{
	const struct passwd *user = getpwuid(getuid());
	struct store_origin o = {
		.source = d->file,
		.sha256 = sha256,
		.format = d->format,
		.who = user ? user->pw_name : "?",
		.at_ms = clock_wall_ms(),
	};

	if (store_turn_begin(s, e))
		return -1;
	if (!store_all(d, s, &o, e))
		return store_turn_commit(s, e);
	store_turn_undo(s);
	return -1;
}
