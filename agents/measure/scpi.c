/* SPDX-License-Identifier: MIT */
/*
 * Bench supplies, multimeters and power analysers that speak SCPI over a TCP socket. What they are
 * asked is data: a row a model. Invariant: one question is on its way at a time, and its answer is
 * taken only when it is a whole line of as many numbers as the model tells.
 *
 * Sources: SCPI-99 (MEASure, NR1 to NR3 numbers, 9.91E37 is not a number); Keysight E36300 and
 * N6700 programmer's guides (MEASure[:SCALar]:VOLTage? and CURRent? with a channel list, socket
 * 5025); Rigol DP800 programming guide (MEASure:ALL? CHn: volts, amperes, watts; socket 5555);
 * Siglent SPD3303X (MEASure:VOLTage?, CURRent?, POWEr? CHn; socket 5025).
 */
#include "agents/measure/drivers.h"

#include "base/clock.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUERIES      3 /* to one channel */
#define ANSWER_BYTES 512
#define QUERY_BYTES  96
#define NOT_A_NUMBER 9.9e37 /* from there on SCPI tells overload and "no reading" */

struct conf {
	const char *address;
	int64_t port;
	int model;
};
struct place {
	int64_t channel, voltage_mv, shunt_uohm;
};

static const struct model {
	const char *name;
	int channels, port;
	/* `~c` is the channel. kinds: of the answer's numbers, V volts, A amperes, W watts. */
	struct {
		const char *text, *kinds;
	} queries[QUERIES];
} models[] = {
	{"ammeter", 1, 5025, {{"MEAS:CURR:DC?", "A"}}},
	{"hilab", 4096, 5025, {{"MEAS:ALL? CH~c", "VAW"}}},
	{"keysight", 8, 5025, {{"MEAS:VOLT? (@~c)", "V"}, {"MEAS:CURR? (@~c)", "A"}}},
	{"rigol-dp800", 3, 5555, {{"MEAS:ALL? CH~c", "VAW"}}},
	{"siglent-spd", 3, 5025,
		{{"MEAS:VOLT? CH~c", "V"}, {"MEAS:CURR? CH~c", "A"}, {"MEAS:POWE? CH~c", "W"}}},
	{"supply", 1, 5025, {{"MEAS:VOLT?", "V"}, {"MEAS:CURR?", "A"}}},
	{"voltmeter", 1, 5025, {{"MEAS:VOLT:DC?", "V"}}},
};
static const char *const model_names[] = {
	"ammeter", "hilab", "keysight", "rigol-dp800", "siglent-spd", "supply", "voltmeter", NULL};

static const struct param rows[] = {
	{"address", PARAM_STRING, offsetof(struct conf, address), .required = true,
		.help = "its numeric address: looking up a name cannot be bounded in time",
		.example = "192.168.1.60"},
	{"port", PARAM_INT, offsetof(struct conf, port), .min = 1, .max = 65535,
		.help = "its TCP port (preset: the model's)", .example = "5025"},
	{"model", PARAM_CHOICE, offsetof(struct conf, model), .required = true,
		.choices = model_names, .help = "what it is asked", .example = "keysight"},
	{0},
};
static const struct param rail_rows[] = {
	{"channel", PARAM_INT, offsetof(struct place, channel), .preset = "1", .min = 1,
		.max = 4096, .help = "its output or input, as printed on it"},
	{"voltage-mv", PARAM_INT, offsetof(struct place, voltage_mv), .min = 1, .max = 1000000,
		.help = "the rail's voltage, where the instrument reads the current alone",
		.unit = "mV", .example = "850"},
	{"shunt-uohm", PARAM_INT, offsetof(struct place, shunt_uohm), .min = 1, .max = 1000000000,
		.help = "the instrument reads the voltage over this shunt, not the rail's",
		.unit = "uOhm", .example = "10000"},
	{0},
};

struct scpi {
	struct buf got;
	size_t rail, query; /* of the question that is on its way */
};

static const struct model *model_of(const struct instrument *in)
{
	return &models[((const struct conf *)in->conf)->model];
}

/* ---- one answer ----------------------------------------------------------------------------- */

