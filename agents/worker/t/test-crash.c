/* SPDX-License-Identifier: MIT */
/*
 * What a console's bytes say about the kernel: each kind of report once, whatever the reads; and
 * the same words where they mean nothing: typed, echoed, printed by a program, read from a log.
 */
#include "said.h"

struct want {
	const char *text, *name; /* name NULL: nothing is told */
	enum crash_level level;
};

static const struct want kernel[] = {
	{"Kernel panic - not syncing: VFS: Unable to mount root fs", "panic", CRASH_DEAD},
	{"Rebooting in 5 seconds..", "panic", CRASH_DEAD},
	{"Unable to handle kernel NULL pointer dereference at virtual address 00000008", "oops",
		CRASH_FAIL},
	{"Internal error: Oops: 0000000096000004 [#1] SMP", "oops", CRASH_FAIL},
	{"Internal error: Oops - undefined instruction: 0 [#1] SMP ARM", "oops", CRASH_FAIL},
	{"kernel BUG at fs/inode.c:123!", "bug", CRASH_FAIL},
	{"BUG: KASAN: slab-out-of-bounds in f+0x1/0x2", "kasan", CRASH_FAIL},
	{"BUG: KFENCE: use-after-free read in f+0x1/0x2", "kfence", CRASH_FAIL},
	{"BUG: KCSAN: data-race in f / g", "kcsan", CRASH_WARN},
	{"BUG: scheduling while atomic: swapper/0/0/0x2", "bug", CRASH_FAIL},
	{"watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [x:1]", "soft-lockup", CRASH_FAIL},
	{"NMI watchdog: Watchdog detected hard LOCKUP on cpu 1", "hard-lockup", CRASH_FAIL},
	{"rcu: INFO: rcu_sched self-detected stall on CPU", "rcu-stall", CRASH_FAIL},
	{"INFO: task fio:123 blocked for more than 120 seconds.", "hung-task", CRASH_WARN},
	{"WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2", "warning", CRASH_WARN},
	{"UBSAN: shift-out-of-bounds in x.c:1:2", "ubsan", CRASH_WARN},
	{"Kernel command line: console=ttyS0 panic=10 oops=panic", NULL, 0},
	{"pstore: Kernel panic - not syncing: of a former boot", NULL, 0},
	{"INFO: lockdep is turned off.", NULL, 0},
	{"random: crng init done", NULL, 0},
	{"BUG: KMSAN: uninit-value in f+0x1/0x2", "kmsan", CRASH_FAIL},
	{"BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 33s!", "workqueue",
		CRASH_FAIL},
	{"rcu: INFO: rcu_preempt detected stalls on CPUs/tasks: { 1-... }", "rcu-stall",
		CRASH_FAIL},
	{"rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 0-.... }", "rcu-stall",
		CRASH_FAIL},
	{"WARNING: possible circular locking dependency detected", "lockdep", CRASH_WARN},
	{"SError Interrupt on CPU0, code 0x00000000bf000000 -- SError", "serror", CRASH_FAIL},
	{"Unhandled fault: external abort on non-linefetch (0x1028) at 0xb6f0", "fault",
		CRASH_FAIL},
	{"list_del corruption. prev->next should be c1, but was c2", "list", CRASH_FAIL},
	{"stress-ng invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER), order=0, oom_score_adj=0",
		"oom", CRASH_WARN},
	{"Out of memory: Killed process 412 (stress-ng) total-vm:99kB, anon-rss:1kB", "oom",
		CRASH_WARN},
	{"Memory cgroup out of memory: Killed process 7 (a b) total-vm:9kB", "oom", CRASH_WARN},
	{"Out of memory: Kill process 99 (java) score 700 or sacrifice child", "oom", CRASH_WARN},
	{"EXT4-fs error (device mmcblk1p2): ext4_lookup:1855: inode #2: comm ls: bad", "fs-error",
		CRASH_WARN},
	{"EXT4-fs (mmcblk1p2): Remounting filesystem read-only", "fs-error", CRASH_WARN},
	{"UBIFS error (ubi0:0 pid 99): ubifs_read_node [ubifs]: bad node type", "fs-error",
		CRASH_WARN},
	{"UBIFS warning (ubi0:0 pid 9): ubifs_ro_mode: switched to read-only mode, error -5",
		"fs-error", CRASH_WARN},
	{"ubi0 error: ubi_io_read: error -74 while reading 64 bytes from PEB 3:0", "fs-error",
		CRASH_WARN},
	{"jffs2: error: (77) jffs2_get_inode_nodes: short read", "fs-error", CRASH_WARN},
	{"FAT-fs (mmcblk0p1): error, fat_get_cluster: invalid cluster chain (i_pos 0)", "fs-error",
		CRASH_WARN},
	{"SQUASHFS error: Unable to read data cache entry [1a2b]", "fs-error", CRASH_WARN},
	{"JBD2: Detected IO errors while flushing file data on mmcblk1p2-8", "fs-error",
		CRASH_WARN},
	{"I/O error, dev mmcblk1, sector 8192 op 0x0:(READ) flags 0x80700 phys_seg 1", "io-error",
		CRASH_WARN},
	{"blk_update_request: I/O error, dev sda, sector 2048", "io-error", CRASH_WARN},
	{"Buffer I/O error on dev mmcblk1p2, logical block 64, lost async page write", "io-error",
		CRASH_WARN},
	{"mmc0: Timeout waiting for hardware interrupt.", "mmc-timeout", CRASH_WARN},
	{"mmc1: error -110 whilst initialising SD card", "mmc-timeout", CRASH_WARN},
	{"mmc0: cqhci: timeout for tag 3", "mmc-timeout", CRASH_WARN},
	{"mmc1: Card stuck being busy! __mmc_poll_for_busy", "mmc-timeout", CRASH_WARN},
	{"usb 1-1: device descriptor read/64, error -110", "usb-timeout", CRASH_WARN},
	{"usb 2-1.4: can't set config #1, error -110", "usb-timeout", CRASH_WARN},
	{"xhci-hcd xhci-hcd.1.auto: xHCI host not responding to stop endpoint command",
		"usb-timeout", CRASH_WARN},
	{"xhci-hcd xhci-hcd.1.auto: HC died; cleaning up", "usb-timeout", CRASH_WARN},
	{"edma 49000000.dma: Error interrupt without error event!", "dma-timeout", CRASH_WARN},
	{"ti-udma 485c0100.dma-controller: chan1 teardown timeout!", "dma-timeout", CRASH_WARN},
	{"omap-dma-engine 4a056000.dma-controller: DMA drain did not complete: timeout",
		"dma-timeout", CRASH_WARN},
	{"NETDEV WATCHDOG: eth0 (am65-cpsw-nuss): transmit queue 0 timed out", "net-timeout",
		CRASH_WARN},
	{"am65-cpsw-nuss 8000000.ethernet eth0: NETDEV WATCHDOG: CPU: 0: transmit queue 0 timed "
	 "out 5340 ms",
		"net-timeout", CRASH_WARN},
	{"davinci_mdio 4a101000.mdio: timed out waiting for user access", "net-timeout",
		CRASH_WARN},
	{"cpsw-switch 4a100000.switch: imeout? Timeout on TX", "net-timeout", CRASH_WARN},
	{"remoteproc remoteproc3: crash detected in 5c00000.r5f: type watchdog", "remoteproc",
		CRASH_FAIL},
	{"mmc0: new SDHC card at address aaaa", NULL, 0},
	{"mmc0: tuning execution failed: -5", NULL, 0},
	{"usb 1-1: new high-speed USB device number 2 using xhci-hcd", NULL, 0},
	{"usb 1-1: device descriptor read/64, error -71", NULL, 0},
	{"EXT4-fs (mmcblk1p2): mounted filesystem with ordered data mode. Opts: (null)", NULL, 0},
	{"EXT4-fs (mmcblk1p2): re-mounted. Opts: errors=remount-ro", NULL, 0},
	{"FAT-fs (mmcblk0p1): Volume was not properly unmounted. Some data may be corrupt", NULL,
		0},
	{"ubi0: default fastmap pool size: 100", NULL, 0},
	{"remoteproc remoteproc0: remote processor 5c00000.r5f is now up", NULL, 0},
	{"edma 49000000.dma: TI EDMA DMA engine driver", NULL, 0},
	{"systemd[1]: Set up automount: oom-killer is invoked on demand", NULL, 0},
	{"audit: I/O error, dev sda is what a user typed", NULL, 0},
	{"sched: RT throttling activated", NULL, 0},
	{"WARNING-free since 2021", NULL, 0},
	{"kauditd_printk_skb: 9 callbacks suppressed; NETDEV-WATCHDOG", NULL, 0},
};

