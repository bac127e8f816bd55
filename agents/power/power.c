/* SPDX-License-Identifier: MIT */
/*
 * The core of power control. Invariant: state is POWER_ON or POWER_OFF only when the switch said so
 * after the last command to it; before a command goes out it becomes POWER_UNKNOWN.
 */
#include "agents/power/power.h"

#include "agents/power/drivers.h"
#include "base/clock.h"

#define TRIES 2 /* of a command with its read-back */

const struct driver *const *power_drivers(void)
{
	static const struct driver *const table[] = {
		&power_command.d,
		&power_serial_relay.d,
		NULL,
	};

	return table;
}

const char *power_state_name(enum power_state s)
{
	static const char *const names[] = {"unknown", "off", "on"};

	return (unsigned)s < ARRAY_LEN(names) ? names[s] : "unknown";
}

int power_open(
	struct power *p, const struct power_driver *drv, void *conf, struct bench *b, struct err *e)
{
	*p = (struct power){.drv = drv, .bench = b, .conf = conf, .off_ms = p->off_ms};
	if (drv->open && drv->open(p, e)) {
		power_close(p);
		return err_wrap(e, "power '%s'", drv->d.name);
	}
	return 0;
}

void power_close(struct power *p)
{
	if (p->drv && p->drv->close)
		p->drv->close(p);
	p->drv = NULL;
	p->state = POWER_UNKNOWN;
}

static int read_back(struct power *p, struct err *e)
{
	bool on = false;
	int rc = p->drv->query ? p->drv->query(p, &on, e) : 1;

	p->blind = rc > 0;
	p->state = rc ? POWER_UNKNOWN : on ? POWER_ON : POWER_OFF;
	return rc < 0 ? -1 : 0;
}

static int command_once(struct power *p, enum power_state want, struct err *e)
{
	const char *name = power_state_name(want);

	p->state = POWER_UNKNOWN;
	if (want == POWER_ON ? p->drv->on(p, e) : p->drv->off(p, e))
		return err_wrap(e, "switch %s", name);
	if (read_back(p, e))
		return err_wrap(e, "read back after switching %s", name);
	if (p->state != POWER_UNKNOWN && p->state != want)
		return err_set(e, BLAME_INFRA, "switched %s, but it reads back %s", name,
			power_state_name(p->state));
	return 0;
}

static int command(struct power *p, enum power_state want, struct err *e)
{
	struct err own = {0};
	int rc = -1;

	if (!e)
		e = &own;
	for (int i = 0; i < TRIES && rc; i++) {
		if (i)
			bench_note(
				p->bench, "power '%s': %s; trying again", p->drv->d.name, e->msg);
		rc = command_once(p, want, e);
		/* Those would only come again, and must not be taken for the relay's fault. */
		if (rc && (e->blame == BLAME_CANCEL || e->blame == BLAME_TIMEOUT))
			break;
	}
	return rc ? err_wrap(e, "power '%s'", p->drv->d.name) : 0;
}

int power_on(struct power *p, struct err *e)
{
	return command(p, POWER_ON, e);
}

int power_off(struct power *p, struct err *e)
{
	if (command(p, POWER_OFF, e))
		return -1;
	p->off_at_ms = clock_ms();
	return 0;
}

int power_rest(struct power *p, struct err *e)
{
	int64_t rest = p->off_at_ms ? p->off_at_ms + p->off_ms - clock_ms() : p->off_ms;

	return rest > 0 ? bench_pause(p->bench, rest, e) : 0;
}

int power_query(struct power *p, struct err *e)
{
	if (read_back(p, e))
		return err_wrap(e, "power '%s': read the state", p->drv->d.name);
	return 0;
}
