#!/bin/sh
# SPDX-License-Identifier: MIT
# The real twin: QEMU, U-Boot, Linux and the card, driven by relay bytes and typed lines.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

images=$HILAB_DATA/build/images/arm64
uboot() { # LINE: typed at U-Boot's prompt
	console type "$1\\r" until '
=> '
}

start
cp "$images/Image" "$images/rootfs.cpio.gz" "$dir/lab/tftp"
port=$(readlink "$dir/lab/evm.console")
console until 'U-Boot 20' until 'autoboot:' type ' ' until '=> ' >"$dir/first" &
reader=$!
relay on
wait $reader && pass 'relay on: U-Boot stops at its prompt' || fail 'U-Boot' "$(cat "$dir/first")"
first=$(pid)
uboot 'setenv autoload no' >/dev/null
uboot dhcp | grep -q 'bound to address 10.0.2.15' && pass 'dhcp' || fail 'dhcp'
uboot 'tftpboot 0x44000000 none' | grep -q 'TFTP error' && pass 'a missing file' || fail 'no file'

ctl reset
console until 'U-Boot 20' until 'autoboot:' type ' ' until '=> ' >/dev/null &&
	pass 'the reset button brings U-Boot again' || fail 'reset'
is "$(pid)" "$first" 'in the same QEMU'
relay off
kill -0 "$first" 2>/dev/null && fail 'relay off kills QEMU' || pass 'relay off kills QEMU'

console until 'autoboot:' type ' ' until '=> ' >/dev/null &
reader=$!
relay on
wait $reader && pass 'and on: a cold boot' || fail 'cold boot'
is "$(readlink "$dir/lab/evm.console")" "$port" 'on the same port'
uboot 'setenv autoload no' >/dev/null
uboot dhcp >/dev/null
uboot 'tftpboot 0x40400000 Image' >"$dir/out"
grep -q "Bytes transferred = $(stat -c %s "$images/Image") " "$dir/out" && pass 'TFTP' ||
	fail 'TFTP' "$(tail -c 500 "$dir/out")"
uboot 'tftpboot 0x44000000 rootfs.cpio.gz' >/dev/null
uboot 'setenv bootargs console=ttyAMA0,115200 quiet' >/dev/null
console type 'booti 0x40400000 0x44000000:$filesize $fdtcontroladdr\r' until 'login: ' \
	type 'root\r' until ':~# ' >"$dir/out" && pass 'Linux, up to a shell' ||
	fail 'Linux' "$(tail -c 2000 "$dir/out")"
console type 'echo on-the-card | dd of=/dev/mmcblk0 conv=fsync; echo rc=$?\r' until 'rc=0' >/dev/null &&
	pass 'the card is written' || fail 'card'
ssh_port=$(sed -n 's/.*ssh: //p' "$dir/lab/lab.yaml")
"$HILAB_BUILD/labs/virtual/t/tool-tcp" "$ssh_port" | grep -q '^SSH-2.0' &&
	pass 'ssh answers on its port' || fail 'ssh'
relay off
is "$(head -n 1 "$dir/lab/evm/sd.img")" on-the-card 'power off: it is on the card'

console until 'autoboot:' type ' ' until '=> ' >/dev/null &
reader=$!
relay on
wait $reader
first=$(pid)
kill_daemon "$daemon"
while kill -0 "$first" 2>/dev/null; do :; done
pass 'the daemon is killed: no QEMU is left'
start
is "$(status)" 'evm off' 'the next one starts without power'
is "$(head -n 1 "$dir/lab/evm/sd.img")" on-the-card 'and with the same card'
stop_daemon "$daemon"
is $? 0 'it ends on SIGTERM'
finish
