/* SPDX-License-Identifier: MIT */
/*
 * SCPI instruments on TCP, whose bytes are those of the driver's page: each model, and those that
 * say nothing, too little, no number, or go away. Peers are pumps of the test's bench: they run
 * while the sampler is waited for.
 */
#include "base/clock.h"
#include "bed.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

struct peer {
	int listen_fd, fd, port;
	struct buf all, in;
	/* Answers a line with out; false: hang up. */
	bool (*answer)(struct peer *p, const char *line, struct buf *out);
	unsigned asked;
};

static void peer_close(struct peer *p)
{
	if (p->fd < 0)
		return;
	bench_pump_del(&b, p->fd);
	close(p->fd);
	p->fd = -1;
	buf_reset(&p->in);
}

static int peer_hears(void *arg, short revents, struct err *unused)
{
	struct peer *p = arg;
	AUTOBUF out = BUF_INIT(65536);
	struct str rest, line;

	(void)revents, (void)unused;
	if (buf_read(&p->in, p->fd, 4096) <= 0) {
		peer_close(p);
		return 0;
	}
	while (p->in.len && memchr(p->in.data, '\n', p->in.len)) {
		AUTOFREE char *one = NULL;
		bool stay;

		rest = str_make(p->in.data, p->in.len);
		str_line(&rest, &line);
		one = mem_strndup(line.p, line.n);
		buf_printf(&p->all, "%s\n", one);
		buf_eat(&p->in, p->in.len - rest.n);
		stay = !strcmp(one, "*IDN?") ? !buf_puts(&out, "MAKER,MODEL-1,0001,1.0\n")
					     : p->answer(p, one, &out);
		if (out.len && send(p->fd, out.data, out.len, MSG_NOSIGNAL) < 0)
			stay = false;
		buf_reset(&out);
		if (!stay) {
			peer_close(p);
			return 0;
		}
	}
	return 0;
}

static int peer_arrives(void *arg, short revents, struct err *unused)
{
	struct peer *p = arg;

	(void)revents, (void)unused;
	peer_close(p);
	p->fd = accept(p->listen_fd, NULL, NULL);
	if (p->fd >= 0)
		bench_pump_add(&b, p->fd, peer_hears, p);
	return 0;
}

static void peer_open(
	struct peer *p, bool (*answer)(struct peer *p, const char *line, struct buf *out))
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t n = sizeof a;

	*p = (struct peer){.fd = -1, .answer = answer};
	buf_init(&p->all, 1 << 20);
	buf_init(&p->in, 4096);
	p->listen_fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(p->listen_fd, (struct sockaddr *)&a, sizeof a) || listen(p->listen_fd, 4) ||
		getsockname(p->listen_fd, (struct sockaddr *)&a, &n))
		printf("Bail out! no port\n");
	p->port = ntohs(a.sin_port);
	bench_pump_add(&b, p->listen_fd, peer_arrives, p);
}

static void peer_done(struct peer *p)
{
	peer_close(p);
	bench_pump_del(&b, p->listen_fd);
	close(p->listen_fd);
	buf_done(&p->all);
	buf_done(&p->in);
}

static int scpi(struct peer *p, const char *model, const char *rails, int64_t for_ms)
{
	AUTOFREE char *lab =
		mem_printf("meter: {driver: scpi, address: 127.0.0.1, port: %d, model: "
			   "%s, interval: 10ms, answer: 150ms, rails: %s}",
			p->port, model, rails);

	return sample_for(lab, NULL, for_ms);
}

static bool keysight(struct peer *p, const char *line, struct buf *out)
{
	(void)p;
	buf_puts(out, !strcmp(line, "MEAS:VOLT? (@1)")   ? "+8.50000E-01\n"
		      : !strcmp(line, "MEAS:CURR? (@1)") ? "+4.00000E-01\n"
		      : !strcmp(line, "MEAS:VOLT? (@3)") ? "+1.80000E+00\r\n"
		      : !strcmp(line, "MEAS:CURR? (@3)") ? "+5.00000E-02\r\n"
							 : "-113,\"Undefined header\"\n");
	return true;
}

static bool rigol(struct peer *p, const char *line, struct buf *out)
{
	(void)p;
	buf_puts(out, !strcmp(line, "MEAS:ALL? CH2") ? "5.0001,0.1200,0.600\n" : "0,0,0\n");
	return true;
}

static bool siglent(struct peer *p, const char *line, struct buf *out)
{
	(void)p;
	buf_puts(out, strstr(line, "VOLT? CH1")   ? "5.00\n"
		      : strstr(line, "CURR? CH1") ? "0.12\n"
						  : "0.61\n");
	return true;
}

static bool millivolt(struct peer *p, const char *line, struct buf *out)
{
	(void)p;
	buf_puts(out, !strcmp(line, "MEAS:VOLT:DC?") ? "+1.25000E-03\n" : "?\n");
	return true;
}

