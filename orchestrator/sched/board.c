/* SPDX-License-Identifier: MIT */
/*
 * Boards: what each is doing and how well it is. Invariants: a board's state changes by board_move
 * alone, as the table allows; it stands in the list of its pool that board_list finds for it.
 */
#include "inner.h"

#include "base/clock.h"
#include "io/json.h"

#include <string.h>

static const bool moves[BOARD_STATES][BOARD_STATES] = {
	[BOARD_IDLE] = {[BOARD_RESERVED] = true},
	[BOARD_RESERVED] = {[BOARD_IDLE] = true, [BOARD_BUSY] = true, [BOARD_LEASED] = true},
	[BOARD_BUSY] = {[BOARD_IDLE] = true},
	[BOARD_LEASED] = {[BOARD_IDLE] = true},
};
static const char *const state_names[BOARD_STATES] = {"idle", "reserved", "busy", "leased"};
static const char *const health_names[HEALTH_COUNT] = {
	"good", "unknown", "bad", "maintenance", "retired"};

const char *board_state_name(enum board_state state)
{
	return state < BOARD_STATES ? state_names[state] : NULL;
}

const char *board_health_name(enum board_health h)
{
	return h < HEALTH_COUNT ? health_names[h] : NULL;
}

int board_health_parse(const char *name)
{
	for (int i = 0; name && i < HEALTH_COUNT; i++)
		if (!strcmp(health_names[i], name))
			return i;
	return -1;
}

bool board_may(enum board_state from, enum board_state to)
{
	return from < BOARD_STATES && to < BOARD_STATES && moves[from][to];
}

int board_move(struct sched *s, struct sched_board *b, enum board_state to, struct err *e)
{
	if (!board_may(b->state, to)) {
		s->damaged = true;
		return err_set(e, BLAME_BUG, "board '%s' cannot go from %s to %s", b->name,
			state_names[b->state], state_names[to]);
	}
	b->state = to;
	board_list(s, b);
	return 0;
}

/* ---- who may have it ---- */

bool board_serves(const struct sched_board *b)
{
	return b->health == HEALTH_GOOD || (b->health == HEALTH_UNKNOWN && !b->checkable);
}

bool board_free(const struct sched_board *b)
{
	return b->present && b->state == BOARD_IDLE && !b->part && b->agent->online;
}

bool board_takes(const struct sched_board *b, const struct sched_job *job)
{
	if (!board_free(b))
		return false;
	switch (job->kind) {
	case KIND_HEALTH:
		return job->check == b && b->health != HEALTH_RETIRED;
	case KIND_LEASE: /* who put it in maintenance may work on it, others may look at a bad one
			  */
		return b->health < HEALTH_MAINTENANCE ||
		       (b->health == HEALTH_MAINTENANCE && b->who &&
			       !strcmp(b->who, job->who->name));
	default:
		return board_serves(b);
	}
}

/* ---- the lists of a pool ---- */

static void list_add(struct sched_board *b, enum board_list to)
{
	struct sched_board **first = to == LIST_IDLE ? &b->pool->idle : &b->pool->held;
	struct sched_board **last = to == LIST_IDLE ? &b->pool->idle_last : &b->pool->held_last;

	b->prev = *last;
	b->next = NULL;
	*(b->prev ? &b->prev->next : first) = b;
	*last = b;
	b->list = to;
}

static void list_del(struct sched_board *b)
{
	struct sched_board **first = b->list == LIST_IDLE ? &b->pool->idle : &b->pool->held;
	struct sched_board **last =
		b->list == LIST_IDLE ? &b->pool->idle_last : &b->pool->held_last;

	*(b->prev ? &b->prev->next : first) = b->next;
	*(b->next ? &b->next->prev : last) = b->prev;
	b->next = b->prev = NULL;
	b->list = LIST_NONE;
}

/* Whether its agent is online and has room does not matter here: that is asked of a whole pool. */
void board_list(struct sched *s, struct sched_board *b)
{
	enum board_list to = LIST_NONE;

	if (b->present && b->pool && b->state == BOARD_IDLE && !b->part && board_serves(b))
		to = b->held ? LIST_HELD : LIST_IDLE;
	if (to == LIST_NONE && b->held)
		several_drop(s, b);
	if (to == b->list)
		return;
	if (b->list != LIST_NONE)
		list_del(b);
	if (to != LIST_NONE)
		list_add(b, to);
}

/* ---- keeping ---- */

