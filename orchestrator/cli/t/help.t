#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab help, and the manual pages that it writes.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
top=${HILAB_DATA:-.}

"$hilab" help >"$dir/help" 2>&1
ok $? 'help'
commands=$(awk '/^  [a-z]/ { print $1 }' "$dir/help")
"$hilab" >"$dir/out" 2>/dev/null
[ $? -eq 2 ] && cmp -s "$dir/help" "$dir/out"
ok $? 'no command at all prints the same, and is wrong'
"$hilab" --help >"$dir/out" 2>&1 && cmp -s "$dir/help" "$dir/out"
ok $? '--help is help'
"$hilab" help rnu >"$dir/out" 2>&1
[ $? -eq 2 ] && grep -q "did you mean 'run'" "$dir/out"
ok $? 'help of a command that is none'
for verb in guide run trend; do
	"$hilab" help report $verb >"$dir/text"
	"$hilab" report $verb -h >"$dir/out" 2>&1 && cmp -s "$dir/text" "$dir/out"
	ok $? "report $verb: -h is its help"
	"$hilab" help --man report $verb >"$dir/page.1" && mandoc -T lint -W warning "$dir/page.1" >"$dir/out" 2>&1
	ok $? "report $verb: has a page"
	"$hilab" help --man report >"$dir/out" 2>&1 && grep -q "^\.Nm hilab report $verb$" "$dir/out"
	ok $? "report $verb: stands in the page of report"
done
"$hilab" help report nothing >"$dir/out" 2>&1
[ $? -eq 2 ] && grep -q "has no verb .nothing." "$dir/out"
ok $? "help of a verb that is none"

"$hilab" help --man >"$dir/hilab.1"
ok $? 'the page of the program'
mandoc -T lint -W warning "$dir/hilab.1" >"$dir/out" 2>&1
ok $? 'mandoc has nothing to say'
for c in $commands; do
	page=$dir/hilab-$c.1
	"$hilab" help "$c" >"$dir/text"
	"$hilab" "$c" -h >"$dir/out" 2>&1 && cmp -s "$dir/text" "$dir/out"
	ok $? "$c: -h is its help"
	"$hilab" help --man "$c" >"$page"
	mandoc -T lint -W warning "$page" >"$dir/out" 2>&1
	ok $? "$c: mandoc has nothing to say of its page"
	grep -q "^\.It Xr hilab-$c 1$" "$dir/hilab.1"
	ok $? "$c: the program's page names it"
	mandoc -T ascii "$page" | col -b >"$dir/out"
	missing=
	for option in $(sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p' "$dir/text"); do
		grep -q -e " $option" "$dir/out" || missing="$missing $option"
	done
	[ -z "$missing" ]
	ok $? "$c: the page tells all its options$missing"
done

# What the program asks the environment for stands in its page.
grep -rhoE 'getenv\("HILAB_[A-Z_]*"\)' "$top/orchestrator" "$top/agents" "$top/labs" "$top/jobs" \
	"$top/reports" --include='*.c' --exclude-dir=t | sed 's/.*"\(.*\)".*/\1/' | sort -u >"$dir/asked"
sed -n 's/^\.It Ev \(HILAB_.*\)/\1/p' "$dir/hilab.1" | sort >"$dir/told"
diff "$dir/asked" "$dir/told" >"$dir/out" && [ -s "$dir/told" ]
ok $? 'the page tells every variable, and no other'

for page in "$top"/*/doc/*.[57] "$top"/*/*/doc/*.[57]; do
	mandoc -T lint -W warning "$page" >"$dir/out" 2>&1
	ok $? "mandoc has nothing to say of ${page##*/}"
done
finish
