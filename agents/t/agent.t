#!/bin/sh
# SPDX-License-Identifier: MIT
# The agent against a controller of which every step is told, on played boards: runs start, go on
# without their agent and without their controller, and come back whole, once, whatever is killed.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1
tool=$HILAB_BUILD/agents/t
controller=
agent=

show() {
	tail -n 12 "$dir/agent.log"
}
at_end() {
	[ -z "$controller" ] || kill "$controller" 2>/dev/null
	for left in $daemons; do
		stop_daemon "$left"
	done
	for left in a/runs/*; do # their workers are nobody's children by then
		[ -e "$left/status" ] || kill -9 "$(worker_of "$(basename "$left" -0)")"
	done 2>/dev/null
}
# until COMMAND...: it is awaited, and the test fails when it does not come to be.
until_ok() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		if [ $tries -gt 600 ]; then
			fail "in a minute: $*" "$(show)"
			finish
		fi
		sleep 0.1
	done
}
start_controller() {
	rm -f c/port
	"$tool/tool-controller" c ${port:-} >>controller.log 2>&1 &
	controller=$!
	until_ok test -s c/port
	port=$(cat c/port)
}
stop_controller() {
	kill -9 "$controller"
	wait "$controller" 2>/dev/null
	controller=
}
start_agent() {
	start_daemon agent --config agent.yaml --dir a --lab p/lab.yaml --name rack "$@"
	agent=$daemon
}
# A job of these steps as a command for run N on BOARD; $change is a sed line for its plan.
change=
start_run() { # N BOARD STEP...
	id=$1 board=$2
	shift 2
	{
		printf 'job: j%s\nboard: {soc: am62axx}\nsteps:\n  - power: cycle\n  - login\n' "$id"
		for step in "$@"; do
			printf '  - run: %s\n' "$step"
		done
	} >"j$id.yaml"
	"$tool/tool-job" make "j$id.yaml" p/lab.yaml "j$id" || fail "job $id is one"
	printf '{"do":"start","run":%s,"part":0,"board":"%s","plan":%s}\n' "$id" "$board" \
		"$(tr -d '\n' <"j$id/plan.json" | sed "$change")" >>c/commands
}
say() {
	printf '%s\n' "$1" >>c/commands
}
ended() { test -s "c/held/$1-0/status"; }
verdict() { sed -n 's/^ *"\(verdict\|blame\|power\)": "\([^"]*\)".*/\2/p' "c/held/$1-0/status" | tr '\n' ' '; }
worker_of() { sed -n 's/.*"kind":"run-start".*"pid":\([0-9]*\).*/\1/p' "a/runs/$1-0/events.jsonl"; }
running() { grep -q '"kind":"step-start".*"name":"wait"' "a/runs/$1-0/events.jsonl"; }
# What the controller holds is what the folder holds, every chunk taken in its place, none twice.
whole() { # N NAME
	kept=a/runs/$1-0
	[ -d "$kept" ] || kept=a/ended/$1-0
	bad=
	for file in console-main.log console-main.idx events.jsonl worker.log status; do
		[ -e "$kept/$file" ] || continue
		cmp "$kept/$file" "c/held/$1-0/$file" >/dev/null 2>&1 || [ ! -s "$kept/$file" ] ||
			bad="$bad $file"
	done
	ls c/held/"$1"-0 | grep -qE 'board.json|plan.json|inbox|start' && bad="$bad secrets"
	is "$bad" "" "$2"
}

mkdir c a
printf 'secret\n' >token
chmod 600 token
cat >agent.yaml <<-END
	token-file: ./token
	kill-after: 1s
	keep: 2
	min-free: 1MiB
END
start_player b=instant --count 4
port=
start_controller
echo "server: http://127.0.0.1:$port" >>agent.yaml

# ---- one run ----
start_agent
until_ok test -s c/hello
like "$(cat c/hello)" '*"agent":"rack"*"name":"b-1","type":"am62axx-sk-twin"*"consoles":\["main"\]*' "it says what it has"
! grep -qE 'console"|relay|/p/|port|driver' c/hello
ok $? "and not how it is wired"
start_run 1 b-1 '{name: hi, command: "echo hello"}'
until_ok ended 1
is "$(verdict 1)" "pass none off " "a run passes"
whole 1 "and all of it is with the controller"
grep -q 'hello' c/held/1-0/console-main.log
ok $? "its console too"
check "a second agent of that folder is refused" 3 "already" "$HILAB" agent --config agent.yaml --dir a --lab p/lab.yaml

# ---- the agent dies ----
start_run 2 b-2 '{name: wait, command: "while [ ! -e go2 ]; do sleep 0.1; done; echo done"}'
until_ok running 2
worker=$(worker_of 2)
kill_daemon "$agent"
kill -0 "$worker"
ok $? "a worker does not die with its agent"
mkdir a/runs/90-0
cp a/*/1-0/board.json a/runs/90-0
: >a/runs/90-0/plan.json
start_agent
until_ok grep -q 'run 2: adopted' agent.log
[ ! -e a/runs/90-0 ]
ok $? "a folder whose plan the power cut took is none"
touch p/b-2.root/go2 2>/dev/null
until_ok ended 2
is "$(verdict 2)" "pass none off " "the next one adopts it"
whole 2 "and ships it whole"

# ---- a worker dies ----
start_run 3 b-3 '{name: wait, command: "sleep 1000"}'
until_ok running 3
kill -9 "$(worker_of 3)"
until_ok ended 3
is "$(verdict 3)" "incomplete bug off " "a worker that is killed: its board is freed"
whole 3 "and what it had found is kept"
like "$(power b-3)" "b-3 off*" "the board has no power"

# ---- both die ----
start_run 4 b-3 '{name: wait, command: "sleep 1000"}'
until_ok running 4
kill_daemon "$agent"
kill -9 "$(worker_of 4)"
start_agent
until_ok ended 4
is "$(verdict 4)" "incomplete bug off " "both killed: the next agent frees the board"
whole 4 "and ships what there is"

# ---- the controller is away ----
start_run 5 b-1 '{name: wait, command: "while [ ! -e go5 ]; do sleep 0.1; done; echo done"}'
until_ok running 5
stop_controller
touch p/b-1.root/go5
until_ok test -e a/runs/5-0/status
start_controller
until_ok ended 5
is "$(verdict 5)" "pass none off " "a run goes on without the controller"
whole 5 "and its results come later"

# ---- cancel ----
start_run 6 b-4 '{name: wait, command: "sleep 1000"}'
until_ok running 6
say '{"do":"cancel","run":6,"part":0,"why":"by alice"}'
until_ok ended 6
is "$(verdict 6)" "canceled cancel off " "a run that is canceled"
start_run 7 b-4 '{name: wait, command: "sleep 1000"}'
until_ok running 7
kill -STOP "$(worker_of 7)"
say '{"do":"cancel","run":7,"part":0,"why":"by bob"}'
until_ok ended 7
is "$(verdict 7)" "canceled cancel off " "a worker that does not obey is killed, its board freed"
say '{"do":"cancel","run":8,"part":0,"why":"by carol"}'
until_ok ended 8
is "$(verdict 8)" "canceled cancel unknown " "one whose start never came is answered all the same"

# ---- forget ----
say '{"do":"forget","run":1,"part":0}'
say '{"do":"forget","run":2,"part":0}'
say '{"do":"forget","run":3,"part":0}'
until_ok test -d a/ended/3-0
until_ok test ! -e a/ended/1-0
is "$(ls a/ended | tr '\n' ' ')" "2-0 3-0 " "of what may go the last ones stay"

# ---- what cannot start ----
say '{"do":"start","run":9,"part":0,"board":"nobody","plan":{}}'
until_ok ended 9
is "$(verdict 9)" "incomplete infra unknown " "a board that the lab has not"
mkdir c/blobs
echo "what the board gets" >blob
sum=$(sum blob)
cp blob "c/blobs/$sum"
no_sum=$(echo nothing | sha256sum | cut -d' ' -f1)
image() {
	change="s|\"images\": *\[\]|\"images\": [{\"role\":\"kernel\",\"path\":\"blob:$1\",\"sha256\":\"$1\"${2:-}}]|"
}
image "$sum"
start_run 10 b-1 '{name: hi, command: "true"}'
image "$no_sum"
start_run 11 b-2 '{name: hi, command: "true"}'
gzip -9 <blob >blob.gz
cp blob.gz "c/blobs/$(sum blob.gz)"
image "$(sum blob.gz)" ',"packing":"gz"'
start_run 15 b-4 '{name: hi, command: "true"}'
change="s|\"file\": *\"[^\"]*/blob\"|\"file\": \"blob:$sum\"|"
until_ok ended 10
is "$(verdict 10)" "pass none off " "an image is fetched by its digest"
cmp -s blob a/runs/10-0/images/kernel
ok $? "into the folder"
until_ok ended 15
cmp -s blob a/runs/15-0/images/kernel && ! grep -q packing a/runs/15-0/plan.json
ok $? "a packed one is unpacked"
until_ok ended 11
is "$(verdict 11)" "incomplete build unknown " "one that the controller has not ends the run"
cat >j12.yaml <<-END
	job: j12
	board: {soc: am62axx}
	steps:
	  - power: cycle
	  - login
	  - put: {name: file, file: ./blob, to: /got}
	  - run: {name: hi, command: "cat /got"}
END
"$tool/tool-job" make j12.yaml p/lab.yaml j12
printf '{"do":"start","run":12,"part":0,"board":"b-3","plan":%s}\n' \
	"$(tr -d '\n' <j12/plan.json | sed "$change")" >>c/commands
until_ok ended 12
is "$(verdict 12)" "pass none off " "so is a file that a step puts"
grep -q "what the board gets" c/held/12-0/console-main.log
ok $? "and the board has it"
change=

# ---- a server that is not there yet, a lab that changes, a full disk ----
kill_daemon "$agent"
stop_controller
start_agent
start_controller
start_run 13 b-1 '{name: hi, command: "true"}'
until_ok ended 13
is "$(verdict 13)" "pass none off " "an agent that was there before its controller"
sed -i '/^  b-4:/,$d' p/lab.yaml
rm c/hello
kill -HUP "$agent"
until_ok test -s c/hello
! grep -q b-4 c/hello && grep -q b-3 c/hello
ok $? "a lab file that changed is told at SIGHUP"
echo 'lab: [' >lab.bad
cp p/lab.yaml lab.good
cp lab.bad p/lab.yaml
kill -HUP "$agent"
until_ok grep -q 'the lab stays as it was' agent.log
ok 0 "and one that is none changes nothing"
cp lab.good p/lab.yaml
kill_daemon "$agent"
sed -i 's/^min-free:.*/min-free: 1023TiB/' agent.yaml
start_agent
start_run 14 b-1 '{name: hi, command: "true"}'
until_ok ended 14
is "$(verdict 14)" "incomplete infra unknown " "no run starts on a full disk, and it is said"
is "$(ls a/ended | wc -l)" 0 "what may go has gone before"

# ---- many ----
kill_daemon "$agent"
stop_controller
i=100
while [ $i -lt 1100 ]; do
	mkdir -p "a/runs/$i-0"
	for file in console-main.log console-main.idx events.jsonl worker.log status; do
		echo '{}' >"a/runs/$i-0/$file"
	done
	i=$((i + 1))
done
start_agent
start_controller
until_ok ended 1099
sed -n 's/^VmRSS:[ \t]*/# with 1000 followed folders the agent has /p' "/proc/$agent/status"
until_ok test "$(ls c/held | wc -l)" -ge 1000
ok 0 "a thousand folders are shipped"
grep -c refused c/chunks | sed 's/^/# chunks refused: /'
stop_daemon "$agent"
is $? 0 "and the agent ends well"
finish
