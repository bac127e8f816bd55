#!/bin/sh
# SPDX-License-Identifier: MIT
# Make the card that a twin with its straps at `sd` starts from: one ext4 partition with kernel,
# root and extlinux.conf, which U-Boot finds by itself. An SD card that is there keeps its size; no
# rights on the host are needed.
# usage: card.sh KERNEL ROOTFS CARD
set -eu

kernel=$1 rootfs=$2 card=$3
mib=64
for f in "$kernel" "$rootfs"; do
	[ -f "$f" ] || { echo "firmware: no image '$f'" >&2; exit 1; }
done
mkfs=$(PATH=$PATH:/usr/sbin:/sbin command -v mkfs.ext4) ||
	{ echo "firmware: 'mkfs.ext4' is not installed: apt-get install e2fsprogs" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$work/root/extlinux"
cp "$kernel" "$work/root/kernel"
cp "$rootfs" "$work/root/rootfs"
# without a device tree U-Boot hands on the one that QEMU gave it
cat >"$work/root/extlinux/extlinux.conf" <<END
default hilab
label hilab
  kernel /kernel
  initrd /rootfs
  append console=ttyAMA0,115200 hilab.medium=sd
END
truncate -s ${mib}M "$work/part"
"$mkfs" -q -F -L boot -d "$work/root" "$work/part"

[ -s "$card" ] || truncate -s 256M "$card"
# the partition table: one Linux partition at 1 MiB, its length and the start in sectors
{
	printf '\376\377\377\203\376\377\377\0\010\0\0\0\0'
	printf "\\$(printf %o $((mib * 2048 / 65536)))\\0"
} >"$work/entry"
dd if=/dev/zero of="$card" bs=512 count=2048 conv=notrunc status=none
dd if="$work/entry" of="$card" bs=1 seek=447 conv=notrunc status=none
printf '\125\252' | dd of="$card" bs=1 seek=510 conv=notrunc status=none
dd if="$work/part" of="$card" bs=1M seek=1 conv=notrunc,sparse status=none
