#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2046 # figures on a line become $1 ...
# The second half of `make benchmark`: a server, an agent and played boards, from 10 to BOARDS of
# them. Beside hilab's figures stand those of LAVA 2023.01 with all its services, taken once on such
# a machine with two cores; they are not measured again here, so look at their order alone. Figures
# only: a job that does not pass is counted and ends nothing. JOBS, RATE and QUEUED shorten it.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1

BOARDS=${BOARDS:-2000}
JOBS=${JOBS:-300}       # that come one by one while most boards are busy
RATE=${RATE:-10}        # of them a second
QUEUED=${QUEUED:-10000} # jobs in the queue
CONSOLE_BYTES=10000000
CURVE="10 50 200 1000 2000"

cost=$HILAB_BUILD/orchestrator/cli/t/tool-cost
figures=$HILAB_BUILD/orchestrator/api/t/tool-lab-figures
endpoint=$XDG_STATE_HOME/hilab/server/endpoint.json

# ---- a lab ----

field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$endpoint"; }
call() { # CONNECTIONS COUNT[@RATE] PATH [BODY]: answers a second, median and p99 ms
	"$HILAB_BUILD/orchestrator/api/t/tool-call-load" "$(field url)/api/v1/$3" "$1" "$2" \
		"$([ $# = 4 ] && echo POST || echo GET)" "${4:--}" "Authorization: Bearer $(field token)" \
		${RANGE:+"Range: bytes=$RANGE"}
}
start_server() {
	start_daemon server --listen 127.0.0.1:0
	server=$daemon
}
start_lab() { # BOARDS
	rm -rf "$dir/p" "$dir/state" "$dir"/db*
	start_player b=instant --count "$1" --sockets
	start_server
	start_daemon agent --lab "$dir/p/lab.yaml"
	agent=$daemon
	until [ "$("$HILAB" boards | wc -l)" -gt "$1" ]; do sleep 0.1; done 2>/dev/null
}
stop_lab() {
	for one in $daemons; do
		stop_daemon "$one"
	done
}
# PASSED FAILED MS, then median and p99 of ms to the start and to the free board.
ends() { # FIRST-JOB LAST-JOB
	"$figures" jobs "$endpoint" "$1" "$2"
}
job() { # NAME STEP...: NAME.yaml, and NAME.json for the API
	name=$1
	shift
	printf 'job: %s\nboard: {soc: am62axx}\ntimeout: 20m\nsteps:\n' "$name" >"$name.yaml"
	printf '  - %s\n' 'power: on' "$@" >>"$name.yaml"
	printf '{"text": "%s"}\n' "$(sed 's,\\,\\\\,g; s,",\\",g; s,$,\\n,' "$name.yaml" | tr -d '\n')" >"$name.json"
}
prompt="expect: 'hilab:~# '"
job quick "$prompt"
job waiting "$prompt" 'expect: {pattern: all-may-go, timeout: 15m}'
job trivial login 'run: {name: hello, command: "true"}'
job talking login "run: {name: hello, command: \"head -c $CONSOLE_BYTES /dev/zero | tr '\\\\\\\\0' x | fold -w 79\"}"

# ---- what a process has used ----

hz=$(getconf CLK_TCK)
own_ms() { awk -v hz="$hz" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / hz }' "/proc/$1/stat"; }
kids_ms() { awk -v hz="$hz" '{ sub(/.*\) /, ""); print ($14 + $15) * 1000 / hz }' "/proc/$1/stat"; }
mib() { awk -v what="^$2" '$0 ~ what { n += $2 } END { printf "%.1f", n / 1024 }' "/proc/$1/smaps_rollup"; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }

row() { # WHAT UNIT HILAB [LAVA]
	printf '%-56s %12s %12s\n' "$1, $2" "${3:--}" "${4:-}"
}
say() { printf '%s ...\n' "$*" >&2; }

# ---- the server alone ----

alone() {
	say 'the server alone'
	start_server
	row 'server, idle: resident' MiB "$(mib "$server" Rss)"
	row '  private (LAVA: all its services)' MiB "$(mib "$server" Private)" '573-625'
	before=$(own_ms "$server")
	sleep 5
	row '  CPU' % "$(calc %.2f "($(own_ms "$server") - $before) / 50")" 1.7

	before=$(own_ms "$server")
	set -- $(call 16 $((QUEUED / 2)) jobs trivial.json)
	row 'submissions over 16 connections (LAVA: 4)' 1/s "$1" '66-70'
	row '  of CPU of the server' 1/s "$(calc %.0f "$QUEUED * 500 / ($(own_ms "$server") - $before)")" '37-42'
	set -- $(call 1 $((QUEUED / 4)) jobs trivial.json)
	row 'submissions over one connection' 1/s "$1" '50-55'
	call 16 $((QUEUED / 4)) jobs trivial.json >/dev/null
	row "server with $QUEUED jobs queued: resident" MiB "$(mib "$server" Rss)"
	set -- $(call 1 100 "jobs/$((QUEUED / 2))")
	row '  show one of them' ms "$2"

	set -- $("$cost" 40 "$HILAB" submit trivial.yaml 2>/dev/null)
	row 'hilab submit: wall' ms "$1" 460
	row '  CPU, most of it libcurl being loaded' ms "$2"
	stop_lab
}

