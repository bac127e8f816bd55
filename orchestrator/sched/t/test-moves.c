/* SPDX-License-Identifier: MIT */
/* The two tables of allowed moves, whole, and the map of numbers. */
#include "sched/sched.h"

#include "base/t/tap.h"
#include "sched/ids.h"

#include <stdlib.h>

struct move {
	int from, to;
};

static bool is_one_of(const struct move *moves, size_t n, int from, int to)
{
	for (size_t i = 0; i < n; i++)
		if (moves[i].from == from && moves[i].to == to)
			return true;
	return false;
}

static void jobs(void)
{
	static const struct move moves[] = {{JOB_QUEUED, JOB_ASSIGNED}, {JOB_QUEUED, JOB_DONE},
		{JOB_ASSIGNED, JOB_QUEUED}, {JOB_ASSIGNED, JOB_RUNNING},
		{JOB_ASSIGNED, JOB_CANCELING}, {JOB_ASSIGNED, JOB_DONE}, {JOB_RUNNING, JOB_QUEUED},
		{JOB_RUNNING, JOB_CANCELING}, {JOB_RUNNING, JOB_DONE}, {JOB_CANCELING, JOB_DONE}};

	for (int from = 0; from < JOB_STATES; from++)
		for (int to = 0; to < JOB_STATES; to++)
			is_int(job_may((enum job_state)from, (enum job_state)to),
				is_one_of(moves, ARRAY_LEN(moves), from, to), "job: %s to %s",
				job_state_name((enum job_state)from),
				job_state_name((enum job_state)to));
	for (int i = 0; i < JOB_STATES; i++)
		is_int(job_state_parse(job_state_name((enum job_state)i)), i, "its name is read");
	is_int(job_state_parse("lost"), -1, "no other is");
	is_int(job_state_parse(NULL), -1, "nor none");
	ok(!job_state_name(JOB_STATES), "nor beyond the table");
	ok(!job_may(JOB_STATES, JOB_DONE) && !job_may(JOB_QUEUED, JOB_STATES), "nor moved");
}

static void boards(void)
{
	static const struct move moves[] = {{BOARD_IDLE, BOARD_RESERVED},
		{BOARD_RESERVED, BOARD_IDLE}, {BOARD_RESERVED, BOARD_BUSY},
		{BOARD_RESERVED, BOARD_LEASED}, {BOARD_BUSY, BOARD_IDLE},
		{BOARD_LEASED, BOARD_IDLE}};

	for (int from = 0; from < BOARD_STATES; from++)
		for (int to = 0; to < BOARD_STATES; to++)
			is_int(board_may((enum board_state)from, (enum board_state)to),
				is_one_of(moves, ARRAY_LEN(moves), from, to), "board: %s to %s",
				board_state_name((enum board_state)from),
				board_state_name((enum board_state)to));
	ok(!board_may(BOARD_STATES, BOARD_IDLE) && !board_state_name(BOARD_STATES),
		"nothing beyond the table");
	for (int i = 0; i < HEALTH_COUNT; i++)
		is_int(board_health_parse(board_health_name((enum board_health)i)), i,
			"health '%s' is read", board_health_name((enum board_health)i));
	is_int(board_health_parse("ill"), -1, "no other is");
}

/* Against a plain array, which cannot be wrong. */
static void numbers(void)
{
	struct ids m = {0};
	static char there[512];
	unsigned seed = 7;
	bool same = true;
	size_t n = 0;

	for (int i = 0; i < 200000 && same; i++) {
		int id;

		seed = seed * 1103515245u + 12345u;
		id = (int)(seed >> 12) % 511 + 1;
		if (there[id]) {
			ids_del(&m, id);
			n--;
		} else {
			ids_add(&m, id, &there[id]);
			n++;
		}
		there[id] = !there[id];
		same = m.n == n;
		for (int k = 1; i % 97 == 0 && k < 512; k++)
			same &= ids_find(&m, k) == (there[k] ? &there[k] : NULL);
	}
	ok(same, "200000 changes: the map holds what it should");
	ids_done(&m);
	ok(!ids_find(&m, 1), "an empty one holds nothing");
	ids_del(&m, 1);
	is_int((long long)m.n, 0, "and loses nothing");
}

int main(void)
{
	jobs();
	boards();
	numbers();
	return tap_done();
}