static void test_kernel(void)
{
	static const size_t reads[] = {1, 2, 3, 7, 4096};
	static const char *const heads[] = {"[   12.500000][  T12] ", "<3>[   12.500000] ",
		"\033[1;31m[   12.500000] \033[0m", "[   12.500000] \033[K",
		"\033]0;root\007[   12.500000] "};

	for (size_t i = 0; i < ARRAY_LEN(kernel); i++) {
		const struct want *w = &kernel[i];
		char text[600], what[200] = "";

		for (size_t r = 0; r < ARRAY_LEN(reads) * ARRAY_LEN(heads); r++) {
			struct crash c;

			snprintf(text, sizeof text,
				"hello\r\n[   12.345678] usb 1-1: new\r\nprogress 5%%%s%s\r\n"
				"[   12.500001]  more of it\r\n",
				heads[r / ARRAY_LEN(reads)], w->text);
			say(text, reads[r % ARRAY_LEN(reads)], NULL, false, &c);
			if (got.all != !!w->name || (w->name && strcmp(got.name, w->name)) ||
				(w->name && got.last.level != w->level))
				snprintf(what, sizeof what, "%u told, '%s', level %d", got.all,
					got.name, got.last.level);
			if (w->name &&
				(!strstr(got.excerpt, "more of it") || got.last.offset != 1036))
				snprintf(what, sizeof what, "excerpt '%s' at %llu", got.excerpt,
					(unsigned long long)got.last.offset);
			done(&c);
		}
		ok(!what[0], "'%.40s': %s%s", w->text, w->name ? w->name : "nothing", what);
	}
}

