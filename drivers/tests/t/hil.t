#!/bin/sh
# SPDX-License-Identifier: MIT
# The C header for tests on the board, in the real shell of a played board: results and figures
# arrive as frames, share their numbers with the shell's own, and survive a damaged line; by hand
# the same test prints KTAP. It is built for this host, whose shell the played board runs: a cross
# compiler is what a build of drivers has, not what this needs.
set -u
. "$HILAB_DATA/agents/t/job.sh"
src=$HILAB_DATA/drivers/tests
cd "$dir" || exit 1

show() { grep -hE '"(result|metric)"' j/events.jsonl 2>/dev/null | tail -n 8; }

cat >all.c <<'EOT'
#include "hil.h"
#include <sys/wait.h>

int main(void)
{
	char name[40];

	hil_plan("all", 0);
	hil_result("one", HIL_PASS, NULL);
	hil_result("two", HIL_FAIL, "50%% of | is @ %s", "\001here");
	hil_result("three", HIL_SKIP, "no stick");
	hil_result("four", HIL_ERROR, "%0900d", 1);
	hil_metric("all.bw", 12.5, "MB/s", "bs=4k rw=write");
	if (!fork()) { /* at the same time as its parent */
		for (int i = 0; i < 10; i++) {
			snprintf(name, sizeof name, "child-%d", i);
			hil_result(name, HIL_PASS, NULL);
		}
		_exit(0);
	}
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof name, "parent-%d", i);
		hil_result(name, HIL_PASS, NULL);
	}
	wait(NULL);
	return hil_done();
}
EOT
for std in c99 gnu11; do
	"${CC:-cc}" -std=$std -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -O2 -I "$src" -o all all.c
	ok $? "the header compiles as $std without a warning"
done
"${CC:-cc}" -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -O2 -o timer "$src/timer.c"
ok $? "so does the test of timers"

./timer 3 >out
ok $? "which passes"
{
	head -n 3 out
	grep -c '^ok [12] ' out
	grep -c '^# metric timer[a-z.]* [0-9.]* [nu]s' out
} >got
printf '%s\n' "KTAP version 1" "# Subtest: timer" "1..2" 2 4 | cmp -s - got
ok $? "by hand it prints KTAP and figures"
! grep -q '@hil' out
ok $? "and no frames"

cat >job.yaml <<-EOT
	job: hil
	board: {soc: am62axx}
	steps:
	  - power: cycle
	  - login
	  - run: {name: timer, command: "$dir/timer 3"}
	  - run: {name: all, command: "hil_result before pass; $dir/all >/dev/null; hil_result after pass"}
	  - run: {name: quiet, command: "$dir/all; true", expect: "(?m)^not ok 2 two # 50% of [|] is @ .here\$"}
EOT
start_player b=instant
tells() { grep -qE -- "$1" j/events.jsonl; ok $? "$2"; }

run job
ends "fail test *" "a job with the test's failures"
tells '"name":"timer/monotonic","status":"pass"' "a result of the test of timers"
tells '"test":"timer","name":"timer.late.max","value":[0-9.e+]*,"unit":"us","labels":.*"sleep":"2ms"' "and a figure with its label"
tells '"name":"all/two","status":"fail","why":"50% of \| is @ .here"' "a reason with everything in it"
tells '"name":"all/three","status":"skip"' "a skip"
tells '"name":"all/four","status":"error","why":"0{290,300}"' "a reason that is cut"
tells '"name":"quiet","status":"pass"' "the output of a step that keeps it"
results | grep '^all/' | sort >got
{
	echo all/after pass
	echo all/before pass
	for i in 0 1 2 3 4 5 6 7 8 9; do printf 'all/%s-'$i' pass\n' child parent; done
	echo all/four error
	echo all/one pass
	echo all/three skip
	echo all/two fail
} | sort | cmp -s - got
ok $? "two processes and a shell: each result once"
results | sort >want

for fault in "insert after=@hil offset=9" "drop after=parent-3 count=2" "corrupt after=child-4 count=2"; do
	ctl fault b $fault
	run job
	results | sort | cmp -s - want
	ok $? "the same results with '$fault'"
	ctl clear b
done
finish
