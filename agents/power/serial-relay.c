/* SPDX-License-Identifier: MIT */
/*
 * Relay modules on a serial line. What they speak is data: a row a model. Invariant: the port is
 * open and locked only for one exchange, because several boards (and so several workers) hang on
 * one module; every answer is read whole before the port is let go.
 *
 * Sources: LCUS-1/2/4/8: LC Technology's protocol note (start 0xA0, channel, 1 or 0, sum of the
 * three; 0xFF asks, and modules that can answer a line of text a channel). Numato: the vendor's
 * user guide of its USB relay modules (text commands, echoed, each answer ends with '>').
 */
#include "agents/bench/serial.h"
#include "agents/power/drivers.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define LOCK_MS      10000 /* how long others may hold the port */
#define LOCK_PACE_MS 20
#define ANSWER_BYTES 4096

struct conf {
	struct serial_conf line;
	int model;
	int64_t channel;
	int64_t answer_ms;
	bool read_back;
};

struct model {
	const char *name;
	int channels; /* most that a module of this kind has, at most 32 */
	int first;    /* number of channel 1 on the wire */
	/*
	 * Commands: `~c` the channel's byte, `~d` its digit (0-9, A-V), `~s` the sum of all bytes
	 * before, `~0` a NUL. Answers are patterns in which `~n` is the number and `~d` the digit;
	 * NULL: there is none.
	 */
	const char *on, *off, *query;
	const char *done_on, *done_off; /* answers to on and off */
	const char *is_on, *is_off;     /* answers to query */
};

static const struct model models[] = {
	{"lcus", 8, 1, "\xa0~c\x01~s", "\xa0~c~0~s", "\xff", NULL, NULL, "(?i)\\bCH~n: *ON\\s",
		"(?i)\\bCH~n: *OFF\\s"},
	{"numato", 32, 0, "relay on ~d\r", "relay off ~d\r", "relay read ~d\r",
		"relay on ~d[\\r\\n]+>", "relay off ~d[\\r\\n]+>",
		"relay read ~d[\\r\\n]+on[\\r\\n]+>", "relay read ~d[\\r\\n]+off[\\r\\n]+>"},
};
static const char *const model_names[] = {"lcus", "numato", NULL};

static const struct param rows[] = {
	SERIAL_PARAMS(offsetof(struct conf, line), "9600"),
	{"model", PARAM_CHOICE, offsetof(struct conf, model), .required = true,
		.choices = model_names, .help = "what the module speaks", .example = "lcus"},
	{"channel", PARAM_INT, offsetof(struct conf, channel), .preset = "1", .min = 1, .max = 32,
		.help = "the board's relay, counted from 1 as printed on the module"},
	{"answer", PARAM_DURATION, offsetof(struct conf, answer_ms), .preset = "2s", .min = 1,
		.max = 60000, .help = "how long the module may take to answer"},
	{"read-back", PARAM_BOOL, offsetof(struct conf, read_back), .preset = "yes",
		.help = "ask the module for its state; no for modules that never answer"},
	{0},
};

static char digit(int wire)
{
	return "0123456789ABCDEFGHIJKLMNOPQRSTUV"[wire & 31];
}

/* A command or an answer's pattern of this channel. */
static void fill(const char *template, const struct conf *conf, struct buf *out)
{
	int wire = (int)conf->channel - 1 + models[conf->model].first;
	unsigned char sum = 0;

	for (const char *p = template; *p; p++) {
		if (*p != '~') {
			buf_putc(out, *p);
			continue;
		}
		switch (*++p) {
		case 'c':
			buf_putc(out, (char)wire);
			break;
		case 'd':
			buf_putc(out, digit(wire));
			break;
		case 'n':
			buf_printf(out, "%d", (int)conf->channel);
			break;
		case '0':
			buf_putc(out, 0);
			break;
		case 's':
			for (size_t i = 0; i < out->len; i++)
				sum += (unsigned char)out->data[i];
			buf_putc(out, (char)sum);
			break;
		default:
			break;
		}
	}
}

static int relay_open(struct power *p, struct err *e)
{
	const struct conf *conf = p->conf;
	const struct model *m = &models[conf->model];

	if (conf->channel > m->channels)
		return err_set(e, BLAME_CONFIG, "a '%s' module has at most %d channels, not %d",
			m->name, m->channels, (int)conf->channel);
	return 0;
}

/* The port, once others that share the module have let go of it. */
static struct serial *get_port(struct power *p, struct err *e)
{
	const struct conf *conf = p->conf;
	int64_t until_ms = clock_ms() + LOCK_MS;
	struct err own = {0};
	struct serial *s;

	if (!e)
		e = &own;
	for (;;) {
		err_clear(e);
		s = serial_open(&conf->line, e);
		if (s || e->sys != EBUSY || clock_ms() >= until_ms)
			break;
		if (bench_pause(p->bench, LOCK_PACE_MS, e))
			return NULL;
	}
	if (s && serial_flush(s, e)) {
		serial_close(s);
		return NULL;
	}
	return s;
}