/* What has no kernel's time before it: other cores, the secure world, a boot loader. */
static const struct want untimed[] = {
	{"[r5f0-0] ASSERT: 0.812000s: ipc_notify.c:main:88: status == 0 failed !!!", "firmware",
		CRASH_FAIL},
	{"ASSERT: 2.100123s: src/app.c:app_main:140: handle != NULL failed !!!", "firmware",
		CRASH_FAIL},
	{"[FreeRTOS] Stack overflow detected for task [freertos_main]", "firmware", CRASH_FAIL},
	{"ERROR: vApplicationStackOverflowHook:301: [FreeRTOS] Stack overflow detected for task "
	 "[x]",
		"firmware", CRASH_FAIL},
	{"***** HARD FAULT *****", "firmware", CRASH_FAIL},
	{"***** DATA ABORT *****", "firmware", CRASH_FAIL},
	{">>> ZEPHYR FATAL ERROR 0: CPU exception on CPU 0", "firmware", CRASH_FAIL},
	{"[HardFault] CFSR=0x00000400 HFSR=0x40000000", "firmware", CRASH_FAIL},
	{"Exception occurred in ThreadType_Task.", "firmware", CRASH_FAIL},
	{"Exception occurred in background thread at pc = 0x41c01234.", "firmware", CRASH_FAIL},
	{"ti.sysbios.family.arm.v7r.Exception: line 205: E_dataAbort", "firmware", CRASH_FAIL},
	{"ti.sysbios.knl.Semaphore: line 202: assertion failure: A_badContext", "firmware",
		CRASH_FAIL},
	{"PANIC at PC : 0x0000000070001a2c", "secure", CRASH_FAIL},
	{"Unhandled Exception in EL3.", "secure", CRASH_FAIL},
	{"ASSERT: File drivers/x.c Line 43", "secure", CRASH_FAIL},
	{"E/TC:0 0 Panic at core/arch/arm/kernel/boot.c:99 <init_secure>", "secure", CRASH_FAIL},
	{"E/TC:? 0 TA panicked with code 0xffff000f", "secure", CRASH_FAIL},
	{"E/TC:0 0 Core data-abort at address 0x0 (translation fault)", "secure", CRASH_FAIL},
	{"### ERROR ### Please RESET the board ###", "loader", CRASH_FAIL},
	{"\"Synchronous Abort\" handler, esr 0x96000010", "loader", CRASH_FAIL},
	{"data abort", "loader", CRASH_FAIL},
	{"SPL: failed to boot from all boot devices", "loader", CRASH_FAIL},
	/* of programs, tests, tracers */
	{"BUG: this is what my test looks for", NULL, 0},
	{"WARNING: could not find the file", NULL, 0},
	{"ERROR: apport: 3: no such device", NULL, 0},
	{"fio: io_u error on file /dev/mmcblk1: Input/output error: read offset=0", NULL, 0},
	{"  read: IOPS=99, error=0, I/O error, dev mmcblk1, sector 1", NULL, 0},
	{"# tracer: function", NULL, 0},
	{"     kworker/0:1-17    [000] d..1.    99.123456: oops_enter <-die", NULL, 0},
	{"ASSERT: all fields are set", NULL, 0},
	{"data abort rates are in column 3", NULL, 0},
	{"Out of memory: Killed process 412 (x)", NULL, 0},
	{"kern  :warn  : WARNING: CPU: 0 PID: 1 at x.c:1", NULL, 0},
	{"grep: E/TC:0 0 Panic at core", NULL, 0},
	{"[PASS] Unhandled Exception in EL3 is reported", NULL, 0},
};

