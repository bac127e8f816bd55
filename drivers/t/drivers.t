#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab drivers over stores that know nothing, and then more and more, of two rows.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
export HILAB_STORE="$dir/h.db"
n_runs=0

a_run() { # JOB SOC TWIN NAME STATUS [NAME STATUS]: one that ended is in the store
	n_runs=$((n_runs + 1))
	run=$dir/run$n_runs
	mkdir "$run"
	at=$((1000 * n_runs))
	cat >"$run/events.jsonl" <<-END
	{"seq":0,"at":$at,"ms":0,"kind":"run-start","job":"$1","board":"b","type":"t","soc":"$2","lab":"l","twin":$3,"steps":1,"pid":1}
	{"seq":1,"at":$at,"ms":0,"kind":"result","suite":"$1","name":"$4","status":"$5","log_offset":-1}
	END
	[ $# -lt 7 ] || printf '{"seq":3,"at":%s,"ms":0,"kind":"result","suite":"s","name":"%s","status":"%s","log_offset":-1}\n' \
		"$at" "$6" "$7" >>"$run/events.jsonl"
	printf '{"seq":4,"at":%s,"ms":0,"kind":"run-end","verdict":"pass"}\n' "$at" >>"$run/events.jsonl"
	printf '{"verdict":"pass","started_ms":%s,"ended_ms":%s,"counts":{}}\n' $at $at >"$run/status"
	"$hilab" import "$run" >"$dir/imported" 2>&1 || cat "$dir/imported"
}
is_class() { # NAME ROW CLASS
	check "$1" 0 "" "$hilab" drivers am335x
	grep -qE "^$2 +[a-z-]+ +$3 " "$dir/out"
	ok $? "$1: '$2' is $3"
}

check 'the list, and no store yet' 0 'am335x  ' "$hilab" drivers
check 'of all five' 0 'j721e  ' "$hilab" drivers
check 'as JSON' 0 '"not testable":' "$hilab" drivers --json
check 'one SoC' 0 'uart-tiocgserial  ioctl' "$hilab" drivers am335x
check 'with its counts' 0 ' 0 on silicon, 0 on twin, 0 failing' "$hilab" drivers am335x
check 'one driver' 0 'uart: UART (Character; DMA: Not Supported)' "$hilab" drivers am335x uart
check 'its kernel options' 0 'options: CONFIG_SERIAL_8250_OMAP' "$hilab" drivers am335x uart
check 'one SoC as JSON' 0 '"says": "TIOCSSERIAL sets them"' "$hilab" drivers am335x --json
check 'no such SoC' 2 "did you mean 'am335x'" "$hilab" drivers am353x
check 'no such driver' 2 "'am335x' has no driver 'uaart'" "$hilab" drivers am335x uaart

is_class 'nothing heard' boot-sd 'not run'
a_run other am335x true medium pass
a_run am335x-sd-boot j721e true medium pass
is_class 'another job, another SoC' boot-sd 'not run'
a_run am335x-sd-boot am335x true medium skip
is_class 'skipped' boot-sd 'skipped'
a_run am335x-sd-boot am335x true medium pass
is_class 'passed on a twin' boot-sd 'on twin'
a_run am335x-sd-boot am335x false medium pass
is_class 'passed on silicon' boot-sd 'on silicon'
a_run am335x-sd-boot am335x true medium fail
is_class 'a twin that fails is not silicon' boot-sd 'on silicon'
a_run am335x-sd-boot am335x false medium fail
is_class 'fails on silicon' boot-sd 'failing'
a_run am335x-sd-boot am335x false medium pass
a_run am335x-sd-boot am335x false medium miss
is_class 'a lost result says nothing' boot-sd 'on silicon'
a_run am335x-sd-boot am335x true medium pass
a_run am335x-sd-boot am335x false medium pass medium/card skip
is_class 'a step of which all tests were skipped proves nothing' boot-sd 'on twin'
a_run am335x-sd-boot am335x false medium/card fail medium pass
is_class 'nor does one with a failed test' boot-sd 'failing'
a_run am335x-sd-boot am335x false medium pass medium/card pass
is_class 'one with a passed test does' boot-sd 'on silicon'
check 'and the run is told' 0 '"run": 13' "$hilab" drivers am335x --json
check 'the counts go with it' 0 ' 1 on silicon, 0 on twin, 0 failing' "$hilab" drivers am335x
is_class 'nothing heard of a test' spi 'not run'
a_run driver-tests am335x true spi/other skip spi pass
is_class 'its step skipped all that it came to' spi skipped
a_run driver-tests am335x true spi/other pass spi pass
is_class 'its step did not' spi 'not run'
check 'a store that is none' 3 "is not a database" "$hilab" drivers --store "${HILAB_DATA:-.}/Makefile"

# Where the documents lie beside the tree, the list of their statements is theirs.
documents=${HILAB_DATA:-.}/../shared/reference/seed_features.csv
if [ -f "$documents" ]; then
	# quoted subjects have no comma and no quote; statements are not looked at
	awk -F, 'NR > 1 { print $2 "\t" $3 "\t" $4 }' "$documents" | sort >"$dir/theirs"
	awk -F'\t' 'NR > 1 { print $1 "\t" $2 "\t" $3 }' "${HILAB_DATA:-.}/drivers/t/data/published.tsv" |
		sort >"$dir/ours"
	check 'every statement of the documents is listed' 0 '' diff "$dir/theirs" "$dir/ours"
fi
finish
