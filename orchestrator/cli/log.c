/* SPDX-License-Identifier: MIT */
/*
 * `hilab log`: a run's console, from its job folder, or from the controller where one is known and
 * neither a folder nor a store is named. Invariant: both are shown by the same code.
 */
#include "cli/log.h"
#include "base/fs.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/report.h"
#include "reports/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const struct cli_opt opts[] = {
	{"console", 'c', CLI_TEXT, offsetof(struct log_args, console), "NAME",
		"which console (main, or the only one)"},
	{"raw", 0, CLI_FLAG, offsetof(struct log_args, raw), NULL, "the bytes as they came"},
	{"time", 't', CLI_FLAG, offsetof(struct log_args, time), NULL,
		"seconds since the run's start before each line"},
	{"tail", 'n', CLI_COUNT, offsetof(struct log_args, tail), "N",
		"only the last N lines (0: all)"},
	{"store", 0, CLI_TEXT, offsetof(struct log_args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{"follow", 'f', CLI_FLAG, offsetof(struct log_args, follow), NULL,
		"from a controller: go on as it grows, until the run has ended"},
	{"role", 0, CLI_TEXT, offsetof(struct log_args, role), "ROLE",
		"which part of a job with several boards"},
	REMOTE_OPT(struct log_args),
	{0},
};

/* ---- which file ------------------------------------------------------------------------------ */

static int keep_dir(void *arg, const struct store_run *r)
{
	*(char **)arg = mem_strdup(r->dir);
	return 0;
}

/* The job folder of what the operand names; heap, NULL with e. */
static char *find_dir(const struct log_args *a, const char *operand, struct err *e)
{
	struct store *s = NULL;
	char *dir = NULL;
	int64_t run, number;
	int found;

	if (strcmp(operand, "latest") && str_i64(str_of(operand), &number) && fs_is_dir(operand))
		return mem_strdup(operand);
	if (report_open(&s, a->store, operand, &run, e))
		return NULL;
	found = store_run_get(s, run, keep_dir, &dir, e);
	if (!found)
		err_set(e, BLAME_CONFIG, "store '%s' holds no run %lld", store_path(s),
			(long long)run);
	else if (found > 0 && !dir)
		err_set(e, BLAME_CONFIG, "run %lld has no job folder", (long long)run);
	store_close(s);
	return dir;
}

static int is_console(const struct dirent *d)
{
	return str_starts(str_of(d->d_name), "console-") && str_ends(str_of(d->d_name), ".log");
}

/* The names of the folder's consoles for an error, and the only one if there is just one. */
static void list_consoles(const char *dir, struct buf *names, char **only)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_console, alphasort);

	for (int i = 0; i < n; i++) {
		int length = (int)strlen(list[i]->d_name) - 12; /* console-NAME.log */

		buf_printf(names, "%s%.*s", i ? ", " : "", length, list[i]->d_name + 8);
		if (n == 1)
			*only = mem_strndup(list[i]->d_name + 8, (size_t)length);
		free(list[i]);
	}
	free(list);
}

static int is_part(const struct dirent *d)
{
	return d->d_name[0] != '.' && d->d_type == DT_DIR && strcmp(d->d_name, "artifacts") &&
	       strcmp(d->d_name, "images") && strcmp(d->d_name, "files");
}

/* The folder of the role in that of the run; heap, NULL with e. */
static char *find_part(const struct log_args *a, const char *run_dir, struct err *e)
{
	AUTOFREE char *own = fs_join(run_dir, "events.jsonl");
	AUTOFREE char *dir = a->role ? fs_join(run_dir, a->role) : NULL;
	AUTOBUF names = BUF_INIT(1 << 16);
	struct dirent **list = NULL;
	int n;

	if (a->role && str_is_name(a->role) && fs_is_dir(dir))
		return mem_strdup(dir);
	n = scandir(run_dir, &list, is_part, alphasort);
	for (int i = 0; i < n; i++) {
		buf_printf(&names, "%s%s", i ? ", " : "", list[i]->d_name);
		free(list[i]);
	}
	free(list);
	if (!a->role && (!names.len || fs_exists(own)))
		return mem_strdup(run_dir);
	if (a->role)
		err_set(e, BLAME_CONFIG, "the run has no role '%s': it has %s", a->role,
			names.len ? buf_str(&names) : "none");
	else
		err_set(e, BLAME_CONFIG, "the run has several boards: which --role, of %s?",
			buf_str(&names));
	return NULL;
}