static int wrong_answer(const char *query, struct str line, struct err *e)
{
	char seen[120];

	return err_set(e, BLAME_INFRA, "asked '%s', it answered '%s'", query,
		str_printable(line, seen, sizeof seen));
}

/* "+1.25E-01" */
static int number(struct str s, double *out)
{
	s = str_trim(s);
	if (str_starts(s, "+"))
		s = str_make(s.p + 1, s.n - 1);
	return str_double(s, out) || fabs(*out) >= NOT_A_NUMBER ? -1 : 0;
}

static void set(struct rail *r, char kind, double value)
{
	const struct place *p = r->conf;

	if (kind == 'V' && p->shunt_uohm)
		r->ma = value / (double)p->shunt_uohm * 1e9;
	else if (kind == 'V')
		r->v = value;
	else if (kind == 'A')
		r->ma = value * 1e3;
	else
		r->mw = value * 1e3;
	if (p->voltage_mv)
		r->v = (double)p->voltage_mv / 1e3;
}

static int take(
	struct rail *r, const char *query, const char *kinds, struct str line, struct err *e)
{
	struct str rest = line;
	double values[QUERIES];

	for (size_t i = 0; kinds[i]; i++) {
		ptrdiff_t comma = str_chr(rest, ',');
		size_t n = comma < 0 ? rest.n : (size_t)comma;

		if (number(str_make(rest.p, n), &values[i]) || (comma < 0) != !kinds[i + 1])
			return wrong_answer(query, line, e);
		rest = str_make(rest.p + n + (comma >= 0), rest.n - n - (comma >= 0));
	}
	for (size_t i = 0; kinds[i]; i++)
		set(r, kinds[i], values[i]);
	return 0;
}

/* ---- the socket ----------------------------------------------------------------------------- */

static void query_text(const struct instrument *in, char out[QUERY_BYTES])
{
	const struct scpi *s = in->priv;
	const struct place *p = in->rails[s->rail].conf;
	const char *text = model_of(in)->queries[s->query].text;
	const char *mark = strstr(text, "~c");

	if (mark)
		snprintf(out, QUERY_BYTES, "%.*s%d%s", (int)(mark - text), text, (int)p->channel,
			mark + 2);
	else
		snprintf(out, QUERY_BYTES, "%s", text);
}

/* A question is shorter than what a socket takes at once: where it does not, nobody reads there. */
static int put(struct instrument *in, const char *text, struct err *e)
{
	char line[QUERY_BYTES + 2];
	int n = snprintf(line, sizeof line, "%s\n", text);
	ssize_t sent = send(in->fd, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent == n)
		return 0;
	if (sent >= 0 || errno == EAGAIN)
		return err_set(e, BLAME_INFRA, "it takes no more questions");
	return err_sys(e, BLAME_INFRA, errno, "ask '%s'", text);
}

/* 1 with a line, 0 not yet, -1. *line holds until the next call. */
static int get(struct instrument *in, struct str *line, struct err *e)
{
	struct scpi *s = in->priv;
	struct str rest;
	ssize_t n = buf_read(&s->got, in->fd, ANSWER_BYTES);

	if (n == 0)
		return err_set(e, BLAME_INFRA, "it closed the connection");
	if (n < 0 && errno == ENOBUFS)
		return err_set(e, BLAME_INFRA, "%d bytes of answer and no end of it", ANSWER_BYTES);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return err_sys(e, BLAME_INFRA, errno, "read its answer");
	rest = str_make(s->got.data, s->got.len);
	return s->got.len && memchr(rest.p, '\n', rest.n) ? str_line(&rest, line) : 0;
}

static int ask_next(struct instrument *in, struct err *e)
{
	char text[QUERY_BYTES];

	buf_reset(&((struct scpi *)in->priv)->got);
	query_text(in, text);
	return put(in, text, e);
}

static int scpi_ask(struct instrument *in, struct err *e)
{
	struct scpi *s = in->priv;

	s->rail = s->query = 0;
	return ask_next(in, e);
}

