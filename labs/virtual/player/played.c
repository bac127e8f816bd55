/* SPDX-License-Identifier: MIT */
/*
 * A played board. Invariant: whenever control is back in the loop, the board is off, hung, at a
 * prompt, in a real shell, or has a timer; nothing in here calls itself through the loop.
 */
#include "labs/virtual/player/played.h"

#include "base/log.h"
#include "base/mem.h"

#include <stdlib.h>

#define GATHER_MS 20  /* of silence, then a gathered chunk goes out though it is not full */
#define SPINS_MAX 200 /* looks for the host's read before it is waited for more slowly */
#define CONSOLE   "console"

/* ---- output --------------------------------------------------------------------------------- */

static void step(struct played *b);

/* Lets held bytes go as `chunk` says. One by one means: not before the host has read the last. */
static void let_go(void *arg)
{
	struct played *b = arg;

	b->held_timer = NULL;
	if (b->chunk_bytes != 1) {
		pty_write(b->console, str_make(buf_str(&b->held), b->held.len));
		buf_reset(&b->held);
		return;
	}
	if (!b->held.len)
		return;
	if (pty_drained(b->console)) {
		pty_write(b->console, str_make(b->held.data, 1));
		buf_eat(&b->held, 1);
		b->spins = 0;
	}
	b->held_timer = loop_timer(b->loop, b->spins++ < SPINS_MAX ? 0 : 1, let_go, b);
}

static void send_out(struct played *b, const struct buf *out)
{
	if (!b->chunk_bytes) {
		pty_write(b->console, str_make(buf_str(out), out->len));
		return;
	}
	if (b->held.len + out->len > b->held.cap)
		buf_reset(&b->held);
	buf_add(&b->held, buf_str(out), out->len);
	if (b->chunk_bytes == 1) {
		if (!b->held_timer)
			let_go(b);
		return;
	}
	loop_del(b->held_timer);
	b->held_timer = NULL;
	if (b->held.len >= b->chunk_bytes)
		let_go(b);
	else
		b->held_timer = loop_timer(b->loop, GATHER_MS, let_go, b);
}

static void put_off(void *arg)
{
	struct played *b = arg;

	b->timer = NULL;
	b->waiting = false;
	step(b);
}

void played_timer(struct played *b, int64_t ms, bool waiting)
{
	loop_del(b->timer);
	b->timer = loop_timer(b->loop, ms, put_off, b);
	b->waiting = waiting;
}

static void halt(struct played *b)
{
	b->hung = true;
	loop_del(b->timer);
	b->timer = NULL;
	userland_stop(b->userland);
	b->userland = NULL;
}

/* Something has happened to the board as a whole. */
void played_struck(struct played *b, enum fault_kind kind)
{
	AUTOBUF text = BUF_INIT(PLAYED_OUT_BYTES);

	if (kind == FAULT_HANG) {
		halt(b);
	} else if (kind == FAULT_PANIC) {
		fault_add_lines(&text, str_of(b->script->panic));
		send_out(b, &text);
		halt(b);
	} else if (kind == FAULT_REBOOT) {
		played_reset(b);
	}
}

void played_emit(struct played *b, struct str bytes)
{
	AUTOBUF out = BUF_INIT(PLAYED_OUT_BYTES);
	enum fault_kind kind;
	size_t eaten;

	if (!b->powered || b->hung || !bytes.n)
		return;
	kind = faults_pass(&b->faults, false, bytes, &out, &eaten);
	send_out(b, &out);
	if (kind != FAULT_NONE)
		played_struck(b, kind);
}

void played_lines(struct played *b, struct str text)
{
	AUTOBUF lines = BUF_INIT(PLAYED_OUT_BYTES);

	fault_add_lines(&lines, text);
	played_emit(b, str_make(buf_str(&lines), lines.len));
}

void played_print(struct played *b, const char *text)
{
	AUTOFREE char *full = played_expand(b, text);

	played_lines(b, str_of(full));
}

void played_say(struct played *b, struct str text)
{
	AUTOBUF lines = BUF_INIT(PLAYED_OUT_BYTES);

	fault_add_lines(&lines, text);
	if (b->powered)
		send_out(b, &lines);
}

/* ---- the real shell ------------------------------------------------------------------------- */

static void from_shell(void *arg, struct str bytes)
{
	played_emit(arg, bytes);
}

