/* SPDX-License-Identifier: MIT */
/*
 * One virtual EVM. Invariant: QEMU runs only while the state is MACHINE_ON, and it boots only then;
 * without QEMU nothing typed is kept and nothing is printed.
 */
#include "labs/virtual/twin/machine.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "labs/virtual/vlab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536

const char *machine_state_name(enum machine_state s)
{
	static const char *const names[] = {"off", "waiting", "on", "halted", "failed"};

	return names[s];
}

/* ---- the boot ------------------------------------------------------------------------------- */

static void boot_over(struct machine *m)
{
	loop_del(m->boot_timer);
	m->boot_timer = NULL;
	m->booting = false;
}

static void booted(struct machine *m)
{
	if (!m->booting)
		return;
	boot_over(m);
	if (m->on_booted)
		m->on_booted(m, m->on_booted_arg);
}

/* Whichever comes first: quiet, or too long. One timer for all that is printed: it looks again. */
static void boot_due(void *arg)
{
	struct machine *m = arg;
	int64_t now = clock_ms(), due = m->started_ms + m->boot_ms;

	m->boot_timer = NULL;
	if (m->printed_ms && m->printed_ms + MACHINE_QUIET_MS < due)
		due = m->printed_ms + MACHINE_QUIET_MS;
	if (now >= due)
		booted(m);
	else
		m->boot_timer = loop_timer(m->loop, due - now, boot_due, m);
}

/* A prompt may come in pieces. A bare "# " is none: U-Boot begins lines with "## ". */
static void watch_boot(struct machine *m, struct str bytes)
{
	/* the last two: of a real-time firmware, and a ROM that waits for an image */
	static const char *const prompts[] = {
		"login: ", "~# ", "/# ", "~ # ", "/ # ", "r5f> ", "XMODEM"};
	AUTOBUF text = BUF_INIT(MACHINE_TAIL_BYTES + READ_BYTES);
	bool first = !m->printed_ms;

	m->printed_ms = clock_ms();
	buf_add(&text, m->tail, m->tail_n);
	buf_add(&text, bytes.p, bytes.n);
	for (size_t i = 0; i < ARRAY_LEN(prompts); i++)
		if (str_find(str_make(buf_str(&text), text.len), str_of(prompts[i])) >= 0) {
			booted(m);
			return;
		}
	m->tail_n = text.len < sizeof m->tail ? text.len : sizeof m->tail;
	memcpy(m->tail, buf_str(&text) + text.len - m->tail_n, m->tail_n);
	if (first) { /* from now on quiet may come before too long */
		loop_del(m->boot_timer);
		boot_due(m);
	}
}

/* ---- the serial line ------------------------------------------------------------------------ */

