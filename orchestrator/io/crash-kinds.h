/* SPDX-License-Identifier: MIT */
#ifndef IO_CRASH_KINDS_H
#define IO_CRASH_KINDS_H

/*
 * What a kernel, a firmware and a boot loader print when something is wrong with them: the one
 * table of it, for who watches a console and for who reads a log. The texts are those of Linux
 * 3.2 to 6.12, U-Boot 2018 to 2025, TF-A 2.x, OP-TEE 3.x and 4.x, TI's MCU+ SDK 8 to 11 and PDK 7
 * to 9, FreeRTOS, Zephyr 3 and SYS/BIOS 6.
 */

#include "base/str.h"

#include <stdbool.h>

enum crash_rule { CRASH_RULE_FAIL, CRASH_RULE_WARN, CRASH_RULE_IGNORE, CRASH_RULE_STOP };
/* Who prints it; also the name that its result bears. */
enum crash_who { CRASH_KERNEL, CRASH_FIRMWARE, CRASH_LOADER };

/* Name, rule, who, help. In the order of the names. */
#define CRASH_KIND_LIST(X)                                                                         \
	X(BUG, "bug", FAIL, KERNEL, "BUG: and kernel BUG at of the kernel")                        \
	X(DMA_TIMEOUT, "dma-timeout", WARN, KERNEL, "a DMA engine (EDMA, UDMA) does not end")      \
	X(FAULT, "fault", FAIL, KERNEL, "an access that the bus refused")                          \
	X(FIRMWARE, "firmware", FAIL, FIRMWARE,                                                    \
		"abort, exception or failed assertion of an R5F, C7x or Cortex-M core")            \
	X(FS_ERROR, "fs-error", WARN, KERNEL,                                                      \
		"a file system is damaged, or was remounted read-only")                            \
	X(HARD_LOCKUP, "hard-lockup", FAIL, KERNEL, "a CPU takes no interrupts any more")          \
	X(HUNG_TASK, "hung-task", WARN, KERNEL, "a task is blocked for minutes")                   \
	X(IO_ERROR, "io-error", WARN, KERNEL, "a block device did not read or write")              \
	X(KASAN, "kasan", FAIL, KERNEL, "memory used wrong, found by KASAN")                       \
	X(KCSAN, "kcsan", WARN, KERNEL, "a data race, found by KCSAN")                             \
	X(KFENCE, "kfence", FAIL, KERNEL, "memory used wrong, found by KFENCE")                    \
	X(KMSAN, "kmsan", FAIL, KERNEL, "memory read before it was written, found by KMSAN")       \
	X(LIST, "list", FAIL, KERNEL, "a linked list is corrupt")                                  \
	X(LOADER, "loader", FAIL, LOADER, "the boot loader gave up, or an exception in it")        \
	X(LOCKDEP, "lockdep", WARN, KERNEL, "locks taken in an order that can hang")               \
	X(MMC_TIMEOUT, "mmc-timeout", WARN, KERNEL, "an MMC host or card does not answer")         \
	X(NET_TIMEOUT, "net-timeout", WARN, KERNEL,                                                \
		"a network device (CPSW and others) does not send, or its PHY not answer")         \
	X(OOM, "oom", WARN, KERNEL, "memory ran out and a process was killed")                     \
	X(OOPS, "oops", FAIL, KERNEL, "an exception in the kernel")                                \
	X(PANIC, "panic", STOP, KERNEL, "the kernel gave up")                                      \
	X(RCU_STALL, "rcu-stall", FAIL, KERNEL, "a CPU holds up RCU")                              \
	X(REMOTEPROC, "remoteproc", FAIL, FIRMWARE, "the kernel saw a remote core crash")          \
	X(RESET, "reset", STOP, LOADER, "a boot loader speaks while a step needs the board")       \
	X(SECURE, "secure", FAIL, FIRMWARE, "panic or exception of TF-A or OP-TEE")                \
	X(SERROR, "serror", FAIL, KERNEL, "an asynchronous error of the bus")                      \
	X(SOFT_LOCKUP, "soft-lockup", FAIL, KERNEL, "a CPU does not schedule any more")            \
	X(UBSAN, "ubsan", WARN, KERNEL, "undefined behaviour, found by UBSAN")                     \
	X(USB_TIMEOUT, "usb-timeout", WARN, KERNEL, "a USB host or device does not answer")        \
	X(WARNING, "warning", WARN, KERNEL, "WARNING: of the kernel")                              \
	X(WORKQUEUE, "workqueue", FAIL, KERNEL, "a work queue does not go on")

#define CRASH_PRESET_FAIL   "fail"
#define CRASH_PRESET_WARN   "warn"
#define CRASH_PRESET_IGNORE "ignore"
#define CRASH_PRESET_STOP   "stop"

enum crash_kind_id {
#define X(id, name, rule, who, help) CRASH_KIND_##id,
	CRASH_KIND_LIST(X)
#undef X
		CRASH_KINDS
};

struct crash_kind {
	const char *name, *preset; /* "oom"; the word of its rule */
	const char *help;
	enum crash_rule rule; /* unless a type or a job says otherwise */
	enum crash_who who;
	bool of_time; /* about time that passed, which on a twin is its host's fault */
};
extern const struct crash_kind crash_kinds[CRASH_KINDS];
/* By enum crash_rule, NULL-ended; by enum crash_who. */
extern const char *const crash_rule_names[], *const crash_who_names[];

struct crash_words {
	enum crash_kind_id kind;
	bool names;      /* it says who: better told than the line that began the report */
	bool last;       /* nothing comes after it */
	const char *end; /* where the words end, in text */
};
/*
 * What text, NUL-terminated, begins. timed: it stood behind the kernel's time; then it may be any
 * of the table, else only what firmware and boot loaders print. A kernel whose lines carry no time:
 * timed, too. Reports of banners (CRASH_KIND_RESET) are not found here.
 */
bool crash_kind_find(const char *text, bool timed, struct crash_words *w);
/* The first line of a boot loader, from the line's start. */
bool crash_is_banner(const char *line);
int crash_kind_by_name(const char *name); /* -1: none */

#endif
