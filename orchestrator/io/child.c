/* SPDX-License-Identifier: MIT */
/*
 * Child processes. Invariant: until a child is reaped its process id, and so its process group,
 * cannot belong to anybody else; nothing is signalled after that.
 */
#include "io/child.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_WAIT_MS                                                                               \
	30000 /* for a killed process to go; longer only in an uninterruptible wait                \
	       */

extern char **environ;

/* What the child gets as 0, 1 and 2: copies of the caller's, all above 2, so that putting one in
 * its place never covers another. -1: /dev/null. */
struct wiring {
	int fd[3];
};

static void unwire(struct wiring *w)
{
	for (int i = 0; i < 3; i++)
		if (w->fd[i] >= 0)
			close(w->fd[i]);
}

static int wire(struct wiring *w, const struct child_opts *o)
{
	int want[3] = {o->in, o->out, o->err};

	*w = (struct wiring){{-1, -1, -1}};
	for (int i = 0; i < 3; i++) {
		w->fd[i] = want[i] < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : want[i];
		if (w->fd[i] >= 0 && (want[i] >= 0 || w->fd[i] < 3)) {
			int low = w->fd[i];

			w->fd[i] = fcntl(low, F_DUPFD_CLOEXEC, 3);
			if (want[i] < 0)
				close(low);
		}
		if (w->fd[i] < 0)
			return -1;
	}
	return 0;
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return !strncmp(a, b, n) && b[n] == '=';
}

/* Our environment with the extra variables in place of ours of the same name. */
static const char **environment(const char *const *extra)
{
	size_t n = 0, more = 0, k = 0;
	const char **env;

	while (environ[n])
		n++;
	while (extra && extra[more])
		more++;
	env = mem_array(n + more + 1, sizeof *env);
	for (size_t i = 0; i < n; i++) {
		bool ours = true;

		for (size_t x = 0; x < more && ours; x++)
			ours = !same_name(extra[x], environ[i]);
		if (ours)
			env[k++] = environ[i];
	}
	for (size_t x = 0; x < more; x++)
		env[k++] = extra[x];
	return env;
}

static int spawn(pid_t *pid, const char *const *argv, const char **env, const char *dir,
	const struct wiring *w)
{
	posix_spawn_file_actions_t acts;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int rc;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&acts);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	rc = 0;
	for (int i = 0; i < 3 && !rc; i++)
		rc = posix_spawn_file_actions_adddup2(&acts, w->fd[i], i);
	if (!rc)
		rc = posix_spawn_file_actions_addclosefrom_np(&acts, 3);
	if (!rc && dir)
		rc = posix_spawn_file_actions_addchdir_np(&acts, dir);
	if (!rc)
		rc = posix_spawnp(
			pid, argv[0], &acts, &attr, (char *const *)argv, (char *const *)env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&acts);
	return rc;
}

/* The forked side: never returns; says on `tell` why it could not become the program. */
static NORETURN void become(const char *const *argv, const char **env, const char *dir,
	const struct wiring *w, pid_t parent, int tell)
{
	sigset_t none;
	int sys;

	setpgid(0, 0);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sys = getppid() == parent ? 0 : ESRCH; /* it died before we asked */
	for (int i = 0; i < 3 && !sys; i++)
		if (dup2(w->fd[i], i) < 0)
			sys = errno;
	if (!sys && dir && chdir(dir))
		sys = errno;
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!sys) {
		if (tell != 3)
			tell = dup3(tell, 3, O_CLOEXEC);
		closefrom(4);
		execvpe(argv[0], (char *const *)argv, (char *const *)env);
		sys = errno;
	}
	while (write(tell, &sys, sizeof sys) < 0 && errno == EINTR)
		;
	_exit(127);
}

/*
 * posix_spawn has no attribute for the signal at the parent's death, so this one kind of child is
 * forked. Its signals stay blocked until it is set up.
 */
