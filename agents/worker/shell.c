/* SPDX-License-Identifier: MIT */
/*
 * Talks to the shell of a board. Invariant: what it said is known from frames alone; what is typed
 * was echoed before Enter, and a helper that did not arrive whole is not used.
 */
#include "shell-inner.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static void on_frame(void *arg, const struct frame *f)
{
	struct shell *s = arg;

	if (f->seq >= s->first)
		s->went = true;
	if (!strcmp(f->kind, "go"))
		return;
	if (!strcmp(f->kind, "bad")) {
		s->bad = true;
		s->end_seq = f->seq;
	} else if (!strcmp(f->kind, "v")) {
		snprintf(s->version, sizeof s->version, "%.*s", STR_ARG(f->payload));
	} else if (!strcmp(f->kind, "end")) {
		s->ended = true;
		s->end_seq = f->seq;
		snprintf(s->end, sizeof s->end, "%.*s", STR_ARG(f->payload));
	} else if (!strcmp(f->kind, "f")) {
		if (f->seq >= s->first && f->seq - s->first < SHELL_FRAMES) {
			char **piece = &s->pieces[f->seq - s->first];

			free(*piece);
			*piece = mem_strndup(f->payload.p, f->payload.n);
		}
	} else if (s->on_frame) {
		s->on_frame(s->on_frame_arg, f);
	}
}

static void on_bytes(void *arg, struct str raw, uint64_t offset, int64_t at_ms)
{
	struct shell *s = arg;

	(void)offset;
	(void)at_ms;
	if (s->frames)
		frames_feed(s->frames, raw);
}

/* A console takes few taps, and a shell is opened once per login. */
static void watch(struct shell *s)
{
	for (unsigned i = 0; i < s->console->n_taps; i++)
		if (s->console->taps[i].fn == on_bytes && s->console->taps[i].arg == s)
			return;
	console_tap(s->console, on_bytes, s);
}

void shell_drop_pieces(struct shell *s)
{
	for (size_t i = 0; s->pieces && i < SHELL_FRAMES; i++) {
		free(s->pieces[i]);
		s->pieces[i] = NULL;
	}
}

void shell_close(struct shell *s)
{
	shell_drop_pieces(s);
	free(s->pieces);
	frames_free(s->frames);
	s->pieces = NULL;
	s->frames = NULL;
	s->installed = s->running = false;
}

/* ---- waiting ------------------------------------------------------------------------------- */

/* An Enter has an echo, too. When not a byte follows it, it was lost; for a shell one too many does
 * no harm. */
static int enter(struct shell *s, struct err *e)
{
	for (int i = 0; i < SHELL_TRIES; i++) {
		uint64_t before = s->console->received_bytes;
		int r = bench_wait_pump(s->bench, SHELL_PROMPT_MS, e);

		if (r < 0)
			return -1;
		if (r || s->console->received_bytes != before)
			return 0;
		if (console_send(s->console, STR_LIT("\r"), e))
			return -1;
	}
	return 0;
}

/* Types a line once the prompt that follows the line before is there: a slow shell prints it into
 * the middle of what is typed too soon. A prompt that a kernel line cut is not waited for long. */
int shell_type(struct shell *s, const char *line, struct err *e)
{
	unsigned retypes = s->console->retypes;
	bool ready = s->at_prompt;
	int r;

	s->at_prompt = false;
	if (s->prompt && s->typed) {
		struct err waited = {0};

		r = console_expect(s->console, &s->prompt, 1, SHELL_PROMPT_MS, NULL, &waited);
		if (r == -1) {
			*e = waited;
			return -1;
		}
		ready = r >= 0;
	}
	s->typed = true;
	r = ready ? console_type_at_prompt(s->console, line, e)
		  : console_type(s->console, line, true, e);
	/* the echo is all the flow control there is: more at once only where less went well */
	if (s->console->retypes != retypes)
		s->line_bytes = SHELL_LINE_BYTES;
	else if (strlen(line) > s->line_bytes * 3 / 4 && s->line_bytes < SHELL_LINE_MAX)
		s->line_bytes *= 2;
	return r || enter(s, e) ? -1 : 0;
}

/* Has the console said nothing for a while, with the prompt there or something damaged before? */
static bool may_ask(struct shell *s)
{
	struct expect_match m;

	if (clock_ms() - s->console->last_byte_ms < SHELL_SILENCE_MS)
		return false;
	if (frames_damaged(s->frames) != s->damaged)
		return true;
	if (!s->prompt || expect_search(s->console->expect, &s->prompt, 1, &m) != 1)
		return false;
	s->typed = false; /* the prompt is taken */
	return true;
}

static int ask_newest(struct shell *s, struct err *e)
{
	char line[SHELL_LINE_BYTES];
	struct err typed = {0};

	snprintf(line, sizeof line, s->framed ? "hil a %s" : "sh %s/x a",
		s->framed ? s->run : s->dir);
	if (!shell_type(s, line, &typed) || typed.blame == BLAME_INFRA)
		return 0; /* a shell that does not take it is no worse off */
	*e = typed;
	return -1;
}

