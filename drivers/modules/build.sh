#!/bin/sh
# SPDX-License-Identifier: MIT
# A driver build of one architecture: kernel modules, those that Debian's kernel lacks compiled
# against Debian's headers for it, and a manifest over them, the driver tests and what the twin
# boots. Sources and headers are Debian's packages of the very version of that kernel, kept in the
# cache; the host needs a cross compiler and nothing installed of the other architecture.
# usage: ARCH=... CACHE=DIR OUT=DIR build.sh SOC...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rootfs=$(cd "$here/../rootfs" && pwd)
CACHE=$(cd "$CACHE" && pwd)
OUT=$(cd "$OUT" && pwd)
. "$rootfs/lib.sh"
. "$rootfs/apt.sh"
. "$rootfs/modules.sh"

case $ARCH in
arm64) karch=arm64 cross=aarch64-linux-gnu- ;;
armhf) karch=arm cross=arm-linux-gnueabihf- ;;
*) die "no rule for modules of '$ARCH'" ;;
esac
release=$(release)
# 6.1 of 6.1.0-57-arm64, and 6.1.0-57-common
series=$(echo "$release" | cut -d. -f1,2)
flavour=${release##*-}
common=${release%-"$flavour"}-common
version=$(sed -n "s/^linux-image-${release}_\([^_]*\)_.*/\1/p" "$lock" | sed 's/%3a/:/')
[ -n "$version" ] || die "no kernel '$release' in '$lock'"
aside=$cache/headers		# unpacked packages
updates=$stage/usr/lib/modules/$release/updates

# into the cache, once a version
packages() {
	need apt-get apt
	say "$ARCH: headers and source of kernel $version ..."
	apt_root "$(lacks)"
	(
		cd "$debs"
		[ -d "$apt/state/lists" ] && [ -n "$(ls "$apt/state/lists")" ] ||
			run "cannot read the package lists" update
		for p in "linux-headers-$release" "linux-headers-$common" "linux-source-$series"; do
			run "cannot download '$p' of version $version: make images-update takes today's kernel" \
				apt-get download "$p=$version"
		done
	)
}

# unpack_headers: what the compiler includes, beside kbuild's programs, which run on this host
unpack_headers() {
	mkdir -p "$aside/usr/lib"
	for p in "linux-headers-$release" "linux-headers-$common"; do
		set -- "$debs/${p}_${version}_"*.deb
		dpkg-deb -x "$1" "$aside"
	done
	if [ -d "/usr/lib/linux-kbuild-$series" ]; then
		ln -sfn "/usr/lib/linux-kbuild-$series" "$aside/usr/lib/linux-kbuild-$series"
	else
		(
			unset APT_CONFIG
			cd "$aside"
			run "cannot download kbuild" apt-get download "linux-kbuild-$series"
			dpkg-deb -x linux-kbuild-*.deb .
		)
	fi
	sed -i "s|/usr/src/|$aside/usr/src/|" "$aside/usr/src/linux-headers-$release/Makefile"
}

# unpack_sources FILE...: of the kernel's source, and nothing else of it
unpack_sources() {
	rm -rf "$aside/source"
	mkdir -p "$aside/source"
	set -- "$debs/linux-source-${series}_${version}_"*.deb "$@"
	deb=$1; shift
	dpkg-deb --fsys-tarfile "$deb" |
		tar -xO --wildcards "./usr/src/linux-source-$series.tar.*" | xz -dc |
		tar -x -C "$aside/source" --strip-components=1 \
			$(printf "linux-source-$series/%s " "$@") ||
		die "the kernel's source lacks one of: $*"
}

files() { words source | grep /; }

# compile WORK: all modules of the list's source lines, into the kernel's updates
compile() {
	mkdir -p "$1"
	for f in $(files); do cp "$aside/source/$f" "$1/"; done
	{
		awk '$1 == "source" {
			name = $2; gsub(/_/, "-", name)
			if (name ~ /^(mtd|ctu)/) name = $2
			objects = ""; n = 0
			for (i = 3; i <= NF; i++)
				if ($i ~ /\.c$/) {
					o = $i; sub(/.*\//, "", o); sub(/c$/, "o", o)
					objects = objects " " o; n++; only = o
				}
			print "obj-m += " name ".o"
			if (n > 1 || only != name ".o") print name "-y :=" objects
		}' "$list"
		printf 'ccflags-y := %s\n' "$(words define | sed 's/^/-D/' | paste -s -d' ' -)"
	} >"$1/Kbuild"
	# KCFLAGS: no path of this machine in a module
	run "cannot compile the modules" make -C "$aside/usr/src/linux-headers-$release" "M=$1" \
		"ARCH=$karch" "CROSS_COMPILE=$cross" "CC=${cross}gcc" \
		"KCFLAGS=-ffile-prefix-map=$1=." modules
	rm -rf "$updates"
	mkdir -p "$updates"
	cp "$1"/*.ko "$updates/"
}

# one_layout TREE: all modules, Debian's and those compiled here, are laid out alike: the size of the
# kernel's own record of a module, where its entry and exit lie in it, and the magic. One compiled
# with another configuration would crash when it is unloaded, not when it is loaded.
one_layout() {
	find "$1" -name '*.ko' | sort | while read -r f; do
		echo "$("${cross}readelf" -SW "$f" |
			sed -n 's/.* \.gnu\.linkonce\.this_module  *PROGBITS *[^ ]* [^ ]* \([^ ]*\) .*/size \1/p')" \
			"$("${cross}readelf" -rW "$f" | awk '/^Reloc/ { on = /this_module/ }
				on && $5 ~ /^(init|cleanup)_module$/ { printf "%s %s ", $5, $1 }')" \
			"$("${cross}readelf" -p .modinfo "$f" | sed -n 's/.*\(vermagic=.*\)/\1/p')" "${f##*/}"
	done >"$work/layout"
	grep -q '^size .*vermagic' "$work/layout" || die "no module tells its layout"
	for what in 'size [^ ]*' 'init_module [^ ]*' 'cleanup_module [^ ]*' 'vermagic=.*[^ ] '; do
		[ "$(grep -o "$what" "$work/layout" | sort -u | wc -l)" -le 1 ] || {
			cat "$work/layout" >&2
			die "modules of one build differ in '${what%% *}': the headers are not the kernel's"
		}
	done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$out" "$work/mod" "$work/tree"

if [ -n "$(files)" ]; then
	need make make
	need "${cross}gcc" "gcc-$(echo "${cross%-}")"
	wants="$version $(files | digest)"
	if [ "$(cat "$aside/.version" 2>/dev/null)" != "$wants" ]; then
		rm -rf "$aside"
		ls "$debs/linux-headers-${release}_${version}_"*.deb "$debs/linux-headers-${common}_${version}_"*.deb \
			"$debs/linux-source-${series}_${version}_"*.deb >/dev/null 2>&1 || packages
		unpack_headers
		unpack_sources $(files)
		printf '%s\n' "$wants" >"$aside/.version"
	fi
	compile "$work/src"
fi

# the root's own modules stay known to modprobe
own=$(awk '$1 == "module" || $1 == "late" { for (i = 2; i <= NF && $i !~ /^#/; i++) print $i }' "$rootfs/$ARCH.list")
made=$(awk '$1 == "source" { print $2 }' "$list")
# shellcheck disable=SC2046,SC2086
modules_into "$work/tree" "$work/mod" $own $(words module) $made
one_layout "$work/tree"
find "$work/tree" -name '*.ko' -exec "${cross}strip" --strip-debug {} +
same_times "$work/tree"
(cd "$work/tree" && find lib | sort | tar -c --no-recursion --owner=0 --group=0 --format=ustar -T -) |
	gzip -9n >"$out/modules.tar.gz.tmp"
mv "$out/modules.tar.gz.tmp" "$out/modules.tar.gz"
say "$ARCH: $(find "$work/tree" -name '*.ko' | wc -l) modules, $(($(wc -c <"$out/modules.tar.gz") / 1000)) kB," \
	"$(echo "$made" | grep -c . || :) compiled"

for soc; do
	{
		sed -n '/^  /p' "$OUT/$soc-twin.yaml"
		for role in tests:hil-test modules:modules.tar.gz; do
			printf '  %s:\n    path: %s\n    sha256: %s\n' "${role%%:*}" "$ARCH/${role#*:}" \
				"$(sha256_of "$out/${role#*:}")"
		done
	} >"$work/images"
	printf 'build: %s-drivers\nversion: "%s"\nsoc: %s\ndescription: driver tests and modules for the twin\nimages:\n' \
		"$soc" "$(grep sha256: "$work/images" | digest)" "$soc" |
		cat - "$work/images" >"$OUT/$soc-drivers.yaml.tmp"
	mv "$OUT/$soc-drivers.yaml.tmp" "$OUT/$soc-drivers.yaml"
done
