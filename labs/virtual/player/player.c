/* SPDX-License-Identifier: MIT */
/*
 * The player's boards, their relay boards and its control lines. Invariant: board i hangs on
 * channel i modulo `channels` of relay board i / `channels`.
 */
#include "labs/virtual/player/player.h"

#include "base/fs.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>

#define PRESET_CHANNELS 8
#define NAME_BYTES      64
#define SPARE_FDS       64 /* what is not a board's: control socket, clients, the loop */

/* One relay board. */
struct module {
	struct player *player;
	unsigned first; /* board at channel 0 */
	char *name;     /* its link, in the folder */
	struct relay *relay;
	struct pty *port;
};

struct player {
	struct vlab vlab;
	struct arena arena;
	struct player_opts opts; /* of which dir and specs are not kept */
	char *tftp;
	VEC(struct script *) scripts;
	VEC(struct played *) boards;
	VEC(struct module *) modules;
	struct meter *meter;  /* NULL: no board has rails */
	VEC(unsigned) firsts; /* of each board, its first channel there */
};

/* ---- relay boards --------------------------------------------------------------------------- */

static void moved(void *arg, unsigned channel, bool closed)
{
	struct module *m = arg;
	struct player *p = m->player;
	unsigned i = m->first + channel;

	if (i >= p->boards.n)
		return;
	if (p->meter)
		meter_power(p->meter, p->boards.p[i]->script->rails, p->firsts.p[i], closed);
	played_power(p->boards.p[i], closed);
}

static void commanded(void *arg, struct str bytes)
{
	struct module *m = arg;
	AUTOBUF reply = BUF_INIT(PTY_QUEUE_BYTES);

	relay_feed(m->relay, bytes, &reply);
	pty_write(m->port, str_make(buf_str(&reply), reply.len));
}

static int add_module(struct player *p, struct err *e)
{
	struct module *m = mem_alloc(sizeof *m);
	AUTOFREE char *link = NULL;
	struct pty_opts po = {.on_bytes = commanded, .arg = m};

	vec_push(&p->modules, m);
	m->player = p;
	m->first = (unsigned)(p->modules.n - 1) * p->opts.channels;
	m->name = p->modules.n == 1 ? mem_strdup("relay") : mem_printf("relay-%zu", p->modules.n);
	po.link = link = vlab_path(&p->vlab, m->name);
	m->relay = relay_new(p->opts.model, p->opts.channels, moved, m, e);
	m->port = m->relay ? pty_new(p->vlab.hub, &po, e) : NULL;
	return m->port ? 0 : -1;
}

static struct module *module_of(struct player *p, size_t board)
{
	return p->modules.p[board / p->opts.channels];
}

/* ---- boards --------------------------------------------------------------------------------- */

static int add_board(struct player *p, const struct script *script, const char *name, struct err *e)
{
	struct played_opts o = {
		.name = name, .dir = p->vlab.dir, .tftp = p->tftp, .scale = p->opts.scale};
	struct played *b;

	vec_each (&p->boards, other)
		if (!strcmp((*other)->name, name))
			return err_set(e, BLAME_CONFIG, "two boards are named '%s'", name);
	if (p->boards.n % p->opts.channels == 0 && add_module(p, e) < 0)
		return -1;
	b = played_new(p->vlab.loop, p->vlab.hub, script, &o, e);
	if (!b)
		return -1;
	vec_push(&p->boards, b);
	for (size_t i = 0; i < script->faults.n; i++)
		if (played_fault(b, str_of(script->faults.p[i]), e) < 0)
			return err_wrap(e, "transcript '%s'", script->name);
	return 0;
}

/* The name given before `=`, else that of the file. */
static char *name_of(const char *spec, const char **file)
{
	const char *eq = strchr(spec, '='), *base, *dot;

	*file = eq ? eq + 1 : spec;
	if (eq)
		return mem_strndup(spec, (size_t)(eq - spec));
	base = fs_basename(spec);
	dot = strrchr(base, '.');
	return dot ? mem_strndup(base, (size_t)(dot - base)) : mem_strdup(base);
}

static bool name_is_good(const char *name)
{
	size_t n =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return n && !name[n] && n < NAME_BYTES && *name != '.' && *name != '-';
}

static int add_boards(struct player *p, const char *spec, struct diag *diag, struct err *e)
{
	const char *file;
	AUTOFREE char *name = name_of(spec, &file), *found = NULL;
	struct script *script;
	unsigned count = p->opts.count;

	if (!name_is_good(name))
		return err_set(e, BLAME_CONFIG, "'%s' is no name for a board", name);
	if (!strchr(file, '/') && !fs_exists(file)) {
		AUTOFREE char *shipped = mem_printf("labs/virtual/player/%s%s", file,
			str_ends(str_of(file), ".yaml") ? "" : ".yaml");

		found = fs_data_path(shipped);
	}
	script = script_load(arena_strdup(&p->arena, found ? found : file), diag);
	if (!script)
		return -1;
	vec_push(&p->scripts, script);
	for (unsigned i = 1; i <= count; i++) {
		AUTOFREE char *one = count > 1 ? mem_printf("%s-%u", name, i) : mem_strdup(name);

		if (add_board(p, script, one, e) < 0)
			return -1;
	}
	return 0;
}

