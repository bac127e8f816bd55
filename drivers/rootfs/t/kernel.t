#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernel images of every form that the recipe takes: what they say of themselves, and what is
# refused.
set -u
. "$(dirname "$0")/../../../orchestrator/base/t/tap.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
work=$dir

CACHE=$work/cache OUT=$work/out
export CACHE OUT

zeros() { dd if=/dev/zero bs="$1" count=1 2>/dev/null; }
note() { printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0%s' "$1"; } # of 20 bytes
text() {
	printf 'x\0Linux version 1.2-tiny (a@b) (gcc 12, GNU ld) #1 SMP Tiny 1.2-3 (2026-01-02)\n\0y'
	note 'that of user space..'
	printf 'between\n'
	note 'the kernels own note'
}
arm64() { zeros 56; printf 'ARMd'; text; }
head_of_zimage() { zeros 36; printf '\030\050\157\001'; zeros 24; }
# the unpacker's own constant comes before the packed kernel, other bytes come after it
zimage() { head_of_zimage; printf '\3757zXZ\0not a kernel'; text | xz; zeros 100; }

kernel() { # ARCH: a stage with the kernel from the input
	mkdir -p "$CACHE/$1/stage/boot"
	cat >"$CACHE/$1/stage/boot/vmlinuz-1.2-tiny"
	rm -rf "$OUT"
	ARCH=$1 sh "$here/kernel.sh" >"$work/said" 2>&1
}
said() { sed 1q "$work/said"; }
version() { tr '\n' '|' <"$OUT/$1/kernel.version"; }
id=$(printf 'the kernels own note' | od -A n -v -t x1 | tr -d ' \n')
want="1.2-tiny|#1 SMP Tiny 1.2-3 (2026-01-02)|"

arm64 | kernel arm64
is "$? $(version arm64)" "0 $want" "arm64: a raw image"
arm64 >"$work/image"
is "$(cmp "$work/image" "$OUT/arm64/Image")" "" "arm64: as it was"
is "$(cat "$OUT/arm64/kernel.build-id")" "$id" "arm64: the last note is its build id"
gzip -c "$work/image" | kernel arm64
is "$? $(version arm64) $(cmp "$work/image" "$OUT/arm64/Image")" "0 $want " "arm64: a packed image"
text | gzip | kernel arm64
is "$? $(said)" "1 rootfs: the kernel has no arm64 image header" "arm64: something else packed"
text | kernel arm64
is "$? $(said)" "1 rootfs: the kernel is neither a raw nor a gzip image" "arm64: something else"

zimage | kernel armhf
is "$? $(version armhf)" "0 $want" "armhf: a zImage tells its version out of its packed kernel"
zimage >"$work/image"
is "$(cmp "$work/image" "$OUT/armhf/zImage")" "" "armhf: as it was"
is "$(cat "$OUT/armhf/kernel.build-id")" "$id" "armhf: its build id out of its packed kernel"
arm64 | kernel armhf
is "$? $(said)" "1 rootfs: the kernel is no zImage" "armhf: the other architecture's"
{ head_of_zimage; echo nothing | xz; } | kernel armhf
is "$? $(said) $(ls "$OUT/armhf" | grep -c 'zImage$\|version')" \
	"1 rootfs: the kernel image does not tell its version 0" \
	"armhf: a kernel that does not tell its version is no image"

finish
