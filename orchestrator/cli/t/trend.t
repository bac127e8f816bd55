#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab trend and hilab report trend over a store: of releases that came in out of order, of names
# that would act, of nothing; and what they refuse.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
export HILAB_STORE="$dir/db" LC_ALL=C.UTF-8

# release N DATE BANDWIDTH LATENCY [TYPE] [BOARD] [UNIT]
release() {
	printf 'suite,test,name,value,unit,min,max,resolution,labels\ns,t,fio.read.bw,%s,MB/s,,,,"{""bs"":""4k""}"\nns,t,our.latency,%s,%s,,,,\n' \
		"$3" "$4" "${7:-ms}" | sed 's/^ns/s/' >"$dir/r$1.csv"
	"$hilab" import --type "${5:-am62axx-sk}" --board "${6:-b1}" --build sdk --release "1.$1" \
		--date "$2" "$dir/r$1.csv" >"$dir/out" 2>&1 || fail "import of release $1" "$(cat "$dir/out")"
}
page() { # NAME PART [OPTION...]: the page holds it
	name=$1 part=$2
	shift 2
	check "$name" 0 "$part" "$hilab" report trend "$@"
}

check 'no store' 2 'No such file' "$hilab" trend x
release 1 2026-01-10 100 5
check 'one run: no change' 0 '100 MB/s  +0.0 %  1 run' "$hilab" trend fio.read.bw
page 'one run: a page' 'Nothing changed its level'
# The third comes in last.
release 2 2026-02-10 101 5
release 4 2026-04-10 80 5
release 5 2026-05-10 81 5
release 3 2026-03-10 99 5
check 'a change of releases' 0 'worse -19.5 %  100 to 80.5, since sdk 1.4 (run 3, 2026-04-10), confirmed' "$hilab" trend fio.read.bw
check 'as blocks' 0 '███▁▁' "$hilab" trend fio.read.bw
check 'as ASCII' 0 '###__' "$hilab" trend fio.read.bw --ascii
check 'or where the locale says so' 0 '###__' env LC_ALL=C "$hilab" trend fio.read.bw
check 'of many' 0 'our.latency' "$hilab" trend '*'
check 'as JSON' 0 '"schema": "hilab.trend/1"' "$hilab" trend fio.read.bw --json
check 'a metric that nobody measured' 2 "no run that has ended measured 'fio.raed.bw'" "$hilab" trend fio.raed.bw
check 'a type that is not there' 2 'measured' "$hilab" trend fio.read.bw --type j721e-evm
check 'since a day' 0 '2 runs' "$hilab" trend fio.read.bw --since 2026-04-01
check 'and the change with it' 0 'since sdk 1.4' "$hilab" trend fio.read.bw --since 2026-04-01
check 'until one' 0 '3 runs' "$hilab" trend fio.read.bw --until 2026-04-01
check 'a twin has none' 2 'measured' "$hilab" trend fio.read.bw --twin

page 'the page: what moved first' '<h2>What moved</h2>'
page 'with the build' 'sdk 1.4 <span>on am62axx-sk'
page 'and the last without it' 'last without it: 1.3'
page 'one series by its metric' '1 board type, 1 series, 5 figures' --metric 'our.*'
page 'a title' '<title>Night &#38; day</title>' --title 'Night & day'
page 'links' 'href="https://lab/api/v1/runs/3/report?format=text"' --link-base https://lab/api/v1
page 'Markdown' '| worse | fio.read.bw bs=4k | b1 | 100 | 80.5 MB/s | **-19.5 %**' -f markdown
page 'CSV' 'fio.read.bw,"{""bs"":""4k""}",,MB/s,2026-04-10,3,1.4,1,80.0,,,-19.5,worse' -f csv
page 'SVG' '<svg xmlns=' -f svg
page 'text' 'since sdk 1.4' -f text
page 'into a file' '' -o "$dir/page.html"
grep -q '<h2>What moved' "$dir/page.html"
ok $? 'which is whole'
page 'nothing is a page too' 'There is no figure that was asked for' --board nobody
check 'an unknown format' 2 "unknown trend format 'pdf'" "$hilab" report trend -f pdf
check 'a time that is none' 2 "neither a date such as" "$hilab" report trend --since yesterday
check 'an end before the beginning' 2 'not before' "$hilab" report trend --since 2026-02-01 --until 2026-01-01
check 'a link that would act' 2 'no https://' "$hilab" report trend --link-base 'javascript:alert(1)'
check 'a twin of silicon' 2 '--twin' "$hilab" report trend --twin --silicon
check 'a file that cannot be written' 3 'x/y' "$hilab" report trend -o "$dir/x/y"
check 'an operand' 2 '' "$hilab" report trend latest

