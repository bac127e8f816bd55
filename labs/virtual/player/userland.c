/* SPDX-License-Identifier: MIT */
/*
 * A shell on an inner PTY, as the leader of its own session with that PTY as its terminal, so that
 * job control and Ctrl-C work in it. Invariant: its end is told once, after all that it printed.
 */
#include "labs/virtual/player/userland.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "labs/virtual/player/cage.h"
#include "labs/virtual/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define READ_BYTES  4096
#define DRAIN_READS 64 /* of what a dead shell left behind */

struct userland {
	struct loop *loop;
	struct child child;
	int master;
	int slave; /* ours: the master sees no hang-up while no process has the terminal open */
	struct loop_watch *watch, *end;
	struct buf typed;
	bool ending, stopped; /* stopped from inside `ended`, which then frees it */
	userland_bytes_fn *on_bytes;
	userland_exit_fn *on_exit;
	void *arg;
};

/* Programs of the board, one file under many names, first in its PATH. */
static const char *const tool_names[] = {
	"cat", "dmesg", "hostname", "modprobe", "mount", "sysctl", "umount", "uname", NULL};
static const char tool_text[] =
	"#!/bin/sh\n"
	"# Stands in for programs that would tell of this host, or change it.\n"
	"name=${0##*/}\n"
	"path=\n"
	"IFS=:\n"
	"for d in $PATH; do [ \"$d\" = \"$HILAB_BOARD/bin\" ] || path=$path:$d; done\n"
	"unset IFS\n"
	"PATH=${path#:}\n"
	"case $name in\n"
	"cat)\n"
	"	for f; do\n"
	"		shift\n"
	"		[ ! -f \"$HILAB_BOARD$f\" ] || f=$HILAB_BOARD$f\n"
	"		set -- \"$@\" \"$f\"\n"
	"	done\n"
	"	exec cat \"$@\" ;;\n"
	"uname)\n"
	"	case ${1--s} in\n"
	"	-r) echo \"$HILAB_RELEASE\" ;;\n"
	"	-n) echo \"$HILAB_HOSTNAME\" ;;\n"
	"	*) exec uname \"$@\" ;;\n"
	"	esac ;;\n"
	"hostname) echo \"$HILAB_HOSTNAME\" ;;\n"
	"dmesg)\n"
	"	case ${1-} in\n"
	"	-n) printf '%s\\t4\\t1\\t7\\n' \"$2\" >\"$HILAB_BOARD/proc/sys/kernel/printk\" ;;\n"
	"	*) [ ! -f \"$HILAB_BOARD/dmesg\" ] || exec cat \"$HILAB_BOARD/dmesg\" ;;\n"
	"	esac ;;\n"
	"esac\n";

/* Read by the shell as it starts ($ENV). A busybox may take its own applets before any program:
 * functions come before those. */
static const char rc_text[] =
	"PATH=\"$HILAB_BOARD/bin:$PATH\"\n"
	"if [ -n \"${HILAB_APPLETS-}\" ]; then\n"
	"	for hilab_t in $HILAB_APPLETS; do\n"
	"		eval \"$hilab_t() { \\\"\\$HILAB_BOARD/bin/$hilab_t\\\" \\\"\\$@\\\"; }\"\n"
	"	done\n"
	"	unset hilab_t\n"
	"fi\n"
	"reboot() { exit 101; }\n"
	"poweroff() { exit 102; }\n"
	"halt() { exit 102; }\n"
	"HISTFILE=\n"
	"unset ENV HILAB_APPLETS\n";

/* ---- bytes ---------------------------------------------------------------------------------- */

static void hang_up(struct userland *u)
{
	loop_del(u->watch);
	u->watch = NULL;
	if (u->master >= 0)
		close(u->master);
	if (u->slave >= 0)
		close(u->slave);
	u->master = u->slave = -1;
}

static bool take(struct userland *u)
{
	char bytes[READ_BYTES];
	ssize_t n = read(u->master, bytes, sizeof bytes);

	if (n > 0)
		u->on_bytes(u->arg, str_make(bytes, (size_t)n));
	return n > 0;
}

static void hand_over(struct userland *u)
{
	ssize_t n = u->typed.len ? write(u->master, u->typed.data, u->typed.len) : 0;

	if (n > 0)
		buf_eat(&u->typed, (size_t)n);
	loop_fd_set(u->watch, EPOLLIN | (u->typed.len ? EPOLLOUT : 0));
}

static void ready(void *arg, uint32_t events)
{
	struct userland *u = arg;

	if (events & EPOLLOUT)
		hand_over(u);
	if (events & EPOLLIN)
		take(u); /* u may be gone now */
	else if (events & (EPOLLHUP | EPOLLERR)) {
		/* only as the shell ends, which is told apart */
		loop_del(u->watch);
		u->watch = NULL;
	}
}

void userland_type(struct userland *u, struct str bytes)
{
	if (u->master < 0 || !u->watch)
		return;
	if (u->typed.len + bytes.n > u->typed.cap)
		bytes.n = u->typed.cap - u->typed.len;
	buf_add(&u->typed, bytes.p, bytes.n);
	hand_over(u);
}

/* ---- life ----------------------------------------------------------------------------------- */

static void ended(void *arg, struct child *c)
{
	struct userland *u = arg;
	int status = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);

	u->end = NULL;
	u->ending = true;
	/* what it printed last; bounded, for a background job may print on for ever */
	for (int i = 0; i < DRAIN_READS && u->master >= 0; i++)
		if (!take(u))
			break;
	u->ending = false;
	if (u->stopped)
		userland_stop(u);
	else
		u->on_exit(u->arg, status);
}

