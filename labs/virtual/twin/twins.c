/* SPDX-License-Identifier: MIT */
/*
 * The twins of one daemon and their relay board. Invariant: twin i has power exactly while channel
 * i's contact is closed; its ports of the lab host are reserved for as long as it is there. A twin
 * waits only while as many boot as may.
 */
#include "labs/virtual/twin/twins.h"

#include "base/fs.h"
#include "base/mem.h"
#include "labs/virtual/twin/inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PRESET_TYPE "am62axx-sk"

/* ---- turns ---------------------------------------------------------------------------------- */

static size_t count_boots(struct twins *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		each_side(&t->all[i], side) n += side->machine->booting;
	return n;
}

/* Starts those whose turn has come; at most once for each that waits. */
static void give_turns(struct twins *t)
{
	struct twin *next;

	do {
		next = NULL;
		for (size_t i = 0; i < t->n; i++)
			if (t->all[i].machine->state == MACHINE_WAITING &&
				(!next || t->all[i].turn < next->turn))
				next = &t->all[i];
		if (next && t->boots && count_boots(t) >= t->boots)
			return;
		if (next)
			each_side(next, side) machine_start(side->machine);
	} while (next);
}

static void booted(struct machine *m, void *arg)
{
	(void)m;
	give_turns(arg);
}

/* ---- relay ---------------------------------------------------------------------------------- */

static void feed(struct twins *t, struct twin *tw, bool on)
{
	if (t->meter)
		meter_power(t->meter, tw->model.rails, tw->first_rail, on);
}

static void moved(void *arg, unsigned channel, bool closed)
{
	struct twins *t = arg;

	if (channel >= t->n)
		return;
	if (closed)
		t->all[channel].turn = ++t->turns;
	feed(t, &t->all[channel], closed);
	each_side(&t->all[channel], side) machine_power(side->machine, closed);
	give_turns(t);
}

static void failed(struct machine *m, void *arg)
{
	struct twins *t = arg;

	for (size_t i = 0; i < t->n; i++)
		each_side(&t->all[i], side)
		{
			if (side->machine != m)
				continue;
			each_side(&t->all[i],
				other) if (other != side) /* it hung on the same supply */
				machine_power(other->machine, false);
			relay_drop(t->relay, (unsigned)i);
			feed(t, &t->all[i], false);
		}
}

/* A board that has shut down draws nothing, once no side of it runs. */
static void halted(struct machine *m, void *arg)
{
	struct twins *t = arg;

	for (size_t i = 0; i < t->n; i++) {
		bool mine = false, runs = false;

		each_side(&t->all[i], side)
		{
			mine |= side->machine == m;
			runs |= side->machine->state != MACHINE_HALTED;
		}
		if (mine && !runs)
			feed(t, &t->all[i], false);
	}
}

static void commanded(void *arg, struct str bytes)
{
	struct twins *t = arg;
	AUTOBUF reply = BUF_INIT(PTY_QUEUE_BYTES);

	relay_feed(t->relay, bytes, &reply);
	pty_write(t->port, str_make(buf_str(&reply), reply.len));
}

static int add_relay(struct twins *t, struct err *e)
{
	AUTOFREE char *link = vlab_path(&t->vlab, "relay");
	struct pty_opts po = {.link = link, .on_bytes = commanded, .arg = t};

	t->relay = relay_new(t->model, TWINS_MAX, moved, t, e);
	t->port = t->relay ? pty_new(t->vlab.hub, &po, e) : NULL;
	return t->port ? 0 : -1;
}

/* ---- ports of the lab host ------------------------------------------------------------------ */

/*
 * A free port, kept by a socket that is bound to it and does not listen: with SO_REUSEADDR on both
 * QEMU can bind it too, and nobody who asks for any free port gets it.
 */
static int reserve(struct model_port *port, int *fd, struct err *e)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;
	int one = 1;

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0 ||
		bind(*fd, (struct sockaddr *)&at, sizeof at) < 0 ||
		getsockname(*fd, (struct sockaddr *)&at, &n) < 0)
		return err_sys(e, BLAME_INFRA, errno, "find a free TCP port");
	port->host = ntohs(at.sin_port);
	return 0;
}

