/* SPDX-License-Identifier: MIT */
/*
 * Raw speed of the SD card by size of transfer, beyond where a boot image may lie. Invariant: a
 * speed is told only of bytes that were read back as they had been written.
 */
#include "suites.h"

#include "board.h"
#include "drivers/tests/hil.h"
#include "table.h"

#define FIRST_BLOCK 32768u /* 16 MiB */
#define BUFFER      ((uint8_t *)0x02000000u)
#define SIZE_MAX_KB 5120u
#define TOTAL_KB    1024u /* moved for each size, where that is more than one transfer */

static void fill(uint32_t seed, uint32_t bytes)
{
	uint32_t *p = (uint32_t *)BUFFER;

	for (uint32_t i = 0; i < bytes / 4; i++)
		p[i] = seed = seed * 1664525u + 1013904223u;
}

static bool is_filled(uint32_t seed, uint32_t bytes)
{
	const uint32_t *p = (const uint32_t *)BUFFER;

	for (uint32_t i = 0; i < bytes / 4; i++)
		if (p[i] != (seed = seed * 1664525u + 1013904223u))
			return false;
	return true;
}

/* MB/s of n transfers one way; 0 after an error. */
static double speed(bool write, uint32_t kb, uint32_t n)
{
	uint64_t start = board_ns(), ns;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t block = FIRST_BLOCK + i * kb * 2;

		if (write ? board_card_write(block, BUFFER, kb * 2)
			  : board_card_read(block, BUFFER, kb * 2))
			return 0;
	}
	ns = board_ns() - start;
	return (double)kb * 1024 * n * 1000 / (double)ns;
}

static bool one(uint32_t kb, double *write, double *read)
{
	uint32_t n = kb < TOTAL_KB ? TOTAL_KB / kb : 1, seed = kb ^ board_cycles();
	char name[40];

	snprintf(name, sizeof name, "card-%luk", (unsigned long)kb);
	if (FIRST_BLOCK + n * kb * 2 > board_card_blocks()) {
		hil_result(name, HIL_SKIP, "the card is too small");
		return false;
	}
	fill(seed, kb * 1024);
	*write = speed(true, kb, n);
	memset(BUFFER, 0, kb * 1024);
	*read = speed(false, kb, n);
	if (!*write || !*read)
		hil_result(name, HIL_FAIL, "the %s broke off", *write ? "read" : "write");
	else if (!is_filled(seed, kb * 1024))
		hil_result(name, HIL_FAIL, "what was read is not what was written");
	else
		hil_result(name, HIL_PASS, NULL);
	return *write && *read;
}

/* The shape of the J721E document; that of AM275x has none of an SD card. */
static void head(void)
{
	printf("\nSD Card Performance\n\nHS Mode (50 MHz, 4-bit) Theoretical Max: 25 MB/s\n\n");
	table_line("Size of transfer (KB)|RAW Write Throughput (MB/s)|RAW Read Throughput (MB/s)");
	table_rule(3);
}

static void row(uint32_t kb, double write, double read)
{
	table_line("%lu|%.3f|%.3f", (unsigned long)kb, write, read);
}

int suite_card(const struct suite_args *args)
{
	static const uint32_t own[] = {256, 512, 1024, 2048, 5120};
	size_t n = args->n_sizes ? args->n_sizes : 5;
	double write[SIZES_MAX], read[SIZES_MAX];
	bool good[SIZES_MAX] = {false};

	hil_n = hil_bad = 0;
	hil_plan("card", (unsigned)n);
	if (board_card_init()) {
		for (size_t i = 0; i < n; i++)
			hil_result("card", HIL_SKIP, "no SD card that answers");
		return hil_done();
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t kb = args->n_sizes ? args->sizes[i] : own[i];
		char labels[48];

		if (!kb || kb > SIZE_MAX_KB) {
			hil_result("card", HIL_ERROR, "a size is 1 to %u KB", SIZE_MAX_KB);
			continue;
		}
		good[i] = one(kb, &write[i], &read[i]);
		snprintf(labels, sizeof labels, "media=sd mode=HS bs=%luk", (unsigned long)kb);
		if (!good[i] || !args->figures)
			continue;
		hil_metric("storage.write.bw", write[i], "MB/s", labels);
		hil_metric("storage.read.bw", read[i], "MB/s", labels);
	}
	if (!args->tables || hil_bad)
		return hil_done();
	head();
	for (size_t i = 0; i < n; i++)
		if (good[i])
			row(args->n_sizes ? args->sizes[i] : own[i], write[i], read[i]);
	printf("\n");
	return hil_done();
}
