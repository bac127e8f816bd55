/* SPDX-License-Identifier: MIT */
/* A min-heap. Invariant: p[(i - 1) / 2] is not after p[i], and p[i]->at == i + 1. */
#include "base/heap.h"

#include "base/mem.h"

#include <stdbool.h>

static bool before(const struct heap_item *a, const struct heap_item *b)
{
	return a->key != b->key ? a->key < b->key : a->seq < b->seq;
}

static void put(struct heap *h, size_t i, struct heap_item *item)
{
	h->p[i] = item;
	item->at = i + 1;
}

/* Finds the place of item, for which i is free. */
static void settle(struct heap *h, size_t i, struct heap_item *item)
{
	while (i && before(item, h->p[(i - 1) / 2])) {
		put(h, i, h->p[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (;;) {
		size_t kid = 2 * i + 1;

		if (kid + 1 < h->n && before(h->p[kid + 1], h->p[kid]))
			kid++;
		if (kid >= h->n || !before(h->p[kid], item))
			break;
		put(h, i, h->p[kid]);
		i = kid;
	}
	put(h, i, item);
}

void heap_done(struct heap *h)
{
	for (size_t i = 0; i < h->n; i++)
		h->p[i]->at = 0;
	free(h->p);
	*h = (struct heap){.seq = h->seq};
}

void heap_add(struct heap *h, struct heap_item *item)
{
	if (h->n == h->room) {
		h->room = h->room ? 2 * h->room : 16;
		h->p = mem_grow(h->p, h->room, sizeof *h->p);
	}
	item->seq = h->seq++;
	put(h, h->n++, item);
	settle(h, h->n - 1, item);
}

struct heap_item *heap_top(const struct heap *h)
{
	return h->n ? h->p[0] : NULL;
}

void heap_del(struct heap *h, struct heap_item *item)
{
	size_t i = item->at - 1;
	struct heap_item *last;

	if (!item->at)
		return;
	last = h->p[--h->n];
	item->at = 0;
	if (last != item)
		settle(h, i, last);
}
