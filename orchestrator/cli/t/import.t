#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab import: a case is a file of import/ and its .want, what is said and what the report shows.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
show() {
	cat "$dir/out"
}
hilab=${HILAB:-build/release/hilab}
export HILAB_STORE="$dir/db"
cd "${HILAB_DATA:-.}/orchestrator/cli/t/import" || exit 1
given='--type am62axx-sk --build sdk --release 1.3 --date 2026-01-31'

# golden FILE OPTION...: said and reported as FILE.want says
golden() {
	file=$1
	shift
	rm -f "$dir"/db*
	{
		"$hilab" import "$@" "$file" 2>&1
		echo "exit $?"
		for run in 1 2 3 4; do
			"$hilab" report "$run" 2>/dev/null
		done
	} >"$dir/got"
	[ -z "${HILAB_GOLDEN:-}" ] || cp "$dir/got" "$file.want"
	diff "$file.want" "$dir/got" >"$dir/out" 2>&1
	ok $? "$file is imported as its .want says"
}
# results RUN: its results as JSON, without where they stand
results() {
	"$hilab" report "$1" --format json | sed -n '/"results"/,/^  \]/p' | grep -v '_ms"\|offset'
}

for file in suite.tap suite.junit metrics.csv; do
	golden $file $given
done
for file in job.lava.yaml job.lava.csv job.lava.json; do
	golden $file --type am62axx-sk
done
golden metrics.json
golden guide.rst --release 11.0 --date 2026-04-07
golden guide.html --map guide.map.yaml --date 2026-04-07
golden datasheet.html --type am62axx-sk --date 2026-04-07
golden pdk.html --type j721e-evm --date 2023-08-01
golden psp.html --type am335x-evm --date 2012-08-01
golden netperf.rst --type am62axx-sk --date 2026-04-07
golden history.csv --map history.map.yaml

rm -f "$dir"/db*
check 'a type is needed' 2 'on which type of board' "$hilab" import --date 2026-01-31 suite.tap
check 'and a date' 2 'when was it measured' "$hilab" import --type am62axx-sk suite.tap
check 'that is one' 2 "'yesterday' is no date" "$hilab" import --type t --date yesterday suite.tap
check 'a dry run tells' 0 'nothing is stored' "$hilab" import -n $given suite.tap
check 'and stores nothing' 2 'holds no run' "$hilab" report latest
check 'strictly nothing is left out' 2 '--strict was given' "$hilab" import --strict $given metrics.csv
check 'and nothing stored then' 2 'holds no run' "$hilab" report latest
check 'a file is stored' 0 'run 1: am62axx-sk, sdk, 2026-01-31, 1.3: 4 results' "$hilab" import $given suite.tap
check 'once' 0 'it is there already' "$hilab" import $given suite.tap
check 'or as of another release' 0 'run 2: ' "$hilab" import $given --release 1.4 suite.tap
check 'or again where it is asked for' 0 'run 3: ' "$hilab" import $given --replace suite.tap
check 'in place of the first' 0 '' sh -c "! '$hilab' report 1"
rm -f "$dir"/db*
for who in 1 2 3 4; do
	"$hilab" import $given suite.tap >"$dir/said$who" 2>&1 &
done
wait
is "$(cat "$dir"/said? | grep -c '  run 1: ')" 4 'four at once find one run'
is "$(cat "$dir"/said? | grep -c 'it is there already')" 3 'that one of them stored'
check 'as JSON' 0 '"schema": "hilab.import/1"' "$hilab" import --json $given suite.tap
check 'a folder is all its files' 2 'suite.junit: junit, 1 runs, 3 results' "$hilab" import $given .
check 'what nobody knows is told' 2 'no parser knows this text' "$hilab" import $given suite.tap.want
check 'a file that is not there' 2 'no-such' "$hilab" import $given no-such
check 'an empty one' 2 'no parser knows' "$hilab" import $given /dev/null
printf '{"results": 3}' >"$dir/x.json"
check 'JSON of something else' 2 "neither 'results' nor 'metrics'" "$hilab" import $given "$dir/x.json"
printf '[' >"$dir/x.json"
check 'damaged JSON' 2 'x.json' "$hilab" import $given "$dir/x.json"
printf 'a: [\n' >"$dir/x.yaml"
check 'damaged YAML, with its line' 2 'x.yaml:2' "$hilab" import $given "$dir/x.yaml"
check 'a twin' 0 '(twin)' "$hilab" import $given --twin suite.junit

# What a mapping has wrong is told with its place; what a guide has of several boards is not mixed.
check 'a mapping with a wrong key' 2 "bad.map.yaml:1:7: unknown key 'tpye'" "$hilab" import --map bad.map.yaml $given suite.tap
sed 's/^run.*/run: {}/' bad.map.yaml >"$dir/bad.yaml"
check 'a pattern that is none' 2 'bad.yaml:3:13: ' "$hilab" import --map "$dir/bad.yaml" $given suite.tap
check 'a metric that is none' 2 "bad.yaml:4:14: 'fio.raed.bw' is not in the metric table" "$hilab" import --map "$dir/bad.yaml" $given suite.tap
check 'a group that no pattern has' 2 "bad.yaml:5:56: no pattern has a group 'b'" "$hilab" import --map "$dir/bad.yaml" $given suite.tap
check 'a unit that is none' 2 "unit 'furlongs' is not known" "$hilab" import --map "$dir/bad.yaml" $given suite.tap
check 'a rule that says nothing' 2 "either a 'metric' or a 'skip'" "$hilab" import --map "$dir/bad.yaml" $given suite.tap
printf 'Benchmarks,b1: perf,b2: perf\nbw_pipe (MB/s),1.5,2.5\n' >"$dir/LMBench Benchmarks.csv"
check 'two boards are not of one type' 2 "several boards, of which --type cannot be true: 'b1', 'b2'" "$hilab" import $given "$dir/LMBench Benchmarks.csv"
check 'one of them is' 0 'am62axx-sk b2, sdk, 2026-01-31, 1.3: 0 results, 1 figures' "$hilab" import $given --of b2 "$dir/LMBench Benchmarks.csv"
check 'a board whose type nobody tells' 2 "of which type is 'b1'?" "$hilab" import --date 2026-01-31 "$dir/LMBench Benchmarks.csv"
printf '<html><body><p>nothing' >"$dir/x.html"
check 'a document without tables' 2 'no result and no figure' "$hilab" import $given "$dir/x.html"

