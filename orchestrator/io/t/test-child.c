/* SPDX-License-Identifier: MIT */
/* Children: what they are given, how they end, and that nothing of theirs is left behind. */
#include "io/child.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_MS 60000

#define SH(text) ((const char *const[]){"sh", "-c", (text), NULL})

/* Runs a shell text; its output without the last newline. */
static const char *sh(const char *text, const struct child_opts *o)
{
	static struct buf out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	int status;

	buf_reset(&out);
	if (child_run(SH(text), o, LONG_MS, &out, NULL, &status, &e))
		return mem_strdup(e.msg);
	if (out.len && out.data[out.len - 1] == '\n')
		out.data[--out.len] = 0;
	return buf_str(&out);
}

static void given(void)
{
	struct child_opts o = CHILD_OPTS;
	char dir[] = "/tmp/hilab-child-XXXXXX", pid[32];
	sigset_t set;

	is_str(sh("echo out", NULL), "out", "its output");
	is_str(sh("cat; ls /proc/self/fd | wc -l", NULL), "4",
		"three descriptors and the one that lists them");
	for (int tied = 0; tied < 2; tied++) {
		int low = open("/dev/null", O_RDONLY); /* deliberately not O_CLOEXEC */

		o.die_with_us = tied;
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		signal(SIGPIPE, SIG_IGN);
		is_str(sh("ls /proc/self/fd | wc -l", &o), "4", "no other descriptor, tied %d",
			tied);
		/* The low 28: two higher ones belong to the C library. By sed: an awk may ignore
		 * signals of its own accord. */
		is_str(sh("sed -nE 's/^Sig(Blk|Ign):.{10}//p' /proc/self/status | tr '\\n' ' '",
			       &o),
			"0000000 0000000 ", "none blocked, none ignored, tied %d", tied);
		signal(SIGPIPE, SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		snprintf(pid, sizeof pid, "%d", (int)getpgrp());
		ok(strcmp(sh("cut -d' ' -f5 /proc/$$/stat", &o), pid), "a group of its own");
		is_str(sh("test \"$(cut -d' ' -f5 /proc/$$/stat)\" = $$ && echo led", &o), "led",
			"that it leads, tied %d", tied);
		o.env = (const char *const[]){"HILAB_T=1", "HOME=/h", NULL};
		is_str(sh("echo $HILAB_T $HOME ${PATH:+p}; env | grep -c ^HOME=", &o), "1 /h p\n1",
			"its environment, tied %d", tied);
		if (!tied)
			ok(mkdtemp(dir) != NULL, "a folder");
		o.dir = dir;
		is_str(sh("pwd", &o), dir, "its folder, tied %d", tied);
		o.dir = NULL;
		o.env = NULL;
		close(low);
	}
	rmdir(dir);
}

static void crossed(void)
{
	/* Ours are 1 and 2 the wrong way round, and 0 is closed. */
	int a[2], b[2], keep[3];
	struct child_opts o = {.in = -1, .out = 2, .err = 1};
	struct child c = CHILD_INIT;
	struct err e = {0};
	char text[2][8] = {"", ""};
	bool fine;

	fflush(stdout);
	for (int i = 0; i < 3; i++)
		keep[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
	fine = !pipe2(a, O_CLOEXEC) && !pipe2(b, O_CLOEXEC);
	dup2(a[1], 1);
	dup2(b[1], 2);
	close(0);
	fine = fine && !child_start(&c, SH("echo o; echo e >&2; cat"), &o, &e) &&
	       poll(&(struct pollfd){c.pidfd, POLLIN, 0}, 1, -1) == 1;
	child_done(&c);
	for (int i = 0; i < 3; i++)
		dup2(keep[i], i);
	close(a[1]);
	close(b[1]);
	fine = fine && read(a[0], text[0], 7) > 0 && read(b[0], text[1], 7) > 0;
	ok(fine, "started with low descriptors crossed: %s", e.msg);
	is_str(text[1], "o\n", "1 went to our 2");
	is_str(text[0], "e\n", "2 went to our 1");
	for (int i = 0; i < 3; i++)
		close(keep[i]);
	close(a[0]);
	close(b[0]);
}

static void ends(void)
{
	struct child c = CHILD_INIT;
	struct err e = {0};
	char text[64];
	int status = 99;

	is_int(child_run(SH("exit 3"), NULL, LONG_MS, NULL, NULL, &status, &e), 0, "an exit");
	is_int(status, 3, "its status");
	is_int(child_run(SH("kill -9 $$"), NULL, LONG_MS, NULL, NULL, &status, &e), 0, "a kill");
	is_int(status, -9, "its signal");
	is_int(child_start(&c, SH("exit 3"), NULL, &e), 0, "started");
	poll(&(struct pollfd){c.pidfd, POLLIN, 0}, 1, -1);
	is_int(child_poll(&c), 1, "ended");
	is_int(child_poll(&c), 1, "still ended");
	is_str(child_status_text(&c, text, sizeof text), "exit status 3", "as text");
	child_done(&c);
	is_str(child_status_text(&c, text, sizeof text), "not started", "nothing is left");
	child_done(&c);
	is_int(child_start(&c, SH("sleep 1000"), NULL, &e), 0, "a long one");
	is_int(child_poll(&c), 0, "runs");
	is_str(child_status_text(&c, text, sizeof text), "still running", "as text");
	child_stop(&c, LONG_MS);
	ok(c.reaped, "stopped");
	is_str(child_status_text(&c, text, sizeof text), "killed by signal 15 (SIGTERM)", "how");
	child_done(&c);
	for (int tied = 0; tied < 2; tied++) {
		struct child_opts o = {.in = -1, .out = -1, .err = -1, .die_with_us = tied};
		const char *const none[] = {"hilab-no-such-program", NULL};
		const char *const path[] = {"/hilab/no/such/program", NULL};

		status = 99;
		is_int(child_run(none, &o, LONG_MS, NULL, NULL, &status, &e), -1, "no program");
		is_str(e.msg, "start 'hilab-no-such-program': No such file or directory", "why");
		is_int(child_start(&c, path, &o, &e), -1, "no file");
		is_int(c.pid, 0, "the struct is untouched");
		is_int(status, 99, "and the status");
		o.dir = "/hilab/no/folder";
		is_int(child_start(&c, SH("true"), &o, &e), -1, "no folder");
		is_str(e.msg, "start 'sh' in '/hilab/no/folder': No such file or directory", "why");
	}
	is_int(waitpid(-1, NULL, WNOHANG), -1, "no child is left");
}

/* A process group whose leader ignores SIGTERM and has a child of its own. */
static void stubborn(void)
{
	struct child c = CHILD_INIT;
	struct child_opts o = CHILD_OPTS;
	struct err e = {0};
	char text[64] = "";
	int p[2], n;

	ok(!pipe2(p, O_CLOEXEC), "a pipe");
	o.out = p[1];
	is_int(child_start(&c, SH("trap '' TERM; sleep 1000 & echo up; wait; wait"), &o, &e), 0,
		"started");
	close(p[1]);
	n = (int)read(p[0], text, sizeof text);
	is_int(n, 3, "it is up");
	child_stop(&c, 20);
	is_str(child_status_text(&c, text, sizeof text), "killed by signal 9 (SIGKILL)", "killed");
	/* Its child held the pipe's other end. */
	is_int(read(p[0], text, sizeof text), 0, "with all that it started");
	child_done(&c);
	close(p[0]);
}

static void bounds(void)
{
	AUTOBUF out = BUF_INIT(1000);
	AUTOBUF err = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	int status = 99;

	is_int(child_run(SH("echo x; exec sleep 1000"), NULL, 300, &out, NULL, &status, &e), -1,
		"a deadline");
	is_int(e.blame, BLAME_TIMEOUT, "is a timeout");
	is_str(e.msg, "'sh' did not end in 300 ms", "as text");
	is_str(buf_str(&out), "x\n", "what came before is kept");
	is_int(status, 99, "no status");
	buf_reset(&out);
	is_int(child_run(SH("yes"), NULL, LONG_MS, &out, NULL, NULL, &e), -1, "too much output");
	is_int(e.blame, BLAME_INFRA, "is infra");
	is_str(e.msg, "'sh' printed more than 1000 bytes", "as text");
	buf_reset(&out);
	is_int(child_run(SH("printf %01000d 0"), NULL, LONG_MS, &out, NULL, NULL, &e), 0,
		"just enough");
	ok(out.len == 1000 && !out.overflow, "is all there");
	buf_reset(&out);
	is_int(child_run(SH("sleep 1000 & echo parent; echo $! >&2"), NULL, LONG_MS, &out, &err,
		       &status, &e),
		0, "a grandchild that keeps the pipe is not waited for");
	is_str(buf_str(&out), "parent\n", "the output is there");
	kill(atoi(buf_str(&err)), SIGKILL);
	buf_reset(&out);
	buf_reset(&err);
	is_int(child_run(SH("echo a; echo b >&2; echo c"), NULL, LONG_MS, &err, &err, NULL, &e), 0,
		"both to one");
	is_str(buf_str(&err), "a\nb\nc\n", "in order");
	buf_reset(&err);
	is_int(child_run(SH("head -c 1000000 /dev/zero; head -c 2000000 /dev/zero >&2"), NULL,
		       LONG_MS, NULL, &err, &status, &e),
		0, "much output");
	is_int(err.len, 2000000, "all of what was wanted");
	is_int(child_run(SH("yes"), NULL, 100, &out, NULL, NULL, NULL), -1, "no error wanted");
}

/* A child with die_with_us must go when the process in the middle is killed. */
static void tied(void)
{
	int p[2];
	char c;
	pid_t middle;

	ok(!pipe2(p, O_CLOEXEC), "a pipe");
	fflush(stdout);
	middle = fork();
	if (!middle) {
		struct child_opts o = {.in = -1, .out = p[1], .err = -1, .die_with_us = true};
		struct child kid = CHILD_INIT;

		child_start(&kid, SH("echo; exec sleep 1000"), &o, NULL);
		close(p[1]);
		pause();
		_exit(0);
	}
	close(p[1]);
	is_int(read(p[0], &c, 1), 1, "it runs");
	kill(middle, SIGKILL);
	is_int(read(p[0], &c, 1), 0, "and dies with its parent");
	waitpid(middle, NULL, 0);
	close(p[0]);
}

int main(void)
{
	given();
	crossed();
	ends();
	stubborn();
	bounds();
	tied();
	return tap_done();
}
