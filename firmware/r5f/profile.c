/* SPDX-License-Identifier: MIT */
/*
 * The boot by stages: what the ROM handed over and what the firmware measured of itself. Invariant:
 * times are those of one boot, on one clock that the ROM started.
 */
#include "suites.h"

#include "board.h"
#include "drivers/tests/hil.h"
#include "table.h"

#define STAGES_MAX (HANDOFF_STAGES + 8)

static struct {
	char name[28];
	uint32_t us;
} stages[STAGES_MAX];
static size_t n_stages;
static uint64_t mark_ns, ready_ns;
static struct handoff told;

void profile_begin(void)
{
	memcpy(&told, (const void *)BOARD_HANDOFF, sizeof told);
	if (told.magic == HANDOFF_MAGIC) {
		board_clock_resume(told.clock_high, told.clock_last);
		for (size_t i = 0; i < told.n && i < HANDOFF_STAGES; i++)
			stages[n_stages++].us = told.stages[i].us;
	}
	mark_ns = board_ns();
}

void profile_stage(const char *name)
{
	uint64_t now = board_ns();

	if (n_stages < STAGES_MAX) {
		snprintf(stages[n_stages].name, sizeof stages[0].name, "%s", name);
		stages[n_stages++].us = (uint32_t)((now - mark_ns) / 1000);
	}
	mark_ns = ready_ns = now;
}

/* As the SoC's document calls what the ROM did. */
static const char *stage_name(size_t i)
{
	static const struct {
		const char *own, *am275x, *j721e;
	} known[] = {
		{"rom", "ROM init", "ROM init"},
		{"media-init", "SBL Drivers_open", "SBL: Boot Media Drivers init"},
		{"load", "R5FSS0_0 Image Load", "SBL: Application Image Load"},
		{"verify", "Image Verification", "SBL: Appication Image Verification"},
		{"copy", "Image Copy", "SBL: App copy to MCU SRAM & Jump to App"},
	};
	const char *own = i < told.n ? told.stages[i].name : stages[i].name;

	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (!strcmp(known[k].own, own))
#ifdef SOC_J721E
			return known[k].j721e;
#else
			return known[k].am275x;
#endif
	return own;
}

static void figures(const char *media)
{
	for (size_t i = 0; i < n_stages; i++) {
		char name[40], labels[100];

		/* labels are words: the name without its blanks */
		snprintf(
			name, sizeof name, "%s", i < told.n ? told.stages[i].name : stages[i].name);
		snprintf(labels, sizeof labels, "media=%s stage=%s", media, name);
		hil_metric("boot.stage", stages[i].us, "us", labels);
	}
}

#ifdef SOC_J721E
static void table(const char *media)
{
	printf("\nSBL %s performance (GP)\n\n", !strcmp(media, "sd") ? "SD Card" : "UART");
	table_line("SBL Boot Time Breakdown|Time (ms)");
	table_rule(2);
	for (size_t i = 0; i < n_stages; i++)
		table_line("%s|%.3fms", stage_name(i), stages[i].us / 1000.0);
	table_line("TOTAL time|%.3fms", (double)ready_ns / 1e6);
	printf("\n");
}
#else
static void table(const char *media)
{
	(void)media;
	printf("\n[BOOTLOADER PROFILE] Boot Media       : %s\n", told.medium);
	printf("[BOOTLOADER PROFILE] Boot Image Size  : %lu KB\n",
		(unsigned long)(told.image_bytes + 1023) / 1024);
	printf("[BOOTLOADER PROFILE] Cores present    :\nr5f0-0\nr5f0-1\n");
	for (size_t i = 0; i < n_stages; i++)
		printf("[BOOTLOADER PROFILE] %-32s : %10luus\n", stage_name(i),
			(unsigned long)stages[i].us);
	printf("[BOOTLOADER PROFILE] %-32s : %10luus\n\n", "SBL Total Time Taken",
		(unsigned long)(ready_ns / 1000));
}
#endif

int suite_boot(const struct suite_args *args)
{
	const char *media = told.medium[0] == 'S' ? "sd" : "uart";

	hil_n = hil_bad = 0;
	hil_plan("boot", 1);
	if (told.magic != HANDOFF_MAGIC) {
		hil_result("profile", HIL_ERROR, "the ROM told nothing");
		return hil_done();
	}
	hil_result("profile", HIL_PASS, NULL);
	if (args->figures)
		figures(media);
	if (args->tables)
		table(media);
	return hil_done();
}
