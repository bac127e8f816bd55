/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_MEASURE_T_BED_H
#define AGENTS_MEASURE_T_BED_H

/* For tests of instruments: a bench, and rails read for a while as a lab file's section says. */

#include "agents/measure/sampler.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/yaml.h"

#include <stdlib.h>

static struct bench b;
static struct arena arena;
static struct err e;
static struct buf text = BUF_INIT(BUF_CAP_BYTES);

static void bed_begin(void)
{
	bench_init(&b);
	bench_push(&b, "the test", 120000);
}

static int bed_end(void)
{
	bench_done(&b);
	buf_done(&text);
	arena_done(&arena);
	return tap_done();
}

/* The section of a lab file. */
static const struct node *section(const char *yaml)
{
	struct diag diag = {0};
	const struct node *n = yaml_parse(&arena, "lab.yaml", str_of(yaml), &diag);

	ok(n != NULL, "a section of a lab file");
	diag_done(&diag);
	return n;
}

#define BED_ROUNDS 3 /* that are waited for */

/* Reads rails: for that long, or, for_ms 0, until there are a few rounds. As sampler_stop; 2: there
 * is no such instrument; text and e tell. */
static int sample_for(const char *yaml, const char *const *rails, int64_t for_ms)
{
	struct sampler_window w = {.for_ms = for_ms};
	const char *all[] = {"all"};
	struct sampler *s;
	bool skip = false;

	w.rails = (struct param_strings){rails ? (const char **)rails : all, 1};
	err_clear(&e);
	buf_reset(&text);
	s = sampler_open(&b, section(yaml), &w, &skip, &e);
	if (!s)
		return skip ? 2 : -1;
	sampler_start(s);
	while (!sampler_over(s) && (for_ms || sampler_rounds(s) < BED_ROUNDS))
		if (bench_wait_pump(&b, INT64_MAX, &e) < 0)
			break;
	return sampler_stop(s, &text, &e);
}

static size_t count(const char *part)
{
	size_t n = 0;

	for (const char *p = buf_str(&text); (p = strstr(p, part)); p++)
		n++;
	return n;
}

#endif
