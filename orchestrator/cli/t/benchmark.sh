#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2046,SC1007 # figures on a line become $1 ...; a= b= empties both
# `make benchmark`: what hilab costs, beside LAVA's dispatcher where Debian's lava-dispatcher is
# installed. Both run the same trivial job on the same played board, through its console and relay
# ports. Figures only: no time decides whether anything passes; on a shared machine trust ratios
# from one run. HILAB and HILAB_BUILD as for the tests; RUNS, SERIES and the _MB ones shorten it,
# SEED gives other series, DATA is a folder of outside ones (the Turing data set). Then
# what a whole lab costs: benchmark-lab.sh.
set -eu

RUNS=${RUNS:-7}
CONSOLE_MB=${CONSOLE_MB:-50}
LAVA_MB=${LAVA_MB:-10} # LAVA takes more than a second for each
PARSE_MB=${PARSE_MB:-100}
MOTTO='root@hilab:~# '

cost=$HILAB_BUILD/orchestrator/cli/t/tool-cost
line=$HILAB_BUILD/labs/virtual/t/tool-line
dir=$(mktemp -d)
player=
end() {
	trap - EXIT
	[ -z "$player" ] || { kill "$player" && wait "$player"; } 2>/dev/null || :
	rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM

export HILAB_DATA HILAB_RUN_DIR="$dir/run" HILAB_STORE="$dir/db" XDG_STATE_HOME="$dir/state"
python=/usr/bin/python3 # Debian's, for which LAVA is installed, whatever stands first in PATH
version=$(dpkg-query -W -f='${Version}' lava-dispatcher 2>/dev/null) || version=
lava=
[ -z "$version" ] || lava=yes
[ -z "$lava" ] || [ -w /var/lib/lava/dispatcher/tmp ] || lava=
note() { echo "# $*"; }
say() { printf '%s ...\n' "$*" >&2; }

# ---- one board and the same job for both

mkfifo "$dir/ready"
"$HILAB" player --dir "$dir/p" bench=instant >"$dir/ready" 2>"$dir/player.log" &
player=$!
read -r word <"$dir/ready"
case $word in ready*) ;; *) cat "$dir/player.log" >&2; exit 1 ;; esac

bytes() { echo $(($1 * 1000000)); }
count() { awk -v want="$(bytes "$1")" 'BEGIN { for (n = 1; len < want; n++) len += length(n) + 2; print n }'; }
job() { # NAME COMMAND
	cat >"$dir/$1.yaml" <<-END
		job: $1
		board: {soc: am62axx}
		timeout: 10m
		steps:
		  - power: on
		  - login
		  - run: {name: hello, command: "$2", timeout: 9m}
	END
	cat >"$dir/$1-lava.yaml" <<-END
		device_type: instant
		job_name: $1
		timeouts: {job: {minutes: 10}, connection: {minutes: 9}}
		priority: medium
		visibility: public
		actions:
		- boot: {method: minimal, prompts: ['$MOTTO'], timeout: {seconds: 20}}
		- test:
		    timeout: {minutes: 9}
		    interactive:
		    - name: $1
		      prompts: ['$MOTTO']
		      script: [{name: hello, command: "$2"}]
	END
}
job trivial true
job waiting 'sleep 3'
job talking "seq $(count "$CONSOLE_MB")"
job talking-less "seq $(count "$LAVA_MB")"

for way in on:'\240\1\1\242' off:'\240\1\0\241'; do
	printf '#!/bin/sh\nprintf "%s" >%s\n' "${way#*:}" "$dir/p/relay" >"$dir/${way%%:*}"
	chmod +x "$dir/${way%%:*}"
done
printf '#!/bin/sh\n%s\n%s\n' "$dir/off" "$dir/on" >"$dir/reset"
chmod +x "$dir/reset"
cat >"$dir/device.yaml" <<END
actions:
  boot: {connections: {serial: }, methods: {minimal: }}
  deploy: {connections: {serial: }, methods: {}}
