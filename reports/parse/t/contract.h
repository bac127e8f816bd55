/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_T_CONTRACT_H
#define REPORTS_PARSE_T_CONTRACT_H

/* A parser over any bytes: aborts when it breaks the contract of parse.h or sink.h. */

#include "base/err.h"
#include "base/mem.h"
#include "reports/parse/parse.h"

#include <stdlib.h>

static size_t contract_bytes; /* of the text in hand */

static void contract_text(const char *text)
{
	if (!text || strlen(text) > (1 << 20))
		abort();
}

static void contract_at(void *arg, size_t offset)
{
	(void)arg;
	if (offset > contract_bytes)
		abort();
}

static void contract_suite(void *arg, const char *name)
{
	(void)arg;
	if (name)
		contract_text(name);
}

static void contract_result(void *arg, const char *name, enum status s, const char *why)
{
	(void)arg;
	contract_text(name);
	if (!*name || (unsigned)s >= STATUS_COUNT)
		abort();
	if (why)
		contract_text(why);
}

static void contract_metric(void *arg, const struct sink_metric *m)
{
	(void)arg;
	contract_text(m->name);
	contract_text(m->unit);
	if (!*m->name || !isfinite(m->value) || isinf(m->min) || isinf(m->max) ||
		!(m->resolution >= 0))
		abort();
	for (size_t i = 0; i < m->n; i++) {
		contract_text(m->labels[i].name);
		contract_text(m->labels[i].value);
	}
}

static void contract_env(void *arg, const char *name, const char *value)
{
	(void)arg;
	contract_text(name);
	contract_text(value);
}

static void contract_warn(void *arg, const char *text)
{
	(void)arg;
	contract_text(text);
}

static void contract_run(const struct parser *p, struct str text)
{
	struct sink sink = {NULL, contract_at, contract_suite, contract_result, contract_metric,
		contract_env, contract_warn};
	struct err e = {0};
	/* An exact copy on the heap, so that a sanitizer sees a read past the end. */
	AUTOFREE char *copy = mem_dup(text.n ? text.p : "", text.n + !text.n);
	int sure;

	text.p = copy;
	contract_bytes = text.n;
	sure = p->detect ? p->detect(text) : 0;
	if (sure < 0 || sure > 100)
		abort();
	if (p->parse(text, &sink, &e) && !err_is(&e))
		abort();
	/* Nobody needs to listen, nor to hear of an error. */
	p->parse(text, &(struct sink){0}, NULL);
}

#endif
