/* SPDX-License-Identifier: MIT */
/* Power: relays that answer right, lie, babble, stop in mid-answer or say nothing; commands. */
#include "agents/bench/serial.h"
#include "agents/bench/t/peer.h"
#include "agents/power/power.h"
#include "base/clock.h"
#include "base/t/tap.h"

#include <stdlib.h>

static struct err e;

struct bed {
	struct bench b;
	struct peer peer;
	struct power p;
	struct arena arena;
	struct node *map;
	void *conf;
};

static void set(struct bed *t, const char *key, const char *value)
{
	struct loc at = {0};

	node_map_set(&t->arena, t->map, key, node_scalar(&t->arena, value, at));
}

static void set_words(struct bed *t, const char *key, const char *const *words)
{
	struct node *list = node_new(&t->arena, NODE_LIST, (struct loc){0});

	for (; *words; words++)
		node_list_add(&t->arena, list, node_scalar(&t->arena, *words, (struct loc){0}));
	node_map_set(&t->arena, t->map, key, list);
}

static void begin(struct bed *t)
{
	*t = (struct bed){0};
	bench_init(&t->b);
	bench_push(&t->b, "the test", 60000);
	t->map = node_new(&t->arena, NODE_MAP, (struct loc){0});
	t->p.off_ms = 1;
	err_clear(&e);
}

static int open_power(struct bed *t, const char *driver)
{
	const struct driver *d = driver_find(power_drivers(), driver);
	AUTOBUF text = BUF_INIT(4096);
	struct diag diag = {0};

	t->conf = arena_alloc(&t->arena, d->size);
	if (schema_fill(&t->arena, d->params, "power", t->map, t->conf, &diag)) {
		diag_print(&diag, &text);
		printf("Bail out! %s\n", buf_str(&text));
		exit(1);
	}
	diag_done(&diag);
	return power_open(&t->p, (const struct power_driver *)d, t->conf, &t->b, &e);
}

static void relay(struct bed *t, const char *model, const char *channel)
{
	begin(t);
	peer_open(&t->peer, &t->b);
	set(t, "port", t->peer.path);
	set(t, "model", model);
	set(t, "channel", channel);
	set(t, "answer", "150ms");
	if (open_power(t, "serial-relay"))
		printf("# %s\n", e.msg);
}

static void end(struct bed *t)
{
	power_close(&t->p);
	if (t->peer.bench)
		peer_done(&t->peer);
	bench_done(&t->b);
	arena_done(&t->arena);
}

/* ---- a module with relays ---- */

struct module {
	bool on[8];
	bool stuck; /* takes commands, does not switch */
	unsigned asked, switched;
};

static void lcus_states(struct peer *p, const struct module *m)
{
	char line[32];

	for (int i = 0; i < 4; i++) {
		snprintf(line, sizeof line, "CH%d:%s\r\n", i + 1, m->on[i] ? "ON " : "OFF");
		peer_puts(p, line);
	}
}

static void lcus(struct peer *p, const char *data, size_t n)
{
	struct module *m = p->arg;

	buf_add(&p->got, data, n);
	while (p->got.len) {
		const unsigned char *c = (const unsigned char *)p->got.data;
		size_t take = c[0] == 0xa0 ? 4 : 1;

		if (p->got.len < take)
			return;
		if (c[0] == 0xff) {
			m->asked++;
			lcus_states(p, m);
		} else if (take == 4 && c[3] == (unsigned char)(c[0] + c[1] + c[2]) && c[1] >= 1 &&
			   c[1] <= 8) {
			m->switched++;
			if (!m->stuck)
				m->on[c[1] - 1] = c[2];
		}
		buf_eat(&p->got, take);
	}
}

