/* SPDX-License-Identifier: MIT */
/* XMODEM, the receiver's side. Invariant: a block goes into out only when its number and its CRC
 * are right, and each number once. */
#include "xmodem.h"

#include <string.h>

#define SOH 0x01
#define STX 0x02
#define EOT 0x04
#define ACK 0x06
#define NAK 0x15
#define CAN 0x18

#define ASK_MS   1000  /* between two calls for a sender */
#define BLOCK_MS 10000 /* for the next block */
#define BYTE_MS  1000  /* for the next byte of a block */
#define ERRORS   20    /* damaged blocks in a row */

static uint16_t crc16(const uint8_t *p, size_t n)
{
	uint16_t crc = 0;

	for (; n; n--) {
		crc = (uint16_t)(crc ^ *p++ << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}

/* The rest of a block after its first byte. 1: good, 0: damaged. */
static int get_block(const struct xmodem *x, uint8_t *number, uint8_t *data, size_t n)
{
	uint8_t tail[2];
	int c = x->get(x->arg, BYTE_MS), not_c = x->get(x->arg, BYTE_MS);

	for (size_t i = 0; i < n + 2; i++) {
		int byte = x->get(x->arg, BYTE_MS);

		if (byte < 0)
			return 0;
		if (i < n)
			data[i] = (uint8_t)byte;
		else
			tail[i - n] = (uint8_t)byte;
	}
	*number = (uint8_t)c;
	return c >= 0 && not_c >= 0 && c + not_c == 255 &&
	       crc16(data, n) == (tail[0] << 8 | tail[1]);
}

/* After something damaged: until the sender pauses. */
static void refuse(const struct xmodem *x)
{
	while (x->get(x->arg, BYTE_MS) >= 0)
		;
	x->put(x->arg, NAK);
}

static int await_sender(const struct xmodem *x)
{
	for (;;) {
		int c;

		x->put(x->arg, 'C');
		c = x->get(x->arg, ASK_MS);
		if (c == SOH || c == STX || c == EOT || c == CAN)
			return c;
	}
}

long xmodem_receive(const struct xmodem *x, uint8_t *out, size_t room)
{
	static uint8_t data[1024];
	uint8_t want = 1, number;
	unsigned errors = 0;
	size_t have = 0;

	for (int c = await_sender(x);; c = x->get(x->arg, BLOCK_MS)) {
		size_t n = c == SOH ? 128 : 1024;

		if (c == EOT) {
			x->put(x->arg, ACK);
			return (long)have;
		}
		if (c == CAN && x->get(x->arg, BYTE_MS) == CAN)
			return XMODEM_CANCELED;
		if (c < 0)
			return XMODEM_SILENT;
		if ((c != SOH && c != STX) || !get_block(x, &number, data, n)) {
			if (++errors == ERRORS)
				return XMODEM_DAMAGED;
			refuse(x);
			continue;
		}
		errors = 0;
		if (number == want) {
			if (n > room - have) {
				x->put(x->arg, CAN);
				x->put(x->arg, CAN);
				return XMODEM_FULL;
			}
			memcpy(out + have, data, n);
			have += n;
			want++;
		} else if (number != (uint8_t)(want - 1)) { /* out of step for good */
			x->put(x->arg, CAN);
			x->put(x->arg, CAN);
			return XMODEM_DAMAGED;
		}
		x->put(x->arg, ACK); /* also for the one before, whose ACK was lost */
	}
}
