/* SPDX-License-Identifier: MIT */
/*
 * A shell on an inner PTY, as the leader of its own session with that PTY as its terminal, so that
 * job control and Ctrl-C work in it. Invariant: its end is told once, after all that it printed.
 */
#include "labs/virtual/player/userland.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "labs/virtual/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define READ_BYTES  4096
#define DRAIN_READS 64 /* of what a dead shell left behind */

extern char **environ;

struct userland {
	struct loop *loop;
	struct child child;
	int master;
	struct loop_watch *watch, *end;
	struct buf typed;
	bool ending, stopped; /* stopped from inside `ended`, which then frees it */
	userland_bytes_fn *on_bytes;
	userland_exit_fn *on_exit;
	void *arg;
};

/*
 * Read by the shell as it starts ($ENV): functions come before programs and before a busybox's own
 * applets, so these hold in every shell.
 */
static const char rc_text[] =
	"PATH=\"$HILAB_BOARD/bin:$PATH\"\n"
	"cat() {\n"
	"	[ $# -gt 0 ] || { command cat; return; }\n"
	"	hilab_rc=0\n"
	"	for hilab_f; do\n"
	"		[ ! -f \"$HILAB_BOARD$hilab_f\" ] || hilab_f=$HILAB_BOARD$hilab_f\n"
	"		command cat \"$hilab_f\" || hilab_rc=$?\n"
	"	done\n"
	"	return $hilab_rc\n"
	"}\n"
	"uname() {\n"
	"	case ${1:--s} in\n"
	"	-r) echo \"$HILAB_RELEASE\" ;;\n"
	"	-n) echo \"$HILAB_HOSTNAME\" ;;\n"
	"	*) command uname \"$@\" ;;\n"
	"	esac\n"
	"}\n"
	"hostname() { echo \"$HILAB_HOSTNAME\"; }\n"
	"dmesg() { [ ! -f \"$HILAB_BOARD/dmesg\" ] || command cat \"$HILAB_BOARD/dmesg\"; }\n"
	"reboot() { exit 101; }\n"
	"poweroff() { exit 102; }\n"
	"halt() { exit 102; }\n"
	"mount() { :; }\n"
	"umount() { :; }\n"
	"modprobe() { :; }\n"
	"sysctl() { :; }\n"
	"HISTFILE=\n"
	"unset ENV\n";

/* ---- bytes ---------------------------------------------------------------------------------- */

static void hang_up(struct userland *u)
{
	loop_del(u->watch);
	u->watch = NULL;
	if (u->master >= 0)
		close(u->master);
	u->master = -1;
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
		/* all who had the terminal are gone; the end of the shell itself is told apart */
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
	char **env = mem_array(10, sizeof *env);
	const char *path = getenv("PATH");
	int n = 0;

	env[n++] = mem_printf("PATH=%s", path ? path : "/usr/sbin:/usr/bin:/sbin:/bin");
	env[n++] = mem_strdup("TERM=vt100");
	env[n++] = mem_strdup("USER=root");
	env[n++] = mem_printf("HOME=%s", o->root);
	env[n++] = mem_printf("ENV=%s", rc);
	env[n++] = mem_printf("PS1=%s", o->prompt ? o->prompt : "# ");
	env[n++] = mem_printf("HILAB_BOARD=%s", o->root);
	env[n++] = mem_printf("HILAB_RELEASE=%s", o->release ? o->release : "");
	env[n++] = mem_printf("HILAB_HOSTNAME=%s", o->hostname ? o->hostname : "");
	return env;
}

/* posix_spawn with a session and a controlling terminal, which a struct child_opts cannot ask for:
 * the first terminal that a session's leader opens becomes its own. */
static int spawn(struct userland *u, const struct userland_opts *o, const char *tty, char **env,
	struct err *e)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int sys;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addchdir_np(&files, o->root);
	posix_spawn_file_actions_addopen(&files, 0, tty, O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, 0, 1);
	posix_spawn_file_actions_adddup2(&files, 0, 2);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	sys = posix_spawnp(&u->child.pid, o->argv[0], &files, &attr, (char *const *)o->argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	if (sys) {
		u->child.pid = 0;
		return err_sys(e, BLAME_CONFIG, sys, "start the shell '%s'", o->argv[0]);
	}
	u->child.pidfd = pidfd_open(u->child.pid, 0);
	return 0;
}

struct userland *userland_start(struct loop *l, const struct userland_opts *o, struct err *e)
{
	struct userland *u = mem_alloc(sizeof *u);
	AUTOFREE char *rc = mem_printf("%s/.rc", o->root);
	char tty[PTY_NAME_BYTES];
	AUTOCLOSE int slave = -1;
	char **env;
	int rv;

	u->loop = l;
	u->child = (struct child)CHILD_INIT;
	u->master = -1;
	u->on_bytes = o->on_bytes;
	u->on_exit = o->on_exit;
	u->arg = o->arg;
	buf_init(&u->typed, USERLAND_QUEUE_BYTES);
	if (fs_mkdirs(o->root, 0755, e) < 0 ||
		fs_write(rc, rc_text, sizeof rc_text - 1, 0644, e) < 0 ||
		pty_pair(&u->master, &slave, tty, e) < 0) {
		userland_stop(u);
		return NULL;
	}
	set_sane(slave);
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