static void test_untimed(void)
{
	for (size_t i = 0; i < ARRAY_LEN(untimed); i++) {
		const struct want *w = &untimed[i];
		char text[600], what[200] = "";

		for (size_t most = 1; most < 200; most += most < 4 ? 1 : 50) {
			struct crash c;

			snprintf(text, sizeof text,
				"[   12.345678] x\r\n\033[0m%s\r\nmore of it\r\n", w->text);
			say(text, most, NULL, false, &c);
			if (got.all != !!w->name || (w->name && strcmp(got.name, w->name)) ||
				(w->name && got.last.level != w->level))
				snprintf(what, sizeof what, "reads of %zu: %u told, '%s'", most,
					got.all, got.name);
			done(&c);
		}
		ok(!what[0], "'%.40s': %s%s", w->text, w->name ? w->name : "nothing", what);
	}
}

/* In two reads, split at every byte: told as in one. Returns how many splits there were. */
static size_t split(const struct want *w, const char *text, unsigned long long at)
{
	char what[200] = "";
	size_t n = strlen(text);
	struct crash c;

	for (size_t first = 1; first < n; first++) {
		say_in(text, first, n, NULL, false, &c);
		if (got.all != !!w->name || (w->name && strcmp(got.name, w->name)) ||
			(w->name && got.last.level != w->level) ||
			(w->name && (!strstr(got.excerpt, "more of it") || got.last.offset != at)))
			snprintf(what, sizeof what, "split at %zu: %u told, '%s' at %llu", first,
				got.all, got.name, (unsigned long long)got.last.offset);
		done(&c);
	}
	ok(!what[0], "'%.40s', split anywhere: %s%s", w->text, w->name ? w->name : "nothing", what);
	return n;
}

