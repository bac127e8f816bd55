/* SPDX-License-Identifier: MIT */
/*
 * Thousands of random turns of an estate whose agents, people and clock do as they please: jobs of
 * one and of several boards, leases, health checks, cancels, silence, lost disks, restarts of the
 * server at any moment and turns that the store undoes. After each, what must always be true is
 * looked at. HILAB_SEED repeats a run, HILAB_SIM says how many turns.
 */
#include "sim.h"

#include "invariants.h"

#include "store/inner.h"

#include <time.h>

/* ---- people ---- */

static const char *const people[] = {"ann", "bob", "carl"};
static const char *const wants[] = {ALPHA, ALPHA, "[{\"type\":\"beta\"}]", "[{}]",
	"[{\"soc\":\"soc1\",\"peripherals\":[\"mmc\"]}]", "[{\"name\":\"a1\"}]",
	"[{\"name\":\"b3\"}]", "[{\"name\":\"z9\"}]", "[{\"tags\":[\"nowhere\"]}]",
	"[{\"type\":\"alpha\"},{\"type\":\"alpha\"}]", "[{\"type\":\"alpha\"},{\"type\":\"beta\"}]",
	"[{},{},{\"type\":\"beta\"}]", "[{\"name\":\"a0\"},{}]"};

static int64_t add_job(void)
{
	const char *want = wants[dice(ARRAY_LEN(wants))];
	AUTOJSON *j = json_loads(want, 0, NULL);
	size_t n = json_array_size(j);
	struct store_job job = {.name = "smoke",
		.kind = "job",
		.params = "{}",
		.submitter = people[dice(3)],
		.wants = want,
		.plans = n == 1   ? PLAN
			 : n == 2 ? "[{\"role\":\"a\"},{\"role\":\"b\"}]"
				  : "[{\"role\":\"a\"},{\"role\":\"b\"},{\"role\":\"c\"}]",
		.priority = (int)dice(3) - 1,
		.timeout_ms = 60000 * (1 + dice(30)),
		.queue_timeout_ms = dice(3) ? 0 : 60000 * (1 + dice(60))};
	struct err e = {0};

	if (sched_submit(w.x.sched, &job, &e))
		DIE(&e);
	return job.id;
}

static void cancel_one(void)
{
	struct err e = {0};

	if (w.n_jobs)
		must(sched_cancel(w.x.sched, 1 + dice((unsigned)w.n_jobs), people[dice(3)], &e),
			&e);
}

static void lease_one(void)
{
	char board[8];
	struct sched_reserve r = {.board = board,
		.owner = people[dice(3)],
		.for_ms = 60000 * (1 + dice(30)),
		.wait = dice(2),
		.take_over = !dice(4)};
	struct err e = {0};
	int64_t job, until;

	snprintf(board, sizeof board, "%c%u", (char)('a' + dice(AGENTS)), dice(BOARDS));
	switch (dice(3)) {
	case 0:
		must(sched_lease(w.x.sched, &r, &job, &e), &e);
		break;
	case 1:
		must(sched_lease_renew(w.x.sched, board, r.owner, r.for_ms, &until, &e), &e);
		break;
	default:
		must(sched_lease_end(w.x.sched, board, r.owner, &e), &e);
	}
}

static void nurse(void)
{
	char board[8];
	struct err e = {0};

	snprintf(board, sizeof board, "%c%u", (char)('a' + dice(AGENTS)), dice(BOARDS));
	must(sched_board_health(w.x.sched, board, dice(3) ? HEALTH_GOOD : dice(HEALTH_COUNT), "why",
		     people[dice(3)], &e),
		&e);
}

static void change(void)
{
	switch (dice(6)) {
	case 0:
		cancel_one();
		break;
	case 1:
		lease_one();
		break;
	case 2:
		nurse();
		break;
	default:
		add_job();
	}
}

/* ---- time and accidents ---- */

static void hello_all(void)
{
	for (int i = 0; i < AGENTS; i++)
		if (w.hosts[i].up)
			say_hello(&w.hosts[i]);
}

static void pass_time(void)
{
	static const int64_t steps_ms[] = {1000, 20000, 40000, 61000, 600000};
	int64_t left_ms = steps_ms[dice(dice(4) ? 3 : 5)];
	struct err e = {0};

	for (; left_ms > 0; left_ms -= 30000) {
		w.x.now_ms += left_ms < 30000 ? left_ms : 30000;
		clock_set_test(w.x.now_ms);
		for (int i = 0; i < AGENTS; i++)
			if (w.hosts[i].up)
				heard(&w.hosts[i]);
		begin();
		if (sched_tick(w.x.sched, &e))
			DIE(&e);
		keep();
	}
}

/* What has begun, as everybody sees it: jobs by number, their boards by name. */
static json_t *begun(void)
{
	json_t *out = json_object();

	ids_each(&w.x.sched->jobs, slot)
	{
		const struct sched_job *job = slot->value;
		char id[24];

		/* A part that an agent was never told of and that is canceled ends by its hello. */
		if (job->state == JOB_QUEUED || job->state == JOB_CANCELING)
			continue;
		snprintf(id, sizeof id, "%lld", (long long)job->id);
		json_object_set_new(out, id, sched_job_json(w.x.sched, job->id));
		for (unsigned i = 0; i < job->run->n; i++) {
			const char *name = job->run->parts[i].board->name;
			json_t *board;

			if (job->run->parts[i].state == PART_ENDED)
				continue;
			board = sched_board_json(w.x.sched, name);
			json_object_del(board, "online"); /* an agent may be silent unnoticed */
			json_object_set_new(out, name, board);
		}
	}
	return out;
}

