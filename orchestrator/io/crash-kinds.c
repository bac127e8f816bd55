/* SPDX-License-Identifier: MIT */
/*
 * The words by which a crash is known. Invariant: a row's words stand where the printer puts them,
 * at the start of a line or right behind a device's name; the same words further on in a line are
 * somebody telling about them.
 */
#include "crash-kinds.h"

#include "base/attr.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *const crash_rule_names[] = {"fail", "warn", "ignore", "stop", NULL};
const char *const crash_who_names[] = {"kernel", "firmware", "loader"};

const struct crash_kind crash_kinds[CRASH_KINDS] = {
#define OF_TIME(id)                                                                                \
	(CRASH_KIND_##id == CRASH_KIND_SOFT_LOCKUP || CRASH_KIND_##id == CRASH_KIND_HARD_LOCKUP || \
		CRASH_KIND_##id == CRASH_KIND_WORKQUEUE ||                                         \
		CRASH_KIND_##id == CRASH_KIND_RCU_STALL ||                                         \
		CRASH_KIND_##id == CRASH_KIND_HUNG_TASK)
#define X(id, name, rule, who, help)                                                               \
	[CRASH_KIND_##id] = {                                                                      \
		name, CRASH_PRESET_##rule, help, CRASH_RULE_##rule, CRASH_##who, OF_TIME(id)},
	CRASH_KIND_LIST(X)
#undef X
};

enum {
	NAMES = 1,
	LAST = 2,
	UNTIMED = 4, /* without the kernel's time, too */
	WHOLE = 8,   /* the line is nothing else */
};

/* The first row that fits decides. begins: right at the start; with: further on in the line. */
static const struct row {
	const char *begins, *with;
	enum crash_kind_id kind;
	unsigned flags;
} rows[] = {
	{"Kernel panic - not syncing", NULL, CRASH_KIND_PANIC, LAST},
	{"---[ end Kernel panic", NULL, CRASH_KIND_PANIC, LAST},
	{"Rebooting in ", "second", CRASH_KIND_PANIC, LAST},
	{"Unable to handle kernel ", NULL, CRASH_KIND_OOPS, 0},
	{"Internal error: ", NULL, CRASH_KIND_OOPS, 0},
	{"Oops: ", NULL, CRASH_KIND_OOPS, 0},
	{"kernel BUG at ", NULL, CRASH_KIND_BUG, 0},
	{"general protection fault", NULL, CRASH_KIND_OOPS, 0},
	{"Bad mode in ", NULL, CRASH_KIND_OOPS, 0},
	{"SError Interrupt on CPU", NULL, CRASH_KIND_SERROR, 0},
	{"Unhandled fault: ", NULL, CRASH_KIND_FAULT, 0},
	{"list_add corruption", NULL, CRASH_KIND_LIST, 0},
	{"list_del corruption", NULL, CRASH_KIND_LIST, 0},
	{"BUG: KASAN: ", NULL, CRASH_KIND_KASAN, 0},
	{"BUG: KFENCE: ", NULL, CRASH_KIND_KFENCE, 0},
	{"BUG: KMSAN: ", NULL, CRASH_KIND_KMSAN, 0},
	{"BUG: KCSAN: ", NULL, CRASH_KIND_KCSAN, 0},
	{"BUG: soft lockup", NULL, CRASH_KIND_SOFT_LOCKUP, 0},
	{"Watchdog detected hard LOCKUP", NULL, CRASH_KIND_HARD_LOCKUP, 0},
	{"BUG: workqueue lockup", NULL, CRASH_KIND_WORKQUEUE, 0},
	{"BUG: ", NULL, CRASH_KIND_BUG, 0},
	{"INFO: rcu", "stall", CRASH_KIND_RCU_STALL, 0},
	{"INFO: task ", "blocked for more than", CRASH_KIND_HUNG_TASK, 0},
	{"INFO: task ", "blocked on", CRASH_KIND_HUNG_TASK, 0},
	{"INFO: possible ", "detected", CRASH_KIND_LOCKDEP, 0},
	{"WARNING: possible ", "detected", CRASH_KIND_LOCKDEP, 0},
	{"WARNING: suspicious RCU usage", NULL, CRASH_KIND_LOCKDEP, 0},
	{"WARNING: inconsistent lock state", NULL, CRASH_KIND_LOCKDEP, 0},
	{"WARNING: bad unlock balance", NULL, CRASH_KIND_LOCKDEP, 0},
	{"WARNING: ", NULL, CRASH_KIND_WARNING, 0},
	{"UBSAN: ", NULL, CRASH_KIND_UBSAN, 0},
	/* memory */
	{"Out of memory: Kill", NULL, CRASH_KIND_OOM, NAMES},
	{"Memory cgroup out of memory: Kill", NULL, CRASH_KIND_OOM, NAMES},
	{"oom-kill:", "task=", CRASH_KIND_OOM, 0},
	/* storage */
	{"EXT2-fs (", "): error", CRASH_KIND_FS_ERROR, 0},
	{"EXT3-fs (", "): error", CRASH_KIND_FS_ERROR, 0},
	{"EXT2-fs error", NULL, CRASH_KIND_FS_ERROR, 0},
	{"EXT3-fs error", NULL, CRASH_KIND_FS_ERROR, 0},
	{"EXT4-fs error", NULL, CRASH_KIND_FS_ERROR, 0},
	{"EXT4-fs (", "Remounting filesystem read-only", CRASH_KIND_FS_ERROR, 0},
	{"EXT4-fs (", "failed to convert unwritten", CRASH_KIND_FS_ERROR, 0},
	{"JBD2: Error ", NULL, CRASH_KIND_FS_ERROR, 0},
	{"JBD2: Detected IO errors", NULL, CRASH_KIND_FS_ERROR, 0},
	{"Aborting journal on device", NULL, CRASH_KIND_FS_ERROR, 0},
	{"FAT-fs (", "): error", CRASH_KIND_FS_ERROR, 0},
	{"FAT-fs (", "): Filesystem has been set read-only", CRASH_KIND_FS_ERROR, 0},
	{"SQUASHFS error: ", NULL, CRASH_KIND_FS_ERROR, 0},
	{"UBIFS error (", NULL, CRASH_KIND_FS_ERROR, 0},
	{"UBIFS error: ", NULL, CRASH_KIND_FS_ERROR, 0},
	{"UBIFS warning (", "switched to read-only mode", CRASH_KIND_FS_ERROR, 0},
	{"ubi", " error: ", CRASH_KIND_FS_ERROR, 0},
	{"UBI error: ", NULL, CRASH_KIND_FS_ERROR, 0},
	{"jffs2: error: ", NULL, CRASH_KIND_FS_ERROR, 0},
	{"jffs2: Data CRC ", "!= calculated CRC", CRASH_KIND_FS_ERROR, 0},
	{"JFFS2 error: ", NULL, CRASH_KIND_FS_ERROR, 0},
	{"BTRFS critical (", NULL, CRASH_KIND_FS_ERROR, 0},
	{"BTRFS error (", NULL, CRASH_KIND_FS_ERROR, 0},
	{"XFS (", "Corruption", CRASH_KIND_FS_ERROR, 0},
	{"XFS (", "orruption of in-memory data", CRASH_KIND_FS_ERROR, 0},
	{"F2FS-fs (", "inconsistent", CRASH_KIND_FS_ERROR, 0},
	{"Buffer I/O error on dev", NULL, CRASH_KIND_IO_ERROR, 0},
	{"I/O error, dev ", NULL, CRASH_KIND_IO_ERROR, 0},
	{"blk_update_request: ", "error, dev ", CRASH_KIND_IO_ERROR, 0},
	{"end_request: I/O error", NULL, CRASH_KIND_IO_ERROR, 0},
	{"print_req_error: ", "error, dev ", CRASH_KIND_IO_ERROR, 0},
	{"critical medium error, dev ", NULL, CRASH_KIND_IO_ERROR, 0},
	{"critical target error, dev ", NULL, CRASH_KIND_IO_ERROR, 0},
	/* buses and engines; these begin with a device */
	{"mmc", "Timeout waiting for hardware", CRASH_KIND_MMC_TIMEOUT, 0},
	{"mmc", "imeout waiting for ", CRASH_KIND_MMC_TIMEOUT, 0},
	{"mmc", "error -110", CRASH_KIND_MMC_TIMEOUT, 0},
	{"mmc", "Card stuck ", CRASH_KIND_MMC_TIMEOUT, 0},
	{"mmc", "timed out", CRASH_KIND_MMC_TIMEOUT, 0},
	{"mmc", "cqhci: timeout", CRASH_KIND_MMC_TIMEOUT, 0},
	{"mmc", "Controller never released inhibit", CRASH_KIND_MMC_TIMEOUT, 0},
	{"sdhci", "imeout waiting", CRASH_KIND_MMC_TIMEOUT, 0},
	{"usb ", "error -110", CRASH_KIND_USB_TIMEOUT, 0},
	{"usb ", "timed out", CRASH_KIND_USB_TIMEOUT, 0},
	{"hub ", "err = -110", CRASH_KIND_USB_TIMEOUT, 0},
	{"xhci", "host not responding", CRASH_KIND_USB_TIMEOUT, 0},
	{"xhci", "HC died", CRASH_KIND_USB_TIMEOUT, 0},
	{"xhci", "Timeout while waiting", CRASH_KIND_USB_TIMEOUT, 0},
	{"musb-hdrc", "imeout", CRASH_KIND_USB_TIMEOUT, 0},
	{"dwc3 ", "imed out", CRASH_KIND_USB_TIMEOUT, 0},
	{"edma ", "imeout", CRASH_KIND_DMA_TIMEOUT, 0},
	{"edma ", "Error interrupt", CRASH_KIND_DMA_TIMEOUT, 0},
	{"ti-udma ", "timeout", CRASH_KIND_DMA_TIMEOUT, 0},
	{"ti-udma ", "timed out", CRASH_KIND_DMA_TIMEOUT, 0},
	{"ti-bcdma ", "timeout", CRASH_KIND_DMA_TIMEOUT, 0},
	{"omap-dma-engine ", "imeout", CRASH_KIND_DMA_TIMEOUT, 0},
	{"k3-udma", "timeout", CRASH_KIND_DMA_TIMEOUT, 0},
	{"NETDEV WATCHDOG: ", NULL, CRASH_KIND_NET_TIMEOUT, NAMES},
	{"davinci_mdio ", "timed out", CRASH_KIND_NET_TIMEOUT, 0},
	{"davinci_mdio ", "timeout", CRASH_KIND_NET_TIMEOUT, 0},
	{"cpsw", "imeout", CRASH_KIND_NET_TIMEOUT, 0},
	{"am65-cpsw-nuss ", "imeout", CRASH_KIND_NET_TIMEOUT, 0},
	/* other cores */
	{"remoteproc ", "crash detected in ", CRASH_KIND_REMOTEPROC, 0},
	{"remoteproc ", "handling crash #", CRASH_KIND_REMOTEPROC, 0},
	{"ASSERT: ", " failed !!!", CRASH_KIND_FIRMWARE, UNTIMED},
	{"ERROR: ", "[FreeRTOS] Stack overflow detected for task", CRASH_KIND_FIRMWARE, UNTIMED},
	{"[FreeRTOS] Stack overflow detected for task", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"***** HARD FAULT *****", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"***** USAGE FAULT *****", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"***** BUS FAULT *****", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"***** MPU FAULT *****", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"***** DATA ABORT *****", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"***** PREFETCH ABORT *****", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"***** UNDEFINED INSTRUCTION ABORT *****", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{">>> ZEPHYR FATAL ERROR ", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"[HardFault]", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"HardFault", "HFSR", CRASH_KIND_FIRMWARE, UNTIMED},
	{"Hard Fault Handler", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"Data Abort exception", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"Prefetch Abort exception", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"Undefined Instruction exception", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"ti.sysbios.", "Exception", CRASH_KIND_FIRMWARE, UNTIMED},
	{"ti.sysbios.", "line ", CRASH_KIND_FIRMWARE, UNTIMED},
	{"Exception occurred in ThreadType_", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"Exception occurred in ", " at pc = ", CRASH_KIND_FIRMWARE, UNTIMED},
	{"C7x Exception", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	{"Internal exception: IERR=", NULL, CRASH_KIND_FIRMWARE, UNTIMED},
	/* TF-A, OP-TEE */
	{"PANIC at PC : 0x", NULL, CRASH_KIND_SECURE, UNTIMED},
	{"PANIC in EL3", NULL, CRASH_KIND_SECURE, UNTIMED},
	{"Unhandled Exception in EL3", NULL, CRASH_KIND_SECURE, UNTIMED},
	{"Unexpected BL31 exception", NULL, CRASH_KIND_SECURE, UNTIMED},
	{"ASSERT: File ", NULL, CRASH_KIND_SECURE, UNTIMED},
	{"E/TC:", " Panic ", CRASH_KIND_SECURE, UNTIMED},
	{"E/TC:", "data-abort at address", CRASH_KIND_SECURE, UNTIMED},
	{"E/TC:", "prefetch-abort at address", CRASH_KIND_SECURE, UNTIMED},
	{"E/TC:", "undef-abort at address", CRASH_KIND_SECURE, UNTIMED},
	{"E/TC:", "TA panicked with code", CRASH_KIND_SECURE, UNTIMED},
	/* U-Boot */
	{"### ERROR ### Please RESET the board", NULL, CRASH_KIND_LOADER, UNTIMED},
	{"\"Synchronous Abort\" handler, esr ", NULL, CRASH_KIND_LOADER, UNTIMED},
	{"\"Error\" handler, esr ", NULL, CRASH_KIND_LOADER, UNTIMED},
	{"data abort", NULL, CRASH_KIND_LOADER, UNTIMED | WHOLE},
	{"prefetch abort", NULL, CRASH_KIND_LOADER, UNTIMED | WHOLE},
	{"undefined instruction", NULL, CRASH_KIND_LOADER, UNTIMED | WHOLE},
	{"SPL: failed to boot from all boot devices", NULL, CRASH_KIND_LOADER, UNTIMED},
	{NULL},
};

/* What stands between a line's time and the words above. */
static const char *const prefixes[] = {"watchdog: ", "NMI watchdog: ", "rcu: ", NULL};
static const char *const banners[] = {"U-Boot SPL ", "U-Boot TPL ", "U-Boot ", NULL};

#define BANNER_BYTES 7 /* "2023.01" */

/* Most lines differ in the first byte already: every line of a console comes here. */
static bool begins(const char *text, const char *words)
{
	return *text == *words && !strncmp(text, words, strlen(words));
}

static bool is_first(unsigned char c)
{
#define F(c) [c] = true
	static const bool first[256] = {F('K'), F('-'), F('R'), F('U'), F('I'), F('O'), F('k'),
		F('g'), F('B'), F('S'), F('l'), F('W'), F('u'), F('b'), F('E'), F('M'), F('o'),
		F('J'), F('F'), F('A'), F('j'), F('X'), F('p'), F('c'), F('m'), F('s'), F('h'),
		F('e'), F('d'), F('t'), F('N'), F('a'), F('r'), F('P'), F('"'), F('#'), F('['),
		F('>'), F('*'), F('H'), F('D'), F('C'), F('x')};
#undef F

	return first[c];
}

/* Words that stand behind a name which may be anything. */
static const struct row *find_named(const char *text, const char **end)
{
	static const struct row oom = {"", " invoked oom-killer: ", CRASH_KIND_OOM, 0};
	static const struct row net = {"", "NETDEV WATCHDOG: ", CRASH_KIND_NET_TIMEOUT, NAMES};
	const char *at;

	/* "stress-ng invoked oom-killer: ", "DRIVER 8000000.ethernet eth0: NETDEV WATCHDOG: CPU" */
	for (const char *k = strchr(text, 'k'); k; k = strchr(k + 1, 'k'))
		if (k - text > 5 && begins(k - 5, oom.with)) {
			*end = k - 5 + strlen(oom.with);
			return &oom;
		}
	at = strchr(text, 'N');
	if (at && at > text && at[-1] == ' ' && begins(at, net.with)) {
		*end = at + strlen(net.with);
		return &net;
	}
	return NULL;
}

/* "[r5f0-0] ASSERT: 0.8s: ...", "[mcu1_0] ..." : a core's name, as logs of several cores have. */
static const char *behind_core(const char *text)
{
	static const char *const cores[] = {"r5f", "mcu", "c7x", "c75", "c66", "m4f", "a53", "a72",
		"hsm", "wkup", "main", NULL};
	bool known = false;
	const char *p = text + 1;

	if (*text != '[')
		return text;
	for (const char *const *c = cores; *c; c++)
		known = known || !strncasecmp(p, *c, strlen(*c));
	while (known && (isalnum((unsigned char)*p) || *p == '_' || *p == '-'))
		p++;
	return p > text + 2 && p - text < 16 && *p == ']' && strchr(" :", p[1]) ? p + 2 : text;
}

static const struct row *find_row(const char *text, bool timed, const char **end)
{
	if (is_first((unsigned char)*text))
		for (const struct row *r = rows; r->begins; r++)
			if (begins(text, r->begins) && (timed || r->flags & UNTIMED) &&
				(!r->with || strstr(text, r->with)) &&
				(!(r->flags & WHOLE) || !text[strlen(r->begins)])) {
				*end = text + strlen(r->begins);
				return r;
			}
	return NULL;
}

bool crash_kind_find(const char *text, bool timed, struct crash_words *w)
{
	const struct row *r;
	const char *end = text, *core;

	for (const char *const *p = prefixes; timed && *p; p++)
		if (begins(text, *p)) {
			text += strlen(*p);
			break;
		}
	r = find_row(text, timed, &end);
	if (!r && (core = behind_core(text)) != text)
		r = find_row(core, false, &end);
	if (!r && timed)
		r = find_named(text, &end);
	if (!r)
		return false;
	*w = (struct crash_words){r->kind, r->flags & NAMES, r->flags & LAST, end};
	return true;
}

/* "U-Boot SPL 2023.01", "U-Boot 2024.10-rc2 (Oct ...": a name and a version. */
static bool is_uboot(const char *line)
{
	for (const char *const *b = banners; *b; b++) {
		const char *v;

		if (!begins(line, *b))
			continue;
		v = line + strlen(*b);
		if (strlen(v) < BANNER_BYTES)
			continue;
		for (int i = 0; i < BANNER_BYTES; i++)
			if (i == 4 ? v[i] != '.' : v[i] < '0' || v[i] > '9')
				return false;
		return true;
	}
	return false;
}

/* "Starting QSPI Bootloader ...", "SBL Revision: 01.00.10.01 (...": TI's loaders of RTOS images. */
static bool is_sbl(const char *line)
{
	const char *p = line + strlen("Starting ");

	if (begins(line, "SBL Revision: "))
		return isdigit((unsigned char)line[strlen("SBL Revision: ")]);
	if (!begins(line, "Starting "))
		return false;
	while (isupper((unsigned char)*p))
		p++;
	return p > line + strlen("Starting ") + 1 && begins(p, " Bootloader ...");
}

bool crash_is_banner(const char *line)
{
	while (*line && (*line <= ' ' || *line & 0x80))
		line++;
	return (*line == 'U' && is_uboot(line)) || (*line == 'S' && is_sbl(line));
}

int crash_kind_by_name(const char *name)
{
	for (int i = 0; i < CRASH_KINDS; i++)
		if (!strcmp(crash_kinds[i].name, name))
			return i;
	return -1;
}
