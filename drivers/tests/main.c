/* SPDX-License-Identifier: MIT */
/*
 * hil-test NAME [--OPTION VALUE]...: one program with all driver tests, so that a board needs one
 * file. Invariant: an option that the test does not have is refused before anything is touched.
 */
#include "test.h"

#include "lib.h"

#include <stdlib.h>
#include <unistd.h>

static const struct driver_test *running;
static const char *given[TEST_OPTIONS_MAX];

/* ---- options --------------------------------------------------------------------------------- */

static int find_option(const char *name)
{
	for (int i = 0; i < TEST_OPTIONS_MAX && running->options[i].name; i++)
		if (!strcmp(running->options[i].name, name))
			return i;
	return -1;
}

const char *option(const char *name)
{
	int i = find_option(name);

	if (i < 0)
		return NULL;
	return given[i] ? given[i] : running->options[i].preset;
}

static int64_t number(const char *name, const char *text, const char **end)
{
	static const char units[] = "kmg";
	char *stop;
	int64_t v = strtoll(text, &stop, 0);
	const char *unit = *stop ? strchr(units, *stop | 0x20) : NULL;

	if (stop == text || v < 0)
		goto bad;
	if (unit) {
		v *= (int64_t)1 << 10 * (unit - units + 1);
		stop++;
	}
	if (!*stop || *stop == ',') {
		*end = *stop ? stop + 1 : stop;
		return v;
	}
bad:
	test_error("options", "--%s wants a number, not '%s'", name, text);
	exit(lib_end());
}

int64_t option_number(const char *name)
{
	const char *text = option(name), *end;

	return number(name, text ? text : "", &end);
}

size_t option_numbers(const char *name, int64_t out[TEST_LIST_MAX])
{
	const char *text = option(name);
	size_t n = 0;

	while (text && *text && n < TEST_LIST_MAX)
		out[n++] = number(name, text, &text);
	return n;
}

/* ---- the command line ------------------------------------------------------------------------ */

static int help(void)
{
	printf("usage: hil-test NAME [--OPTION VALUE]...\n"
	       "       hil-test NAME --help\n"
	       "       hil-test --list\n"
	       "Prints KTAP; in a step of hilab also result frames. Exit status 1: a failure.\n");
	return 0;
}

static int list(void)
{
	for (size_t i = 0; driver_tests[i]; i++)
		printf("%-14s %s\n", driver_tests[i]->name, driver_tests[i]->what);
	return 0;
}

static int help_test(const struct driver_test *t)
{
	printf("hil-test %s: %s\nneeds: %s\n", t->name, t->what, t->needs);
	for (const struct option_row *o = t->options; o->name; o++)
		printf("  --%-12s %s%s%s%s\n", o->name, o->help, o->preset ? " (" : "",
			o->preset ? o->preset : "", o->preset ? ")" : "");
	return 0;
}

static int usage(const char *text, const char *name)
{
	fprintf(stderr, "hil-test: %s '%s'; hil-test --list, hil-test NAME --help\n", text, name);
	return 2;
}

static const struct driver_test *find_test(const char *name)
{
	for (size_t i = 0; driver_tests[i]; i++)
		if (!strcmp(driver_tests[i]->name, name))
			return driver_tests[i];
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help() + 2 * (argc < 2);
	if (!strcmp(argv[1], "--list"))
		return list();
	running = find_test(argv[1]);
	if (!running)
		return usage("no test", argv[1]);
	for (int i = 2; i < argc; i += 2) {
		int at = -1;

		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return help_test(running);
		if (!strncmp(argv[i], "--", 2))
			at = find_option(argv[i] + 2);
		if (at < 0)
			return usage("no option", argv[i]);
		if (i + 1 == argc)
			return usage("no value for", argv[i]);
		given[at] = argv[i + 1];
	}
	lib_begin(running->name);
	running->run();
	return lib_end();
}
