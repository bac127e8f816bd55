#!/bin/sh
# SPDX-License-Identifier: MIT
# The driver tests on this host, where they may only skip or use what stands in for a device: a
# pair of pseudo-terminals, a folder, a timer. A device is always named that is not there, so that
# nothing of the host is touched. Then the same in a step of a job.
set -u
. "$HILAB_DATA/agents/t/job.sh"
hil=$HILAB_BUILD/hil-test
show() { cat "$dir/out"; }

check 'without a name it shows its usage' 2 'usage: hil-test' "$hil"
check 'an unknown test' 2 "no test 'nosuch'" "$hil" nosuch
check 'an unknown option' 2 "no option '--nosuch'" "$hil" uart --nosuch 1
check 'an option without its value' 2 "no value for '--device'" "$hil" uart --device
check 'a number that is none' 1 "# --size wants a number, not 'big'" "$hil" storage --dir "$dir" --size big
"$hil" --list >"$dir/list"
ok $? 'it lists its tests'
is "$(sort "$dir/list" | cmp "$dir/list" - && echo sorted)" sorted 'sorted by name'
for t in $(awk '{ print $1 }' "$dir/list"); do
	check "$t has help" 0 'needs: ' "$hil" "$t" --help
	grep -q "^| \`$t\` " "$HILAB_DATA/drivers/tests/doc/hil.md"
	ok $? "$t stands in the page"
done

# skips NAME REASON OPTION VALUE...: one result, a skip for that reason, and no failure
skips() {
	test=$1 why=$2
	shift 2
	check "$test says what it lacks" 0 "# SKIP $why" "$hil" "$test" "$@"
	grep -qE '^(ok [0-9]+ [^#]* # SKIP|ok [0-9]+ (socket|states)$|1\.\.[0-9]|KTAP|# )' "$dir/out" &&
		! grep -q '^not ok' "$dir/out"
	ok $? "and fails nothing"
}
none=$dir/none
for t in display gpio mtd rtc uart watchdog; do
	skips $t "no device '$none'" --device "$none"
done
skips i2c "no device '$none'" --device "$none"
skips storage "no device '$none'" --device "$none"
skips storage "no folder '$none'" --dir "$none"
skips storage 'neither --device nor --dir'
skips audio "no sound card 'none'" --card none
skips ethernet "no interface 'none'" --device none
skips usb-gadget "no USB device controller 'none'" --udc none
skips ubi '--destroy yes where what is in the flash may be lost'
skips mtd "cannot open '$dir'" --device "$dir"
skips storage "'$dir/list' is no block device" --device "$dir/list"

# ---- what stands in for a device
check 'bytes through a pair of terminals' 0 'through' "$hil" uart --device pty --bytes 1k
is "$(grep -c '^ok [0-9]* baud-[0-9]*$' "$dir/out")" 8 'all baud rates are set'
check 'files on a file system' 0 'read-8192' "$hil" storage --dir "$dir" --fs any --size 64k --bs 4k,8k
for m in storage.write.bw storage.read.bw; do
	is "$(grep -cE "^# metric $m [0-9.e+]+ MB/s media=disk fs=any bs=(4096|8192)\$" "$dir/out")" 2 "$m by size"
done
is "$(ls "$dir" | grep -c hil-test)" 0 'and nothing is left behind'
check 'a histogram of wake-ups' 0 'ok 3 histogram' "$hil" irq-latency --loops 20 --tasks 1 --bins 1000
is "$(awk '/irq_latency.samples/ { n += $4 } END { print n }' "$dir/out")" 20 'whose bins add up'
grep -qE '^# metric irq_latency.samples [0-9]+ samples bin_us=[0-9]+ load=100 of=20$' "$dir/out"
ok $? 'under the labels of the published tables'

# ---- nothing of the board is assumed but its kernel: no program is run, by whatever name
for t in "uart --device pty --bytes 1k" "storage --dir $dir --size 64k --bs 4k" 'irq-latency --loops 20 --bins 1000' \
	"mtd --device $none" "usb-gadget --udc $none" "audio --card none" "ethernet --device $none"; do
	# shellcheck disable=SC2086
	check "without a program on the board: ${t%% *}" 0 'ok 1 ' env -i PATH="$none" "$hil" $t
	! grep -q '^not ok' "$dir/out"
	ok $? 'and nothing fails'
done
is "$(grep -lE '\b(exec[lv]p?e?|posix_spawnp?|system|popen) ?\(' "$HILAB_DATA"/drivers/tests/*.c)" '' \
	'and no driver test starts one'

# ---- all of it is KTAP
for t in 'uart --device pty' "rtc --device $none"; do
	$hil $t >"$dir/ktap"
	"$HILAB" parse --as ktap --json "$dir/ktap" >"$dir/out"
	is "$(grep -o '"status"' "$dir/out" | grep -c .)" "$(grep -cE '^(not )?ok ' "$dir/ktap")" "the parser finds the results of ${t%% *}"
done

# ---- in a step: results and figures arrive as frames; a crash takes nothing back
cat >"$dir/crash.c" <<'EOT'
#include "hil.h"
#include <signal.h>
int main(void)
{
	hil_plan("crash", 3);
	hil_result("before", HIL_PASS, NULL);
	raise(SIGSEGV);
	hil_result("after", HIL_PASS, NULL);
	return hil_done();
}
EOT
"${CC:-cc}" -std=gnu11 -I "$HILAB_DATA/drivers/tests" -o "$dir/crash" "$dir/crash.c"
ok $? 'a test that crashes is built'
cat >"$dir/job.yaml" <<-EOT
	job: drivers
	board: {soc: am62axx}
	steps:
	  - power: cycle
	  - login
	  - run: {name: uart, command: "$hil uart --device pty --bytes 1k"}
	  - run: {name: rtc, command: "$hil rtc --device $none"}
EOT
cat >"$dir/crashes.yaml" <<-EOT
	job: crashes
	board: {soc: am62axx}
	steps:
	  - power: cycle
	  - login
	  - run: {name: crash, command: "$dir/crash"}
	  - run: {name: next, command: "true"}
EOT
cd "$dir" || exit 1
start_player b=instant
show() { cat out; results; }
run job
ends "pass *" 'a job of driver tests passes'
results >got
is "$(grep '^uart/through ' got)" 'uart/through pass' 'a result of the board'
is "$(grep '^rtc/open ' got)" 'rtc/open skip' 'and a skip'
grep -q '"name":"uart.bw","value":[0-9.]*,"unit":"kB/s"' j/events.jsonl
ok $? 'and a figure'
run crashes
ends "fail test *" 'a test that crashes fails its step'
results >got
is "$(grep '^crash/before ' got)" 'crash/before pass' 'what it had said stands'
is "$(grep -c '^crash/after' got)" 0 'what it had not said is not there'
is "$(grep '^crash ' got)" 'crash fail' 'the step tells of the crash'
grep -q '"why":"exit status 139' j/events.jsonl
ok $? 'with the status that names the signal'
is "$(grep '^next ' got)" 'next pass' 'and the job goes on'
finish
