/* SPDX-License-Identifier: MIT */
/* Numbers to pointers by linear probing. Invariant: no free slot lies between an id's own place and
 * where it is, and at most half of the slots are taken. */
#include "ids.h"

#include "base/mem.h"

static size_t place_of(const struct ids *m, int64_t id)
{
	return (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 20) & (m->room - 1);
}

void ids_done(struct ids *m)
{
	free(m->slots);
	*m = (struct ids){0};
}

static struct ids_slot *slot_of(const struct ids *m, int64_t id)
{
	size_t i = place_of(m, id);

	while (m->slots[i].id && m->slots[i].id != id)
		i = (i + 1) & (m->room - 1);
	return &m->slots[i];
}

void *ids_find(const struct ids *m, int64_t id)
{
	return m->room && id > 0 ? slot_of(m, id)->value : NULL;
}

static void grow(struct ids *m)
{
	struct ids old = *m;

	m->room = old.room ? 2 * old.room : 64;
	m->slots = mem_array(m->room, sizeof *m->slots);
	ids_each(&old, slot) * slot_of(m, slot->id) = *slot;
	free(old.slots);
}

void ids_add(struct ids *m, int64_t id, void *value)
{
	if (2 * (m->n + 1) > m->room)
		grow(m);
	*slot_of(m, id) = (struct ids_slot){id, value};
	m->n++;
}

void ids_del(struct ids *m, int64_t id)
{
	struct ids_slot *hole;
	size_t i;

	if (!ids_find(m, id))
		return;
	hole = slot_of(m, id);
	i = (size_t)(hole - m->slots);
	for (;;) {
		size_t own, at = (size_t)(hole - m->slots);

		i = (i + 1) & (m->room - 1);
		if (!m->slots[i].id)
			break;
		own = place_of(m, m->slots[i].id);
		/* May it move back to the hole? Only when its own place is not after the hole. */
		if (((i - own) & (m->room - 1)) >= ((i - at) & (m->room - 1))) {
			*hole = m->slots[i];
			hole = &m->slots[i];
		}
	}
	*hole = (struct ids_slot){0};
	m->n--;
}
