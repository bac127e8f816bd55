/* SPDX-License-Identifier: MIT */
/*
 * A run's console log from the controller. What is there is fetched into a file of our own and
 * shown as one on this host would be; what comes after that is shown as it comes. Invariant: no
 * byte is shown twice, and a connection that breaks is made again where it broke.
 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "cli/log.h"
#include "cli/remote.h"
#include "io/json.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAIN_MS  500
#define AGAIN_MAX 60 /* tries in a row that bring nothing */

struct remote_log {
	const struct log_args *a;
	struct remote *r;
	int64_t run, began_ms;
	char *console, *prefix; /* heap; prefix: of its files, "" or "ROLE/" */
	struct log_shower shower;
	uint64_t at; /* bytes that were shown */
	int exit_status;
};

/* The run that the operand names. -1 after telling. */
static int find_run(struct remote_log *l, const char *operand)
{
	AUTOFREE char *path = NULL;
	AUTOJSON *answer = NULL;
	const json_t *run;

	path = !strcmp(operand, "latest") ? mem_strdup("/runs?limit=1")
					  : mem_printf("/runs/%s", operand);
	answer = remote_call(l->r, "GET", path, NULL, &l->exit_status);
	if (!answer)
		return -1;
	run = !strcmp(operand, "latest") ? json_array_get(json_object_get(answer, "runs"), 0)
					 : answer;
	l->run = json_int(run, "run", 0);
	l->began_ms = json_int(run, "started_ms", 0);
	if (l->run)
		return 0;
	l->exit_status = EXIT_USAGE;
	return cli_fail(-1, "log: the controller has no runs yet");
}

/* "console-NAME.log" below the prefix: *name is heap memory. */
static bool is_console(const char *file, const char *prefix, char **name)
{
	size_t n = strlen(prefix);
	struct str rest;

	if (strncmp(file, prefix, n) != 0)
		return false;
	rest = str_of(file + n);
	if (!str_starts(rest, "console-") || !str_ends(rest, ".log"))
		return false;
	*name = mem_strndup(rest.p + 8, rest.n - 12);
	return true;
}

/* Which console: the one that is asked for, else the only one, else main. -1 after telling. */
static int find_console(struct remote_log *l)
{
	AUTOFREE char *path = mem_printf("/runs/%lld/files", (long long)l->run);
	AUTOJSON *answer = remote_call(l->r, "GET", path, NULL, &l->exit_status);
	AUTOBUF names = BUF_INIT(1 << 16);
	const char *want = l->a->console;
	size_t i, n = 0;
	bool found = false;
	json_t *j;

	if (!answer)
		return -1;
	json_array_foreach (json_object_get(answer, "files"), i, j) {
		AUTOFREE char *name = NULL;

		if (!is_console(json_text(j, "name", ""), l->prefix, &name))
			continue;
		buf_printf(&names, "%s%s", n++ ? ", " : "", name);
		if (!want || !strcmp(name, want)) {
			found = true;
			if (!l->console || !strcmp(name, "main")) {
				free(l->console);
				l->console = mem_strdup(name);
			}
		}
	}
	if (!found && l->a->follow && !n) { /* it has just begun */
		l->console = mem_strdup(want ? want : "main");
		return 0;
	}
	if (found)
		return 0;
	l->exit_status = EXIT_USAGE;
	return cli_fail(-1, "log: run %lld has no console '%s'%s%s: it has %s", (long long)l->run,
		want ? want : "main", l->a->role ? " of role " : "", l->a->role ? l->a->role : "",
		n ? buf_str(&names) : "none");
}

static int to_file(void *arg, struct str bytes)
{
	return fwrite(bytes.p, 1, bytes.n, arg) != bytes.n;
}

/* A whole file of the run into one of our own, which is gone when it is closed. NULL after telling.
 */
