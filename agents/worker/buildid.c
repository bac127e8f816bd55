/* SPDX-License-Identifier: MIT */
/*
 * Walks ELF notes. Invariant: nothing past the bytes given is read, whatever sizes they claim.
 */
#include "buildid.h"

#include <elf.h>
#include <stdio.h>

#define HEAD_BYTES 12 /* three words: size of the name, size of what follows, type */

static uint64_t word_at(struct str s, size_t at)
{
	uint64_t word = 0;

	for (size_t i = 4; i--;)
		word = word << 8 | (uint8_t)s.p[at + i];
	return word;
}

/* Name and contents each end on a word. 64 bits: no size that 32 can hold overflows. */
static uint64_t padded(uint64_t bytes)
{
	return (bytes + 3) & ~(uint64_t)3;
}

bool buildid_find(struct str notes, char hex[BUILDID_HEX_BYTES])
{
	while (notes.n >= HEAD_BYTES) {
		uint64_t name = word_at(notes, 0), id = word_at(notes, 4);
		uint64_t id_at = HEAD_BYTES + padded(name), end = id_at + id;

		if (end > notes.n)
			return false;
		if (word_at(notes, 8) == NT_GNU_BUILD_ID && id && id <= BUILD_ID_MAX &&
			str_eq(str_make(notes.p + HEAD_BYTES, name), STR_LIT("GNU\0"))) {
			for (size_t i = 0; i < id; i++)
				snprintf(hex + 2 * i, 3, "%02x", (uint8_t)notes.p[id_at + i]);
			return true;
		}
		end = id_at + padded(id);
		if (end > notes.n)
			return false;
		notes = str_make(notes.p + end, notes.n - end);
	}
	return false;
}
