#!/bin/sh
# SPDX-License-Identifier: MIT
# Clients that follow and stop reading: they block nobody, and the controller keeps nothing for them.
# HILAB_LONG makes it a long log.
set -u
. "$HILAB_DATA/labs/virtual/t/whole.sh"
export HILAB_LOG=info
if [ -n "$long" ]; then lines=12000000 jobs=1000 patience=1800; else lines=600000 jobs=60; fi
readers=16
cd "$dir" || exit 1
mkdir a
# What a sanitizer keeps of freed memory is not the controller's: without this it is up to 256 MiB.
export ASAN_OPTIONS="quarantine_size_mb=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

start_player b=instant --count 4 --channels 1
start_server
start_agent
job loud '{name: b-1}' "while [ ! -e $dir/go ]; do sleep 0.1; done; seq 1 $lines; true"
job quick '{type: am62axx-sk-twin}' 'seq 1 100; true'
memory() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status"
}
running() {
	[ -s state/hilab/server/runs/1/console-main.log ]
}

"$HILAB" submit loud.yaml >out
until_ok running
token=$(sed -n 's/.*"token": *"\([^"]*\)".*/\1/p' state/hilab/server/endpoint.json)
api=/api/v1
"$HILAB_BUILD/labs/virtual/t/tool-stall" "${url##*:}" "$token" $readers "$api/jobs/1/events" \
	"$api/runs/1/log?follow=1" "$api/boards/b-1/console?tail=100" "$api/events" >stalled &
daemons="$! $daemons"
until_ok grep -q stalled stalled
before=$(memory)
env -u HILAB_STORE "$HILAB" log 1 -f --raw >followed 2>follow.err &
follower=$!
touch go
i=0
while [ $i -lt $jobs ]; do
	"$HILAB" submit quick.yaml >>out || fail "job $i is taken"
	i=$((i + 1))
done
until_ok all_done
pass "with $((4 * readers)) readers that read nothing, $jobs jobs and one of $((lines * 8 / 1000000)) MB end"
wait "$follower"
rc=$?
is "$rc $(cat follow.err)" "0 " "who does read is told of the end"
cmp -s followed state/hilab/server/runs/1/console-main.log
ok $? "and has every byte"
after=$(memory)
echo "# memory of the controller: $before KiB, then $after KiB; the log: $(wc -c <state/hilab/server/runs/1/console-main.log) bytes"
[ $((after - before)) -lt 24576 ]
ok $? "the controller keeps less than 24 MiB more for all of them"
is "$(sql "SELECT count(*) FROM job WHERE verdict='pass'")" $((jobs + 1)) "all jobs passed"
whole
finish
