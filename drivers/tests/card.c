/* SPDX-License-Identifier: MIT */
/*
 * A sound card beside its rates: its mixer, both directions at once, who may open it. Invariant: a
 * control that was changed has its value back. What a card may or may not do (two rates, two
 * programs) is a pass where it is as the guides say, and a skip where the card can do more.
 */
#include "pcm.h"
#include "test.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sound/asound.h>

#define CONTROLS_MAX 64

static void pcm_path(char out[TEST_PATH_BYTES], int card, bool capture)
{
	path_make(out, "/dev/snd/pcmC%dD%sp", card, option("device"));
	if (*out)
		out[strlen(out) - 1] = capture ? 'c' : 'p';
}

static int stream_open(struct pcm_stream *s, int card, const char *test)
{
	char path[TEST_PATH_BYTES];

	s->channels = option_number("channels");
	s->period = option_number("period");
	pcm_path(path, card, s->capture);
	s->fd = device_open(test, path, O_RDWR | O_NONBLOCK);
	if (s->fd >= 0)
		fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) & ~O_NONBLOCK);
	return s->fd;
}

/* ---- who it is ------------------------------------------------------------------------------- */

static void test_codec(int card)
{
	struct snd_pcm_info info = {0};
	const char *want = option("codec");
	char path[TEST_PATH_BYTES];
	int fd;

	if (!want || !*want) {
		test_skip("codec", "--codec with a part of its name");
		return;
	}
	pcm_path(path, card, false);
	fd = device_open("codec", path, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return;
	if (ioctl(fd, SNDRV_PCM_IOCTL_INFO, &info) < 0)
		test_refused("codec", "SNDRV_PCM_IOCTL_INFO", errno);
	else
		test_check(strstr((char *)info.id, want) || strstr((char *)info.name, want),
			"codec", "the stream is called '%.64s'", (char *)info.id);
	close(fd);
}

/* The guides' cards have no sequencer: a node of one would be of another card. */
static void test_midi(int card)
{
	char pattern[TEST_PATH_BYTES];
	glob_t g;
	int rc;

	path_make(pattern, "/dev/snd/midiC%dD*", card);
	rc = glob(pattern, 0, NULL, &g);
	if (rc == GLOB_NOMATCH)
		test_pass("no-midi");
	else
		test_skip("no-midi", "the card has MIDI: '%s'", rc ? pattern : g.gl_pathv[0]);
	globfree(&g);
}

/* ---- the mixer ------------------------------------------------------------------------------- */

/* The first control of one number or switch that can be written; false: there is none. */
static bool find_control(int fd, struct snd_ctl_elem_info *info)
{
	struct snd_ctl_elem_id ids[CONTROLS_MAX];
	struct snd_ctl_elem_list list = {.space = CONTROLS_MAX, .pids = ids};

	if (ioctl(fd, SNDRV_CTL_IOCTL_ELEM_LIST, &list) < 0)
		return false;
	for (unsigned i = 0; i < list.used; i++) {
		*info = (struct snd_ctl_elem_info){.id = ids[i]};
		if (ioctl(fd, SNDRV_CTL_IOCTL_ELEM_INFO, info) == 0 &&
			info->access & SNDRV_CTL_ELEM_ACCESS_WRITE &&
			!(info->access & SNDRV_CTL_ELEM_ACCESS_INACTIVE) &&
			ids[i].iface == SNDRV_CTL_ELEM_IFACE_MIXER &&
			(info->type == SNDRV_CTL_ELEM_TYPE_INTEGER ||
				info->type == SNDRV_CTL_ELEM_TYPE_BOOLEAN))
			return true;
	}
	return false;
}

/* Both types have their value at the same place: booleans are kept as integers. */
static const char *change(int fd, const struct snd_ctl_elem_info *info)
{
	struct snd_ctl_elem_value was = {.id = info->id}, now;
	long min = info->type == SNDRV_CTL_ELEM_TYPE_BOOLEAN ? 0 : info->value.integer.min;
	const char *why = NULL;

	if (ioctl(fd, SNDRV_CTL_IOCTL_ELEM_READ, &was) < 0)
		return strerror(errno);
	now = was;
	now.value.integer.value[0] = was.value.integer.value[0] == min ? min + 1 : min;
	if (ioctl(fd, SNDRV_CTL_IOCTL_ELEM_WRITE, &now) < 0)
		return strerror(errno);
	min = now.value.integer.value[0];
	if (ioctl(fd, SNDRV_CTL_IOCTL_ELEM_READ, &now) < 0)
		why = strerror(errno);
	else if (now.value.integer.value[0] != min)
		why = "it reads other than written";
	if (ioctl(fd, SNDRV_CTL_IOCTL_ELEM_WRITE, &was) < 0 && !why)
		why = "its value cannot be put back";
	return why;
}

static void test_mixer(int card)
{
	struct snd_ctl_elem_info info;
	char path[TEST_PATH_BYTES];
	const char *why;
	int fd;

	path_make(path, "/dev/snd/controlC%d", card);
	fd = device_open("mixer", path, O_RDWR);
	if (fd < 0)
		return;
	if (find_control(fd, &info)) {
		why = change(fd, &info);
		test_check(!why, "mixer", "'%.44s': %s", (char *)info.id.name, why ? why : "");
	} else {
		test_skip("mixer", "no control of the card's mixer can be written");
	}
	close(fd);
}

/* ---- both directions ------------------------------------------------------------------------- */

static void test_full_duplex(int card)
{
	struct pcm_stream out = {.rate = option_number("rate")}, in = out;
	int64_t frames = out.rate * option_number("ms") / 1000;
	int lost = 0, status = 0;
	const char *why;
	pid_t pid;

	in.capture = true;
	if (stream_open(&out, card, "full-duplex") < 0)
		return;
	if (stream_open(&in, card, "full-duplex") < 0)
		goto done;
	if (!pcm_set_up(&out) || !pcm_set_up(&in)) {
		test_skip("full-duplex", "the hardware does not do %lld Hz both ways: %s",
			(long long)out.rate, strerror(errno));
		goto done;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		why = pcm_pump(&out, frames, &lost);
		if (why)
			printf("# playing: %s\n", why);
		fflush(stdout);
		_exit(why ? 1 : 0);
	}
	if (pid < 0) {
		test_error("full-duplex", "fork: %s", strerror(errno));
		goto done;
	}
	why = pcm_pump(&in, frames, &lost);
	waitpid(pid, &status, 0);
	if (!why && status)
		why = "it does not play meanwhile";
	test_check(!why, "full-duplex", "%s", why ? why : "");
done:
	if (in.fd >= 0)
		close(in.fd);
	close(out.fd);
}

static void test_same_rate(int card)
{
	struct pcm_stream out = {.rate = option_number("rate")}, in = {.capture = true};

	in.rate = option_number("other-rate");
	if (stream_open(&out, card, "same-rate") < 0)
		return;
	if (stream_open(&in, card, "same-rate") >= 0) {
		if (!pcm_set_up(&out))
			test_skip("same-rate", "the hardware does not do %lld Hz",
				(long long)out.rate);
		else if (pcm_set_up(&in))
			test_skip("same-rate", "the card plays and records at two rates");
		else
			test_pass("same-rate");
		close(in.fd);
	}
	close(out.fd);
}

static void test_one_open(int card)
{
	struct pcm_stream first = {.rate = option_number("rate")};
	char path[TEST_PATH_BYTES];
	int fd;

	if (stream_open(&first, card, "one-open") < 0)
		return;
	pcm_path(path, card, false);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		test_skip("one-open", "the card plays for two programs at once");
	else
		test_check(errno == EAGAIN || errno == EBUSY, "one-open", "the second gets: %s",
			strerror(errno));
	if (fd >= 0)
		close(fd);
	close(first.fd);
}

static void run(void)
{
	const char *id = option("card");
	int card = pcm_card(id);

	if (card < 0) {
		test_skip(
			"card", "no sound card%s%s%s", id ? " '" : "", id ? id : "", id ? "'" : "");
		return;
	}
	test_pass("card");
	test_codec(card);
	test_midi(card);
	test_mixer(card);
	test_full_duplex(card);
	test_same_rate(card);
	test_one_open(card);
}

const struct driver_test test_card = {
	.name = "sound-card",
	.what = "a sound card: mixer, both directions at once, one rate, one program",
	.needs = "a sound card",
	.options = {{"card", NULL, "the card's id; the first unless given"},
		{"device", "0", "its PCM device"}, {"codec", NULL, "part of the codec's name"},
		{"channels", "2", "channels"}, {"period", "64", "frames per period, at least"},
		{"rate", "48000", "rate of both directions"},
		{"other-rate", "44100", "a rate that the second one then asks for"},
		{"ms", "500", "how long both directions run"}, {0}},
	.run = run,
};
