/* SPDX-License-Identifier: MIT */
/*
 * From the kernel's first line to a shell that takes commands, and the proof of what booted.
 * Invariant: nothing is typed while the console talks, and a name or password only at its prompt.
 */
#include "worker.h"

#include "base/clock.h"
#include "base/mem.h"

#define NUDGE_MS      5000 /* silence after which Enter is tried */
#define REST_MS       200
#define REST_LIMIT_MS 3000
#define ATTEMPTS      4 /* names typed before the board is said to refuse them */

enum prompt { PROMPT_SHELL, PROMPT_LOGIN, PROMPT_PASSWORD, PROMPT_COUNT };

struct dialogue {
	struct worker *w;
	struct console *console;
	struct type_login conf;
	struct pattern *prompts[PROMPT_COUNT];
	size_t n;
};

static int dialogue_init(struct dialogue *d, struct worker *w, const char *user, struct err *e)
{
	const struct node *map = node_find(w->board, "login");
	const struct type_login *conf;

	*d = (struct dialogue){.w = w, .console = worker_console(w, w->step->console, e)};
	if (!d->console)
		return -1;
	conf = worker_conf(w, type_login_params, sizeof *conf, "login settings", map, NULL, e);
	if (!conf)
		return -1;
	d->conf = *conf;
	if (user)
		d->conf.user = user;
	if (!d->conf.shell_prompt)
		return err_set(e, BLAME_CONFIG, "the type of board '%s' has no shell prompt",
			w->board_name);
	d->prompts[PROMPT_SHELL] = pattern_new(d->conf.shell_prompt, e);
	if (!d->prompts[PROMPT_SHELL])
		return -1;
	d->n = 1;
	if (!d->conf.user)
		return 0;
	d->prompts[PROMPT_LOGIN] = pattern_new(d->conf.prompt ? d->conf.prompt : "login: ", e);
	d->prompts[PROMPT_PASSWORD] = pattern_new("(?i)password: ?", e);
	d->n = PROMPT_COUNT;
	return d->prompts[PROMPT_LOGIN] && d->prompts[PROMPT_PASSWORD] ? 0 : -1;
}

/* The shell's prompt stays with the shell. */
static void dialogue_done(struct dialogue *d, bool keep)
{
	if (!keep)
		pattern_free(d->prompts[PROMPT_SHELL]);
	pattern_free(d->prompts[PROMPT_LOGIN]);
	pattern_free(d->prompts[PROMPT_PASSWORD]);
}

/* The next prompt; a board that is silent gets an Enter, as a kernel line may have cut a prompt. So
 * does one that was up before the job, at once: only then, as behind a name it would be taken for
 * the password. */
static int next_prompt(struct dialogue *d, bool first, int64_t until, struct err *e)
{
	for (bool ask = first && !d->w->power_on_ms;; ask = false) {
		int64_t left = until - clock_ms();
		int r;

		if (ask && (console_quiet(d->console, REST_MS, REST_LIMIT_MS, e) < 0 ||
				   console_send(d->console, STR_LIT("\r"), e)))
			return -1;
		r = console_expect(
			d->console, d->prompts, d->n, left < NUDGE_MS ? left : NUDGE_MS, NULL, e);
		if (r != CONSOLE_TIMEOUT)
			return r;
		if (left <= NUDGE_MS)
			return err_wrap(
				e, "no prompt in %lld s", (long long)(d->conf.timeout_ms / 1000));
		if (clock_ms() - d->console->last_byte_ms >= NUDGE_MS &&
			console_send(d->console, STR_LIT("\r"), e))
			return -1;
		err_clear(e);
	}
}

static int log_in(struct dialogue *d, struct err *e)
{
	int64_t until = clock_ms() + d->conf.timeout_ms;
	bool first = true;

	for (int names = 0;; first = false) {
		int r = next_prompt(d, first, until, e);

		if (r < 0 || r == PROMPT_SHELL)
			return r < 0 ? -1 : 0;
		if (r == PROMPT_LOGIN) {
			if (names++ == ATTEMPTS)
				return err_set(e, BLAME_CONFIG, "the board refuses user '%s'",
					d->conf.user);
			if (console_type(d->console, d->conf.user, true, e))
				return -1;
		} else if (!d->conf.password) {
			return err_set(e, BLAME_CONFIG,
				"the board asks for a password of '%s', and the lab file has none",
				d->conf.user);
		} else if (console_type(d->console, d->conf.password, false, e)) {
			return -1;
		}
	}
}

/* A firmware that came to its command line by the last boot step: nobody logs in. */
static int open_framed(struct worker *w, struct err *e)
{
	struct console *c = w->boot.console;
	struct shell *sh = &w->shells[c - w->consoles];

	shell_close(sh);
	pattern_free(sh->prompt);
	*sh = (struct shell){.bench = &w->bench,
		.console = c,
		.prompt = pattern_new(w->boot.framed_prompt, e),
		.framed = true,
		.on_frame = worker_frame,
		.on_frame_arg = w};
	if (!sh->prompt || shell_open(sh, e))
		return -1;
	if (c == worker_main_console(w))
		worker_stages(w);
	return worker_identify_firmware(w, sh, e);
}

int step_login(struct worker *w, const void *conf, struct err *e)
{
	const struct step_login *s = conf;
	struct shell *sh;
	struct dialogue d;
	int r;

	if (worker_has_apps(w)) {
		if (w->boot.console == worker_main_console(w))
			worker_stages(w);
		return worker_identify_apps(w, e);
	}
	if (w->boot.framed_prompt && w->boot.console == worker_console(w, w->step->console, e))
		return open_framed(w, e);
	r = dialogue_init(&d, w, s->user, e);

	if (!r)
		r = log_in(&d, e);
	if (r) {
		dialogue_done(&d, false);
		return -1;
	}
	sh = &w->shells[d.console - w->consoles];
	shell_close(sh);
	pattern_free(sh->prompt);
	*sh = (struct shell){.bench = &w->bench,
		.console = d.console,
		.prompt = d.prompts[PROMPT_SHELL],
		.at_prompt = true,
		.on_frame = worker_frame,
		.on_frame_arg = w};
	dialogue_done(&d, true);
	if (shell_open(sh, e))
		return -1;
	if (d.console == worker_main_console(w) && w->crash.told)
		crash_forget(&w->crash); /* it came up again */
	if (d.console == worker_main_console(w))
		crash_logged_in(&w->crash);
	if (d.console != worker_main_console(w))
		return 0; /* another processor of the board: no image of ours is told of it */
	worker_stages(w);
	return worker_identify(w, e);
}
