/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_T_CONTROLLER_H
#define AGENTS_T_CONTROLLER_H

/*
 * The controller's side of a sync as a model: what it holds of each file in memory. Takes a chunk
 * only where the file ends, as io/chunks.h says, and can be made to lose and refuse things.
 */

#include "base/map.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/chunks.h"
#include "io/json.h"

#include <stdlib.h>

#define HELD_BYTES ((size_t)64 << 20)

struct held {
	struct buf bytes;
};

struct controller {
	struct map files; /* "RUN.PART/FILE" -> struct held */
	struct map gone;  /* "RUN.PART": not wanted */
	int refuse_in;    /* every so many-th chunk is not taken; 0: all are */
	unsigned chunks;  /* seen so far */
	uint64_t seen_bytes;
	/* Told before each chunk is taken, with what there is of its file. NULL: not. */
	void (*on_chunk)(void *arg, const struct chunk *c, struct held *h);
	void *arg;
};

static struct held *controller_file(
	struct controller *m, int64_t run, unsigned part, const char *file)
{
	AUTOFREE char *key = mem_printf("%lld.%u/%s", (long long)run, part, file);
	struct held *h = map_find(&m->files, key);

	if (!h) {
		h = mem_alloc(sizeof *h);
		buf_init(&h->bytes, HELD_BYTES);
		map_set(&m->files, key, h);
	}
	return h;
}

static bool controller_gone(const struct controller *m, int64_t run, unsigned part)
{
	AUTOFREE char *key = mem_printf("%lld.%u", (long long)run, part);

	return map_has(&m->gone, key);
}

/* What it answers to a body. */
static json_t *controller_take(struct controller *m, struct str body)
{
	json_t *have = json_array();
	struct chunk c;
	struct err e = {0};
	int rc;

	while ((rc = chunk_parse(&body, &c, &e)) > 0) {
		bool gone = controller_gone(m, c.run, c.part);
		struct held *h = controller_file(m, c.run, c.part, c.file);

		m->chunks++;
		m->seen_bytes += c.bytes.n;
		if (!gone && m->on_chunk)
			m->on_chunk(m->arg, &c, h);
		if (!gone && c.offset == h->bytes.len &&
			!(m->refuse_in && m->chunks % (unsigned)m->refuse_in == 0))
			buf_add(&h->bytes, c.bytes.p, c.bytes.n);
		json_array_append_new(
			have, json_pack("{s:I, s:i, s:s, s:I, s:b}", "run", (json_int_t)c.run,
				      "part", (int)c.part, "file", c.file, "bytes",
				      (json_int_t)h->bytes.len, "gone", gone));
	}
	if (rc < 0)
		ok(false, "the body is one of chunks: %s", e.msg);
	return json_pack("{s:o}", "have", have);
}

static void controller_done(struct controller *m)
{
	map_each (&m->files, it) {
		buf_done(&((struct held *)it->value)->bytes);
		free(it->value);
	}
	map_done(&m->files);
	map_done(&m->gone);
}

#endif