static void test_split(void)
{
	size_t n = 0;
	char text[600];

	for (size_t i = 0; i < ARRAY_LEN(kernel); i++) {
		snprintf(text, sizeof text,
			"x\r\n5%%\033[0m<3>[   12.500000][  T12] %s\r\n[   12.500001]  more of "
			"it\r\n",
			kernel[i].text);
		n += split(&kernel[i], text, 1003);
	}
	for (size_t i = 0; i < ARRAY_LEN(untimed); i++) {
		snprintf(text, sizeof text, "[    1.000000] x\r\n\033[0m%s\r\nmore of it\r\n",
			untimed[i].text);
		n += split(&untimed[i], text, 1000 + strlen("[    1.000000] x\r\n\033[0m"));
	}
	printf("# %zu splits\n", n);
}

/* The console of another processor. */
static void test_side(void)
{
	char text[600];
	struct crash c;

	side = true;
	for (size_t i = 0; i < ARRAY_LEN(untimed); i++) {
		const struct want *w = &untimed[i];

		snprintf(text, sizeof text, "started\r\n%s\r\nmore of it\r\n", w->text);
		split(w, text, 1009);
	}
	for (size_t i = 0; i < ARRAY_LEN(kernel); i++) {
		snprintf(text, sizeof text, "[   12.500000] %s\r\n%s\r\n", kernel[i].text,
			kernel[i].text);
		say(text, 50, NULL, false, &c);
		ok(!got.all, "'%.40s' on a side console is the main one's to tell", kernel[i].text);
		done(&c);
	}
	is_int(say("\r\nU-Boot SPL 2023.01 (J)\r\n", 3, NULL, false, &c), 0,
		"another core starts anew");
	ok(!got.all, "and nothing is told");
	done(&c);
	say("***** DATA ABORT *****\r\n", 3, NULL, false, &c);
	is_str(got.last.console ? "told" : "", "told", "a report names its console");
	done(&c);
	side = false;
}

static void test_killed(void)
{
	struct crash c;

	say("[   12.000000] a.out invoked oom-killer: gfp_mask=0x1, order=0\r\n"
	    "[   12.000100] Mem-Info:\r\n"
	    "[   12.000200] Out of memory: Killed process 412 (stress-ng) total-vm:9kB\r\n",
		5, NULL, false, &c);
	ok(got.all == 1 && strstr(got.what, "(stress-ng)"), "who was killed is what is told");
	is_int(c.kinds[CRASH_KIND_OOM], 2, "both lines count");
	done(&c);
	say("[   12.000000] WARNING: CPU: 0 PID: 0 at net/sched/sch_generic.c:9\r\n"
	    "[   12.000100] NETDEV WATCHDOG: eth0 (cpsw): transmit queue 0 timed out\r\n",
		5, NULL, false, &c);
	ok(got.all == 1 && !strcmp(got.name, "net-timeout"),
		"a warning that says what it is about");
	done(&c);
}

static const char oops[] =
	"[    9.000000] 8<--- cut here ---\r\n"
	"[    9.000001] Unable to handle kernel NULL pointer dereference at 0\r\n"
	"[    9.000002] Internal error: Oops: 805 [#1] SMP ARM\r\n"
	"[    9.000003] CPU: 0 PID: 1\r\n";

