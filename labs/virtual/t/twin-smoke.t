#!/bin/sh
# SPDX-License-Identifier: MIT
# The main job as a person runs it: `hilab run` of the smoke job on a real twin, from relay to
# report, and what the store then holds. Each figure is looked for, none is judged by its size.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

start
"$HILAB" run "$HILAB_DATA/jobs/am62axx/smoke.yaml" --lab "$dir/lab/lab.yaml" --json >"$dir/report" 2>"$dir/out"
is $? 0 'the smoke job passes'
if [ "$(status)" = 'evm off' ]; then pass 'and the board is off'; else fail 'the board is off' "$(status)"; fi
is "$(ls "$dir/lab/tftp")" '' 'and nothing stays staged'
"$HILAB" report latest >"$dir/text"
has() { # PATTERN NAME
	grep -qE -- "$1" "$dir/text" && pass "$2" || fail "$2" "$(tail -n 20 "$dir/out")"
}
has '^run 1  am62axx-smoke  pass' 'the report says so'
has 'a twin' 'and that the board is a twin'
for role in kernel rootfs boot-loader; do has "^  $role +as deployed" "the $role is the one deployed"; done
for stage in loader kernel userspace login; do has "^  $stage +[0-9.]+ m?s" "boot stage $stage has a time"; done
for test in fio-raw-write fio-raw-read fio-ext4-write fio-ext4-read; do
	has "^  $test +fio\.(read|write)\.bw +[0-9.]+  MB/s" "$test has its throughput"
	has "^  $test +fio\.cpu_load +[0-9.]+  %" "and its CPU load"
	has "^  $test +fio\.(read|write)\.io +4  MiB" "and moved what was asked for"
done
for test in tcp-to-board tcp-from-board; do
	has "^  $test +iperf3\.bw +[0-9.]+  Mbit/s" "$test has its throughput"
done
! grep -qE '^ +(fail|error|miss) ' "$dir/text" && pass 'no result but pass' || fail 'a result'
finish
