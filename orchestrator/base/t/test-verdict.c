/* SPDX-License-Identifier: MIT */
/* Names of statuses and verdicts there and back, and what a run's end exits with. */
#include "base/verdict.h"

#include "base/t/tap.h"

int main(void)
{
	for (int s = 0; s < STATUS_COUNT; s++)
		is_int(status_parse(status_name(s)), s, "status '%s' reads back", status_name(s));
	is_int(status_parse("passed"), -1, "a foreign status is refused");
	is_int(status_parse(NULL), -1, "no status is refused");
	is_str(status_name((enum status)99), "miss", "what is no status is lost");
	for (int v = 0; v < VERDICT_COUNT; v++)
		is_int(verdict_parse(verdict_name(v)), v, "verdict '%s' reads back",
			verdict_name(v));
	is_int(verdict_parse("miss"), -1, "a status is no verdict");
	is_int(verdict_parse(NULL), -1, "no verdict is refused");
	is_str(verdict_name((enum verdict)99), "incomplete", "what is no verdict is no pass");

	is_int(verdict_exit_of("pass", NULL), EXIT_PASS, "pass");
	is_int(verdict_exit_of("fail", "test"), EXIT_FAIL, "fail");
	is_int(verdict_exit_of("incomplete", "infra"), EXIT_INCOMPLETE, "incomplete");
	is_int(verdict_exit_of("incomplete", "build"), EXIT_BUILD, "incomplete by the build");
	is_int(verdict_exit_of("canceled", "cancel"), EXIT_CANCELED, "canceled");
	is_int(verdict_exit_of(NULL, NULL), EXIT_INCOMPLETE, "a run that goes on");
	is_int(verdict_exit_of("passed", "nobody"), EXIT_INCOMPLETE, "foreign words");
	is_int(blame_exit(BLAME_CONFIG), EXIT_USAGE, "a wrong configuration");
	is_int(blame_exit(BLAME_BUILD), EXIT_BUILD, "a build that cannot be used");
	is_int(blame_exit(BLAME_INFRA), EXIT_INCOMPLETE, "what the lab could not do");
	return tap_done();
}
