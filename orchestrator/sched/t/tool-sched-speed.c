/* SPDX-License-Identifier: MIT */
/*
 * What a decision costs: an estate of 10 to 2,000 boards with five jobs queued for each. Each line
 * is of one size: CPU microseconds for a submission that has to wait, for the end of a run with the
 * start of the next job on its board (store included, commits not), and bytes of a queued job.
 */
#include "estate.h"

#include <malloc.h>
#include <time.h>

static const char *const wants[] = {ALPHA, "[{\"type\":\"beta\"}]", "[{}]", "[{\"soc\":\"soc1\"}]",
	"[{\"peripherals\":[\"mmc\"]}]", "[{\"tags\":[\"desk\"]}]",
	"[{\"type\":\"alpha\",\"peripherals\":[\"ethernet\"]}]"};

/* Of this process alone, whatever else the machine does. */
static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void announce(struct estate *x, int boards, int agents, int max_jobs)
{
	for (int a = 0; a < agents; a++) {
		AUTOBUF names = BUF_INIT(1 << 20);
		char agent[16];

		for (int i = a; i < boards; i += agents)
			buf_printf(
				&names, "%sb%d%s", names.len ? " " : "", i, i % 3 ? "" : ":beta");
		snprintf(agent, sizeof agent, "agent%d", a);
		json_decref(hello_with(x, agent, buf_str(&names), max_jobs, NULL));
	}
}

static double submit_all(struct estate *x, int jobs)
{
	int64_t from;
	struct err e = {0};

	turn(x);
	from = cpu_us();
	for (int i = 0; i < jobs; i++) {
		char who[16];
		struct store_job job = {.name = "smoke", .kind = "job", .params = "{}"};

		snprintf(who, sizeof who, "user%d", i % 20);
		job.submitter = who;
		job.wants = wants[(unsigned)i % ARRAY_LEN(wants)];
		job.plans = PLAN;
		job.priority = i % 3 - 1;
		job.timeout_ms = 60000;
		if (sched_submit(x->sched, &job, &e))
			DIE(&e);
	}
	from = cpu_us() - from;
	commit(x);
	return (double)from / jobs;
}

static double end_all(struct estate *x, int ends)
{
	AUTOJSON *status =
		json_pack("{s:s, s:s, s:s}", "verdict", "pass", "blame", "none", "power", "off");
	struct err e = {0};
	int64_t from;

	turn(x);
	from = cpu_us();
	for (int run = 1; run <= ends; run++)
		if (sched_part_ended(x->sched, run, 0, status, &e))
			DIE(&e);
	from = cpu_us() - from;
	commit(x);
	return (double)from / ends;
}

static void measure(int boards, int agents, int max_jobs)
{
	int jobs = 5 * boards, places = max_jobs ? agents * max_jobs : boards;
	size_t before, after;
	double submit_us, end_us;
	struct estate x;

	estate_open(&x);
	/* Followers cost what they cost; here it is the decision that counts. */
	sched_free(x.sched);
	x.sched = sched_new(x.store, &x.types, &(struct sched_hooks){.arg = &x}, NULL);
	announce(&x, boards, agents, max_jobs);
	submit_all(&x, places < boards ? places : boards);
	before = mallinfo2().uordblks;
	submit_us = submit_all(&x, jobs);
	after = mallinfo2().uordblks;
	end_us = end_all(&x, jobs);
	printf("%6d %6d %8d %7d %10.1f %10.1f %9zu\n", boards, agents, max_jobs, jobs, submit_us,
		end_us, (after - before) / (size_t)jobs);
	estate_close(&x);
}

int main(void)
{
	static const struct {
		int boards, agents, max_jobs;
	} sizes[] = {{10, 1, 0}, {100, 1, 0}, {500, 1, 0}, {2000, 1, 0}, {2000, 50, 0},
		{2000, 200, 0}, {2000, 1, 64}, {2000, 50, 8}};

	printf("boards agents max_jobs  queued  submit_us     end_us job_bytes\n");
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		measure(sizes[i].boards, sizes[i].agents, sizes[i].max_jobs);
	return 0;
}