static int add_ports(struct twin *tw, struct err *e)
{
	node_each (tw->model.network.forward, kid) {
		int64_t board;

		if (tw->n_ports == MODEL_PORTS_MAX)
			return err_set(e, BLAME_CONFIG, "twin '%s': more than %d ports",
				tw->model.name, MODEL_PORTS_MAX);
		if (!kid->text || str_i64(str_of(kid->text), &board) < 0 || board < 1 ||
			board > 65535)
			return err_set(e, BLAME_CONFIG, "twin '%s': '%s' is no TCP port",
				tw->model.name, kid->key);
		tw->ports[tw->n_ports].service = kid->key;
		tw->ports[tw->n_ports].board = (int)board;
		tw->n_ports++;
		if (reserve(&tw->ports[tw->n_ports - 1], &tw->reserved[tw->n_ports - 1], e) < 0)
			return -1;
	}
	return 0;
}

/* ---- twins ---------------------------------------------------------------------------------- */

/* QEMU is looked for now, so that its absence is told before a job needs it. */
static int find_qemu(const char *program, struct err *e)
{
	const char *path = getenv("PATH");
	struct str rest = str_of(path ? path : "");

	if (strchr(program, '/'))
		return access(program, X_OK) == 0
			       ? 0
			       : err_sys(e, BLAME_INFRA, errno, "QEMU '%s'", program);
	while (rest.n) {
		ptrdiff_t colon = str_chr(rest, ':');
		size_t n = colon < 0 ? rest.n : (size_t)colon;
		AUTOFREE char *file = mem_printf("%.*s/%s", (int)n, rest.p, program);

		if (access(file, X_OK) == 0)
			return 0;
		rest = str_make(rest.p + n + (colon >= 0), rest.n - n - (colon >= 0));
	}
	return err_set(e, BLAME_INFRA,
		"no '%s': install the package 'qemu-system-arm', or name it with --qemu", program);
}

static int add_twin(struct twins *t, const struct twins_opts *o, const char *name, const char *type,
	struct diag *diag, struct err *e)
{
	struct twin *tw = &t->all[t->n++]; /* counted at once, so that twins_free sees it */
	AUTOFREE char *preset = fs_data_path("build/images");
	AUTOFREE char *qemu = NULL;
	struct model_place at = {.tftp = t->tftp, .qemu = o->qemu};
	char real[PATH_MAX];

	/* QEMU runs in the twin's folder: what it is given must not depend on ours */
	if (!realpath(o->images ? o->images : preset, real))
		return err_set(e, BLAME_BUILD, "no images in '%s': run 'make images'",
			o->images ? o->images : preset);
	if (model_load(&tw->model, type, o->mode, diag) < 0 ||
		(tw->model.beside.model &&
			model_load(&tw->beside, tw->model.beside.model, o->mode, diag) < 0) ||
		model_images_load(&tw->images, &tw->model, real, diag, e) < 0)
		return -1;
	if (o->qemu && strchr(o->qemu, '/') && (qemu = realpath(o->qemu, NULL)))
		at.qemu = qemu;
	if (find_qemu(at.qemu ? at.qemu : tw->model.qemu, e) < 0 || add_ports(tw, e) < 0 ||
		sides_add(t, tw, name, &at, e) < 0)
		return -1;
	each_side(tw, side)
	{
		side->machine->boot_ms = o->boot_ms ? o->boot_ms : TWINS_BOOT_MS;
		side->machine->on_booted = booted;
		side->machine->on_failed = failed;
		side->machine->on_halted = halted;
		side->machine->on_booted_arg = side->machine->on_failed_arg = t;
		side->machine->on_halted_arg = t;
	}
	return sides_add_modes(tw, o->mode, &at, diag, e);
}

static bool name_is_good(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.",
			    name.p[i]))
			return false;
	return name.n && name.n < 64 && *name.p != '.' && *name.p != '-' &&
	       !str_is(name, "relay") && !str_is(name, "tftp") && !str_is(name, "ctl");
}

static int add_named(struct twins *t, const struct twins_opts *o, const char *spec,
	struct diag *diag, struct err *e)
{
	const char *eq = strchr(spec, '=');
	AUTOFREE char *name = mem_strndup(spec, eq ? (size_t)(eq - spec) : strlen(spec));

	if (!name_is_good(str_of(name)))
		return err_set(e, BLAME_CONFIG, "'%s' is no name for a twin", name);
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->all[i].machine->name, name))
			return err_set(e, BLAME_CONFIG, "two twins are named '%s'", name);
	if (t->n == TWINS_MAX)
		return err_set(e, BLAME_CONFIG, "more than %d twins", TWINS_MAX);
	return add_twin(t, o, name, eq ? eq + 1 : o->type ? o->type : PRESET_TYPE, diag, e);
}

/* ---- control lines -------------------------------------------------------------------------- */