static void test_reports(void)
{
	struct crash c;
	struct err e = {0};
	char text[4096];

	say(oops, 5, NULL, false, &c);
	ok(got.all == 1 && !strcmp(got.name, "oops"), "an oops of two lines is one");
	ok(strstr(got.excerpt, "CPU: 0 PID: 1") && strstr(got.excerpt, "Internal error"),
		"with its trace");
	is_int(c.counts[CRASH_FAIL], 1, "counted once");
	is_int(crash_flush(&c, &e), 0, "and told once");
	done(&c);

	snprintf(text, sizeof text,
		"%s[    9.1] x\r\n[    9.100000] Kernel panic - not syncing: "
		"Fatal exception\r\n\r\nU-Boot SPL 2023.01 (Jan 01)\r\n",
		oops);
	is_int(say(text, 50, NULL, false, &c), -1, "a panic ends the wait");
	ok(got.all == 1 && got.last.level == CRASH_DEAD && c.told, "what follows it is its own");
	ok(strstr(got.what, "Fatal exception") && strstr(got.excerpt, "NULL pointer"),
		"the oops before stands in its excerpt");
	crash_forget(&c);
	ok(!c.told && !c.seen, "until the next boot");
	done(&c);

	say("[   10.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!\r\n", 9, NULL, true,
		&c);
	is_int(got.last.level, CRASH_WARN, "a stall on a twin is its host's");
	done(&c);

	text[0] = 0;
	for (int i = 0; i < 40; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			"[   11.%06d] WARNING: at x.c:%d f+0x1/0x2\r\n", i, i);
	say(text, 100, NULL, false, &c);
	is_int(c.counts[CRASH_WARN], 40, "warnings are counted");
	ok(got.all == 1 && strlen(got.excerpt) <= CRASH_EXCERPT_BYTES, "one bounded excerpt");
	done(&c);
}

static void test_reset(void)
{
	static const char *const are[] = {"\r\nU-Boot SPL 2023.01-ti (Jan 01 2026 - 00:00:00)\r\n",
		"half a li\r\n\r\n\r\nU-Boot 2024.10-rc2 (Oct 01)\r\n"};
	static const char *const are_not[] = {"ver=U-Boot 2023.01 (Jan)\r\n",
		"U-Boot environment\r\n", "the U-Boot 2023.01 manual\r\n",
		"U-Boot 2023.01 (Jan)\r\n@hil 12 2852406647 k3f9x2 3 end 0@\r\n"};
	struct crash c;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(are); i++) {
		is_int(say(are[i], 3, NULL, false, &c), -1, "a banner is a reset (%zu)", i);
		is_int(got.n[CRASH_RESET], 1, "told once (%zu)", i);
		done(&c);
	}
	for (size_t i = 0; i < ARRAY_LEN(are_not); i++) {
		is_int(say(are_not[i], 3, NULL, false, &c), 0, "no reset (%zu)", i);
		is_int(got.all, 0, "nothing told (%zu)", i);
		done(&c);
	}
	say("[    9.000001] BUG: scheduling while atomic: x/1/0x2\r\nU-Boot SPL 2023.01 (J)\r\n", 3,
		NULL, false, &c);
	ok(got.n[CRASH_FAIL] == 1 && got.n[CRASH_RESET] == 1, "a failure before a reset is told");
	done(&c);
	rc = say("U-Boot SPL 2023.01 (J)\r\n[    0.000000] Booting Linux\r\n"
		 "[    1.000000] Kernel panic - not syncing: x\r\n",
		3, NULL, false, &c);
	ok(got.n[CRASH_DEAD] == 0 && got.n[CRASH_RESET] == 1 && rc == -1, "a reset is told first");
	is_int(crash_flush(&c, NULL), -1, "then the panic of a boot that was quick");
	is_int(got.n[CRASH_DEAD], 1, "once");
	done(&c);
}