# Large: 10 MB of one figure a line, and of a quote that is never closed.
awk 'BEGIN { print "name,value,unit,labels"; for (i = 0; i < 180000; i++) printf "our.own,%d.5,ms,a=%d very=long other=label_of_it\n", i, i }' >"$dir/large.csv"
check 'ten megabytes' 0 '180000 figures; nothing is stored' "$hilab" import -n $given "$dir/large.csv"
awk 'BEGIN { print "name,value,unit\n\""; for (i = 0; i < 300000; i++) print "our.own,1,ms" }' >"$dir/open.csv"
check 'a quote that is not closed costs its line' 0 '300000 figures; 1 refused' "$hilab" import -n $given "$dir/open.csv"
printf '<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "%s">]><testsuite name="&c;"><testcase name="&b;"/></testsuite>' "$dir/all.csv" >"$dir/x.xml"
check 'a document with entities is refused' 2 'no result' "$hilab" import -n --json $given "$dir/x.xml"
check 'and none is expanded, no file read' 0 '' sh -c "! grep -q 'aaaa\|broke' '$dir/out'"

# A number that is none is told and refused, and so is a label that would be lost.
printf 'name,value,unit,min,max\nfio.read.bw,"1,234",MB/s,,\nfio.read.bw,1e999,MB/s,,\nfio.read.bw,5,MB/s,4x,\nfio.read.bw,nan,MB/s,,\nfio.read.bw,6,MB/s,-,n/a\n' >"$dir/numbers.csv"
check 'texts that are no numbers' 0 '1 figures; 1 cells without a figure; 3 refused' "$hilab" import -n $given "$dir/numbers.csv"
grep -q 'numbers.csv:2: fio.read.bw: value "1,234" is not understood' "$dir/out"
ok $? 'with their line'
printf '{"metrics": [{"name": "fio.read.bw", "value": 5, "unit": "MB/s", "labels": {"bs": 4096, "sync": true}}, {"name": "fio.read.bw", "value": 6, "unit": "MB/s", "labels": {"bs": [1]}}, {"name": "fio.read.bw", "value": false}]}' >"$dir/labels.json"
rm -f "$dir"/db*
check 'labels that are no texts' 0 '1 figures; 2 refused' "$hilab" import $given "$dir/labels.json"
check 'are kept' 0 'bs=4096 sync=true' "$hilab" report 1
check 'a day that no month has' 2 "'2026-02-30' is no date" "$hilab" import $given --date 2026-02-30 suite.tap
mkdir "$dir/none"
check 'a folder without files' 2 'there is no file' "$hilab" import $given "$dir/none"

# What is reported and imported again has the same results.
printf 'suite,name,status,why\ns,a,pass,\ns,b,error,broke\nu,c,miss,lost\nu,d: e,skip,later\nu,g,fail,"bad, and ""worse"""\n' >"$dir/all.csv"
rm -f "$dir"/db*
"$hilab" import $given "$dir/all.csv" >"$dir/out"
for format in tap junit json csv; do
	"$hilab" report 1 --format $format >"$dir/all.$format"
	"$hilab" import $given --as $format "$dir/all.$format" >"$dir/out" 2>&1
	results 1 >"$dir/first"
	results latest >"$dir/again"
	check "there and back as $format" 0 '' cmp "$dir/first" "$dir/again"
	is "$(grep -c '"status"' "$dir/again")" 5 'and all of them'
done
printf 'suite,test,name,value,unit,min,max,resolution,labels\ns,t,fio.read.bw,0.1,MB/s,0.05,0.30000000000000004,1e-3,"{""bs"":""1m"",""note"":""a, \\""b\\"" = c""}"\n , x ,our.own,-3e-20,ms,,,,\n' >"$dir/figures.csv"
rm -f "$dir"/db*
check 'figures are stored' 0 '2 figures' "$hilab" import $given "$dir/figures.csv"
for format in json csv; do
	"$hilab" report 1 --format $format >"$dir/figures.$format"
	"$hilab" import $given --as $format "$dir/figures.$format" >"$dir/out" 2>&1
	for run in 1 latest; do
		"$hilab" report $run --format json | sed -n '/"metrics"/,/^  \]/p' | grep -v '_ms"\|offset\|"line"' >"$dir/figures.$run"
	done
	grep -q 'a, ..b.. = c' "$dir/figures.1" && cmp "$dir/figures.1" "$dir/figures.latest" >"$dir/out" 2>&1
	ok $? "figures there and back as $format"
done
finish
