/* SPDX-License-Identifier: MIT */
/*
 * ALSA playback and capture by sample rate with the CPU load meanwhile. Invariant: a rate that the
 * hardware does not have is a skip, never a conversion.
 */
#include "pcm.h"
#include "test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <sound/asound.h>

static void measure(struct pcm_stream *s, const char *name)
{
	const char *way = s->capture ? "capture" : "playback", *why;
	int64_t ms = option_number("ms"), period = s->period, start;
	char metric[48];
	int lost = 0;
	struct load load;
	double percent, took;

	load_start(&load);
	start = now_ns();
	why = pcm_pump(s, s->rate * ms / 1000, &lost);
	took = (double)(now_ns() - start) / 1e9;
	percent = load_percent(&load);
	ioctl(s->fd, SNDRV_PCM_IOCTL_DROP);
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
		struct pcm_stream s = {.capture = capture,
			.rate = rates[i],
			.channels = option_number("channels"),
			.period = option_number("period")};
		char name[48];

		snprintf(name, sizeof name, "%s-%lld", way, (long long)rates[i]);
		/* a fresh one each time: what was set before binds no more */
		s.fd = device_open(name, path, O_RDWR);
		if (s.fd < 0)
			return;
		if (pcm_set_up(&s))
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
	char path[TEST_PATH_BYTES];
	const char *id = option("card");
	int card = pcm_card(id);

	if (card < 0) {
		test_skip(
			"card", "no sound card%s%s%s", id ? " '" : "", id ? id : "", id ? "'" : "");
		return;
	}
	path_make(path, "/dev/snd/pcmC%dD0p", card);
	test_direction(path, false);
	path_make(path, "/dev/snd/pcmC%dD0c", card);
	test_direction(path, true);
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
