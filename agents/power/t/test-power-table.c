/* SPDX-License-Identifier: MIT */
#include "agents/bench/t/tables.h"
#include "agents/power/power.h"

int main(void)
{
	static const struct family power = {
		"power", "Ways to switch a board's power", power_drivers, "agents/power"};

	tables_check(&power);
	for (const struct driver *const *d = power_drivers(); *d; d++) {
		const struct power_driver *p = (const struct power_driver *)*d;

		ok(p->on && p->off, "power '%s' can switch both ways", p->d.name);
	}
	return tap_done();
}