# A board that was replaced, a unit that changed: no change of level, and told.
release 6 2026-06-10 300 7 am62axx-sk b2
release 7 2026-07-10 300 7000 am62axx-sk b2 us
check 'a new board begins anew' 0 '(before: board b1)' "$hilab" trend fio.read.bw
is "$(grep -c worse "$dir/out")" 1 'and is no change'
check 'so does a unit' 0 '(before: unit ms)' "$hilab" trend our.latency

release 8 2026-08-10 1 2 '<script>alert(1)</script>' '"><img src=x>'
page 'a hostile board is text' '&#60;script&#62;alert(1)'
! grep -q '<img\|<script>alert' "$dir/out"
ok $? 'and nothing else'

# What was published stands beside silicon, never beside a twin.
rm -f "$dir"/db*
printf 'name,value,unit\nlmbench.bw_pipe,780,MB/s\n' >"$dir/pipe.csv"
for twin in '' --twin; do
	"$hilab" import --type am62axx-sk $twin --board "b$twin" --build sdk --release 1.0 \
		--date 2026-01-01 "$dir/pipe.csv" >"$dir/out" 2>&1
done
check 'the published figure' 0 'published 791.4' "$hilab" trend lmbench.bw_pipe --silicon
page 'is in the page' 'published: 791.41</title>' --silicon
check 'a twin' 0 'am62axx-sk (twin)' "$hilab" trend lmbench.bw_pipe --twin
! grep -q published "$dir/out"
ok $? 'has none'

# What the judge has kept of a series gives the same trend as its points.
rm -f "$dir"/db*
awk 'BEGIN {
	print "t,day,rel,row,value"
	for (d = 0; d < 90; d++)
		printf "T,2026-%02d-%02d,1.%d,bw,%.2f\n", 1 + int(d / 28), 1 + d % 28, d, (d < 60 ? 100 : 80) + d * 7 % 5 / 4
}' >"$dir/nights.csv"
cat >"$dir/nights.yaml" <<'END'
run: {type: am62axx-sk, board: b1, build: sdk, release: "{rel}", date: "{day}", job: night}
csv: {row: row, value: value, table: t, column: t}
rules:
  - {row: bw, metric: fio.read.bw, unit: MB/s}
END
check 'ninety nights' 0 '90 figures' "$hilab" import --map "$dir/nights.yaml" "$dir/nights.csv"
check 'have a change' 0 'since sdk 1.60 (run ' "$hilab" trend fio.read.bw
cp "$dir/out" "$dir/points"
check 'one is judged' 0 '' "$hilab" judge latest
check 'the trend' 0 '' "$hilab" trend fio.read.bw
cmp "$dir/out" "$dir/points"
ok $? 'is as before'

# A vendor's releases: units and names drift, one figure is damaged, a clock has two steps.
rm -f "$dir"/db*
awk 'BEGIN {
	print "device,kind,release,commit_date,commit,table,metric,column,avg,min,max"
	units[0] = "microsec"; units[1] = "us"; units[2] = "microsec"
	for (i = 0; i < 9; i++) {
		at = sprintf("AM62X,std,%d.0,20%02d-05-01,c,LMBench Benchmarks,", 9 + i, 17 + i)
		printf "%slat_pipe (%s),am62xx_sk-fs: perf,%.2f,,\n", at, units[i % 3], i == 3 ? 0.01 : 20 + i % 2 / 2
		printf "%sbw_pipe (%s),am62xx_sk-fs: perf,%.2f,,\n", at, i % 2 ? "mb/s" : "MB/s", (i < 5 ? 700 : 500) + i
		printf "%slat_proc-proccall (us),am62xx_sk-fs: perf,%s,,\n", at, i % 4 == 3 ? "0.02" : "0.01"
	}
}' >"$dir/guides.csv"
check 'figures of a vendor' 0 '27 figures' "$hilab" import --map "${HILAB_DATA:-.}/reports/guides/csv/processor-sdk.yaml" "$dir/guides.csv"
page 'have one change' '<b>1</b> change to worse'
page 'which is the real one' 'worse -27.8 %</span> <small>since 14.0'
page 'none to better' '<b>0</b> changes to better'
page 'the damaged figure is told' '1 odd figure'
finish
