#!/bin/sh
# SPDX-License-Identifier: MIT
# The 32-bit twin and its boot-mode straps: from TFTP by the lab's hand, from its card by itself.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

images=$HILAB_DATA/build/images/armhf
uboot() { # LINE: typed at U-Boot's prompt
	console type "$1\\r" until '
=> '
}
sh_line() { # LINE: typed at the shell, what it prints
	console type "$1; echo rc=\$?\\r" until 'rc=0' until ':~# ' | tr -d '\r' | sed 1d
}
stop_at_prompt() {
	console until 'U-Boot 20' until 'autoboot:' type ' ' until '=> ' >"$dir/out" &
	reader=$!
	relay on
	wait $reader
}

start --type am335x-evm
cp "$images/zImage" "$images/rootfs.cpio.gz" "$dir/lab/tftp"
stop_at_prompt && pass 'tftp: U-Boot stops at its prompt' || fail 'U-Boot' "$(cat "$dir/out")"
uboot 'pci enum; nvme scan; nvme info' | grep -q Device &&
	fail 'tftp: the boot loader sees no card' || pass 'tftp: the boot loader sees no card'
uboot 'setenv autoload no' >/dev/null
uboot dhcp >/dev/null
uboot 'tftpboot 0x40400000 zImage' >/dev/null
uboot 'tftpboot 0x44000000 rootfs.cpio.gz' >/dev/null
uboot 'setenv bootargs console=ttyAMA0,115200 quiet' >/dev/null
console type 'bootz 0x40400000 0x44000000:$filesize $fdtcontroladdr\r' until 'login: ' \
	type 'root\r' until ':~# ' >"$dir/out" && pass 'tftp: Linux, up to a shell' ||
	fail 'Linux' "$(tail -c 2000 "$dir/out")"
sh_line 'uname -m' | grep -qx armv7l && pass 'a 32-bit one' || fail 'uname'
sh_line 'test -b /dev/mmcblk0 && test -c /dev/rtc0 && command -v fio' | grep -q /fio &&
	pass 'with card, clock and tools' || fail 'devices'
relay off
stop_daemon "$daemon"

sh "$HILAB_DATA/firmware/card.sh" "$images/zImage" "$images/rootfs.cpio.gz" "$dir/lab/evm/sd.img" &&
	pass 'a card to boot from' || fail 'card.sh'
start --type am335x-evm --mode sd
console until 'Found /extlinux/extlinux.conf' until 'login: ' type 'root\r' until ':~# ' \
	>"$dir/out" &
reader=$!
relay on
wait $reader && pass 'sd: Linux from the card, with nobody typing' ||
	fail 'sd' "$(tail -c 2000 "$dir/out")"
sh_line 'cat /proc/cmdline' | grep -q 'hilab.medium=sd' && pass 'it knows where it came from' ||
	fail 'cmdline'
sh_line 'ls /dev/nvme*; mkdir /tmp/m && mount -t ext4 /dev/mmcblk0p1 /tmp/m && date >/tmp/m/here &&
umount /tmp/m' >"$dir/out" && pass 'the card itself is on the SD controller' || fail 'card'
grep -q '^/dev/nvme' "$dir/out" && fail 'and nowhere else' || pass 'and nowhere else'
relay off
stop_at_prompt
uboot 'pci enum; nvme scan; ls nvme 0:1' | grep -q ' here' &&
	pass 'what Linux wrote, the boot loader reads after a power cycle' || fail 'ls'
relay off
stop_daemon "$daemon"
is $? 0 'it ends on SIGTERM'
finish
