#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults that happen to a real kernel on the twin, in mid-test, each with the one verdict, blame and
# power state that is right for it; and the next job on the board is unharmed. With HILAB_LONG all of
# them, else the two that nothing but a real board shows.
set -u
. "$(dirname "$0")/twin.sh"
tool=$HILAB_BUILD/agents/t/tool-job
images=$HILAB_DATA/build/images
cd "$dir" || exit 1

show() { grep -v '"note"' j/events.jsonl | tail -n 6; }
job() { # COMMAND: of the step in which it happens
	cat >job.yaml <<-END
		job: faults
		board: {soc: am62axx}
		build: ${build:-$images/am62axx-twin.yaml}
		timeout: 5m
		steps:
		  - power: off
		  - deploy: {method: tftp, images: [kernel, rootfs]}
		  - boot: u-boot
		  - login
		  - run: {name: works, timeout: ${timeout:-2m}, command: "$1"}
		  - run: {name: after, command: "true"}
	END
	rm -rf j
	"$tool" make job.yaml lab/lab.yaml j >out 2>&1 || fail 'the job is made' "$(cat out)"
	"$tool" run j >out 2>&1 &
	job=$!
}
# Until the step has printed where it is.
midway() {
	until grep -q hereabouts j/console-main.log 2>/dev/null || [ ! -d /proc/$job ]; do :; done
}
ended() { # PATTERN NAME
	wait $job
	last=$(tail -n 1 out)
	ends "$1" "$2"
	echo "# ended: $last"
}
tells() { grep -qE -- "$1" j/events.jsonl; ok $? "$2"; }
missing() { tells '"name":"after","status":"miss","why":"not run: ' "$1: what was not run is missing"; }
# It warns in a kernel log that the console does not show.
well() { # AFTER
	job "echo '<4>WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2' >/dev/kmsg; echo 512 >/proc/sys/kernel/tainted"
	ended 'pass none off: *' "after $1 the next job passes"
}
marked="hil_result inner pass; echo here''abouts; "

start

job "${marked}echo c >/proc/sysrq-trigger; sleep 100"
ended "fail test off: *'works/kernel': the kernel gave up: Kernel panic*" 'a panic in mid-test'
tells '"name":"works/inner","status":"pass"' 'a panic: what came before it counts'
tells '"kind":"step-end".*"name":"works".*"blame":"test"' 'a panic: the step has the blame of the run'
missing 'a panic'
well 'a panic'
tells '"kind":"warn","text":".*WARNING: CPU: 0.*"crash":"warning","source":"dmesg"' \
	'a warning that only the log of the kernel shows is on record'
tells '"name":"kernel.warnings","value":"1"' 'and counted'
tells '"kind":"identity","role":"kernel","want":"[0-9a-f]{40}","got":"[0-9a-f]{40}","same":true' \
	'the build id of the kernel is compared'
tells '"kind":"identity","role":"rootfs","want":"[0-9a-f]{40}","got":"[0-9a-f]{40}","same":true' \
	'and that of a module in the root'

timeout=4m
job "${marked}sleep 100"
midway
kill -9 "$(pid)"
ended "incomplete infra off: *console 'main' went away: the board has no power*" 'QEMU is killed: told at once'
missing 'QEMU is killed'
timeout=

if [ -n "${HILAB_LONG-}" ]; then
	well 'a QEMU that was killed'
	job "${marked}echo b >/proc/sysrq-trigger; sleep 100"
	ended 'incomplete infra off: *the board was reset while the step ran*' 'a reset in mid-test'
	missing 'a reset'
	well 'a reset'

	timeout=3s
	job "${marked}sleep 100"
	midway
	kill -STOP "$(pid)"
	ended 'incomplete timeout off: *' 'a board that hangs'
	tells '"text":"the relay reads on"' 'a hang: the relay is asked'
	missing 'a hang'
	timeout=
	well 'a hang'

	ctl pull-relay
	job true
	ended 'incomplete infra unknown: *' 'a relay that is gone'
	missing 'a relay that is gone'
	ctl plug-relay
	well 'a relay that was gone'

	sed "s|path: |&$images/|; s/build-id: \"..../&f/; s/\(build-id: \"....f\)./\1/" "$images/am62axx-twin.yaml" >other.yaml
	build=./other.yaml
	job true
	ended 'incomplete build off: *another kernel runs than the one deployed*' 'a kernel that is not what its manifest says'
	build=
	well 'another kernel'
fi
finish
