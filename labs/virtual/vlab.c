/* SPDX-License-Identifier: MIT */
/*
 * The daemon around virtual boards: folder, control socket, ready, end. Invariant: `ctl` answers
 * from vlab_init to vlab_done, and a stale socket of a killed daemon never stands in the way.
 */
#include "labs/virtual/vlab.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CHILD_GRACE_MS 2000

struct vlab_client {
	struct vlab *vlab;
	int fd;
	struct loop_watch *watch;
	struct buf in, out;
};

char *vlab_path(const struct vlab *v, const char *name)
{
	return mem_printf("%s/%s", v->dir, name);
}

/* ---- the socket ----------------------------------------------------------------------------- */

/*
 * A socket's name may be 107 bytes and the folder's longer: go by way of a descriptor of the
 * folder. Returns the descriptor that the address needs, for the caller to close; -1 with e.
 */
static int address_of(const char *dir, const char *name, struct sockaddr_un *to, struct err *e)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, BLAME_CONFIG, errno, "open the folder '%s'", dir);
	*to = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(to->sun_path, sizeof to->sun_path, "/proc/self/fd/%d/%s", fd, name);
	return fd;
}

int vlab_connect(const char *dir, const char *name, struct err *e)
{
	struct sockaddr_un to;
	AUTOCLOSE int at = address_of(dir, name, &to, e);
	int fd, sys;

	if (at < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
		return fd;
	sys = errno;
	if (fd >= 0)
		close(fd);
	return err_sys(e, BLAME_CONFIG, sys, "nobody answers at '%s/%s'", dir, name);
}

int vlab_listen(const char *dir, const char *name, struct err *e)
{
	struct sockaddr_un to;
	AUTOCLOSE int at = address_of(dir, name, &to, e);
	int fd, sys;

	if (at < 0)
		return -1;
	unlinkat(at, name, 0);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
		listen(fd, VLAB_CLIENTS) == 0)
		return fd;
	sys = errno;
	if (fd >= 0)
		close(fd);
	return err_sys(e, BLAME_INFRA, sys, "listen on '%s/%s'", dir, name);
}

static int listen_in(struct vlab *v, struct err *e)
{
	int other = vlab_connect(v->dir, "ctl", NULL);

	if (other >= 0) {
		close(other);
		return err_set(e, BLAME_CONFIG, "another daemon runs in '%s'", v->dir);
	}
	v->listen_fd = vlab_listen(v->dir, "ctl", e);
	return v->listen_fd < 0 ? -1 : 0;
}

static void client_free(struct vlab_client *c)
{
	struct vlab *v = c->vlab;

	vec_each (&v->clients, p)
		if (*p == c) {
			vec_del(&v->clients, (size_t)(p - v->clients.p));
			break;
		}
	loop_del(c->watch);
	close(c->fd);
	buf_done(&c->in);
	buf_done(&c->out);
	free(c);
}

static void answer(struct vlab_client *c, struct str line)
{
	struct vlab *v = c->vlab;
	struct err e = {0};
	size_t start = c->out.len;

	line = str_trim(line);
	if (!line.n)
		return;
	if (str_is(line, "quit")) {
		buf_puts(&c->out, "ok\n");
		loop_stop(v->loop);
	} else if (v->on_line(v->arg, line, &c->out, &e) < 0) {
		c->out.len = start;
		buf_printf(&c->out, "error: %s\n", e.msg);
	} else {
		buf_puts(&c->out, "ok\n");
	}
}

static void client_ready(void *arg, uint32_t events)
{
	struct vlab_client *c = arg;
	struct str rest, line;
	ssize_t n = 1;

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
		n = buf_read(&c->in, c->fd, VLAB_LINE_BYTES);
		if (n < 0 && errno == EAGAIN)
			n = 1;
	}
	while (c->in.len && memchr(c->in.data, '\n', c->in.len)) {
		rest = str_make(c->in.data, c->in.len);
		str_line(&rest, &line);
		answer(c, line);
		buf_eat(&c->in, c->in.len - rest.n);
	}
	if (c->out.len) {
		ssize_t sent = send(c->fd, c->out.data, c->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent > 0)
			buf_eat(&c->out, (size_t)sent);
		else if (errno != EAGAIN)
			n = -1;
	}
	if (n <= 0)
		client_free(c);
	else
		loop_fd_set(c->watch, EPOLLIN | (c->out.len ? EPOLLOUT : 0));
}