static void test_models(void)
{
	struct peer p;

	peer_open(&p, keysight);
	is_int(scpi(&p, "keysight", "{core: {}, io: {channel: 3}}", 0), 0, "keysight %s", e.msg);
	has_str(buf_str(&p.all),
		"*IDN?\nMEAS:VOLT? (@1)\nMEAS:CURR? (@1)\nMEAS:VOLT? (@3)\nMEAS:CURR? "
		"(@3)\nMEAS:VOLT? "
		"(@1)\n",
		"the very bytes, one question at a time");
	has_str(buf_str(&text), "instrument meter scpi MAKER,MODEL-1,0001,1.0\n", "what it is");
	has_str(buf_str(&text), " core 340 mW\n", "volts times amperes");
	has_str(buf_str(&text), " io 90 mW\n", "of the other channel");
	has_str(buf_str(&text), " io 1.8 V\n", "a carriage return is no part of a number");
	has_str(buf_str(&text), " total 430 mW\n", "the sum");
	is_int(scpi(&p, "keysight", "{core: {channel: 9}}", 0), -1, "a channel that it has not");
	is_int(e.blame, BLAME_CONFIG, "is the lab file's: %s", e.msg);
	peer_done(&p);
	peer_open(&p, rigol);
	is_int(scpi(&p, "rigol-dp800", "{total: {channel: 2}}", 0), 0, "rigol-dp800 %s", e.msg);
	has_str(buf_str(&p.all), "MEAS:ALL? CH2\n", "asks for all three at once");
	has_str(buf_str(&text), " total 600 mW\n", "and believes its watts");
	ok(count(" mW\n") == count(" total 600 mW\n"), "an instrument's total is no sum of ours");
	peer_done(&p);
	peer_open(&p, siglent);
	is_int(scpi(&p, "siglent-spd", "{board: {}}", 0), 0, "siglent-spd %s", e.msg);
	has_str(buf_str(&p.all), "MEAS:VOLT? CH1\nMEAS:CURR? CH1\nMEAS:POWE? CH1\n", "asks thrice");
	has_str(buf_str(&text), " board 610 mW\n", "its own watts");
	peer_done(&p);
	peer_open(&p, millivolt);
	is_int(scpi(&p, "voltmeter", "{mpu: {shunt-uohm: 10000, voltage-mv: 1100}}", 0), 0,
		"voltmeter over a shunt %s", e.msg);
	has_str(buf_str(&text), " mpu 125 mA\n", "1.25 mV over 10 mOhm");
	has_str(buf_str(&text), " mpu 137.5 mW\n", "at the rail's voltage");
	peer_done(&p);
}

/* ---- peers that are not what they should be ---- */

static bool mute(struct peer *p, const char *line, struct buf *out)
{
	(void)p, (void)line, (void)out;
	return true;
}

static bool garbage(struct peer *p, const char *line, struct buf *out)
{
	(void)p, (void)line;
	buf_puts(out, "**\x01OVLD**\n");
	return true;
}

static bool overload(struct peer *p, const char *line, struct buf *out)
{
	(void)p, (void)line;
	buf_puts(out, "+9.91000000E+37\n");
	return true;
}

static bool few(struct peer *p, const char *line, struct buf *out)
{
	(void)p, (void)line;
	buf_puts(out, "5.0,0.1\n");
	return true;
}

static bool endless(struct peer *p, const char *line, struct buf *out)
{
	(void)p, (void)line;
	for (int i = 0; i < 600; i++)
		buf_putc(out, '7');
	return true;
}

static bool leaves(struct peer *p, const char *line, struct buf *out)
{
	buf_puts(out, "+1.0E+00\n");
	(void)line;
	return ++p->asked < 6;
}

static void bad_peer(const char *name, const char *model,
	bool (*answer)(struct peer *p, const char *line, struct buf *out), const char *want)
{
	int64_t start = clock_ms();
	struct peer p;

	peer_open(&p, answer);
	is_int(scpi(&p, model, "{core: {}}", 60000), -1, "%s: fails", name);
	is_int(e.blame, BLAME_INFRA, "%s: blame infra", name);
	has_str(e.msg, want, "%s: '%s'", name, e.msg);
	ok(clock_ms() - start < 30000, "%s: long before its time", name);
	ok(!strstr(buf_str(&text), "\nend "), "%s: what was read is no whole measurement", name);
	peer_done(&p);
}

static void test_bad_peers(void)
{
	struct peer p;

	bad_peer("mute", "supply", mute, "no answer in 150 ms");
	bad_peer("garbage", "supply", garbage, "it answered '**\\x01OVLD**'");
	bad_peer("overload", "supply", overload, "asked 'MEAS:VOLT?', it answered '+9.91");
	bad_peer("too few", "hilab", few, "asked 'MEAS:ALL? CH1', it answered '5.0,0.1'");
	bad_peer("too many", "supply", few, "it answered '5.0,0.1'");
	bad_peer("no end", "supply", endless, "no end of it");
	bad_peer("leaves", "supply", leaves, "closed the connection");
	peer_open(&p, mute);
	peer_done(&p);
	is_int(scpi(&p, "supply", "{core: {}}", 0), -1, "nobody there");
	is_int(e.blame, BLAME_INFRA, "is the lab's: %s", e.msg);
	has_str(e.msg, "connect to 127.0.0.1 port", "and says where");
	is_int(sample_for("m: {driver: scpi, address: meter.lab, model: supply, rails: {a: {}}}",
		       NULL, 0),
		-1, "a name for an address");
	is_int(e.blame, BLAME_CONFIG, "is not looked up: %s", e.msg);
}

static void test_two_at_once(void)
{
	struct peer p, q;
	AUTOFREE char *lab = NULL;

	peer_open(&p, keysight);
	peer_open(&q, rigol);
	lab = mem_printf(
		"a: {driver: scpi, address: 127.0.0.1, port: %d, model: keysight, interval: "
		"10ms, rails: {x: {}}}\nb: {driver: scpi, address: 127.0.0.1, port: %d, "
		"model: rigol-dp800, interval: 10ms, rails: {y: {channel: 2}}}\n",
		p.port, q.port);
	is_int(sample_for(lab, NULL, 0), 0, "two instruments at once %s", e.msg);
	has_str(buf_str(&text), " total 940 mW\n", "one sum");
	peer_done(&p);
	peer_done(&q);
}

int main(void)
{
	bed_begin();
	test_models();
	test_bad_peers();
	test_two_at_once();
	return bed_end();
}