# ---- few boards ----

few() {
	say '64 jobs on 16 boards'
	start_lab 16
	before=$(kids_ms "$player")
	call 16 64 jobs trivial.json >/dev/null
	"$figures" wait "$endpoint"
	set -- $(ends 1 64)
	row "64 trivial jobs on 16 boards ($1 passed)" s "$(calc %.2f "$3 / 1000")" '42-109'
	row '  of it CPU of the played boards' s "$(calc %.2f "($(kids_ms "$player") - $before) / 1000")"
	call 1 100@$RATE jobs quick.json >/dev/null
	"$figures" wait "$endpoint"
	set -- $(ends 65 164)
	row "submit to worker, $RATE a second: median, p99" ms "$4 $5" '850-38000'
	row '  end of the worker to free board: median, p99' ms "$6 $7" '1000-18000'

	say 'a job of 10 MB'
	call 1 1 jobs talking.json >/dev/null
	"$figures" wait "$endpoint"
	set -- $(ends 165 165)
	row "job with a console of 10 MB ($1 passed)" s "$(calc %.2f "$3 / 1000")" '23-26'
	bytes=$(wc -c <"$XDG_STATE_HOME/hilab/server/runs/165/console-main.log")
	set -- $(call 1 50 runs/165/files/console-main.log)
	row '  its log read by the API, whole' ms "$2" 100
	RANGE=5000000-5004095
	set -- $(call 1 200 runs/165/files/console-main.log)
	RANGE=
	row '  4 KiB in its middle' ms "$2"
	set -- $("$cost" 5 "$HILAB" log 165 2>/dev/null)
	row "  hilab log of its $bytes bytes" s "$(calc %.3f "${1:-0} / 1000")" '14-16'
	row '    CPU of it' s "$(calc %.3f "${2:-0} / 1000")"
	stop_lab
}

# ---- a board for each job, all at once ----

curve() {
	row 'all jobs at once: boards' 'CPU ms of server + agent a job' "worker's" 'wall s'
	for n in $CURVE; do
		[ "$n" -le "$BOARDS" ] || continue
		say "$n jobs on $n boards"
		start_lab "$n"
		before="$(own_ms "$server") $(own_ms "$agent") $(kids_ms "$agent")"
		call 16 "$n" jobs quick.json >/dev/null
		"$figures" wait "$endpoint"
		set -- $before "$(own_ms "$server")" "$(own_ms "$agent")" "$(kids_ms "$agent")" $(ends 1 "$n")
		row "  $n boards ($7 passed, $8 did not)" \
			"$(calc '%.2f + %.2f' "($4 - $1) / $n, ($5 - $2) / $n")" \
			"$(calc %.2f "($6 - $3) / $n")" "$(calc %.1f "$9 / 1000")"
		stop_lab
	done
}

# ---- most boards busy, jobs that come ----

busy() {
	waiting=$((BOARDS * 9 / 10))
	say "$waiting boards that are busy, and $JOBS jobs on the others"
	start_lab "$BOARDS"
	call 4 $waiting@100 jobs waiting.json >/dev/null
	until [ "$(grep -l 'hilab:~# ' state/hilab/agent/runs/*/console-main.log | wc -l)" -ge $waiting ]; do
		sleep 1
	done 2>/dev/null
	sleep 2
	row "with $waiting of $BOARDS boards busy: server resident" MiB "$(mib "$server" Rss)"
	row '  agent resident' MiB "$(mib "$agent" Rss)"
	worker=$(cut -d' ' -f1 "/proc/$agent/task/$agent/children")
	row '  a worker that waits: private' MiB "$(mib "$worker" Private)" '56.6'
	before="$(own_ms "$server") $(own_ms "$agent")"
	sleep 5
	set -- $before
	row '  CPU of server and agent while all wait' % \
		"$(calc '%.1f + %.1f' "($(own_ms "$server") - $1) / 50, ($(own_ms "$agent") - $2) / 50")"
	call 4 "$JOBS@$RATE" jobs quick.json >/dev/null
	sleep 3
	set -- $(ends $((waiting + 1)) $((waiting + JOBS)))
	row "  submit to worker ($1 passed): median, p99" ms "$4 $5"
	row '  end of the worker to free board: median, p99' ms "$6 $7"
	# (thousands of boards may take longer than it waits for an answer)
	"$HILAB" player ctl "$dir/p" 'say * all-may-go' >/dev/null 2>&1 || :
	"$figures" wait "$endpoint"
	set -- $(ends 1 $((waiting + JOBS)))
	row '  passed, and did not' jobs "$1 $2"
	stop_lab
}

echo
echo "# a lab: load $(cut -d' ' -f1 /proc/loadavg) as it began, LAVA's figures from another day"
printf '%-56s %12s %12s\n' what hilab 'LAVA 2023.01'
alone
few
curve
busy
echo "# load $(cut -d' ' -f1 /proc/loadavg) as it ended"
