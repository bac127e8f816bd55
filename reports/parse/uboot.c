/* SPDX-License-Identifier: MIT */
/*
 * U-Boot's transfers (fs/fs.c, net/net.c, cmd/mmc.c, cmd/nand.c, cmd/sf.c of 2013 to 2026) and its
 * time command (cmd/time.c). Invariant: `mmc read` prints no time of its own, so a rate of it comes
 * from a `time` (or a vendor's rate) that follows its OK; a transfer of 0 ms has no rate. Rates are
 * bytes over the time as printed; what U-Boot rounds in brackets is not read.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

#define UBOOT_BLOCK 512 /* of an MMC: JESD84, always */

struct uboot {
	const struct sink *sink;
	size_t emitted;
	const char *fs;     /* of the last command; NULL: not known */
	char device[24];    /* "mmc 1"; "": not known */
	bool blind;         /* the echo of a command may be lost */
	bool echoes, timed; /* a command was seen at all; the last was under time */
	double pending;     /* bytes moved without a time yet; 0: none */
	bool pending_write;
	double net_rate; /* B/s, of a network load; 0: none */
};

static void uboot_rate(struct uboot *u, bool write, double bytes, double rate, double resolution)
{
	struct sink_metric m = SINK_METRIC(write ? "uboot.write.bw" : "uboot.read.bw", rate, "B/s");
	struct sink_label labels[3];
	char size[24];

	if (u->blind) {
		sink_warn(u->sink, "uboot: a transfer of which the command is not known");
		return;
	}
	m.labels = labels;
	m.resolution = resolution;
	snprintf(size, sizeof size, "0x%llx", bytes < 1e18 ? (unsigned long long)bytes : 0);
	labels[m.n++] = (struct sink_label){"bytes", size};
	if (u->fs)
		labels[m.n++] = (struct sink_label){"fs", u->fs};
	if (*u->device)
		labels[m.n++] = (struct sink_label){"device", u->device};
	sink_metric(u->sink, &m);
	u->emitted++;
}

static void uboot_timed(struct uboot *u, bool write, double bytes, double seconds, double tick)
{
	if (bytes <= 0)
		return;
	if (seconds <= 0) {
		sink_warn(u->sink, "uboot: %.0f bytes in less than %g s: no rate can be told",
			bytes, tick);
		return;
	}
	uboot_rate(u, write, bytes, bytes / seconds, bytes / seconds * tick / seconds);
}

static bool uboot_named(const char *command, const char *end)
{
	size_t n = strlen(command), m = strlen(end);

	return n >= m && !strcmp(command + n - m, end);
}

/* The command, from its echo: "=> time fatload mmc 1:1 ${addr} file". */
static void uboot_command(struct uboot *u, const struct str *words, size_t n)
{
	static const char *const commands[][2] = {{"fatload", "fat"}, {"fatwrite", "fat"},
		{"ext4load", "ext4"}, {"ext4write", "ext4"}, {"ext2load", "ext2"}, {"load", NULL},
		{"tftp", "tftp"}, {"tftpboot", "tftp"}, {"dhcp", "tftp"}, {"nfs", "nfs"},
		{"mmc", "raw"}, {"nand", "raw"}, {"sf", "raw"}, {"ubifsload", "ubifs"}};

	for (size_t i = 0; i < n && i < 4; i++) {
		if (str_is(words[i], "time")) {
			u->timed = u->echoes = true;
			u->pending = 0;
			u->fs = NULL;
		}
		for (size_t k = 0; k < ARRAY_LEN(commands); k++) {
			char interface[12], number[8];

			if (!str_is(words[i], commands[k][0]))
				continue;
			u->fs = commands[k][1];
			u->echoes = true;
			u->blind = false;
			u->device[0] = '\0';
			u->pending = u->net_rate = 0;
			if (n > i + 2 && (uboot_named(commands[k][0], "load") ||
						 uboot_named(commands[k][0], "write")))
				snprintf(u->device, sizeof u->device, "%s %s",
					lines_copy(words[i + 1], interface, sizeof interface),
					lines_copy(words[i + 2], number, sizeof number));
			return;
		}
	}
}

/* "N bytes read in T ms (...)", "N bytes written in T ms (...)" */
static bool uboot_file(struct uboot *u, const struct str *words, size_t n)
{
	double bytes, ms, seconds, speed;
	bool write;

	if (n < 6 || str_double(words[0], &bytes) || !str_is(words[1], "bytes"))
		return false;
	write = str_starts(words[2], "written");
	if (str_is(words[3], "in") && (write || str_is(words[2], "read")) &&
		!str_double(words[4], &ms) && str_is(words[5], "ms")) {
		if (u->fs && !strcmp(u->fs, "raw"))
			u->fs = NULL; /* of a command before: these are file systems' words */
		uboot_timed(u, write, bytes, ms / 1000, 0.001);
		return true;
	}
	/* sf update: "N bytes written, 0 bytes skipped in 0.634s, speed 243096 B/s" */
	if (write && n == 11 && lines_unit(words[7], "s,", &seconds) &&
		!str_double(words[9], &speed) && str_is(words[10], "B/s")) {
		uboot_timed(u, true, bytes, seconds, 0.001);
		return true;
	}
	return false;
}

