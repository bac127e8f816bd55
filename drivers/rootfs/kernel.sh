#!/bin/sh
# SPDX-License-Identifier: MIT
# Copy the kernel in the form that the boot loader takes, and read from itself what it will call
# itself: two lines, its release and its version as in /proc/version, and beside them its GNU build
# id, as /sys/kernel/notes will show it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

image=$out/$(word kernel 2)
release=$(release)
from=$stage/boot/vmlinuz-$release
mkdir -p "$out"

bytes_at() { # FILE OFFSET: four bytes in hexadecimal, in the file's order
	od -A n -t x1 -j "$2" -N 4 "$1" | tr -d ' \n'
}

says() { grep -a -o "Linux version $release .*" | grep -o '#[0-9].*' | sed 1q; }

# The last GNU note of type 3 with an SHA-1; before it stand those of the code for user space that a
# kernel carries. Layout: elf(5), "Notes (Nhdr)".
build_id() { # FILE
	grep -obUaP '\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0' "$1" | sed -n '$s/:.*//p' | while read -r at; do
		od -A n -v -t x1 -j $((at + 16)) -N 20 "$1" | tr -d ' \n'
	done
}

# A zImage holds the kernel packed; what only looks like its start does not unpack to a version.
unpacked_says() {
	grep -a -b -o "$(printf '\3757zXZ')" "$image.tmp" | cut -d: -f1 | while read -r at; do
		# xz complains of the bytes that follow, after it has written all
		tail -c "+$((at + 1))" "$image.tmp" | xz -dc >"$image.raw" 2>/dev/null || :
		version=$(says <"$image.raw")
		[ -z "$version" ] || { printf '%s\n' "$version"; break; }
	done
}

# the magic numbers are those of the kernel's Documentation/arch/arm64/booting.rst and of the
# head of a zImage in arch/arm/boot/compressed/head.S
case $ARCH in
arm64)
	if [ "$(bytes_at "$from" 56)" != 41524d64 ]; then
		gzip -dc "$from" >"$image.tmp" 2>/dev/null ||
			die "the kernel is neither a raw nor a gzip image"
	else
		cp "$from" "$image.tmp"
	fi
	[ "$(bytes_at "$image.tmp" 56)" = 41524d64 ] ||
		die "the kernel has no arm64 image header"
	version=$(says <"$image.tmp")
	id=$(build_id "$image.tmp") ;;
armhf)
	need xz xz-utils
	cp "$from" "$image.tmp"
	[ "$(bytes_at "$image.tmp" 36)" = 18286f01 ] || die "the kernel is no zImage"
	version=$(unpacked_says)
	id=$(build_id "$image.raw" 2>/dev/null || :)
	rm -f "$image.raw" ;;
*)
	die "no rule for a kernel of '$ARCH'" ;;
esac
[ -n "$version" ] || die "the kernel image does not tell its version"
chmod 644 "$image.tmp"
mv "$image.tmp" "$image"
printf '%s\n%s\n' "$release" "$version" >"$out/kernel.version"
printf '%s\n' "$id" >"$out/kernel.build-id"
say "$ARCH: kernel $release $version"
