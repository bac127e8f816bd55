#!/bin/sh
# SPDX-License-Identifier: MIT
# Resolve and download the packages of ARCH with a private apt root: its own lists, status and
# cache, the host's sources. Writes packages.lock, "FILE SHA256" a line; while the lock fits the
# list and the files fit the lock, nothing is resolved and no network is used. A suite that cannot
# be read stops it, but for one that the list calls optional: then no package is taken from that
# suite at all, and this is said, here and in the lock and the manifest.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/apt.sh"

wanted() { word kernel 1; word loader 1; words package; }
# the lock's first line says which list it answers
answer="# packages of $(wanted | digest)"

locked() {
	[ -f "$lock" ] && [ "$(sed "1s/, without .*//;q" "$lock")" = "$answer" ] &&
		(cd "$debs" && sed 1d "$lock" | awk '{ print $2 "  " $1 }' |
			sha256sum --check --status 2>/dev/null)
}

# Read the lists of all suites, or of all but the optional one, never half of them.
read_lists() {
	without=$(word optional 1)
	if [ -z "$without" ]; then
		run "cannot read the package lists" update
		return
	fi
	if update >"$apt/log.all" 2>&1; then
		without=
		return
	fi
	WITHOUT=$without sh "$here/sources.sh" >"$apt/sources/host.sources"
	run "cannot read the package lists, not even without '$without'" update
	why=$(sed -n "s/^E: //p" "$apt/log.all" | sed 1q)
	say "$ARCH: the mirror's '*$without' suite cannot be read: no package comes from it"
	[ -z "$why" ] || say "$ARCH: ($why)"
}

# The kernel and the boot loader as they are; of the rest's dependencies only libraries, as no
# package is ever installed: what a program really needs, the library closure finds or misses.
resolve() {
	kernel=$(apt-cache depends "$(word kernel 1)" 2>/dev/null |
		awk '$1 == "Depends:" && $2 ~ /^linux-image-/ { print $2; exit }')
	[ -n "$kernel" ] || die "'$(word kernel 1)' names no kernel for $ARCH in the host's sources"
	printf '%s\n' "$kernel" "$(word loader 1)"
	# shellcheck disable=SC2046
	run "cannot resolve the packages of '$list'" \
		apt-get install --simulate --yes $(words package)
	words package >"$apt/listed"
	awk '$1 == "Inst" { print $2 }' "$apt/log" | awk '
		NR == FNR { listed[$1]; next }
		$1 in listed || ($1 ~ /^(lib|zlib1g)/ && $1 !~ /^lib(python|perl)|-(perl|dev|common)$/)
	' "$apt/listed" -
}

if locked; then
	without=$(lacks)
	say "$ARCH: $(sed 1d "$lock" | wc -l) packages, all in the cache${without:+, none from '*$without'}"
	exit 0
fi
need apt-get apt
say "$ARCH: reading the package lists of the host's Debian mirror ..."
apt_root
read_lists
resolve >"$apt/names"
# shellcheck disable=SC2046
set -- $(sort -u "$apt/names")
apt-cache show --no-all-versions "$@" >"$apt/chosen"
bytes=$(awk '$1 == "Size:" { s += $2 } END { print s }' "$apt/chosen")
say "$ARCH: downloading $# packages ($((bytes / 1000000)) MB) ..."
(cd "$debs" && run "cannot download the packages" apt-get download "$@")
{
	printf '%s\n' "$answer${without:+, without $without}"
	awk -v RS= -v FS='\n' '{
		for (i = 1; i <= NF; i++)
			if (match($i, /^[A-Za-z0-9-]+: /))
				v[substr($i, 1, RLENGTH - 2)] = substr($i, RLENGTH + 1)
		sub(/:/, "%3a", v["Version"])
		print v["Package"] "_" v["Version"] "_" v["Architecture"] ".deb", v["SHA256"]
	}' "$apt/chosen" | sort
} >"$lock.tmp"
mv "$lock.tmp" "$lock"
locked || die "the downloaded packages are not those of the package lists"
