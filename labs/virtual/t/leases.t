#!/bin/sh
# SPDX-License-Identifier: MIT
# Leases and cancels in a whole lab: a lease survives its controller and its agent, ends at its hard end
# and by a take-over, with its streams and its power; a job is canceled in every state.
set -u
. "$HILAB_DATA/labs/virtual/t/whole.sh"
export HILAB_LOG=info
cd "$dir" || exit 1
mkdir a

start_player b=instant --count 3 --channels 1
start_server
start_agent
until_ok online b-1
job slow '{name: b-2}' 'sleep 60'
job other '{name: b-2}' 'true'
job deaf '{name: b-3}' 'sleep 60'

state_is() { # JOB STATE
	[ "$(sql "SELECT state FROM job WHERE id=$1")" = "$2" ]
}
said() { # FILE TEXT
	grep -q "$2" "$1"
}
console() { # BOARD TYPED OUT
	printf '%s\n' "$2" >typed
	"$HILAB" console "$1" <typed >"$3" 2>&1 &
	console=$!
	daemons="$console $daemons"
}
gone() {
	! kill -0 "$1"
}
is_off() {
	case $(power "$1") in "$1 off"*) ;; *) return 1 ;; esac
}

# ---- a lease outlives what it needs ----
check "a board is reserved" 0 "reserved until" "$HILAB" reserve b-1 --for 1h
check "switched on" 0 ": on" "$HILAB" power b-1 on
console b-1 'echo first-$((6*7))' seen-1
until_ok said seen-1 first-42
kill_daemon "$server"
start_server
until_ok online b-1
check "a lease outlives its controller" 0 '"state": "leased"' "$HILAB" boards show b-1
like "$(power b-1)" 'b-1 on *' "its board keeps its power"
until_ok gone "$console"
console b-1 'echo second-$((6*7))' seen-2
until_ok said seen-2 second-42
pass "who comes again types"
kill_daemon "$agent"
start_agent
until_ok online b-1
console b-1 'echo third-$((6*7))' seen-3
said_third() {
	said seen-3 third-42 && return
	"$HILAB" console b-1 --take <typed >>seen-3 2>&1 &
	daemons="$! $daemons"
	sleep 1
	said seen-3 third-42
}
until_ok said_third
pass "also when the agent was killed"
like "$(power b-1)" 'b-1 on *' "the board keeps its power then too"

# ---- by somebody else ----
HILAB_TOKEN=$("$HILAB" token add ada --rights operator 2>/dev/null) HILAB_SERVER=$url
export HILAB_TOKEN HILAB_SERVER
check "not by asking" 2 "leased by local" "$HILAB" reserve b-1
unset HILAB_TOKEN HILAB_SERVER
first=$(sql "SELECT max(id) FROM job WHERE kind='lease'")
console b-1 '' seen-5
holder=$console
HILAB_TOKEN=$("$HILAB" token add bob --rights operator 2>/dev/null) HILAB_SERVER=$url
export HILAB_TOKEN HILAB_SERVER
check "by a take-over" 0 "reserved until" "$HILAB" reserve b-1 --take-over --wait
until_ok gone "$holder"
pass "the stream of who had it is cut"
state_is "$first" "done"
ok $? "that lease is over"
is_off b-1
ok $? "and its power went with it"
check "the new owner releases it" 0 "" "$HILAB" release b-1
unset HILAB_TOKEN HILAB_SERVER

# ---- the hard end ----
token=$(sed -n 's/.*"token": *"\([^"]*\)".*/\1/p' state/hilab/server/endpoint.json)
check "a lease of a second" 0 "reserved until" "$HILAB" reserve b-1 --for 4s
check "switched on" 0 ": on" "$HILAB" power b-1 on
console b-1 'echo last-$((6*7))' seen-6
until_ok gone "$console"
grep -q last-42 seen-6
ok $? "its console was cut at the end"
until_ok is_off b-1
pass "and its board is off"
until_ok all_done

# ---- cancel ----
"$HILAB" submit slow.yaml >out
slow=$(cat out)
"$HILAB" submit other.yaml >out
queued=$(cat out)
check "a queued job is canceled" 0 "" "$HILAB" cancel "$queued"
is "$(sql "SELECT state, verdict FROM job WHERE id=$queued")" "done|canceled" "at once"
working() {
	run=$(sql "SELECT last_run FROM job WHERE id=$1")
	grep -q '"kind":"step-start".*"name":"work"' "a/runs/$run-0/events.jsonl"
}
until_ok working "$slow"
check "a running one is canceled" 0 "" "$HILAB" cancel "$slow"
"$HILAB" cancel "$slow" >out 2>&1 # it is canceling, or done: neither takes it back
until_ok state_is "$slow" "done"
is "$(sql "SELECT verdict FROM job WHERE id=$slow")" canceled "and ends so"
until_ok is_off b-2
pass "its board is off"
"$HILAB" submit deaf.yaml >out
deaf=$(cat out)
until_ok working "$deaf"
kill_daemon "$agent"
check "one whose agent is dead is canceled" 0 "" "$HILAB" cancel "$deaf"
state_is "$deaf" canceling
ok $? "it is canceling then"
check "again changes nothing" 0 "" "$HILAB" cancel "$deaf"
kill_daemon "$server"
start_server
state_is "$deaf" canceling
ok $? "and still after the controller died"
start_agent
until_ok state_is "$deaf" "done"
is "$(sql "SELECT verdict FROM job WHERE id=$deaf")" canceled "it ends when the agent is there again"
stop_daemon "$agent"
"$HILAB" submit other.yaml >out
assigned=$(cat out)
until_ok state_is "$assigned" assigned
check "an assigned one is canceled" 0 "" "$HILAB" cancel "$assigned"
start_agent
until_ok state_is "$assigned" "done"
is "$(sql "SELECT verdict FROM job WHERE id=$assigned")" canceled "and ends so"
"$HILAB" boards health b-3 maintenance --reason 'a new card' >out
"$HILAB" submit deaf.yaml --queue-timeout 1s >out
until_ok state_is "$(cat out)" "done"
is "$(sql "SELECT verdict, attempts FROM job WHERE id=$(cat out)")" "incomplete|0" \
	"who waits for longer than he would is told"
until_ok all_done
whole
finish