static int scpi_hear(struct instrument *in, struct err *e)
{
	struct scpi *s = in->priv;
	const struct model *m = model_of(in);
	char text[QUERY_BYTES];
	struct str line;
	int r = get(in, &line, e);

	if (r <= 0)
		return r;
	if (s->rail >= in->n) /* nothing was asked */
		return wrong_answer("", line, e);
	query_text(in, text);
	if (take(&in->rails[s->rail], text, m->queries[s->query].kinds, line, e))
		return -1;
	if (++s->query == QUERIES || !m->queries[s->query].text) {
		s->query = 0;
		s->rail++;
	}
	return s->rail == in->n ? 1 : ask_next(in, e);
}

/* ---- open ----------------------------------------------------------------------------------- */

static int wait_for(struct instrument *in, short events, int64_t until_ms, struct err *e)
{
	struct pollfd p = {.fd = in->fd, .events = events};
	int64_t left = until_ms - clock_ms();
	int r = left > 0 ? bench_wait(in->bench, &p, 1, left, e) : 0;
	char text[32];

	if (r)
		return r < 0 ? -1 : 0;
	return err_set(
		e, BLAME_INFRA, "no answer in %s", str_format_ms(in->answer_ms, text, sizeof text));
}

static int dial(struct instrument *in, struct err *e)
{
	const struct conf *conf = in->conf;
	struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *to;
	int one = 1, sys = 0;
	socklen_t n = sizeof sys;
	char port[16];

	snprintf(port, sizeof port, "%d", (int)(conf->port ? conf->port : model_of(in)->port));
	if (getaddrinfo(conf->address, port, &want, &to))
		return err_set(e, BLAME_CONFIG, "'%s' is no numeric address", conf->address);
	in->fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (in->fd < 0 || connect(in->fd, to->ai_addr, to->ai_addrlen))
		sys = errno;
	freeaddrinfo(to);
	if (sys == EINPROGRESS) {
		if (wait_for(in, POLLOUT, clock_ms() + in->answer_ms, e))
			return err_wrap(e, "connect to %s port %s", conf->address, port);
		getsockopt(in->fd, SOL_SOCKET, SO_ERROR, &sys, &n);
	}
	if (sys)
		return err_sys(e, BLAME_INFRA, sys, "connect to %s port %s", conf->address, port);
	setsockopt(in->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return 0;
}

/* What it is, for the record; and that it answers at all. */
static int identify(struct instrument *in, struct err *e)
{
	struct scpi *s = in->priv;
	int64_t until_ms = clock_ms() + in->answer_ms;
	struct str line = {0};
	int r = put(in, "*IDN?", e);

	while (!r) {
		if (wait_for(in, POLLIN, until_ms, e))
			return -1;
		r = get(in, &line, e);
	}
	if (r < 0)
		return -1;
	if (!str_trim(line).n || str_chr(line, ',') < 0)
		return wrong_answer("*IDN?", line, e);
	str_printable(str_trim(line), in->id, sizeof in->id);
	buf_reset(&s->got);
	return 0;
}

static int scpi_open(struct instrument *in, struct err *e)
{
	struct scpi *s = in->priv = arena_alloc(in->arena, sizeof *s);
	const struct model *m = model_of(in);

	buf_init(&s->got, ANSWER_BYTES);
	s->rail = in->n;
	for (size_t i = 0; i < in->n; i++) {
		const struct place *p = in->rails[i].conf;

		if (p->channel > m->channels)
			return err_set(e, BLAME_CONFIG,
				"rail '%s': a '%s' has at most %d channels, not %d",
				in->rails[i].name, m->name, m->channels, (int)p->channel);
	}
	return dial(in, e) || identify(in, e) ? -1 : 0;
}

static void scpi_close(struct instrument *in)
{
	struct scpi *s = in->priv;

	if (in->fd >= 0)
		close(in->fd);
	if (s)
		buf_done(&s->got);
	in->priv = NULL;
}

const struct instrument_driver instrument_scpi = {
	.d = {.name = "scpi",
		.brief = "bench supplies, meters and power analysers that speak SCPI over TCP",
		.params = rows,
		.size = sizeof(struct conf),
		.proven = "peer scripts on TCP, and the twin's simulated instrument"},
	.rail = rail_rows,
	.rail_size = sizeof(struct place),
	.open = scpi_open,
	.close = scpi_close,
	.ask = scpi_ask,
	.hear = scpi_hear,
};