static void arrived(void *arg, uint32_t events)
{
	struct vlab *v = arg;
	struct vlab_client *c;
	int fd = accept4(v->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd < 0)
		return;
	if (v->clients.n >= VLAB_CLIENTS) {
		close(fd);
		return;
	}
	c = mem_alloc(sizeof *c);
	c->vlab = v;
	c->fd = fd;
	buf_init(&c->in, VLAB_LINE_BYTES);
	buf_init(&c->out, VLAB_ANSWER_BYTES);
	c->watch = loop_fd(v->loop, fd, EPOLLIN, client_ready, c);
	vec_push(&v->clients, c);
}

/* ---- the folder ----------------------------------------------------------------------------- */

static int open_dir(struct vlab *v, const char *dir, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char real[PATH_MAX];

	if (!dir) {
		v->dir = mem_printf("%s/hilab-virtual.XXXXXX", tmp && *tmp ? tmp : "/tmp");
		if (!mkdtemp(v->dir))
			return err_sys(e, BLAME_INFRA, errno, "make the folder '%s'", v->dir);
		v->own_dir = true;
		return 0;
	}
	if (fs_mkdirs(dir, 0755, e) < 0)
		return -1;
	if (!realpath(dir, real))
		return err_sys(e, BLAME_CONFIG, errno, "open the folder '%s'", dir);
	v->dir = mem_strdup(real);
	return 0;
}

static void told_to_end(void *arg, int sig)
{
	struct vlab *v = arg;

	(void)sig;
	loop_stop(v->loop);
}

int vlab_init(struct vlab *v, const char *dir, vlab_line_fn *on_line, void *arg, struct err *e)
{
	struct sigaction hangup;

	v->listen_fd = -1;
	v->child = (struct child)CHILD_INIT;
	v->on_line = on_line;
	v->arg = arg;
	v->loop = loop_new(e);
	if (!v->loop || open_dir(v, dir, e) < 0 || listen_in(v, e) < 0)
		return -1;
	v->hub = pty_hub_new(v->loop, e);
	if (!v->hub)
		return -1;
	v->listen_watch = loop_fd(v->loop, v->listen_fd, EPOLLIN, arrived, v);
	v->signals[0] = loop_signal(v->loop, SIGTERM, told_to_end, v);
	v->signals[1] = loop_signal(v->loop, SIGINT, told_to_end, v);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN) /* nohup */
		v->signals[2] = loop_signal(v->loop, SIGHUP, told_to_end, v);
	return 0;
}

void vlab_done(struct vlab *v)
{
	if (!v->loop)
		return;
	child_done(&v->child);
	if (v->listen_fd >= 0) {
		AUTOFREE char *ctl = vlab_path(v, "ctl");

		unlink(ctl);
	}
	pty_hub_free(v->hub);
	if (v->own_dir)
		fs_remove_tree(v->dir, NULL);
	/* clients last: who asked to quit sees the end of file when all else has gone */
	while (v->clients.n)
		client_free(v->clients.p[0]);
	vec_done(&v->clients);
	if (v->listen_fd >= 0)
		close(v->listen_fd);
	loop_del(v->listen_watch);
	for (size_t i = 0; i < ARRAY_LEN(v->signals); i++)
		loop_del(v->signals[i]);
	loop_free(v->loop);
	free(v->dir);
	*v = (struct vlab){0};
}

struct node *vlab_put_map(struct arena *a, struct node *in, const char *key)
{
	struct node *map = node_new(a, NODE_MAP, (struct loc){0});

	node_map_set(a, in, key, map);
	return map;
}

void vlab_put(struct arena *a, struct node *in, const char *key, const char *text)
{
	node_map_set(a, in, key, node_scalar(a, text, (struct loc){0}));
}

