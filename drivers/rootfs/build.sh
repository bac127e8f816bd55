#!/bin/sh
# SPDX-License-Identifier: MIT
# Make everything that the twins of one architecture boot, and a build manifest per SoC.
# usage: ARCH=... CACHE=DIR OUT=DIR build.sh SOC...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$CACHE" "$OUT"
CACHE=$(cd "$CACHE" && pwd)
OUT=$(cd "$OUT" && pwd)
export ARCH CACHE OUT
. "$here/lib.sh"

# all that is missing in one go, before anything is downloaded
need readelf binutils
need cpio cpio
need mksquashfs squashfs-tools
need dropbearkey dropbear-bin

sh "$here/fetch.sh"
sh "$here/unpack.sh"
mkdir -p "$out"
sh "$here/../../firmware/u-boot.sh" "$(in_stage "$(word loader 2)")" "$out/u-boot.bin"
for step in kernel root tools; do
	sh "$here/$step.sh"
done
for soc; do
	sh "$here/manifest.sh" "$soc"
done
