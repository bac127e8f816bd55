/* SPDX-License-Identifier: MIT */
/*
 * A map from text to pointer: open addressing over an insertion-ordered array. Invariant: slots
 * is at most half full and every entry is reachable from its hash by linear probing.
 */
#include "base/map.h"

#include "base/mem.h"

#include <string.h>
#include <sys/random.h>

static uint64_t hash_of(const char *key)
{
	static uint64_t seed; /* per process, so that a hostile document cannot choose collisions */
	uint64_t h;

	if (!seed) {
		if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
			seed = (uintptr_t)&seed;
		seed |= 1;
	}
	h = seed ^ 0xcbf29ce484222325u;
	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3u;
	return h ^ h >> 29;
}

static void place(struct map *m, size_t index)
{
	size_t i = m->entries[index].hash & (m->nslots - 1);

	while (m->slots[i])
		i = (i + 1) & (m->nslots - 1);
	m->slots[i] = (uint32_t)index + 1;
}

static void rehash(struct map *m, size_t nslots)
{
	free(m->slots);
	m->nslots = nslots;
	m->slots = mem_array(nslots, sizeof *m->slots);
	for (size_t i = 0; i < m->n; i++)
		place(m, i);
}

static struct map_entry *entry_of(const struct map *m, const char *key)
{
	uint64_t h;

	if (!m->nslots)
		return NULL;
	h = hash_of(key);
	for (size_t i = h & (m->nslots - 1); m->slots[i]; i = (i + 1) & (m->nslots - 1)) {
		struct map_entry *e = &m->entries[m->slots[i] - 1];

		if (e->hash == h && !strcmp(e->key, key))
			return e;
	}
	return NULL;
}

void map_done(struct map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->entries[i].key);
	free(m->entries);
	free(m->slots);
	*m = (struct map){0};
}

void *map_find(const struct map *m, const char *key)
{
	struct map_entry *e = entry_of(m, key);

	return e ? e->value : NULL;
}

bool map_has(const struct map *m, const char *key)
{
	return entry_of(m, key) != NULL;
}

void map_set(struct map *m, const char *key, void *value)
{
	struct map_entry *e = entry_of(m, key);

	if (e) {
		e->value = value;
		return;
	}
	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 8;
		m->entries = mem_grow(m->entries, m->room, sizeof *m->entries);
	}
	m->entries[m->n++] = (struct map_entry){mem_strdup(key), value, hash_of(key)};
	if (2 * m->n > m->nslots)
		rehash(m, m->nslots ? 2 * m->nslots : 16);
	else
		place(m, m->n - 1);
}

void *map_del(struct map *m, const char *key)
{
	struct map_entry *e = entry_of(m, key);
	void *value;

	if (!e)
		return NULL;
	value = e->value;
	free(e->key);
	memmove(e, e + 1, (char *)(m->entries + m->n) - (char *)(e + 1));
	m->n--;
	rehash(m, m->nslots);
	return value;
}