static void test_lcus(void)
{
	struct module m = {0};
	struct bed t;

	relay(&t, "lcus", "3");
	t.peer.input = lcus;
	t.peer.arg = &m;
	is_int(power_query(&t.p, &e), 0, "query");
	is_int(t.p.state, POWER_OFF, "off");
	is_int(power_on(&t.p, &e), 0, "on");
	is_int(t.p.state, POWER_ON, "reads back on");
	ok(m.on[2] && !m.on[0] && !m.on[1] && !m.on[3], "this channel and no other");
	ok(!memcmp(t.peer.all.data, "\xff\xa0\x03\x01\xa4\xff", 6), "the very bytes");
	is_int(power_off(&t.p, &e), 0, "off");
	is_int(power_rest(&t.p, &e), 0, "for a while");
	ok(clock_ms() >= t.p.off_at_ms + t.p.off_ms, "as long as it should");
	is_int(power_on(&t.p, &e), 0, "on");
	is_int(t.p.state, POWER_ON, "on again");
	is_int(m.switched, 3, "switched off and on");
	m.stuck = true;
	is_int(power_off(&t.p, &e), -1, "a relay that does not switch");
	is_int(t.p.state, POWER_ON, "state is what it reads back");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	is_int(m.switched, 5, "one retry");
	has_str(e.msg, "switched off, but it reads back on", "its text");
	end(&t);
}

static void test_numato(void)
{
	static const struct peer_line script[] = {
		{"relay on 0\r", "relay on 0\n\r>"},
		{"relay read 0\r", "relay read 0\n\ron\n\r>"},
		{"relay off 0\r", "relay off 0\n\r>"},
		{"relay read 0\r", "relay read 0\n\roff\n\r>"},
		{0},
	};
	struct bed t;

	relay(&t, "numato", "1");
	t.peer.script = script;
	is_int(power_on(&t.p, &e), 0, "numato on");
	is_int(t.p.state, POWER_ON, "reads back on");
	is_int(power_off(&t.p, &e), 0, "numato off");
	is_int(t.p.state, POWER_OFF, "reads back off");
	is_str(buf_str(&t.peer.all), "relay on 0\rrelay read 0\rrelay off 0\rrelay read 0\r",
		"the very bytes; channel 1 is 0 on the wire");
	end(&t);
	relay(&t, "numato", "11");
	power_on(&t.p, &e);
	has_str(buf_str(&t.peer.all), "relay on A\r", "channel 11 is A");
	end(&t);
}

/* A power switch that fails: what comes back, and that the state is unknown, never off. */
static void bad_answer(
	const char *name, const char *model, const struct peer_line *script, const char *want)
{
	struct bed t;

	relay(&t, model, "1");
	t.peer.script = script;
	t.p.state = POWER_OFF;
	is_int(power_on(&t.p, &e), -1, "%s: fails", name);
	is_int(e.blame, BLAME_INFRA, "%s: blame infra", name);
	is_int(t.p.state, POWER_UNKNOWN, "%s: the state is unknown", name);
	has_str(e.msg, want, "%s: the text says '%s'", name, want);
	end(&t);
}

static void test_bad_answers(void)
{
	static const struct peer_line mute[] = {{0}};
	static const struct peer_line garbage[] = {
		{"\xff", "\x01\x02 hello\r\n", .again = true}, {0}};
	static const struct peer_line half[] = {{"\xff", "CH1:", .again = true}, {0}};
	static const struct peer_line other[] = {
		{"\xff", "CH2:ON \r\nCH11:ON \r\n", .again = true}, {0}};
	static const struct peer_line echo[] = {{"relay on 0\r", "relay on 0", .again = true}, {0}};

	bad_answer("mute", "lcus", mute, "no answer in 150 ms");
	bad_answer("garbage", "lcus", garbage, "got '\\x01\\x02 hello");
	bad_answer("half an answer", "lcus", half, "got 'CH1:'");
	bad_answer("another channel's", "lcus", other, "no answer that is understood");
	bad_answer("no prompt", "numato", echo, "got 'relay on 0'");
}

/* Unplugged in mid-answer. The link goes first: the number of a closed PTY is soon another's. */
static void pull(struct peer *p, const char *data, size_t n)
{
	(void)data, (void)n;
	unlink(p->arg);
	peer_puts(p, "CH");
	peer_close(p);
}

