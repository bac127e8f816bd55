/* SPDX-License-Identifier: MIT */
#ifndef R5F_BOARD_H
#define R5F_BOARD_H

/*
 * The hardware under the ROM and the firmware: the Cortex-R5F pair of a Zynq UltraScale+ as QEMU's
 * xlnx-zcu102 has it (Xilinx UG1085: UART0, SD1, OCM at 0xFFFC0000). What hilab plays on it is a
 * chip with a ROM, boot-mode straps and two cores.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOARD_RAM_FIRST  0x00000000u /* where images may go */
#define BOARD_RAM_BYTES  0x00800000u
#define BOARD_LOAD_FIRST 0x01000000u /* where the ROM takes an image apart */
#define BOARD_LOAD_BYTES 0x00800000u
#define BOARD_CARD_IMAGE 256u /* block of the card where the image begins: 128 KiB */

/* The boot-mode straps: a word that is set at power-on. */
#define BOARD_STRAPS     (*(volatile uint32_t *)0xFFFFFF00u)
#define BOARD_STRAP_UART 0x54524155u /* "UART" */
#define BOARD_STRAP_SD   0x44524353u /* "SCRD" */

/* What the ROM tells the firmware. */
#define HANDOFF_MAGIC  0x46464F48u
#define HANDOFF_STAGES 8
struct handoff {
	uint32_t magic, image_bytes;
	char medium[16], rom[32];
	uint32_t clock_high, clock_last; /* the clock goes on */
	uint32_t n;
	struct {
		char name[28];
		uint32_t us;
	} stages[HANDOFF_STAGES];
};
#ifndef BOARD_HANDOFF /* a test has it elsewhere */
#define BOARD_HANDOFF ((volatile struct handoff *)0xFFFEF000u)
#endif

void board_uart_init(void);
void board_put(uint8_t byte);
int board_get(void); /* -1: none is there */
/* Time since the ROM began. To be asked at least every 4 s, by core 0 alone. */
uint64_t board_ns(void);
void board_clock_resume(uint32_t high, uint32_t last);
void board_clock_state(uint32_t *high, uint32_t *last);
uint32_t board_cycles(void);
void board_caches(bool on);
void board_caches_drop(void); /* what they hold is forgotten; only where nothing was written */
/* Releases a core at entry; 0 when it runs. */
int board_core_on(uint32_t core, void (*entry)(void));
void board_core_off(void); /* of this core; does not return */
void board_stop(void);     /* this core, for ever */
void board_sleep(void);    /* core 0, until the console has a byte; sleep.c, not in the ROM */

static inline void board_barrier(void)
{
	__asm volatile("dmb" ::: "memory");
}

/* A card in the slot: blocks of 512 bytes. */
int board_card_init(void); /* 0, or -1: no card that answers */
uint32_t board_card_blocks(void);
int board_card_read(uint32_t block, void *to, uint32_t blocks);
int board_card_write(uint32_t block, const void *from, uint32_t blocks);

/* The timer of which a tick is polled. */
void board_timer_start(uint32_t ticks); /* one event every ticks */
bool board_timer_fired(void);           /* and forgets it */
uint32_t board_timer_count(void);

#endif
