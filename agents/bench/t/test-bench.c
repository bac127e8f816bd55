/* SPDX-License-Identifier: MIT */
/* The one wait: deadlines, cancel, pumps; variables; events. */
#include "agents/bench/bench.h"
#include "base/clock.h"
#include "base/t/tap.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void test_deadlines(void)
{
	struct bench b;
	struct err e = {0};

	bench_init(&b);
	ok(bench_left_ms(&b) == INT64_MAX, "no deadline");
	bench_push(&b, "job", 3600000);
	bench_push(&b, "step 'boot'", 30);
	ok(bench_left_ms(&b) <= 30, "the inner one is nearest");
	is_int(bench_pause(&b, 3600000, &e), -1, "a pause ends at the deadline");
	is_int(e.blame, BLAME_TIMEOUT, "blame timeout");
	is_str(e.msg, "step 'boot': not done in 30 ms", "the text names it");
	bench_pop(&b);
	is_int(bench_pause(&b, 1, &e), 0, "the outer one still runs");
	bench_push(&b, "step 'run'", 3600000);
	b.deadlines[0].at_ms = clock_ms() - 1;
	b.deadlines[0].length_ms = 5000;
	is_int(bench_pause(&b, 1, &e), -1, "the outer one ends the inner");
	is_str(e.msg, "job: not done in 5 s", "and is named");
	bench_release_begin(&b);
	ok(bench_left_ms(&b) == INT64_MAX, "old deadlines do not count while releasing");
	is_int(bench_pause(&b, 1, &e), 0, "a release step waits");
	bench_push(&b, "release", 0);
	is_int(bench_pause(&b, 1000, &e), -1, "its own deadline counts");
	bench_pop(&b);
	bench_push(&b, "eternity", INT64_MAX);
	ok(bench_left_ms(&b) == INT64_MAX, "a deadline of INT64_MAX is none");
	bench_pop(&b);
	bench_done(&b);
}

static void test_ready_or_late(void)
{
	struct bench b;
	struct err e = {0};
	int fds[2];
	struct pollfd p;

	bench_init(&b);
	if (!ok(!pipe(fds), "pipe"))
		return;
	p = (struct pollfd){.fd = fds[0], .events = POLLIN};
	is_int(bench_wait(&b, &p, 1, 0, &e), 0, "nothing there: 0");
	ok(write(fds[1], "x", 1) == 1, "a byte");
	is_int(bench_wait(&b, &p, 1, INT64_MAX, &e), 1, "one ready");
	ok(p.revents & POLLIN, "and it says what for");
	bench_push(&b, "step", 0);
	is_int(bench_wait(&b, &p, 1, INT64_MAX, &e), -1,
		"a passed deadline comes before readiness");
	close(fds[0]);
	close(fds[1]);
	bench_done(&b);
}

static int served;
static int eat(void *arg, short revents, struct err *e)
{
	char c;

	(void)revents, (void)e;
	served++;
	return read(*(int *)arg, &c, 1) == 1 ? 0 : err_set(e, BLAME_INFRA, "pump: no byte");
}

static void test_pumps(void)
{
	struct bench b;
	struct err e = {0};
	int a[2], c[2];
	struct pollfd p;

	bench_init(&b);
	if (!ok(!pipe(a) && !pipe(c), "pipes"))
		return;
	bench_pump_add(&b, a[0], eat, &a[0]);
	ok(write(a[1], "xy", 2) == 2 && write(c[1], "z", 1) == 1, "bytes");
	p = (struct pollfd){.fd = c[0], .events = POLLIN};
	is_int(bench_wait(&b, &p, 1, INT64_MAX, &e), 1, "the wait's own descriptor is ready");
	is_int(served, 1, "the pump was served by the same poll");
	is_int(bench_wait_pump(&b, INT64_MAX, &e), 1, "wait for a pump");
	is_int(served, 2, "served");
	is_int(bench_wait_pump(&b, 0, &e), 0, "no more: timeout");
	close(a[1]);
	is_int(bench_pause(&b, 1000, &e), -1, "a pump's error ends any wait");
	is_str(e.msg, "pump: no byte", "with its text");
	bench_pump_del(&b, a[0]);
	bench_pump_del(&b, a[0]);
	is_int(bench_pause(&b, 0, &e), 0, "deleted (twice is fine)");
	close(a[0]);
	close(c[0]);
	close(c[1]);
	bench_done(&b);
}