struct sched_board *sched_board_named(struct sched *s, const char *name)
{
	struct sched_board *b = map_find(&s->boards, name);

	if (b)
		return b;
	b = mem_alloc(sizeof *b);
	b->name = mem_strdup(name);
	b->power = "unknown";
	b->since_ms = clock_wall_ms();
	map_set(&s->boards, name, b);
	return b;
}

void board_free_memory(struct sched *s, struct sched_board *b)
{
	sched_timer_stop(s, &b->timer);
	vec_done(&b->pins);
	json_decref(b->announced);
	free(b->name);
	free(b->lab);
	free(b->type);
	free(b->reason);
	free(b->who);
	free(b);
}

int board_save(struct sched *s, struct sched_board *b, struct err *e)
{
	AUTOFREE char *announced =
		b->announced ? json_dumps(b->announced, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
	struct store_board row = {
		.name = b->name,
		.agent = b->present ? b->agent->name : NULL,
		.lab = b->lab,
		.type = b->type,
		.announced = announced,
		.health = board_health_name(b->health),
		.reason = b->reason,
		.who = b->who,
		.since_ms = b->since_ms,
		.checked_ms = b->checked_ms,
		.power = b->power,
	};

	b->stored = true;
	return store_board_save(s->store, &row, e) ? sched_store_failed(s) : 0;
}

const char *power_word(const char *word)
{
	return !word                  ? "unknown"
	       : !strcmp(word, "on")  ? "on"
	       : !strcmp(word, "off") ? "off"
				      : "unknown";
}

int board_power(struct sched *s, struct sched_board *b, const char *power, struct err *e)
{
	const char *now = power_word(power);

	if (b->power == now)
		return 0;
	b->power = now;
	tell_board(s, b);
	return board_save(s, b, e);
}

/* ---- health ---- */

int board_set_health(struct sched *s, struct sched_board *b, enum board_health h,
	const char *reason, const char *who, struct err *e)
{
	bool served = board_serves(b);

	if (b->health != h)
		b->since_ms = clock_wall_ms();
	b->health = h;
	set_text(&b->reason, reason);
	set_text(&b->who, who);
	board_list(s, b);
	check_plan(s, b);
	sched_offer(s, b);
	if (served != board_serves(b))
		sched_rethink(s);
	tell_board(s, b);
	return board_save(s, b, e);
}

static int judge_check(struct sched *s, struct sched_part *p, const char *who, struct err *e)
{
	struct sched_board *b = p->board;
	AUTOFREE char *why = mem_printf("health check: %s", p->message ? p->message : "not passed");

	b->checked_ms = clock_wall_ms();
	if (b->health >= HEALTH_MAINTENANCE || p->verdict == VERDICT_CANCELED) {
		check_plan(s, b);
		return board_save(s, b, e);
	}
	if (p->verdict == VERDICT_PASS)
		return board_set_health(s, b, HEALTH_GOOD, NULL, who, e);
	return board_set_health(s, b, HEALTH_BAD, why, who, e);
}

int board_judge(struct sched *s, struct sched_part *p, bool check, struct err *e)
{
	struct sched_board *b = p->board;
	char who[40];

	snprintf(who, sizeof who, "run %lld", (long long)p->run->id);
	if (check)
		return judge_check(s, p, who, e);
	if (b->health >= HEALTH_MAINTENANCE)
		return 0;
	if (p->verdict == VERDICT_INCOMPLETE && p->blame == BLAME_INFRA) {
		enum board_health worse =
			b->health == HEALTH_GOOD || b->checkable ? HEALTH_UNKNOWN : HEALTH_BAD;

		return board_set_health(
			s, b, b->health == HEALTH_BAD ? HEALTH_BAD : worse, p->message, who, e);
	}
	if (b->health == HEALTH_UNKNOWN && !b->checkable && p->verdict == VERDICT_PASS)
		return board_set_health(s, b, HEALTH_GOOD, NULL, who, e);
	return 0;
}

int sched_board_health(struct sched *s, const char *board, enum board_health h, const char *reason,
	const char *who, struct err *e)
{
	struct sched_board *b = map_find(&s->boards, board);

	if (!b || !b->stored)
		return err_set(e, BLAME_JOB, "there is no board '%s'", board);
	if (h >= HEALTH_COUNT)
		return err_set(e, BLAME_JOB, "board '%s': that is no health", board);
	if (board_set_health(s, b, h, reason, who, e))
		return -1;
	return sched_settle(s, e);
}