static void print_status(const struct machine *m, struct buf *answer)
{
	buf_printf(answer, "%s %s pid %d power-ons %llu%s%s dropped %llu overruns %llu\n", m->name,
		machine_state_name(m->state), (int)m->child.pid, (unsigned long long)m->power_ons,
		m->booting ? " booting" : "", pty_plugged(m->console) ? "" : " unplugged",
		(unsigned long long)pty_dropped_bytes(m->console), (unsigned long long)m->overruns);
}

static int order(struct twins *t, struct twin *tw, struct str verb, struct str word,
	struct buf *answer, struct err *e)
{
	struct machine *m = tw->machine;

	if (str_is(verb, "status"))
		each_side(tw, side) print_status(side->machine, answer);
	else if (str_is(verb, "reset"))
		return machine_reset(m, e);
	else if (str_is(verb, "strap"))
		return sides_strap(tw, word, e);
	else if (str_is(verb, "rail") && t->meter)
		return meter_set(t->meter, tw->model.rails, tw->first_rail, word, e);
	else if (str_is(verb, "meter") && t->meter)
		return meter_fault(t->meter, word, e);
	else if (str_is(verb, "pull-console"))
		pty_unplug(m->console);
	else if (str_is(verb, "plug-console"))
		return pty_plug(m->console, e);
	else
		return err_set(e, BLAME_CONFIG, "no order '%.*s'", STR_ARG(verb));
	return 0;
}

static int on_line(void *arg, struct str line, struct buf *answer, struct err *e)
{
	struct twins *t = arg;
	struct str verb = {0}, name = {0}, word = {0}, rest;
	bool found = false;

	str_word(&line, &verb);
	str_word(&line, &name);
	rest = str_trim(line);
	str_word(&line, &word);
	if (str_is(verb, "rail"))
		word = rest;
	if (str_is(verb, "pull-relay")) {
		pty_unplug(t->port);
		return 0;
	}
	if (str_is(verb, "plug-relay"))
		return pty_plug(t->port, e);
	if (!name.n && t->n > 1 && !str_is(verb, "status"))
		return err_set(e, BLAME_CONFIG, "'%.*s' needs the name of a twin", STR_ARG(verb));
	for (size_t i = 0; i < t->n; i++) {
		if (name.n && !str_is(name, t->all[i].machine->name))
			continue;
		found = true;
		if (order(t, &t->all[i], verb, word, answer, e) < 0)
			return -1;
	}
	return found ? 0 : err_set(e, BLAME_CONFIG, "no twin '%.*s'", STR_ARG(name));
}

/* ---- life ----------------------------------------------------------------------------------- */

static int make(struct twins *t, const struct twins_opts *o, struct diag *diag, struct err *e)
{
	AUTOFREE char *state = fs_state_dir(), *preset = mem_printf("%s/twin", state);
	AUTOFREE char *one = mem_printf("%s-1", o->type ? fs_basename(o->type) : PRESET_TYPE);

	if (vlab_init(&t->vlab, o->dir ? o->dir : preset, on_line, t, e) < 0)
		return -1;
	t->tftp = vlab_path(&t->vlab, "tftp");
	if (fs_mkdirs(t->tftp, 0755, e) < 0 || add_relay(t, e) < 0)
		return -1;
	for (size_t i = 0; i < o->n_names; i++)
		if (add_named(t, o, o->names[i], diag, e) < 0)
			return -1;
	if (!o->n_names && add_named(t, o, one, diag, e) < 0)
		return -1;
	return twins_write_lab(t, e);
}

struct twins *twins_new(const struct twins_opts *o, struct diag *diag, struct err *e)
{
	struct twins *t = mem_alloc(sizeof *t);

	t->model = o->model;
	t->boots = o->boots;
	if (make(t, o, diag, e) == 0)
		return t;
	twins_free(t);
	return NULL;
}

int twins_run(struct twins *t, const struct vlab_run *run, int *status, struct err *e)
{
	return vlab_run(&t->vlab, run, status, e);
}

void twins_free(struct twins *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; k < SIDES_MAX; k++)
			machine_free(t->all[i].sides[k].machine);
		for (size_t p = 0; p < t->all[i].n_ports; p++)
			if (t->all[i].reserved[p] >= 0)
				close(t->all[i].reserved[p]);
		model_images_done(&t->all[i].images);
		model_done(&t->all[i].model);
		model_done(&t->all[i].beside);
		sides_done(&t->all[i]);
	}
	meter_free(t->meter);
	pty_free(t->port);
	relay_free(t->relay);
	vlab_done(&t->vlab);
	arena_done(&t->arena);
	free(t->tftp);
	free(t);
}