static void test_cancel(void)
{
	struct bench b;
	struct err e = {0};
	sigset_t set;

	bench_init(&b);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	b.cancel_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	is_int(bench_pause(&b, 0, &e), 0, "not canceled");
	kill(getpid(), SIGTERM);
	is_int(bench_pause(&b, INT64_MAX, &e), -1, "canceled in a wait without end");
	is_int(e.blame, BLAME_CANCEL, "blame cancel");
	is_int(bench_pause(&b, 0, &e), -1, "and stays so");
	bench_release_begin(&b);
	kill(getpid(), SIGTERM);
	is_int(bench_pause(&b, 1, &e), 0, "but not while releasing, also when it comes again");
	close(b.cancel_fd);
	bench_done(&b);
}

static void test_vars(void)
{
	struct bench b;
	struct err e = {0};
	AUTOBUF out = BUF_INIT(64);

	bench_init(&b);
	bench_var_set(&b, "net.server", "10.0.0.1");
	bench_var_set(&b, "net.server", bench_var_find(&b, "net.server"));
	bench_var_set(&b, "image.kernel", "${net.server}");
	is_str(bench_var_find(&b, "net.server"), "10.0.0.1", "set to itself");
	ok(!bench_var_find(&b, "no"), "absent: NULL");
	is_int(bench_expand(&b, "a${net.server}/${image.kernel}$${x}$y", &out, &e), 0, "expand");
	is_str(buf_str(&out), "a10.0.0.1/${net.server}${x}$y", "one pass, escapes kept");
	is_int(bench_expand(&b, "${net.sever}", &out, &e), -1, "unknown name");
	is_int(e.blame, BLAME_JOB, "blame job");
	has_str(e.msg, "did you mean '${net.server}'?", "offers the nearest");
	is_int(bench_expand(&b, "${net.server", &out, &e), -1, "no end of the name");
	is_str(buf_str(&out), "a10.0.0.1/${net.server}${x}$y", "nothing added on failure");
	is_int(bench_expand(&b, "${image.kernel}${image.kernel}${image.kernel}", &out, &e), -1,
		"too long");
	bench_done(&b);
}

static void keep(void *arg, json_t *event)
{
	json_t **last = arg;

	json_decref(*last);
	*last = event;
}

static void test_events(void)
{
	struct bench b;
	json_t *last = NULL;
	char *text;

	bench_init(&b);
	bench_event(&b, "power", "s:s", "state", "on");
	b.journal = keep;
	b.journal_arg = &last;
	bench_event(&b, "power", "s:s, s:i", "state", "on", "n", 3);
	text = json_dumps(last, JSON_COMPACT);
	is_str(text, "{\"kind\":\"power\",\"state\":\"on\",\"n\":3}", "fields without braces");
	free(text);
	bench_event(&b, "stage", "{s:s}", "name", "kernel");
	is_str(json_string_value(json_object_get(last, "name")), "kernel", "or with");
	bench_event(&b, "stage", "s:s", "name", "\xff\xfe");
	is_str(json_string_value(json_object_get(last, "kind")), "stage",
		"text that is none does not lose the event");
	bench_note(&b, "it's \xff %d", 7);
	has_str(json_string_value(json_object_get(last, "text")), "7", "a note of any bytes");
	json_decref(last);
	bench_done(&b);
}

int main(void)
{
	test_deadlines();
	test_ready_or_late();
	test_pumps();
	test_cancel();
	test_vars();
	test_events();
	return tap_done();
}