static FILE *fetch(struct remote_log *l, const char *path)
{
	FILE *f = tmpfile();

	if (!f) {
		l->exit_status =
			cli_fail(EXIT_INCOMPLETE, "log: a file for the log: %s", strerror(errno));
		return NULL;
	}
	if (!remote_stream(l->r, path, to_file, f, &l->exit_status) && !fflush(f) && !ferror(f)) {
		rewind(f);
		return f;
	}
	fclose(f);
	return NULL;
}

static char *log_path(const struct remote_log *l, bool follow)
{
	AUTOFREE char *console = http_encode(l->console);
	AUTOFREE char *role = http_encode(l->a->role ? l->a->role : "");

	return mem_printf("/runs/%lld/log?console=%s&from=%llu%s%s%s", (long long)l->run, console,
		(unsigned long long)l->at, follow ? "&follow=1" : "", l->a->role ? "&role=" : "",
		role);
}

static FILE *fetch_index(struct remote_log *l)
{
	AUTOFREE char *console = http_encode(l->console);
	AUTOFREE char *role = http_encode(l->a->role ? l->a->role : "");
	AUTOFREE char *path = mem_printf("/runs/%lld/files/%s%sconsole-%s.idx", (long long)l->run,
		role, *role ? "/" : "", console);

	return fetch(l, path);
}

static int to_shower(void *arg, struct str bytes)
{
	struct remote_log *l = arg;

	l->at += bytes.n;
	if (l->a->raw)
		return fs_write_all(STDOUT_FILENO, bytes.p, bytes.n);
	l->shower.ms = clock_wall_ms() - l->began_ms;
	return log_shower_feed(&l->shower, bytes);
}

/* What comes from l->at on, until the run has ended. */
static int go_on(struct remote_log *l)
{
	int tries = 0;

	for (;;) {
		AUTOFREE char *path = log_path(l, true);
		uint64_t before = l->at;

		if (!remote_stream(l->r, path, to_shower, l, &l->exit_status))
			return 0;
		tries = l->at > before ? 0 : tries + 1;
		if (l->exit_status == EXIT_USAGE || tries == AGAIN_MAX)
			return -1;
		poll(NULL, 0, AGAIN_MS);
	}
}

/* What is there now. */
static int show_file(struct remote_log *l, struct err *e)
{
	AUTOFREE char *path = log_path(l, false);
	FILE *log = fetch(l, path), *index = NULL;
	int failed = -1;

	if (!log)
		return -1;
	if (l->a->time)
		index = fetch_index(l);
	if (!l->a->time || index) {
		failed = l->a->raw ? log_raw(fileno(log), "the log", e)
				   : log_shower_file(&l->shower, fileno(log), index, l->a->tail,
					     "the log", e);
		l->at = (uint64_t)lseek(fileno(log), 0, SEEK_END);
		l->shower.index = NULL;
	}
	fclose(log);
	if (index)
		fclose(index);
	return failed;
}

static int show(struct remote_log *l)
{
	struct err e = {0};
	int failed;

	log_shower_init(&l->shower);
	failed = show_file(l, &e);
	l->shower.live = l->a->time;
	if (!failed && l->a->follow)
		failed = go_on(l);
	failed |= log_shower_done(&l->shower, failed ? NULL : &e);
	if (err_is(&e))
		l->exit_status = cli_fail(blame_exit(e.blame), "log: %s", e.msg);
	return failed ? l->exit_status : EXIT_PASS;
}

int log_remote(const struct log_args *a, const char *operand)
{
	struct remote r;
	struct remote_log l = {.a = a, .r = &r, .exit_status = EXIT_INCOMPLETE};
	AUTOFREE char *id = http_encode(operand);
	int status;

	if (remote_open(&r, a->server, "log"))
		return EXIT_USAGE;
	l.prefix = mem_printf("%s%s", a->role ? a->role : "", a->role ? "/" : "");
	status = find_run(&l, id) || find_console(&l) ? l.exit_status : show(&l);
	free(l.console);
	free(l.prefix);
	remote_done(&r);
	return status;
}
