#!/bin/sh
# SPDX-License-Identifier: MIT
# Published tables stored by runs on a played board: the steps of the tables' own jobs, with their
# labels and parsers as they compile; what their commands would print is rendered with values drawn
# at random. HILAB_SEED sets the seed. The floors below never fall.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1

seed=${HILAB_SEED:-$(date +%s)}
tool=$HILAB_BUILD/reports/t/tool-replay
played_images
manifest build.yaml
start_player b=am62axx-sk-twin

figures=0
tables=0
replay() { # SOC FIGURES-MIN
	mkdir -p "$dir/$1"
	"$tool" job "$1" "$seed" "$dir/$1" >out 2>&1
	is "$?" 0 "$1: its job is written: $(tail -n 1 out)"
	cp build.yaml kernel root "$1/"
	"$HILAB" run "$1/job.yaml" --lab p/lab.yaml >"$1.log" 2>&1
	is "$?" 0 "$1: it runs" || tail -n 20 "$1.log" | sed 's/^/# /'
	"$tool" judge "$1" "$seed" "$HILAB_STORE" >"$1.out" 2>&1
	said=$(tail -n 1 "$1.out")
	count=${said%% of*}
	whole=${said#*, }
	whole=${whole%% of*}
	[ "${count:-0}" -ge "$2" ]
	ok $? "$1: stored by its jobs' steps on a player: $said"
	grep '^# ' "$1.out"
	figures=$((figures + ${count:-0}))
	tables=$((tables + ${whole:-0}))
}
replay adsp-sc5xx 28
replay am275x 157
replay am335x 138
replay am62axx 400
replay j721e 668
# The board is a twin: nothing of it is a result on silicon.
"$HILAB" coverage am62axx >out
twin=$(sed -n 's/^0 have a result on silicon, \([0-9]*\) on a twin.*/\1/p' out)
[ "${twin:-0}" -ge 400 ]
ok $? "hilab coverage counts them as a twin's: ${twin:-none}"
echo "# seed $seed: stored by a job's steps on a player: $figures of 1534 figures, $tables of 108 tables"
finish
