#!/bin/sh
# SPDX-License-Identifier: MIT
# Take a twin's boot loader out of Debian's package and read its version out of the binary, as
# its banner prints it.
# usage: u-boot.sh FROM TO
set -eu

from=$1 to=$2
[ -f "$from" ] || { echo "firmware: no boot loader '$from'" >&2; exit 1; }
cp "$from" "$to.tmp"
chmod 644 "$to.tmp"
version=$(grep -a -o 'U-Boot 20[0-9][0-9]\.[0-9][^ ]* ([^)]*)' "$to.tmp" | sed 1q)
[ -n "$version" ] || { echo "firmware: '$from' does not tell its version" >&2; exit 1; }
mv "$to.tmp" "$to"
printf '%s\n' "$version" >"${to%.bin}.version"
echo "firmware: $version"