static int fork_tied(pid_t *pid, const char *const *argv, const char **env, const char *dir,
	const struct wiring *w)
{
	pid_t parent = getpid(), child;
	sigset_t all, old;
	int tell[2], sys = 0;
	ssize_t n;

	if (pipe2(tell, O_CLOEXEC))
		return errno;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	child = fork();
	if (!child)
		become(argv, env, dir, w, parent, tell[1]);
	if (child < 0)
		sys = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(tell[1]);
	if (child > 0) {
		do
			n = read(tell[0], &sys, sizeof sys);
		while (n < 0 && errno == EINTR);
		if (n != sizeof sys)
			sys = 0;
		if (sys)
			waitpid(child, NULL, 0);
		*pid = child;
	}
	close(tell[0]);
	return sys;
}

int child_start(struct child *c, const char *const *argv, const struct child_opts *o, struct err *e)
{
	static const struct child_opts none = CHILD_OPTS;
	AUTOFREE const char **env = NULL;
	struct wiring w;
	pid_t pid = 0;
	int sys, fd;

	if (!o)
		o = &none;
	if (wire(&w, o)) {
		sys = errno;
		unwire(&w);
		return err_sys(e, BLAME_INFRA, sys, "start '%s'", argv[0]);
	}
	env = environment(o->env);
	sys = o->die_with_us ? fork_tied(&pid, argv, env, o->dir, &w)
			     : spawn(&pid, argv, env, o->dir, &w);
	unwire(&w);
	if (sys && o->dir && access(o->dir, X_OK))
		return err_sys(e, BLAME_INFRA, sys, "start '%s' in '%s'", argv[0], o->dir);
	if (sys)
		return err_sys(e, BLAME_INFRA, sys, "start '%s'", argv[0]);
	fd = pidfd_open(pid, 0);
	if (fd < 0) {
		sys = errno;
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return err_sys(e, BLAME_INFRA, sys, "watch '%s'", argv[0]);
	}
	*c = (struct child){.pid = pid, .pidfd = fd};
	return 0;
}

int child_poll(struct child *c)
{
	pid_t got;

	if (c->reaped || c->pid <= 0)
		return 1;
	do
		got = waitpid(c->pid, &c->status, WNOHANG);
	while (got < 0 && errno == EINTR);
	if (!got)
		return 0;
	if (got < 0)
		c->status = 0xff00; /* somebody else took it: that it went well is not known */
	c->reaped = true;
	return 1;
}

void child_signal(struct child *c, int sig)
{
	if (c->pid > 0 && !c->reaped)
		kill(-c->pid, sig);
}

/* Waits without reaping; true: it has ended. */
static bool ended_within(struct child *c, int64_t ms)
{
	struct pollfd p = {c->pidfd, POLLIN, 0};
	int64_t end = clock_ms() + ms;

	for (;;) {
		int64_t left = end - clock_ms();
		int n = poll(&p, 1, left > 0 ? left > 1 << 30 ? 1 << 30 : (int)left : 0);

		if (n > 0)
			return true;
		if (left <= 0 || (n < 0 && errno != EINTR))
			return false;
	}
}

void child_stop(struct child *c, int64_t grace_ms)
{
	if (c->reaped || c->pid <= 0)
		return;
	if (grace_ms > 0) {
		child_signal(c, SIGTERM);
		child_signal(c, SIGCONT);
		ended_within(c, grace_ms);
	}
	/* Also when it has ended: what it started may not have, and its group is still ours. */
	child_signal(c, SIGKILL);
	ended_within(c, KILL_WAIT_MS);
	child_poll(c);
}

void child_done(struct child *c)
{
	child_stop(c, 0);
	if (c->pidfd >= 0)
		close(c->pidfd);
	*c = (struct child)CHILD_INIT;
}

char *child_status_text(const struct child *c, char *out, size_t n)
{
	const char *name;

	if (c->pid <= 0) {
		snprintf(out, n, "not started");
	} else if (!c->reaped) {
		snprintf(out, n, "still running");
	} else if (WIFSIGNALED(c->status)) {
		name = sigabbrev_np(WTERMSIG(c->status));
		snprintf(out, n, name ? "killed by signal %d (SIG%s)" : "killed by signal %d",
			WTERMSIG(c->status), name);
	} else {
		snprintf(out, n, "exit status %d", WEXITSTATUS(c->status));
	}
	return out;
}