/* ---- lab file ------------------------------------------------------------------------------- */

static struct node *describe(struct player *p, size_t i, struct err *e)
{
	struct arena *a = &p->arena;
	unsigned first = 0;
	const struct script *s = p->boards.p[i]->script;
	struct node *board = node_new(a, NODE_MAP, (struct loc){0}), *map;
	const char *kind = p->opts.sockets ? "unix:" : "";
	unsigned channel = (unsigned)(i % p->opts.channels);

	vlab_put(a, board, "type", s->type);
	map = vlab_put_map(a, board, "power");
	vlab_put(a, map, "driver", "serial-relay");
	vlab_put(a, map, "port", arena_printf(a, "%s./%s", kind, module_of(p, i)->name));
	vlab_put(a, map, "model", relay_models[p->opts.model]);
	vlab_put(a, map, "channel", arena_printf(a, "%u", channel + 1));
	map = vlab_put_map(a, vlab_put_map(a, board, "consoles"), "main");
	vlab_put(a, map, "driver", "serial");
	vlab_put(a, map, "port", arena_printf(a, "%s./%s.console", kind, p->boards.p[i]->name));
	map = vlab_put_map(a, vlab_put_map(a, board, "deploy"), "tftp");
	vlab_put(a, map, "root", "./tftp");
	vlab_put(a, map, "server", "10.0.2.2");
	if (p->meter && meter_board(p->meter, s->rails, a, board, &first, e))
		return NULL;
	vec_push(&p->firsts, first);
	return s->lab ? node_overlay(a, board, s->lab) : board;
}

static int write_lab(struct player *p, struct err *e)
{
	struct node *boards = node_new(&p->arena, NODE_MAP, (struct loc){0});

	vec_each (&p->scripts, s)
		if ((*s)->rails && !p->meter && !(p->meter = meter_new(p->vlab.loop, e)))
			return -1;
	for (size_t i = 0; i < p->boards.n; i++) {
		struct node *board = describe(p, i, e);

		if (!board)
			return -1;
		node_map_set(&p->arena, boards, p->boards.p[i]->name, board);
	}
	return vlab_lab_file(&p->vlab, "player", &p->arena, boards, e);
}

/* ---- control lines -------------------------------------------------------------------------- */

static void print_status(struct player *p, size_t i, struct buf *answer)
{
	struct played *b = p->boards.p[i];

	buf_printf(answer, "%s %s %s%s%s power-ons %llu resets %llu dropped %llu overruns %llu\n",
		b->name, b->powered ? "on" : "off", b->powered ? b->state->name : "-",
		b->hung ? " hung" : "", pty_plugged(b->console) ? "" : " unplugged",
		(unsigned long long)b->power_ons, (unsigned long long)b->reboots,
		(unsigned long long)pty_dropped_bytes(b->console), (unsigned long long)b->overruns);
	faults_print(&b->faults, "  ", answer);
}

static int set_relay(struct player *p, size_t i, struct str what, struct err *e)
{
	for (int f = 0; relay_faults[f]; f++)
		if (str_is(what, relay_faults[f])) {
			relay_break(module_of(p, i)->relay, (unsigned)(i % p->opts.channels),
				(enum relay_fault)f);
			return 0;
		}
	return err_set(
		e, BLAME_CONFIG, "relay: ok, dead, lying or stuck, not '%.*s'", STR_ARG(what));
}

static int set_var(struct played *b, struct str rest, struct err *e)
{
	ptrdiff_t eq = str_chr(rest, '=');
	AUTOFREE char *name = NULL, *value = NULL;

	if (eq <= 0)
		return err_set(e, BLAME_CONFIG, "set: needs NAME=VALUE");
	name = mem_strndup(rest.p, (size_t)eq);
	value = mem_strndup(rest.p + eq + 1, rest.n - (size_t)eq - 1);
	played_set(b, name, value);
	return 0;
}

static int order(struct player *p, size_t i, struct str verb, struct str rest, struct buf *answer,
	struct err *e)
{
	struct played *b = p->boards.p[i];
	struct module *m = module_of(p, i);

