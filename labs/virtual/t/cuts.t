#!/bin/sh
# SPDX-License-Identifier: MIT
# The network between agent and controller is cut, for longer than an agent may be silent, and then at
# any moment: jobs go on, their results arrive, and boards that nobody hears of take no work.
# HILAB_SEED repeats the moments, HILAB_LONG makes it more of them.
set -u
. "$HILAB_DATA/labs/virtual/t/whole.sh"
export HILAB_LOG=info
if [ -n "$long" ]; then cuts=200 patience=1800; else cuts=12; fi
cd "$dir" || exit 1
mkdir a

echo "grace: 3s" >server.yaml
start_player b=instant --count 3 --channels 1
start_server --config server.yaml
"$HILAB" token add host --rights agent >agent.token 2>/dev/null || fail "a token for the agent"
chmod 600 agent.token
"$HILAB_BUILD/labs/virtual/t/tool-cut" "${url##*:}" >through &
line=$!
daemons="$line $daemons"
until_ok test -s through
printf 'keep: 1000000\nmin-free: 1MiB\ntoken-file: ./agent.token\nserver: "http://127.0.0.1:%s"\n' \
	"$(cat through)" >agent.yaml
start_agent
job slow '{name: b-1}' "while [ ! -e $dir/go ]; do sleep 0.1; done; seq 1 3000; true"
job short '{name: b-2}' 'true'
job quick '{type: am62axx-sk-twin}' 'seq 1 1000; true'

# board B is "online": true|false
online() {
	"$HILAB" boards show "$1" | grep -q "\"online\": $2"
}
on_its_way() {
	grep -q '"kind":"step-start".*"name":"work"' a/runs/1-0/events.jsonl
}

# ---- longer than the grace ----
"$HILAB" submit slow.yaml >out
until_ok on_its_way
until_ok online b-1 true
kill -USR1 "$line"
until_ok online b-1 false
online b-2 false
ok $? "boards of an agent that is not heard of are offline"
"$HILAB" submit short.yaml >out
"$HILAB" jobs >out
ok $? "who asks is answered"
grep -q 'short.*offline' out
ok $? "a job that wants one of them says that it waits for that"
is "$(sql "SELECT state FROM job WHERE name='slow'")" running "the job that runs there is not given up"
touch go
until_ok test -s a/runs/1-0/status
pass "it goes on, and ends"
is "$(sql "SELECT state FROM job WHERE name='short'")" queued "and no other one starts"
kill -USR2 "$line"
until_ok all_done
is "$(sql "SELECT verdict FROM job WHERE name='slow'")" pass "its results arrive"
is "$(sql "SELECT verdict FROM job WHERE name='short'")" pass "the board takes work again"
is "$(sql "SELECT count(*) FROM run")" 2 "each of them ran once"

# ---- at any moment ----
done_cuts=0
while [ $done_cuts -lt $cuts ]; do
	for i in 1 2 3; do
		"$HILAB" submit quick.yaml >>out
	done
	random 400
	pause "$random"
	kill -USR1 "$line"
	random 300
	pause "$random"
	kill -USR2 "$line"
	done_cuts=$((done_cuts + 1))
done
echo "# $done_cuts cuts, $((3 * cuts)) jobs"
until_ok all_done
is "$(sql "SELECT count(*) FROM job WHERE name='quick' AND verdict='pass' AND attempts=1")" \
	"$((3 * cuts))" "with a cut at any moment each job passes at its first attempt"
whole
finish