static void drop_fd(int *fd, struct loop_watch **watch)
{
	loop_del(*watch);
	*watch = NULL;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void hand_over(struct machine *m)
{
	ssize_t n = m->typed.len ? send(m->uart, m->typed.data, m->typed.len,
					   MSG_DONTWAIT | MSG_NOSIGNAL)
				 : 0;

	if (n > 0)
		buf_eat(&m->typed, (size_t)n);
	loop_fd_set(m->uart_watch, EPOLLIN | (m->typed.len ? EPOLLOUT : 0));
}

static void uart_ready(void *arg, uint32_t events)
{
	struct machine *m = arg;
	char bytes[READ_BYTES];
	ssize_t n;

	if (events & EPOLLOUT)
		hand_over(m);
	n = read(m->uart, bytes, sizeof bytes);
	if (n > 0) {
		pty_write(m->console, str_make(bytes, (size_t)n));
		if (m->booting)
			watch_boot(m, str_make(bytes, (size_t)n));
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		drop_fd(&m->uart, &m->uart_watch);
	}
}

static void uart_arrived(void *arg, uint32_t events)
{
	struct machine *m = arg;
	int fd = accept4(m->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd < 0)
		return;
	drop_fd(&m->uart, &m->uart_watch);
	if (m->state != MACHINE_ON) { /* of a QEMU that is already dead */
		close(fd);
		return;
	}
	m->uart = fd;
	m->uart_watch = loop_fd(m->loop, fd, EPOLLIN, uart_ready, m);
	hand_over(m);
}

static void typed(void *arg, struct str bytes)
{
	struct machine *m = arg;

	if (m->state != MACHINE_ON)
		return; /* no board, nobody hears */
	if (m->typed.len + bytes.n > m->typed.cap) {
		m->overruns++;
		bytes.n = m->typed.cap - m->typed.len;
	}
	buf_add(&m->typed, bytes.p, bytes.n);
	if (m->uart >= 0)
		hand_over(m);
}

/* ---- power ---------------------------------------------------------------------------------- */

/* As a supply that dies: what hangs on it, its serial bridge, goes too, and is back by itself. */
static void fail(struct machine *m)
{
	struct err e = {0};

	m->state = MACHINE_FAILED;
	if (pty_plugged(m->console)) {
		pty_unplug(m->console);
		if (pty_plug(m->console, &e))
			log_error("twin '%s': %s", m->name, e.msg);
	}
	if (m->on_failed)
		m->on_failed(m, m->on_failed_arg);
}

static void ended(void *arg, struct child *c)
{
	struct machine *m = arg;
	char text[64];
	bool good = WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;

	m->end = NULL;
	if (m->uart >= 0) { /* what it printed last */
		char bytes[READ_BYTES];
		ssize_t n;

		while ((n = read(m->uart, bytes, sizeof bytes)) > 0)
			pty_write(m->console, str_make(bytes, (size_t)n));
	}
	m->state = MACHINE_HALTED;
	if (!good)
		log_error("twin '%s': QEMU: %s (see '%s/qemu.log')", m->name,
			child_status_text(c, text, sizeof text), m->dir);
	drop_fd(&m->uart, &m->uart_watch);
	drop_fd(&m->qmp, &m->qmp_watch);
	child_done(&m->child);
	if (!good)
		fail(m);
	else if (m->on_halted)
		m->on_halted(m, m->on_halted_arg);
	booted(m);
}

void machine_start(struct machine *m)
{
	/* a machine with a sound device of its own would look for the host's */
	static const char *const env[] = {"QEMU_AUDIO_DRV=none", NULL};
	struct child_opts opts = {.in = -1,
		.out = m->log_fd,
		.err = m->log_fd,
		.dir = m->dir,
		.env = env,
		.die_with_us = true};
	AUTOFREE char *qmp = mem_printf("%s/qmp.sock", m->dir);
	struct err e = {0};

	if (m->state != MACHINE_WAITING)
		return;
	unlink(qmp);
	m->state = MACHINE_ON;
	if (child_start(&m->child, m->power_argv, &opts, &e) < 0) {
		log_error("twin '%s': start QEMU: %s", m->name, e.msg);
		fail(m);
		return;
	}
	m->end = loop_child(m->loop, &m->child, ended, m);
	m->booting = true;
	m->started_ms = clock_ms();
	m->printed_ms = 0;
	m->tail_n = 0;
	boot_due(m);
}

void machine_power(struct machine *m, bool on)
{
	if (on == (m->state != MACHINE_OFF && m->state != MACHINE_FAILED))
		return;
	buf_reset(&m->typed);
	if (on) {
		m->power_ons++;
		m->power_argv = m->argv;
		m->state = MACHINE_WAITING;
		return;
	}
	m->state = MACHINE_OFF;
	boot_over(m);
	loop_del(m->end);
	m->end = NULL;
	child_done(&m->child); /* SIGKILL: a cold stop, nothing is written back */
	drop_fd(&m->uart, &m->uart_watch);
	drop_fd(&m->qmp, &m->qmp_watch);
}

/* ---- reset ---------------------------------------------------------------------------------- */

/* Answers are not looked at: QEMU takes commands in order, and its end of the socket stays open
 * until the next reset or power off. */
static void qmp_ready(void *arg, uint32_t events)
{
	struct machine *m = arg;
	char bytes[4096];
	ssize_t n = read(m->qmp, bytes, sizeof bytes);

	(void)events;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		drop_fd(&m->qmp, &m->qmp_watch);
}

int machine_reset(struct machine *m, struct err *e)
{
	static const char orders[] = "{\"execute\":\"qmp_capabilities\"}\n"
				     "{\"execute\":\"system_reset\"}\n";
	static const char again[] = "{\"execute\":\"system_reset\"}\n";
	const char *order = m->qmp >= 0 ? again : orders;

	if (m->state != MACHINE_ON)
		return err_set(e, BLAME_CONFIG, "reset '%s': it is %s", m->name,
			machine_state_name(m->state));
	if (m->qmp < 0) {
		m->qmp = vlab_connect(m->dir, "qmp.sock", e);
		if (m->qmp < 0)
			return err_wrap(e, "reset '%s'", m->name);
		m->qmp_watch = loop_fd(m->loop, m->qmp, EPOLLIN, qmp_ready, m);
	}
	if (send(m->qmp, order, strlen(order), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		int sys = errno;

		drop_fd(&m->qmp, &m->qmp_watch);
		return err_sys(e, BLAME_INFRA, sys, "reset '%s'", m->name);
	}
	return 0;
}

/* ---- life ----------------------------------------------------------------------------------- */

struct machine *machine_new(struct loop *l, struct pty_hub *hub, const char *name, const char *dir,
	const char *link, struct err *e)
{
	struct machine *m = mem_alloc(sizeof *m);
	AUTOFREE char *log = mem_printf("%s/qemu.log", dir);
	struct pty_opts po = {
		.link = link, .queue_bytes = MACHINE_QUEUE_BYTES, .on_bytes = typed, .arg = m};

	m->loop = l;
	m->name = mem_strdup(name);
	m->dir = mem_strdup(dir);
	m->child = (struct child)CHILD_INIT;
	m->listen_fd = m->uart = m->qmp = m->log_fd = -1;
	buf_init(&m->typed, MACHINE_TYPED_BYTES);
	if (fs_mkdirs(dir, 0755, e) < 0)
		goto failed;
	m->log_fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (m->log_fd < 0) {
		err_sys(e, BLAME_INFRA, errno, "open '%s'", log);
		goto failed;
	}
	m->listen_fd = vlab_listen(dir, "uart.sock", e);
	m->console = m->listen_fd < 0 ? NULL : pty_new(hub, &po, e);
	if (!m->console)
		goto failed;
	m->listen_watch = loop_fd(l, m->listen_fd, EPOLLIN, uart_arrived, m);
	return m;
failed:
	machine_free(m);
	return NULL;
}

void machine_free(struct machine *m)
{
	AUTOFREE char *uart = NULL, *qmp = NULL;

	if (!m)
		return;
	machine_power(m, false);
	uart = mem_printf("%s/uart.sock", m->dir);
	qmp = mem_printf("%s/qmp.sock", m->dir);
	unlink(uart);
	unlink(qmp);
	drop_fd(&m->listen_fd, &m->listen_watch);
	if (m->log_fd >= 0)
		close(m->log_fd);
	pty_free(m->console);
	buf_done(&m->typed);
	arena_done(&m->arena);
	free((char *)m->name);
	free(m->dir);
	free(m);
}
