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
#define STACK_BYTES_MIN ((size_t)32 << 10)
#define STACK_BYTES_MAX ((size_t)1 << 20)

struct pattern {
	char *text;
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	pcre2_jit_stack *stack; /* NULL: no JIT here */
};

static pcre2_code *compile(const char *text, struct err *e)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	uint32_t flags = PCRE2_MULTILINE | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
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

struct pattern *pattern_new(const char *text, struct err *e)
{
	pcre2_code *code = compile(text, e);
	struct pattern *p;

	if (!code)
		return NULL;
	p = mem_alloc(sizeof *p);
	p->code = code;
	p->text = mem_strdup(text);
	p->match = pcre2_match_data_create(PATTERN_GROUPS, NULL);
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
