#!/bin/sh
# SPDX-License-Identifier: MIT
# 64 leased boards that all print as fast as they can while people watch: what the controller holds is
# what each board printed, byte by byte. HILAB_LONG makes it minutes.
set -u
. "$HILAB_DATA/labs/virtual/t/whole.sh"
export HILAB_LOG=info
boards=64
if [ -n "$long" ]; then rounds=40 patience=600; else rounds=1; fi
lines=30000 # what waits in a played board's line, which drops bytes when nobody reads fast enough
echo "# $boards consoles, $rounds times $lines lines each"
cd "$dir" || exit 1
mkdir a

start_player b=instant --count $boards
start_server
start_agent
until_ok online b-64
i=1
while [ $i -le $boards ]; do
	"$HILAB" reserve "b-$i" --for 1h --wait >>reserved 2>>reserve.err &
	set -- "$@" $!
	[ $((i % 8)) -ne 0 ] || { wait "$@"; set --; }
	i=$((i + 1))
done
is "$(wc -l <reserved)" $boards "all boards are reserved"
i=1
while [ $i -le $boards ]; do
	"$HILAB" power "b-$i" on >>powered 2>&1 &
	set -- "$@" $!
	[ $((i % 8)) -ne 0 ] || { wait "$@"; set --; }
	i=$((i + 1))
done
is "$(grep -c ': on$' powered)" $boards "and have power"

# What is typed makes all of them print at once.
i=1
while [ $i -le $boards ]; do
	printf 'r=1; while [ $r -le %s ]; do while [ ! -e %s/go-$r ]; do sleep 0.2; done; seq 1 %s; echo over-$r-$((6*7)); r=$((r+1)); done\n' \
		$rounds "$dir" $lines >"typed-$i"
	"$HILAB" console "b-$i" <"typed-$i" >"seen-$i" 2>>console.err &
	daemons="$! $daemons"
	i=$((i + 1))
done
typed() {
	[ "$(grep -la 'over-$r-$((6' state/hilab/server/runs/*/console-main.log | wc -l)" -eq $boards ]
}
until_ok typed
over() {
	[ "$(grep -la "over-$1-42" state/hilab/server/runs/*/console-main.log | wc -l)" -eq $boards ]
}
round=1
while [ $round -le $rounds ]; do
	touch "go-$round"
	until_ok over $round
	seq 1 $lines >>lines
	round=$((round + 1))
done
pass "all of them say that they have said it all"
sha256sum <lines >want
wrong=
for log in state/hilab/server/runs/*/console-main.log; do
	tr -d '\r' <"$log" | grep -E '^[0-9]+$' | sha256sum | cmp -s want - || wrong="$wrong $log"
done
is "$wrong" "" "no byte of any is lost"
seen() {
	grep -q "over-$rounds-42" "seen-$1" && tr -d '\r' <"seen-$1" | grep -E '^[0-9]+$' | sha256sum | cmp -s want -
}
i=1
while [ $i -le $boards ]; do
	until_ok seen $i
	i=$((i + 1))
done
pass "and who watches one has seen all of it"
i=1
while [ $i -le $boards ]; do
	"$HILAB" release "b-$i" --no-wait >>released 2>&1 || fail "b-$i is given back" "$(tail -n 1 released)"
	i=$((i + 1))
done
until_ok all_done
whole
finish
