/* SPDX-License-Identifier: MIT */
#ifndef SCHED_IDS_H
#define SCHED_IDS_H

/* A map from a positive number to a pointer of the caller's; all in O(1) on average, removal too.
 * Zero-initialised is empty. */

#include <stddef.h>
#include <stdint.h>

struct ids_slot {
	int64_t id; /* 0: free */
	void *value;
};
struct ids {
	struct ids_slot *slots;
	size_t n, room; /* room: a power of two */
};

void ids_done(struct ids *m); /* values are the caller's */
void *ids_find(const struct ids *m, int64_t id);
void ids_add(struct ids *m, int64_t id, void *value); /* id is not in it */
void ids_del(struct ids *m, int64_t id);

/* In no order; nothing may be added or removed meanwhile. */
#define ids_each(m, it)                                                                            \
	for (struct ids_slot *it = (m)->slots; it && it < (m)->slots + (m)->room; it++)            \
		if (it->id)

#endif
