/* SPDX-License-Identifier: MIT */
/* Build ids out of ELF notes: found wherever they stand, and no claimed size reads past the end. */
#include "agents/worker/buildid.h"
#include "base/t/tap.h"

#include <stdlib.h>

#define GNU_ID    "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef"
#define LINUX_ONE "\6\0\0\0\1\0\0\0\1\1\0\0Linux\0\0\0\7\0\0\0"
#define ROUNDS    200000

/* In memory of exactly that size, so that a sanitizer sees a read past it. */
static bool find(struct str notes, char *hex)
{
	char *copy = malloc(notes.n ? notes.n : 1);
	bool found;

	memcpy(copy, notes.p, notes.n);
	found = buildid_find(str_make(copy, notes.n), hex);
	free(copy);
	return found;
}

static void test_notes(void)
{
	static const struct {
		const char *name;
		struct str notes;
		const char *want; /* NULL: none */
	} cases[] = {
		{"nothing", STR_LIT(""), NULL},
		{"one", STR_LIT(GNU_ID), "deadbeef"},
		{"one behind another's, which is padded", STR_LIT(LINUX_ONE GNU_ID), "deadbeef"},
		{"one before another's", STR_LIT(GNU_ID LINUX_ONE), "deadbeef"},
		{"of an odd length", STR_LIT("\4\0\0\0\1\0\0\0\3\0\0\0GNU\0\x0a"), "0a"},
		{"only another's", STR_LIT(LINUX_ONE), NULL},
		{"of another name", STR_LIT("\4\0\0\0\1\0\0\0\3\0\0\0GNV\0\x0a"), NULL},
		{"of another type", STR_LIT("\4\0\0\0\1\0\0\0\1\0\0\0GNU\0\x0a"), NULL},
		{"empty", STR_LIT("\4\0\0\0\0\0\0\0\3\0\0\0GNU\0"), NULL},
		{"too long", STR_LIT("\4\0\0\0\5\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef"), NULL},
		{"endless", STR_LIT("\377\377\377\377\377\377\377\377\3\0\0\0GNU\0\1\2\3\4"), NULL},
		{"a text", STR_LIT("cat: no such file or directory\n"), NULL},
	};
	char got[BUILDID_HEX_BYTES];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(got, sizeof got, "as it was");
		is_int(find(cases[i].notes, got), cases[i].want != NULL, "%s", cases[i].name);
		is_str(got, cases[i].want ? cases[i].want : "as it was", "%s: what it is",
			cases[i].name);
	}
}

static void test_length(void)
{
	char notes[16 + BUILD_ID_MAX + 4] = "\4\0\0\0\0\0\0\0\3\0\0\0GNU\0";
	char got[BUILDID_HEX_BYTES];

	notes[4] = BUILD_ID_MAX;
	ok(find(str_make(notes, sizeof notes), got), "the longest id");
	is_int((long long)strlen(got), 2 * BUILD_ID_MAX, "is all there");
	notes[4] = BUILD_ID_MAX + 1;
	ok(!find(str_make(notes, sizeof notes), got), "a longer one is none");
}

/* Notes cut and changed anywhere: what is found is hex of a length that fits. */
static void test_damage(void)
{
	static const char whole[] = LINUX_ONE GNU_ID LINUX_ONE;
	char notes[sizeof whole - 1], got[BUILDID_HEX_BYTES];
	int found = 0, wrong = 0;

	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		size_t n = (size_t)rand() % (sizeof notes + 1);

		memcpy(notes, whole, sizeof notes);
		for (int k = rand() % 3; k > 0; k--)
			notes[(size_t)rand() % sizeof notes] = (char)rand();
		if (!find(str_make(notes, n), got))
			continue;
		found++;
		wrong += !*got || strspn(got, "0123456789abcdef") != strlen(got);
	}
	ok(found > 0 && found < ROUNDS, "damaged notes: some still tell");
	is_int(wrong, 0, "and nothing but an id");
}

int main(void)
{
	test_notes();
	test_length();
	test_damage();
	return tap_done();
}
