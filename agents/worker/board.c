/* SPDX-License-Identifier: MIT */
/*
 * A board's wiring out of board.json: its lock, power, consoles, deploy methods. Invariant: a
 * board is touched only by the process that holds its lock.
 */
#include "worker.h"

#include "agents/console/console.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOLDER_BYTES 4200

/* A name for what is staged that another process finds again from the folder alone. */
static int make_run_id(struct worker *w, struct err *e)
{
	AUTOFREE char *real = realpath(w->dir, NULL);
	char name[48];

	if (!real)
		return err_sys(e, BLAME_CONFIG, errno, "job folder '%s'", w->dir);
	snprintf(name, sizeof name, "%s", fs_basename(real));
	snprintf(w->run_id, sizeof w->run_id, "run-%s-%012" PRIx64, name,
		str_hash(str_of(real)) & 0xffffffffffff);
	for (char *p = w->run_id; *p; p++)
		if (!strchr("-_.", *p) && !(*p >= '0' && *p <= '9') && !(*p >= 'a' && *p <= 'z') &&
			!(*p >= 'A' && *p <= 'Z'))
			*p = '_';
	return 0;
}

int worker_load(struct worker *w, bool plan_too, struct err *e)
{
	AUTOFREE char *board_path = fs_join(w->dir, "board.json");
	AUTOFREE char *plan_path = fs_join(w->dir, "plan.json");
	AUTOJSON *board = NULL;
	AUTOJSON *plan = NULL;

	if (make_run_id(w, e) || !(board = json_read(board_path, e)))
		return -1;
	w->board = node_from_json(&w->arena, board);
	w->board_name = node_text(w->board, "name");
	w->lab = node_text(w->board, "lab");
	if (!w->board_name || !w->lab)
		return err_set(e, BLAME_BUG, "'%s' names no board and lab", board_path);
	if (!plan_too)
		return 0;
	plan = json_read(plan_path, e);
	return plan ? plan_from_json(&w->plan, plan, e) : -1;
}

/* ---- the lock ---------------------------------------------------------------------------- */

/* e->sys is EALREADY when the holder works in this very folder. */
static int held_by(struct worker *w, const char *path, int fd, struct err *e)
{
	AUTOFREE char *real = realpath(w->dir, NULL);
	char holder[HOLDER_BYTES], shown[HOLDER_BYTES];
	ssize_t n = pread(fd, holder, sizeof holder, 0);
	struct str text = str_trim(str_make(holder, n > 0 ? (size_t)n : 0));

	err_set(e, BLAME_INFRA, "board '%s' is in use by %s (lock '%s')", w->board_name,
		text.n ? str_printable(text, shown, sizeof shown) : "another process", path);
	if (e && real && str_ends(text, real))
		e->sys = EALREADY;
	return -1;
}

/*
 * What no other board of this host has: two virtual labs call their boards the same, and their
 * folders tell them apart.
 */
static char *lock_name(const struct worker *w)
{
	const struct node *consoles = node_find(w->board, "consoles");
	const char *port = consoles && consoles->n ? node_text(consoles->kids[0], "port") : NULL;
	AUTOFREE char *folder = port ? fs_dirname(port) : NULL;
	struct stat st;
	char *name;

	if (node_is_true(node_find(w->board, "twin")) && folder && !stat(folder, &st))
		name = mem_printf("hilab-%s-%s-%llx-%llx.lock", w->lab, w->board_name,
			(unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	else
		name = mem_printf("hilab-%s-%s.lock", w->lab, w->board_name);
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '_';
	return name;
}

/*
 * Any user of this host may come next, in a folder where anybody may make files: readable and
 * writable for all, no link followed, and O_CREAT only where there is none (the kernel refuses it
 * for somebody else's file in a sticky folder).
 */
int worker_open_lock(const char *path)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = open(path, flags);

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, flags | O_CREAT | O_EXCL, 0666);
		if (fd >= 0)
			(void)fchmod(fd, 0666); /* whatever the umask; it holds no secret */
		else if (errno == EEXIST)
			fd = open(path, flags);
	}
	return fd;
}

int worker_lock(struct worker *w, struct err *e)
{
	AUTOFREE char *dir = fs_run_dir();
	AUTOFREE char *real = realpath(w->dir, NULL);
	AUTOFREE char *name = lock_name(w);
	AUTOFREE char *path = NULL;
	AUTOBUF text = BUF_INIT(HOLDER_BYTES);
	int fd;

	path = fs_join(dir, name);
	if (fs_mkdirs(dir, 0700, e))
		return -1;
	fd = worker_open_lock(path);
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "cannot open lock '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int failed = errno == EWOULDBLOCK
				     ? held_by(w, path, fd, e)
				     : err_sys(e, BLAME_INFRA, errno, "cannot lock '%s'", path);

		close(fd);
		return failed;
	}
	buf_printf(&text, "pid %ld, folder %s\n", (long)getpid(), real ? real : w->dir);
	if (ftruncate(fd, 0) || pwrite(fd, buf_str(&text), text.len, 0) < 0) {
		close(fd);
		return err_sys(e, BLAME_INFRA, errno, "cannot write lock '%s'", path);
	}
	w->lock_fd = fd; /* never unlinked: a second opener must meet the same file */
	return 0;
}

