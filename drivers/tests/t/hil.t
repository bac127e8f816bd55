#!/bin/sh
# SPDX-License-Identifier: MIT
# The C header for tests on the board, in the real shell of a played board: results and figures
# arrive as frames, share their numbers with the shell's own, and survive a damaged line; by hand
# the same test prints KTAP. It is built for this host, whose shell the played board runs: a cross
# compiler is what a build of drivers has, not what this needs.
set -u
tool=$HILAB_BUILD/agents/t/tool-job
dir=$(mktemp -d)
export HILAB_RUN_DIR="$dir/run" HILAB_DATA
src=$HILAB_DATA/drivers/tests
cd "$dir" || exit 1
n=0
player=

end() {
	trap - EXIT
	[ -z "$player" ] || { kill "$player"; wait "$player"; } 2>/dev/null
	rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM

ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		grep -hE '"(result|metric)"' j/events.jsonl 2>/dev/null | tail -n 8 | sed 's/^/# /'
	fi
}

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
mkfifo ready
"$HILAB" player --dir p b=instant >ready 2>player.log &
player=$!
read -r line <ready
run() {
	rm -rf j
	"$tool" make job.yaml p/lab.yaml j >out 2>&1 && "$tool" run j >out 2>&1
	last=$(tail -n 1 out)
}
results() { sed -n 's/.*"kind":"result".*"name":"\([^"]*\)","status":"\([^"]*\)".*/\1 \2/p' j/events.jsonl; }
has() { grep -qE -- "$1" j/events.jsonl; ok $? "$2"; }

run
case $last in "fail test "*) ok 0 "a job with the test's failures" ;; *) ok 1 "a job with the test's failures: $last" ;; esac
has '"name":"timer/monotonic","status":"pass"' "a result of the test of timers"
has '"test":"timer","name":"timer.late.max","value":[0-9.e+]*,"unit":"us","labels":.*"sleep":"2ms"' "and a figure with its label"
has '"name":"all/two","status":"fail","why":"50% of \| is @ .here"' "a reason with everything in it"
has '"name":"all/three","status":"skip"' "a skip"
has '"name":"all/four","status":"error","why":"0{290,300}"' "a reason that is cut"
has '"name":"quiet","status":"pass"' "the output of a step that keeps it"
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
	"$HILAB" player ctl p fault b $fault >/dev/null || ok 1 "fault $fault"
	run
	results | sort | cmp -s - want
	ok $? "the same results with '$fault'"
	"$HILAB" player ctl p clear b >/dev/null
done
echo "1..$n"
