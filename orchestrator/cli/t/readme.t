#!/bin/sh
# SPDX-License-Identifier: MIT
# What the README shows is what hilab takes: its job, its lab file and its build pass the check.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
export XDG_CONFIG_HOME="$dir/none" HILAB_DATA
n=0

shown() { # KEY: the example that begins with that key, its digests filled in
	awk -v key="^    $1: " '$0 ~ key && !in_block { on = 1 } { in_block = /^    / } on && !/^    / { exit } on { print substr($0, 5) }' \
		"$HILAB_DATA/README.md" | sed "s/sha256: \.\.\./sha256: $(printf %064d 0)/"
}
for kind in job lab build; do
	n=$((n + 1))
	shown $kind >"$dir/$kind.yaml"
	said=$("$HILAB" check "$dir/$kind.yaml" 2>&1)
	case $said in
	*"$kind.yaml: ok ($kind)") echo "ok $n - the $kind that it shows" ;;
	*)
		echo "not ok $n - the $kind that it shows"
		echo "$said" | sed 's/^/# /'
		;;
	esac
done
echo "1..$n"
