/* SPDX-License-Identifier: MIT */
/*
 * Messages between the two cores over shared memory: a notification is one word, a message (rpmsg)
 * a descriptor in a ring and its payload, written by the sender and copied by the receiver.
 * Invariant: a latency is told only of messages whose answers were all right.
 */
#include "suites.h"

#include "board.h"
#include "drivers/tests/hil.h"
#include "table.h"

#define NOTIFY_MESSAGES 10000
#define RPMSG_MESSAGES  1000
#define WARM_MESSAGES   100
#define SIZE_MAX_BYTES  512
#define WAIT_NS         2000000000ull
#define ALIVE           0xC0DE0001u
#define GO_AWAY         UINT32_MAX

static struct {
	volatile uint32_t alive, to_1, to_0;
	volatile uint32_t bytes; /* of a message; 0: a notification */
	volatile uint32_t buffer_1[SIZE_MAX_BYTES / 4], buffer_0[SIZE_MAX_BYTES / 4];
} shared __attribute__((aligned(64)));

/* ---- core 1 ---------------------------------------------------------------------------------- */

void ipc_main_1(void)
{
	static uint32_t copy[SIZE_MAX_BYTES / 4];
	uint32_t last = 0;

	shared.to_1 = shared.to_0 = 0;
	shared.alive = ALIVE;
	board_barrier();
	for (;;) {
		uint32_t n = shared.to_1, bytes;

		if (n == last)
			continue;
		last = n;
		board_barrier();
		bytes = shared.bytes;
		if (bytes == GO_AWAY)
			board_core_off();
		for (uint32_t i = 0; i < bytes / 4; i++)
			copy[i] = shared.buffer_1[i];
		for (uint32_t i = 0; i < bytes / 4; i++)
			shared.buffer_0[i] = ~copy[i];
		board_barrier();
		shared.to_0 = n;
	}
}

/* ---- core 0 ---------------------------------------------------------------------------------- */

extern void start_1(void);

int ipc_start(void)
{
	uint64_t until = board_ns() + WAIT_NS;

	shared.alive = 0;
	board_barrier();
	while (board_core_on(1, start_1)) /* it may be on its way off */
		if (board_ns() > until)
			return -1;
	while (shared.alive != ALIVE && board_ns() < until)
		;
	return shared.alive == ALIVE ? 0 : -1;
}

/* It would poll for ever. */
void ipc_stop(void)
{
	shared.bytes = GO_AWAY;
	board_barrier();
	shared.to_1 = UINT32_MAX;
	board_barrier();
}

/* One round trip; its time, or 0 where no right answer came. */
static uint32_t trip(uint32_t n, uint32_t bytes)
{
	uint32_t start = board_cycles(), took, tries = 0;

	shared.bytes = bytes;
	for (uint32_t i = 0; i < bytes / 4; i++)
		shared.buffer_1[i] = n + i;
	board_barrier();
	shared.to_1 = n;
	while (shared.to_0 != n)
		if (!(++tries & 0xfffff) && board_cycles() - start > (uint32_t)WAIT_NS)
			return 0;
	board_barrier();
	for (uint32_t i = 0; i < bytes / 4; i++)
		if (shared.buffer_0[i] != ~(n + i))
			return 0;
	took = board_cycles() - start;
	return took ? took : 1;
}

/* Mean and longest of one way, in us. The number of wrong answers. */
static uint32_t measure(uint32_t messages, uint32_t bytes, double *mean_us, double *max_us)
{
	uint32_t bad = 0, longest = 0;
	uint64_t sum = 0;
	static uint32_t n;

	for (uint32_t i = 0; i < messages + WARM_MESSAGES && bad < 3; i++) {
		uint32_t took = trip(++n, bytes);

		(void)board_ns(); /* the long clock goes on */
		if (!(i & 0xff) && stop_wanted())
			return messages;
		if (!took)
			bad++;
		if (i < WARM_MESSAGES)
			continue;
		sum += took;
		longest = took > longest ? took : longest;
	}
	*mean_us = (double)sum / messages / 2000;
	*max_us = longest / 2000.0;
	return bad;
}

static bool begin(const char *suite, unsigned n)
{
	hil_n = hil_bad = 0;
	hil_plan(suite, n);
	if (!ipc_start())
		return true;
	hil_result("core-1", HIL_ERROR, "core 1 does not answer");
	return false;
}

static int end(void)
{
	ipc_stop();
	return hil_done();
}

static bool judge(const char *name, uint32_t bad, uint32_t messages)
{
	if (stop_wanted())
		hil_result(name, HIL_ERROR, "stopped");
	else if (bad)
		hil_result(name, HIL_FAIL, "%lu of %lu answers wrong", (unsigned long)bad,
			(unsigned long)messages);
	else
		hil_result(name, HIL_PASS, NULL);
	return !bad;
}

