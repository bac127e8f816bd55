/* SPDX-License-Identifier: MIT */
/*
 * The SD card behind SD1 (SD Host Controller Simplified Specification 3.00), by ADMA2. Invariant: a
 * transfer is good only when the controller said that it is complete and named no error.
 */
#include "board.h"

#define R(a)   (*(volatile uint32_t *)(0xFF170000u + (a)))
#define POLLS  10000000
#define PIECE  65536u /* of one ADMA descriptor; its length is said as 0 */
#define PIECES 128
#define BLOCK  512u

#define DONE_COMMAND  0x1u
#define DONE_TRANSFER 0x2u
#define ERRORS        0x8000u

static struct {
	uint16_t attributes, bytes;
	uint32_t address;
} pieces[PIECES] __attribute__((aligned(8)));

static bool by_block; /* the card counts blocks, not bytes */
static uint32_t blocks_there;

static int wait_for(uint32_t bits)
{
	for (int i = 0; i < POLLS; i++) {
		uint32_t s = R(0x30);

		if (s & ERRORS)
			return -1;
		if (s & bits)
			return 0;
	}
	return -1;
}

static int command(uint32_t index, uint32_t flags, uint32_t argument, uint32_t mode)
{
	R(0x30) = 0xFFFFFFFFu;
	R(0x08) = argument;
	R(0x0C) = index << 24 | flags << 16 | mode;
	return wait_for(DONE_COMMAND);
}

static int power_up(void)
{
	int i;

	if (!(R(0x24) & 1u << 16))
		return -1; /* nothing in the slot */
	R(0x2C) = 1u << 24;
	for (i = 0; R(0x2C) & 1u << 24; i++)
		if (i == POLLS)
			return -1;
	R(0x28) = 0xF10; /* 3.3 V on, ADMA2 */
	R(0x2C) = 0x0001 | 0xE << 16;
	for (i = 0; !(R(0x2C) & 2); i++)
		if (i == POLLS)
			return -1;
	R(0x2C) |= 4;
	R(0x34) = 0xFFFFFFFFu;
	return 0;
}

/* CSD version 2 (SD Physical Layer 5.3.3): C_SIZE; version 1 (5.3.2): three fields. The controller
 * leaves out the CRC: bit n of the CSD is bit n - 8 here. */
static uint32_t csd_blocks(void)
{
	uint32_t size = R(0x14) >> 8 & 0x3fffff;

	if (R(0x1C) >> 22 & 3)
		return (size + 1) * 1024;
	size = (R(0x18) & 3) << 10 | R(0x14) >> 22;
	return (size + 1) << ((R(0x14) >> 7 & 7) + 2 + (R(0x18) >> 8 & 15) - 9);
}

int board_card_init(void)
{
	uint32_t address;

	if (power_up())
		return -1;
	command(0, 0, 0, 0);
	command(8, 0x1A, 0x1AA, 0);
	for (int i = 0; i < 1000; i++) {
		command(55, 0x1A, 0, 0);
		if (!command(41, 0x02, 0x40FF8000u, 0) && R(0x10) >> 31)
			break;
	}
	if (!(R(0x10) >> 31))
		return -1;
	by_block = R(0x10) >> 30 & 1;
	if (command(2, 0x09, 0, 0) || command(3, 0x1A, 0, 0))
		return -1;
	address = R(0x10) & 0xFFFF0000u;
	if (command(9, 0x09, address, 0))
		return -1;
	blocks_there = csd_blocks();
	if (command(7, 0x1B, address, 0) || command(55, 0x1A, address, 0) || command(6, 0x1A, 2, 0))
		return -1;
	R(0x28) = 0xF16; /* 4 bits, high speed, ADMA2 */
	return command(16, 0x1A, BLOCK, 0);
}

uint32_t board_card_blocks(void)
{
	return blocks_there;
}

static int transfer(bool write, uint32_t block, uint32_t address, uint32_t blocks)
{
	uint32_t bytes = blocks * BLOCK, n = (bytes + PIECE - 1) / PIECE;
	uint32_t mode = 0x01 | 0x02 | 0x04 | 0x20; /* DMA, counted, stopped by itself, many */

	if (!blocks || n > PIECES || block + blocks > blocks_there)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t left = bytes - i * PIECE;

		pieces[i].attributes = 0x21 | (i + 1 == n ? 2 : 0);
		pieces[i].bytes = (uint16_t)(left < PIECE ? left : 0);
		pieces[i].address = address + i * PIECE;
	}
	board_barrier();
	R(0x58) = (uint32_t)pieces;
	R(0x04) = blocks << 16 | BLOCK;
	if (command(write ? 25 : 18, 0x3A, by_block ? block : block * BLOCK,
		    mode | (write ? 0 : 0x10)))
		return -1;
	if (wait_for(DONE_TRANSFER))
		return -1;
	board_barrier();
	return 0;
}

int board_card_read(uint32_t block, void *to, uint32_t blocks)
{
	return transfer(false, block, (uint32_t)to, blocks);
}

int board_card_write(uint32_t block, const void *from, uint32_t blocks)
{
	return transfer(true, block, (uint32_t)from, blocks);
}