int shell_wait_flag(struct shell *s, const bool *flag, int64_t limit_ms, struct err *e)
{
	int64_t until = limit_ms == INT64_MAX ? INT64_MAX : clock_ms() + limit_ms;
	unsigned asked = 0;

	while (!*flag) {
		int64_t left = until == INT64_MAX ? SHELL_SILENCE_MS : until - clock_ms();

		if (left <= 0)
			return 0;
		if (bench_wait_pump(
			    s->bench, left < SHELL_SILENCE_MS ? left : SHELL_SILENCE_MS, e) < 0)
			return -1;
		if (!*flag && s->installed && asked < SHELL_TRIES && may_ask(s)) {
			asked++;
			s->damaged = frames_damaged(s->frames);
			if (ask_newest(s, e))
				return -1;
		}
	}
	return 1;
}

/* The answer to the line typed last, "hil=ANSWER=" by pattern, to out. 1, 0 none, -1. */
static int take_answer(
	struct shell *s, struct pattern *const *p, char *out, size_t n, struct err *e)
{
	struct expect_match m;
	int r = console_expect(s->console, p, 1, SHELL_ANSWER_MS / 2, &m, e);

	if (r == CONSOLE_TIMEOUT)
		return 0;
	if (r < 0)
		return -1;
	snprintf(out, n, "%.*s", STR_ARG(m.group[1]));
	return 1;
}

/* Types a line that answers by pattern; typed: it was typed already. 1, 0 none, -1. */
static int ask(struct shell *s, const char *line, bool typed, const char *pattern, char *out,
	size_t n, struct err *e)
{
	struct pattern *p = pattern_new(pattern, e);
	int r = p ? 0 : -1;

	for (int i = 0; !r && i < SHELL_TRIES; i++, typed = false) {
		r = typed ? 0 : shell_type(s, line, e);
		if (!r)
			r = take_answer(s, &p, out, n, e);
	}
	pattern_free(p);
	return r;
}

int shell_ask(
	struct shell *s, const char *line, const char *pattern, char *out, size_t n, struct err *e)
{
	return ask(s, line, false, pattern, out, n, e);
}

/* ---- putting text onto the board ------------------------------------------------------------ */

int shell_put(struct shell *s, const char *text, const char *name, const char *then, bool *begun,
	struct err *e)
{
	AUTOBUF line = BUF_INIT(2 * SHELL_LINE_MAX);
	struct str rest = str_of(text);
	char file[sizeof s->dir + 8];
	bool first = true;

	snprintf(file, sizeof file, "%s/%s", s->dir, name);
	do {
		shell_put_line(&rest, file, first, s->line_bytes, &line);
		if (!rest.n && then && line.len + strlen(then) < s->line_bytes + SHELL_LINE_BYTES) {
			buf_printf(&line, ";%s", then);
			then = NULL;
			*begun = true;
		}
		if (shell_type(s, buf_str(&line), e))
			return err_wrap(e, "type '%s' into the shell", name);
		first = false;
	} while (rest.n);
	*begun = true;
	return then ? shell_type(s, then, e) : 0;
}

/* ---- opening ------------------------------------------------------------------------------- */

static void make_token(char *out, size_t n)
{
	static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
	uint8_t bytes[16] = {0};

	if (getrandom(bytes, sizeof bytes, 0) < 0) {
		int64_t now = clock_us();

		memcpy(bytes, &now, sizeof now);
	}
	for (size_t i = 0; i + 1 < n; i++)
		out[i] = letters[bytes[i] % 32];
	out[n - 1] = 0;
}

/* How long the console has to say nothing before the first frame. A board that took long to get to
 * its shell still starts things; one that was there at once has said all that it has to say. Frames
 * survive what comes all the same: this only spares them from being asked for again. */
static int64_t rest_ms(const struct shell *s, bool silenced)
{
	int64_t rest = (s->console->last_byte_ms - s->console->first_byte_ms) / SHELL_QUIET_SHARE;

	if (!silenced || rest > SHELL_QUIET_MS)
		return SHELL_QUIET_MS;
	return rest > SHELL_QUIET_MIN_MS ? rest : SHELL_QUIET_MIN_MS;
}

/* The kernel's lines off the console, read back; a terminal wide enough that nothing wraps. */
static int silence(struct shell *s, struct err *e)
{
	char level[8] = "";
	int64_t start = clock_ms(), got;
	bool silenced;
	int r = shell_ask(s,
		"stty cols 999 2>/dev/null;{ echo 1 >/proc/sys/kernel/printk||dmesg -n 1;} "
		"2>/dev/null;read -r a b </proc/sys/kernel/printk;echo \"hil=$a=\"",
		"hil=(\\d+)=", level, sizeof level, e);

	if (r < 0)
		return err_wrap(e, "silence the kernel's console");
	silenced = r && !str_i64(str_of(level), &got) && got <= 1;
	if (!silenced)
		bench_note(s->bench, "kernel lines stay on console '%s' (level '%s')",
			s->console->name, level);
	r = console_quiet(s->console, rest_ms(s, silenced), SHELL_QUIET_LIMIT_MS, e);
	if (r < 0)
		return -1;
	bench_note(s->bench, "console '%s' %s after %lld ms", s->console->name,
		r ? "rests" : "still talks", (long long)(clock_ms() - start));
	return 0;
}

