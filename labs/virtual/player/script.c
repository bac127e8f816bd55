/* SPDX-License-Identifier: MIT */
/*
 * Transcripts from YAML. Invariant: a script that was loaded has every state it names, and every
 * pattern compiled; playing one cannot meet an error of the file.
 */
#include "labs/virtual/player/script.h"

#include "base/mem.h"
#include "io/yaml.h"

#include <stdlib.h>

static const char preset_panic[] =
	"[   12.345678] Unable to handle kernel NULL pointer dereference at virtual address "
	"0000000000000000\n"
	"[   12.345690] Internal error: Oops: 0000000096000004 [#1] SMP\n"
	"[   12.345700] Kernel panic - not syncing: Oops: Fatal exception in interrupt\n"
	"[   12.345710] ---[ end Kernel panic - not syncing: Oops: Fatal exception in interrupt "
	"]---\n";
static const char preset_line[] = "[   42.000000] random: crng reseeded on system resumption\n";

struct script_conf {
	const char *name, *type, *panic, *line, *start;
	const struct node *vars, *files, *lab, *rails, *states;
	struct param_strings faults;
};
const struct param script_params[] = {
	{"transcript", PARAM_STRING, offsetof(struct script_conf, name), .required = true,
		.help = "name of the transcript"},
	{"type", PARAM_STRING, offsetof(struct script_conf, type), .required = true,
		.help = "board type that the lab file gives the board", .example = "am62axx-sk"},
	{"start", PARAM_STRING, offsetof(struct script_conf, start), .required = true,
		.help = "state entered at power-on"},
	{"states", PARAM_MAP, offsetof(struct script_conf, states), .required = true,
		.help = "the states by name"},
	{"vars", PARAM_MAP, offsetof(struct script_conf, vars),
		.help = "variables and their texts"},
	{"files", PARAM_MAP, offsetof(struct script_conf, files),
		.help = "files that stand in for the host's in the shell, by path"},
	{"lab", PARAM_MAP, offsetof(struct script_conf, lab),
		.help = "laid over the board's entry of the lab file"},
	{"rails", PARAM_MAP, offsetof(struct script_conf, rails),
		.help = "power rail -> {mv, mw}: what the simulated instrument reads while there "
			"is "
			"power"},
	{"faults", PARAM_STRINGS, offsetof(struct script_conf, faults),
		.help = "faults that every board begins with", .example = "insert every=1000"},
	{"panic", PARAM_STRING, offsetof(struct script_conf, panic),
		.help = "text of a kernel panic"},
	{"line", PARAM_STRING, offsetof(struct script_conf, line),
		.help = "kernel line that faults insert"},
	{0}};

struct state_conf {
	const char *prompt, *key;
	bool echo, chain;
	const struct node *enter, *rules, *otherwise, *exits;
	struct param_strings shell;
};
const struct param state_params[] = {{"enter", PARAM_ANY, offsetof(struct state_conf, enter),
					     .help = "actions when the state is entered"},
	{"prompt", PARAM_STRING, offsetof(struct state_conf, prompt),
		.help = "printed when a line may be typed"},
	{"echo", PARAM_BOOL, offsetof(struct state_conf, echo), .preset = "true",
		.help = "what is typed comes back"},
	{"key", PARAM_STRING, offsetof(struct state_conf, key),
		.help = "state that any typed byte leads to"},
	{"chain", PARAM_BOOL, offsetof(struct state_conf, chain), .preset = "false",
		.help = "lines are split at ; and &&, variables replaced, as U-Boot does"},
	{"rules", PARAM_LIST, offsetof(struct state_conf, rules),
		.help = "answers to typed lines, the first that matches"},
	{"otherwise", PARAM_ANY, offsetof(struct state_conf, otherwise),
		.help = "actions for a line that no rule matches"},
	{"shell", PARAM_STRINGS, offsetof(struct state_conf, shell),
		.help = "a real shell to run on an inner terminal", .example = "[busybox, sh]"},
	{"exits", PARAM_MAP, offsetof(struct state_conf, exits),
		.help = "exit status of the shell (or 'other') to state"},
	{0}};

struct rule_conf {
	const char *match;
	const struct node *acts;
};
const struct param rule_params[] = {{"match", PARAM_STRING, offsetof(struct rule_conf, match),
					    .required = true, .help = "pattern of the whole line"},
	{"do", PARAM_ANY, offsetof(struct rule_conf, acts), .help = "actions"}, {0}};

