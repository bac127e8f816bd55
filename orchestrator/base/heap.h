/* SPDX-License-Identifier: MIT */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

/*
 * A binary min-heap of items that live in their owners' structs, ordered by key, equal keys in
 * the order in which they were added. Zero-initialised heap and items are valid. Adding, taking
 * the first and removing any item are O(log n).
 */

#include <stddef.h>
#include <stdint.h>

struct heap_item {
	int64_t key;  /* set before heap_add, left alone while in a heap */
	uint64_t seq; /* of heap_add: rises with every item added */
	size_t at;    /* place in the heap plus 1; 0: in none */
};
struct heap {
	struct heap_item **p; /* borrowed items */
	size_t n, room;
	uint64_t seq; /* of the next item */
};

void heap_done(struct heap *h); /* all items are in no heap afterwards */
void heap_add(struct heap *h, struct heap_item *item);
struct heap_item *heap_top(const struct heap *h);      /* NULL when empty */
void heap_del(struct heap *h, struct heap_item *item); /* in no heap: nothing */

#endif
