/* SPDX-License-Identifier: MIT */
#ifndef BASE_MAP_H
#define BASE_MAP_H

/*
 * A map from text to a pointer, in insertion order when walked. Keys are copied; values are the
 * caller's. Zero-initialised is empty. Looking up and adding are O(1) on average; hashing is seeded
 * per process.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	char *key; /* owned by the map */
	void *value;
	uint64_t hash;
};
struct map {
	struct map_entry *entries;
	size_t n, room;
	uint32_t *slots; /* index + 1 into entries; 0 is empty */
	size_t nslots;
};

void map_done(struct map *m);                         /* frees keys, not values */
void *map_find(const struct map *m, const char *key); /* NULL when absent */
bool map_has(const struct map *m, const char *key);
void map_set(struct map *m, const char *key, void *value); /* adds or replaces */
/* Takes the key out and returns its value, NULL when absent. O(n). */
void *map_del(struct map *m, const char *key);

#define map_each(m, e) for (struct map_entry *e = (m)->entries; e && e < (m)->entries + (m)->n; e++)

#endif