static int put(
	struct power *p, struct serial *s, const char *template, int64_t until_ms, struct err *e)
{
	const struct conf *conf = p->conf;
	AUTOBUF out = BUF_INIT(256);
	struct pollfd pfd = {.fd = serial_fd(s), .events = POLLOUT};
	size_t at = 0;

	fill(template, conf, &out);
	while (at < out.len) {
		int64_t now = clock_ms();
		ssize_t n;

		if (now >= until_ms)
			return err_set(e, BLAME_INFRA, "the port takes no bytes");
		if (bench_wait(p->bench, &pfd, 1, until_ms - now, e) < 0)
			return -1;
		n = write(serial_fd(s), out.data + at, out.len - at);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return err_sys(e, BLAME_INFRA, errno, "write");
		if (n > 0)
			at += (size_t)n;
	}
	return 0;
}

static int no_answer(const struct conf *conf, const struct buf *got, struct err *e)
{
	char text[32], seen[200];

	str_format_ms(conf->answer_ms, text, sizeof text);
	if (!got->len)
		return err_set(e, BLAME_INFRA, "no answer in %s", text);
	return err_set(e, BLAME_INFRA, "no answer that is understood in %s, got '%s'", text,
		str_printable(str_make(got->data, got->len), seen, sizeof seen));
}

static struct pattern *answer_pattern(const char *template, const struct conf *conf, struct err *e)
{
	AUTOBUF text = BUF_INIT(256);

	fill(template, conf, &text);
	return pattern_new(buf_str(&text), e);
}

/* Reads until the answer matches: 0 the first pattern, 1 the second (which may be NULL). */
static int get(struct power *p, struct serial *s, const struct pattern *const want[2],
	int64_t until_ms, struct err *e)
{
	const struct conf *conf = p->conf;
	AUTOBUF got = BUF_INIT(ANSWER_BYTES);
	struct pollfd pfd = {.fd = serial_fd(s), .events = POLLIN};
	struct pattern_match m;

	for (;;) {
		int64_t now = clock_ms();
		ssize_t n;
		int rc;

		if (now >= until_ms)
			return no_answer(conf, &got, e);
		rc = bench_wait(p->bench, &pfd, 1, until_ms - now, e);
		if (rc < 0)
			return -1;
		if (!rc)
			continue;
		n = buf_read(&got, serial_fd(s), 256);
		if (!n || (n < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS))
			return err_sys(e, BLAME_INFRA, n ? errno : EIO, "read");
		if (n < 0 && errno == ENOBUFS)
			return err_set(e, BLAME_INFRA, "%d bytes of answer and no end of it",
				ANSWER_BYTES);
		for (int i = 0; i < 2 && n > 0; i++)
			if (want[i] && pattern_search(want[i], str_make(got.data, got.len), 0,
					       false, &m) == 1)
				return i;
	}
}

/* One exchange. a and b: patterns of the answer, NULL: none. Returns which one came, or -1. */
static int exchange(
	struct power *p, const char *command, const char *a, const char *b, struct err *e)
{
	const struct conf *conf = p->conf;
	struct pattern *want[2] = {0};
	struct serial *s = get_port(p, e);
	int64_t until_ms;
	int rc = -1;

	if (!s)
		return -1;
	until_ms = clock_ms() + conf->answer_ms;
	if (a && !(want[0] = answer_pattern(a, conf, e)))
		goto out;
	if (b && !(want[1] = answer_pattern(b, conf, e)))
		goto out;
	rc = put(p, s, command, until_ms, e);
	if (!rc && a)
		rc = get(p, s, (const struct pattern *const *)want, until_ms, e);
out:
	pattern_free(want[0]);
	pattern_free(want[1]);
	if (rc < 0)
		err_wrap(e, "relay '%s' channel %d", serial_path(s), (int)conf->channel);
	serial_close(s);
	return rc;
}

static int relay_on(struct power *p, struct err *e)
{
	const struct conf *conf = p->conf;
	const struct model *m = &models[conf->model];

	return exchange(p, m->on, conf->read_back ? m->done_on : NULL, NULL, e);
}

static int relay_off(struct power *p, struct err *e)
{
	const struct conf *conf = p->conf;
	const struct model *m = &models[conf->model];

	return exchange(p, m->off, conf->read_back ? m->done_off : NULL, NULL, e);
}

static int relay_query(struct power *p, bool *on, struct err *e)
{
	const struct conf *conf = p->conf;
	const struct model *m = &models[conf->model];
	int rc;

	if (!conf->read_back)
		return 1;
	rc = exchange(p, m->query, m->is_on, m->is_off, e);
	if (rc < 0)
		return -1;
	*on = rc == 0;
	return 0;
}

const struct power_driver power_serial_relay = {
	.d = {.name = "serial-relay",
		.brief = "A relay module on a serial port, one channel a board",
		.params = rows,
		.size = sizeof(struct conf),
		.proven = "peer scripts over a PTY"},
	.open = relay_open,
	.on = relay_on,
	.off = relay_off,
	.query = relay_query,
};
