/* SPDX-License-Identifier: MIT */
/*
 * openssl speed (1.0.2 to 4.0), its tables and -mr, and the load that GNU time -v tells of it.
 * Invariant: what a column holds is said by its header, never by its place: RSA has 4 columns, 8
 * from 3.2 on, and key encapsulation has tables of its own. The bytes are thousands, "k" as
 * printed.
 */
#include "lines.h"
#include "parsers.h"

#include <ctype.h>
#include <stdio.h>

#define OPENSSL_COLUMNS    16
#define OPENSSL_TIME_BYTES 2048 /* what time -v prints of one command */

enum openssl_table { OPENSSL_NONE, OPENSSL_BYTES, OPENSSL_KEYS };

struct openssl {
	const struct sink *sink;
	enum openssl_table table;
	size_t n, emitted;
	double sizes[OPENSSL_COLUMNS];
	char columns[OPENSSL_COLUMNS][16];
	/* -mr */
	size_t n_blocks;
	double blocks[OPENSSL_COLUMNS];
	/* time -v, from "Command being timed" on */
	char timed[96]; /* the algorithm; "": none in hand */
	size_t timed_at;
	double load; /* NAN: not told yet */
};

static void openssl_figure(struct openssl *o, const char *name, double value, const char *unit,
	const char *algorithm, double size)
{
	char bs[24], lower[96];
	struct sink_label labels[2] = {{"algorithm", lower}, {"bs", bs}};

	/* 0 is what could not be timed. */
	if (!isfinite(value) || value <= 0 || !*algorithm)
		return;
	snprintf(lower, sizeof lower, "%s", algorithm);
	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	snprintf(bs, sizeof bs, "%.0f", size);
	sink_figure(o->sink, name, value, unit, labels, size > 0 ? 2 : 1);
	o->emitted++;
}

/* "type             16 bytes     64 bytes ..." */
static bool openssl_bytes_head(struct openssl *o, const struct str *words, size_t n)
{
	if (n < 3 || n % 2 == 0 || !str_is(words[0], "type"))
		return false;
	o->n = 0;
	for (size_t i = 1; i + 1 < n && o->n < OPENSSL_COLUMNS; i += 2)
		if (str_double(words[i], &o->sizes[o->n++]) || !str_is(words[i + 1], "bytes"))
			return false;
	o->table = OPENSSL_BYTES;
	return true;
}

/* "sign    verify    sign/s verify/s": at least one a rate, all of them words of these. */
static bool openssl_keys_head(struct openssl *o, const struct str *words, size_t n)
{
	static const char *const known[] = {"sign", "signs", "verify", "encrypt", "decrypt",
		"sign/s", "verify/s", "encr./s", "decr./s", "op", "op/s", "keygen", "encaps",
		"decaps", "keygens/s", "encaps/s", "decaps/s"};
	bool rate = false;

	if (n < 2 || n > OPENSSL_COLUMNS)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool found = false;

		for (size_t k = 0; k < ARRAY_LEN(known); k++)
			found |= str_is(words[i], known[k]);
		if (!found)
			return false;
		rate |= str_ends(words[i], "/s");
	}
	if (!rate)
		return false;
	for (size_t i = 0; i < n; i++)
		lines_copy(words[i], o->columns[i], sizeof o->columns[i]);
	o->n = n;
	o->table = OPENSSL_KEYS;
	return true;
}

static const char *openssl_rate(const char *column)
{
	static const char *const rates[][2] = {{"sign/s", "openssl.sign"},
		{"verify/s", "openssl.verify"}, {"encr./s", "openssl.encrypt"},
		{"decr./s", "openssl.decrypt"}, {"op/s", "openssl.derive"},
		{"keygens/s", "openssl.keygen"}, {"encaps/s", "openssl.encapsulate"},
		{"decaps/s", "openssl.decapsulate"}};

	for (size_t i = 0; i < ARRAY_LEN(rates); i++)
		if (!strcmp(column, rates[i][0]))
			return rates[i][1];
	return NULL;
}

