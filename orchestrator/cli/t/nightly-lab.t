#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole nights on played boards: everything passes, the product fails, the lab fails, both do; and
# a board that is given up for another one is no failure.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1

job() { # NAME COMMAND
	cat >"$1.yaml" <<-END
		job: $1
		board: {soc: am62axx}
		steps:
		  - power: cycle
		  - login
		  - run: {name: it, command: "$2"}
	END
}
job good true
job bad false
cat >all.yaml <<'END'
nightly: all
jobs: [good.yaml, bad.yaml]
boards: [instant-1, instant-2, instant-3]
END
sed 's/, bad.yaml//' all.yaml >good-only.yaml
printf 'nightly: any\njobs: [good.yaml]\ntypes: [am62axx-sk-twin]\n' >any.yaml
night() { # NAME STATUS PLAN
	"$HILAB" nightly run "$3" --wait --json >night.json 2>err
	is $? "$2" "$1"
}
list() { # KEY: what stands in product or lab
	awk -v key="\"$1\":" '$1 == key { on = 1 } on; on && /^  \]|\[\]/ { exit }' night.json
}

start_player instant --count 3
start_daemon server --listen 127.0.0.1:0
start_daemon agent --lab p/lab.yaml --name rack

night 'a good night' 0 good-only.yaml
like "$(cat night.json)" '*"verdict": "pass"*"pass": 3*' 'three jobs passed'
like "$(list product)$(list lab)" '*"product": []*"lab": []*' 'and nothing is told'
is "$(grep -c '^job .*: pass$' err)" 3 'each job was told when it was done'

night 'the product fails' 1 all.yaml
is "$(list product | grep -c '"result": "it"')" 3 'each failure is told'
is "$(list lab | grep -c '"run"')" 0 'and no trouble of the lab'

# Its board is not used any more, and no other one is asked for: the night ends when people, or its
# deadline, say so.
stuck() {
	"$HILAB" jobs --json >open.json
	! grep -qE '"state": "(assigned|running|canceling)"' open.json && grep -q '"attempts": [1-9]' open.json &&
		[ "$(grep -c '"job":' open.json)" = "$(grep -c '"name": "instant-3"' open.json)" ]
}
stuck_any() { ! "$HILAB" jobs --json | grep -qE '"state": "(assigned|running|canceling)"'; }
night_of_a_dead_board() { # NAME STATUS PLAN
	"$HILAB" nightly run "$3" --wait --json >night.json 2>err &
	waiter=$!
	tries=0
	until stuck || [ $tries -gt 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	"$HILAB" nightly cancel "$("$HILAB" nightly list --limit 1 | awk 'NR == 2 { print $1 }')"
	wait $waiter
	is $? "$2" "$1"
}

ctl relay instant-3 lying
night_of_a_dead_board 'a relay dies: only the lab fails' 3 good-only.yaml
is "$(list product | grep -c '"run"')" 0 'which is no failure of the product'
like "$(list lab)" '*"board": "instant-3"*"blame": "infra"*' 'but trouble of that board'
like "$(cat night.json)" '*"verdict": "incomplete"*' 'and makes the night incomplete'
"$HILAB" boards health instant-3 good --reason 'nobody knows better' >out 2>&1
night_of_a_dead_board 'both fail' 1 all.yaml
is "$(list product | grep -c '"result": "it"')" 2 'two failures of the product'
like "$(list lab)" '*"board": "instant-3"*' 'apart from those of the lab'
is "$("$HILAB" nightly show 4 | sed -n '2s/ jobs.*//p')" 6 'all six jobs are on record'

ctl relay instant-3 ok
ctl relay instant-1 lying
for b in instant-2 instant-3; do
	"$HILAB" boards health $b maintenance --reason 'not tonight'
done >out 2>&1
"$HILAB" nightly run any.yaml --wait --json >night.json 2>err &
waiter=$!
tries=0
until "$HILAB" jobs --json | grep -q '"attempts": [1-9]' && stuck_any || [ $tries -gt 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
"$HILAB" boards health instant-2 good --reason 'now it may' >out 2>&1
wait $waiter
is $? 0 'a job that is moved to another board passes'
like "$(list lab)" '*"board": "instant-1"*"retried": true*' 'and its first board is told'

# A job that waits again behind the deadline is canceled, too: the night ends by itself.
ctl relay instant-2 lying
"$HILAB" boards health instant-1 maintenance --reason 'not tonight' >out 2>&1
sed 's/^deadline:.*//; s/^nightly:.*/&\ndeadline: 2s/' any.yaml >late.yaml
"$HILAB" nightly run late.yaml --wait --json >night.json 2>err
is $? 3 'a deadline ends a night, also of jobs that wait again'
like "$(list lab)" '*"board": "instant-2"*' 'what the lab did is told'
finish
