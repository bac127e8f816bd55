#!/bin/sh
# What must not be there twice, who is not who he says, and a controller whose disk is full.
. "$HILAB_DATA/labs/virtual/t/lab.sh"
unset HILAB_SERVER HILAB_TOKEN

full=
at_end() {
	for left in $daemons; do
		stop_daemon "$left"
	done
	[ -z "$full" ] || umount "$full"
}
hilab() { "$HILAB" "$@" >"$dir/out" 2>"$dir/err"; }
# await TEXT FILE: until it is there; a minute at most.
await() {
	tries=0
	until grep -q -- "$1" "$2" || [ $tries -gt 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	grep -q -- "$1" "$2"
}
cat >"$dir/job.yaml" <<J
job: hello
board: {type: am62axx-sk-twin}
steps: [{power: on}, login, {run: {name: say, command: "echo hi"}}]
J
start_player b=instant

# ---- two of what must be one ----
start_daemon server --listen 127.0.0.1:0
server=$daemon url=${ready#ready }
hilab server --listen 127.0.0.1:0
is $? 3 'a second server on the same folder ends'
like "$(cat "$dir/err")" '*another server runs on*' 'and says why'
start_daemon agent --lab "$dir/p/lab.yaml" --name first --dir "$dir/a1"
first=$daemon
await "answers" "$dir/agent.log"
ok $? 'an agent is there'
hilab agent --lab "$dir/p/lab.yaml" --name second --dir "$dir/a1"
is $? 3 'a second agent on its folder ends'
start_daemon agent --lab "$dir/p/lab.yaml" --name second --dir "$dir/a2"
second=$daemon
await "'b'.*first" "$dir/agent.log"
ok $? "another agent's board is refused, and by whom it is held is told"
is "$("$HILAB" boards | grep -c '^b ')" 1 'the board is there once'
like "$("$HILAB" boards --json)" '*"agent": "first"*' 'and is who had it'
hilab submit "$dir/job.yaml" --wait
is $? 0 'and works'
stop_daemon "$second"

# ---- a token for somebody else ----
"$HILAB" token add first --rights agent >"$dir/token" 2>/dev/null
chmod 600 "$dir/token"
stop_daemon "$first"
: >"$dir/agent.log"
start_daemon agent --lab "$dir/p/lab.yaml" --name third --dir "$dir/a3" --server "$url" \
	--token-file "$dir/token"
third=$daemon
await "for the agent 'first'" "$dir/agent.log"
ok $? "an agent with another's token is told so"
stop_daemon "$third"
start_daemon agent --lab "$dir/p/lab.yaml" --name first --dir "$dir/a1" --server "$url" \
	--token-file "$dir/token"
first=$daemon
hilab submit "$dir/job.yaml" --wait
is $? 0 'with its own it works'
stop_daemon "$first"
stop_daemon "$server"

# ---- no room in the store ----
full=$dir/small
mkdir "$full"
mount -t tmpfs -o size=1m tmpfs "$full" || {
	fail 'a small disk can be mounted'
	full=
	finish
}
export HILAB_STORE="$full/db"
start_daemon server --listen 127.0.0.1:0 --dir "$dir/full"
HILAB_SERVER=${ready#ready } HILAB_TOKEN=$(sed -n 's/.*"token": "\(.*\)".*/\1/p' "$dir/full/endpoint.json")
export HILAB_SERVER HILAB_TOKEN
taken=0
hilab submit "$dir/job.yaml" && taken=1
is $taken 1 'a job is taken while there is room'
dd if=/dev/zero of="$full/filler" bs=4k 2>/dev/null
tries=0
while [ $tries -lt 300 ]; do
	tries=$((tries + 1))
	hilab submit "$dir/job.yaml" || break
	taken=$((taken + 1))
done
hilab submit "$dir/job.yaml"
is $? 3 'without room a submission is not taken'
like "$(cat "$dir/err")" '*store*' 'and why is told'
is "$("$HILAB" jobs --json | grep -c '"job":')" "$taken" 'what was not taken is not there, what was is'
rm "$full/filler"
hilab submit "$dir/job.yaml"
is $? 0 'with room again it is taken'
is "$("$HILAB" jobs --json | grep -c '"job":')" $((taken + 1)) 'and nothing was lost'
finish
