#!/bin/sh
# SPDX-License-Identifier: MIT
# One lab with a twin of each of the five families: the smoke job of each passes, two at a time.
# Says how long that took; judges no time.
. "$HILAB_DATA/labs/virtual/t/lab.sh"

start_daemon twin a=am62axx-sk b=am335x-evm c=adsp-sc589-ezkit d=am275x-evm e=j721e-evm --dir "$dir/lab"
begin=$(date +%s)
smoke() { # SOC...: one after the other
	for soc; do
		"$HILAB" run "$HILAB_DATA/jobs/$soc/smoke.yaml" --lab "$dir/lab/lab.yaml" >"$dir/$soc.out" 2>&1
		echo $? >"$dir/$soc.rc"
	done
}
smoke am62axx am275x j721e &
lane=$!
smoke am335x adsp-sc5xx
wait $lane
for soc in am335x am62axx am275x adsp-sc5xx j721e; do
	is "$(cat "$dir/$soc.rc")" 0 "the smoke job of $soc"
	[ "$(cat "$dir/$soc.rc")" = 0 ] || sed 's/^/# /' "$dir/$soc.out"
done
echo "# all five in $(($(date +%s) - begin)) s"
"$HILAB" twin ctl "$dir/lab" status | grep -vq ' off pid' && fail 'a board is on' || pass 'all boards are off'
stop_daemon "$daemon"
finish
