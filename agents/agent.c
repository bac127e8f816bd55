/* SPDX-License-Identifier: MIT */
/*
 * The agent as a process: one of each folder, its lab, its loop. Invariant: it may end at any
 * moment, by a signal that it takes or one that it does not, and nothing but time is lost.
 */
#include "agents/agent-inner.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN_BYTES 4096

const struct param agent_params[] = {
	{"server", PARAM_STRING, offsetof(struct agent_opts, server),
		.help = "base URL of the controller; that of this user on this host unless given",
		.example = "https://lab.example:8420"},
	{"token-file", PARAM_PATH, offsetof(struct agent_opts, token_file),
		.help = "file with the agent's token, readable for nobody else",
		.example = "/etc/hilab/agent.token"},
	{"ca", PARAM_PATH, offsetof(struct agent_opts, ca),
		.help = "PEM file of who signs the controller's certificate; the system's unless "
			"given",
		.example = "/etc/hilab/ca.pem"},
	{"name", PARAM_STRING, offsetof(struct agent_opts, name),
		.help = "name of the agent; the host's unless given", .example = "rack-2"},
	{"lab", PARAM_PATH, offsetof(struct agent_opts, lab_path),
		.help = "lab file; the user's or the system's unless given",
		.example = "/etc/hilab/lab.yaml"},
	{"dir", PARAM_PATH, offsetof(struct agent_opts, dir),
		.help = "where job folders and fetched images are; agent in the state folder "
			"unless "
			"given",
		.example = "/var/lib/hilab/agent"},
	{"max-jobs", PARAM_INT, offsetof(struct agent_opts, max_jobs), .preset = "0", .min = 0,
		.max = AGENT_RUNS_MAX, .help = "jobs that run at once; 0: as many as boards"},
	{"cache-max", PARAM_SIZE, offsetof(struct agent_opts, cache_max_bytes), .preset = "0",
		.min = 0, .max = (int64_t)1 << 50,
		.help = "bound of the cache of fetched images; 0: 32GiB, or HILAB_CACHE_MAX"},
	{"keep", PARAM_INT, offsetof(struct agent_opts, keep), .preset = "100", .min = 0,
		.max = 1000000,
		.help = "folders of ended jobs that stay when the controller has all of them"},
	{"kill-after", PARAM_DURATION, offsetof(struct agent_opts, kill_after_ms), .preset = "2m",
		.min = 100, .max = 3600000,
		.help = "from a cancel to the kill of a worker that does not end"},
	{"min-free", PARAM_SIZE, offsetof(struct agent_opts, min_free_bytes), .preset = "256MiB",
		.min = 0, .max = (int64_t)1 << 50,
		.help = "with less free disk than this no job starts here"},
	{0},
};

/* ---- the controller's address and what opens it ---- */

static int read_token(const char *path, char **token, struct err *e)
{
	AUTOBUF text = BUF_INIT(TOKEN_BYTES);
	struct stat st;
	struct str line;

	if (stat(path, &st))
		return err_sys(e, BLAME_CONFIG, errno, "token file '%s'", path);
	if (st.st_mode & 077)
		return err_set(e, BLAME_CONFIG,
			"token file '%s' can be read by others: 'chmod 600' it", path);
	if (fs_read(path, &text, e))
		return -1;
	line = str_trim(str_make(buf_str(&text), text.len));
	if (!line.n || str_chr(line, '\n') >= 0)
		return err_set(e, BLAME_CONFIG, "token file '%s' is not one line", path);
	*token = mem_strndup(line.p, line.n);
	return 0;
}

int agent_credentials(const struct agent_opts *o, char **server, char **token, struct err *e)
{
	AUTOFREE char *state = fs_state_dir();
	AUTOFREE char *path = fs_join(state, "server/endpoint.json");
	AUTOFREE char *own = NULL;
	AUTOJSON *j = NULL;
	const char *url = o->server;

	if (o->token_file && read_token(o->token_file, &own, e))
		return -1;
	if (!url) {
		if (!fs_exists(path))
			return err_set(
				e, BLAME_INFRA, "no server of this user runs here ('%s')", path);
		j = json_read(path, e);
		url = json_text(j, "url", NULL);
		if (!j)
			return -1;
		if (!url)
			return err_set(e, BLAME_INFRA, "'%s' names no server", path);
	}
	*server = mem_strdup(url);
	*token = own ? own : mem_strdup(json_text(j, "token", NULL));
	own = NULL;
	return 0;
}

/* ---- this process ---- */

static char *host_name(void)
{
	char name[256] = "";

	gethostname(name, sizeof name - 1);
	return mem_strdup(str_is_name(name) ? name : "agent");
}

static int lock_dir(struct agent *a, struct err *e)
{
	AUTOFREE char *path = fs_join(a->dir, "lock");
	char text[32] = "";
	ssize_t n;

	a->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (a->lock_fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "cannot open '%s'", path);
	if (flock(a->lock_fd, LOCK_EX | LOCK_NB)) {
		n = pread(a->lock_fd, text, sizeof text - 1, 0);
		return err_set(e, BLAME_INFRA, "an agent works in '%s' already (process %.*s)",
			a->dir, n > 0 ? (int)n - 1 : 1, n > 0 ? text : "?");
	}
	snprintf(text, sizeof text, "%d\n", (int)getpid());
	if (ftruncate(a->lock_fd, 0) || pwrite(a->lock_fd, text, strlen(text), 0) < 0)
		return err_sys(e, BLAME_INFRA, errno, "cannot write '%s'", path);
	return 0;
}