static int make_dir(struct shell *s, struct err *e)
{
	char line[2 * SHELL_LINE_BYTES];
	int r;

	snprintf(line, sizeof line,
		"for H in $TMPDIR /tmp /run /dev/shm /root;do H=$H/hil.%s;[ ${#H} -lt 110 ]&&mkdir "
		"-p $H&&echo exit>$H/x&&for i in result metric;do printf '#\\041/bin/sh\\n. "
		"${0%%%%/*}/x\\n'>$H/hil_$i;done&&chmod 755 $H/hil_*&&$H/hil_result&&echo 0 "
		">$H/q&&echo \"hil=$H=\"&&break;done 2>/dev/null",
		s->run);
	r = shell_ask(s, line, "hil=(/[\\w./+-]+)=", s->dir, sizeof s->dir, e);
	if (r < 0)
		return err_wrap(e, "make the helper's folder");
	if (!r)
		return err_set(e, BLAME_INFRA,
			"make the helper's folder: the shell on console '%s' does not answer",
			s->console->name);
	return 0;
}

/* The script onto the board. Did it arrive whole? 1 yes, by the board's own cksum and without
 * starting the script; 0 it has none, or another sum: the script itself is to be asked. */
static int put_script(struct shell *s, struct err *e)
{
	char line[2 * SHELL_LINE_BYTES], sum[24] = "";
	uint64_t crc;
	bool begun;
	int r;

	snprintf(
		line, sizeof line, "H=$(cksum <%s/x 2>/dev/null);echo \"hil=${H%%%% *}=\"", s->dir);
	if (shell_put(s, helper_text, "x", line, &begun, e))
		return -1;
	r = ask(s, line, true, "hil=(\\d*)=", sum, sizeof sum, e);
	if (r <= 0)
		return r;
	s->cksum = !str_u64(str_of(sum), &crc) && crc == frame_cksum(str_of(helper_text));
	return s->cksum;
}

static int install(struct shell *s, struct err *e)
{
	char line[2 * SHELL_LINE_BYTES];
	uint64_t crc;
	int r;

	if (make_dir(s, e))
		return -1;
	r = put_script(s, e);
	if (r < 0)
		return -1;
	if (r) {
		s->installed = true;
		return 0;
	}
	s->version[0] = 0;
	s->went = false;
	s->damaged = frames_damaged(s->frames);
	s->installed = true; /* a frame that does not come whole may be asked for */
	snprintf(line, sizeof line, "sh %s/x v", s->dir);
	if (shell_type(s, line, e) || shell_wait_flag(s, &s->went, SHELL_ANSWER_MS, e) < 0)
		return -1;
	s->installed = !str_u64(str_of(s->version), &crc) &&
		       frame_crc_is(str_of(helper_text), (uint32_t)crc);
	if (!s->installed)
		return err_set(e, BLAME_INFRA, "install the helper: it arrived damaged on '%s'",
			s->console->name);
	s->cksum = frame_cksum(str_of(helper_text)) == crc;
	s->first = 1;
	return 0;
}

/* Nothing is installed: the command line itself answers with frames. */
static int open_framed(struct shell *s, struct err *e)
{
	if (console_quiet(s->console, SHELL_QUIET_MIN_MS, SHELL_QUIET_LIMIT_MS, e) < 0)
		return err_wrap(e, "open the board's command line");
	make_token(s->run, 7);
	frames_free(s->frames);
	s->frames = frames_new(s->run, on_frame, s);
	s->first = 0;
	s->cksum = s->installed = true;
	s->opened_ms = clock_ms();
	return 0;
}

int shell_open(struct shell *s, struct err *e)
{
	int r = -1;

	s->pieces = mem_array(SHELL_FRAMES, sizeof *s->pieces);
	s->line_bytes = SHELL_LINE_BYTES;
	watch(s);
	if (s->framed)
		return open_framed(s, e);
	if (silence(s, e))
		return err_wrap(e, "open the board's shell");
	for (int i = 0; r && i < SHELL_TRIES; i++) {
		s->installed = false;
		make_token(s->run, 7);
		frames_free(s->frames);
		s->frames = frames_new(s->run, on_frame, s);
		s->first = 0;
		r = install(s, e);
		if (r && e && e->blame != BLAME_INFRA)
			break;
	}
	s->installed = !r;
	s->opened_ms = clock_ms();
	return r ? err_wrap(e, "open the board's shell") : 0;
}
