/* SPDX-License-Identifier: MIT */
/*
 * The steps that test: commands on the board, texts on its console, instruments. Invariant: a
 * figure is recorded only from the output of a run that ended as it should; output that is not
 * whole is no output.
 */
#include "worker.h"

#include "agents/measure/measure.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

#define WHY_BYTES 200

static int expand(struct worker *w, const char *text, struct buf *out, struct err *e)
{
	buf_reset(out);
	return bench_expand(&w->bench, text, out, e);
}

/* The last line that says something, for a failure's why. */
static const char *last_line(struct str text, char *out, size_t n)
{
	struct str line, last = {0};

	while (str_line(&text, &line))
		if (str_trim(line).n)
			last = str_trim(line);
	return str_printable(last, out, n);
}

/* ---- run ---------------------------------------------------------------------------------------
 */

static int check_output(struct worker *w, const struct param_strings *patterns, struct str text,
	char *why, size_t n, struct err *e)
{
	for (size_t i = 0; i < patterns->n; i++) {
		AUTOBUF expanded = BUF_INIT(WORKER_TEXT_BYTES);
		struct pattern_match m;
		struct pattern *p;
		int found;

		if (expand(w, patterns->p[i], &expanded, e) ||
			!(p = pattern_new(buf_str(&expanded), e)))
			return -1;
		found = pattern_search(p, text, 0, false, &m);
		pattern_free(p);
		if (found != 1) {
			snprintf(why, n, "output lacks '%s'", buf_str(&expanded));
			return 1;
		}
	}
	return 0;
}

int worker_judge_output(struct worker *w, const struct node *parse,
	const struct param_strings *patterns, struct str text, struct err *e)
{
	const struct node *settings;
	const char *parser = plan_parser(parse, &settings);
	char why[WHY_BYTES + 64] = "";
	struct err parsed = {0};
	int r = check_output(w, patterns, text, why, sizeof why, e);

	if (r < 0)
		return -1;
	if (!r && parser && worker_parse(w, parser, settings, text, &parsed)) {
		worker_result(w, w->step->name, STATUS_ERROR, parsed.msg, parsed.blame);
		return 0;
	}
	worker_result(w, w->step->name, r ? STATUS_FAIL : STATUS_PASS, r ? why : NULL, BLAME_TEST);
	return 0;
}

int worker_told(struct worker *w, int r, const struct err *said, const struct node *parse,
	const struct param_strings *patterns, struct str text, struct err *e)
{
	if (text.n && worker_artifact(w, w->step->name, text, e))
		return -1;
	if (r < 0) {
		*e = *said;
		return -1;
	}
	if (r) {
		worker_result(w, w->step->name, STATUS_FAIL, said->msg, BLAME_TEST);
		return 0;
	}
	return worker_judge_output(w, parse, patterns, text, e);
}

static int judge(struct worker *w, const struct step_run *s, const struct shell_outcome *out,
	struct str text, struct err *e)
{
	char why[WHY_BYTES + 64] = "", said[WHY_BYTES] = "";

	if (s->exit >= 0 && out->exit != s->exit) {
		snprintf(why, sizeof why, "exit status %lld%s%s", (long long)out->exit,
			text.n ? ": " : "", last_line(text, said, sizeof said));
		worker_result(w, w->step->name, STATUS_FAIL, why, BLAME_TEST);
		return 0;
	}
	return worker_judge_output(w, s->parse, &s->expect, text, e);
}

/* The step's deadline passed. With the shell back the job can go on; the result is lost. */
static int run_overdue(struct worker *w, struct shell *sh, struct err *e)
{
	struct err stopped = {0};

	if (sh->console->fd < 0)
		return -1; /* nobody hears */
	bench_pop(&w->bench);
	bench_push(&w->bench, "end of the command", 2 * SHELL_STOP_MS);
	if (shell_interrupt(sh, &stopped))
		return -1;
	worker_result(w, w->step->name, STATUS_MISS, e->msg, e->blame);
	return 0;
}

/* `export NAME='value'` for each. */
static int add_env(struct worker *w, const struct node *env, struct buf *out, struct err *e)
{
	node_each (env, kid) {
		AUTOBUF value = BUF_INIT(WORKER_TEXT_BYTES);

		if (expand(w, kid->text ? kid->text : "", &value, e))
			return -1;
		buf_printf(out, "export %s=", kid->key);
		worker_quote(buf_str(&value), out);
		buf_putc(out, '\n');
	}
	return 0;
}

