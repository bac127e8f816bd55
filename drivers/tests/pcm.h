/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_PCM_H
#define DRIVERS_PCM_H

/*
 * One direction of a sound card, S16_LE, on the kernel's own interface (sound/asound.h), so that
 * the board needs no library.
 */
#include <stdbool.h>
#include <stdint.h>

struct pcm_stream {
	int fd;
	bool capture;
	int64_t rate, channels;
	int64_t period; /* frames: at least this many; what it became once it is set up */
	int64_t buffer; /* frames, once it is set up */
};

/* Number of the card with this id, NULL: of the first one; -1: there is none. */
int pcm_card(const char *id);
/* False, with errno: the hardware cannot do this. A rate it lacks is refused, never converted. */
bool pcm_set_up(struct pcm_stream *s);
/* Moves so many frames and waits until the last one is played. *lost: how often the program was
 * late. NULL, or what went wrong; within a bounded time either way. */
const char *pcm_pump(struct pcm_stream *s, int64_t frames, int *lost);

#endif
