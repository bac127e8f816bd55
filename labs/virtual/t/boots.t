#!/bin/sh
# SPDX-License-Identifier: MIT
# How many twins boot at a time, over a stand-in for QEMU that prints nothing by itself: here the
# tests say when a boot is over.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

for arch in arm64 armhf; do
	mkdir -p "$dir/images/$arch"
	echo loader >"$dir/images/$arch/u-boot.bin"
	echo tools >"$dir/images/$arch/tools.img"
done
printf 'build: am62axx-twin\nimages:\n  boot-loader: {path: arm64/u-boot.bin}\n  tools: {path: arm64/tools.img}\n' \
	>"$dir/images/am62axx-twin.yaml"
printf 'build: am335x-twin\nimages:\n  boot-loader: {path: armhf/u-boot.bin}\n  tools: {path: armhf/tools.img}\n' \
	>"$dir/images/am335x-twin.yaml"
tries_max=20000 # minutes, where seconds are due: only what never comes ends there

twins() { # OPTIONS...
	start --images "$dir/images" --qemu "$HILAB_BUILD/labs/virtual/t/tool-qemu" \
		b c=am335x-evm d "$@"
	touch "$dir/lab/evm/silent" "$dir/lab/b/silent" "$dir/lab/c/silent" "$dir/lab/d/silent"
}
contact() { # CHANNEL 1|0; waits for the read-back
	case $2 in 1) shown=ON ;; *) shown=OFF ;; esac
	"$host" "$dir/lab/relay" type "\\xa0\\x0$1\\x0$2\\xa$(($1 + $2))\\xff" until "CH$1:$shown" \
		until CH8:OFF >/dev/null
}
states() {
	ctl status | sed 's/ pid .*//' | tr '\n' ' '
}
wait_states() { # WANT NAME
	tries=0
	until got=$(states) && [ "$got" = "$1" ]; do
		tries=$((tries + 1))
		[ -n "$got" ] && [ $tries -lt $tries_max ] || {
			fail "$2" "'$got', want '$1'; $(cat "$dir/twin.log")"
			finish
		}
	done
	pass "$2"
}
say() { # TWIN TEXT: comes back from the stand-in
	"$host" "$dir/lab/$1.console" type "$2" until "$2" >/dev/null
}
quit() {
	"$HILAB" twin stop "$dir/lab"
	wait_daemon "$daemon"
}

twins --boot-time 3600
for channel in 1 2 3 4; do contact $channel 1; done
is "$(states)" 'evm on b on c waiting d waiting ' 'two boot, the others wait'
is "$(ctl status | grep -c ' booting ')" 2 'which status tells'
is "$("$host" "$dir/lab/relay" type '\xff' until CH8:OFF | tr -d '\r' | grep -c ON)" 4 \
	'and all have power by the relay'
ctl reset c 2>"$dir/out" && fail 'no reset while it waits' || pass 'no reset while it waits'
contact 3 0
is "$(states)" 'evm on b on c off d waiting ' 'relay off takes one out'
contact 3 1
is "$(states)" 'evm on b on c waiting d waiting ' 'relay on: it waits again, now behind the other'
ctl strap c sd
say evm 'evm login: '
wait_states 'evm on b on c waiting d on ' 'a login prompt: the next starts, in the order of power-on'
contact 2 0
is "$(states)" 'evm on b off c on d on ' 'relay off of one that boots: the next starts'
contact 2 1
is "$(states)" 'evm on b waiting c on d on ' 'both boot still'
"$host" "$dir/lab/d.console" type q
wait_states 'evm on b on c on d halted ' 'QEMU ends: the next starts'
contact 1 0
contact 1 1
is "$(states)" 'evm waiting b on c on d halted ' 'a second boot waits as the first did'
say c hello
grep -q nvme "$dir/lab/c/args" && fail 'straps are as at power-on' ||
	pass 'straps are as at power-on'
wait_states 'evm on b on c on d halted ' 'quiet after its first words: the next starts'
contact 4 0
contact 4 1
is "$(states)" 'evm on b on c on d waiting ' 'silent ones boot on'
say b 'root@b:~# '
wait_states 'evm on b on c on d on ' "a shell's prompt: the next starts"
quit

twins --boots 1 --boot-time 1
for channel in 1 2 3; do contact $channel 1; done
wait_states 'evm on b on c on d off ' 'no boot counts for ever'
quit

twins --boots 0 --boot-time 3600
for channel in 1 2 3 4; do contact $channel 1; done
is "$(states)" 'evm on b on c on d on ' 'no limit'
quit
"$HILAB" twin evm --dir "$dir/refused" --boot-time 0 >"$dir/out" 2>&1
is $? 2 'a boot takes some time'
finish
