/* SPDX-License-Identifier: MIT */
/*
 * The firmware's command line on the host: its main.c and frames.c as they are, on stdin and stdout
 * in place of a console, with suites of the test's own. For tests of those who talk to it. Ends at
 * the end of its input.
 */
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define HIL_BARE
#define SOC     "am275x"
#define VERSION "r5f-test"

#include "firmware/r5f/board.h"
#undef BOARD_HANDOFF
#define BOARD_HANDOFF (&host_handoff)

static struct handoff host_handoff = {.medium = "test"};
const uint32_t _build_id[] = {4, 4, 3, 0, 0x01020304};

#include "firmware/r5f/out.h"

static int host_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int host_printf(const char *format, ...)
{
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	out_put(text, (size_t)n);
	return n;
}
#define printf(...) host_printf(__VA_ARGS__)
#define main        firmware_main

#include "firmware/r5f/frames.c"
#include "firmware/r5f/main.c"

#undef main

/* ---- the board ------------------------------------------------------------------------------- */

void board_put(uint8_t byte)
{
	if (write(1, &byte, 1) != 1)
		exit(0);
}

int board_get(void)
{
	struct pollfd fd = {.events = POLLIN};
	uint8_t byte;

	if (poll(&fd, 1, 10) <= 0)
		return -1;
	if (read(0, &byte, 1) != 1)
		exit(0);
	return byte;
}

uint64_t board_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void board_sleep(void)
{
}

void board_stop(void)
{
	exit(1);
}

void board_uart_init(void)
{
}

void board_caches(bool on)
{
	(void)on;
}

int board_card_init(void)
{
	return -1;
}

/* ---- suites ---------------------------------------------------------------------------------- */

void profile_begin(void)
{
}

void profile_stage(const char *name)
{
	(void)name;
}

int ipc_start(void)
{
	return 0;
}

void ipc_stop(void)
{
}

void ipc_main_1(void)
{
}

/* Many results, more than a line of output each. */
int suite_notify(const struct suite_args *args)
{
	hil_n = hil_bad = 0;
	for (uint32_t i = 0; i < args->messages; i++) {
		char name[20];

		snprintf(name, sizeof name, "test-%u", (unsigned)i);
		hil_result(name, i % 10 == 7 ? HIL_FAIL : HIL_PASS, "100%% | @ of it");
		hil_metric("count", i, "count", "a=b");
	}
	return hil_done();
}

/* Output of as many lines as asked for. */
int suite_rpmsg(const struct suite_args *args)
{
	for (uint32_t i = 0; i < args->messages; i++)
		printf("%u: 50%% | @hil of what is printed\n", (unsigned)i);
	return 0;
}

/* Until ^C. */
int suite_round_trip(const struct suite_args *args)
{
	(void)args;
	while (!stop_wanted())
		;
	return 130;
}

int suite_boot(const struct suite_args *args)
{
	(void)args;
	return 0;
}

int suite_card(const struct suite_args *args)
{
	(void)args;
	return 0;
}

int suite_interrupts(const struct suite_args *args)
{
	(void)args;
	return 0;
}

int suite_memory(const struct suite_args *args)
{
	(void)args;
	return 0;
}

int suite_timer(const struct suite_args *args)
{
	(void)args;
	return 0;
}

int main(void)
{
	struct termios t;

	if (!tcgetattr(0, &t)) {
		cfmakeraw(&t);
		tcsetattr(0, TCSANOW, &t);
	}
	return firmware_main();
}
