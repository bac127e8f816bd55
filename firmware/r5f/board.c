/* SPDX-License-Identifier: MIT */
/* Console, clock, caches, cores and timer. Invariant: nothing here waits without a bound. */
#include "board.h"

#define R(a)    (*(volatile uint32_t *)(a))
#define UART    0xFF000000u
#define TTC     0xFF110000u
#define FULL    0x10u
#define EMPTY   0x02u
#define PUT_MAX 10000000
#define SMC     ".inst.w 0xF7F08000" /* smc #0, which the assembler has not for an R5 */

static uint32_t clock_high, clock_last;

void board_uart_init(void)
{
	R(UART) = 0x14; /* receiver and sender on */
}

void board_put(uint8_t byte)
{
	for (int i = 0; R(UART + 0x2C) & FULL && i < PUT_MAX; i++)
		;
	R(UART + 0x30) = byte;
}

int board_get(void)
{
	return R(UART + 0x2C) & EMPTY ? -1 : (int)(R(UART + 0x30) & 0xff);
}

uint32_t board_cycles(void)
{
	uint32_t v;

	__asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(v));
	return v;
}

/* The cycle counter of 1 GHz, made long. */
uint64_t board_ns(void)
{
	uint32_t now = board_cycles();

	if (now < clock_last)
		clock_high++;
	clock_last = now;
	return (uint64_t)clock_high << 32 | now;
}

void board_clock_resume(uint32_t high, uint32_t last)
{
	clock_high = high;
	clock_last = last;
}

void board_clock_state(uint32_t *high, uint32_t *last)
{
	*high = clock_high;
	*last = clock_last;
}

/* SCTLR: C is bit 2, I is bit 12. */
void board_caches(bool on)
{
	uint32_t v;

	board_caches_drop();
	__asm volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(v));
	v = on ? v | 1u << 2 | 1u << 12 : v & ~(1u << 2 | 1u << 12);
	__asm volatile("dsb\n\tmcr p15, 0, %0, c1, c0, 0\n\tisb" ::"r"(v) : "memory");
}

/* Cortex-R5 TRM, "Invalidate all data cache" (c15, c5) and ICIALLU. */
void board_caches_drop(void)
{
	__asm volatile(
		"dsb\n\tmcr p15, 0, %0, c15, c5, 0\n\tmcr p15, 0, %0, c7, c5, 0\n\tdsb\n\tisb"
		:
		: "r"(0)
		: "memory");
}

/* PSCI 0.2, CPU_ON; the pair has numbers 4 and 5 there. */
int board_core_on(uint32_t core, void (*entry)(void))
{
	register uint32_t r0 __asm("r0") = 0x84000003u;
	register uint32_t r1 __asm("r1") = 4 + core;
	register uint32_t r2 __asm("r2") = (uint32_t)entry;
	register uint32_t r3 __asm("r3") = 0;

	__asm volatile(SMC : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)::"memory", "ip", "lr");
	return (int)r0;
}

void board_core_off(void)
{
	register uint32_t r0 __asm("r0") = 0x84000002u;

	__asm volatile(SMC : "+r"(r0)::"memory", "r1", "r2", "r3");
	board_stop();
}

void board_stop(void)
{
	for (;;)
		__asm volatile("wfi");
}

/* The first counter of TTC0, interval mode. */
void board_timer_start(uint32_t ticks)
{
	R(TTC + 0x0C) = 1; /* stopped */
	R(TTC + 0x00) = 0; /* no prescaler */
	R(TTC + 0x24) = ticks;
	R(TTC + 0x60) = 1; /* the interval's event is told */
	(void)R(TTC + 0x54);
	R(TTC + 0x0C) = 0x12; /* interval, from zero */
}

bool board_timer_fired(void)
{
	return R(TTC + 0x54) & 1;
}

uint32_t board_timer_count(void)
{
	return R(TTC + 0x18);
}
