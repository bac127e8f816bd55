# SPDX-License-Identifier: MIT
# What a program needs to run, read from its ELF headers on a host that cannot run it. Sourced
# after lib.sh.

interpreter() { # FILE: the path of its dynamic linker
	readelf -lW "$1" 2>/dev/null | sed -n 's/.*program interpreter: \(.*\)]$/\1/p'
}

needed() { # FILE...: names of the libraries that they are linked to
	readelf -dW "$@" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | sort -u
}

# closure WORK FILE...: "NAME PATH" of every library that the files need, one a line, and of
# those which these need; WORK is an empty folder. A library that no package has is an error.
# The dynamic linker is left out: it has one fixed place in the root.
closure() (
	work=$1; shift
	# the shallowest of several files of one name is the one that the linker would find
	find "$stage/usr/lib" -name '*.so*' \( -type f -o -type l \) |
		awk -F/ '{ print $NF, NF, $0 }' | sort -k1,1 -k2,2n -k3 |
		awk '!seen[$1]++ { print $1, $3 }' >"$work/index"
	: >"$work/seen"
	needed "$@" >"$work/todo"
	while [ -s "$work/todo" ]; do
		: >"$work/files"
		while read -r name; do
			printf '%s\n' "$name" >>"$work/seen"
			case $name in ld-linux*) continue ;; esac
			path=$(awk -v n="$name" '$1 == n { print $2; exit }' "$work/index")
			[ -n "$path" ] || die "library '$name' is in none of the packages of '$list'"
			printf '%s\n' "$path" >>"$work/files"
			printf '%s %s\n' "$name" "$path"
		done <"$work/todo"
		# shellcheck disable=SC2046
		set -- $(cat "$work/files")
		[ $# -gt 0 ] || break
		sort -u "$work/seen" >"$work/seen.sorted"
		needed "$@" | comm -23 - "$work/seen.sorted" >"$work/todo"
	done
)