int suite_notify(const struct suite_args *args)
{
	uint32_t messages = args->messages ? args->messages : NOTIFY_MESSAGES;
	char labels[100];
	double mean, longest;

	if (!begin("ipc-notify", 1))
		return end();
	if (!judge("ipc-notify", measure(messages, 0, &mean, &longest), messages))
		return end();
	snprintf(labels, sizeof labels, "from=r5f0-0 to=r5f0-1 messages=%lu",
		(unsigned long)messages);
	if (args->figures)
		hil_metric("ipc.notify", mean, "us", labels);
	if (args->tables) {
		printf("\nIPC NOTIFY\n\n- %lu messages are sent and average one way message "
		       "latency is measured\n\n",
			(unsigned long)messages);
		table_line("Local Core|Remote Core|Average Message Latency (us)");
		table_rule(3);
		table_line("r5f0-0|r5f0-1|%.3f", mean);
		printf("\n");
	}
	return end();
}

static size_t sizes_of(
	const struct suite_args *args, const uint32_t *own, size_t n_own, uint32_t *sizes)
{
	size_t n = args->n_sizes ? args->n_sizes : n_own, kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t bytes = args->n_sizes ? args->sizes[i] : own[i];

		if (bytes >= 4 && bytes <= SIZE_MAX_BYTES && bytes % 4 == 0)
			sizes[kept++] = bytes;
	}
	return kept;
}

int suite_rpmsg(const struct suite_args *args)
{
	static const uint32_t own[] = {32, 64, 112};
	uint32_t messages = args->messages ? args->messages : RPMSG_MESSAGES, sizes[SIZES_MAX];
	size_t n = sizes_of(args, own, 3, sizes);
	double mean[SIZES_MAX], longest[SIZES_MAX];

	if (!begin("ipc-rpmsg", (unsigned)n))
		return end();
	for (size_t i = 0; i < n; i++) {
		char name[40], labels[100];

		snprintf(name, sizeof name, "ipc-rpmsg-%lu", (unsigned long)sizes[i]);
		if (!judge(name, measure(messages, sizes[i], &mean[i], &longest[i]), messages))
			return end();
		snprintf(labels, sizeof labels, "from=r5f0-0 to=r5f0-1 size=%lu messages=%lu",
			(unsigned long)sizes[i], (unsigned long)messages);
		if (!args->figures)
			continue;
		hil_metric("ipc.rpmsg", mean[i], "us", labels);
		hil_metric("ipc.rpmsg_max", longest[i], "us", labels);
	}
	if (args->tables) {
		printf("\nIPC RPMSG\n\n- %lu messages are sent and average one way message latency "
		       "is measured\n\n",
			(unsigned long)messages);
		table_line("Local Core|Remote Core|Message Size|Average Message Latency (us)|Max "
			   "Latency (us)");
		table_rule(5);
		for (size_t i = 0; i < n; i++)
			table_line("r5f0-0|r5f0-1|%lu|%.3f|%.3f", (unsigned long)sizes[i], mean[i],
				longest[i]);
		printf("\n");
	}
	return end();
}

/* The shape of the J721E document: a column for each size, time of message and answer. */
static void trip_table(const uint32_t *sizes, size_t n, const double *mean)
{
	char head[200] = "Remote Core", row[200] = CORE_1_NAME;

	for (size_t i = 0; i < n; i++) {
		snprintf(head + strlen(head), sizeof head - strlen(head), "|%lu Bytes",
			(unsigned long)sizes[i]);
		snprintf(row + strlen(row), sizeof row - strlen(row), "|%.3f", 2 * mean[i]);
	}
	printf("\nPerformance - Host Core " CORE_0_NAME ", 1 GHz\n\n");
	table_line("%s", head);
	table_rule(n + 1);
	table_line("%s", row);
	printf("\n");
}

int suite_round_trip(const struct suite_args *args)
{
	static const uint32_t own[] = {4, 8, 16, 32, 64, 128, 256};
	uint32_t messages = args->messages ? args->messages : RPMSG_MESSAGES, sizes[SIZES_MAX];
	size_t n = sizes_of(args, own, 7, sizes);
	double mean[SIZES_MAX], longest;

	if (!begin("ipc-round-trip", (unsigned)n))
		return end();
	for (size_t i = 0; i < n; i++) {
		char name[40], labels[100];

		snprintf(name, sizeof name, "ipc-round-trip-%lu", (unsigned long)sizes[i]);
		if (!judge(name, measure(messages, sizes[i], &mean[i], &longest), messages))
			return end();
		snprintf(labels, sizeof labels, "from=main-r5f0 to=main-r5f1 size=%lu",
			(unsigned long)sizes[i]);
		if (args->figures)
			hil_metric("ipc.round_trip", 2 * mean[i], "us", labels);
	}
	if (args->tables)
		trip_table(sizes, n, mean);
	return end();
}
