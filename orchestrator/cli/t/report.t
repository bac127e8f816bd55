#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab report and hilab log over a store of three runs, and over a folder that is in none.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
import=${HILAB_BUILD:-build/release}/orchestrator/store/t/tool-import
data=${HILAB_DATA:-.}/reports/format/t/data
export HILAB_STORE="$dir/h.db"

lacks() { # NAME PART: the last output does not hold it
	! grep -qF -e "$2" "$dir/out"
	ok $? "$1"
}
same() { # NAME WANTED: the last output is exactly this
	printf "$2" >"$dir/want"
	diff "$dir/want" "$dir/out" >"$dir/err"
	ok $? "$1"
}

check 'no store yet' 2 'No such file' "$hilab" report
cp -r "$data/smoke" "$data/odd" "$data/infra" "$data/running" "$dir"
esc=$(printf '\033')
printf 'U-Boot 2023.01\r\n%s[31mred%s[0m \302\2332J\a\r\nlast line' "$esc" "$esc" >"$dir/smoke/console-main.log"
printf '0 812\n16 1500\n36 2004\n' >"$dir/smoke/console-main.idx"
"$import" "$HILAB_STORE" "$dir/smoke" "$dir/odd" "$dir/infra" "$dir/running" >/dev/null || echo "Bail out! import"

check 'the list' 0 'incomplete' "$hilab" report
check 'the list as JSON' 0 '"schema": "hilab.runs/1"' "$hilab" report --json
check 'the newest only' 0 'running' "$hilab" report -n 1
lacks 'and no other' 'incomplete'
check 'a list has no TAP' 2 'text or json' "$hilab" report --tap
check 'one run' 0 'fio.write.bw          33.55  MB/s' "$hilab" report 1
check 'a twin is called one' 0 '(twin: not to be compared' "$hilab" report 1
check 'the latest' 0 'running' "$hilab" report latest
check 'with its verb' 0 'running' "$hilab" report run latest
check 'which has help of its own' 0 'usage: hilab report run' "$hilab" report run -h
check 'as TAP' 0 'not ok 2' "$hilab" report 2 --tap
check 'as JSON' 0 '"schema": "hilab.run/1"' "$hilab" report 2 --format json
check 'into a file' 0 '' "$hilab" report 2 -f markdown -o "$dir/report.md"
check 'which is whole' 0 '## run 2: fail' cat "$dir/report.md"
check 'printing is no judgement' 0 'fail' "$hilab" report 2
check 'unless asked: pass' 0 'pass' "$hilab" report 1 --exit-code
check 'fail' 1 'fail' "$hilab" report 2 --exit-code
check 'incomplete' 3 'incomplete' "$hilab" report 3 --exit-code
check 'still running' 3 'running' "$hilab" report 4 --exit-code
check 'no such run' 2 'holds no run 99' "$hilab" report 99
check 'no such format' 2 "unknown report format 'xml'" "$hilab" report 1 -f xml
check 'no run at all' 2 "'yesterday' is no run" "$hilab" report yesterday
check 'a folder that is in no store' 0 'results: 3 pass, 1 skip' "$hilab" report "$dir/smoke"
check 'a folder that is none of ours' 2 'events.jsonl' "$hilab" report "$data"
check 'a file that cannot be written' 3 'x/y' "$hilab" report 1 -o "$dir/x/y"

check 'a log' 0 'U-Boot 2023.01' "$hilab" log 1
same 'safe for a terminal' 'U-Boot 2023.01\nred \\xc2\\x9b2J\\x07\nlast line\n'
check 'as it came' 0 'U-Boot' "$hilab" log 1 --raw
cp "$dir/out" "$dir/raw"
check 'to the byte' 0 '' cmp "$dir/raw" "$dir/smoke/console-main.log"
check 'its end' 0 'last' "$hilab" log 1 --tail 1
same 'and nothing more' 'last line\n'
check 'with times' 0 'U-Boot' "$hilab" log "$dir/smoke" --time
same 'of each line' '     0.812  U-Boot 2023.01\n     1.500  red \\xc2\\x9b2J\\x07\n     2.004  last line\n'
cp -R "$dir/smoke" "$dir/helped"
printf "~# printf 'a'>/tmp/hil.abc234/x\r\n~# printf 'b'>>/tmp/hil.abc234/x;sh y\r\n~# printf 'c'>/tmp/hil.abc234/c\r\n" \
	>"$dir/helped/console-main.log"
check 'without the helper on its way' 0 '' "$hilab" log "$dir/helped"
same 'which is said' "(2 lines of hilab's own: --raw shows them)\n~# printf 'c'>/tmp/hil.abc234/c\n"
check 'another console' 2 "no console 'rtos': it has main" "$hilab" log 1 --console rtos
check 'no way out of the folder' 2 'no console' "$hilab" log 1 --console ../smoke/main
check 'a run without a log' 2 "no console 'main': it has none" "$hilab" log 2
check 'raw has no tail' 2 'neither' "$hilab" log 1 --raw --tail 3
rm -r "$dir/smoke"
check 'a folder that is gone' 2 'job folder' "$hilab" log 1
check 'the report stays' 0 'fio.write.bw' "$hilab" report 1

# A `hilab run` that was killed: its worker went on, and ended after it.
status='{"verdict":"incomplete","blame":"infra","message":"relay is silent","ended_ms":1764504100000}'
cp "$dir/running/events.jsonl" "$dir/events"
printf '{"seq":99,"at":1764504099000,"kind":"result","suite":"late","name":"one","status":"pass"}\n' >>"$dir/running/events.jsonl"
check 'a run whose folder has no status runs' 3 'running' "$hilab" report 4 --exit-code
printf '%s' "$status" >"$dir/running/status"
check 'one that ended unseen' 3 'relay is silent' "$hilab" report 4 --exit-code
check 'has all its results' 0 '"suite": "late"' "$hilab" report 4 --json
cp -r "$dir/running" "$dir/killed"
cp "$dir/events" "$dir/killed/events.jsonl"
rm "$dir/killed/status"
"$import" "$HILAB_STORE" "$dir/killed" >/dev/null || fail 'import'
check 'another runs' 0 'running' "$hilab" report -n 1
printf '%s' "$status" >"$dir/killed/status"
check 'and has ended, says the list' 0 'incomplete' "$hilab" report -n 1
lacks 'not that it runs' 'running'
printf '{"verdict":' >"$dir/killed/status"
check 'once stored it stays' 0 'incomplete' "$hilab" report -n 1
finish
