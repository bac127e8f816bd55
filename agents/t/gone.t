#!/bin/sh
# SPDX-License-Identifier: MIT
# What goes away while a job runs on a played board: the console's cable, the relay, the whole lab
# host's bench. Each is the bench's fault, not the test's and not a mere deadline, and is told as
# soon as it is known; and the next job is unharmed.
set -u
. "$HILAB_DATA/agents/t/job.sh"
cd "$dir" || exit 1

show() { tail -n 8 j/events.jsonl; }
# Starts the job with a step of TIMEOUT; returns when the board has hung in the middle of it.
begin() { # TIMEOUT
	ctl clear b
	ctl fault b hang after=hereabouts
	sed "s/TIMEOUT/$1/" job.yaml >this.yaml
	make_job this
	"$tool" run j >out 2>&1 &
	job=$!
	until grep -q hereabouts j/console-main.log 2>/dev/null || [ ! -d /proc/$job ]; do :; done
}
ended() { # PATTERN NAME
	wait "$job"
	last=$(tail -n 1 out)
	ends "$1" "$2"
}
tells() { grep -qE -- "$1" j/events.jsonl; ok $? "$2"; }
well() { # AFTER
	ctl clear b
	run this
	ends "pass none off: *" "after $1 the next job passes"
}

played_images
manifest build.yaml
cat >job.yaml <<-'EOT'
	job: gone
	board: {soc: am62axx}
	build: ./build.yaml
	steps:
	  - power: off
	  - deploy: {method: tftp, images: [kernel, rootfs]}
	  - boot: u-boot
	  - login
	  - run: {name: works, command: "hil_result inner pass; echo here''abouts; hil_result later pass", timeout: TIMEOUT}
	  - run: {name: after, command: "true"}
EOT
start_player b=am62axx-sk-twin

begin 2s
ctl pull b
ended "incomplete infra off: *console 'main' went away and is not back*" "the console's cable is pulled: no mere deadline"
tells '"text":"the relay reads on"' "the relay is asked, and what it says is on record"
tells '"name":"works","status":"miss"' "the test is missing"
ctl plug b
well "a pulled cable"

begin 2s
ctl relay b dead
ended "incomplete infra unknown: *" "a deadline passes and the relay is dead: the bench"
ctl relay b ok
well "a dead relay"

begin 2s
ended "incomplete timeout off: *" "a deadline passes and the relay reads on: the board"
tells '"text":"the relay reads on"' "which is on record"

# of a run that has ended
cp j/events.jsonl before
"$HILAB" worker --release j >out 2>&1
ok $? "a board can be released again"
is "$(cmp before j/events.jsonl)" '' 'and nothing is written behind the last word'

# a relay that cannot be read back: only the console tells
sed -i '/model: lcus/a\      read-back: no' p/lab.yaml
ctl clear b
run this
ends "pass none off: *" "a board that answered and is silent now is off"
begin 2s
ended "incomplete timeout unknown: *" "one that was silent before may as well hang: unknown"
sed -i '/read-back: no/d' p/lab.yaml

begin 10m
stop_daemon "$player" # not -9: its links would lead to whoever gets the PTYs next
ended "incomplete infra unknown: *console 'main' went away: *" "relay and console are gone: told at once, not in ten minutes"
tells '"name":"after","status":"miss"' "what was not run is missing"
start_player b=am62axx-sk-twin
well "a bench that was gone"
finish