static void shell_ended(void *arg, int status)
{
	struct played *b = arg;
	const struct state *to = b->state;

	userland_stop(b->userland);
	b->userland = NULL;
	for (size_t i = 0; i < b->state->n_exits; i++)
		if (b->state->exits[i].status == status || b->state->exits[i].status < 0) {
			to = b->state->exits[i].state;
			break;
		}
	if (to != b->state)
		b->reboots++;
	played_enter(b, to);
	played_timer(b, 0, false);
}

static int write_files(struct played *b, struct err *e)
{
	node_each (b->script->files, file) {
		AUTOFREE char *text = played_expand(b, file->text ? file->text : "");

		if (userland_put(b->root, file->key, text, 0644, e) < 0)
			return -1;
	}
	return 0;
}

static void start_shell(struct played *b)
{
	const struct param_strings *argv = &b->state->shell;
	const struct node *files = b->script->files;
	const char **args = mem_array(argv->n + 1, sizeof *args);
	const char **paths = mem_array((files ? files->n : 0) + 1, sizeof *paths);
	AUTOFREE char *release = played_expand(b, "${release}");
	AUTOFREE char *prompt = played_expand(b, b->state->prompt ? b->state->prompt : "# ");
	struct userland_opts o = {.argv = args,
		.root = b->root,
		.files = paths,
		.prompt = prompt,
		.hostname = *played_var(b, "hostname") ? played_var(b, "hostname") : b->name,
		.release = release,
		.on_bytes = from_shell,
		.on_exit = shell_ended,
		.arg = b};
	struct err e = {0};

	for (size_t i = 0; i < argv->n; i++)
		args[i] = argv->p[i];
	for (size_t i = 0; files && i < files->n; i++)
		paths[i] = files->kids[i]->key;
	if (write_files(b, &e) == 0)
		b->userland = userland_start(b->loop, &o, &e);
	free(args);
	free(paths);
	if (!b->userland) {
		log_error("board '%s': %s", b->name, e.msg);
		halt(b);
	} else if (b->typed.len) {
		userland_type(b->userland, str_make(b->typed.data, b->typed.len));
		buf_reset(&b->typed);
	}
}

void played_enter(struct played *b, const struct state *to)
{
	AUTOBUF out = BUF_INIT(PLAYED_OUT_BYTES);
	enum fault_kind kind;

	userland_stop(b->userland);
	b->userland = NULL;
	b->state = to;
	b->acts = &to->enter;
	b->pc = 0;
	b->at_prompt = false;
	buf_reset(&b->line);
	buf_reset(&b->chain);
	kind = faults_enter(&b->faults, to->name, &out);
	send_out(b, &out);
	if (kind != FAULT_NONE)
		played_struck(b, kind);
}

/* Goes on until there is something to wait for. */
static void step(struct played *b)
{
	unsigned states = 0;
	const struct state *was = b->state;

	if (b->stepping)
		return;
	b->stepping = true;
	while (b->powered && !b->hung && !b->userland) {
		if (was != b->state || (b->acts == &b->state->enter && !b->pc)) {
			was = b->state;
			if (++states > PLAYED_TURN_STATES) {
				played_timer(b, 1, false);
				break;
			}
		}
		if (b->state->key && b->typed.len && (b->pc || !b->acts->n)) {
			buf_eat(&b->typed, 1);
			played_enter(b, b->state->key);
		} else if (b->pc < b->acts->n) {
			if (!acting_do(b, &b->acts->p[b->pc++]))
				break;
		} else if (b->state->shell.n) {
			start_shell(b);
		} else if (!typing_chain(b) && !typing_read(b)) {
			break;
		}
	}
	b->stepping = false;
}

/* ---- power and the world outside ------------------------------------------------------------ */

static void typed(void *arg, struct str bytes)
{
	struct played *b = arg;
	AUTOBUF in = BUF_INIT(PLAYED_OUT_BYTES);
	enum fault_kind kind;
	size_t eaten;

	if (!b->powered || b->hung)
		return;
	kind = faults_pass(&b->faults, true, bytes, &in, &eaten);
	if (kind != FAULT_NONE) {
		played_struck(b, kind);
		return;
	}
	if (b->userland) {
		userland_type(b->userland, str_make(buf_str(&in), in.len));
		return;
	}
	if (b->typed.len + in.len > b->typed.cap) {
		b->overruns++;
		in.len = b->typed.cap - b->typed.len;
	}
	buf_add(&b->typed, buf_str(&in), in.len);
	if (b->state->key && b->waiting) {
		loop_del(b->timer);
		b->timer = NULL;
		b->waiting = false;
	}
	if (!b->timer)
		step(b);
}

