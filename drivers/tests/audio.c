/* SPDX-License-Identifier: MIT */
/*
 * ALSA playback and capture by sample rate with the CPU load meanwhile, on the kernel's own
 * interface (sound/asound.h), so that the board needs no library. Invariant: a rate that the
 * hardware does not have is a skip, never a conversion.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <sound/asound.h>

#define PERIODS 4

struct stream {
	int fd;
	bool capture;
	int64_t rate, channels, period;
	int16_t *frames; /* one period */
};

static struct snd_interval *interval(struct snd_pcm_hw_params *p, int what)
{
	return &p->intervals[what - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL];
}

static void set_mask(struct snd_pcm_hw_params *p, int what, unsigned bit)
{
	struct snd_mask *m = &p->masks[what - SNDRV_PCM_HW_PARAM_FIRST_MASK];

	memset(m, 0, sizeof *m);
	m->bits[bit / 32] |= 1u << bit % 32;
}

static void set_interval(struct snd_pcm_hw_params *p, int what, unsigned v)
{
	*interval(p, what) = (struct snd_interval){.min = v, .max = v, .integer = 1};
}

/* All is possible at first; the driver then narrows it. */
static struct snd_pcm_hw_params any(void)
{
	struct snd_pcm_hw_params p;

	memset(&p, 0, sizeof p);
	for (size_t i = 0; i < COUNT_OF(p.masks); i++)
		memset(&p.masks[i], 0xff, sizeof p.masks[i]);
	for (size_t i = 0; i < COUNT_OF(p.intervals); i++)
		p.intervals[i] = (struct snd_interval){.min = 0, .max = UINT32_MAX};
	p.rmask = ~0u;
	p.info = ~0u;
	return p;
}

/* False: the hardware cannot do this. */
static bool set_up(struct stream *s)
{
	struct snd_pcm_hw_params p = any();
	struct snd_pcm_sw_params sw = {.tstamp_mode = SNDRV_PCM_TSTAMP_NONE, .period_step = 1};

	set_mask(&p, SNDRV_PCM_HW_PARAM_ACCESS, (unsigned)SNDRV_PCM_ACCESS_RW_INTERLEAVED);
	set_mask(&p, SNDRV_PCM_HW_PARAM_FORMAT, (unsigned)SNDRV_PCM_FORMAT_S16_LE);
	set_mask(&p, SNDRV_PCM_HW_PARAM_SUBFORMAT, (unsigned)SNDRV_PCM_SUBFORMAT_STD);
	set_interval(&p, SNDRV_PCM_HW_PARAM_RATE, (unsigned)s->rate);
	set_interval(&p, SNDRV_PCM_HW_PARAM_CHANNELS, (unsigned)s->channels);
	interval(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE)->min = (unsigned)s->period;
	interval(&p, SNDRV_PCM_HW_PARAM_PERIODS)->min = 2;
	if (ioctl(s->fd, SNDRV_PCM_IOCTL_HW_REFINE, &p) < 0)
		return false;
	/* the smallest period that is long enough, and a few of them */
	set_interval(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE,
		interval(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE)->min);
	p.rmask = ~0u;
	if (ioctl(s->fd, SNDRV_PCM_IOCTL_HW_REFINE, &p) < 0)
		return false;
	if (interval(&p, SNDRV_PCM_HW_PARAM_PERIODS)->max >= PERIODS &&
		interval(&p, SNDRV_PCM_HW_PARAM_PERIODS)->min <= PERIODS)
		set_interval(&p, SNDRV_PCM_HW_PARAM_PERIODS, PERIODS);
	p.rmask = ~0u;
	if (ioctl(s->fd, SNDRV_PCM_IOCTL_HW_PARAMS, &p) < 0)
		return false;
	s->period = interval(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE)->min;
	sw.avail_min = (snd_pcm_uframes_t)s->period;
	sw.start_threshold = s->capture ? 1 : (snd_pcm_uframes_t)s->period;
	sw.stop_threshold = (snd_pcm_uframes_t)(s->period * PERIODS);
	sw.boundary = (snd_pcm_uframes_t)(s->period * PERIODS) << 8;
	return ioctl(s->fd, SNDRV_PCM_IOCTL_SW_PARAMS, &sw) == 0 &&
	       ioctl(s->fd, SNDRV_PCM_IOCTL_PREPARE) == 0;
}

