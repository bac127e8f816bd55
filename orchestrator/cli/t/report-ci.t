#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab report run for a CI: several formats and runs into a folder, the exit status by --fail-on,
# JUnit valid for our description of the common schema, TAP that prove accepts.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
import=${HILAB_BUILD:-build/release}/orchestrator/store/t/tool-import
here=${HILAB_DATA:-.}/reports/format/t
export HILAB_STORE="$dir/h.db"

for case in smoke odd infra running; do
	"$import" "$HILAB_STORE" "$here/data/$case" >"$dir/out" 2>&1
	ok $? "$case is imported"
done

check 'one run in all formats' 0 '' "$hilab" report run 1 \
	--format junit,tap,md,html,json,csv,kcidb,squad,text -o "$dir/one"
is "$(ls "$dir/one" | tr '\n' ' ')" 'metadata.json metrics.json report.csv report.html report.json report.kcidb.json report.md report.tap report.txt report.xml tests.json ' \
	'a file each'
check 'without the verb' 0 '' "$hilab" report 1 --format junit,tap -o "$dir/bare"
check 'several runs' 0 '' "$hilab" report run 1 2 3 4 --format junit,tap,html -o "$dir/many/"
is "$(ls "$dir/many" | wc -l)" 12 'a file for each run and format'
check 'one format into a folder' 0 '' "$hilab" report run 2 -f tap -o "$dir/many"
check 'under its name' 0 'TAP version 13' cat "$dir/many/report.tap"
check 'and into a file' 0 '' "$hilab" report run 2 -f md -o "$dir/two.md"
check 'as before' 0 '## run 2: fail' cat "$dir/two.md"
check 'several texts one after the other' 0 'infra' "$hilab" report run 1 2 3
check 'but no other formats' 2 'need a folder to go to' "$hilab" report run 1 2 -f json
check 'nor several of them' 2 'need a folder to go to' "$hilab" report run 1 -f json,tap
check 'a format that is none' 2 "unknown report format 'xml'" "$hilab" report run 1 -f tap,xml -o "$dir/x"
check 'a run that is not there' 2 'holds no run 99' "$hilab" report run 1 99 -f tap,json -o "$dir/x"

check 'HTML needs nothing else' 0 '<!doctype html>' cat "$dir/many/report-2.html"
! grep -qE '(src|href)="[^#]|<script|url\(|@import' "$dir/many/report-2.html"
ok $? 'no script, no link, no picture'
! LC_ALL=C grep -q "$(printf '\033')" "$dir/many/report-2.html"
ok $? 'and no escape of a board'
check 'KCIDB by our name' 0 '"origin": "my_lab"' "$hilab" report run 1 -f kcidb --origin my_lab
check 'which is one' 2 'small letters, digits' "$hilab" report run 1 -f kcidb --origin 'My Lab'

for file in "$dir"/many/*.xml "$here"/data/*/report.xml; do
	xmllint --noout --schema "$here/junit.xsd" "$file" >"$dir/out" 2>&1
	ok $? "JUnit is valid: ${file#"$dir/"}"
done
sed 's/<testcase /<testcase colour="red" /' "$dir/many/report-1.xml" >"$dir/bad.xml"
! xmllint --noout --schema "$here/junit.xsd" "$dir/bad.xml" >"$dir/out" 2>&1
ok $? '(and what is not is seen)'

proved() { # NAME STATUS REPORT: what prove says of it
	prove -e cat "$dir/many/$3" >"$dir/out" 2>&1
	is "$?" "$2" "$1"
	! grep -qi 'parse error' "$dir/out"
	ok $? "$1: without a parse error"
}
proved 'prove takes a pass' 0 report-1.tap
proved 'and a failure as one' 1 report-2.tap
prove -e cat "$dir/many/report-3.tap" >"$dir/out" 2>&1
[ $? -ne 0 ] && grep -q 'incomplete, blame infra' "$dir/out"
ok $? 'prove is stopped by what is incomplete'
prove -e cat "$dir/many/report-4.tap" >"$dir/out" 2>&1
[ $? -ne 0 ]
ok $? 'prove does not take a run that goes on for a pass'

status() { # NAME STATUS RUN FAIL-ON
	check "$1" "$2" '' "$hilab" report run $3 -f tap -o "$dir/s/" --fail-on "$4"
}
status 'a pass' 0 1 any
status 'a failure' 1 2 failure
status 'that is not asked for' 0 2 infra
status 'never' 0 2 never
status 'infra' 3 3 infra
status 'which is no failure' 0 3 failure
status 'a run that goes on' 3 4 any
status 'the gravest of several' 1 '1 2 3' failure,infra
status 'of those that are asked for' 3 '1 2 3' infra
check 'a regression needs something to compare with' 2 'hilab compare' "$hilab" report run 1 --fail-on regression
check 'no such policy' 2 'not sometimes' sh -c "'$hilab' report run 1 --fail-on sometimes 2>&1 | tr -d \"'\"; exit 2"
check 'exit status as the verdict, of several' 1 '' "$hilab" report run 1 2 3 --exit-code -f tap -o "$dir/s/"
finish
