/* SPDX-License-Identifier: MIT */
#ifndef WORKER_T_LAVA_H
#define WORKER_T_LAVA_H

/*
 * LAVA's way of telling a result over a console, to be put beside ours: the text between
 * "<LAVA_SIGNAL_TESTCASE " and ">", searched for in the stream of bytes by the pattern
 * <LAVA_SIGNAL_(\S+) ([^>]+)>, its second group split at blanks into NAME=VALUE. A parameter
 * without exactly one "=" and a signal without id or result are given up, a result that is none of
 * its four words is taken as "unknown".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LAVA_START "<LAVA_SIGNAL_"
#define LAVA_TEXT  128

typedef void lava_fn(void *arg, const char *id, const char *result);

static bool lava_space(char c)
{
	return c && strchr(" \t\r\n\v\f", c);
}

static void lava_signal(
	const char *name, size_t n_name, const char *p, const char *end, lava_fn *fn, void *arg)
{
	static const char *const words[] = {"pass", "fail", "skip", "unknown"};
	char id[LAVA_TEXT] = "", result[LAVA_TEXT] = "", word[LAVA_TEXT];
	bool known = false;

	if (n_name != 8 || memcmp(name, "TESTCASE", 8))
		return;
	while (p < end) {
		char *equals;
		size_t n = 0;

		while (p < end && lava_space(*p))
			p++;
		while (p < end && !lava_space(*p) && n < sizeof word - 1)
			word[n++] = *p++;
		word[n] = 0;
		if (!n)
			break;
		equals = strchr(word, '=');
		if (!equals || strchr(equals + 1, '='))
			return;
		*equals = 0;
		if (!strcasecmp(word, "test_case_id"))
			snprintf(id, sizeof id, "%s", equals + 1);
		else if (!strcasecmp(word, "result"))
			snprintf(result, sizeof result, "%s", equals + 1);
	}
	if (!id[0] || !result[0])
		return;
	for (int i = 0; i < 4; i++)
		known |= !strcmp(result, words[i]);
	fn(arg, id, known ? result : "unknown");
}

static void lava_decode(const char *text, size_t n, lava_fn *fn, void *arg)
{
	const size_t start = sizeof LAVA_START - 1;

	for (size_t i = 0; i + start < n; i++) {
		size_t name = i + start, k = name, close;

		if (memcmp(text + i, LAVA_START, start))
			continue;
		while (k < n && !lava_space(text[k]))
			k++;
		if (k == name || k == n || text[k] != ' ')
			continue;
		for (close = k + 1; close < n && text[close] != '>'; close++)
			;
		if (close == n || close == k + 1)
			continue;
		lava_signal(text + name, k - name, text + k + 1, text + close, fn, arg);
		i = close;
	}
}

#endif
