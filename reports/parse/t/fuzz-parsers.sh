#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes every parser for SECONDS each, two side by side, from its golden cases, and prints a table:
#   fuzz-parsers.sh FUZZER SECONDS FOLDER [PARSER...]
# What they find stays in FOLDER (inputs that crash, hang or grow); what they try does not.
set -eu

fuzzer=$1 seconds=$2 out=$3
shift 3
data=$(dirname "$0")/data
mkdir -p "$out"
[ $# -gt 0 ] || set -- $(ls "$data")
rm -f "$out"/*.row
work=$(mktemp -d "$out/work-XXXXXX")
pids=
trap 'kill $pids 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

one() {
	mkdir -p "$work/$1"
	rc=0
	HILAB_PARSER=$1 "$fuzzer" -max_total_time="$seconds" -print_final_stats=1 -max_len=16384 \
		-timeout=10 -rss_limit_mb=1024 -artifact_prefix="$out/$1-" \
		"$work/$1" "$data/$1" >"$work/$1.said" 2>&1 || rc=$?
	stat() {
		sed -n "s/^stat::$1: *//p" "$work/$parser.said" | tail -1
	}
	parser=$1
	runs=$(stat number_of_executed_units) new=$(stat new_units_added) rss=$(stat peak_rss_mb)
	said=ok
	[ "$rc" = 0 ] || said=$(grep -m1 -E 'ERROR:|runtime error|SUMMARY' "$work/$1.said" ||
		echo "status $rc")
	printf '%-14s %12s %10s %10s %7s  %s\n' "$1" "${runs:-?}" \
		"$((${runs:-0} / seconds))" "${new:-?}" "${rss:-?}" "$said" | tee "$out/$1.row"
	rm -rf "${work:?}/$1"
}

# Every second of them, from the first or from the second on.
half() {
	turn=$1
	shift
	for p in "$@"; do
		[ "$turn" = 1 ] && turn=0 || { turn=1; one "$p"; }
	done
}

printf '%-14s %12s %10s %10s %7s  %s\n' parser executions "a second" "new paths" "MiB" "found"
half 0 "$@" &
pids=$!
half 1 "$@" &
pids="$pids $!"
wait
cat "$out"/*.row | awk '{ n++; runs += $2; bad += $6 != "ok" }
	END { printf "%d parsers, %d executions, %d of them found something\n", n, runs, bad; exit bad > 0 || !n }'
