/* SPDX-License-Identifier: MIT */
#ifndef R5F_FRAMES_H
#define R5F_FRAMES_H

/*
 * The firmware's end of the result frames (drivers/tests/hil.h): hil_send prints a frame and keeps
 * it until FRAMES_KEPT newer ones came, so that it can be asked for again. Only one command runs at
 * a time, on core 0.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAMES_KEPT  256
#define FRAMES_BYTES 1300  /* of one, as it is printed */
#define FRAMES_TOKEN 16    /* of a run's name */
#define OUTPUT_BYTES 65536 /* kept of one command's output */
#define PIECE_BYTES  900   /* of output, encoded, in one frame */

/* From now on frames are those of a run, numbered from seq. */
void frames_begin(const char *run, uint32_t seq);
/* Prints a kept one; false: it is not kept, or of another run. */
bool frames_again(const char *run, uint32_t seq);
uint32_t frames_next(void);
/* Is there a run whose frames are sent? */
bool frames_active(void);
void frames_end(void);

/* Output is kept instead of printed until output_end, which sends it as frames of kind f and gives
 * what the end frame says of it. */
void output_begin(void);
void output_end(uint32_t *crc, size_t *bytes, size_t *left_out);

#endif