/* As a serial console's terminal is when a shell starts on it. */
static void set_sane(int slave)
{
	struct termios t;

	if (tcgetattr(slave, &t) < 0)
		return;
	t.c_iflag = ICRNL | IXON;
	t.c_oflag = OPOST | ONLCR;
	t.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN;
	cfsetspeed(&t, B115200);
	tcsetattr(slave, TCSANOW, &t);
}

static char **environment(const struct userland_opts *o, const char *rc)
{
	char **env = mem_array(13, sizeof *env);
	const char *path = getenv("PATH");
	int n = 0;

	env[n++] = mem_printf("PATH=%s", path ? path : "/usr/sbin:/usr/bin:/sbin:/bin");
	env[n++] = mem_strdup("TERM=vt100");
	env[n++] = mem_strdup("USER=root");
	env[n++] = mem_printf("HOME=%s", o->root);
	env[n++] = mem_printf("TMPDIR=%s/tmp", o->root);
	env[n++] = mem_printf("ENV=%s", rc);
	env[n++] = mem_printf("PS1=%s", o->prompt ? o->prompt : "# ");
	env[n++] = mem_printf("HILAB_BOARD=%s", o->root);
	env[n++] = mem_printf("HILAB_RELEASE=%s", o->release ? o->release : "");
	if (!strcmp(fs_basename(o->argv[0]), "busybox"))
		env[n++] = mem_strdup(
			"HILAB_APPLETS=cat dmesg hostname modprobe mount sysctl umount uname");
	env[n++] = mem_printf("HILAB_HOSTNAME=%s", o->hostname ? o->hostname : "");
	return env;
}

/* In the child: a session with a controlling terminal (the first that a session's leader opens
 * becomes its own), the board's view of files, the shell. Does not come back. */
NORETURN static void become_shell(const struct userland_opts *o, const char *tty, char **env)
{
	sigset_t none;
	int fd;

	setsid();
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fd = open(tty, O_RDWR);
	if (fd < 0 || dup2(fd, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(127);
	closefrom(3); /* whatever the player was started with is not the board's */
	/* without a cage the board's programs still stand in for the most of it */
	(void)!cage_enter(o->root, o->files, o->hostname);
	if (chdir(o->root) == 0)
		execvpe(o->argv[0], (char *const *)o->argv, env);
	fprintf(stderr, "%s: %s\n", o->argv[0], strerror(errno));
	_exit(127);
}

static int spawn(struct userland *u, const struct userland_opts *o, const char *tty, char **env,
	struct err *e)
{
	u->child.pid = fork();
	if (u->child.pid == 0)
		become_shell(o, tty, env);
	if (u->child.pid < 0) {
		u->child.pid = 0;
		return err_sys(e, BLAME_INFRA, errno, "start the shell '%s'", o->argv[0]);
	}
	u->child.pidfd = pidfd_open(u->child.pid, 0);
	return 0;
}

int userland_put(const char *root, const char *path, const char *text, unsigned mode, struct err *e)
{
	AUTOFREE char *full = mem_printf("%s/%s", root, path), *dir = fs_dirname(full);
	AUTOCLOSE int fd = -1;

	if (fs_mkdirs(dir, 0755, e) < 0)
		return -1;
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	if (fd < 0 || fs_write_all(fd, text, strlen(text)) < 0)
		return err_sys(e, BLAME_INFRA, errno, "write '%s'", full);
	return 0;
}

static int write_programs(const char *root, struct err *e)
{
	if (userland_put(root, ".rc", rc_text, 0644, e) < 0 ||
		userland_put(root, "bin/.tool", tool_text, 0755, e) < 0)
		return -1;
	for (const char *const *name = tool_names; *name; name++) {
		AUTOFREE char *link = mem_printf("%s/bin/%s", root, *name);

		if (symlink(".tool", link) < 0 && errno != EEXIST)
			return err_sys(e, BLAME_INFRA, errno, "make '%s'", link);
	}
	return 0;
}

struct userland *userland_start(struct loop *l, const struct userland_opts *o, struct err *e)
{
	struct userland *u = mem_alloc(sizeof *u);
	AUTOFREE char *rc = mem_printf("%s/.rc", o->root);
	char tty[PTY_NAME_BYTES];
	char **env;
	int rv;

	u->loop = l;
	u->child = (struct child)CHILD_INIT;
	u->master = u->slave = -1;
	u->on_bytes = o->on_bytes;
	u->on_exit = o->on_exit;
	u->arg = o->arg;
	buf_init(&u->typed, USERLAND_QUEUE_BYTES);
	if (write_programs(o->root, e) < 0 || pty_pair(&u->master, &u->slave, tty, e) < 0) {
		userland_stop(u);
		return NULL;
	}
	set_sane(u->slave);
	env = environment(o, rc);
	rv = spawn(u, o, tty, env, e);
	for (char **p = env; *p; p++)
		free(*p);
	free(env);
	if (rv < 0) {
		userland_stop(u);
		return NULL;
	}
	u->watch = loop_fd(l, u->master, EPOLLIN, ready, u);
	u->end = loop_child(l, &u->child, ended, u);
	return u;
}

void userland_stop(struct userland *u)
{
	if (!u)
		return;
	loop_del(u->end);
	u->end = NULL;
	hang_up(u);
	if (u->ending) {
		u->stopped = true;
		return;
	}
	child_done(&u->child);
	buf_done(&u->typed);
	free(u);
}
