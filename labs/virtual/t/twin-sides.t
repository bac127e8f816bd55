#!/bin/sh
# SPDX-License-Identifier: MIT
# A board of two QEMUs: one relay, two consoles, straps for both; what kills one takes the other's
# supply, and the real-time side boots over its own console.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

sides() {
	"$HILAB" twin ctl "$dir/lab" status | sed 's/ pid .*//' | tr '\n' ' '
}
side_pid() { # NAME
	"$HILAB" twin ctl "$dir/lab" status | sed -n "s/^$1 .* pid \([0-9]*\) .*/\1/p"
}
wait_sides() {
	looks=0
	until [ "$(sides)" = "$1" ] || [ $((looks += 1)) -gt 3000 ]; do :; done
	is "$(sides)" "$1" "$2"
}

start --type j721e-evm
is "$(sides)" 'evm off evm.mcu off ' 'a twin has two sides'
[ -e "$dir/lab/evm.console" ] && [ -e "$dir/lab/evm.mcu.console" ]
ok $? 'each with a console'
"$host" "$dir/lab/evm.mcu.console" until 'ROM: hilab ROM ' until 'ROM: refused: no image' >"$dir/mcu" &
mcu=$!
console until 'U-Boot 20' >"$dir/main" &
main=$!
relay on
wait $mcu && pass 'the real-time side prints on its own console' || fail 'mcu'
wait $main && pass 'and the Linux side on the other' || fail 'main'
wait_sides 'evm on evm.mcu on ' 'one relay switches both'
kill -9 "$(side_pid evm.mcu)"
wait_sides 'evm off evm.mcu failed ' 'a side that dies takes the supply of both'
is "$(relay_state)" 'CH1:OFF' 'and the relay reads open'
relay on
wait_sides 'evm on evm.mcu on ' 'both are there again after the next power-on'
relay off
wait_sides 'evm off evm.mcu off ' 'and off'

cat >"$dir/uart.yaml" <<END
job: mcu-uart
board: {soc: j721e}
build: j721e-twin
timeout: 3m
steps:
  - power: off
  - deploy: {method: uart, images: firmware}
  - bootmode: uart
  - boot: {method: rtos, console: mcu}
  - login: {console: mcu}
  - run: {name: round-trip, console: mcu, command: run ipc-round-trip tables messages=50, parse: ipc}
END
"$HILAB" run "$dir/uart.yaml" --lab "$dir/lab/lab.yaml" >"$dir/out" 2>&1
is $? 0 'the real-time side boots by XMODEM over its console'
"$HILAB" report latest >"$dir/report"
grep -q '^  firmware  as deployed' "$dir/report" && pass 'as deployed' || fail 'firmware' "$(cat "$dir/report")"
for size in 4 8 16 32 64 128 256; do
	grep -qE "ipc.round_trip +[0-9.]+ +us +from=main-r5f0 size=$size to=main-r5f1" "$dir/report" &&
		pass "the table of the document, $size bytes" || fail "$size bytes" "$(cat "$dir/report")"
done
stop_daemon "$daemon"
is $? 0 'it ends on SIGTERM'
finish
