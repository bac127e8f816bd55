/* SPDX-License-Identifier: MIT */
/* Which board qualifies for what a job asks. Invariant: nothing asked for is passed over. */
#include "base/mem.h"
#include "labs/lab.h"

#include <string.h>

const struct param match_params[] = {
	{"name", PARAM_STRING, offsetof(struct match, board),
		.help = "this very board, by its name in the lab file", .example = "am62a-1"},
	{"type", PARAM_STRING, offsetof(struct match, type),
		.help = "a board of this type or of one that extends it", .example = "am62axx-sk"},
	{"soc", PARAM_STRING, offsetof(struct match, soc), .help = "a board with this SoC",
		.example = "am62axx"},
	{"peripherals", PARAM_STRINGS, offsetof(struct match, peripherals),
		.help = "a board that has all of these", .example = "[mmc, ethernet]"},
	{"tags", PARAM_STRINGS, offsetof(struct match, tags),
		.help = "a board or type that bears all of these words", .example = "[rev-e3]"},
	{0},
};

static bool has_word(const struct param_strings *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->p[i], word))
			return true;
	return false;
}

static bool takes_away(const struct param_strings *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (words->p[i][0] == '-' && !strcmp(words->p[i] + 1, word))
			return true;
	return false;
}

bool board_has(const struct board *b, const char *peripheral)
{
	if (*peripheral == '-' || takes_away(&b->peripherals, peripheral))
		return false;
	return has_word(&b->peripherals, peripheral) ||
	       (b->type && has_word(&b->type->peripherals, peripheral));
}

static bool has_tag(const struct board *b, const char *tag)
{
	if (takes_away(&b->tags, tag))
		return false;
	return has_word(&b->tags, tag) || (b->type && has_word(&b->type->tags, tag));
}

static bool no(struct buf *why, const char *fmt, ...) PRINTF(2, 3);
static bool no(struct buf *why, const char *fmt, ...)
{
	va_list ap;

	if (why) {
		va_start(ap, fmt);
		buf_vprintf(why, fmt, ap);
		va_end(ap);
	}
	return false;
}

bool match_board(
	const struct types *t, const struct match *m, const struct board *b, struct buf *why)
{
	if (m->board && strcmp(m->board, b->name))
		return no(why, "is not board '%s'", m->board);
	if (m->type && !type_is(t, b->type, m->type))
		return no(why, "is of type '%s', not '%s'", b->type_name, m->type);
	if (m->soc && (!b->type || !b->type->soc || strcmp(b->type->soc, m->soc)))
		return no(why, "has soc '%s', not '%s'",
			b->type && b->type->soc ? b->type->soc : "none", m->soc);
	for (size_t i = 0; i < m->peripherals.n; i++)
		if (!board_has(b, m->peripherals.p[i]))
			return no(why, "has no peripheral '%s'", m->peripherals.p[i]);
	for (size_t i = 0; i < m->tags.n; i++)
		if (!has_tag(b, m->tags.p[i]))
			return no(why, "does not bear the tag '%s'", m->tags.p[i]);
	return true;
}

static bool has_soc(const struct types *t, const char *soc)
{
	map_each (&t->by_name, entry) {
		const struct type *type = entry->value;

		if (type->soc && !strcmp(type->soc, soc))
			return true;
	}
	return false;
}

int match_check(
	const struct types *t, const struct match *m, const struct node *map, struct diag *diag)
{
	const char **names = mem_array(t->by_name.n + 1, sizeof *names);
	const struct node *at;
	size_t n = 0;
	int rc = 0;

	at = node_find(map, "type");
	if (m->type && !type_find(t, m->type)) {
		map_each (&t->by_name, entry)
			names[n++] = entry->key;
		rc = diag_unknown(
			diag, at ? at->at : (struct loc){0}, "board type", m->type, names, n);
	}
	at = node_find(map, "soc");
	n = 0;
	if (m->soc && !has_soc(t, m->soc)) {
		map_each (&t->by_name, entry) {
			const struct type *type = entry->value;
			size_t i = 0;

			while (i < n && type->soc && strcmp(names[i], type->soc))
				i++;
			if (i == n && type->soc)
				names[n++] = type->soc;
		}
		rc = diag_unknown(diag, at ? at->at : (struct loc){0}, "soc", m->soc, names, n);
	}
	free(names);
	return rc;
}
