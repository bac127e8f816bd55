/* SPDX-License-Identifier: MIT */
/*
 * A run followed on standard error. Invariant: on a terminal at most one live line stands, and it
 * is cleared before anything else is printed.
 */
#include "cli/progress.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/cli.h"
#include "io/json.h"
#include "reports/format/formats.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES 512

void progress_init(struct progress *p, const struct metric_table *metrics, bool quiet)
{
	*p = (struct progress){.quiet = quiet,
		.metrics = metrics,
		.worst = -1,
		.live = !quiet && cli_tty(STDERR_FILENO)};
	p->colour = p->live;
	p->run_start_mono_ms = clock_ms();
}

static void clear_live(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}

static const char *paint(const struct progress *p, const char *word)
{
	static const struct {
		const char *word, *painted;
	} words[] = {{"pass", "\033[32mpass\033[0m"}, {"ok", "\033[32mok\033[0m"},
		{"fail", "\033[31mfail\033[0m"}, {"failed", "\033[31mfailed\033[0m"},
		{"error", "\033[31merror\033[0m"}, {"miss", "\033[33mmiss\033[0m"},
		{"incomplete", "\033[33mincomplete\033[0m"},
		{"canceled", "\033[33mcanceled\033[0m"}};

	for (size_t i = 0; p->colour && i < ARRAY_LEN(words); i++)
		if (!strcmp(word, words[i].word))
			return words[i].painted;
	return word;
}