/* What an action of two texts holds: the same struct for all of them. */
struct pair {
	const char *text, *more;
};
#define PAIR(a, a_help, b, b_required, b_help)                                                     \
	{                                                                                          \
		{a, PARAM_STRING, offsetof(struct pair, text), .required = true, .help = a_help},  \
			{b, PARAM_STRING, offsetof(struct pair, more), .required = b_required,     \
				.help = b_help},                                                   \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
static const struct param set_params[] = PAIR("name", "variable", "value", true, "its text");
static const struct param load_params[] =
	PAIR("file", "name under the TFTP root", "address", true, "hexadecimal load address");
static const struct param boot_params[] = PAIR("kernel", "address of the kernel", "ramdisk", false,
	"address[:size] of the root, - for none");

enum act_shape { SHAPE_TEXT, SHAPE_MS, SHAPE_STATE, SHAPE_PAIR, SHAPE_NONE };
static const struct act_row {
	const char *name;
	enum act_kind kind;
	enum act_shape shape;
	const struct param *pair;
} act_rows[] = {
	{"print", ACT_PRINT, SHAPE_TEXT, NULL},
	{"wait", ACT_WAIT, SHAPE_MS, NULL},
	{"hold", ACT_HOLD, SHAPE_MS, NULL},
	{"goto", ACT_GOTO, SHAPE_STATE, NULL},
	{"set", ACT_SET, SHAPE_PAIR, set_params},
	{"show", ACT_SHOW, SHAPE_TEXT, NULL},
	{"fail", ACT_FAIL, SHAPE_TEXT, NULL},
	{"load", ACT_LOAD, SHAPE_PAIR, load_params},
	{"boot", ACT_BOOT, SHAPE_PAIR, boot_params},
	{"panic", ACT_PANIC, SHAPE_NONE, NULL},
	{"hang", ACT_HANG, SHAPE_NONE, NULL},
};

static struct state *state_of(const struct script *s, const char *name)
{
	for (size_t i = 0; i < s->n_states; i++)
		if (!strcmp(s->states[i].name, name))
			return &s->states[i];
	return NULL;
}

const struct state *script_state(const struct script *s, const char *name)
{
	return state_of(s, name);
}

/* The state that a text names; NULL after adding to diag. */
static const struct state *named(
	const struct script *s, struct loc at, const char *name, struct diag *diag)
{
	const struct state *st = name ? state_of(s, name) : NULL;
	const char *names[SCRIPT_STATES_MAX], *near;

	if (st)
		return st;
	for (size_t i = 0; i < s->n_states; i++)
		names[i] = s->states[i].name;
	near = name ? str_nearest(name, names, s->n_states) : NULL;
	diag_add(diag, at, "no state '%s'%s%s%s", name ? name : "", near ? ", did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	return NULL;
}

static void fill_act(struct script *s, const struct act_row *row, const struct node *value,
	struct act *act, struct diag *diag)
{
	struct pair pair = {0};
	const char *text = value->type == NODE_SCALAR ? value->text : NULL;

	act->kind = row->kind;
	if (row->shape == SHAPE_PAIR) {
		schema_fill(&s->arena, row->pair, row->name, value, &pair, diag);
		act->text = pair.text;
		act->more = pair.more;
	} else if (row->shape == SHAPE_STATE) {
		act->state = named(s, value->at, text, diag);
	} else if (row->shape == SHAPE_TEXT) {
		act->text = text ? text : "";
		if (!text)
			diag_add(diag, value->at, "'%s' needs a text", row->name);
	} else if (row->shape == SHAPE_MS) {
		if (!text || str_duration_ms(str_of(text), &act->ms) < 0)
			diag_add(diag, value->at, "'%s' needs a duration, as 300ms", row->name);
	}
}

static void load_act(struct script *s, const struct node *n, struct act *act, struct diag *diag)
{
	const char *names[ARRAY_LEN(act_rows)], *near;
	const struct node *value = n;

	act->at = n->at;
	if (n->type == NODE_SCALAR) {
		for (size_t i = 0; i < ARRAY_LEN(act_rows); i++)
			if (act_rows[i].shape == SHAPE_NONE && !n->quoted &&
				!strcmp(act_rows[i].name, n->text)) {
				act->kind = act_rows[i].kind;
				return;
			}
		act->kind = ACT_PRINT;
		act->text = n->text;
		return;
	}
	if (n->type != NODE_MAP || n->n != 1) {
		diag_add(diag, n->at, "an action is a text or a mapping of one key");
		return;
	}
	value = n->kids[0];
	for (size_t i = 0; i < ARRAY_LEN(act_rows); i++) {
		names[i] = act_rows[i].name;
		if (!strcmp(names[i], value->key)) {
			fill_act(s, &act_rows[i], value, act, diag);
			return;
		}
	}
	near = str_nearest(value->key, names, ARRAY_LEN(names));
	diag_add(diag, value->key_at, "unknown action '%s'%s%s%s", value->key,
		near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static struct acts load_acts(struct script *s, const struct node *n, struct diag *diag)
{
	struct acts acts = {0};

	if (!n || n->type == NODE_NULL)
		return acts;
	acts.n = n->type == NODE_LIST ? n->n : 1;
	if (acts.n > SCRIPT_ACTS_MAX) {
		diag_add(diag, n->at, "more than %d actions", SCRIPT_ACTS_MAX);
		acts.n = SCRIPT_ACTS_MAX;
	}
	acts.p = arena_alloc(&s->arena, (acts.n + 1) * sizeof *acts.p);
	for (size_t i = 0; i < acts.n; i++)
		load_act(s, n->type == NODE_LIST ? n->kids[i] : n, &acts.p[i], diag);
	return acts;
}

static void load_rule(struct script *s, const struct node *n, struct rule *rule, struct diag *diag)
{
	struct rule_conf conf = {0};
	struct err e = {0};

	if (schema_fill(&s->arena, rule_params, "rule", n, &conf, diag) < 0)
		return;
	rule->match = conf.match;
	rule->pattern = pattern_new(arena_printf(&s->arena, "\\A(?:%s)\\z", conf.match), &e);
	if (!rule->pattern)
		diag_add(diag, n->at, "%s", e.msg);
	rule->acts = load_acts(s, conf.acts, diag);
}

static void load_exits(struct script *s, const struct node *n, struct state *st, struct diag *diag)
{
	size_t i = 0;

	if (!n)
		return;
	st->exits = arena_alloc(&s->arena, (n->n + 1) * sizeof *st->exits);
	node_each (n, kid) {
		int64_t status = -1;

		if (strcmp(kid->key, "other") &&
			(str_i64(str_of(kid->key), &status) < 0 || status < 0 || status > 255))
			diag_add(
				diag, kid->key_at, "an exit status or 'other', not '%s'", kid->key);
		st->exits[i].status = (int)status;
		st->exits[i++].state =
			named(s, kid->at, kid->type == NODE_SCALAR ? kid->text : NULL, diag);
	}
	st->n_exits = i;
}

static void load_state(struct script *s, const struct node *n, struct state *st, struct diag *diag)
{
	struct state_conf conf = {0};
	const char *what = arena_printf(&s->arena, "state '%s'", st->name);

	if (schema_fill(&s->arena, state_params, what, n->type == NODE_NULL ? NULL : n, &conf,
		    diag) < 0)
		return;
	st->prompt = conf.prompt;
	st->echo = conf.echo;
	st->chain = conf.chain;
	st->shell = conf.shell;
	st->enter = load_acts(s, conf.enter, diag);
	st->otherwise = load_acts(s, conf.otherwise, diag);
	if (conf.key)
		st->key = named(s, n->at, conf.key, diag);
	load_exits(s, conf.exits, st, diag);
	if (!conf.rules)
		return;
	st->rules = arena_alloc(&s->arena, (conf.rules->n + 1) * sizeof *st->rules);
	st->n_rules = conf.rules->n;
	for (size_t i = 0; i < st->n_rules; i++)
		load_rule(s, conf.rules->kids[i], &st->rules[i], diag);
}

static void load_states(struct script *s, const struct node *n, struct diag *diag)
{
	size_t i = 0;

	if (n->n > SCRIPT_STATES_MAX) {
		diag_add(diag, n->at, "more than %d states", SCRIPT_STATES_MAX);
		return;
	}
	s->states = arena_alloc(&s->arena, (n->n + 1) * sizeof *s->states);
	s->n_states = n->n;
	node_each (n, kid)
		s->states[i++].name = kid->key;
	i = 0;
	node_each (n, kid)
		load_state(s, kid, &s->states[i++], diag);
}

/* The script of a document that stands in s's arena; NULL after adding to diag. */
static struct script *fill(
	struct script *s, const struct node *doc, size_t before, struct diag *diag)
{
	struct script_conf conf = {0};

	if (doc && schema_fill(&s->arena, script_params, "transcript", doc, &conf, diag) == 0) {
		s->name = conf.name;
		s->type = conf.type;
		s->panic = conf.panic ? conf.panic : preset_panic;
		s->line = conf.line ? conf.line : preset_line;
		s->vars = conf.vars;
		s->files = conf.files;
		s->lab = conf.lab;
		s->rails = conf.rails;
		s->faults = conf.faults;
		load_states(s, conf.states, diag);
		s->start = named(s, node_find(doc, "start")->at, conf.start, diag);
	}
	if (diag->total == before)
		return s;
	script_free(s);
	return NULL;
}

struct script *script_load(const char *path, struct diag *diag)
{
	struct script *s = mem_alloc(sizeof *s);
	size_t before = diag->total;

	return fill(s, yaml_load(&s->arena, path, diag), before, diag);
}

struct script *script_parse(const char *name, struct str text, struct diag *diag)
{
	struct script *s = mem_alloc(sizeof *s);
	size_t before = diag->total;

	return fill(s, yaml_parse(&s->arena, name, text, diag), before, diag);
}

void script_free(struct script *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_states; i++)
		for (size_t r = 0; r < s->states[i].n_rules; r++)
			pattern_free(s->states[i].rules[r].pattern);
	arena_done(&s->arena);
	free(s);
}
