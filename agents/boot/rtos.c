/* SPDX-License-Identifier: MIT */
/*
 * A board without Linux whose ROM takes its firmware from where the boot-mode pins say. When it
 * waits for XMODEM the image is sent; the firmware's first frame ends it. Invariant: nothing is
 * sent before the ROM said that it waits, and what the ROM refuses is told with the ROM's own
 * words.
 */
#include "boot.h"
#include "transfer.h"

#include "base/clock.h"
#include "base/mem.h"

struct rtos {
	const char *banner, *waits, *refused, *ready, *image, *prompt;
	struct param_strings send;
	int64_t timeout_ms, transfer_timeout_ms;
};

static const struct param params[] = {
	{"banner", PARAM_PATTERN, offsetof(struct rtos, banner),
		.preset = "^ROM: (hilab ROM [^,\\r\\n]+),",
		.help = "the ROM's first line; its group is the ROM's version"},
	{"waits", PARAM_PATTERN, offsetof(struct rtos, waits), .preset = "^ROM: waits for XMODEM",
		.help = "what the ROM says when an image is to be sent over the console"},
	{"refused", PARAM_PATTERN, offsetof(struct rtos, refused),
		.preset = "^ROM: refused: ([^\\r\\n]+)[\\r\\n]",
		.help = "what the ROM says of an image that it does not start; its group is why"},
	{"ready", PARAM_PATTERN, offsetof(struct rtos, ready),
		.preset = "@hil \\d+ \\d+ boot \\d+ hello [^@]*@",
		.help = "the firmware's first frame"},
	{"prompt", PARAM_PATTERN, offsetof(struct rtos, prompt), .preset = "^r5f> ",
		.help = "the prompt of the firmware's command line, which takes framed commands"},
	{"image", PARAM_STRING, offsetof(struct rtos, image), .preset = "${image.firmware}",
		.help = "file that is sent when the ROM waits; deployed by method 'uart'"},
	{"send", PARAM_STRINGS, offsetof(struct rtos, send),
		.help = "program that sends it on its stdin and stdout; preset: sx -k -q",
		.example = "[sx, -k, -q]"},
	{"timeout", PARAM_DURATION, offsetof(struct rtos, timeout_ms), .preset = "30s", .min = 100,
		.max = 3600000,
		.help = "from power-on, or from the end of the transfer, to the first frame"},
	{"transfer-timeout", PARAM_DURATION, offsetof(struct rtos, transfer_timeout_ms),
		.preset = "120s", .min = 1000, .max = 3600000,
		.help = "how long the transfer may take"},
	{0},
};

enum { SEEN_READY, SEEN_REFUSED, SEEN_WAITS, SEEN_BANNER, SEEN_COUNT };

static int send_image(struct boot *bt, struct err *e)
{
	static const char *preset[] = {"sx", "-k", "-q"};
	const struct param_strings fallback = {preset, ARRAY_LEN(preset)};
	const struct rtos *conf = bt->conf;
	AUTOBUF file = BUF_INIT(4096);
	int64_t start = clock_ms();

	if (bench_expand(bt->bench, conf->image, &file, e))
		return err_wrap(e, "the ROM waits for an image and none is deployed by 'uart'");
	if (transfer_run(bt->console, conf->send.n ? &conf->send : &fallback, buf_str(&file),
		    conf->transfer_timeout_ms, e))
		return err_wrap(e, "send '%s'", buf_str(&file));
	bench_note(bt->bench, "image sent in %lld ms", (long long)(clock_ms() - start));
	bt->images_loaded++;
	return 0;
}

static int watch(struct boot *bt, struct pattern *const *patterns, struct err *e)
{
	const struct rtos *conf = bt->conf;
	struct expect_match m;
	char why[160];
	int r;

	for (;;) {
		r = console_expect(bt->console, patterns, SEEN_COUNT, conf->timeout_ms, &m, e);
		if (r == SEEN_BANNER) {
			free((char *)bt->loader_version);
			bt->loader_version = mem_strndup(m.group[1].p, m.group[1].n);
			bench_note(bt->bench, "boot loader: %s", bt->loader_version);
		} else if (r == SEEN_WAITS) {
			if (send_image(bt, e))
				return -1;
		} else if (r == SEEN_REFUSED) {
			return err_set(e, BLAME_BUILD, "the ROM refuses the image: %s",
				str_printable(str_trim(m.group[1]), why, sizeof why));
		} else {
			break;
		}
	}
	if (r < 0 && !bt->console->received_bytes && e->blame == BLAME_TIMEOUT)
		e->blame = BLAME_INFRA; /* not one byte: nothing is connected, or no power */
	return r < 0 ? -1 : 0;
}

static int start(struct boot *bt, struct err *e)
{
	const struct rtos *conf = bt->conf;
	const char *texts[SEEN_COUNT] = {conf->ready, conf->refused, conf->waits, conf->banner};
	struct pattern *patterns[SEEN_COUNT] = {0};
	int r = 0;

	for (size_t i = 0; i < SEEN_COUNT && !r; i++)
		if (!(patterns[i] = pattern_new(texts[i], e)))
			r = -1;
	if (!r)
		r = watch(bt, patterns, e);
	bt->framed_prompt = r ? NULL : conf->prompt;
	for (size_t i = 0; i < SEEN_COUNT; i++)
		pattern_free(patterns[i]);
	return r ? err_wrap(e, "rtos") : 0;
}

extern const struct boot_driver boot_rtos;
const struct boot_driver boot_rtos = {
	.d = {.name = "rtos",
		.brief =
			"waits for a firmware's first frame, and sends the image when the ROM asks",
		.params = params,
		.size = sizeof(struct rtos),
		.proven = "the twins' ROM and benchmark firmware, with lrzsz"},
	.wants_power = true,
	.start = start,
};
