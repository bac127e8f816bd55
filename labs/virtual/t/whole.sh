# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # what it sets is for the tests
# For tests that break a whole lab: a controller, an agent and played boards that can be killed and
# started again, moments by chance that a seed repeats, and what must hold afterwards. All of lab.sh,
# and:
#
#	$long                     not empty: at full counts (HILAB_LONG)
#	random N                  $random: 0 ... N-1; HILAB_SEED repeats a test's choices
#	pause MS                  for so long
#	until_ok COMMAND...       it is awaited, $patience seconds (60), else the test fails
#	start_server ARGS...      its pid in $server, its address in $url
#	start_agent ARGS...       of the lab file $lab, in the folder $dir/a, its pid in $agent; keeps
#	                          the folders of all runs
#	job NAME BOARD COMMAND    $dir/NAME.yaml, on the boards that BOARD ({type: ...}) asks for
#	sql QUERY                 rows of the store
#	hilab ARGS...             into $dir/out and $dir/err
#	online BOARD              is its agent there?
#	all_done                  is no job open?
#	whole                     the tests of what must hold when all jobs are done
. "$HILAB_DATA/labs/virtual/t/lab.sh"

long=${HILAB_LONG:-}
seed=${HILAB_SEED:-$(($(date +%s) % 100000 * 100 + $$ % 100))}
chance=$seed
patience=60
lab=$dir/p/lab.yaml
server= agent=
echo "# HILAB_SEED=$seed"
unset HILAB_SERVER HILAB_TOKEN

random() {
	chance=$(((chance * 1103515245 + 12345) & 0x7fffffff))
	random=$((chance / 256 % $1))
}
pause() {
	sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"
}
until_ok() {
	give_up=$(($(date +%s) + patience))
	until "$@" >/dev/null 2>&1; do
		if [ "$(date +%s)" -gt $give_up ]; then
			fail "in $patience s: $*" "$(show)"
			finish
		fi
		sleep 0.05
	done
}
hilab() {
	"$HILAB" "$@" >"$dir/out" 2>"$dir/err"
}
start_server() {
	start_daemon server --listen 127.0.0.1:0 "$@"
	server=$daemon
	url=${ready#ready }
}
start_agent() {
	[ -e "$dir/agent.yaml" ] || printf 'keep: 1000000\nmin-free: 1MiB\n' >"$dir/agent.yaml"
	start_daemon agent --config "$dir/agent.yaml" --lab "$lab" --dir "$dir/a" --name host "$@"
	agent=$daemon
}
job() {
	cat >"$dir/$1.yaml" <<-END
		job: $1
		board: $2
		timeout: 5m
		steps:
		  - power: cycle
		  - login
		  - run: {name: work, timeout: 3m, command: "$3"}
	END
}
sql() {
	"$HILAB_BUILD/orchestrator/store/t/tool-sql" "$HILAB_STORE" "$1"
}
online() {
	"$HILAB" boards show "$1" | grep -q '"online": true'
}
all_done() {
	[ "$(sql "SELECT count(*) FROM job WHERE state<>'done'")" = 0 ]
}
show() {
	tail -n 12 "$dir/err" "$dir/server.log" "$dir/agent.log" 2>/dev/null
	sql "SELECT id, name, kind, state, verdict, message FROM job WHERE state<>'done'" | head -n 12
}
# Workers, and what frees boards, outlive their agent.
processes() {
	grep -la "$dir/a/[r]uns/" /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3
}
at_end() {
	for left in $daemons; do
		stop_daemon "$left"
	done
	for left in $(processes); do
		kill -9 "$left" 2>/dev/null
	done
}

# Each folder of the agent is with the controller, byte by byte, and what its journal says is in the
# store, once.
copies() {
	wrong=
	for folder in "$dir"/a/ended/*-0; do
		run=$(basename "$folder" -0)
		held=$dir/state/hilab/server/runs/$run
		for file in "$folder"/*.log "$folder"/*.idx "$folder/events.jsonl" "$folder/status"; do
			[ ! -s "$file" ] || cmp -s "$file" "$held/$(basename "$file")" ||
				wrong="$wrong $run/$(basename "$file")"
		done
		[ -s "$folder/events.jsonl" ] || continue
		echo "$run $(grep -c '"kind":"result"' "$folder/events.jsonl")" \
			"$(wc -l <"$folder/events.jsonl")" "$(grep -c '"kind":"run-start"' "$folder/events.jsonl")"
	done >"$dir/journals"
	show_first $wrong
	is "$wrong" "" "what the controller holds of $(wc -l <"$dir/journals") runs is what their workers wrote"
	sql "SELECT id || ' ' || (SELECT count(*) FROM result WHERE run=id) || ' ' ||
		(SELECT count(*) FROM event WHERE run=id) || ' ' ||
		(SELECT count(*) FROM event WHERE run=id AND kind='run-start') FROM run ORDER BY id" \
		>"$dir/stored"
	grep -v ' 0 0 0$' "$dir/stored" | sort >"$dir/stored.sorted"
	sort "$dir/journals" | grep -v ' 0 0 0$' >"$dir/journals.sorted"
	diff "$dir/journals.sorted" "$dir/stored.sorted" >"$dir/out" 2>&1
	ok $? "the store has each result and each event of them once"
	is "$(awk '$4 > 1' "$dir/journals")" "" "no run began twice"
}
whole() {
	is "$(sql "SELECT id FROM run WHERE verdict IS NULL")" "" "every run has a verdict"
	is "$(sql "SELECT run FROM part WHERE state<>'ended'")" "" "no part of a run is open"
	is "$(sql "SELECT id FROM job WHERE kind<>'lease' AND attempts<>
		(SELECT count(DISTINCT run) FROM part WHERE part.job=job.id)")" "" "each attempt is on record"
	until_ok idle
	pass "no board is reserved, busy or leased"
	copies
	until_ok no_process
	pass "no worker is left"
	is "$("$HILAB" player ctl "$dir/p" status | grep -E '^[a-z0-9-]+ on ')" "" "no board has power"
}
idle() {
	"$HILAB" boards --json >"$dir/boards.json" && grep -q '"board"' "$dir/boards.json" &&
		! grep -E '"state": "(reserved|busy|leased)"' "$dir/boards.json" && [ -z "$(ls "$dir/a/runs")" ]
}
no_process() {
	[ -z "$(processes)" ]
}
show_first() {
	[ $# -eq 0 ] || diff "$dir/a/ended/${1%/*}-0/${1#*/}" "$dir/state/hilab/server/runs/$1" | head -n 8 | sed 's/^/# /'
}
