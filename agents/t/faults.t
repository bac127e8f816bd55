#!/bin/sh
# SPDX-License-Identifier: MIT
# Every fault that a played board can have, each with the one verdict, blame and power state that
# is right for it; and after each the next job on that board is unharmed. Through `hilab run`.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1 # manifests are named beside here

played_images
manifest build.yaml
# Three commands in a row; the second says something on which a fault can be set off.
cat >job.yaml <<'E2'
job: three
board: {soc: am62axx}
build: ./build.yaml
timeout: 2m
steps:
  - power: off
  - deploy: {method: tftp, images: [kernel, rootfs]}
  - boot: u-boot
  - login: {timeout: 4s}
  - run: {name: first, command: "hil_result inner pass"}
  - run: {name: second, command: "echo 'mid''way'; for i in 1 2 3 4 5 6 7 8; do hil_result r$i pass; done", timeout: 3s}
  - run: {name: third, command: "hil_metric m 3 MB/s"}
E2

start_player b=am62axx-sk-twin
ctl set b kernel="$release played #1"
ctl set b release="$release"

# Runs the job; what came of it goes to $ended: VERDICT BLAME POWER.
go() {
	"$HILAB" run job.yaml --lab p/lab.yaml -q --json >out 2>err
	folder=$(ls -d state/hilab/runs/* | tail -n 1)
	verdict=$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$folder/status")
	blame=$(sed -n 's/.*"blame": "\([a-z]*\)".*/\1/p' "$folder/status")
	power=$(sed -n 's/.*"power": "\([a-z]*\)".*/\1/p' "$folder/status")
	ended="$verdict $blame $power"
}
# NAME WANTED full|quick: the fault is set already; full: the next job is run, too.
fault() {
	go
	[ "$ended" = "$2" ]
	ok $? "$1: $2"
	echo "# ended: $ended, $(sed -n 's/.*"message": "\(.*\)",$/\1/p' "$folder/status" | cut -c1-150)"
	ctl clear b
	ctl relay b ok
	[ "$3" = quick ] && return
	go
	[ "$ended" = "pass none off" ]
	ok $? "after $1 the next job passes"
	echo "# ended: $ended"
}

go
[ "$ended" = "pass none off" ]
ok $? "no fault: pass"
results=$(grep -c '"kind":"result"' "$folder/events.jsonl")

# ---- the line: bytes come wrong, results do not

for spec in 'insert every=700' 'insert after=midway' 'dup every=900' 'corrupt every=1100' 'drop every=1300'; do
	ctl fault b $spec
	go
	# What is lost is asked for again: nothing may be judged wrong, and nothing may be missing
	# that the board can tell again.
	wrong=$(grep '"kind":"result"' "$folder/events.jsonl" | grep -vc '"status":"\(pass\|miss\)"')
	[ "$wrong" -eq 0 ] && [ "$verdict" != fail ]
	ok $? "$spec: no result is judged wrong ($ended)"
	case $spec in insert*)
		[ "$(grep -c '"kind":"result"' "$folder/events.jsonl")" -eq "$results" ] && [ "$ended" = "pass none off" ]
		ok $? "$spec: nor is one missing"
		;;
	esac
	ctl clear b
done
ctl fault b pace on
fault "a slow console" "pass none off" quick
ctl fault b pace off

# ---- the board

ctl fault b hang after=midway
fault "a board that hangs" "incomplete timeout off" full
ctl fault b panic after=midway
fault "a panic in mid-test" "fail test off" full
ctl fault b reboot after=midway
fault "a reboot in mid-test" "incomplete infra off" full
ctl fault b hang at=u-boot
fault "a boot loader that hangs" "incomplete infra off" quick
ctl fault b hang at=kernel
fault "a kernel that hangs" "incomplete timeout off" quick
ctl fault b panic at=kernel
fault "a kernel that panics as it comes up" "fail test off" quick
ctl set b release=5.10.0-other
ctl set b kernel='5.10.0-other played #1'
fault "another image that boots" "incomplete build off" quick
ctl set b kernel="$release played #1"
ctl set b release="$release"

# ---- the relay

ctl relay b dead
fault "a dead relay" "incomplete infra unknown" full
ctl relay b lying
fault "a relay that reads back the wrong state" "incomplete infra off" full
ctl relay b stuck
# a welded contact that reads back what was asked: only the silent console tells
fault "a stuck relay" "incomplete infra off" full
ctl pull b
fault "a console cable that is not there" "incomplete infra off" quick
ctl plug b
go
[ "$ended" = "pass none off" ]
ok $? "plugged in again, the next job passes"
finish
