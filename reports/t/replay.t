#!/bin/sh
# SPDX-License-Identifier: MIT
# Published tables stored by runs of their own jobs, with the params of silicon, each on a played
# board of its SoC's own type that answers the job's commands with the table, its values drawn at
# random. HILAB_SEED sets the seed. What was reached never falls.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
. "$HILAB_DATA/reports/t/replay.sh"
cd "$dir" || exit 1

seed=${HILAB_SEED:-$(date +%s)}
"$HILAB_BUILD/reports/t/tool-replay" "$seed" "$dir/p" >boards 2>err
is "$?" 0 "boards are made of the tables' jobs: $(tail -n 1 boards)" || sed 's/^/# /' err
said=$(sed -n 's/^figures \([0-9]*\) .*/\1/p' boards)
sed -i '/^figures /d' boards
played_boards
run_boards
while read -r board; do
	is "$(cat "$board.status")" 0 "$(sed -n 2p "p/$board.args") on $board" ||
		grep -E '^(not ok|.*(error|fail|miss))' "$board.log" | head -n 20 | sed 's/^/# /'
done <boards

"$HILAB" coverage --seed "$seed" >coverage
floor() { # SOC FIGURES-MIN
	got=$(awk -v soc="$1" '$1 == soc { n += $6 } END { print n + 0 }' coverage)
	of=$(awk -v soc="$1" '$1 == soc { n += $2 } END { print n + 0 }' coverage)
	[ "$got" -ge "$2" ]
	ok $? "$1: $got of $of figures stored by their jobs, at least $2"
	"$HILAB" report guide "$1" --release "${3:-played}" --format markdown >"$1.md" 2>err ||
		"$HILAB" report guide "$1" --release "${3:-played}" --twin --format markdown >"$1.md" 2>>err
	is "$?" 0 "$1: the guide of what was measured" || sed 's/^/# /' err
	cells=$(sed -n 's/^\([0-9]*\) of [0-9]* figures were measured.*/\1/p' "$1.md")
	[ "${cells:-0}" -ge "$2" ]
	ok $? "$1: has ${cells:-none} of them"
}
floor adsp-sc5xx 28
floor am275x 157
# one less each: a boot time by the lab's clock may be off on a busy host
floor am335x 246
floor am62axx 433
floor j721e 668
awk '$1 ~ /^(a|j)/ && $2 + 0 > 0 && $6 < $2 { $2 = $6 " of " $2; $3 = $4 = $5 = $6 = $7 = $8 = ""; print "# missing: " $0 }' coverage
stored=$(sed -n 's/^\([0-9]*\) figures, and .* stored with exactly.*/\1/p' coverage)
tables=$(sed -n 's/^[0-9]* figures, and \([0-9]*\) whole tables, are stored.*/\1/p' coverage)
[ "${stored:-0}" -le "$said" ]
ok $? "no more than the boards printed: $said"
sed -n 's/.*(\([0-9]* by the lab.s clock.*\))\.$/# \1/p' coverage
echo "# seed $seed: stored by their jobs on played boards: $stored of 1534 figures, $tables of 108 tables"
finish