commands:
  connections: {uart0: {connect: $line bridge $dir/p/bench.console, tags: [primary]}}
  power_on: $dir/on
  power_off: $dir/off
  hard_reset: $dir/reset
constants: {failure_retry: 1, boot_retry: 1, action_retry: 1, spawn_maxread: 4092,
  default-shell-prompt: '$MOTTO', kernel-start-message: ""}
timeouts: {actions: {}, connections: {}}
END
run_hilab() { # JOB [COUNT]
	"$cost" "${2:-1}" "$HILAB" run "$dir/$1.yaml" --lab "$dir/p/lab.yaml" 2>"$dir/log" || { cat "$dir/log" >&2; exit 1; }
}
run_lava() { # JOB [COUNT]
	rm -rf "$dir/out"
	mkdir "$dir/out"
	"$cost" "${2:-1}" lava-run --device "$dir/device.yaml" --output-dir "$dir/out" --job-id benchmark \
		"$dir/$1-lava.yaml" 2>"$dir/log" || { tail -n 30 "$dir/log" >&2; exit 1; }
}

# ---- the table

table() {
	printf '%-48s %12s %12s %9s\n' what hilab "${lava:+LAVA}" ratio
}
row() { # WHAT UNIT HILAB LAVA: the ratio is that by which hilab is better
	awk -v what="$1" -v unit="$2" -v a="${3:--}" -v b="${4:--}" 'BEGIN {
		printf "%-48s %12s %12s ", what ", " unit, a, b
		if (a + 0 > 0 && b + 0 > 0)
			printf "%7.1f x", unit == "MB/s" ? a / b : b / a
		print ""
	}'
}
private() { # PID: private KiB, resident KiB
	awk '/^Private/ { p += $2 } /^Rss/ { r = $2 } END { print p, r }' "/proc/$1/smaps_rollup"
}
mb() { awk -v k="$1" 'BEGIN { printf "%.1f", k / 1024 }'; }

echo
note "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) as it began; medians of $RUNS runs"
if [ -n "$lava" ]; then
	note "beside lava-dispatcher $version"
elif [ -n "$version" ]; then
	note 'lava-dispatcher is installed but needs /var/lib/lava/dispatcher/tmp: run as root'
else
	note 'for the other column: apt-get install lava-dispatcher'
fi
table

say 'the board alone'
i=0
while [ $i -lt "$RUNS" ]; do
	"$line" board "$dir/p/bench.console" "$dir/p/relay" "$MOTTO"
	i=$((i + 1))
done | sort -n >"$dir/alone"
alone=$(sed -n "$((RUNS / 2 + 1))p" "$dir/alone")
row 'board alone: power, prompt, command, prompt' ms "$alone" ''

say 'a trivial job'
# CPU that the board, a played one, has used: ms for each of the runs since the last time.
board_before=0
board_cpu() {
	now=$(awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13 + $14 + $15) * 1000 / hz }' "/proc/$player/stat")
	board=$(awk -v a="$now" -v b="$board_before" -v n="$RUNS" 'BEGIN { printf "%.1f", (a - b) / n }')
	board_before=$now
}
board_cpu
mine=$(run_hilab trivial "$RUNS")
board_cpu
mine="$mine $board" theirs=
[ -z "$lava" ] || { theirs=$(run_lava trivial "$RUNS"); board_cpu; theirs="$theirs $board"; }
set -- $mine $theirs
beyond() { awk -v a="$1" -v b="$alone" 'BEGIN { printf "%.2f", a - b }'; }
row 'trivial job: wall' ms "$1" "${5-}"
row '  beyond the board alone' ms "$(beyond "$1")" "${5:+$(beyond "$5")}"
row '  CPU of the host' ms "$2" "${6-}"
row '  CPU of the board' ms "$4" "${8-}"
row '  largest process' MiB "$(mb "$3")" "${7:+$(mb "$7")}"