/* NULL or what went wrong; *lost: how often the program was late. */
static const char *pump(struct stream *s, int64_t frames, int *lost)
{
	while (frames > 0) {
		struct snd_xferi x = {.buf = s->frames, .frames = (snd_pcm_uframes_t)s->period};
		unsigned long order =
			s->capture ? SNDRV_PCM_IOCTL_READI_FRAMES : SNDRV_PCM_IOCTL_WRITEI_FRAMES;

		if (ioctl(s->fd, order, &x) < 0) {
			if (errno != EPIPE)
				return strerror(errno);
			++*lost;
			if (ioctl(s->fd, SNDRV_PCM_IOCTL_PREPARE) < 0)
				return "it does not start again";
			continue;
		}
		frames -= x.result;
	}
	return NULL;
}

static void measure(struct stream *s, const char *name)
{
	const char *way = s->capture ? "capture" : "playback", *why;
	int64_t ms = option_number("ms"), period = s->period, start;
	char metric[48];
	int lost = 0;
	struct load load;
	double percent, took;

	s->frames = calloc((size_t)(s->period * s->channels), sizeof *s->frames);
	if (!s->frames) {
		test_error(name, "no memory");
		return;
	}
	load_start(&load);
	start = now_ns();
	why = pump(s, s->rate * ms / 1000, &lost);
	took = (double)(now_ns() - start) / 1e9;
	percent = load_percent(&load);
	ioctl(s->fd, SNDRV_PCM_IOCTL_DROP);
	free(s->frames);
	if (!test_check(!why, name, "%s", why ? why : ""))
		return;
	snprintf(metric, sizeof metric, "alsa.%s.cpu_load", way);
	if (percent >= 0)
		test_metric(metric, percent, "%",
			"rate=%lld channels=%lld format=S16_LE period=%lld", (long long)s->rate,
			(long long)s->channels, (long long)period);
	snprintf(metric, sizeof metric, "alsa.%s.rate", way);
	test_metric(metric, (double)(s->rate * ms / 1000) / took, "frames/s", "rate=%lld",
		(long long)s->rate);
	snprintf(metric, sizeof metric, "alsa.%s.xruns", way);
	test_metric(metric, lost, "count", "rate=%lld", (long long)s->rate);
}

static void test_direction(const char *path, bool capture)
{
	const char *way = capture ? "capture" : "playback";
	int64_t rates[TEST_LIST_MAX];
	size_t n = option_numbers("rates", rates);

	for (size_t i = 0; i < n; i++) {
		struct stream s = {.capture = capture,
			.rate = rates[i],
			.channels = option_number("channels"),
			.period = option_number("period")};
		char name[48];

		snprintf(name, sizeof name, "%s-%lld", way, (long long)rates[i]);
		/* a fresh one each time: what was set before binds no more */
		s.fd = device_open(name, path, O_RDWR);
		if (s.fd < 0)
			return;
		if (set_up(&s))
			measure(&s, name);
		else
			test_skip(name,
				"the hardware does not do %lld Hz, %lld channels, S16_LE: %s",
				(long long)s.rate, (long long)s.channels, strerror(errno));
		close(s.fd);
	}
}

static void run(void)
{
	char card[64] = "0", path[TEST_PATH_BYTES], text[TEST_TEXT_BYTES];
	const char *name = option("card");

	/* by its id, since the numbers follow the order of loading */
	for (int i = 0; i < 8; i++) {
		path_make(path, "/proc/asound/card%d/id", i);
		if (text_read(text, path) < 0 || (name && strcmp(text, name)))
			continue;
		snprintf(card, sizeof card, "%d", i);
		path_make(path, "/dev/snd/pcmC%sD0p", card);
		test_direction(path, false);
		path_make(path, "/dev/snd/pcmC%sD0c", card);
		test_direction(path, true);
		return;
	}
	test_skip(
		"card", "no sound card%s%s%s", name ? " '" : "", name ? name : "", name ? "'" : "");
}

const struct driver_test test_audio = {
	.name = "audio",
	.what = "ALSA playback and capture: CPU load by sample rate",
	.needs = "a sound card",
	.options = {{"card", NULL, "the card's id; the first unless given"},
		{"rates", "8000,11025,16000,22050,32000,44100,48000,88200,96000", "sample rates"},
		{"channels", "2", "channels"}, {"period", "64", "frames per period, at least"},
		{"ms", "1000", "length of each measurement"}, {0}},
	.run = run,
};