/* The words before a row's figures, without "bits", joined by '-': "rsa-2048", "aes-128-cbc". */
static void openssl_name(const struct str *words, size_t n, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (!str_is(words[i], "bits") && words[i].n && used + words[i].n + 2 < size)
			used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? "-" : "",
				STR_ARG(words[i]));
}

static void openssl_row(struct openssl *o, const struct str *words, size_t n)
{
	double values[OPENSSL_COLUMNS];
	char name[96];
	size_t at = n - o->n;

	if (n <= o->n || n > o->n + 6)
		return;
	for (size_t i = 0; i < o->n; i++) {
		struct str word = words[at + i];
		bool time = o->table == OPENSSL_KEYS && !openssl_rate(o->columns[i]);

		if (o->table == OPENSSL_BYTES ? !lines_unit(word, "k", &values[i])
			: time                ? !lines_unit(word, "s", &values[i])
					      : str_double(word, &values[i]))
			return;
	}
	openssl_name(words, at, name, sizeof name);
	for (size_t i = 0; i < o->n; i++)
		if (o->table == OPENSSL_BYTES)
			openssl_figure(o, "openssl.bw", values[i], "kB/s", name, o->sizes[i]);
		else if (openssl_rate(o->columns[i]))
			openssl_figure(o, openssl_rate(o->columns[i]), values[i], "1/s", name, 0);
}

static size_t openssl_fields(struct str s, struct str *fields, size_t max)
{
	size_t n = 0;

	for (ptrdiff_t at; n + 1 < max && (at = str_chr(s, ':')) >= 0; n++) {
		fields[n] = str_make(s.p, (size_t)at);
		s = str_make(s.p + at + 1, s.n - (size_t)at - 1);
	}
	fields[n++] = s;
	return n;
}

/* -mr: "+H:16:64", "+F:25:AES-128-CBC:1843166608.70:...", "+F2:2:2048:sign/s:verify/s[:enc:dec]",
 * and "+F4:..." of ECDSA. Bytes are whole bytes there; a rate of 0 is what could not be timed. */
static void openssl_machine(struct openssl *o, struct str line)
{
	static const struct {
		const char *tag, *name, *columns[4];
	} kinds[] = {
		{"+F2", "rsa",
			{"openssl.sign", "openssl.verify", "openssl.encrypt", "openssl.decrypt"}},
		{"+F3", "dsa", {"openssl.sign", "openssl.verify"}},
		{"+F4", "ecdsa", {"openssl.sign", "openssl.verify"}},
		{"+F5", "ecdh", {"openssl.derive"}},
	};
	struct str field[OPENSSL_COLUMNS + 3] = {0};
	size_t n = openssl_fields(line, field, ARRAY_LEN(field));
	char name[96], bits[32];
	double value;

	if (str_is(field[0], "+H")) {
		o->n_blocks = 0;
		for (size_t i = 1; i < n && i <= OPENSSL_COLUMNS; i++)
			if (!str_double(str_trim(field[i]), &value))
				o->blocks[o->n_blocks++] = value;
	} else if (str_is(field[0], "+F") && n == o->n_blocks + 3) {
		lines_copy(field[2], name, sizeof name);
		for (size_t i = 0; i < o->n_blocks; i++)
			if (!str_double(str_trim(field[i + 3]), &value) && value > 0)
				openssl_figure(o, "openssl.bw", value, "B/s", name, o->blocks[i]);
	}
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		if (!str_is(field[0], kinds[k].tag) || n < 4)
			continue;
		snprintf(name, sizeof name, "%s-%s", kinds[k].name,
			lines_copy(field[2], bits, sizeof bits));
		for (size_t i = 0; i < 4 && kinds[k].columns[i] && i + 3 < n; i++)
			if (!str_double(str_trim(field[i + 3]), &value) && value > 0)
				openssl_figure(o, kinds[k].columns[i], value, "1/s", name, 0);
	}
}

/* ---- time -v openssl speed ---- */