/* What moved, of the commands that do not say how long it took. */
static void uboot_untimed(struct uboot *u, struct str line, const struct str *words, size_t n)
{
	double value;

	for (size_t i = 0; i + 2 < n; i++) {
		if (str_double(words[i], &value))
			continue;
		/* "... 16384 blocks read: OK" */
		if (str_is(words[i + 1], "blocks") && i + 3 < n && str_is(words[i + 3], "OK") &&
			(str_is(words[i + 2], "read:") || str_is(words[i + 2], "written:"))) {
			u->pending = value * UBOOT_BLOCK;
			u->pending_write = str_is(words[i + 2], "written:");
			u->fs = "raw";
		}
		/* " 8388608 bytes read: OK" (nand); "SF: 4096 bytes @ 0x0 Read: OK" */
		if (str_is(words[i + 1], "bytes") && str_ends(line, ": OK")) {
			u->pending = value;
			u->pending_write = lines_has(line, "ritten: OK");
			u->fs = "raw";
		}
	}
	if (n == 2 && str_is(words[1], "Bytes/s") && !str_double(words[0], &value) &&
		u->pending > 0 && value > 0) {
		uboot_rate(u, u->pending_write, u->pending, value, 1);
		u->pending = 0;
	}
}

/* "	 3.4 MiB/s" and later "Bytes transferred = 3194200 (30bd58 hex)" */
static void uboot_net(struct uboot *u, struct str line, const struct str *words, size_t n)
{
	static const char *const units[] = {"Bytes/s", "KiB/s", "MiB/s", "GiB/s"};
	double rate, factor = 1, bytes;
	struct str rest;

	for (size_t i = 0; n == 2 && i < ARRAY_LEN(units); i++, factor *= 1024)
		if (str_is(words[1], units[i]) && !u->pending && !str_double(words[0], &rate))
			u->net_rate = rate * factor;
	if (!lines_after(line, "Bytes transferred = ", &rest) || !lines_number(rest, &bytes, &rest))
		return;
	u->device[0] = '\0'; /* of a command before, as a file system is */
	if (u->fs && strcmp(u->fs, "tftp") && strcmp(u->fs, "nfs"))
		u->fs = NULL;
	if (u->net_rate > 0)
		uboot_rate(u, false, bytes, u->net_rate, 0);
	else
		u->pending = bytes;
	u->pending_write = false;
	u->net_rate = 0;
}

/* "time: 1 minutes, 3.214 seconds" */
static bool uboot_time(struct uboot *u, struct str line)
{
	struct sink_metric m = SINK_METRIC("uboot.time", 0, "s");
	double minutes = 0, seconds;
	struct str rest, after;

	if (!lines_after(line, "time: ", &rest) || !lines_number(rest, &seconds, &after))
		return false;
	if (lines_after(str_trim(after), "minutes, ", &rest)) {
		minutes = seconds;
		if (!lines_number(rest, &seconds, &after))
			return false;
	}
	if (!str_is(str_trim(after), "seconds"))
		return false;
	m.value = minutes * 60 + seconds;
	m.resolution = 0.001;
	sink_metric(u->sink, &m);
	u->emitted++;
	if (u->timed || !u->echoes)
		uboot_timed(u, u->pending_write, u->pending, m.value, 0.001);
	u->pending = 0;
	u->timed = false;
	return true;
}

/* "** Booting bootflow 'mmc@...' with script" is none. */
static bool uboot_failed(struct str line)
{
	return lines_has(line, ": ERROR") || str_starts(line, "Retry count exceeded") ||
	       (str_starts(line, "** ") && !str_starts(line, "** Booting "));
}

/* What extlinux and the like are going to read is of a device that nobody told. */
static void uboot_scan(struct uboot *u, struct str line)
{
	if (str_starts(line, "Retrieving file: ")) {
		u->device[0] = '\0';
		u->fs = NULL;
	}
}

static int uboot_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct uboot u = {.sink = sink};
	struct str words[LINES_WORDS], line;
	struct lines lines;
	size_t torn = 0;
	char shown[160] = "";

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		size_t n;

		u.blind |= torn != lines.torn;
		torn = lines.torn;
		line = str_trim(line);
		n = lines_words(line, words);
		uboot_command(&u, words, n);
		uboot_scan(&u, line);
		if (uboot_time(&u, line) || uboot_file(&u, words, n))
			continue;
		uboot_net(&u, line, words, n);
		uboot_untimed(&u, line, words, n);
		if (!*shown && uboot_failed(line))
			str_printable(line, shown, sizeof shown);
	}
	if (*shown)
		return err_set(e, BLAME_TEST, "uboot: %s", shown);
	return u.emitted ? 0 : lines_nothing(text, "uboot", "transfer or time", e);
}

static int uboot_detect(struct str text)
{
	if (lines_has(text, "Bytes transferred = ") || lines_has(text, " bytes read in ") ||
		lines_has(text, " blocks read: OK"))
		return 70;
	return lines_has(text, "\ntime: ") && lines_has(text, " seconds") ? 60 : 0;
}

static const char *const uboot_marks[] = {" bytes read in ", " bytes written",
	"Bytes transferred = ", "TFTP from server", " blocks read: ", " blocks written: ", "ytes/s",
	"iB/s", "\ntime: ", ": OK", "\n** ", "Retry count exceeded", "\n=> ", NULL};

const struct parser uboot_parser = {
	.d = {.name = "uboot", .brief = "U-Boot's transfers and time", .proven = "golden cases"},
	.detect = uboot_detect,
	.parse = uboot_parse,
	.marks = uboot_marks,
};