say 'a job that waits'
"$HILAB" run "$dir/waiting.yaml" --lab "$dir/p/lab.yaml" >"$dir/log" 2>&1 &
pid=$!
sleep 2.5
worker=$(cut -d' ' -f1 "/proc/$pid/task/$pid/children")
mine=$(private "$worker")
wait $pid
theirs=
if [ -n "$lava" ]; then
	lava-run --device "$dir/device.yaml" --output-dir "$dir/out" --job-id benchmark \
		"$dir/waiting-lava.yaml" >"$dir/log" 2>&1 &
	pid=$!
	sleep 2.5
	theirs=$(private $pid)
	wait $pid
fi
set -- $mine $theirs
row 'worker that waits: private memory' MiB "$(mb "$1")" "${3:+$(mb "$3")}"
row 'worker that waits: resident' MiB "$(mb "$2")" "${4:+$(mb "$4")}"

say "a job with a console of $CONSOLE_MB MB"
set -- $(run_hilab talking) ${lava:+$(run_lava talking-less)}
speed() { awk -v mb="$1" -v ms="$2" 'BEGIN { printf "%.1f", mb / ms * 1000 }'; }
row "job of a $CONSOLE_MB MB console${lava:+ (LAVA: $LAVA_MB)}: whole job" MB/s \
	"$(speed "$CONSOLE_MB" "$1")" "${4:+$(speed "$LAVA_MB" "$4")}"
row '  its CPU' ms/MB "$(awk -v m="$CONSOLE_MB" -v t="$2" 'BEGIN { printf "%.1f", t / m }')" \
	"${5:+$(awk -v m="$LAVA_MB" -v t="$5" 'BEGIN { printf "%.1f", t / m }')}"
row '  its largest process' MiB "$(mb "$3")" "${6:+$(mb "$6")}"

# ---- parts

