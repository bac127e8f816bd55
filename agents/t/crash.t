#!/bin/sh
# SPDX-License-Identifier: MIT
# What a kernel says about itself and a board that starts anew, on a played board: verdict and blame
# of the run, what is failed and what is only missing, and that typed words change nothing.
set -u
. "$HILAB_DATA/agents/t/job.sh"
cd "$dir" || exit 1

show() { grep -v '"note"' j/events.jsonl | tail -n 6; }
faulty() { # FAULT...; empty: none
	ctl clear b
	for fault; do [ -z "$fault" ] || ctl fault b "$fault"; done
	run job
}
tells() { grep -qE -- "$1" j/events.jsonl; ok $? "$2"; }
hides() { ! grep -qE -- "$1" j/events.jsonl; ok $? "$2"; }

played_images
manifest build.yaml
cat >job.yaml <<-'EOT'
	job: crash
	board: {soc: am62axx}
	build: ./build.yaml
	steps:
	  - power: off
	  - deploy: {method: tftp, images: [kernel, rootfs]}
	  - boot: u-boot
	  - login
	  - run: {name: works, command: "hil_result inner pass; echo here''abouts; hil_result later pass", timeout: 4s}
	  - run: {name: after, command: "true"}
EOT
start_player b=am62axx-sk-twin

faulty ''
ends "pass none off: *" "a run that passes"
hides '"kind":"warn"' "and warns of nothing"
hides '"name":"crash[.]' "a boot that was asked for is no reset"

faulty 'insert after=hereabouts count=1 text="[\s\s\s99.000001]\sWARNING:\sCPU:\s0\sPID:\s1\sat\sx.c:1\sf+0x1/0x2\n[\s\s\s99.000002]\sCall\strace:\n"'
ends "pass none off: *" "a warning of the kernel fails nothing"
tells '"kind":"warn","text":"WARNING: CPU|"kind":"warn",.*WARNING: CPU.*Call trace.*"crash":"warning","console":"main","log_offset":[0-9]' "it is on record, with its trace and place"
tells '"name":"kernel.warnings","value":"1"' "and counted"

faulty 'insert after=hereabouts count=1 text="[\s\s\s99.000001]\sBUG:\sKASAN:\sslab-out-of-bounds\sin\sf+0x1/0x2\n"'
ends "fail test off: *'works/kernel': *KASAN*" "what the kernel proves to be broken fails the run"
tells '"name":"works/later","status":"pass"' "the step goes on"
tells '"name":"after","status":"pass"' "and so does the job"

faulty 'panic after=hereabouts'
ends "fail test off: *'works/kernel': the kernel gave up: Kernel panic*" "a panic fails the run"
tells '"name":"works/inner","status":"pass"' "what came before it counts"
tells '"name":"works","status":"miss"' "what did not come is missing, not failed"
tells '"kind":"step-end".*"name":"works".*"blame":"test"' "the step's blame is the run's"
hides '"name":"works/later"' "nothing is made up"
tells '"name":"after","outcome":"not-run"' "the rest is not run"
tells '"name":"after","status":"miss","why":"not run: step .works.: the kernel gave up' "and is missing"

faulty 'reboot after=hereabouts'
ends "incomplete infra off: *the board was reset while the step ran*" "a reset that nothing announced is nobody's failed test"
tells '"name":"crash.reset","value":"1"' "and counted, the boot before it is not"
tells '"name":"works","status":"miss"' "what did not come is missing"
ms=$(sed -n 's/.*"kind":"step-end".*"name":"works".*"took_ms":\([0-9]*\).*/\1/p' j/events.jsonl)
[ "${ms:-9999}" -lt 4000 ]
ok $? "and it is known at once, not at the deadline"

tells '"kind":"step-end".*"name":"works".*"blame":"infra"' "the step's blame is the run's"
tells '"name":"after","status":"miss","why":"not run: ' "and so is the rest"

oops='insert after=here count=1 text="[\s\s\s99.000001]\sBUG:\sKASAN:\sslab-out-of-bounds\sin\sf+0x1/0x2\n"'
faulty "$oops" 'reboot after=abouts'
ends "fail test off: *'works/kernel'*KASAN*" "a kernel that fails and then resets the board"
tells '"kind":"step-end".*"name":"works".*"blame":"test","message":.*was reset.*kernel had failed: BUG: KASAN' "is to blame for both"
tells '"name":"works","status":"miss"' "what did not come is missing"

faulty "$oops" 'hang after=abouts'
ends "fail test off: *'works/kernel'*KASAN*" "a kernel that fails and then hangs"
tells '"kind":"step-end".*"name":"works".*"blame":"test","message":.*the kernel had failed: .BUG: KASAN.*not done in' "is to blame for the deadline"
tells '"name":"after","status":"miss","why":"not run: ' "and what was not run is missing"

cp job.yaml plain.yaml
printf 'crash: {kasan: warn}\n' >>job.yaml
faulty 'insert after=hereabouts count=1 text="[\s\s\s99.000001]\sBUG:\sKASAN:\sslab-out-of-bounds\sin\sf+0x1/0x2\n"'
ends "pass none off: *" "a job may say that it is no failure"
tells '"crash":"kasan","console":"main",.*"line":"BUG: KASAN.*"rule":"warn"' "and it is told with its rule"
tells '"name":"crash.kasan","value":"1"' "and counted by its kind"
printf 'crash: {except: [{pattern: slab-out, reason: an old friend}]}\n' >>plain.yaml
mv plain.yaml job.yaml
faulty 'insert after=hereabouts count=1 text="[\s\s\s99.000001]\sBUG:\sKASAN:\sslab-out-of-bounds\sin\sf+0x1/0x2\n"'
ends "pass none off: *" "or that it is known"
tells '"crash":"kasan".*"rule":"known","reason":"an old friend"' "which is told with the reason"

sed -i "s/echo here''abouts/echo 'Kernel panic - not syncing: typed'; echo '[   99.000001] BUG: KASAN: typed' >f; rm f/" job.yaml
faulty ''
ends "pass none off: *" "typed and printed words are none of the kernel's"
hides '"kind":"warn"' "and on no record"

finish
