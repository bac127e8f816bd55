#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpack the locked packages side by side into the stage; nothing of them is ever run. The stage
# has a merged /usr whatever the packages' release, so that the list's paths have one form.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

need dpkg-deb dpkg
now=$(digest <"$lock")
[ "$(cat "$stage/.lock" 2>/dev/null)" != "$now" ] || exit 0

say "$ARCH: unpacking $(sed 1d "$lock" | wc -l) packages ..."
rm -rf "$stage"
for d in bin sbin lib; do
	mkdir -p "$stage/usr/$d"
	ln -s "usr/$d" "$stage/$d"
done
sed 1d "$lock" | while read -r deb _; do
	# dpkg-deb --extract would put folders in place of the links
	dpkg-deb --fsys-tarfile "$cache/debs/$deb" |
		tar -x -C "$stage" --keep-directory-symlink --no-same-owner --exclude='./usr/share' ||
		die "cannot unpack '$deb'"
done
printf '%s\n' "$now" >"$stage/.lock"
