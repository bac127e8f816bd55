/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_T_MIXED_H
#define REPORTS_PARSE_T_MIXED_H

/*
 * A long console log made of the golden cases: boots, the kernel's chatter, and between them what
 * the tools print. The same seed gives the same bytes.
 */

#include "base/buf.h"
#include "base/fs.h"
#include "base/vec.h"
#include "reports/parse/parse.h"

#include <dirent.h>
#include <stdlib.h>

struct mixed_case {
	const struct parser *parser; /* of whose cases it is */
	char *name;
	struct buf text;
};

struct mixed {
	VEC(struct mixed_case) cases;
	uint64_t seed;
	double seconds; /* of the kernel's clock */
	size_t tools;   /* bytes that are a tool's output */
};

static inline size_t mixed_below(struct mixed *m, size_t n)
{
	m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
	return n ? (size_t)(m->seed >> 33) % n : 0;
}

static inline int mixed_is_case(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".in");
}

/* Every case under HILAB_DATA; returns how many. */
static inline size_t mixed_load(struct mixed *m, uint64_t seed)
{
	const char *data = getenv("HILAB_DATA");

	*m = (struct mixed){.seed = seed};
	for (const struct driver *const *d = parse_drivers(); *d; d++) {
		AUTOFREE char *dir =
			mem_printf("%s/reports/parse/t/data/%s", data ? data : ".", (*d)->name);
		struct dirent **list = NULL;
		int n = scandir(dir, &list, mixed_is_case, alphasort);

		for (int i = 0; i < n; i++) {
			AUTOFREE char *path = fs_join(dir, list[i]->d_name);
			struct mixed_case c = {.parser = (const struct parser *)*d,
				.name = mem_printf("%s/%s", (*d)->name, list[i]->d_name),
				.text = BUF_INIT(BUF_CAP_BYTES)};

			if (!fs_read(path, &c.text, NULL))
				vec_push(&m->cases, c);
			free(list[i]);
		}
		free(list);
	}
	return m->cases.n;
}

static inline void mixed_done(struct mixed *m)
{
	vec_each (&m->cases, c) {
		free(c->name);
		buf_done(&c->text);
	}
	vec_done(&m->cases);
}

/* template with a number for each %. */
static inline void mixed_text(struct mixed *m, const char *template, struct buf *out)
{
	for (; *template; template ++)
		if (*template == '%')
			buf_printf(out, "%zu", mixed_below(m, 9 + mixed_below(m, 2000)));
		else
			buf_putc(out, *template);
	buf_puts(out, "\r\n");
}

/* A line of the kernel's, some of them of a program that starts. */
static inline void mixed_line(struct mixed *m, struct buf *out)
{
	static const char *const kernel[] = {
		"usb %-1: new high-speed USB device number % using xhci-hcd",
		"mmc%: new ultra high speed SDR104 SDHC card at address %",
		"EXT4-fs (mmcblk%p2): mounted filesystem with ordered data mode, %",
		"am65-cpsw-nuss 8000000.ethernet eth%zu: PHY [8000f00.mdio:0%zu] driver [TI "
		"DP83867]",
		"ti-sci 44043000.system-controller: ABI: %.% (firmware rev 0x0009 '9.0.1')",
		"omap_i2c 2000000.i2c: bus % rev0.12 at % kHz",
		"random: crng init done after % of % bits",
		"platform 79000000.r5f: configured R5F % for remoteproc mode %",
		"Memory: %K/%K available (11264K kernel code, 1218K rwdata, 4096K rodata)",
		"pinctrl-single f4000.pinctrl: % pins, size %",
		"cpuidle: using governor menu, % states of %",
		"workqueue: round-robin CPU selection forced, cpu % of %",
	};
	static const char *const programs[] = {
		"[  OK  ] Started Network Time Synchronization %.%.",
		"         Starting Permit User Sessions %.%...",
		"udevd[%]: starting version 3.2.%",
		"Starting syslogd/klogd: done % %",
	};
	if (!mixed_below(m, 12)) {
		mixed_text(m, programs[mixed_below(m, ARRAY_LEN(programs))], out);
		return;
	}
	m->seconds += 0.001 * (double)mixed_below(m, 200);
	buf_printf(out, "[%12.6f] ", m->seconds);
	mixed_text(m, kernel[mixed_below(m, ARRAY_LEN(kernel))], out);
}

static inline void mixed_chatter(struct mixed *m, struct buf *out, size_t bytes)
{
	for (size_t to = out->len + bytes; out->len < to;)
		mixed_line(m, out);
}

/* A board that starts, from its loader to its prompt. */
static inline void mixed_boot(struct mixed *m, struct buf *out)
{
	buf_puts(out,
		"\r\nU-Boot SPL 2023.04 (Jul 04 2023 - 10:20:30 +0000)\r\nSYSFW ABI: 3.1\r\n"
		"Trying to boot from MMC2\r\n\r\nU-Boot 2023.04 (Jul 04 2023 - 10:20:30 +0000)\r\n"
		"\r\nSoC:   AM62X SR1.0 HS-FS\r\nDRAM:  2 GiB\r\nHit any key to stop autoboot:  "
		"0\r\n"
		"\r\nStarting kernel ...\r\n\r\n"
		"[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd034]\r\n"
		"[    0.000000] Linux version 6.1.33 (oe@host) #1 SMP PREEMPT\r\n");
	m->seconds = 0;
	mixed_chatter(m, out, 24 << 10);
	buf_printf(out,
		"[%12.6f] VFS: Mounted root (ext4 filesystem) on device 179:2.\r\n"
		"[%12.6f] Freeing unused kernel memory: 2048K\r\n"
		"[%12.6f] Run /sbin/init as init process\r\n",
		m->seconds + 0.01, m->seconds + 0.02, m->seconds + 0.03);
	mixed_chatter(m, out, 8 << 10);
	buf_puts(out, "\r\nam62xx-evm login: root\r\nroot@am62xx-evm:~#\r\n");
}

static inline void mixed_add(struct mixed *m, struct buf *out, const struct mixed_case *c)
{
	buf_puts(out, "\n");
	buf_add(out, buf_str(&c->text), c->text.len);
	if (c->text.len && c->text.data[c->text.len - 1] != '\n')
		buf_puts(out, "\n");
	m->tools += c->text.len;
}

#endif
