#!/bin/sh
# SPDX-License-Identifier: MIT
# Write the build manifest of one SoC's twin over the images of ARCH.
# usage: manifest.sh SOC
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

soc=$1
to=$OUT/$soc-twin.yaml

image() { # ROLE FILE VERSION [KEY VALUE]...
	printf '  %s:\n    path: %s\n    sha256: %s\n    version: "%s"\n' \
		"$1" "$ARCH/$2" "$(sha256_of "$out/$2")" "$3"
	shift 3
	while [ $# -gt 1 ]; do
		[ -z "$2" ] || printf '    %s: "%s"\n' "$1" "$2"
		shift 2
	done
}

{
	image kernel "$(word kernel 2)" "$(sed -n 2p "$out/kernel.version")" \
		release "$(sed -n 1p "$out/kernel.version")" build-id "$(cat "$out/kernel.build-id")"
	read -r module id <"$out/rootfs.build-id"
	image rootfs rootfs.cpio.gz "$(cat "$out/rootfs.version")" \
		module "${id:+$module}" build-id "$id"
	image tools tools.img "$(cat "$out/tools.version")"
	image boot-loader u-boot.bin "$(cat "$out/u-boot.version")"
} >"$to.tmp"
version=$(grep sha256: "$to.tmp" | digest)
without=$(lacks)
{
	[ -z "$without" ] ||
		printf '# No package is from the suite *%s: the mirror could not give it for %s.\n' \
			"$without" "$ARCH"
	printf 'build: %s-twin\nversion: "%s"\nsoc: %s\nimages:\n' "$soc" "$version" "$soc"
	cat "$to.tmp"
} >"$to.new"
rm "$to.tmp"
mv "$to.new" "$to"
say "$soc: build $version"
