/* SPDX-License-Identifier: MIT */
/*
 * Core 0 at rest. QEMU's R5 has no interrupt that could end a wait, and a core that polls costs the
 * lab host one of its own: so the core switches itself off, and the A53 of the ROM (start.S)
 * switches it on again when the console has a byte. Invariant: a byte that comes at any point of it
 * is still there afterwards. The cycle counter begins anew: no time is measured across a sleep.
 */
#include "board.h"

#include <setjmp.h>

#define R(a)    (*(volatile uint32_t *)(0xFF000000u + (a)))
#define RESUME  (*(volatile uint32_t *)0xFFFFFF10u)
#define RECEIVE 1u /* the interrupt of a byte that came */

static jmp_buf back;

extern void resume(void);
void board_awake(void);

void board_awake(void)
{
	longjmp(back, 1);
}

void board_sleep(void)
{
	if (!setjmp(back)) {
		RESUME = (uint32_t)resume;
		R(0x20) = 1; /* one byte is enough */
		R(0x14) = RECEIVE;
		R(0x08) = RECEIVE;
		board_barrier();
		if (R(0x2C) & 2) /* nothing came meanwhile */
			board_core_off();
	} else {
		board_caches(true);
	}
	R(0x0C) = RECEIVE;
	R(0x14) = RECEIVE;
}