static void test_unplugged(void)
{
	char dir[] = "/tmp/hilab-power-XXXXXX", link[64];
	struct bed t;

	begin(&t);
	peer_open(&t.peer, &t.b);
	t.peer.input = pull;
	t.peer.arg = link;
	ok(mkdtemp(dir), "a folder");
	snprintf(link, sizeof link, "%s/port", dir);
	ok(!symlink(t.peer.path, link), "a stable link");
	set(&t, "port", link);
	set(&t, "model", "lcus");
	is_int(open_power(&t, "serial-relay"), 0, "a module");
	is_int(power_query(&t.p, &e), -1, "unplugged in mid-answer");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	is_int(power_on(&t.p, &e), -1, "and then not there");
	has_str(e.msg, "No such file", "is said");
	is_int(t.p.state, POWER_UNKNOWN, "unknown");
	end(&t);
	rmdir(dir);
}

static void babble(struct peer *p, const char *data, size_t n)
{
	char junk[2000];

	(void)data, (void)n;
	memset(junk, 'z', sizeof junk);
	for (int i = 0; i < 3; i++)
		peer_send(p, junk, sizeof junk);
}

static void test_flood(void)
{
	struct bed t;

	relay(&t, "lcus", "1");
	t.peer.input = babble;
	is_int(power_query(&t.p, &e), -1, "an answer without end");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	is_int(t.p.state, POWER_UNKNOWN, "unknown");
	end(&t);
}

static void test_no_read_back(void)
{
	struct module m = {.on = {true}};
	struct bed t;

	begin(&t);
	peer_open(&t.peer, &t.b);
	t.peer.input = lcus;
	t.peer.arg = &m;
	set(&t, "port", t.peer.path);
	set(&t, "model", "lcus");
	set(&t, "read-back", "no");
	is_int(open_power(&t, "serial-relay"), 0, "a module that never answers");
	is_int(power_off(&t.p, &e), 0, "switched");
	is_int(t.p.state, POWER_UNKNOWN, "but the state is unknown, not off");
	bench_wait_pump(&t.b, 1000, &e);
	ok(!m.on[0] && !m.asked, "the bytes went out, nothing was asked");
	end(&t);
	begin(&t);
	set(&t, "port", "/dev/null");
	set(&t, "model", "lcus");
	set(&t, "channel", "9");
	is_int(open_power(&t, "serial-relay"), -1, "a channel that no such module has");
	has_str(e.msg, "at most 8 channels", "is refused");
	end(&t);
}

/* Another worker holds the module's port and lets it go while we wait. */
struct holder {
	struct serial *s;
	int fds[2];
};

static int let_go(void *arg, short revents, struct err *unused)
{
	struct holder *h = arg;
	char c;

	(void)revents, (void)unused;
	if (read(h->fds[0], &c, 1) != 1)
		return 0;
	serial_close(h->s);
	h->s = NULL;
	return 0;
}

static void test_shared_port(void)
{
	struct module m = {0};
	struct holder h = {0};
	struct serial_conf line = {.baud = 9600, .bits = 8, .stop_bits = 1};
	struct bed t;

	relay(&t, "lcus", "1");
	t.peer.input = lcus;
	t.peer.arg = &m;
	line.port = t.peer.path;
	h.s = serial_open(&line, &e);
	ok(h.s && !pipe(h.fds), "somebody else has the port");
	bench_push(&t.b, "step 'power'", 60);
	is_int(power_on(&t.p, &e), -1, "waits for it, within the deadline");
	is_int(e.blame, BLAME_TIMEOUT, "which is what ends it");
	bench_pop(&t.b);
	bench_pump_add(&t.b, h.fds[0], let_go, &h);
	ok(write(h.fds[1], "x", 1) == 1, "it is let go");
	is_int(power_on(&t.p, &e), 0, "and switches then");
	is_int(t.p.state, POWER_ON, "read back");
	bench_pump_del(&t.b, h.fds[0]);
	close(h.fds[0]);
	close(h.fds[1]);
	end(&t);
}

