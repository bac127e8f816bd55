/* SPDX-License-Identifier: MIT */
/*
 * PCRE2 for console bytes. Invariant: the match data and the JIT stack belong to one pattern and
 * are used by one search at a time (there are no threads), and every search is under the limits
 * below.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "io/pattern.h"

#include "base/mem.h"

#include <pcre2.h>

#define TEXT_BYTES_MAX  8192    /* of a pattern */
#define NEST_MAX        64      /* parentheses in each other */
#define MATCH_LIMIT     3000000 /* backtracking points in one search: some 0.1 s */
#define DEPTH_LIMIT     20000
#define HEAP_KIB_LIMIT  (32 * 1024)
#define RUN_BYTES       64 /* that one item may run over for a step */
#define STACK_BYTES_MIN ((size_t)32 << 10)
#define STACK_BYTES_MAX ((size_t)1 << 20)

struct pattern {
	char *text;
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	pcre2_jit_stack *stack; /* NULL: no JIT here */
};

static pcre2_code *compile(const char *text, uint32_t more, struct err *e)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	uint32_t flags = PCRE2_MULTILINE | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | more;
	unsigned char why[160];
	pcre2_code *code;
	size_t at;
	int rc;

	if (!c) {
		err_set(e, BLAME_BUG, "pattern '%.200s': out of memory", text);
		return NULL;
	}
	pcre2_set_newline(c, PCRE2_NEWLINE_ANYCRLF);
	pcre2_set_max_pattern_length(c, TEXT_BYTES_MAX);
	pcre2_set_parens_nest_limit(c, NEST_MAX);
	code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, flags, &rc, &at, c);
	pcre2_compile_context_free(c);
	if (!code) {
		pcre2_get_error_message(rc, why, sizeof why);
		err_set(e, BLAME_CONFIG, "pattern '%.200s': %s at character %zu", text, why,
			at + 1);
	}
	return code;
}

static struct pattern *make(const char *text, bool named, struct err *e)
{
	pcre2_code *code = compile(text, named ? PCRE2_AUTO_CALLOUT : 0, e);
	struct pattern *p;

	if (!code)
		return NULL;
	p = mem_alloc(sizeof *p);
	p->code = code;
	p->text = mem_strdup(text);
	p->match = named ? pcre2_match_data_create_from_pattern(code, NULL)
			 : pcre2_match_data_create(PATTERN_GROUPS, NULL);
	p->limits = pcre2_match_context_create(NULL);
	if (!p->match || !p->limits) {
		err_set(e, BLAME_BUG, "pattern '%.200s': out of memory", text);
		pattern_free(p);
		return NULL;
	}
	pcre2_set_match_limit(p->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(p->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(p->limits, HEAP_KIB_LIMIT);
	/* Where the JIT refuses (no executable memory), the interpreter does the same, slower. */
	if (!pcre2_jit_compile(code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_SOFT))
		p->stack = pcre2_jit_stack_create(STACK_BYTES_MIN, STACK_BYTES_MAX, NULL);
	if (p->stack)
		pcre2_jit_stack_assign(p->limits, NULL, p->stack);
	return p;
}

struct pattern *pattern_new(const char *text, struct err *e)
{
	return make(text, false, e);
}

struct pattern *pattern_new_named(const char *text, struct err *e)
{
	return make(text, true, e);
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_jit_stack_free(p->stack);
	pcre2_match_context_free(p->limits);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p->text);
	free(p);
}

const char *pattern_text(const struct pattern *p)
{
	return p->text;
}

int pattern_search(const struct pattern *p, struct str s, size_t offset, bool partial_ok,
	struct pattern_match *m)
{
	const PCRE2_SIZE *v = pcre2_get_ovector_pointer(p->match);
	int rc;

	*m = (struct pattern_match){.start = s.n, .end = s.n};
	if (offset > s.n)
		return 0;
	rc = pcre2_match(p->code, (PCRE2_SPTR)(s.p ? s.p : ""), s.n, offset,
		partial_ok ? PCRE2_PARTIAL_SOFT : 0, p->match, p->limits);
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc < 0 && rc != PCRE2_ERROR_PARTIAL)
		return -1;
	m->start = v[0];
	m->end = v[1] < v[0] ? v[0] : v[1];
	if (rc < 0) {
		m->partial = true;
		return 0;
	}
	/* 0: more groups than we keep. */
	for (int i = 0; i < (rc ? rc : PATTERN_GROUPS); i++)
		if (v[2 * i] != PCRE2_UNSET && v[2 * i + 1] >= v[2 * i])
			m->group[i] = str_make(s.p + v[2 * i], v[2 * i + 1] - v[2 * i]);
	return 1;
}

const char *pattern_group(const struct pattern *p, size_t i, unsigned *number)
{
	uint32_t count = 0, size = 0;
	PCRE2_SPTR table = NULL, entry;

	pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &count);
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMETABLE, &table);
	if (i >= count)
		return NULL;
	entry = table + i * size;
	*number = (unsigned)entry[0] << 8 | entry[1];
	return (const char *)entry + 2;
}

struct counting {
	uint64_t left;
	size_t at; /* where in the text the last step was */
};

/* Between two steps one item may have run over any part of the text: that is work too. */
static int count_step(pcre2_callout_block *block, void *counting)
{
	struct counting *c = counting;
	size_t at = block->current_position;
	uint64_t cost = 1 + (at > c->at ? at - c->at : c->at - at) / RUN_BYTES;

	c->at = at;
	if (cost > c->left)
		return PCRE2_ERROR_CALLOUT;
	c->left -= cost;
	return 0;
}

int pattern_search_named(
	const struct pattern *p, struct str s, uint64_t *steps, struct str *groups, size_t n)
{
	const PCRE2_SIZE *v = pcre2_get_ovector_pointer(p->match);
	struct counting counting = {*steps, 0};
	int rc;

	pcre2_set_callout(p->limits, count_step, &counting);
	rc = pcre2_match(p->code, (PCRE2_SPTR)(s.p ? s.p : ""), s.n, 0, 0, p->match, p->limits);
	*steps = counting.left;
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		groups[i] = i < (size_t)rc && v[2 * i] != PCRE2_UNSET && v[2 * i + 1] >= v[2 * i]
				    ? str_make(s.p + v[2 * i], v[2 * i + 1] - v[2 * i])
				    : (struct str){0};
	return 1;
}
