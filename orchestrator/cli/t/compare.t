#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab compare in all its formats, and its exit status by --fail-on.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
import=${HILAB_BUILD:-build/release}/orchestrator/store/t/tool-import
export HILAB_STORE="$dir/h.db"

run() { # NAME VERSION BOARD TWIN LINES...
	mkdir "$dir/$1"
	name=$1
	printf '{"kind":"run-start","at":1764500000000,"job":"night","board":"%s","type":"t1","soc":"am62axx","twin":%s,"build":"sdk","build_version":"%s"}\n' \
		"$3" "$4" "$2" >"$dir/$1/events.jsonl"
	shift 4
	printf '%s\n' "$@" >>"$dir/$name/events.jsonl"
	printf '{"verdict":"pass","ended_ms":1764500001000}' >"$dir/$name/status"
	"$import" "$HILAB_STORE" "$dir/$name" >"$dir/out" 2>&1
	ok $? "run $name"
}
result() { printf '{"kind":"result","suite":"%s","name":"%s","status":"%s","why":"%s"}' "$1" "$2" "$3" "${4:-}"; }
metric() { printf '{"kind":"metric","suite":"s","test":"t","name":"fio.read.bw","value":%s,"unit":"MB/s","labels":{"bs":"4k"}}' "$1"; }

odd='<b>&\"odd|*_`'
for i in 0 1 2 3 4; do
	run "a$i" 1.0 b1 false "$(result s steady pass)" "$(result s breaks pass)" "$(result s lost pass)" "$(metric 100.$i)"
	run "b$i" 2.0 b2 false "$(result s steady pass)" "$(result s breaks fail "$odd")" "$(metric 90.$i)"
done
run twin 1.0 t1 true "$(result s steady pass)" "$(metric 900)"

check 'two runs' 0 'one run each, no noise known' "$hilab" compare 1 2
check 'what broke' 0 'broken' "$hilab" compare 1 2
check 'not what did not' 0 'tests: 1 broken, 1 gone, 1 same' "$hilab" compare 1 2
! grep -q steady "$dir/out"
ok $? 'what is the same is not listed'
check 'unless asked for' 0 'steady' "$hilab" compare 1 2 --all
check 'two releases' 0 'worse' "$hilab" compare 1.0 2.0
check 'with how sure' 0 'p < 0.001, 5 and 5 runs' "$hilab" compare sdk@1.0 sdk@2.0
check 'two boards' 0 'b2 against b1' "$hilab" compare b1 b2
check 'the latest' 0 'run 11' "$hilab" compare b1 latest
check 'a twin against silicon' 0 'not compared, one side is a twin' "$hilab" compare 1 11
check 'no such thing' 2 "'x' is no run, board or release" "$hilab" compare x 1
check 'one operand' 2 'needs A B' "$hilab" compare 1
check 'no such format' 2 'text, markdown, html, csv or json' "$hilab" compare 1 2 -f xml

check 'Markdown' 0 '**worse**' "$hilab" compare 1.0 2.0 -f markdown
check 'escaped' 0 '\<b\>\&"odd\|\*\_\`' "$hilab" compare 1.0 2.0 -f markdown
check 'HTML' 0 '<!doctype html>' "$hilab" compare 1.0 2.0 -f html
check 'escaped, too' 0 '&#60;b&#62;&#38;&#34;odd|*_`' "$hilab" compare 1.0 2.0 -f html
! grep -qE '(src|href)="[^#]|<script|url\(' "$dir/out"
ok $? 'which needs nothing else'
check 'JSON' 0 '"schema": "hilab.compare/1"' "$hilab" compare 1.0 2.0 --json
check 'CSV' 0 'figure,worse,t1,night,s,t,fio.read.bw,MB/s,"{""bs"":""4k""}",5,100.2,5,90.2,-0.0998' \
	"$hilab" compare 1.0 2.0 -f csv
is "$(wc -l <"$dir/out")" 5 'a record for each test and figure'
check 'into a file' 0 '' "$hilab" compare 1.0 2.0 -o "$dir/c.txt"
check 'which has it' 0 'Tests that changed' cat "$dir/c.txt"

check 'a difference is no failure' 0 '' "$hilab" compare 1.0 2.0
check 'unless it is asked for' 1 '' "$hilab" compare 1.0 2.0 --fail-on any
check 'a broken test' 1 '' "$hilab" compare 1.0 2.0 --fail-on failure
check 'a worse figure' 4 '' "$hilab" compare 1.0 2.0 --fail-on regression
check 'what is gone' 3 '' "$hilab" compare 1.0 2.0 --fail-on missing
check 'the gravest of several' 1 '' "$hilab" compare 1.0 2.0 --fail-on missing,failure
check 'nothing of that kind' 0 '' "$hilab" compare 1.0 2.0 --fail-on infra
check 'the other way round nothing is worse' 0 '' "$hilab" compare 2.0 1.0 --fail-on any
check 'one run each is no regression' 0 '' "$hilab" compare 1 2 --fail-on regression
check 'no such policy' 2 "not 'sometimes'" "$hilab" compare 1 2 --fail-on sometimes
finish
