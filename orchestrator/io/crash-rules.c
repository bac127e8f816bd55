/* SPDX-License-Identifier: MIT */
/*
 * Rules of crashes out of YAML. Invariant: a kind that nobody speaks of has the rule of the table,
 * and an exception without a reason is none.
 */
#include "crash-rules.h"

#include <string.h>

struct section {
	int rule[CRASH_KINDS];
	const struct node *except;
};

#define X(id, name, preset, who, help)                                                             \
	{name, PARAM_CHOICE, offsetof(struct section, rule) + CRASH_KIND_##id * sizeof(int),       \
		false, CRASH_PRESET_##preset, crash_rule_words, 0, 0, NULL, NULL, help, NULL},
static const char *const crash_rule_words[] = {"fail", "warn", "ignore", "stop", NULL};
const struct param crash_rule_params[] = {
	CRASH_KIND_LIST(X){"except", PARAM_LIST, offsetof(struct section, except),
		.help = "lines that mean nothing: {kind, pattern, until, reason} each",
		.example = "[{kind: warning, pattern: 'at drivers/clk/', reason: known}]"},
	{0},
};
#undef X

struct except_row {
	const char *kind, *pattern, *reason, *until;
};

const struct param crash_except_params[] = {
	{"kind", PARAM_STRING, offsetof(struct except_row, kind),
		.help = "only of that kind; not given: of any", .example = "warning"},
	{"pattern", PARAM_PATTERN, offsetof(struct except_row, pattern), .required = true,
		.help = "what the line that began the report has in it",
		.example = "'at drivers/clk/'"},
	{"until", PARAM_STRING, offsetof(struct except_row, until),
		.help = "login: only before somebody has logged in; not given: always",
		.example = "login"},
	{"reason", PARAM_STRING, offsetof(struct except_row, reason), .required = true,
		.help = "why nobody has to act; it stands in the report",
		.example = "fixed in 6.12.9"},
	{0},
};

static int read_except(
	struct arena *a, const struct node *n, struct crash_except *out, struct diag *diag)
{
	struct except_row row = {0};
	struct err e = {0};

	if (n->type != NODE_MAP)
		return diag_add(diag, n->at, "an exception is a mapping {pattern, reason}");
	if (schema_fill(a, crash_except_params, "exception", n, &row, diag))
		return -1;
	*out = (struct crash_except){.kind = -1, .reason = row.reason};
	if (row.kind && (out->kind = crash_kind_by_name(row.kind)) < 0) {
		const char *names[CRASH_KINDS];

		for (int i = 0; i < CRASH_KINDS; i++)
			names[i] = crash_kinds[i].name;
		return diag_unknown(diag, node_find(n, "kind")->at, "kind of crash", row.kind,
			names, CRASH_KINDS);
	}
	if (row.until && strcmp(row.until, "login"))
		return diag_add(
			diag, node_find(n, "until")->at, "'until' is 'login' or is not given");
	out->until_login = row.until;
	if (!*row.reason)
		return diag_add(diag, node_find(n, "reason")->at, "an exception needs its reason");
	out->pattern = pattern_new(row.pattern, &e);
	if (!out->pattern)
		return diag_add(diag, node_find(n, "pattern")->at, "%s", e.msg);
	return 0;
}

static int add_section(struct crash_rules *r, const struct node *node, struct diag *diag)
{
	struct section s = {0};
	const struct node *except = node_find(node, "except");
	int rc = 0;

	if (!node || node->type == NODE_NULL)
		return 0;
	if (schema_fill(&r->arena, crash_rule_params, "crash", node, &s, diag))
		rc = -1;
	if (except && except->type != NODE_LIST)
		return rc;
	for (int i = 0; i < CRASH_KINDS; i++)
		if (node_find(node, crash_kinds[i].name))
			r->rule[i] = s.rule[i];
	node_each (except, n) {
		if (r->n_except == CRASH_EXCEPTS)
			return diag_add(diag, n->at, "more than %d exceptions", CRASH_EXCEPTS);
		if (read_except(&r->arena, n, &r->except[r->n_except], diag))
			rc = -1;
		else
			r->n_except++;
	}
	return rc;
}

static void preset(struct crash_rules *r)
{
	for (int i = 0; i < CRASH_KINDS; i++)
		r->rule[i] = (int)crash_kinds[i].rule;
}

int crash_rules_check(const struct node *section, struct diag *diag)
{
	struct crash_rules r = {0};
	int rc = add_section(&r, section, diag);

	crash_rules_done(&r);
	return rc;
}

int crash_rules_init(
	struct crash_rules *r, const struct node *type, const struct node *job, struct err *e)
{
	struct diag diag = {0};
	int rc = 0;

	*r = (struct crash_rules){0};
	preset(r);
	if (add_section(r, type, &diag) | add_section(r, job, &diag)) {
		err_set(e, BLAME_CONFIG, "crash: %s",
			diag.entries.n ? diag.entries.p[0].text : "not understood");
		crash_rules_done(r);
		preset(r);
		rc = -1;
	}
	diag_done(&diag);
	return rc;
}

void crash_rules_done(struct crash_rules *r)
{
	for (size_t i = 0; i < r->n_except; i++)
		pattern_free(r->except[i].pattern);
	arena_done(&r->arena);
	*r = (struct crash_rules){0};
}

const char *crash_rules_excuse(
	const struct crash_rules *r, enum crash_kind_id kind, const char *line, bool booting)
{
	struct pattern_match m;

	for (size_t i = 0; i < r->n_except; i++) {
		const struct crash_except *x = &r->except[i];

		if ((x->kind < 0 || x->kind == (int)kind) && (booting || !x->until_login) &&
			pattern_search(x->pattern, str_of(line), 0, false, &m) == 1)
			return x->reason;
	}
	return NULL;
}
