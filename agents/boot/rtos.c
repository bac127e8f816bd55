/* SPDX-License-Identifier: MIT */
/*
 * A board without Linux whose ROM takes its firmware from where the boot-mode pins say. When it, or
 * the loader that it started, waits for XMODEM the next image is sent; the firmware's first words
 * end it. Invariant: nothing is sent before somebody said that he waits, and what the ROM refuses
 * is told with the ROM's own words.
 */
#include "boot.h"
#include "transfer.h"

#include "base/clock.h"
#include "base/mem.h"

struct rtos {
	const char *banner, *waits, *refused, *ready, *image, *prompt, *done, *failed;
	struct param_strings send, images;
	int64_t timeout_ms, transfer_timeout_ms, quiet_ms;
	bool apps;
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
	{"images", PARAM_STRINGS, offsetof(struct rtos, images),
		.help = "files in place of `image`, where several are waited for one after the "
			"other: one is sent each time",
		.example = "['${image.sbl}', '${image.app}']"},
	{"apps", PARAM_BOOL, offsetof(struct rtos, apps), .preset = "false",
		.help = "there is no command line: each application is an image of its own that "
			"prints its tables and ends; `run NAME` starts image NAME"},
	{"done", PARAM_PATTERN, offsetof(struct rtos, done), .preset = "All tests have passed",
		.help = "what an application prints at its end"},
	{"failed", PARAM_PATTERN, offsetof(struct rtos, failed),
		.preset = "^(Some tests have failed[^\\r\\n]*|ASSERT[^\\r\\n]*)[\\r\\n]",
		.help = "what it prints when it failed; its group is why"},
	{"quiet", PARAM_DURATION, offsetof(struct rtos, quiet_ms), .preset = "10s", .min = 100,
		.max = 600000,
		.help = "an application that prints nothing for so long is at its end, too"},
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

enum { SEEN_READY, SEEN_REFUSED, SEEN_WAITS, SEEN_BANNER, SEEN_WORDS, SEEN_COUNT };

/* A line of an application, not the C of one who waits for XMODEM. */
#define WORDS "[^C\\s\\x06][^\\r\\n]*[\\r\\n]"

/* The n-th file that somebody waits for; NULL: there are no more. */
static const char *image_of(const struct rtos *conf, size_t n)
{
	if (conf->images.n)
		return n < conf->images.n ? conf->images.p[n] : NULL;
	return n ? NULL : conf->image;
}

/* Who asked for an image asked on until he was heard: all up to his last ACK is no new question. */
static int skip_transfer(struct boot *bt, struct err *e)
{
	struct pattern *acks = pattern_new("(?s)^.*\\x06", e);
	struct expect_match m;
	int r = acks ? expect_search(bt->console->expect, &acks, 1, &m) : -1;

	pattern_free(acks);
	return r < 0 ? err_set(e, BLAME_BUG, "look for the end of a transfer") : 0;
}

static int send_image(struct boot *bt, const char *image, struct err *e)
{
	static const char *preset[] = {"sx", "-k", "-q"};
	const struct param_strings fallback = {preset, ARRAY_LEN(preset)};
	const struct rtos *conf = bt->conf;
	AUTOBUF file = BUF_INIT(4096);
	int64_t start = clock_ms();

	if (!image)
		return err_set(e, BLAME_INFRA,
			"the board waits for one more image than there are: what was sent did not "
			"start");
	if (bench_expand(bt->bench, image, &file, e))
		return err_wrap(e, "the ROM waits for an image and none is deployed by 'uart'");
	if (transfer_run(bt->console, conf->send.n ? &conf->send : &fallback, buf_str(&file),
		    conf->transfer_timeout_ms, e))
		return err_wrap(e, "send '%s'", buf_str(&file));
	bench_note(bt->bench, "image sent in %lld ms", (long long)(clock_ms() - start));
	bt->images_loaded++;
	return skip_transfer(bt, e);
}

static void take_banner(struct boot *bt, const struct expect_match *m)
{
	free((char *)bt->loader_version);
	bt->loader_version = mem_strndup(m->group[1].p, m->group[1].n);
	bench_note(bt->bench, "boot loader: %s", bt->loader_version);
}

/* Were all images sent that somebody waits for? */
static bool all_sent(const struct boot *bt)
{
	return bt->images_loaded && !image_of(bt->conf, bt->images_loaded);
}

/* How many of the patterns count. An application tells that it runs by any words; others, and one
 * that comes from a medium, by those that `ready` has. */
static size_t counting(const struct boot *bt)
{
	const struct rtos *conf = bt->conf;

	return conf->apps && all_sent(bt) ? SEEN_COUNT : SEEN_WORDS;
}

/* Is the boot over? Where images are sent, a loader's first words do not end it before the last one
 * went. */
static bool is_over(const struct boot *bt, int seen)
{
	return seen == SEEN_WORDS || (seen == SEEN_READY && (!bt->images_loaded || all_sent(bt)));
}

static int watch(struct boot *bt, struct pattern *const *patterns, struct err *e)
{
	const struct rtos *conf = bt->conf;
	struct expect_match m;
	char why[160];
	int r;

	for (;;) {
		r = console_expect(bt->console, patterns, counting(bt), conf->timeout_ms, &m, e);
		if (r == SEEN_BANNER)
			take_banner(bt, &m);
		else if (r == SEEN_WAITS && send_image(bt, image_of(conf, bt->images_loaded), e))
			return -1;
		else if (r == SEEN_REFUSED)
			return err_set(e, BLAME_BUILD, "the ROM refuses the image: %s",
				str_printable(str_trim(m.group[1]), why, sizeof why));
		if (r < 0 || is_over(bt, r))
			break;
	}
	if (r < 0 && !bt->console->received_bytes && e->blame == BLAME_TIMEOUT)
		e->blame = BLAME_INFRA; /* not one byte: nothing is connected, or no power */
	return r < 0 ? -1 : 0;
}

static int start(struct boot *bt, struct err *e)
{
	const struct rtos *conf = bt->conf;
	const char *texts[SEEN_COUNT] = {
		conf->ready, conf->refused, conf->waits, conf->banner, WORDS};
	struct pattern *patterns[SEEN_COUNT] = {0};
	int r = 0;

	for (size_t i = 0; i < SEEN_COUNT && !r; i++)
		if (!(patterns[i] = pattern_new(texts[i], e)))
			r = -1;
	if (!r)
		r = watch(bt, patterns, e);
	bt->framed_prompt = r || conf->apps ? NULL : conf->prompt;
	bt->apps = !r && conf->apps;
	for (size_t i = 0; i < SEEN_COUNT; i++)
		pattern_free(patterns[i]);
	return r ? err_wrap(e, "rtos") : 0;
}

/* Until it says that it is done or has failed, or is silent. */
static int listen_until(struct boot *bt, struct pattern *const *ends, struct err *e)
{
	const struct rtos *conf = bt->conf;
	struct expect_match m;
	char why[160];

	for (;;) {
		int64_t left = bt->console->last_byte_ms + conf->quiet_ms - clock_ms();
		int r = left > 0 ? console_expect(bt->console, ends, 2, left, &m, e)
				 : CONSOLE_TIMEOUT;

		if (r == 1)
			return err_set(e, BLAME_TEST, "the application says '%s'",
				       str_printable(str_trim(m.group[1]), why, sizeof why)),
			       1;
		if (r != CONSOLE_TIMEOUT)
			return r;
		err_clear(e);
		if (left <= 0)
			return 0;
	}
}

static int listen_to(struct boot *bt, struct err *e)
{
	const struct rtos *conf = bt->conf;
	struct pattern *ends[2] = {NULL, NULL};
	int r = -1;

	if ((ends[0] = pattern_new(conf->done, e)) && (ends[1] = pattern_new(conf->failed, e)))
		r = listen_until(bt, ends, e);
	pattern_free(ends[0]);
	pattern_free(ends[1]);
	return r < 0 ? err_wrap(e, "rtos") : r;
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
	.listen = listen_to,
};
