/* SPDX-License-Identifier: MIT */
/*
 * One direction of a sound card: its parameters, and frames through it. Invariant: the buffer is so
 * long that a card whose clock is the kernel's tick moves through a part of it from one tick to the
 * next. One that is passed as a whole looks to ALSA as if nothing moved: with 256 frames at 32 kHz
 * the kernel waits in vain, for 10 s, where a timer comes every 8 ms.
 */
#include "pcm.h"

#include "test.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include <sound/asound.h>

#define CARDS     8
#define PERIODS   4   /* at least */
#define BUFFER_MS 100 /* at least, where the hardware can */
#define SLACK_MS  5000
#define SLOWNESS  4 /* times as long as the rate says is too slow */

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

/* Narrows it to at least v, then to the smallest that is left; unchanged where that cannot be. */
static bool at_least(int fd, struct snd_pcm_hw_params *p, int what, unsigned v)
{
	struct snd_pcm_hw_params narrow = *p;

	if (interval(&narrow, what)->min < v)
		interval(&narrow, what)->min = v;
	for (int i = 0; i < 2; i++) {
		narrow.rmask = ~0u;
		if (ioctl(fd, SNDRV_PCM_IOCTL_HW_REFINE, &narrow) < 0)
			return false;
		if (!i)
			set_interval(&narrow, what, interval(&narrow, what)->min);
	}
	*p = narrow;
	return true;
}

bool pcm_set_up(struct pcm_stream *s)
{
	struct snd_pcm_hw_params p = any();
	struct snd_pcm_sw_params sw = {.tstamp_mode = SNDRV_PCM_TSTAMP_NONE, .period_step = 1};

	set_mask(&p, SNDRV_PCM_HW_PARAM_ACCESS, (unsigned)SNDRV_PCM_ACCESS_RW_INTERLEAVED);
	set_mask(&p, SNDRV_PCM_HW_PARAM_FORMAT, (unsigned)SNDRV_PCM_FORMAT_S16_LE);
	set_mask(&p, SNDRV_PCM_HW_PARAM_SUBFORMAT, (unsigned)SNDRV_PCM_SUBFORMAT_STD);
	set_interval(&p, SNDRV_PCM_HW_PARAM_RATE, (unsigned)s->rate);
	set_interval(&p, SNDRV_PCM_HW_PARAM_CHANNELS, (unsigned)s->channels);
	interval(&p, SNDRV_PCM_HW_PARAM_PERIODS)->min = 2;
	if (!at_least(s->fd, &p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE, (unsigned)s->period))
		return false;
	if (!at_least(s->fd, &p, SNDRV_PCM_HW_PARAM_BUFFER_SIZE,
		    (unsigned)(s->rate * BUFFER_MS / 1000)))
		at_least(s->fd, &p, SNDRV_PCM_HW_PARAM_PERIODS, PERIODS);
	p.rmask = ~0u;
	if (ioctl(s->fd, SNDRV_PCM_IOCTL_HW_PARAMS, &p) < 0)
		return false;
	s->period = interval(&p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE)->min;
	s->buffer = interval(&p, SNDRV_PCM_HW_PARAM_BUFFER_SIZE)->min;
	sw.avail_min = (snd_pcm_uframes_t)s->period;
	sw.start_threshold = s->capture ? 1 : (snd_pcm_uframes_t)(s->period * PERIODS / 2);
	sw.stop_threshold = (snd_pcm_uframes_t)s->buffer;
	return ioctl(s->fd, SNDRV_PCM_IOCTL_SW_PARAMS, &sw) == 0 &&
	       ioctl(s->fd, SNDRV_PCM_IOCTL_PREPARE) == 0;
}

const char *pcm_pump(struct pcm_stream *s, int64_t frames, int *lost)
{
	int64_t limit = now_ns() + (frames * 1000 / s->rate * SLOWNESS + SLACK_MS) * 1000000;
	int16_t *period = calloc((size_t)(s->period * s->channels), sizeof *period);
	unsigned long order =
		s->capture ? SNDRV_PCM_IOCTL_READI_FRAMES : SNDRV_PCM_IOCTL_WRITEI_FRAMES;
	const char *why = period ? NULL : "no memory";

	while (frames > 0 && !why) {
		struct snd_xferi x = {.buf = period, .frames = (snd_pcm_uframes_t)s->period};

		if (ioctl(s->fd, order, &x) == 0) {
			frames -= x.result;
		} else if (errno == EPIPE) {
			++*lost;
			if (ioctl(s->fd, SNDRV_PCM_IOCTL_PREPARE) < 0)
				why = "it does not start again";
		} else {
			why = strerror(errno);
		}
		if (!why && now_ns() > limit)
			why = "its frames take far longer than its rate says";
	}
	/* the kernel gives that a tenth more than the buffer lasts (EIO), which a busy board
	 * passes; a card that stands still was found when the buffer was full */
	if (!why && !s->capture && ioctl(s->fd, SNDRV_PCM_IOCTL_DRAIN) < 0 && errno != EPIPE &&
		errno != EIO)
		why = "what is left is not played";
	free(period);
	return why;
}

int pcm_card(const char *id)
{
	char path[TEST_PATH_BYTES], text[TEST_TEXT_BYTES];

	for (int i = 0; i < CARDS; i++) {
		path_make(path, "/proc/asound/card%d/id", i);
		if (text_read(text, path) == 0 && (!id || !strcmp(text, id)))
			return i;
	}
	return -1;
}