static int open_dirs(struct agent *a, struct err *e)
{
	AUTOFREE char *state = fs_state_dir();
	AUTOFREE char *given = a->opts->dir ? mem_strdup(a->opts->dir) : fs_join(state, "agent");
	char **dirs[] = {&a->runs_dir, &a->ended_dir, &a->cache_dir};
	static const char *const names[] = {"runs", "ended", "cache"};

	if (fs_mkdirs(given, 0700, e))
		return -1;
	a->dir = realpath(given, NULL);
	if (!a->dir)
		return err_sys(e, BLAME_INFRA, errno, "'%s'", given);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		*dirs[i] = fs_join(a->dir, names[i]);
		if (fs_mkdirs(*dirs[i], 0700, e))
			return -1;
	}
	return lock_dir(a, e);
}

static int load_lab(struct agent *a, struct err *e)
{
	struct types types = {0};
	struct lab lab = {0};
	struct diag diag = {0};
	int rc = 0;

	if (types_load_default(&types, &diag) || lab_load(&lab, a->opts->lab_path, &types, &diag)) {
		rc = err_set(e, BLAME_CONFIG, "lab file '%s': %s", a->opts->lab_path,
			diag.entries.n ? diag.entries.p[0].text : "cannot be used");
		lab_done(&lab);
		types_done(&types);
	} else {
		lab_done(&a->lab);
		types_done(&a->types);
		a->lab = lab;
		a->types = types;
		/* (the boards point at the types that moved with them) */
	}
	diag_done(&diag);
	return rc;
}

static void on_signal(void *agent, int sig)
{
	struct agent *a = agent;
	struct err e = {0};

	if (sig != SIGHUP) {
		a->stopping = true;
		loop_stop(a->loop);
	} else if (load_lab(a, &e)) {
		log_error("%s; the lab stays as it was", e.msg);
	} else {
		log_info("lab '%s': %zu boards", a->lab.name, a->lab.n);
		link_hello(a);
	}
}

static void on_grown(void *agent, uint32_t events)
{
	struct agent *a = agent;

	(void)events;
	sync_look(a->sync);
	link_sync(a);
}

static void on_tick(void *agent)
{
	struct agent *a = agent;

	a->tick = loop_timer(a->loop, AGENT_TICK_MS, on_tick, a);
	runs_tick(a);
	sync_tick(a->sync);
	link_sync(a);
}

/* A process of a run is a descriptor here; the usual soft limit is for far fewer. */
static void raise_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= AGENT_FILES_MAX)
		return;
	r.rlim_cur = r.rlim_max < AGENT_FILES_MAX ? r.rlim_max : AGENT_FILES_MAX;
	setrlimit(RLIMIT_NOFILE, &r);
}

static int open_all(struct agent *a, struct err *e)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

	a->lock_fd = -1;
	a->name = a->opts->name ? mem_strdup(a->opts->name) : host_name();
	if (!str_is_name(a->name))
		return err_set(e, BLAME_CONFIG, "'%s' is no name for an agent", a->name);
	if (load_lab(a, e) || open_dirs(a, e))
		return -1;
	a->loop = loop_new(e);
	if (!a->loop)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	raise_limit();
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (!loop_signal(a->loop, signals[i], on_signal, a))
			return err_sys(e, BLAME_BUG, errno, "take signals");
	a->sync = sync_new(runs_shipped, a, e);
	if (!a->sync)
		return -1;
	if (!loop_fd(a->loop, sync_fd(a->sync), EPOLLIN, on_grown, a))
		return err_sys(e, BLAME_BUG, errno, "watch job folders");
	return runs_adopt(a, e);
}

static void close_all(struct agent *a)
{
	link_stop(a);
	runs_done(a);
	sync_free(a->sync);
	loop_free(a->loop);
	lab_done(&a->lab);
	types_done(&a->types);
	attr_close(&a->lock_fd);
	free(a->name);
	free(a->dir);
	free(a->runs_dir);
	free(a->ended_dir);
	free(a->cache_dir);
}

/* A setting that is wrong is told at once; a server that is not there is waited for. */
static int check_settings(const struct agent_opts *o, struct err *e)
{
	char *server = NULL, *token = NULL;
	int rc = agent_credentials(o, &server, &token, e);

	free(server);
	free(token);
	return rc && e->blame == BLAME_CONFIG ? -1 : 0;
}

/* Runs from before are adopted, signals are taken. */
static void say_ready(const struct agent *a)
{
	AUTOFREE char *text = mem_printf("ready %s\n", a->name);

	if (a->opts->ready_fd < 0)
		return;
	if (fs_write_all(a->opts->ready_fd, text, strlen(text)))
		log_warn("nobody reads that this agent is ready");
	close(a->opts->ready_fd);
}

int agent_main(const struct agent_opts *o)
{
	struct agent a = {.opts = o};
	struct err e = {0};
	int rc = 0;

	log_init(LOG_INFO);
	if (check_settings(o, &e) || open_all(&a, &e))
		rc = -1;
	if (!rc) {
		err_clear(&e);
		log_info("agent '%s' of lab '%s': %zu boards, %zu runs from before, in '%s'",
			a.name, a.lab.name, a.lab.n, a.runs.n, a.dir);
		say_ready(&a);
		on_tick(&a);
		link_start(&a);
		rc = loop_run(a.loop, &e);
	}
	if (rc)
		log_error("%s", e.msg);
	close_all(&a);
	return !rc ? 0 : e.blame == BLAME_CONFIG ? 2 : 3;
}
