# SPDX-License-Identifier: MIT
# What every step of the recipe shares. Sourced after `set -eu`, with $here as the recipe's folder.
# The environment: ARCH, CACHE (downloads, kept) and OUT (images), both folders absolute.

LC_ALL=C
export LC_ALL
umask 022

# Every file of every image carries this time, so that equal input gives equal bytes.
epoch=${SOURCE_DATE_EPOCH:-1672531200}
unset SOURCE_DATE_EPOCH		# mksquashfs refuses it beside its own options

list=$here/${ARCH:?}.list
cache=${CACHE:?}/$ARCH
out=${OUT:?}/$ARCH
stage=$cache/stage
lock=$cache/packages.lock

say() { printf 'rootfs: %s\n' "$*"; }
die() { printf 'rootfs: %s\n' "$*" >&2; exit 1; }

# need PROGRAM PACKAGE: stop with the package to install
need() {
	command -v "$1" >/dev/null 2>&1 && return
	[ -x "/usr/sbin/$1" ] || [ -x "/sbin/$1" ] ||
		die "'$1' is not installed: apt-get install $2"
}

# words WORD: all values of the list's lines that start with WORD, one a line
words() {
	awk -v w="$1" '$1 == w { for (i = 2; i <= NF && $i !~ /^#/; i++) print $i }' "$list"
}

# word WORD N: the Nth value of the one line that starts with WORD
word() { words "$1" | sed -n "$2p"; }

# lacks: the optional suite that the locked packages were chosen without; empty when there was all
lacks() { sed -n "1s/.*, without //p" "$lock"; }

digest() { sha256sum | cut -c1-12; }

sha256_of() { sha256sum "$1" | cut -d' ' -f1; }

# in_stage PATH: the stage's file behind PATH, symbolic links followed inside the stage
in_stage() (
	p=$1
	for _ in 1 2 3 4 5 6 7 8; do
		[ -L "$stage/$p" ] || break
		to=$(readlink "$stage/$p")
		case $to in
		/*) p=${to#/} ;;
		*) p=$(dirname "$p")/$to ;;
		esac
	done
	[ -f "$stage/$p" ] || die "'$1' is in none of the packages of '$list'"
	printf '%s\n' "$stage/$p"
)

# same_times TREE: one time and plain modes for all of it
same_times() {
	find "$1" -exec touch -h -d "@$epoch" {} +
}

# release: the kernel's release, of which the stage holds exactly one
release() {
	set -- "$stage"/boot/vmlinuz-*
	if [ $# != 1 ] || [ ! -f "$1" ]; then die "not one kernel but $# in '$stage/boot'"; fi
	printf '%s\n' "${1##*/vmlinuz-}"
}

# recipe: a digest over the recipe, the list and the locked packages: what an image is made of
recipe() {
	(
		cd "$here" || exit
		find . -name '*.sh' -type f ! -path './t/*' -o -path './skel/*' -type f | sort |
			xargs cat
		cat "$list" "$lock"
	) | digest
}