/* What a board forgets without power, and in a reset. */
static void forget(struct played *b)
{
	loop_del(b->timer);
	b->timer = NULL;
	b->waiting = b->hung = b->at_prompt = b->failed = b->after_cr = false;
	userland_stop(b->userland);
	b->userland = NULL;
	buf_reset(&b->typed);
	acting_drop_vars(&b->env);
	images_done(&b->images);
}

void played_reset(struct played *b)
{
	if (!b->powered)
		return;
	forget(b);
	b->reboots++;
	played_enter(b, b->script->start);
	if (!b->hung)
		played_timer(b, 0, false);
}

void played_power(struct played *b, bool on)
{
	if (on == b->powered)
		return;
	forget(b);
	b->powered = on;
	if (!on) {
		buf_reset(&b->held);
		return;
	}
	b->power_ons++;
	played_enter(b, b->script->start);
	step(b);
}

static int fault_number(struct str rest, size_t *out, struct err *e)
{
	int64_t n;

	if (str_i64(str_trim(rest), &n) < 0 || n < 0 || n > (int64_t)PLAYED_OUT_BYTES / 2)
		return err_set(e, BLAME_CONFIG, "chunk: needs a number of bytes up to %zu, 0: none",
			PLAYED_OUT_BYTES / 2);
	*out = (size_t)n;
	return 0;
}

int played_fault(struct played *b, struct str spec, struct err *e)
{
	AUTOBUF out = BUF_INIT(PLAYED_OUT_BYTES);
	struct str rest = spec, word;
	struct fault *last;

	if (str_word(&rest, &word) && str_is(word, "chunk"))
		return fault_number(rest, &b->chunk_bytes, e);
	if (str_is(word, "pace")) {
		pty_pace(b->console, !str_is(str_trim(rest), "off"));
		return 0;
	}
	if (faults_add(&b->faults, spec, e) < 0)
		return -1;
	last = &b->faults.all.p[b->faults.all.n - 1];
	if (last->at && !script_state(b->script, last->at)) {
		err_set(e, BLAME_CONFIG, "fault: no state '%s' in transcript '%s'", last->at,
			b->script->name);
		faults_drop_last(&b->faults);
		return -1;
	}
	if (!faults_is_now(&b->faults) || !b->powered || b->hung)
		return 0;
	played_struck(b, faults_now(&b->faults, &out));
	send_out(b, &out);
	return 0;
}

void played_clear(struct played *b)
{
	faults_done(&b->faults);
	b->chunk_bytes = 0;
	pty_pace(b->console, false);
}

struct played *played_new(struct loop *l, struct pty_hub *hub, const struct script *script,
	const struct played_opts *o, struct err *e)
{
	struct played *b = mem_alloc(sizeof *b);
	AUTOFREE char *link = mem_printf("%s/%s." CONSOLE, o->dir, o->name);
	struct pty_opts po = {.link = link, .on_bytes = typed, .arg = b};

	b->loop = l;
	b->script = script;
	b->name = mem_strdup(o->name);
	b->root = mem_printf("%s/%s.root", o->dir, o->name);
	b->tftp = mem_strdup(o->tftp);
	b->scale = o->scale;
	b->state = script->start;
	b->faults.line = script->line;
	buf_init(&b->typed, PLAYED_TYPED_BYTES);
	buf_init(&b->line, PLAYED_LINE_BYTES);
	buf_init(&b->chain, PLAYED_LINE_BYTES);
	buf_init(&b->held, PLAYED_OUT_BYTES);
	b->console = pty_new(hub, &po, e);
	if (!b->console) {
		played_free(b);
		return NULL;
	}
	return b;
}

void played_free(struct played *b)
{
	if (!b)
		return;
	forget(b);
	loop_del(b->held_timer);
	pty_free(b->console);
	faults_done(&b->faults);
	acting_drop_vars(&b->forced);
	for (int i = 0; i < PATTERN_GROUPS; i++)
		free(b->groups[i]);
	buf_done(&b->typed);
	buf_done(&b->line);
	buf_done(&b->chain);
	buf_done(&b->held);
	free(b->name);
	free(b->root);
	free(b->tftp);
	free(b);
}
