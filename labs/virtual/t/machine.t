#!/bin/sh
# SPDX-License-Identifier: MIT
# The twin's daemon over a stand-in for QEMU: relay, console, end of the guest, kill -9.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

mkdir -p "$dir/images/arm64"
printf 'build: am62axx-twin\nimages:\n  boot-loader: {path: arm64/u-boot.bin}\n  tools: {path: arm64/tools.img}\n' \
	>"$dir/images/am62axx-twin.yaml"
refused() { # NAME WANT ARGS...
	name=$1 want=$2
	shift 2
	"$HILAB" twin evm --dir "$dir/refused" "$@" >"$dir/out" 2>&1 && fail "$name" "it ran"
	grep -q "$want" "$dir/out" && pass "$name" || fail "$name" "$(cat "$dir/out")"
}
refused 'no images: says what makes them' "run 'make images'" --images "$dir/nowhere"
refused 'no manifest: says what makes it' "run 'make images'" --images "$dir"
refused 'an image that is not there' "run 'make images'" --images "$dir/images"
echo loader >"$dir/images/arm64/u-boot.bin"
echo tools >"$dir/images/arm64/tools.img"
refused 'no QEMU: names the package' "qemu-system-arm" --images "$dir/images" --qemu no-such-qemu
refused 'an unknown type' 'no-such-type' --images "$dir/images" --type no-such-type

start --images "$dir/images" --qemu "$HILAB_BUILD/labs/virtual/t/tool-qemu"
is "$(status)" 'evm off' 'nothing has power at first'
port=$(readlink "$dir/lab/evm.console")
relay on
console until 'stand-in loader' >/dev/null && pass 'the relay closes: it boots' || fail 'boot'
is "$(status)" 'evm on' 'and is known to be on'
grep -q '^tcp,\|hostfwd=tcp:127.0.0.1:[1-9][0-9]*-10.0.2.15:22' "$dir/lab/evm/args" &&
	pass 'ssh is forwarded' || fail 'ssh is forwarded' "$(cat "$dir/lab/evm/args")"
grep -q "ssh: [1-9]" "$dir/lab/lab.yaml" && pass 'its port is in the lab file' || fail 'port'
console type hello until hello >/dev/null && pass 'what is typed reaches it' || fail 'typing'
first=$(pid)
relay off
is "$(status)" 'evm off' 'the relay opens: off'
kill -0 "$first" 2>/dev/null && fail 'QEMU is killed' || pass 'QEMU is killed'
is "$(readlink "$dir/lab/evm.console")" "$port" 'the console is the same port'
relay on
console until 'stand-in loader' >/dev/null && pass 'on again' || fail 'on again'

console type q
wait_status 'evm halted' && pass 'the guest powers off: halted' || fail 'halted' "$(status)"
is "$(relay_state)" 'CH1:ON ' 'with the relay still closed'
relay off
relay on
console until 'stand-in loader' type x gone >/dev/null && pass 'QEMU fails: the console hangs up' || fail 'no hang-up'
wait_status 'evm failed' && pass 'QEMU fails: known' || fail 'failed' "$(status)"
is "$(relay_state)" 'CH1:OFF' 'as a fuse that blew: the contact is open'
console type nobody && pass 'and the console is back' || fail 'the console is not back'
grep -q 'told to fail' "$dir/lab/evm/qemu.log" && pass 'its message is kept' || fail 'qemu.log'
relay off
relay on

mkfifo "$dir/heard"
console type pull until pull gone >"$dir/heard" &
waiting=$!
read -r heard <"$dir/heard" || [ -n "$heard" ]
ctl pull-console
wait $waiting && pass 'the console is pulled: hangs up' || fail 'pull-console'
[ ! -e "$dir/lab/evm.console" ] && pass 'its name is gone' || fail 'name'
ctl plug-console
console type again until again >/dev/null && pass 'plugged in: it goes on' || fail 'plug-console'
ctl pull-relay
[ ! -e "$dir/lab/relay" ] && pass 'the relay board is pulled' || fail 'pull-relay'
is "$(status)" 'evm on' 'which moves no contact'
ctl plug-relay
is "$(relay_state)" 'CH1:ON ' 'plugged in it answers'

[ "$(stat -c %s "$dir/lab/evm/sd.img")" = 268435456 ] && pass 'the card is there' || fail 'card'
printf card | dd of="$dir/lab/evm/sd.img" conv=notrunc 2>/dev/null
first=$(pid)
kill_daemon "$daemon"
while kill -0 "$first" 2>/dev/null; do :; done
pass 'the daemon is killed: QEMU goes with it'
start --images "$dir/images" --qemu "$HILAB_BUILD/labs/virtual/t/tool-qemu" --relay numato
pass 'another takes its folder'
is "$(head -c 4 "$dir/lab/evm/sd.img")" card 'the card keeps its contents'
"$host" "$dir/lab/relay" type 'relay on 0\r' until '>' >/dev/null
console until 'stand-in loader' >/dev/null && pass 'numato closes it' || fail 'numato'
is "$("$host" "$dir/lab/relay" type 'relay read 0\r' until '>' | tr -d '\r\n')" \
	'relay read 0on>' 'numato reads it back'
first=$(pid)
"$HILAB" twin stop "$dir/lab" && pass 'stop' || fail 'stop'
wait_daemon "$daemon"
is $? 0 'the daemon ends well'
kill -0 "$first" 2>/dev/null && fail 'and kills QEMU' || pass 'and kills QEMU'
[ ! -e "$dir/lab/relay" ] && [ ! -e "$dir/lab/ctl" ] && pass 'and takes its ports away' || fail 'ports'

mkdir -p "$dir/images/armhf"
printf 'build: am335x-twin\nimages:\n  boot-loader: {path: armhf/u-boot.bin}\n  tools: {path: armhf/tools.img}\n' \
	>"$dir/images/am335x-twin.yaml"
echo loader >"$dir/images/armhf/u-boot.bin"
echo tools >"$dir/images/armhf/tools.img"
start --images "$dir/images" --qemu "$HILAB_BUILD/labs/virtual/t/tool-qemu" --type am335x-evm
grep -q 'default: tftp' "$dir/lab/lab.yaml" && pass 'straps are in the lab file' || fail 'straps'
power_up() {
	relay off
	relay on
	console until 'stand-in loader' >/dev/null
}
power_up
grep -q nvme "$dir/lab/evm/args" && fail 'tftp: no card to boot from' || pass 'tftp: no card to boot from'
ctl strap evm sd && pass 'strap' || fail 'strap'
is "$(status)" 'evm on' 'which restarts nothing'
power_up
grep -q nvme "$dir/lab/evm/args" && pass 'and counts at the next power-on' || fail 'sd'
ctl strap evm nand 2>"$dir/out" && fail 'a mode that it does not have' || pass 'a mode that it does not have'
sh -c "$(sed -n '/^ *sd:/,/^ *[a-z]*:/s/^ *- //p' "$dir/lab/lab.yaml" | tr '\n' ' ')" &&
	pass 'the command in the lab file works' || fail 'bootmode' "$(cat "$dir/lab/lab.yaml")"
finish
