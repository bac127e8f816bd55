/* SPDX-License-Identifier: MIT */
/* Schedules: what is written, what is refused, and the minutes that come of it, leaps included. */
#include "jobs/nightly.h"

#include "base/t/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t at(int year, int month, int day, int hour, int minute)
{
	struct tm tm = {.tm_year = year - 1900,
		.tm_mon = month - 1,
		.tm_mday = day,
		.tm_hour = hour,
		.tm_min = minute,
		.tm_isdst = -1};

	return (int64_t)mktime(&tm) * 1000;
}

static const char *text(int64_t ms)
{
	static char out[64];
	time_t t = ms / 1000;
	struct tm tm;

	if (ms < 0)
		return "never";
	localtime_r(&t, &tm);
	strftime(out, sizeof out, "%Y-%m-%d %H:%M %Z", &tm);
	return out;
}

static void next(const char *cron, int64_t from, const char *want)
{
	struct cron c;
	struct err e = {0};

	if (!ok(!cron_parse(&c, cron, &e), "'%s' is taken", cron))
		return;
	is_str(text(cron_next(&c, from)), want, "'%s' is next due", cron);
}

static void refused(const char *cron, const char *want)
{
	struct cron c = {.hours = 7};
	struct err e = {0};

	is_int(cron_parse(&c, cron, &e), -1, "'%s' is refused", cron);
	ok(strstr(e.msg, want) != NULL, "because '%s': %s", want, e.msg);
	is_int((long)c.hours, 7, "and nothing was changed");
}

int main(void)
{
	int64_t monday;

	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	monday = at(2026, 11, 30, 15, 20);
	next("30 1 * * *", monday, "2026-12-01 01:30 CET");
	next("20 15 * * *", monday, "2026-12-01 15:20 CET");
	next("21 15 * * *", monday, "2026-11-30 15:21 CET");
	next("*/15 * * * *", monday, "2026-11-30 15:30 CET");
	next("5-10/5,50 16 * * mon-fri", monday, "2026-11-30 16:05 CET");
	next("0 22 * * sun", monday, "2026-12-06 22:00 CET");
	next("0 22 * * 7", monday, "2026-12-06 22:00 CET");
	next("0 0 1 jan *", monday, "2027-01-01 00:00 CET");
	next("0 0 29 2 *", monday, "2028-02-29 00:00 CET");
	next("0 0 13 * 5", monday, "2026-12-04 00:00 CET"); /* either will do */
	next("0 0 31 4 *", monday, "never");
	/* 2027-03-28 the clock leaps from 2 to 3; 2027-10-31 2 to 3 comes twice. */
	next("30 2 * * *", at(2027, 3, 28, 0, 0), "2027-03-28 03:30 CEST");
	next("30 2 * * *", at(2027, 10, 31, 0, 0), "2027-10-31 02:30 CEST");
	next("30 2 * * *", at(2027, 10, 31, 2, 30) + 3600000, "2027-11-01 02:30 CET");
	refused("", "five are needed");
	refused("1 2 3", "has 3 fields");
	refused("1 2 3 4 5 6", "more than five");
	refused("60 1 * * *", "minute: '60'");
	refused("0 24 * * *", "hour: '24'");
	refused("0 1 0 * *", "day of month: '0'");
	refused("0 1 * foo *", "month: 'foo'");
	refused("5-1 1 * * *", "minute: '5-1'");
	refused("*/0 1 * * *", "minute: '*/0'");
	refused("1, 1 * * *", "comma");
	refused(",1 1 * * *", "minute: ''");
	return tap_done();
}