/* ---- settings ------------------------------------------------------------------------------ */

static bool named(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

void *worker_conf(struct worker *w, const struct param *rows, size_t size, const char *what,
	const struct node *map, const char *const *skip, struct err *e)
{
	static const struct param none[] = {{0}};
	struct node *own = node_new(&w->arena, NODE_MAP, map ? map->at : (struct loc){0});
	void *conf = arena_alloc(&w->arena, size + 1);
	struct diag diag = {0};

	node_each (map, kid) {
		if (!named(skip, kid->key))
			node_map_set(&w->arena, own, kid->key, node_copy(&w->arena, kid));
	}
	if (schema_fill(&w->arena, rows ? rows : none, what, own, conf, &diag)) {
		err_set(e, BLAME_CONFIG, "%s: %s", what,
			diag.entries.n ? diag.entries.p[0].text : "wrong settings");
		conf = NULL;
	}
	diag_done(&diag);
	return conf;
}

static const char *const core_keys[] = {"driver", "off-time", "device", "stagger", NULL};

int worker_open_power(struct worker *w, struct err *e)
{
	const struct node *map = node_find(w->board, "power");
	const struct power_driver *drv;
	struct board_power *core;
	char what[120];
	void *conf;

	if (w->power.drv || !map || map->type != NODE_MAP)
		return 0;
	drv = (const struct power_driver *)driver_get(
		power_drivers(), "power driver", node_text(map, "driver"), e);
	if (!drv)
		return -1;
	snprintf(what, sizeof what, "power driver '%s'", drv->d.name);
	conf = worker_conf(w, drv->d.params, drv->d.size, what, map, core_keys, e);
	if (!conf)
		return -1;
	core = arena_alloc(&w->arena, sizeof *core);
	for (const struct param *row = board_power_params; row->name; row++)
		if (!strcmp(row->name, "off-time")) {
			const char *text = node_text(map, "off-time");

			if (str_duration_ms(str_of(text ? text : row->preset), &core->off_time_ms))
				core->off_time_ms = 1000;
		}
	if (power_open(&w->power, drv, conf, &w->bench, e))
		return err_wrap(e, "power of board '%s'", w->board_name);
	w->power.off_ms = core->off_time_ms;
	return 0;
}

static int open_console(struct worker *w, const struct node *map, struct err *e)
{
	static const char *const skip[] = {"driver", "log-limit", NULL};
	const char *limit = node_text(map, "log-limit");
	int64_t limit_bytes;
	struct console *c = &w->consoles[w->n_consoles];
	/* in a session people wait for the board, as long as they like */
	struct console_opts opts = {.dir = w->dir,
		.run_start_ms = w->journal.start_ms,
		.reopen_ms = w->plan.session ? INT64_MAX : 0,
		.may_be_away = w->plan.session};
	const struct console_driver *drv;
	const char *name = map->key;
	char what[120];
	void *conf;

	drv = (const struct console_driver *)driver_get(
		console_drivers(), "console driver", node_text(map, "driver"), e);
	if (!drv)
		return -1;
	if (limit && !str_size_bytes(str_of(limit), &limit_bytes) && limit_bytes > 0)
		opts.log_cap_bytes = (uint64_t)limit_bytes;
	snprintf(what, sizeof what, "console driver '%s'", drv->d.name);
	conf = worker_conf(w, drv->d.params, drv->d.size, what, map, skip, e);
	if (!conf || console_open(c, drv, name, conf, &w->bench, &opts, e))
		return -1;
	w->n_consoles++;
	return 0;
}

static bool is_twin(const struct worker *w)
{
	const char *twin = node_text(w->board, "twin");

	return twin && !strcmp(twin, "true");
}

int worker_open_consoles(struct worker *w, struct err *e)
{
	const struct node *map = node_find(w->board, "consoles");

	node_each (map, kid) {
		if (w->n_consoles == WORKER_CONSOLES)
			return err_set(e, BLAME_CONFIG, "board '%s' has more than %d consoles",
				w->board_name, WORKER_CONSOLES);
		if (open_console(w, kid, e))
			return err_wrap(e, "console '%s' of board '%s'", kid->key, w->board_name);
	}
	if (!w->n_consoles)
		return 0;
	if (crash_rules_init(&w->crash_rules, node_find(w->board, "crash"), w->plan.crash, e))
		return -1;
	return worker_crash_watch(w, is_twin(w), e);
}

struct console *worker_main_console(struct worker *w)
{
	for (size_t i = 0; i < w->n_consoles; i++)
		if (!strcmp(w->consoles[i].name, "main"))
			return &w->consoles[i];
	return w->n_consoles ? &w->consoles[0] : NULL;
}

struct console *worker_console(struct worker *w, const char *name, struct err *e)
{
	for (size_t i = 0; i < w->n_consoles; i++)
		if (!strcmp(w->consoles[i].name, name ? name : "main"))
			return &w->consoles[i];
	err_set(e, BLAME_CONFIG, "board '%s' has no console '%s'", w->board_name,
		name ? name : "main");
	return NULL;
}

struct shell *worker_shell(struct worker *w, const char *console, struct err *e)
{
	struct console *c = worker_console(w, console, e);

	return c ? &w->shells[c - w->consoles] : NULL;
}

void worker_close_shells(struct worker *w)
{
	w->boot.at_prompt = false; /* whoever closes them turns the board off or restarts it */
	for (size_t i = 0; i < WORKER_CONSOLES; i++)
		shell_close(&w->shells[i]);
}

struct deploy *worker_deploy(struct worker *w, const char *method, struct err *e)
{
	const struct node *map = node_find(node_find(w->board, "deploy"), method);
	const struct deploy_driver *drv;
	struct deploy *dp = &w->deploys[w->n_deploys];
	char what[120];
	void *conf;

	for (size_t i = 0; i < w->n_deploys; i++)
		if (!strcmp(w->deploys[i].drv->d.name, method))
			return &w->deploys[i];
	drv = (const struct deploy_driver *)driver_get(
		deploy_drivers(), "deploy driver", method, e);
	if (!drv)
		return NULL;
	if (!map)
		return err_set(e, BLAME_CONFIG,
			       "the lab file has no deploy method '%s' for board '%s'", method,
			       w->board_name),
		       NULL;
	if (w->n_deploys == WORKER_DEPLOYS)
		return err_set(e, BLAME_JOB, "more than %d deploy methods", WORKER_DEPLOYS), NULL;
	snprintf(what, sizeof what, "deploy driver '%s'", drv->d.name);
	conf = worker_conf(w, drv->d.params, drv->d.size, what, map, NULL, e);
	if (!conf)
		return NULL;
	*dp = (struct deploy){.drv = drv, .bench = &w->bench, .conf = conf, .run_id = w->run_id};
	w->n_deploys++;
	return dp;
}

/* ---- power --------------------------------------------------------------------------------- */

void worker_note_on(struct worker *w, bool warm)
{
	struct console *c = worker_main_console(w);

	w->power_on_ms = clock_ms();
	w->warm = warm;
	w->power_on_bytes = c ? c->received_bytes : 0;
	for (size_t i = 0; i < w->n_consoles; i++)
		w->power_on_offset[i] = w->consoles[i].base_bytes + w->consoles[i].received_bytes;
	w->stages_told = false;
	worker_crash_forget(w);
}

static int switch_off(struct worker *w, struct err *e)
{
	worker_close_shells(w);
	return power_off(&w->power, e);
}

static int switch_on(struct worker *w, struct err *e)
{
	if (worker_stagger(w, e))
		return -1;
	for (size_t i = 0; i < w->n_consoles; i++) /* late words of the boot before */
		expect_skip(w->consoles[i].expect);
	worker_note_on(w, false);
	return power_on(&w->power, e);
}

int worker_power(struct worker *w, int action, struct err *e)
{
	static const char *const words[] = {"on", "off", "cycle"};
	int r = 0;

	if (!w->power.drv)
		return err_set(e, BLAME_CONFIG, "board '%s' has no power control", w->board_name);
	w->switching = true;
	if (action == 1 || (action == 2 && w->power.state != POWER_OFF))
		r = switch_off(w, e);
	if (!r && action == 2)
		r = power_rest(&w->power, e);
	if (!r && action != 1)
		r = switch_on(w, e);
	w->switching = false;
	w->switch_failed = r;
	bench_event(&w->bench, "power", "{s:s}", "state", power_state_name(w->power.state));
	return r ? err_wrap(e, "power %s", words[action]) : 0;
}

void worker_power_seen(struct worker *w)
{
	struct console *c = worker_main_console(w);

	if (!w->power.drv || w->power.state != POWER_UNKNOWN || !w->power_on_ms || !c ||
		c->received_bytes == w->power_on_bytes)
		return;
	w->power.state = POWER_ON;
	bench_event(&w->bench, "power", "{s:s}", "state", power_state_name(w->power.state));
}

void worker_close(struct worker *w)
{
	worker_close_shells(w);
	worker_close_parts(w);
	for (size_t i = 0; i < WORKER_CONSOLES; i++)
		pattern_free(w->shells[i].prompt);
	worker_crash_done(w);
	crash_rules_done(&w->crash_rules);
	for (size_t i = 0; i < w->n_consoles; i++)
		console_close(&w->consoles[i]);
	w->n_consoles = 0;
	if (w->power.drv)
		power_close(&w->power);
	free((char *)w->boot.loader_version);
	journal_close(&w->journal);
	metric_table_done(&w->metrics);
	plan_done(&w->plan);
	bench_done(&w->bench);
	arena_done(&w->arena);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
}
