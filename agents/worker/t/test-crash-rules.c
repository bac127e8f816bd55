/* SPDX-License-Identifier: MIT */
/* What the crash rules of a type and a job make of the same words, and rules that are none. */
#include "io/yaml.h"
#include "said.h"

static struct crash_rules rules_of(const char *type, const char *job)
{
	static struct arena a;
	struct diag diag = {0};
	struct crash_rules r;
	const struct node *t = type ? yaml_parse(&a, "type", str_of(type), &diag) : NULL;
	const struct node *j = job ? yaml_parse(&a, "job", str_of(job), &diag) : NULL;
	struct err e = {0};

	ok(!crash_rules_init(&r, t, j, &e), "rules: %s", e.msg);
	return r;
}

static const char mixed[] = "[    1.000000] WARNING: CPU: 0 PID: 1 at drivers/clk/clk.c:5 f\r\n"
			    "[    9.000000] BUG: KASAN: use-after-free in f\r\n";

static void test_rules(void)
{
	struct crash c;
	struct crash_rules r = rules_of("{warning: fail, kasan: warn}", NULL);

	rules = &r;
	say(mixed, 9, NULL, false, &c);
	ok(c.counts[CRASH_FAIL] == 1 && got.n[CRASH_FAIL] == 1 && got.last.rule == CRASH_RULE_FAIL,
		"a type makes warnings fail");
	done(&c);
	crash_rules_done(&r);
	r = rules_of("{warning: fail, kasan: warn}", "{warning: ignore}");
	say(mixed, 9, NULL, false, &c);
	ok(got.all == 1 && got.n[CRASH_WARN] == 1 && c.n_ignored == 1,
		"a job lays its rules over it");
	done(&c);
	crash_rules_done(&r);
	r = rules_of("{kasan: stop}", NULL);
	ok(say(mixed, 9, NULL, false, &c) == -1 && !got.last.last, "stop ends a wait");
	done(&c);
	crash_rules_done(&r);
	r = rules_of("{reset: warn}", NULL);
	is_int(say("\r\nU-Boot SPL 2023.01 (x)\r\n", 3, NULL, false, &c), 0,
		"a reset that is told");
	ok(got.n[CRASH_WARN] == 1 && got.last.kind == CRASH_KIND_RESET, "and no more");
	done(&c);
	crash_rules_done(&r);
	r = rules_of("except: [{kind: warning, pattern: drivers/clk, until: login, reason: known}]",
		"{warning: fail}");
	say(mixed, 9, NULL, false, &c);
	ok(c.n_known == 1 && !c.counts[CRASH_WARN] && c.counts[CRASH_FAIL] == 1,
		"what a type knows of is no failure, and hides none behind it");
	done(&c);
	crash_rules_done(&r);
	rules = NULL;
}

static void test_until_login(void)
{
	struct console *console = calloc(1, sizeof *console);
	struct crash_rules r = rules_of(
		"except: [{kind: warning, pattern: drivers/clk, until: login, reason: known}]",
		NULL);
	struct crash c;

	rules = &r;
	say("[    5.000000] x\r\n", 9, NULL, false, &c);
	console->name = "main";
	c.console = console;
	crash_logged_in(&c);
	crash_scan(&c, STR_LIT("[    1.000000] WARNING: CPU: 0 PID: 1 at drivers/clk/clk.c:5 f\n"
			       "[    9.000000] WARNING: CPU: 0 PID: 1 at drivers/clk/clk.c:5 f\n"));
	ok(c.n_known == 1 && c.counts[CRASH_WARN] == 1, "known until the login, and not after it");
	free(console);
	done(&c);
	crash_rules_done(&r);
	rules = NULL;
}

static void check_refused(const char *text, const char *want)
{
	struct arena a = {0};
	struct diag diag = {0};
	AUTOBUF out = BUF_INIT(1 << 16);

	ok(crash_rules_check(yaml_parse(&a, "t", str_of(text), &diag), &diag) == -1, "'%s'", text);
	diag_print(&diag, &out);
	has_str(buf_str(&out), want, "is refused");
	diag_done(&diag);
	arena_done(&a);
}

static void test_refused(void)
{
	check_refused("ooom: fail", "did you mean 'oom'");
	check_refused("oom: fails", "oom");
	check_refused("except: [{pattern: x}]", "reason");
	check_refused("except: [{pattern: x, reason: ''}]", "needs its reason");
	check_refused("except: [{pattern: '(', reason: x}]", "pattern");
	check_refused("except: [{pattern: x, reason: y, until: boot}]", "'until' is 'login'");
	check_refused("except: [{pattern: x, reason: y, kind: warnin}]", "did you mean 'warning'");
}

int main(void)
{
	test_rules();
	test_until_login();
	test_refused();
	return tap_done();
}
