/* SPDX-License-Identifier: MIT */
#include "agents/bench/t/tables.h"
#include "agents/console/console.h"

int main(void)
{
	static const struct family consoles = {
		"console", "Ways to reach a board's console", console_drivers, "agents/console"};

	tables_check(&consoles);
	for (const struct driver *const *d = console_drivers(); *d; d++)
		ok(((const struct console_driver *)*d)->open, "console '%s' opens", (*d)->name);
	return tap_done();
}
