/* SPDX-License-Identifier: MIT */
/*
 * Cycles of a FIR filter and of a copy, code and data in RAM: caches on, caches off, and on but
 * emptied before one run of ten. Invariant: cycles are told only of runs whose result was right.
 */
#include "suites.h"

#include "board.h"
#include "drivers/tests/hil.h"
#include "table.h"

#define RUNS    10
#define TAPS    32
#define SAMPLES 256
#define BYTES   2048

enum { CACHED, UNCACHED, ONE_OF_TEN, CASES };
static const char *const cases[] = {"cached", "uncached", "uncached-1-of-10"};
static const char *const printed[] = {"Code/Data fully cached", "Code/Data not cached",
	"Code/Data not cached 1 of 10 iterations"};

static int16_t taps[TAPS], in[SAMPLES + TAPS];
static int32_t out[SAMPLES];
static uint8_t from[BYTES], to[BYTES];

static void fir(void)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		int32_t sum = 0;

		for (size_t t = 0; t < TAPS; t++)
			sum += taps[t] * in[i + t];
		out[i] = sum;
	}
}

static void copy(void)
{
	memcpy(to, from, BYTES);
	__asm volatile("" ::: "memory");
}

static bool fir_is_right(void)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		int32_t sum = 0;

		for (size_t t = TAPS; t-- > 0;)
			sum += in[i + t] * taps[t];
		if (sum != out[i])
			return false;
	}
	return true;
}

static bool copy_is_right(void)
{
	return !memcmp(to, from, BYTES);
}

static uint32_t mean_cycles(void (*op)(void), int how)
{
	uint64_t sum = 0;

	board_caches(how != UNCACHED);
	op(); /* code and data into what caches there are */
	for (int i = 0; i < RUNS; i++) {
		uint32_t start;

		if (how == ONE_OF_TEN && !i)
			board_caches_drop();
		start = board_cycles();
		op();
		sum += board_cycles() - start;
	}
	board_caches(true);
	return (uint32_t)(sum / RUNS);
}

static void one(const char *name, void (*op)(void), bool (*is_right)(void), uint32_t *cycles)
{
	for (int how = 0; how < CASES; how++) {
		char test[48];

		memset(out, 0, sizeof out);
		memset(to, 0, sizeof to);
		cycles[how] = mean_cycles(op, how);
		snprintf(test, sizeof test, "%s-%s", name, cases[how]);
		if (is_right())
			hil_result(test, HIL_PASS, NULL);
		else
			hil_result(test, HIL_FAIL, "the result is wrong");
	}
}

static void tell(const struct suite_args *args, unsigned number, const char *name,
	const char *title, const uint32_t *cycles)
{
	for (int how = 0; how < CASES && args->figures; how++) {
		char labels[48];

		snprintf(labels, sizeof labels, "op=%s case=%s", name, cases[how]);
		hil_metric("xip.cycles", cycles[how], "cycles", labels);
	}
	if (!args->tables)
		return;
	printf("\n- %u) %s operation\n\n", number, title);
	table_line("Caching status|Cycles taken");
	table_rule(2);
	for (int how = 0; how < CASES; how++)
		table_line("%s|%lu", printed[how], (unsigned long)cycles[how]);
}

int suite_memory(const struct suite_args *args)
{
	uint32_t fir_cycles[CASES], copy_cycles[CASES];

	hil_n = hil_bad = 0;
	hil_plan("memory", 2 * CASES);
	for (size_t i = 0; i < sizeof in / sizeof *in; i++)
		in[i] = (int16_t)(i * 2654435761u >> 20);
	for (size_t i = 0; i < TAPS; i++)
		taps[i] = (int16_t)(i * 40503u >> 4 & 0x3ff);
	for (size_t i = 0; i < BYTES; i++)
		from[i] = (uint8_t)(i * 167 + (i >> 8));
	one("fir", fir, fir_is_right, fir_cycles);
	one("memcpy", copy, copy_is_right, copy_cycles);
	if (hil_bad)
		return hil_done();
	if (args->tables)
		printf("\nRAM Benchmark\n\n- Core : R5F\n- Core Operating Speed : 1000 MHz\n");
	tell(args, 1, "fir", "FIR", fir_cycles);
	tell(args, 2, "memcpy", "MEMCPY", copy_cycles);
	if (args->tables)
		printf("\n");
	return hil_done();
}