	if (str_is(verb, "status")) {
		print_status(p, i, answer);
	} else if (str_is(verb, "fault")) {
		return played_fault(b, rest, e);
	} else if (str_is(verb, "relay")) {
		return set_relay(p, i, rest, e);
	} else if (str_is(verb, "clear")) {
		played_clear(b);
		return set_relay(p, i, STR_LIT("ok"), e);
	} else if (str_is(verb, "set")) {
		return set_var(b, rest, e);
	} else if (str_is(verb, "say")) {
		AUTOFREE char *text = mem_printf("%.*s\n", STR_ARG(rest));

		played_say(b, str_of(text));
	} else if (str_is(verb, "rail") && p->meter) {
		return meter_set(p->meter, b->script->rails, p->firsts.p[i], rest, e);
	} else if (str_is(verb, "meter") && p->meter) {
		return meter_fault(p->meter, rest, e);
	} else if (str_is(verb, "reset")) {
		played_reset(b);
	} else if (str_is(verb, "pull")) {
		pty_unplug(b->console);
	} else if (str_is(verb, "plug")) {
		return pty_plug(b->console, e);
	} else if (str_is(verb, "pull-relay")) {
		pty_unplug(m->port);
	} else if (str_is(verb, "plug-relay")) {
		return pty_plug(m->port, e);
	} else {
		return err_set(e, BLAME_CONFIG, "no order '%.*s'", STR_ARG(verb));
	}
	return 0;
}

static int on_line(void *arg, struct str line, struct buf *answer, struct err *e)
{
	struct player *p = arg;
	struct str verb = {0}, board = {0};
	bool found = false;

	str_word(&line, &verb);
	str_word(&line, &board);
	line = str_trim(line);
	if (!board.n && !str_is(verb, "status"))
		return err_set(e, BLAME_CONFIG, "'%.*s' needs a board", STR_ARG(verb));
	for (size_t i = 0; i < p->boards.n; i++) {
		if (board.n && !str_is(board, "*") && !str_is(board, p->boards.p[i]->name))
			continue;
		found = true;
		if (order(p, i, verb, line, answer, e) < 0)
			return -1;
	}
	return found ? 0 : err_set(e, BLAME_CONFIG, "no board '%.*s'", STR_ARG(board));
}

/* ---- life ----------------------------------------------------------------------------------- */

/*
 * A port takes two descriptors, master and slave or listener and connection: as many as we may
 * have, and no start with fewer, for a host that connects late would find nobody. Real shells come
 * on top, for as long as a board has one.
 */
static int check_size(const struct player *p, size_t boards, struct err *e)
{
	size_t most = p->opts.sockets ? PLAYER_SOCKET_BOARDS_MAX : PLAYER_BOARDS_MAX;
	size_t relays = (boards + p->opts.channels - 1) / p->opts.channels;
	size_t need = 2 * (boards + relays) + SPARE_FDS;
	struct rlimit r;

	if (boards > most)
		return err_set(e, BLAME_CONFIG, "%zu boards are more than %zu%s", boards, most,
			p->opts.sockets ? "" : " on PTYs: use sockets");
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return 0;
	if (r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	if (need > r.rlim_max)
		return err_set(e, BLAME_CONFIG,
			"%zu boards need %zu descriptors, and %zu are allowed (ulimit -Hn)", boards,
			need, (size_t)r.rlim_max);
	return 0;
}

static int make(struct player *p, const struct player_opts *o, struct diag *diag, struct err *e)
{
	if (check_size(p, o->n_specs * p->opts.count, e) < 0)
		return -1;
	if (vlab_init(&p->vlab, o->dir, on_line, p, e) < 0)
		return -1;
	pty_hub_sockets(p->vlab.hub, o->sockets);
	p->tftp = vlab_path(&p->vlab, "tftp");
	if (fs_mkdirs(p->tftp, 0755, e) < 0)
		return -1;
	for (size_t i = 0; i < o->n_specs; i++)
		if (add_boards(p, o->specs[i], diag, e) < 0)
			return -1;
	return write_lab(p, e);
}

struct player *player_new(const struct player_opts *o, struct diag *diag, struct err *e)
{
	struct player *p = mem_alloc(sizeof *p);

	p->opts = *o;
	if (!p->opts.channels)
		p->opts.channels = PRESET_CHANNELS;
	if (!p->opts.count)
		p->opts.count = 1;
	if (make(p, o, diag, e) == 0)
		return p;
	player_free(p);
	return NULL;
}

int player_run(struct player *p, const struct vlab_run *run, int *status, struct err *e)
{
	return vlab_run(&p->vlab, run, status, e);
}

void player_free(struct player *p)
{
	if (!p)
		return;
	vec_each (&p->boards, b)
		played_free(*b);
	vec_each (&p->modules, m) {
		pty_free((*m)->port);
		relay_free((*m)->relay);
		free((*m)->name);
		free(*m);
	}
	vec_each (&p->scripts, s)
		script_free(*s);
	meter_free(p->meter);
	vec_done(&p->firsts);
	vec_done(&p->boards);
	vec_done(&p->modules);
	vec_done(&p->scripts);
	vlab_done(&p->vlab);
	arena_done(&p->arena);
	free(p->tftp);
	free(p);
}