static int add_expanded(struct worker *w, const char *text, struct buf *out, struct err *e)
{
	AUTOBUF expanded = BUF_INIT(WORKER_TEXT_BYTES);

	if (expand(w, text, &expanded, e))
		return -1;
	if (buf_puts(out, buf_str(&expanded)))
		return err_set(e, BLAME_JOB, "the command passes %zu bytes", WORKER_TEXT_BYTES);
	return 0;
}

/* Asks the board for the programs that the commands `needs` begin with. 0: they are there, 1: the
 * step is skipped because one is not, -1. */
static int skip_without(
	struct worker *w, struct shell *sh, const struct param_strings *needs, struct err *e)
{
	AUTOBUF command = BUF_INIT(WORKER_TEXT_BYTES);
	AUTOBUF output = BUF_INIT(SHELL_OUTPUT_BYTES + 1);
	char said[WHY_BYTES], why[WHY_BYTES + 64];
	struct shell_outcome out;

	if (!needs->n)
		return 0;
	buf_puts(&command, "for p in");
	for (size_t i = 0; i < needs->n; i++) {
		AUTOBUF expanded = BUF_INIT(WORKER_TEXT_BYTES);
		AUTOFREE char *program = NULL;
		struct str rest, word = STR_LIT("");

		if (expand(w, needs->p[i], &expanded, e))
			return -1;
		rest = str_of(buf_str(&expanded));
		str_word(&rest, &word);
		program = mem_strndup(word.p, word.n);
		buf_putc(&command, ' ');
		worker_quote(program, &command);
	}
	if (buf_puts(&command,
		    "; do command -v \"$p\" >/dev/null || { echo \"$p\"; exit 1; }; done"))
		return err_set(e, BLAME_JOB, "'needs' passes %zu bytes", WORKER_TEXT_BYTES);
	if (shell_run(sh, buf_str(&command), &output, &out, e))
		return -1;
	if (!out.exit)
		return 0;
	snprintf(why, sizeof why, "no program '%s' on the board",
		last_line(str_make(buf_str(&output), output.len), said, sizeof said));
	worker_result(w, w->step->name, STATUS_SKIP, why, BLAME_NONE);
	return 1;
}

int step_run(struct worker *w, const void *conf, struct err *e)
{
	const struct step_run *s = conf;
	AUTOBUF command = BUF_INIT(WORKER_TEXT_BYTES);
	AUTOBUF output = BUF_INIT(SHELL_OUTPUT_BYTES + 1);
	const struct node *settings;
	bool capture = plan_parser(s->parse, &settings) || s->expect.n;
	struct shell_outcome out;
	struct shell *sh;
	int skipped;

	if (worker_has_apps(w))
		return add_expanded(w, s->command, &command, e)
			       ? -1
			       : worker_app_run(w, s, buf_str(&command), e);
	sh = worker_shell(w, w->step->console, e);
	if (!sh || (skipped = skip_without(w, sh, &s->needs, e)) < 0)
		return -1;
	if (skipped)
		return 0;
	if (add_env(w, s->env, &command, e) || add_expanded(w, s->command, &command, e))
		return -1;
	if (shell_run(sh, buf_str(&command), capture ? &output : NULL, &out, e))
		return e->blame == BLAME_TIMEOUT && sh->running && !w->crash.seen
			       ? run_overdue(w, sh, e)
			       : -1;
	for (unsigned i = 0; i < out.lost && i < SHELL_FRAMES; i++) {
		AUTOFREE char *name = mem_printf("%s/lost-%u", w->step->name, i + 1);

		worker_result(w, name, STATUS_MISS,
			"a frame was lost on the console and did not come again", BLAME_INFRA);
	}
	if (capture && !out.captured) {
		worker_result(w, w->step->name, STATUS_MISS,
			"the output did not come whole over the console", BLAME_INFRA);
		return 0;
	}
	if (capture && worker_artifact(w, w->step->name, str_make(buf_str(&output), output.len), e))
		return -1;
	if (out.left_out) {
		worker_result(w, w->step->name, STATUS_ERROR,
			"the command printed more than is kept of an output", BLAME_TEST);
		return 0;
	}
	return judge(w, s, &out, str_make(buf_str(&output), output.len), e);
}

/* ---- expect, send ---------------------------------------------------------------------------- */

static struct pattern *expanded_pattern(struct worker *w, const char *text, struct err *e)
{
	AUTOBUF expanded = BUF_INIT(WORKER_TEXT_BYTES);

