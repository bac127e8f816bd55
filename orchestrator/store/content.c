/* SPDX-License-Identifier: MIT */
/*
 * Texts that many rows share: ten thousand jobs of one nightly keep one document and a few plans.
 * Invariant: a row that is found has the very text; its hash only says where to look.
 */
#include "inner.h"

#include <string.h>

#define CONTENT_TRIES                                                                              \
	8 /* texts of one hash that are compared: a hash that many share costs room                \
	   */

/* Not for secrets: texts made to collide are stored twice, no more. */
static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ n, word;

	for (; n >= sizeof word; text += sizeof word, n -= sizeof word) {
		memcpy(&word, text, sizeof word);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, text, n);
	h = (h ^ word) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

int store_content(struct store *s, const char *text, int64_t *id, struct err *e)
{
	sqlite3_stmt *st;
	int64_t hash;
	int found;

	if (!text)
		return *id = 0, 0;
	hash = (int64_t)hash_of(text, strlen(text));
	st = store_stmt(s, SQL_CONTENT_FIND, e);
	sqlite3_bind_int64(st, 1, hash);
	store_bind_text(st, 2, text);
	sqlite3_bind_int(st, 3, CONTENT_TRIES);
	found = store_number(s, st, "look for a text", id, e);
	if (found)
		return found < 0 ? -1 : 0;
	st = store_stmt(s, SQL_CONTENT_ADD, e);
	sqlite3_bind_int64(st, 1, hash);
	store_bind_text(st, 2, text);
	if (store_step(s, st, "add a text", e))
		return -1;
	*id = sqlite3_last_insert_rowid(s->db);
	return 0;
}
