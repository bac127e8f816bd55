#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab judge and hilab report --baseline: what a night broke and slowed down, in each shape, and
# the exit status that a CI system goes by.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
import=${HILAB_BUILD:-build/release}/orchestrator/store/t/tool-import
export HILAB_STORE="$dir/h.db"

now=$(date +%s)
# night NUMBER VALUE STATUS: a job folder of that many nights after the first
night() {
	at=$((now - (40 - $1) * 86400))000
	mkdir -p "$dir/n$1"
	{
		printf '{"kind":"run-start","at":%s,"job":"nightly","board":"b1","type":"t1","soc":"am62axx","lab":"l","build":"sdk","build_version":"1.%d"}\n' "$at" "$1"
		printf '{"kind":"result","suite":"s","name":"<boot>","status":"%s","at":%s}\n' "$3" "$at"
		printf '{"kind":"metric","suite":"s","test":"t","name":"fio.read.bw","value":%s,"unit":"MB/s","labels":{"bs":"4k"}}\n' "$2"
	} >"$dir/n$1/events.jsonl"
	verdict=pass
	[ "$3" = pass ] || verdict=fail
	printf '{"verdict":"%s","ended_ms":%s}\n' "$verdict" "$at" >"$dir/n$1/status"
	"$import" "$HILAB_STORE" "$dir/n$1" >/dev/null || echo 'Bail out! import'
}
lacks() { # NAME PART: the last output does not hold it
	! grep -qF -e "$2" "$dir/out"
	ok $? "$1"
}

check 'no store yet' 2 'No such file' "$hilab" judge
check 'and none is made by looking' 1 '' test -e "$HILAB_STORE"
for i in $(seq 1 30); do night "$i" "$(echo "$i" | awk "{print 100 + (\$1 * 7) % 5 / 2}")" pass; done
check 'a run as any other' 0 '1 figure as before' "$hilab" judge latest
check 'the noise is small, nothing is told' 0 'against its own history' "$hilab" judge 30
check 'none since an hour' 0 'no run to judge' "$hilab" judge --since 1h
for i in 31 32 33 34; do night "$i" "$(echo "$i" | awk '{print 80 + ($1 * 7) % 5 / 2}')" pass; done
check 'one slow run is suspected' 0 'suspected' "$hilab" judge 31
check 'some slow runs are a regression' 4 'fio.read.bw bs=4k' "$hilab" judge 31 32 33
check 'since which build' 4 '1.31 (run 31; good: 1.30)' "$hilab" judge 31 32 33
check 'how much' 4 '-19.' "$hilab" judge 31 32 33
check 'how sure' 4 '> 99.99 %' "$hilab" judge 31 32 33
check 'whom to blame' 4 'build' "$hilab" judge 31 32 33
check 'later it is known, and no alarm' 0 'known since earlier runs' "$hilab" judge 34
check 'as JSON' 4 '"schema": "hilab.judge/1"' "$hilab" judge 31 32 33 --json
check 'with what a program needs' 4 '"first_bad": "1.31"' "$hilab" judge 31 32 33 --json
check 'as Markdown' 4 '| CHANGE |' "$hilab" judge 31 32 33 --format markdown
check 'as a page' 4 '>Judged</h2>' "$hilab" judge 31 32 33 --format html
check 'into a file' 4 '' "$hilab" judge 31 32 33 -o "$dir/judged"
check 'which is whole' 0 'regressions' cat "$dir/judged"

night 35 80 fail
check 'a test that broke' 1 'tests that broke' "$hilab" judge latest
check 'since which build' 1 '1.35 (run 35; good: 1.34)' "$hilab" judge latest
"$hilab" judge latest -f markdown >"$dir/out"
lacks 'Markdown holds no tag that a board printed' '<boot>'
night 36 82 pass
check 'a test that was fixed' 0 'tests that were fixed' "$hilab" judge latest
check 'since a week: all of it' 1 'runs: ' "$hilab" judge --since 10d
check 'of a type that is not there' 0 'no run to judge' "$hilab" judge --since 10d --type t9

check 'a report with the judgement' 0 'against build 1.3: 1 regression' "$hilab" report latest --baseline build:1.3
check 'and an exit status' 4 'regression' "$hilab" report latest --baseline build:1.3 --exit-code
check 'as TAP, in comments' 0 '# regressions: -' "$hilab" report latest --baseline build:1.3 --tap
check 'as JSON' 0 '"judged": {' "$hilab" report latest --baseline build:1.3 --json
check 'as Markdown' 0 '### judged against build 1.3' "$hilab" report latest --baseline build:1.3 -f markdown
check 'and as a page' 0 '>Judged</h2>' "$hilab" report latest --baseline build:1.3 -f html
check 'as JUnit' 0 'name="judged" value="against build 1.3: 1 regression' "$hilab" report latest --baseline build:1.3 -f junit
check 'against the last good build' 0 'the last good build 1.34' "$hilab" report latest --baseline last-good
check 'against one run' 0 'against run 2:' "$hilab" report latest --baseline run:2
check 'against what was published' 0 'against published figures' "$hilab" report latest --baseline reference

check 'no baseline' 2 "'yesterday' is no baseline" "$hilab" judge --baseline yesterday
check 'no run' 2 'holds no run 99' "$hilab" judge 99
check 'a run to compare with that is not there' 2 'holds no run 99' "$hilab" judge 1 --baseline run:99
check 'no nightly' 2 'holds no nightly 7' "$hilab" judge --night 7
check 'no duration' 2 'no duration' "$hilab" judge --since tomorrow
check 'no format' 2 'none of text, markdown, html' "$hilab" judge --format xml
check 'two ways to say what' 2 'only one of them' "$hilab" judge 1 --since 1d

# A night of three types and 40 figures each over 90 nights, a tenth of them a tenth less for 12.
year=${HILAB_BUILD:-build/release}/reports/t/tool-judge-night
most='s/.* \([0-9]*\) known.*/\1/p'
check 'nights of many figures' 0 'from kept state: 120 figures' "$year" "$dir/year.db" 3 40 90 1
known=$(sed -n "$most" "$dir/out" | tail -n 1)
[ "${known:-0}" -ge 11 ] && [ "$known" -le 14 ]
ok $? "of twelve that got worse so many are known, and few others: $known"
is "$(sed -n "$most" "$dir/out" | tail -n 2 | head -n 1)" "$known" 'and as many when judged again'
is "$(sed -n "$most" "$dir/out" | head -n 1)" "$known" 'and as many when read anew'
finish