static void restart_server(void)
{
	AUTOJSON *before = begun(), *after = NULL;
	const char *key;
	json_t *value;

	sched_free(w.x.sched);
	w.x.sched = new_sched();
	hello_all();
	after = begun();
	json_object_foreach (before, key, value) {
		AUTOFREE char *was = json_dumps(value, JSON_COMPACT);
		AUTOFREE char *is =
			json_dumps(json_object_get(after, key), JSON_COMPACT | JSON_ENCODE_ANY);

		w.compared++;
		if (!is || strcmp(was, is) != 0)
			broke("a restart changes nothing that has begun", "%s\n# is %s", was,
				is ? is : "gone");
	}
}

static void undo_turn(void)
{
	struct host *h = &w.hosts[dice(AGENTS)];
	struct err e = {0};

	begin();
	if (h->up && h->folders.n && dice(2)) {
		struct folder f = h->folders.p[dice((unsigned)h->folders.n)];

		if (!report_end(&f))
			report_start(&f);
	} else
		change();
	store_turn_undo(w.x.store);
	if (sched_reload(w.x.sched, &e))
		DIE(&e);
	hello_all();
}

static void accident(void)
{
	struct host *h = &w.hosts[dice(AGENTS)];

	switch (dice(6)) {
	case 0:
		restart_server();
		break;
	case 1:
		undo_turn();
		break;
	case 2:
		h->up = false;
		break;
	case 3:
		if (!dice(4))
			h->folders.n = 0; /* a new disk */
		say_hello(h);
		break;
	default:
		say_hello(h);
	}
}

static void step(void)
{
	struct host *h = &w.hosts[dice(AGENTS)];
	unsigned what = dice(100);

	if (what < 25)
		poll_host(h);
	else if (what < 50)
		work(h);
	else if (what < 75)
		report(h);
	else if (what < 92) {
		begin();
		if (w.n_jobs < JOBS_MAX - 2)
			change();
		keep();
	} else if (what < 98)
		pass_time();
	else
		accident();
}

/* Jobs that nothing in the estate could run are given up; nobody else is helped. */
static void cancel_hopeless(void)
{
	VEC(int64_t) ids = {0};
	struct err e = {0};

	ids_each(&w.x.sched->jobs, slot)
	{
		const char *why = waits(&w.x, slot->id);

		if (!strncmp(why, "no board", 8) || !strncmp(why, "board 'z9'", 10))
			vec_push(&ids, slot->id);
	}
	begin();
	vec_each (&ids, id)
		must(sched_cancel(w.x.sched, *id, "ann", &e), &e);
	keep();
	vec_done(&ids);
}

static void heal_all(void)
{
	struct err e = {0};

	for (int i = 0; i < AGENTS * BOARDS; i++) {
		char board[8];

		snprintf(board, sizeof board, "%c%d", (char)('a' + i / BOARDS), i % BOARDS);
		begin();
		must(sched_board_health(w.x.sched, board, HEALTH_GOOD, NULL, "x", &e), &e);
		keep();
	}
}

static void finish(struct host *h)
{
	if (!h->up)
		say_hello(h);
	poll_host(h);
	vec_each (&h->folders, f)
		if (f->state != 2 && (!f->lease || f->cancel)) {
			f->state = 2;
			f->verdict = "pass";
			f->blame = "none";
		}
	for (int k = 0; k < 8; k++)
		report(h);
}

static void settle_all(void)
{
	for (int i = 0; i < AGENTS; i++)
		if (!w.hosts[i].up)
			say_hello(&w.hosts[i]);
	cancel_hopeless();
	for (int round = 0; round < 20000 && w.x.sched->jobs.n && !w.broken; round++) {
		for (int i = 0; i < AGENTS; i++)
			finish(&w.hosts[i]);
		if (round % 8 == 0)
			pass_time();
		if (round % 100 == 0)
			heal_all();
		look();
	}
}

int main(void)
{
	const char *turns = getenv("HILAB_SIM"), *seed = getenv("HILAB_SEED");
	int n = turns ? atoi(turns) : 20000, i;

	estate_open(&w.x);
	w.x.checks = true;
	sched_free(w.x.sched);
	w.x.sched = new_sched();
	sqlite3_exec(w.x.store->db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
	w.seed = seed ? strtoull(seed, NULL, 10) : (unsigned long long)time(NULL);
	printf("# HILAB_SEED=%llu HILAB_SIM=%d\n", w.seed, n);
	for (i = 0; i < AGENTS; i++) {
		snprintf(w.hosts[i].name, sizeof w.hosts[i].name, "%c", (char)('a' + i));
		say_hello(&w.hosts[i]);
	}
	for (i = 0; i < n && !w.broken; i++) {
		step();
		look();
	}
	if (!w.broken)
		settle_all();
	if (!w.broken)
		look_at_the_end();
	if (w.broken)
		printf("# turn %d: %s: %s\n", i, w.broken, w.detail);
	printf("# %d jobs and boards compared over restarts, %d ends came late\n", w.compared,
		w.n_late);
	ok(!w.broken, "%d turns, %lld jobs: nothing is out of order", i, (long long)w.n_jobs);
	for (i = 0; i < AGENTS; i++)
		vec_done(&w.hosts[i].folders);
	vec_done(&w.done_in_turn);
	estate_close(&w.x);
	return tap_done();
}
