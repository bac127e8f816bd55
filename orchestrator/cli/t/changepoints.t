#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab changepoints: other people's series in every shape it reads, and what it refuses.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}

# 60 runs around 101, from the 46th on 20 more
series() { seq 1 60 | awk '{print 100 + $1 % 3 + ($1 > 45 ? 20 : 0)}'; }
find() { check "$1" "$2" "$3" "$hilab" changepoints "$4"; }
same() {
	check "$1" 0 '46 ' "$hilab" changepoints "$2"
	cmp -s "$dir/out" "$dir/plain.out"
	ok $? 'and says the same'
}
refused() {
	printf '%s' "$2" >"$dir/in"
	find "$1" 2 "$3" "$dir/in"
}

series >"$dir/plain"
find 'one value a line: one change' 0 '60 runs, 60 with a value; 1 change' "$dir/plain"
find 'its first run' 0 '46   -' "$dir/plain"
find 'and by how much' 0 '+19.80 %' "$dir/plain"
"$hilab" changepoints "$dir/plain" >"$dir/plain.out"
series | "$hilab" changepoints - | cmp -s - "$dir/plain.out"
ok $? 'standard input says the same'

series | awk 'BEGIN {print "time,value,unit"} {print "2026-01-" NR "," $1 ",ms"}' >"$dir/csv"
check 'CSV, as JSON: the time of the change' 0 '"time": "2026-01-46"' "$hilab" changepoints --json "$dir/csv"
check 'and the unit' 0 '"unit": "ms"' "$hilab" changepoints --json "$dir/csv"
{ echo '{"series": [{"label": "x", "raw": ['; series | sed '$!s/$/,/'; echo ']}]}'; } >"$dir/raw"
same 'a list below series and raw' "$dir/raw"
series | awk 'BEGIN {print "["} {printf "%s{\"value\": %s}\n", (NR > 1 ? "," : ""), $1} END {print "]"}' >"$dir/list"
same 'a list of objects' "$dir/list"

series | sed '10s/.*/-/; 20s/.*/nan/; 30s/.*//' >"$dir/holes"
find 'runs without result are passed over' 0 '60 runs, 57 with a value; 1 change' "$dir/holes"
find 'and keep their number' 0 '46   -' "$dir/holes"
yes 5 | head -100 >"$dir/equal"
find 'equal values change nothing' 0 '100 runs, 100 with a value; 0 changes' "$dir/equal"
seq 1 3999 | awk '{print (int($1 / 80) % 2 ? 150 : 100) + $1 % 3}' >"$dir/many"
find 'more changes than the detector keeps' 0 '3999 runs, 3999 with a value; 49 changes' "$dir/many"
echo 5 >"$dir/one"
find 'one value' 0 '1 runs, 1 with a value; 0 changes' "$dir/one"

refused 'a line that is no number' '1
2
three
' "in:3:1: not a number: 'three'"
refused 'every such line is told' 'a
b
' "in:2:1: not a number: 'b'"
refused 'a unit that changes' 'time,value,unit
1,5,ms
2,6,s
' ":3:1: a series has one unit, and here another begins: 's'"
refused 'no column value' 'time,figure
1,5
' "no column 'value'"
refused 'nothing' '' 'no values'
refused 'an object without a list' '{"series": {"a": 1}}' 'neither a list of values'
refused 'a list in the list' '[1, [2]]' 'value 2 of the series is no number'
refused 'half a document' '[1, 2' 'in'
head -c 100000 /dev/urandom >"$dir/noise"
check 'random bytes' 2 '' "$hilab" changepoints "$dir/noise"
find 'no such file' 2 'missing' "$dir/missing"
check 'a resolution of 0' 2 'no number over 0' "$hilab" changepoints --resolution 0 "$dir/plain"
sh -c '"$1" changepoints "$2" >/dev/full' - "$hilab" "$dir/plain" 2>/dev/null
is $? 3 'a full disk'

finish
