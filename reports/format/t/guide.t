#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab report guide, as a user calls it; and its pages read by somebody else: the importer of
# published documents, whose rules know tables by captions alone, finds the same figures under the
# same keys. The floors below never fall.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
tool=${HILAB_BUILD:-build/release}/reports/format/t/tool-guide
export HILAB_STORE="$dir/h.db"
seed=${HILAB_SEED:-$(date +%s)}

figures=0
round() { # SOC TYPE FORMAT FLOOR
	"$hilab" report guide "$1" --release 2.0 -f "$3" -o "$dir/$1.$3" >"$dir/out" 2>&1
	ok $? "$1: its guide as $3"
	"$hilab" import --type "$2" --soc "$1" --board b1 --build again --release "2.0-$3" \
		--date 2026-01-31 "$dir/$1.$3" >"$dir/import" 2>&1
	ok $? "$1: is a document that can be imported"
	"$hilab" report guide "$1" --release 2.0 --release "2.0-$3" -f markdown >"$dir/back" 2>"$dir/out"
	ok $? "$1: what was imported is a release"
	back=$(grep -o "(same[;)]\\|; same)" "$dir/back" | wc -l)
	[ "$back" -ge "$4" ]
	ok $? "$1: $back figures come back from $3, at least $4"
	is "$(grep -c "[(;] *was [^)]*%" "$dir/back")" 0 "$1: none of them as another one"
	figures=$((figures + back))
}
for each in 'adsp-sc5xx adsp-sc589-ezkit 24' 'am275x am275x-evm 124' 'am335x am335x-evm 238' \
	'am62axx am62axx-sk 430' 'j721e j721e-evm 520'; do
	set -- $each
	"$tool" "$HILAB_STORE" "$1" "$2" 2.0 "$seed" >"$dir/out" 2>&1
	ok $? "$1: a run with all its figures"
	for format in rst html; do
		round "$1" "$2" $format "$3"
	done
done
echo "# seed $seed: $figures figures of two formats came back"
finish
