#!/bin/sh
# SPDX-License-Identifier: MIT
# Make rootfs.cpio.gz: busybox with its C library, the modules and the boot script; small, as it
# goes over TFTP at each boot. The programs of the tools disk find their place in it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/elf.sh"
. "$here/modules.sh"

need readelf binutils
need cpio cpio
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
tree=$work/tree
mkdir -p "$tree" "$work/elf" "$work/mod"
(
	cd "$tree"
	mkdir -p bin dev etc lib opt/tools proc root run sbin sys tmp usr/bin usr/lib usr/sbin
	cp -R "$here/skel/." .
	chmod 700 root
	chmod 755 etc/init.d/* etc/udhcpc/*
	ln -s bin/busybox init
	ln -s dash bin/sh
	ln -s /opt/tools/etc/ssh root/.ssh
	ln -s /opt/tools/lib/openssh/sftp-server usr/lib/sftp-server
	recipe >etc/hilab-build
)

for p in $(words root); do
	cp "$(in_stage "$p")" "$tree/bin/"
done
ld=$(interpreter "$tree/bin/busybox")
[ -n "$ld" ] || die "busybox of $ARCH is not dynamically linked"
mkdir -p "$tree${ld%/*}"
cp "$(in_stage "${ld#/}")" "$tree$ld"
closure "$work/elf" "$tree"/bin/busybox "$tree"/bin/dash >"$work/libs"
triplet=$(sed -n 's|^libc\.so\.6 .*/\([^/]*\)/libc\.so\.6$|\1|p' "$work/libs")
[ -n "$triplet" ] || die "busybox of $ARCH does not use the C library"
mkdir -p "$tree/lib/$triplet"
while read -r name path; do
	cp -L "$path" "$tree/lib/$triplet/$name"
done <"$work/libs"
chmod 755 "$tree"/bin/busybox "$tree"/bin/dash "$tree$ld"
# a path that the dynamic linker searches by itself
ln -s /opt/tools/lib "$tree/usr/lib/$triplet"

# shellcheck disable=SC2046
modules_into "$tree" "$work/mod" $(words module) $(words late)
for when in module late; do
	words "$when" | grep -xFf "$work/mod/loaded" >"$work/$when" || true
	# one line: the boot script reads it without starting a program
	paste -s -d' ' "$work/$when" >"$tree/etc/modules.$when"
done

# the first module that the boot script loads stands for all of them
read -r first others <"$tree/etc/modules.module"
printf '%s %s\n' "$first" "$(readelf -n "$tree/lib/modules/$(release)/$first.ko" | sed -n 's/^ *Build ID: //p')" \
	>"$work/build-id"

same_times "$tree"
mkdir -p "$out"
(cd "$tree" && find . | sort | cpio --quiet -o -H newc --reproducible -R 0:0) |
	gzip -9n >"$out/rootfs.cpio.gz.tmp"
mv "$out/rootfs.cpio.gz.tmp" "$out/rootfs.cpio.gz"
cp "$tree/etc/hilab-build" "$out/rootfs.version"
cp "$work/build-id" "$out/rootfs.build-id"
say "$ARCH: small root $(($(wc -c <"$out/rootfs.cpio.gz") / 1000)) kB, build $(cat "$out/rootfs.version")"
