#!/bin/sh
# SPDX-License-Identifier: MIT
# What the README shows is what hilab takes: its job, its lab file and its build pass the check.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
export XDG_CONFIG_HOME="$dir/none" HILAB_DATA

shown() { # KEY: the example that begins with that key, its digests filled in
	awk -v key="^    $1: " '$0 ~ key && !in_block { on = 1 } { in_block = /^    / } on && !/^    / { exit } on { print substr($0, 5) }' \
		"$HILAB_DATA/README.md" | sed "s/sha256: \.\.\./sha256: $(printf %064d 0)/"
}
for kind in job lab build; do
	shown $kind >"$dir/$kind.yaml"
	like "$("$HILAB" check "$dir/$kind.yaml" 2>&1)" "*$kind.yaml: ok ($kind)" "the $kind that it shows"
done
finish
