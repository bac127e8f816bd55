#!/bin/sh
# SPDX-License-Identifier: MIT
# A session on a played board, as an agent has it: a folder, a worker, lines appended to its inbox.
# The rest, console by console, is shown by agents/worker/t/test-session.
set -u
. "$HILAB_DATA/agents/t/job.sh"
cd "$dir" || exit 1
show() { tail -n 5 j/events.jsonl; }

seq=0
say() { # REST-OF-LINE
	seq=$((seq + 1))
	printf '{"n":%s,%s}\n' "$seq" "$1" >>j/inbox.jsonl
}
type() { # TEXT, with \r and the like
	say "\"kind\":\"input\",\"console\":\"main\",\"data\":\"$(printf %b "$1" | base64 -w 0)\""
}
# A file of the folder holds a text; bounded by what only a failure takes.
comes() { # FILE TEXT NAME
	left=400
	until grep -qaF -- "$2" "j/$1" 2>/dev/null || [ $left -eq 0 ]; do
		left=$((left - 1))
		sleep 0.05
	done
	grep -qaF -- "$2" "j/$1"
	ok $? "$3"
}
begin() {
	make_job any
	printf '%s\n' '{"plan":2,"job":"lease","timeout_ms":600000,"session":true,"steps":[]}' >j/plan.json
	seq=0
	"$HILAB" worker "$dir/j" >out 2>&1 &
	worker=$!
	comes events.jsonl '"kind":"session-start"' "a session begins"
}
status() { sed -n 's/.*"\(verdict\|blame\|power\)": "\(.*\)".*/\2/p' j/status | tr '\n' ' '; }

printf 'job: any\nsteps:\n  - power: cycle\n' >any.yaml
start_player b=instant

begin
like "$(power b)" "b off *" "the board is left as it is"
say '"kind":"power","action":"on"'
comes events.jsonl '"kind":"power-done","n":1,"ok":true' "power on, and its answer"
like "$(power b)" "b on *" "the board has power"
comes console-main.log 'root@hilab:~# ' "it says hello"
type 'echo $((6*7))-is-it\r'
comes console-main.log 'echo $((6*7))-is-it' "what is typed is echoed"
comes console-main.log '42-is-it' "and answered"
[ "$(wc -l <j/console-main.idx)" -gt 0 ]
ok $? "with its time index"
make_job any k
"$HILAB" worker k >out 2>&1
is $? 3 "another worker does not get the board"
grep -q "is in use by pid $worker" k/status
ok $? "and is told who has it"
type 'kept=no\r'
say '"kind":"power","action":"cycle"'
comes events.jsonl '"kind":"power-done","n":4,"ok":true' "a power cycle, and its answer"
type 'echo "<$kept>"\r'
comes console-main.log '<>' "the board began anew"
ctl fault b panic
comes events.jsonl '"crash":"panic"' "a panic is told"
lacks '"kind":"result"' "and is nobody's result"
say '"kind":"power","action":"off"'
comes events.jsonl '"kind":"power-done","n":6,"ok":true' "power off, and its answer"
say '"kind":"power","action":"on"'
comes events.jsonl '"kind":"power-done","n":7,"ok":true' "on again"
say '"kind":"until","at":1'
wait "$worker"
is $? 0 "it ends when its time is up"
is "$(status)" "pass none off " "its verdict"
like "$(power b)" "b off *" "the board is off"

begin
say '"kind":"power","action":"on"'
comes events.jsonl '"kind":"power-done","n":1,"ok":true' "the board is on"
kill -9 "$worker"
wait "$worker" 2>/dev/null
like "$(power b)" "b on *" "a killed worker leaves it on"
[ ! -e j/status ]
ok $? "and no status"
"$HILAB" worker --release j >out 2>&1
is "$(status)" "incomplete bug off " "the board is freed"
grep -q 'the worker died in its session' j/status
ok $? "and the status says of what"
like "$(power b)" "b off *" "the board is off"

begin
kill "$worker"
wait "$worker"
is $? 0 "SIGTERM ends a session"
is "$(status)" "pass none off " "and is no failure"
finish