static void test_words(void)
{
	static const char line[] = "echo 'Kernel panic - not syncing' >/tmp/hil.k3f9x2/c";
	char text[600];
	struct crash c;

	snprintf(text, sizeof text, "[    1.000000] x\r\nroot@hil:~# %s\r\n", line);
	say(text, 11, NULL, false, &c);
	is_int(got.all, 0, "words in a command line");
	done(&c);
	say("[    1.000000] x\r\nKernel panic - not syncing\r\nWARNING: this is a test\r\n", 11,
		NULL, false, &c);
	is_int(got.all, 0, "words of a program, where kernel lines carry their time");
	done(&c);
	say("Kernel panic - not syncing: no clock\r\n", 11, NULL, false, &c);
	is_int(got.n[CRASH_DEAD], 1, "a kernel whose lines carry no time");
	done(&c);
	say("Kernel panic - not syncing' >/tmp/hil.k3f9x2/c\r\n", 11, line, false, &c);
	is_int(got.all, 0, "a typed line that wrapped right before the words");
	done(&c);
	say("> [    1.000000] Kernel panic - not syncing: typed\r\n", 11,
		"[    1.000000] Kernel panic - not syncing: typed", false, &c);
	is_int(got.all, 0, "typed words with a time of their own");
	done(&c);
	say("[   50.000000] x\r\n[    3.000000] WARNING: at x.c:1\r\n[    3.000001] BUG: old\r\n",
		11, NULL, false, &c);
	is_int(got.all, 0, "the kernel's log, read again");
	done(&c);
	say("[   50.000000] WARNING: at x.c:1\r\n[   51.500000] BUG: new\r\n"
	    "[   50.000000] WARNING: at x.c:1\r\n",
		11, NULL, false, &c);
	is_int(c.kinds[CRASH_KIND_WARNING], 1, "the same, soon after");
	done(&c);
	say("[   50.000000] Kernel panic - not syncing: x\r\n"
	    "@hil 12 2852406647 k3f9x2 3 end 0@\r\n",
		11, NULL, false, &c);
	ok(!got.all && !c.seen && !c.counts[CRASH_DEAD], "last words, and it lives");
	done(&c);
	say("U-Boot SPL 2021.01\r\nWARNING: Caches not enabled\r\n", 11, NULL, false, &c);
	is_int(got.n[CRASH_WARN], 0, "a boot loader's warning");
	done(&c);
}

/* A console whose kernel was silenced for part of the time, and the kernel's log of all of it. */
static void test_scan(void)
{
	struct console *console = calloc(1, sizeof *console);
	struct crash c;

	console->name = "main";
	say("[   10.000000] WARNING: CPU: 0 PID: 1 at a.c:1\r\n[   10.000100] Call trace:\r\n", 99,
		NULL, false, &c);
	is_int(got.n[CRASH_WARN], 1, "told over the console");
	memset(&got, 0, sizeof got);
	c.console = console;
	crash_scan(&c, STR_LIT("[    1.000000] WARNING: CPU: 0 PID: 1 at early.c:1\n--\n"
			       "[   10.000000] WARNING: CPU: 0 PID: 1 at a.c:1\n"
			       "[   10.000100] Call trace:\n--\n"
			       "[   20.000000] BUG: KASAN: use-after-free in f\n"
			       "[   20.000300]  g+0x1\n"
			       "[   30.000000] U-Boot SPL 2023.01\n"
			       "[   40.000000] WARNING: CPU: 0 PID: 1 at b.c:1\n"));
	is_int(got.n[CRASH_WARN], 2, "what the log alone has, and not again what was told");
	is_int(got.n[CRASH_FAIL], 1, "also what proves it broken");
	is_int(got.all, 3, "and nothing else");
	ok(got.last.from_log, "as of the log");
	is_int(c.counts[CRASH_WARN], 3, "it counts");
	is_int(crash_worst(&c), CRASH_FAIL, "the kernel is known to be broken");
	memset(&got, 0, sizeof got);
	crash_scan(&c, STR_LIT("[   20.000000] BUG: KASAN: use-after-free in f\n"));
	is_int(got.all, 0, "a log read again tells nothing again");
	crash_scan(&c, STR_LIT(""));
	crash_scan(&c, STR_LIT("\n[\n[   x] BUG: \nBUG: no time\n"));
	is_int(got.all, 0, "nor do lines that are none of it");
	free(console);
	done(&c);
}

int main(void)
{
	test_scan();
	test_untimed();
	test_split();
	test_side();
	test_killed();
	test_kernel();
	test_reports();
	test_reset();
	test_words();
	return tap_done();
}
