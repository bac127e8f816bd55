#!/bin/sh
# SPDX-License-Identifier: MIT
# Build a twin's boot loader from Debian's source package, with u-boot.config laid over Debian's
# configuration, and read its version out of the binary, as its banner prints it. Source and result
# are kept in the cache: while they fit, nothing is built and no network is used. Where the mirror
# has no sources the packaged binary FROM is taken, which lacks what u-boot.config adds; this is
# said, and its version shows it.
# usage: ARCH=arm64|armhf CACHE=DIR u-boot.sh FROM TO
set -eu
here=$(cd "$(dirname "$0")" && pwd)
LC_ALL=C
export LC_ALL

from=$1 to=$2
case ${ARCH:?} in
arm64) board=qemu_arm64 cross=aarch64-linux-gnu- ;;
armhf) board=qemu_arm cross=arm-linux-gnueabihf- ;;
*) echo "firmware: no boot loader for '$ARCH'" >&2; exit 1 ;;
esac
cache=${CACHE:?}/u-boot
lock=$cache/source.lock

say() { printf 'firmware: %s\n' "$*"; }
die() { printf 'firmware: %s\n' "$*" >&2; exit 1; }
need() {
	command -v "$1" >/dev/null 2>&1 || die "'$1' is not installed: apt-get install $2"
}

# ---- the source package: "SHA256  FILE" a line in the lock

have_source() {
	[ -s "$lock" ] && (cd "$cache" && sha256sum --check --status source.lock 2>/dev/null)
}

# A private apt root over the host's own mirror, sources in place of packages.
fetch_source() {
	apt=$cache/apt
	rm -rf "$apt"
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/sources"
	: >"$apt/status"
	cat >"$apt/apt.conf" <<-END
	Dir::State "$apt/state";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt/cache";
	Dir::Etc::SourceList "/dev/null";
	Dir::Etc::SourceParts "$apt/sources";
	Acquire::Languages "none";
	APT::Sandbox::User "$(id -un)";
	Debug::NoLocking "true";
	END
	for without in '' -security; do
		WITHOUT=$without sh "$here/../drivers/rootfs/sources.sh" |
			sed 's/^Types: deb$/Types: deb-src/' >"$apt/sources/host.sources"
		APT_CONFIG=$apt/apt.conf apt-get update -o APT::Update::Error-Mode=any \
			>"$cache/log" 2>&1 || continue
		(cd "$cache" && APT_CONFIG=$apt/apt.conf apt-get source --download-only u-boot \
			>>"$cache/log" 2>&1) || continue
		(cd "$cache" && sha256sum u-boot_*.dsc u-boot_*.tar.*) >"$lock.tmp"
		mv "$lock.tmp" "$lock"
		rm -rf "$apt"
		return 0
	done
	rm -rf "$apt"
	return 1
}

# ---- building

unpack() {
	for f in "$cache"/u-boot_*.orig.tar.*; do tar -xf "$f" -C "$work" --strip-components=1; done
	for f in "$cache"/u-boot_*.debian.tar.*; do tar -xf "$f" -C "$work"; done
	sed 's/[[:space:]]*#.*//; /^$/d' "$work/debian/patches/series" | while read -r patch _; do
		patch -d "$work" -p1 -s <"$work/debian/patches/$patch" || exit
	done
}

# Everything that a build depends on but the compiler, in eight digits.
digest() {
	cat "$here/u-boot.sh" "$here/u-boot.config" "$lock" | sha256sum | cut -c1-8
}

build() { # KEEP
	need "${cross}gcc" "gcc-${cross%-}"
	need bison bison
	need flex flex
	need patch patch
	work=$(mktemp -d "$cache/build.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	unpack
	# what is set twice is set by the last line
	cat "$work/configs/${board}_defconfig" "$here/u-boot.config" >"$work/configs/twin_defconfig"
	SOURCE_DATE_EPOCH=1672531200
	KBUILD_BUILD_USER=hilab KBUILD_BUILD_HOST=hilab
	export SOURCE_DATE_EPOCH KBUILD_BUILD_USER KBUILD_BUILD_HOST
	for target in twin_defconfig u-boot.bin; do
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$work" -s -j"$(nproc)" CROSS_COMPILE="$cross" LOCALVERSION="-hilab-$(digest)" \
			"$target" >"$cache/log" 2>&1 || { tail -n 20 "$cache/log" >&2; die "'$target' does not build"; }
	done
	cp "$work/u-boot.bin" "$1.tmp"
	mv "$1.tmp" "$1"
	rm -rf "$work"
	trap - EXIT
}

mkdir -p "$cache"
if have_source || fetch_source; then
	built=$cache/$ARCH-$(digest).bin
	if [ ! -f "$built" ]; then
		say "$ARCH: building U-Boot from Debian's source ..."
		rm -f "$cache/$ARCH"-*.bin
		build "$built"
	fi
	from=$built
else
	say "$ARCH: the mirror has no source of U-Boot: the packaged one is taken, without mmc ($cache/log)"
fi
[ -f "$from" ] || die "no boot loader '$from'"
cp "$from" "$to.tmp"
chmod 644 "$to.tmp"
version=$(grep -a -o 'U-Boot 20[0-9][0-9]\.[0-9][^ ]* ([^)]*)' "$to.tmp" | sed 1q)
[ -n "$version" ] || die "'$from' does not tell its version"
mv "$to.tmp" "$to"
printf '%s\n' "$version" >"${to%.bin}.version"
say "$version"
