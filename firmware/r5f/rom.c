/* SPDX-License-Identifier: MIT */
/*
 * The ROM of the twins' real-time chip: takes the boot image from where the straps say, the SD card
 * or XMODEM over the console, and starts it. Invariant: nothing is started that did not pass
 * image_check; what is refused is told with a reason, and the chip then waits for its next reset.
 */
#include "board.h"
#include "image.h"
#include "out.h"
#include "xmodem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROM_VERSION "1"

int main(void);
int main_1(void);
void fault(unsigned n, uint32_t at);

static uint8_t *const image = (uint8_t *)BOARD_LOAD_FIRST;
static const struct image_place place = {BOARD_RAM_FIRST, BOARD_RAM_BYTES, SOC};
static struct handoff told;
static uint64_t mark_ns;

void out_put(const char *bytes, size_t n)
{
	for (; n; n--, bytes++) {
		if (*bytes == '\n')
			board_put('\r');
		board_put((uint8_t)*bytes);
	}
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	out_put("ROM: ", 5);
	out_put(text, strlen(text));
	out_put("\n", 1);
}

static void refuse(const char *why)
{
	say("refused: %s", why);
	say("stopped, waits for a reset");
	board_stop();
}

void fault(unsigned n, uint32_t at)
{
	say("exception %u near %08lx", n, (unsigned long)at);
	board_stop();
}

int main_1(void)
{
	return 0;
}

static void stage(const char *name)
{
	uint64_t now = board_ns();

	if (told.n < HANDOFF_STAGES) {
		snprintf(told.stages[told.n].name, sizeof told.stages[0].name, "%s", name);
		told.stages[told.n++].us = (uint32_t)((now - mark_ns) / 1000);
	}
	mark_ns = now;
}

/* ---- media ----------------------------------------------------------------------------------- */

static size_t from_card(void)
{
	struct image_header *h = (struct image_header *)image;
	char why[IMAGE_WHY_BYTES];
	size_t n;

	if (board_card_init())
		refuse("no SD card that answers");
	stage("media-init");
	if (board_card_read(BOARD_CARD_IMAGE, image, 1))
		refuse("cannot read the SD card");
	if (image_check_header(h, &place, why))
		refuse(why);
	n = (image_bytes(h) + 511) / 512;
	if (BOARD_CARD_IMAGE + n > board_card_blocks() ||
		board_card_read(BOARD_CARD_IMAGE, image, (uint32_t)n))
		refuse("truncated: the SD card ends, or cannot be read, inside the image");
	return n * 512;
}

static int get(void *arg, unsigned ms)
{
	uint64_t until = board_ns() + (uint64_t)ms * 1000000;
	int c;

	(void)arg;
	do {
		c = board_get();
	} while (c < 0 && board_ns() < until);
	return c;
}

static void put(void *arg, uint8_t byte)
{
	(void)arg;
	board_put(byte);
}

static size_t from_console(void)
{
	static const struct xmodem line = {get, put, NULL};
	long n;

	say("waits for XMODEM");
	stage("media-init");
	n = xmodem_receive(&line, image, BOARD_LOAD_BYTES);
	out_put("\n", 1);
	if (n == XMODEM_FULL)
		refuse("longer than this chip can take");
	if (n < 0)
		refuse(n == XMODEM_CANCELED ? "the sender canceled" : "the transfer broke off");
	say("%ld bytes came", n);
	return (size_t)n;
}

/* ---- start ----------------------------------------------------------------------------------- */

static void start(const struct image_header *h)
{
	void (*entry)(void) = (void (*)(void))h->entry;

	memcpy((void *)h->load, h + 1, h->payload_bytes);
	__asm volatile("dsb\n\tmcr p15, 0, %0, c7, c5, 0\n\tisb" ::"r"(0) : "memory");
	told.magic = HANDOFF_MAGIC;
	told.image_bytes = (uint32_t)image_bytes(h);
	stage("copy");
	board_clock_state(&told.clock_high, &told.clock_last);
	memcpy((void *)BOARD_HANDOFF, &told, sizeof told);
	board_barrier();
	entry();
}

int main(void)
{
	struct image_header *h = (struct image_header *)image;
	bool uart = BOARD_STRAPS == BOARD_STRAP_UART;
	char why[IMAGE_WHY_BYTES];
	size_t n;

	board_uart_init();
	out_put("\n", 1);
	snprintf(told.rom, sizeof told.rom, "hilab ROM %s (%s)", ROM_VERSION, SOC);
	snprintf(told.medium, sizeof told.medium, "%s", uart ? "UART" : "SD Card");
	say("hilab ROM %s (%s), boot mode %s", ROM_VERSION, SOC, uart ? "uart" : "sd");
	if (!uart && BOARD_STRAPS != BOARD_STRAP_SD)
		refuse("the straps select no boot mode");
	stage("rom");
	n = uart ? from_console() : from_card();
	stage("load");
	if (image_check(image, n, &place, why))
		refuse(why);
	stage("verify");
	say("starts %s build %.12s", h->version, h->build_id);
	start(h);
	return 0;
}