int vlab_lab_file(
	struct vlab *v, const char *name, struct arena *a, struct node *boards, struct err *e)
{
	struct node *lab = node_new(a, NODE_MAP, (struct loc){0});
	AUTOFREE char *path = vlab_path(v, "lab.yaml");
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	vlab_put(a, lab, "lab", name);
	node_map_set(a, lab, "boards", boards);
	if (yaml_format(lab, &text, e) < 0)
		return -1;
	if (text.len > YAML_FILE_BYTES)
		return err_set(e, BLAME_CONFIG,
			"%zu boards make a lab file of %zu bytes; %zu can be read", boards->n,
			text.len, YAML_FILE_BYTES);
	return fs_write(path, buf_str(&text), text.len, 0644, e);
}

/* ---- running -------------------------------------------------------------------------------- */

static void command_ended(void *arg, struct child *c)
{
	struct vlab *v = arg;

	v->child_watch = NULL;
	v->status = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);
	loop_stop(v->loop);
}

static int say_ready(struct vlab *v, const struct vlab_run *run, struct err *e)
{
	AUTOFREE char *text = mem_printf("ready %s\n", v->dir);

	if (!run->quiet && (fputs(text, stdout) < 0 || fflush(stdout)))
		return err_sys(e, BLAME_CONFIG, errno, "write to standard output");
	if (run->ready_fd < 0)
		return 0;
	if (fs_write_all(run->ready_fd, text, strlen(text)) < 0)
		return err_sys(e, BLAME_CONFIG, errno, "write to descriptor %d", run->ready_fd);
	close(run->ready_fd);
	return 0;
}

int vlab_run(struct vlab *v, const struct vlab_run *run, int *status, struct err *e)
{
	struct child_opts opts = {.in = 0, .out = 1, .err = 2};
	AUTOFREE char *lab = mem_printf("HILAB_LAB=%s/lab.yaml", v->dir);
	const char *env[] = {lab, NULL};
	int rc;

	opts.env = env;
	if (say_ready(v, run, e) < 0)
		return -1;
	if (run->argv) {
		if (child_start(&v->child, run->argv, &opts, e) < 0)
			return -1;
		v->child_watch = loop_child(v->loop, &v->child, command_ended, v);
	}
	rc = loop_run(v->loop, e);
	if (v->child_watch) {
		loop_del(v->child_watch);
		v->child_watch = NULL;
		child_signal(&v->child, SIGTERM);
		child_stop(&v->child, CHILD_GRACE_MS);
		v->status = 128 + SIGTERM;
	}
	if (rc == 0)
		*status = v->status;
	return rc;
}

/* ---- the other side ------------------------------------------------------------------------- */

/* Has the last line of an answer come? */
static bool answered(const struct buf *all)
{
	struct str text = str_make(buf_str(all), all->len), last;
	const char *nl;

	if (!str_ends(text, "\n"))
		return false;
	nl = memrchr(text.p, '\n', text.n - 1);
	last = nl ? str_make(nl + 1, (size_t)(text.p + text.n - nl - 1)) : text;
	return str_is(last, "ok\n") || str_starts(last, "error: ");
}

int vlab_call(const char *dir, const char *line, struct buf *answer, struct err *e)
{
	AUTOCLOSE int fd = vlab_connect(dir, "ctl", e);
	AUTOFREE char *text = mem_printf("%s\n", line);
	int64_t until = clock_ms() + VLAB_CALL_MS;
	bool quit = !strcmp(line, "quit");
	AUTOBUF all = BUF_INIT(VLAB_ANSWER_BYTES);
	struct str rest, row, last = {0};

	if (fd < 0)
		return -1;
	if (fs_write_all(fd, text, strlen(text)) < 0)
		return err_sys(e, BLAME_INFRA, errno, "send '%s' to the daemon in '%s'", line, dir);
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left = until - clock_ms();

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return err_set(e, BLAME_TIMEOUT, "the daemon in '%s' did not answer '%s'",
				dir, line);
		if (buf_read(&all, fd, 1 << 16) <= 0 || (!quit && answered(&all)))
			break;
	}
	rest = str_make(buf_str(&all), all.len);
	while (str_line(&rest, &row)) {
		if (last.n && answer) {
			buf_add(answer, last.p, last.n);
			buf_putc(answer, '\n');
		}
		last = row;
	}
	if (str_starts(last, "error: "))
		return err_set(e, BLAME_CONFIG, "%.*s", (int)last.n - 7, last.p + 7);
	return str_is(last, "ok")
		       ? 0
		       : err_set(e, BLAME_INFRA, "the daemon in '%s' ended in mid-answer", dir);
}
