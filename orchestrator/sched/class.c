/* SPDX-License-Identifier: MIT */
/*
 * What jobs ask for and what boards are, each told apart no finer than needed: jobs that ask for
 * the same are a class, boards that differ by name alone are alike. Invariant: an alike and a class
 * know of each other exactly when such a board fits one of the class's wants.
 */
#include "inner.h"

#include "io/json.h"

#include <string.h>

/* ---- classes ---- */

static struct param_strings words_of(struct arena *a, const json_t *list)
{
	struct param_strings out = {arena_alloc(a, (json_array_size(list) + 1) * sizeof *out.p), 0};

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *word = json_string_value(json_array_get(list, i));

		if (word)
			out.p[out.n++] = arena_strdup(a, word);
	}
	return out;
}

/* Which labs a want is bound to; w->bound is false where it says nothing. Of a list that cannot be
 * read no lab is left. */
static void read_labs(struct class *c, struct want *w, const json_t *labs)
{
	w->bound = labs != NULL;
	w->labs = words_of(&c->arena, labs);
}

bool want_in(const struct want *w, const char *lab)
{
	for (size_t i = 0; i < w->labs.n; i++)
		if (lab && !strcmp(w->labs.p[i], lab))
			return true;
	return !w->bound;
}

static int read_want(
	struct sched *s, struct class *c, struct want *w, const json_t *j, size_t i, struct err *e)
{
	AUTOJSON *match = json_copy((json_t *)j);
	struct diag diag = {0};
	char what[40];

	snprintf(what, sizeof what, "what part %zu wants", i);
	if (!json_is_object(j))
		return err_set(e, BLAME_JOB, "%s is no mapping", what);
	read_labs(c, w, json_object_get(j, "labs"));
	json_object_del(match, "labs"); /* of the scheduler alone */
	if (schema_fill(&c->arena, match_params, what, node_from_json(&c->arena, match), &w->match,
		    &diag)) {
		err_set(e, BLAME_JOB, "%s: %s", what, diag.entries.p[0].text);
		diag_done(&diag);
		return -1;
	}
	if (w->match.board)
		w->pin = sched_board_named(s, w->match.board);
	return 0;
}

static bool knows(const struct class *c, const struct alike *k)
{
	vec_each (&k->classes, it)
		if (*it == c)
			return true;
	return false;
}

static void meet(struct sched *s, struct class *c, struct alike *k)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct want *w = &c->wants[i];

		if (w->pin || !want_in(w, k->lab) ||
			!match_board(s->types, &w->match, &k->board, NULL))
			continue;
		vec_push(&w->alikes, k);
		if (!knows(c, k))
			vec_push(&k->classes, c);
	}
}

static void introduce(struct sched *s, struct class *c)
{
	map_each (&s->alikes, it)
		meet(s, c, it->value);
	for (unsigned i = 0; i < c->n; i++) {
		bool twice = false;

		for (unsigned k = 0; k < i; k++)
			twice |= c->wants[k].pin == c->wants[i].pin;
		if (c->wants[i].pin && !twice)
			vec_push(&c->wants[i].pin->pins, c);
	}
}

#define forget(list, what)                                                                         \
	do {                                                                                       \
		for (size_t at_ = 0; at_ < (list)->n;)                                             \
			if ((list)->p[at_] == (what))                                              \
				vec_del(list, at_);                                                \
			else                                                                       \
				at_++;                                                             \
	} while (0)

void class_free(struct class *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->n; i++) {
		struct want *w = &c->wants[i];

		if (w->pin)
			forget(&w->pin->pins, c);
		vec_each (&w->alikes, k)
			forget(&(*k)->classes, c);
		vec_done(&w->alikes);
	}
	vec_done(&c->queues);
	free(c->key);
	arena_done(&c->arena);
	free(c);
}

/* Names that jobs asked for, of boards that there never were. */
static void sweep_boards(struct sched *s)
{
	struct map kept = {0};

	map_each (&s->boards, it) {
		struct sched_board *b = it->value;

		if (b->stored || b->pins.n)
			map_set(&kept, it->key, b);
		else
			board_free_memory(s, b);
	}
	map_done(&s->boards);
	s->boards = kept;
}

/* Classes that no job is in are kept for the next such job, but not for ever. */
static void sweep(struct sched *s)
{
	struct map kept = {0};

	map_each (&s->classes, it) {
		struct class *c = it->value;

		if (c->n_open)
			map_set(&kept, it->key, c);
		else
			class_free(c);
	}
	map_done(&s->classes);
	s->classes = kept;
	s->n_empty = 0;
	sweep_boards(s);
}

static struct class *class_new(
	struct sched *s, enum job_kind kind, const json_t *wants, const char *key, struct err *e)
{
	struct class *c = mem_alloc(sizeof *c);

	c->kind = kind;
	c->n = (unsigned)json_array_size(wants);
	c->key = mem_strdup(key);
	c->wants = arena_alloc(&c->arena, c->n * sizeof *c->wants);
	for (unsigned i = 0; i < c->n; i++)
		if (read_want(s, c, &c->wants[i], json_array_get(wants, i), i, e)) {
			c->n = 0;
			class_free(c);
			return NULL;
		}
	introduce(s, c);
	map_set(&s->classes, key, c);
	s->n_empty++;
	return c;
}

struct class *class_get(struct sched *s, enum job_kind kind, const char *wants, struct err *e)
{
	AUTOJSON *j = wants ? json_loads(wants, JSON_REJECT_DUPLICATES, NULL) : NULL;
	AUTOBUF key = BUF_INIT(1 << 20);
	struct class *c;