	return expand(w, text, &expanded, e) ? NULL : pattern_new(buf_str(&expanded), e);
}

int step_expect(struct worker *w, const void *conf, struct err *e)
{
	const struct step_expect *s = conf;
	struct console *c = worker_console(w, w->step->console, e);
	struct pattern *p[2] = {NULL, NULL};
	char why[WHY_BYTES + 64], said[WHY_BYTES];
	struct expect_match m;
	int r = -1;

	if (c && (p[0] = expanded_pattern(w, s->pattern, e)) &&
		(!s->fail || (p[1] = expanded_pattern(w, s->fail, e))))
		r = console_expect(c, p, s->fail ? 2 : 1, INT64_MAX, &m, e);
	if (r >= 0) {
		snprintf(why, sizeof why, "console shows '%s'",
			str_printable(m.group[0], said, sizeof said));
		worker_result(w, w->step->name, r ? STATUS_FAIL : STATUS_PASS, r ? why : NULL,
			BLAME_TEST);
	}
	pattern_free(p[0]);
	pattern_free(p[1]);
	return r < 0 ? -1 : 0;
}

int step_send(struct worker *w, const void *conf, struct err *e)
{
	const struct step_send *s = conf;
	struct console *c = worker_console(w, w->step->console, e);
	AUTOBUF text = BUF_INIT(WORKER_TEXT_BYTES);

	if (!c || expand(w, s->text, &text, e))
		return -1;
	if (s->enter && buf_putc(&text, '\r'))
		return err_set(e, BLAME_JOB, "text is longer than %zu bytes", WORKER_TEXT_BYTES);
	return console_send(c, str_make(buf_str(&text), text.len), e);
}

/* ---- measure ------------------------------------------------------------------------------------
 */

/* Settings with the run's variables filled in. */
static const struct node *expand_settings(struct worker *w, const struct node *map, struct err *e)
{
	struct node *out = node_new(&w->arena, NODE_MAP, map ? map->at : (struct loc){0});

	node_each (map, kid) {
		AUTOBUF text = BUF_INIT(WORKER_TEXT_BYTES);
		struct node *copy = node_copy(&w->arena, kid);

		if (copy->type == NODE_SCALAR) {
			if (expand(w, copy->text, &text, e))
				return NULL;
			copy->text = arena_strdup(&w->arena, buf_str(&text));
		}
		node_map_set(&w->arena, out, kid->key, copy);
	}
	return out;
}

int step_measure(struct worker *w, const void *conf, struct err *e)
{
	const struct step_measure *s = conf;
	const struct node *net = node_find(w->board, "network"), *settings;
	struct measure m = {.bench = &w->bench,
		.address = node_text(net, "address"),
		.instruments = node_find(w->board, "instruments"),
		.ports = node_find(net, "ports")};
	AUTOBUF output = BUF_INIT(BUF_CAP_BYTES);
	struct err parsed = {0};
	int r;

	m.drv = (const struct measure_driver *)driver_get(
		measure_drivers(), "measure driver", s->with, e);
	settings = m.drv ? expand_settings(w, s->settings, e) : NULL;
	if (!settings)
		return -1;
	m.conf = worker_conf(w, m.drv->d.params, m.drv->d.size, s->with, settings, NULL, e);
	if (!m.conf)
		return -1;
	r = m.drv->run(&m, &output, e);
	if (r > 0) {
		worker_result(w, w->step->name, STATUS_SKIP, e->msg, BLAME_NONE);
		return 0;
	}
	if (r) {
		bool lost = m.drv->aside && (e->blame == BLAME_INFRA || e->blame == BLAME_CONFIG);

		if (e->blame != BLAME_TEST && !lost)
			return -1;
		worker_result(
			w, w->step->name, lost ? STATUS_MISS : STATUS_ERROR, e->msg, e->blame);
		return output.len ? worker_artifact(w, w->step->name,
					    str_make(buf_str(&output), output.len), e)
				  : 0;
	}
	if (worker_artifact(w, w->step->name, str_make(buf_str(&output), output.len), e))
		return -1;
	if (worker_parse(w, m.drv->parser, NULL, str_make(buf_str(&output), output.len), &parsed))
		worker_result(w, w->step->name, STATUS_ERROR, parsed.msg, parsed.blame);
	else
		worker_result(w, w->step->name, STATUS_PASS, NULL, BLAME_NONE);
	return 0;
}
