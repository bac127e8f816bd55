/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_T_FUZZ_PARSER_H
#define REPORTS_PARSE_T_FUZZ_PARSER_H

/* One parser over any bytes; aborts when it breaks its contract. */

#include "io/driver.h"
#include "reports/parse/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t fuzz_seen;

static void fuzz_text(const char *text)
{
	if (!text || strlen(text) > (1 << 20))
		abort();
	fuzz_seen++;
}

static void fuzz_metric(void *arg, const char *name, double value, const char *unit,
	const struct sink_label *labels, size_t n)
{
	(void)arg;
	fuzz_text(name);
	fuzz_text(unit);
	if (!isfinite(value))
		abort();
	for (size_t i = 0; i < n; i++) {
		fuzz_text(labels[i].name);
		fuzz_text(labels[i].value);
	}
}

static void fuzz_env(void *arg, const char *name, const char *value)
{
	(void)arg;
	fuzz_text(name);
	fuzz_text(value);
}

static void fuzz_warn(void *arg, const char *text)
{
	(void)arg;
	fuzz_text(text);
}

static int fuzz_parser(const char *name, const uint8_t *data, size_t n)
{
	struct sink sink = {.metric = fuzz_metric, .env = fuzz_env, .warn = fuzz_warn};
	struct err e = {0};

	for (const struct driver *const *d = parse_drivers(); *d; d++) {
		const struct parser *p = (const struct parser *)*d;

		if (strcmp(p->d.name, name))
			continue;
		if (p->parse(str_make((const char *)data, n), &sink, &e) && !err_is(&e))
			abort();
	}
	return 0;
}

#endif