/* The path of a console's log without ".log"; heap, NULL with e. */
static char *find_log(const struct log_args *a, const char *dir, struct err *e)
{
	AUTOBUF names = BUF_INIT(1 << 16);
	AUTOFREE char *only = NULL, *path = NULL, *name = NULL;

	if (!fs_is_dir(dir)) {
		err_sys(e, BLAME_CONFIG, ENOENT, "job folder '%s'", dir);
		return NULL;
	}
	list_consoles(dir, &names, &only);
	name = mem_strdup(a->console ? a->console : only ? only : "main");
	path = mem_printf("%s/console-%s.log", dir, name);
	if (strchr(name, '/') || !fs_exists(path)) {
		err_set(e, BLAME_CONFIG, "'%s' has no console '%s': it has %s", dir, name,
			names.len ? buf_str(&names) : "none");
		return NULL;
	}
	return mem_printf("%s/console-%s", dir, name);
}

static int show_lines(const struct log_args *a, const char *base, int fd, struct err *e)
{
	AUTOFREE char *index_path = mem_printf("%s.idx", base);
	FILE *index = a->time ? fopen(index_path, "re") : NULL;
	struct log_shower s;
	int failed;

	if (a->time && !index)
		return err_sys(e, BLAME_INFRA, errno, "time index '%s'", index_path);
	log_shower_init(&s);
	failed = log_shower_file(&s, fd, index, a->tail, base, e);
	failed |= log_shower_done(&s, failed ? NULL : e);
	if (index)
		fclose(index);
	return failed;
}

static int show(const struct log_args *a, const char *operand, struct err *e)
{
	AUTOFREE char *run_dir = find_dir(a, operand, e);
	AUTOFREE char *dir = NULL, *base = NULL, *path = NULL;
	AUTOCLOSE int fd = -1;

	if (run_dir)
		dir = find_part(a, run_dir, e);
	if (!dir)
		return -1;
	base = find_log(a, dir, e);
	if (!base)
		return -1;
	path = mem_printf("%s.log", base);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open '%s'", path);
	return a->raw ? log_raw(fd, path, e) : show_lines(a, base, fd, e);
}

/* Is it the controller's run that is meant? */
static bool is_remote(const struct log_args *a, const char *operand)
{
	const char *store = getenv("HILAB_STORE");
	int64_t number;

	if (a->server)
		return true;
	if (a->store || (store && *store))
		return false;
	if (strcmp(operand, "latest") != 0 && str_i64(str_of(operand), &number))
		return false;
	return remote_known(NULL);
}

static int run(int argc, char **argv)
{
	struct log_args a = {0};
	struct err e = {0};
	char **operands;
	int status;

	if (cli_parse(&log_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (a.raw && (a.time || a.tail))
		return cli_fail(
			EXIT_USAGE, "--raw is all bytes: it goes neither with --time nor --tail");
	if (is_remote(&a, operands[0]))
		return log_remote(&a, operands[0]);
	if (a.follow)
		return cli_fail(EXIT_USAGE, "log: --follow needs a controller");
	if (show(&a, operands[0], &e))
		return cli_fail(blame_exit(e.blame), "%s", e.msg);
	return EXIT_PASS;
}

const struct cli_command log_command = {
	.name = "log",
	.brief = "print a run's console log",
	.usage = "RUN|latest|DIR",
	.details = "Terminal sequences are taken out and control bytes made visible, and the lines "
		   "that hilab types and prints for itself (its helper, result frames) are left "
		   "out, unless --raw.",
	.example =
		"hilab log latest --tail 50\nhilab log 12 --time | less\nhilab log latest --follow",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
