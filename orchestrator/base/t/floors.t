#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules of the house that a program can check: includes go down the floors that stand in
# `floors`, files are short and begin with their licence, nobody starts a shell by library call,
# nothing is written in Python. Each rule is then shown to bite, on a copy with a mistake in it.
LC_ALL=C
export LC_ALL
top=${HILAB_DATA:-.}
here=$top/orchestrator/base/t
rooms='orchestrator agents labs jobs reports firmware drivers'
lines_max=800
lines_wanted=500
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

ok() # STATUS NAME
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

# Files of the tree below $1 whose names match the patterns that follow.
files()
{
	dir=$1
	shift
	(
		cd "$dir" || exit
		set -f
		for room in $rooms; do
			[ -d "$room" ] && find "$room" -type f \( "$@" \)
		done | sort
	)
}

# One line for each include that does not go down, and for each folder that has no floor.
wrong_includes()
{
	files "$1" -name '*.[ch]' > "$tmp/files"
	grep -v '/t/' "$tmp/files" > "$tmp/sources"
	# The quotes of an include are its delimiters: FILE:LINE:#include "PATH"
	(cd "$1" && xargs grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"') \
		< "$tmp/sources" > "$tmp/includes"
	awk '
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	function floor(dir,    up)
	{
		if (dir in storey)
			return dir
		up = folder(dir) "/*"
		return up in storey ? up : ""
	}
	FILENAME ~ /\/floors$/ {
		if (NF == 4 && $1 !~ /^#/) {
			storey[$4] = $1
			wing[$4] = $2
			step[$4] = $3
		}
		next
	}
	FILENAME ~ /\/files$/ { known[$1] = 1; next }
	FILENAME ~ /\/sources$/ {
		if (floor(folder($1)) == "" && !told[folder($1)]++)
			print folder($1) ": this folder has no floor"
		next
	}
	{
		split($0, part, "\"")
		name = part[2]
		split($0, place, ":")
		from = folder(place[1])
		where = place[1] ":" place[2] ": "
		path = from "/" name
		if (!(path in known))
			path = "orchestrator/" name
		if (!(path in known))
			path = name
		if (!(path in known)) {
			print where "\"" name "\" is nowhere in the tree"
			next
		}
		to = folder(path)
		if (path ~ /\/t\//) {
			print where path " is for tests"
			next
		}
		if (from == to || floor(from) == "" || floor(to) == "")
			next
		a = floor(from)
		b = floor(to)
		if (storey[b] < storey[a])
			next
		if (storey[b] == storey[a] && wing[b] == wing[a] && step[b] < step[a])
			next
		print where from " does not stand on " to
	}' "$here/floors" "$tmp/files" "$tmp/sources" "$tmp/includes"
}

# FILE: LINES, for files with more lines than $2.
long_files()
{
	files "$1" -name '*.[ch]' -o -name '*.sh' -o -name '*.t' |
		(cd "$1" && xargs awk -v most="$2" '
			FNR == 1 && NR > 1 && lines > most { print file ": " lines " lines" }
			{ file = FILENAME; lines = FNR }
			END { if (lines > most) print file ": " lines " lines" }')
}

no_licence()
{
	files "$1" -name '*.[ch]' |
		(cd "$1" && xargs awk 'FNR == 1 && $0 != "/* SPDX-License-Identifier: MIT */" {
			print FILENAME ": first line is not the SPDX line" }')
}

# Calls, not words in comments.
shell_calls()
{
	files "$1" -name '*.[ch]' |
		(cd "$1" && xargs grep -nE '(^|[^[:alnum:]_"])(system|popen)[[:space:]]*\(') |
		grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)'
}

python()
{
	files "$1" -name '*.py' -o -name '*.pyc'
	files "$1" -perm -100 | (cd "$1" && xargs awk '
		FNR == 1 && /^#!.*python/ { print FILENAME ": a Python script" }')
}

# What a rule finds in the tree is its failure.
rule() # NAME COMMAND ...
{
	name=$1
	shift
	"$@" > "$tmp/found"
	sed 's/^/# /' "$tmp/found"
	[ ! -s "$tmp/found" ]
	ok $? "$name"
}

# A rule must find $2 in the copy once the file $3 holds the text on standard input.
bites() # NAME WANT FILE COMMAND ...
{
	name=$1 want=$2 file=$tmp/copy/$3
	shift 3
	mkdir -p "${file%/*}"
	cat > "$file"
	"$@" > "$tmp/found"
	grep -qF "$want" "$tmp/found"
	ok $? "$name"
	rm "$file"
}

rule 'includes go down the floors' wrong_includes "$top"
rule "no file has more than $lines_max lines" long_files "$top" $lines_max
rule 'every C file begins with the licence' no_licence "$top"
rule 'nobody calls system or popen' shell_calls "$top"
rule 'there is no Python' python "$top"
long_files "$top" $lines_wanted | sed 's/^/# long: /'
[ "$(wc -l < "$tmp/includes")" -gt 20 ]
ok $? "$(wc -l < "$tmp/includes") includes were looked at"

for dir in base io cli store sched; do
	mkdir -p "$tmp/copy/orchestrator/$dir"
done
mkdir -p "$tmp/copy/agents/power" "$tmp/copy/agents/deploy" "$tmp/copy/agents/bench" \
	"$tmp/copy/orchestrator/io/t" "$tmp/copy/reports/parse" "$tmp/copy/labs/virtual"
for file in orchestrator/base/err.h orchestrator/io/yaml.h orchestrator/cli/cli.h \
	agents/power/power.h agents/bench/bench.h orchestrator/io/t/x.h reports/parse/parse.h \
	labs/lab.h labs/virtual/virtual.h; do
	echo '/* SPDX-License-Identifier: MIT */' > "$tmp/copy/$file"
done
rule 'a tidy copy has no fault' wrong_includes "$tmp/copy"

bites 'an include that goes up is found' \
	'orchestrator/base/x.c:2: orchestrator/base does not stand on orchestrator/io' \
	orchestrator/base/x.c wrong_includes "$tmp/copy" <<'END'
#include "base/err.h"
#include "io/yaml.h"
END
bites 'one that goes sideways' 'agents/deploy does not stand on agents/power' \
	agents/deploy/x.h wrong_includes "$tmp/copy" <<'END'
 # include "agents/power/power.h"
END
bites 'one from wing to wing' 'agents/deploy does not stand on reports/parse' \
	agents/deploy/x.c wrong_includes "$tmp/copy" <<'END'
#include "reports/parse/parse.h"
END
bites 'one from the virtual lab up to the labs' 'labs/virtual/twin does not stand on labs' \
	labs/virtual/twin/x.c wrong_includes "$tmp/copy" <<'END'
#include "labs/lab.h"
END
bites 'one of a test file' 'orchestrator/io/t/x.h is for tests' \
	orchestrator/io/x.c wrong_includes "$tmp/copy" <<'END'
#include "io/t/x.h"
END
bites 'one that is nowhere' '"gone.h" is nowhere in the tree' \
	orchestrator/io/x.c wrong_includes "$tmp/copy" <<'END'
#include "gone.h"
END
bites 'a folder without a floor' 'agents/attic: this folder has no floor' \
	agents/attic/x.c wrong_includes "$tmp/copy" <<'END'
int x;
END
mkdir -p "$tmp/copy/labs/virtual/twin"
cat > "$tmp/copy/labs/virtual/twin/y.c" <<'END'
#include "io/yaml.h"
#include "labs/virtual/virtual.h"
END
cat > "$tmp/copy/agents/power/y.c" <<'END'
#include "agents/bench/bench.h"
#include "power.h"
END
rule 'includes that go down are let pass' wrong_includes "$tmp/copy"
awk 'BEGIN { for (i = 0; i < 801; i++) print "" }' > "$tmp/long"
bites 'a long file is found' 'orchestrator/io/x.c: 801 lines' \
	orchestrator/io/x.c long_files "$tmp/copy" $lines_max < "$tmp/long"
bites 'a file without licence' 'orchestrator/io/x.c: first line' \
	orchestrator/io/x.c no_licence "$tmp/copy" <<'END'
int x;
END
bites 'a call of system' 'orchestrator/io/x.c:3:' \
	orchestrator/io/x.c shell_calls "$tmp/copy" <<'END'
/* never system("x") */
 * nor popen("x")
	return system ("reboot");
END
bites 'a Python file' 'reports/x.py' reports/x.py python "$tmp/copy" <<'END'
print()
END

echo "1..$n"
exit $failed