say 'matching'
awk -v want="$(bytes "$CONSOLE_MB")" 'BEGIN {
	for (i = 0; n < want; i++) {
		if (i % 3 == 0)
			s = sprintf("[%5d.%06d] usb %d-1: new high-speed device number %d\r", i / 100, i % 1e6, i % 7, i % 128)
		else if (i % 3 == 1)
			s = sprintf("[%5d.%06d] mmc1: new SDHC card at address %04x\r", i / 100, i % 1e6, i % 65536)
		else
			s = sprintf("         Starting unit-%d.service, number %d of this boot...\r", i % 500, i)
		print s
		n += length(s) + 1
	}
}' >"$dir/console"
head -c "$(bytes "$LAVA_MB")" "$dir/console" >"$dir/console-less"
cat >"$dir/patterns" <<'END'
root@hilab:~# 
login: 
Password: 
=> 
Hit any key to stop autoboot
-\[ cut here \]
Unhandled fault
BUG: KCSAN:
BUG: KASAN:
BUG: KFENCE:
Oops(?: -|:)
WARNING:
(kernel BUG at|BUG:)
invalid opcode:
Kernel panic - not syncing
Unable to mount root fs
Backtrace for cpu [0-9]+
Unable to handle kernel
<LAVA_SIGNAL_(\S+) ([^>]+)>
end Kernel panic
END
set -- $("$HILAB_BUILD/agents/bench/t/tool-console-speed" "$dir/console" "$dir/patterns" "$dir")
mine=$*
# LAVA's own calls with its own settings. The second includes Python's start, some 0.2 s.
words='open("patterns").read().splitlines() + [pexpect.EOF]'
theirs='- - -'
speed_of() { awk -v m="$1" -v t="$2" 'BEGIN { printf "%.1f", m / t }'; }
if [ -n "$lava" ]; then
	cd "$dir"
	matched=$("$python" -m timeit -p -n 1 -r 1 -u sec -s 'import pexpect, pexpect.fdpexpect; f = open("console", "rb")' \
		"pexpect.fdpexpect.fdspawn(f, timeout=None, maxread=4092, searchwindowsize=4000, encoding='utf-8', codec_errors='replace').expect($words)" |
		sed 's/.*: \(.*\) sec .*/\1/')
	set -- $("$cost" 1 "$python" -c "import logging, pexpect
from lava_common.log import YAMLLogger
from lava_common.timeout import Timeout
from lava_dispatcher.shell import ShellCommand
logging.setLoggerClass(YAMLLogger)
log = logging.getLogger('dispatcher')
log.addHandler(logging.FileHandler('lava.log'))
log.setLevel(logging.DEBUG)
ShellCommand('cat console-less\\n', Timeout('t', None, 600), logger=log, window=4092).expect($words)" 2>"$dir/log")
	theirs="$(speed_of "$CONSOLE_MB" "$matched") $(speed "$LAVA_MB" "$1") $(speed "$LAVA_MB" "$2")"
	cd "$OLDPWD"
fi
set -- $mine $theirs
row '20 patterns over a log, of CPU' MB/s "$1" "$5"
row 'PTY to log and 20 patterns, by the clock' MB/s "$2" "$6"
row '  of CPU' MB/s "$3" "$7"
row '  a PTY that is only read, by the clock' MB/s "$4" ''

say 'parsers'
"$HILAB_BUILD/reports/parse/t/tool-parse-speed" "$PARSE_MB" >"$dir/parsers"
figure() { sed -n "s/^$1: \([0-9]*\) MB.*/\1/p" "$dir/parsers"; }
row "all parsers over a log of $PARSE_MB MB, of CPU" MB/s "$(figure 'all parsers together')" ''
row '  the pass that finds which read what' MB/s "$(figure 'the pass over the log')" ''
sed '/: [0-9]* MB/d; s/^#* */# /' "$dir/parsers"

say 'change points'
"$HILAB_BUILD/reports/stats/t/tool-changes" "${SERIES:-2000}" "${SEED:-1}" ${DATA:+"$DATA"} | sed 's/^/# /'

say 'a night over a year of history'
"$HILAB_BUILD/reports/t/tool-judge-night" "$dir/year.db" "${TYPES:-20}" "${METRICS:-500}" "${NIGHTS:-365}" "${SEED:-1}" | sed 's/^/# /'

say 'validation'
check="import yaml; from lava_common.schemas import validate"
theirs= theirs_run='- - -'
if [ -n "$lava" ]; then
	theirs=$(cd "$dir" && "$python" -m timeit -p -n 20 -r 3 -u msec -s "$check" \
		'validate(yaml.safe_load(open("trivial-lava.yaml")))' |
		awk '{ for (i = 2; i <= NF; i++) if ($i == "msec") print $(i - 1) }')
	theirs_run=$("$cost" "$RUNS" "$python" -c "$check; validate(yaml.safe_load(open('$dir/trivial-lava.yaml')))" 2>/dev/null)
fi
set -- $("$HILAB_BUILD/jobs/t/tool-check-speed" "$dir/trivial.yaml")
row 'validate the trivial job, in process' ms "$1" "$theirs"
set -- $("$HILAB_BUILD/jobs/t/tool-check-speed" "$HILAB_DATA/jobs/am62axx/smoke.yaml")
row '  jobs/am62axx/smoke.yaml' ms "$1" ''
row '  and compile it to its plan' ms "$2" ''
set -- $("$cost" $((RUNS * 10)) "$HILAB" check "$dir/trivial.yaml" 2>/dev/null) $theirs_run
row 'validate, a process: wall' ms "$1" "$4"
row 'validate, a process: CPU' ms "$2" "$5"
row 'validate, a process: resident' MiB "$(mb "$3")" "$(case $6 in -) ;; *) mb "$6" ;; esac)"
set -- $("$cost" $((RUNS * 10)) "$HILAB" help 2>/dev/null) $("$cost" $((RUNS * 10)) /bin/true)
row 'hilab help: wall' ms "$1" ''
note "the least that a process costs here: $4 ms (/bin/true)"
note "hilab is linked to $(ldd "$HILAB" | grep -c '=>') libraries; libcurl and libcrypto are loaded when used"

sh "$HILAB_DATA/orchestrator/cli/t/benchmark-lab.sh"
