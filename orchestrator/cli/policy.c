/* SPDX-License-Identifier: MIT */
/* --fail-on. Invariant: only what was asked for fails. */
#include "cli/policy.h"

#include "base/str.h"
#include "base/verdict.h"
#include "cli/cli.h"

static const struct {
	const char *word;
	unsigned bits;
} words_known[] = {
	{"failure", POLICY_FAILURE},
	{"regression", POLICY_REGRESSION},
	{"infra", POLICY_INFRA},
	{"missing", POLICY_MISSING},
	{"any", POLICY_ANY},
	{"never", 0},
};

int policy_parse(const char *command, const char *words, unsigned *policy)
{
	struct str rest = str_of(words ? words : "never");
	unsigned bits = 0;

	for (;;) {
		ptrdiff_t comma = str_chr(rest, ',');
		struct str word = str_make(rest.p, comma < 0 ? rest.n : (size_t)comma);
		size_t i = 0;

		while (i < ARRAY_LEN(words_known) && !str_is(word, words_known[i].word))
			i++;
		if (i == ARRAY_LEN(words_known))
			return cli_fail(-1, "%s: --fail-on is " POLICY_WORDS ", not '%.*s'",
				command, STR_ARG(word));
		bits |= words_known[i].bits;
		if (comma < 0)
			break;
		rest = str_make(rest.p + comma + 1, rest.n - (size_t)comma - 1);
	}
	*policy = bits;
	return 0;
}

int policy_exit(unsigned policy, unsigned found)
{
	found &= policy;
	return found & POLICY_FAILURE      ? EXIT_FAIL
	       : found & POLICY_REGRESSION ? EXIT_REGRESSION
	       : found                     ? EXIT_INCOMPLETE
					   : EXIT_PASS;
}
