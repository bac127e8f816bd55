#!/bin/sh
# SPDX-License-Identifier: MIT
# Write the build manifest of a twin with real-time cores: ROM and firmware out of IMAGES/r5f, and
# all images of another manifest, for a SoC whose other side runs Linux.
# usage: manifest.sh IMAGES SOC [OTHER]
set -eu
images=$1 soc=$2 other=${3-}
to=$images/$soc-twin.yaml

image() { # ROLE FILE VERSION [BUILD-ID]
	printf '  %s:\n    path: r5f/%s\n    sha256: %s\n    version: "%s"\n' \
		"$1" "$2" "$(sha256sum "$images/r5f/$2" | cut -d' ' -f1)" "$3"
	[ -z "${4-}" ] || printf '    build-id: "%s"\n' "$4"
}
{
	[ -z "$other" ] || sed '1,/^images:/d' "$other"
	image rom "$soc-rom.elf" "$(cat "$images/r5f/rom.version") ($soc)"
	image firmware "$soc.img" "$(cat "$images/r5f/$soc.version")" \
		"$(cat "$images/r5f/$soc.build-id")"
} >"$to.tmp"
version=$(grep sha256: "$to.tmp" | sha256sum | cut -c1-12)
{
	printf 'build: %s-twin\nversion: "%s"\nsoc: %s\nimages:\n' "$soc" "$version" "$soc"
	cat "$to.tmp"
} >"$to.new"
rm "$to.tmp"
mv "$to.new" "$to"
echo "firmware: $soc: build $version"