/* "openssl speed -elapsed -evp aes-128-cbc": its one algorithm; a load of several is nobody's. */
static bool openssl_algorithm(struct str command, char *out, size_t size)
{
	static const char *const with_value[] = {"-evp", "-hmac", "-cmac", "-seconds", "-bytes",
		"-multi", "-async_jobs", "-engine", "-provider", "-primes", "-rand", NULL};
	struct str word;
	size_t n = 0;

	if (!str_word(&command, &word) ||
		!(str_is(word, "openssl") || str_ends(word, "/openssl")) ||
		!str_word(&command, &word) || !str_is(word, "speed"))
		return false;
	while (str_word(&command, &word)) {
		bool names = *word.p != '-', value = false;

		for (const char *const *w = with_value; *w; w++)
			value |= str_is(word, *w);
		if (value) {
			names = str_is(word, "-evp") || str_is(word, "-hmac") ||
				str_is(word, "-cmac");
			if (!str_word(&command, &word))
				return false;
		}
		if (names && (n++ || word.n >= size))
			return false;
		if (names)
			lines_copy(word, out, size);
	}
	return n == 1;
}

/* The load counts when the command's end was as it should be. */
static void openssl_time(struct openssl *o, const struct lines *l, struct str line)
{
	struct str value;

	if (*o->timed && l->at - o->timed_at > OPENSSL_TIME_BYTES)
		o->timed[0] = '\0';
	if (lines_after(line, "Command being timed: \"", &value) && str_ends(value, "\"")) {
		value.n--;
		o->timed_at = l->at;
		o->load = NAN;
		if (!openssl_algorithm(value, o->timed, sizeof o->timed))
			o->timed[0] = '\0';
	} else if (*o->timed && lines_after(line, "Percent of CPU this job got:", &value)) {
		if (!lines_unit(value, "%", &o->load))
			o->load = NAN;
	} else if (*o->timed && lines_after(line, "Exit status:", &value)) {
		if (str_is(value, "0"))
			openssl_figure(o, "openssl.cpu_load", o->load, "%", o->timed, 0);
		o->timed[0] = '\0';
	}
}

static int openssl_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct openssl o = {.sink = sink};
	struct str words[LINES_WORDS], line, rest;
	char shown[160];
	struct lines lines;
	size_t n, torn = 0;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		/* A header may have been lost with it. */
		if (torn != lines.torn)
			o.table = OPENSSL_NONE, o.n_blocks = 0, o.timed[0] = '\0';
		torn = lines.torn;
		line = str_trim(line);
		n = lines_words(line, words);
		openssl_time(&o, &lines, line);
		if (str_starts(line, "+")) {
			openssl_machine(&o, line);
		} else if (lines_after(line, "version: ", &rest) ||
			   (lines_after(line, "OpenSSL ", &rest) && rest.n && rest.p[0] < 'A')) {
			char version[64];

			sink_env(
				sink, "openssl.version", lines_copy(rest, version, sizeof version));
		} else if (openssl_bytes_head(&o, words, n) || openssl_keys_head(&o, words, n)) {
			continue;
		} else if (o.table && n > o.n) {
			openssl_row(&o, words, n);
		} else if (str_starts(line, "speed: ") || str_starts(line, "Error: bad option")) {
			return err_set(e, BLAME_TEST, "openssl: %s",
				str_printable(line, shown, sizeof shown));
		}
	}
	return o.emitted ? 0 : lines_nothing(text, "openssl", "table of speeds", e);
}

static int openssl_detect(struct str text)
{
	if (lines_has(text, "are in 1000s of bytes per second") ||
		lines_has(text, "sign/s verify/s"))
		return 95;
	return lines_has(text, "\n+F:") || lines_has(text, "\n+F2:") ? 90 : 0;
}

static const char *const openssl_marks[] = {"are in 1000s of bytes", "\ntype ", "sign/s", "op/s",
	"encr./s", "keygens/s", "encaps/s",
	"\n+H:", "\n+F:", "+F2:", "+F3:", "+F4:", "+F5:", "\nversion: ", "\nOpenSSL ",
	"\nspeed: ", "Error: bad option", "timed: \"openssl speed", "/openssl speed", NULL};

const struct parser openssl_parser = {
	.d = {.name = "openssl",
		.brief = "openssl speed, tables and -mr, and its load by time -v",
		.proven = "golden cases; output of OpenSSL 3.0.19"},
	.detect = openssl_detect,
	.parse = openssl_parse,
	.marks = openssl_marks,
	.stops = true,
};