/* ---- command ---- */

static void commands(
	struct bed *t, const char *const *on, const char *const *query, const char *timeout)
{
	static const char *const off[] = {"true", NULL};

	begin(t);
	set_words(t, "on", on);
	set_words(t, "off", off);
	if (query)
		set_words(t, "query", query);
	set(t, "timeout", timeout);
	if (open_power(t, "command"))
		printf("# %s\n", e.msg);
}

static const char *const good[] = {"true", NULL}, *const bad[] = {"false", NULL};
static const char *const hangs[] = {"sleep", "100", NULL};

static void test_command(void)
{
	static const char *const odd[] = {"sh", "-c", "exit 7", NULL};
	struct bed t;

	commands(&t, good, NULL, "10s");
	is_int(power_on(&t.p, &e), 0, "a command");
	is_int(t.p.state, POWER_UNKNOWN, "without query: unknown");
	end(&t);
	commands(&t, good, good, "10s");
	is_int(power_on(&t.p, &e), 0, "with a query that says on");
	is_int(t.p.state, POWER_ON, "on");
	is_int(power_off(&t.p, &e), -1, "which lies after off");
	is_int(t.p.state, POWER_ON, "the state is what it says");
	end(&t);
	commands(&t, good, bad, "10s");
	is_int(power_query(&t.p, &e), 0, "exit status 1");
	is_int(t.p.state, POWER_OFF, "is off");
	end(&t);
	commands(&t, good, odd, "10s");
	is_int(power_query(&t.p, &e), -1, "any other status");
	is_int(t.p.state, POWER_UNKNOWN, "is unknown");
	has_str(e.msg, "exit status 7", "and is shown");
	end(&t);
}

static void test_command_fails(void)
{
	static const char *const fails[] = {"ls", "/no/such $(thing)", NULL};
	static const char *const absent[] = {"hilab-no-such-program", NULL};
	struct bed t;

	commands(&t, fails, NULL, "10s");
	is_int(power_on(&t.p, &e), -1, "a command that fails");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	has_str(e.msg, "/no/such $(thing)", "with what it said; no shell touched the words");
	end(&t);
	commands(&t, absent, NULL, "10s");
	is_int(power_on(&t.p, &e), -1, "a program that is not there");
	has_str(e.msg, "hilab-no-such-program", "is named");
	end(&t);
	commands(&t, hangs, NULL, "10s");
	bench_push(&t.b, "step 'power'", 60);
	is_int(power_on(&t.p, &e), -1, "a program that hangs: the step's deadline ends it");
	is_int(e.blame, BLAME_TIMEOUT, "blame timeout");
	bench_pop(&t.b);
	end(&t);
	commands(&t, hangs, NULL, "50ms");
	is_int(power_on(&t.p, &e), -1, "its own limit ends it, too");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	has_str(e.msg, "not done in 50 ms", "its text");
	end(&t);
}

/* The console is read while a program runs: the byte is served before the program has ended. */
static int pumped;
static int take(void *arg, short revents, struct err *unused)
{
	char c;

	(void)revents, (void)unused;
	pumped += read(*(int *)arg, &c, 1) == 1;
	return 0;
}

static void test_command_serves_pumps(void)
{
	static const char *const slow[] = {"sleep", "0.1", NULL};
	struct bed t;
	int fds[2];

	commands(&t, slow, NULL, "10s");
	ok(!pipe(fds) && write(fds[1], "x", 1) == 1, "a byte waits");
	bench_pump_add(&t.b, fds[0], take, &fds[0]);
	is_int(power_on(&t.p, &e), 0, "a slow program");
	is_int(pumped, 1, "the byte was served meanwhile");
	close(fds[0]);
	close(fds[1]);
	end(&t);
}

int main(void)
{
	test_lcus();
	test_numato();
	test_bad_answers();
	test_unplugged();
	test_flood();
	test_no_read_back();
	test_shared_port();
	test_command();
	test_command_fails();
	test_command_serves_pumps();
	return tap_done();
}
