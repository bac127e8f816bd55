/* SPDX-License-Identifier: MIT */
#ifndef R5F_XMODEM_H
#define R5F_XMODEM_H

/*
 * Receives by XMODEM with CRC-16, blocks of 128 and of 1024 bytes (as C. Forsberg, "XMODEM/YMODEM
 * Protocol Reference", 1988, has them). The line and the clock are the caller's.
 */

#include <stddef.h>
#include <stdint.h>

struct xmodem {
	/* The next byte, or -1 when none came in ms. */
	int (*get)(void *arg, unsigned ms);
	void (*put)(void *arg, uint8_t byte);
	void *arg;
};

enum { XMODEM_CANCELED = -1, XMODEM_FULL = -2, XMODEM_SILENT = -3, XMODEM_DAMAGED = -4 };

/* Asks for a sender until one comes. Bytes received (with the padding of the last block), or one of
 * the above. */
long xmodem_receive(const struct xmodem *x, uint8_t *out, size_t room);

#endif
