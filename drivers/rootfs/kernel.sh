#!/bin/sh
# SPDX-License-Identifier: MIT
# Copy the kernel in the form that the boot loader takes, and read from itself what it will call
# itself: two lines, its release and its version as in /proc/version.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

image=$out/$(word kernel 2)
release=$(release)
from=$stage/boot/vmlinuz-$release
mkdir -p "$out"
case $ARCH in
arm64)
	if [ "$(dd if="$from" bs=1 skip=56 count=4 2>/dev/null)" != ARMd ]; then
		gzip -dc "$from" >"$image.tmp" 2>/dev/null ||
			die "the kernel is neither a raw nor a gzip image"
	else
		cp "$from" "$image.tmp"
	fi
	[ "$(dd if="$image.tmp" bs=1 skip=56 count=4 2>/dev/null)" = ARMd ] ||
		die "the kernel has no arm64 image header" ;;
*)
	die "no rule for a kernel of '$ARCH'" ;;
esac
chmod 644 "$image.tmp"
mv "$image.tmp" "$image"
version=$(grep -a -o "Linux version $release .*" "$image" | grep -o '#[0-9].*' | sed 1q)
[ -n "$version" ] || die "the kernel image does not tell its version"
printf '%s\n%s\n' "$release" "$version" >"$out/kernel.version"
say "$ARCH: kernel $release $version"
