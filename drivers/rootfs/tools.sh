#!/bin/sh
# SPDX-License-Identifier: MIT
# Make tools.img: the programs of the list and every library that they need, as a read-only disk
# that the boot script mounts on /opt/tools. The ssh keys are made once and kept in the cache:
# the boards' private key lies on the disk, the lab's beside the images.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/elf.sh"

need readelf binutils
need mksquashfs squashfs-tools
need dropbearkey dropbear-bin
need flock util-linux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
tree=$work/tree
keys=${CACHE}/keys
mkdir -p "$tree/bin" "$tree/lib/openssh" "$tree/etc/ssh" "$work/elf" "$keys"
chmod 700 "$keys"

key() { # NAME: make it once
	[ -f "$keys/$1.pub" ] && return
	rm -f "$keys/$1"
	dropbearkey -t ed25519 -f "$keys/$1" 2>/dev/null | grep '^ssh-' >"$work/pub"
	sed 's/ [^ ]*$/ hilab/' "$work/pub" >"$keys/$1.pub"
}
# two architectures may be built side by side, with the same keys
(
	flock 9
	key board
	key lab
	[ -f "$keys/lab.pem" ] ||
		dropbearconvert dropbear openssh "$keys/lab" "$keys/lab.pem" 2>/dev/null ||
		die "cannot convert the ssh key"
	(umask 077 && cp "$keys/lab.pem" "$OUT/ssh-key.tmp" && mv "$OUT/ssh-key.tmp" "$OUT/ssh-key")
	cp "$keys/board.pub" "$OUT/ssh-board.pub"
) 9>"$keys/.lock"

for p in $(words tool); do
	case $p in
	*/openssh/*) cp "$(in_stage "$p")" "$tree/lib/openssh/" ;;
	*) cp "$(in_stage "$p")" "$tree/bin/${p##*/}" ;;
	esac
done
closure "$work/elf" "$tree"/bin/* "$tree"/lib/openssh/* >"$work/libs"
while read -r name path; do
	cp -L "$path" "$tree/lib/$name"
done <"$work/libs"
for name in $(words lib); do
	cp -L "$(find "$stage/usr/lib" -name "$name" | sort | sed 1q)" "$tree/lib/$name"
done
chmod 755 "$tree"/bin/*
cp "$keys/board" "$tree/etc/ssh/host_key"
cp "$keys/lab.pub" "$tree/etc/ssh/authorized_keys"
chmod 700 "$tree/etc/ssh"
chmod 600 "$tree"/etc/ssh/*
recipe >"$tree/hilab-build"

same_times "$tree"
mkdir -p "$out"
rm -f "$out/tools.img.tmp"
mksquashfs "$tree" "$out/tools.img.tmp" -quiet -no-progress -noappend -all-root -no-xattrs \
	-comp gzip -mkfs-time "$epoch" -all-time "$epoch" >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2; die "cannot make the tools disk"; }
mv "$out/tools.img.tmp" "$out/tools.img"
cp "$tree/hilab-build" "$out/tools.version"
say "$ARCH: tools disk $(($(wc -c <"$out/tools.img") / 1000)) kB with $(words tool | wc -l) programs"
