/* SPDX-License-Identifier: MIT */
/* Errors: text, blame, wrapping, and that nothing overruns. */
#include "base/err.h"

#include "base/t/tap.h"

#include <errno.h>

static int leaf(struct err *e)
{
	return err_sys(e, BLAME_INFRA, EIO, "relay '%s'", "p");
}

static int middle(struct err *e)
{
	if (leaf(e))
		return err_wrap(e, "power on");
	return 0;
}

int main(void)
{
	char longer[2 * ERR_MSG_BYTES];
	struct err e = {0};

	ok(!err_is(&e), "none at first");
	is_int(err_set(&e, BLAME_JOB, "no %s", "x"), -1, "set");
	is_str(e.msg, "no x", "text");
	is_int(e.blame, BLAME_JOB, "blame");
	is_int(e.sys, 0, "no errno");
	ok(err_is(&e), "is one");
	is_int(middle(&e), -1, "wrapped");
	is_str(e.msg, "power on: relay 'p': Input/output error", "from the outside in");
	is_int(e.blame, BLAME_INFRA, "the leaf's blame");
	is_int(e.sys, EIO, "the leaf's errno");
	err_set(&e, BLAME_NONE, "x");
	is_int(e.blame, BLAME_BUG, "an error always has a blame");

	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	err_set(&e, BLAME_TEST, "%s", longer);
	is_int(strlen(e.msg), ERR_MSG_BYTES - 1, "cut");
	err_wrap(&e, "outer");
	ok(!strncmp(e.msg, "outer: xxx", 10), "wrapped though cut");
	is_int(strlen(e.msg), ERR_MSG_BYTES - 1, "cut again");
	err_sys(&e, BLAME_TEST, EIO, "%s", longer);
	is_int(e.sys, EIO, "errno though cut");
	err_set(&e, BLAME_TEST, "a");
	err_wrap(&e, "%s", longer);
	is_int(strlen(e.msg), ERR_MSG_BYTES - 1, "a long wrapping");
	err_set(&e, BLAME_TEST, "why");
	err_set(&e, BLAME_JOB, "again: %s", e.msg);
	is_str(e.msg, "again: why", "a message made of the old one");
	err_wrap(&e, "as '%s'", e.msg);
	is_str(e.msg, "as 'again: why': again: why", "wrapped in itself");

	is_int(err_set(NULL, BLAME_JOB, "x"), -1, "nobody cares");
	is_int(err_wrap(NULL, "x"), -1, "still");
	is_int(err_sys(NULL, BLAME_JOB, EIO, "x"), -1, "and still");
	err_clear(NULL);
	err_clear(&e);
	ok(!err_is(&e) && !*e.msg, "cleared");

	for (int b = 0; b < BLAME_COUNT; b++)
		is_int(err_blame_parse(err_blame_name((enum err_blame)b)), b, "blame %s",
			err_blame_name((enum err_blame)b));
	is_int(err_blame_parse("nobody"), -1, "no such blame");
	is_str(err_blame_name((enum err_blame)99), "bug", "out of range");
	is_str(err_blame_name((enum err_blame) - 1), "bug", "and below");
	return tap_done();
}