static void vline(struct progress *p, int64_t ms, const char *indent, const char *fmt, va_list ap)
{
	clear_live(p);
	fprintf(stderr, "  %7.1f s  %s%s%s", (double)ms / 1e3, p->role, p->role[0] ? ": " : "",
		indent);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

PRINTF(3, 4) static void line(struct progress *p, const json_t *event, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vline(p, json_int(event, "ms", 0), "", fmt, ap);
	va_end(ap);
}

/* What came of a step, below its own line, which the first of these brings. */
PRINTF(3, 4) static void below(struct progress *p, const json_t *event, const char *fmt, ...)
{
	va_list ap;

	if (p->step[0] && !p->headed)
		line(p, event, "%s", p->step);
	p->headed = true;
	va_start(ap, fmt);
	vline(p, json_int(event, "ms", 0), "    ", fmt, ap);
	va_end(ap);
}

static const char *safe(const json_t *event, const char *key, char *out, size_t n)
{
	return str_printable(str_of(json_text(event, key, "")), out, n);
}

static void on_run_start(struct progress *p, const json_t *event)
{
	char job[128], board[128], build[128], version[128];

	p->steps = json_int(event, "steps", 0);
	p->run_start_mono_ms = clock_ms() - json_int(event, "ms", 0);
	p->step[0] = 0;
	safe(event, "role", p->role, sizeof p->role);
	clear_live(p);
	fprintf(stderr, "run %lld: %s on %s", (long long)p->run,
		safe(event, "job", job, sizeof job), safe(event, "board", board, sizeof board));
	if (*json_text(event, "build", ""))
		fprintf(stderr, ", build %s %s", safe(event, "build", build, sizeof build),
			safe(event, "build_version", version, sizeof version));
	fprintf(stderr, ", %lld steps\n", (long long)p->steps);
}

static void on_step_start(struct progress *p, const json_t *event)
{
	p->worst = -1;
	p->headed = false;
	p->step_index = json_int(event, "step", 0);
	p->step_start_ms = json_int(event, "ms", 0);
	p->step_timeout_ms = json_int(event, "timeout_ms", 0);
	safe(event, "name", p->step, sizeof p->step);
}

static void on_step_end(struct progress *p, const json_t *event)
{
	const char *outcome = json_text(event, "outcome", "");
	char took[32], text[TEXT_BYTES];

	if (!strcmp(outcome, "not-run")) {
		p->step[0] = 0;
		return;
	}
	if (!strcmp(outcome, "failed") && *json_text(event, "message", ""))
		below(p, event, "%s: %s", json_text(event, "blame", "bug"),
			safe(event, "message", text, sizeof text));
	if (!strcmp(outcome, "ok") && p->worst >= 0)
		outcome = status_name(p->worst);
	str_format_ms(json_int(event, "ms", 0) - p->step_start_ms, took, sizeof took);
	if (p->headed)
		below(p, event, "%s in %s", paint(p, outcome), took);
	else
		line(p, event, "%-40s %s in %s", p->step, paint(p, outcome), took);
	p->step[0] = 0;
}

/* pass, skip and done are fine; of the others the gravest one names the step's outcome. */
static const int gravity[STATUS_COUNT] = {[STATUS_MISS] = 1, [STATUS_ERROR] = 2, [STATUS_FAIL] = 3};

static void note_status(struct progress *p, const char *status)
{
	int s = status_parse(status);

	if (s >= 0 && gravity[s] && (p->worst < 0 || gravity[s] > gravity[p->worst]))
		p->worst = s;
}

static void on_result(struct progress *p, const json_t *event)
{
	const char *status = json_text(event, "status", "");
	char name[PROGRESS_STEP_BYTES], why[TEXT_BYTES];
	bool has_why = *json_text(event, "why", "");

	note_status(p, status);
	safe(event, "name", name, sizeof name);
	if (!strcmp(name, p->step) && !has_why)
		return; /* the step's outcome says it */
	below(p, event, "%-36s %s%s%s", name, paint(p, status), has_why ? "  " : "",
		has_why ? safe(event, "why", why, sizeof why) : "");
}

static void on_metric(struct progress *p, const json_t *event)
{
	const char *metric = json_text(event, "name", "");
	const struct metric_def *def = p->metrics ? metric_find(p->metrics, metric) : NULL;
	char name[PROGRESS_STEP_BYTES], unit[32], figure[64];
	double value = json_num(event, "value", 0);

	safe(event, "unit", unit, sizeof unit);
	if (def && !metric_value(def, value, unit, &value, NULL))
		snprintf(unit, sizeof unit, "%s", def->unit);
	below(p, event, "%-36s %s %s", safe(event, "name", name, sizeof name),
		format_figure(value, figure, sizeof figure), unit);
}

static void on_text(struct progress *p, const json_t *event)
{
	char text[TEXT_BYTES];
	bool warn = !strcmp(json_text(event, "kind", ""), "warn");

	below(p, event, "%s%s", warn ? "warning: " : "", safe(event, "text", text, sizeof text));
}

static void on_retry(struct progress *p, const json_t *event)
{
	char text[TEXT_BYTES];

	below(p, event, "attempt %lld: %s; trying again", (long long)json_int(event, "attempt", 0),
		safe(event, "message", text, sizeof text));
}

static void on_power(struct progress *p, const json_t *event)
{
	char state[16];

	below(p, event, "power is %s", safe(event, "state", state, sizeof state));
}

static void on_identity(struct progress *p, const json_t *event)
{
	char role[64], want[160], got[160];

	if (json_flag(event, "same", false))
		below(p, event, "%s is the one deployed: %s",
			safe(event, "role", role, sizeof role),
			safe(event, "got", got, sizeof got));
	else
		below(p, event, "%s is NOT the one deployed: want '%s', got '%s'",
			safe(event, "role", role, sizeof role),
			safe(event, "want", want, sizeof want),
			safe(event, "got", got, sizeof got));
}

static void on_release(struct progress *p, const json_t *event)
{
	char what[64], text[TEXT_BYTES];

	if (json_flag(event, "ok", true))
		line(p, event, "released: %s", safe(event, "what", what, sizeof what));
	else
		line(p, event, "release of %s failed: %s", safe(event, "what", what, sizeof what),
			safe(event, "message", text, sizeof text));
}

static const struct {
	const char *kind;
	void (*fn)(struct progress *, const json_t *);
} kinds[] = {
	{"identity", on_identity},
	{"metric", on_metric},
	{"note", on_text},
	{"power", on_power},
	{"release", on_release},
	{"result", on_result},
	{"retry", on_retry},
	{"run-start", on_run_start},
	{"step-end", on_step_end},
	{"step-start", on_step_start},
	{"warn", on_text},
};

void progress_event(struct progress *p, const json_t *event)
{
	const char *kind = json_text(event, "kind", "");

	if (p->quiet)
		return;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kind, kinds[i].kind))
			kinds[i].fn(p, event);
	progress_tick(p);
}

void progress_tick(struct progress *p)
{
	char limit[32];
	int64_t now_ms = clock_ms() - p->run_start_mono_ms;

	if (!p->live || !p->step[0])
		return;
	clear_live(p);
	fprintf(stderr, "  %7.1f s  [%lld/%lld] %.50s ... %.0f s of at most %s", now_ms / 1e3,
		(long long)p->step_index + 1, (long long)p->steps, p->step,
		(now_ms - p->step_start_ms) / 1e3,
		str_format_ms(p->step_timeout_ms, limit, sizeof limit));
	fflush(stderr);
	p->drawn = true;
}

void progress_done(struct progress *p)
{
	clear_live(p);
}
