#!/bin/sh
# SPDX-License-Identifier: MIT
# The twins' own kernel with every driver that the tests reach: Debian's source of that very
# version, full.config over a kernel with everything off. Built once (a quarter of an hour on two
# cores) and kept in the cache; a change of full.config builds only what it touches. Writes kernel,
# modules and the manifest SOC-full.yaml; the root, tests and boot loader are those of SOC-drivers.
# usage: ARCH=... CACHE=DIR OUT=DIR build.sh SOC
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rootfs=$(cd "$here/../rootfs" && pwd)
CACHE=$(cd "$CACHE" && pwd)
OUT=$(cd "$OUT" && pwd)
. "$rootfs/lib.sh"

soc=$1
[ "$ARCH" = arm64 ] || die "no rule for a kernel of '$ARCH'"
cross=aarch64-linux-gnu-
version=$(sed -n "s/^linux-image-[0-9][^_]*_\([^_]*\)_.*/\1/p" "$lock")
deb=$(echo "$cache"/debs/linux-source-*_"$version"_all.deb)
[ -f "$deb" ] || die "no kernel source in '$cache/debs': make driver-builds"
for program in make "${cross}gcc" flex bison bc; do
	need $program "$(case $program in *gcc) echo gcc-aarch64-linux-gnu ;; *) echo $program ;; esac)"
done
tree=$cache/kernel/source
build=$cache/kernel/build
full=$out/full
mkdir -p "$build" "$full"

order() { make -C "$tree" "O=$build" ARCH=arm64 "CROSS_COMPILE=$cross" KBUILD_BUILD_USER=hilab \
	KBUILD_BUILD_HOST=hilab "KBUILD_BUILD_TIMESTAMP=$(date -u -d "@$epoch")" "$@"; }
quietly() { # WHAT COMMAND...
	what=$1; shift
	"$@" >"$cache/kernel/log" 2>&1 || { tail -n 30 "$cache/kernel/log" >&2; die "$what"; }
}

if [ ! -f "$tree/Makefile" ]; then
	say "$ARCH: unpacking ${deb##*/} ..."
	mkdir -p "$tree"
	dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards './usr/src/linux-source-*.tar.*' |
		xz -dc | tar -x -C "$tree" --strip-components=1
fi
quietly "cannot configure the kernel" order "KCONFIG_ALLCONFIG=$here/full.config" allnoconfig
missing=$(grep '^CONFIG' "$here/full.config" | grep -vxFf "$build/.config" | paste -s -d' ' -) || :
[ -z "$missing" ] || die "this kernel does not take: $missing"
say "$ARCH: building the kernel (log: $cache/kernel/log) ..."
quietly "cannot build the kernel" order -j"${JOBS:-2}" Image modules
rm -rf "$cache/kernel/tree"
quietly "cannot install the modules" order "INSTALL_MOD_PATH=$cache/kernel/tree" INSTALL_MOD_STRIP=1 \
	DEPMOD=true modules_install

release=$(cat "$build/include/config/kernel.release")
stage=$cache/kernel/stage		# as an unpacked package has it
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
rm -rf "$stage"
mkdir -p "$stage/usr" "$stage/boot" "$work/tree" "$work/mod"
: >"$stage/boot/vmlinuz-$release"
cp "$build/arch/arm64/boot/Image" "$full/Image"
. "$rootfs/modules.sh"
find "$cache/kernel/tree" -name '*.ko' | sed 's|.*/||; s|\.ko$||; s|-|_|g' | sort >"$work/names"
ln -sfn "$cache/kernel/tree/lib" "$stage/usr/lib"
# shellcheck disable=SC2046
modules_into "$work/tree" "$work/mod" $(cat "$work/names")
same_times "$work/tree"
(cd "$work/tree" && find lib | sort | tar -c --no-recursion --owner=0 --group=0 --format=ustar -T -) |
	gzip -9n >"$full/modules.tar.gz"

# image ROLE FILE [KEY VALUE]
image() {
	printf '  %s:\n    path: %s\n    sha256: %s\n' "$1" "$2" "$(sha256_of "$OUT/$2")"
	[ $# -lt 4 ] || printf '    %s: "%s"\n' "$3" "$4"
}
{
	image kernel "$ARCH/full/Image" release "$release"
	image modules "$ARCH/full/modules.tar.gz"
	# as they stand, but for the two above
	awk '/^  [^ ]/ { keep = $1 !~ /^(kernel|modules):$/ } /^  / && keep' "$OUT/$soc-drivers.yaml"
} >"$work/images"
{
	printf 'build: %s-full\nversion: "%s"\nsoc: %s\ndescription: %s\nimages:\n' "$soc" \
		"$(grep sha256: "$work/images" | digest)" "$soc" "our own kernel with every driver"
	cat "$work/images"
} >"$OUT/$soc-full.yaml.tmp"
mv "$OUT/$soc-full.yaml.tmp" "$OUT/$soc-full.yaml"
say "$ARCH: kernel $release, $(wc -l <"$work/names") modules, $(($(wc -c <"$full/Image") / 1000000)) MB"