	if (!json_is_array(j) || !json_array_size(j)) {
		err_set(e, BLAME_JOB, "the job does not say what boards it wants");
		return NULL;
	}
	if (json_array_size(j) > SCHED_PARTS_MAX) {
		err_set(e, BLAME_JOB,
			"the job wants %zu boards, more than the %d that one may have",
			json_array_size(j), SCHED_PARTS_MAX);
		return NULL;
	}
	buf_printf(&key, "%d", (int)kind);
	if (json_write(j, JSON_COMPACT | JSON_SORT_KEYS, &key, e))
		return NULL;
	c = map_find(&s->classes, buf_str(&key));
	if (c)
		return c;
	if (s->n_empty > CLASSES_KEPT)
		sweep(s);
	return class_new(s, kind, j, buf_str(&key), e);
}

void class_open(struct sched *s, struct class *c)
{
	if (!c->n_open++)
		s->n_empty--;
}

void class_close(struct sched *s, struct class *c)
{
	if (!--c->n_open)
		s->n_empty++;
}

bool want_fits(const struct sched *s, const struct want *w, const struct sched_board *b)
{
	if (!b->alike)
		return false;
	if (w->pin) {
		struct board named = b->alike->board;

		named.name = b->name;
		return w->pin == b && want_in(w, b->lab) &&
		       match_board(s->types, &w->match, &named, NULL);
	}
	vec_each (&w->alikes, k)
		if (*k == b->alike)
			return true;
	return false;
}

/* ---- boards alike ---- */

/*
 * What the agent says that a board has is all that it has; where it says nothing, what the type has
 * here counts. A type that the controller does not know has what its boards announce.
 */
static const struct type *type_of(
	struct sched *s, struct arena *a, const char *name, const json_t *announced)
{
	const struct type *known = type_find(s->types, name);
	struct type *type = arena_alloc(a, sizeof *type);

	if (known) {
		*type = *known;
	} else {
		type->name = arena_strdup(a, name);
		type->soc = arena_strdup(a, json_text(announced, "soc", NULL));
		type->twin = json_flag(announced, "twin", false);
	}
	if (json_object_get(announced, "peripherals"))
		type->peripherals = (struct param_strings){0};
	if (json_object_get(announced, "tags"))
		type->tags = (struct param_strings){0};
	return type;
}

static struct alike *alike_new(struct sched *s, const struct sched_board *b, const char *key)
{
	struct alike *k = mem_alloc(sizeof *k);

	k->key = mem_strdup(key);
	k->lab = arena_strdup(&k->arena, b->lab);
	k->board.name = "";
	k->board.type_name = arena_strdup(&k->arena, b->type);
	k->board.type = type_of(s, &k->arena, b->type, b->announced);
	k->board.peripherals = words_of(&k->arena, json_object_get(b->announced, "peripherals"));
	k->board.tags = words_of(&k->arena, json_object_get(b->announced, "tags"));
	map_set(&s->alikes, key, k);
	map_each (&s->classes, it)
		meet(s, it->value, k);
	return k;
}

void alike_free(struct alike *k)
{
	if (!k)
		return;
	vec_each (&k->pools, pool) {
		vec_done(&(*pool)->boards);
		free(*pool);
	}
	vec_done(&k->pools);
	vec_done(&k->classes);
	free(k->key);
	arena_done(&k->arena);
	free(k);
}

static struct alike *alike_get(struct sched *s, const struct sched_board *b)
{
	AUTOBUF key = BUF_INIT(1 << 20);
	AUTOJSON *j = json_pack("{s:s?, s:s, s:O?, s:O?, s:O?}", "lab", b->lab, "type", b->type,
		"soc", json_object_get(b->announced, "soc"), "peripherals",
		json_object_get(b->announced, "peripherals"), "tags",
		json_object_get(b->announced, "tags"));
	struct alike *k;

	json_write(j, JSON_COMPACT | JSON_SORT_KEYS, &key, NULL);
	k = map_find(&s->alikes, buf_str(&key));
	return k ? k : alike_new(s, b, buf_str(&key));
}

static struct pool *pool_get(struct alike *k, struct sched_agent *a)
{
	struct pool *pool;

	vec_each (&k->pools, it)
		if ((*it)->agent == a)
			return *it;
	pool = mem_alloc(sizeof *pool);
	pool->alike = k;
	pool->agent = a;
	vec_push(&k->pools, pool);
	vec_push(&a->pools, pool);
	return pool;
}

/* Board types of an estate come and go with its boards; so does what is known of them. */
static void alike_drop(struct sched *s, struct alike *k)
{
	vec_each (&k->classes, c)
		for (unsigned i = 0; i < (*c)->n; i++)
			forget(&(*c)->wants[i].alikes, k);
	vec_each (&k->pools, pool)
		forget(&(*pool)->agent->pools, *pool);
	map_del(&s->alikes, k->key);
	alike_free(k);
}

void board_join(struct sched *s, struct sched_board *b)
{
	b->alike = alike_get(s, b);
	b->pool = pool_get(b->alike, b->agent);
	vec_push(&b->pool->boards, b);
	board_list(s, b);
}

void board_leave(struct sched *s, struct sched_board *b)
{
	struct alike *k = b->alike;
	size_t left = 0;

	if (!b->pool)
		return;
	forget(&b->pool->boards, b);
	b->present = false;
	board_list(s, b);
	b->pool = NULL;
	b->alike = NULL;
	vec_each (&k->pools, pool)
		left += (*pool)->boards.n;
	if (!left)
		alike_drop(s, k);
}
