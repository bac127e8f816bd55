#!/bin/sh
# SPDX-License-Identifier: MIT
# Boots of the 32-bit twin by whole jobs: from its card by the boot-mode pins, then, with the pins
# put back, over TFTP, cold and warm.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

images=$HILAB_DATA/build/images/armhf
job() { # NAME WANT ARGS...
	name=$1 want=$2
	shift 2
	"$HILAB" run --lab "$dir/lab/lab.yaml" "$@" >"$dir/out" 2>&1
	is $? "$want" "$name"
	[ "$want" = 0 ] || return 0
	"$HILAB" report latest --json >"$dir/json" 2>&1
}
says() { # PATTERN NAME
	grep -q "$1" "$dir/json" && pass "$2" || fail "$2" "$(tail -n 20 "$dir/out")"
}

start --type am335x-evm
grep -q 'bootmode:' "$dir/lab/lab.yaml" && pass 'the lab file tells of the straps' || fail 'bootmode'
# with nothing on the card it stops at its prompt, and whose fault that is is told
job 'an empty card' 3 "$HILAB_DATA/jobs/am335x/sd-boot.yaml"
grep -q 'found nothing to start' "$dir/out" && pass 'says so' || fail 'empty' "$(cat "$dir/out")"
sh "$HILAB_DATA/firmware/card.sh" "$images/zImage" "$images/rootfs.cpio.gz" "$dir/lab/evm/sd.img" &&
	pass 'a card to boot from' || fail 'card.sh'
job 'from the card, nobody typing' 0 "$HILAB_DATA/jobs/am335x/sd-boot.yaml"
says '"name": "medium"' 'what runs came from the card'
is "$(status)" 'evm off' 'it is off again'

job 'pins put back: boots over TFTP, cold and warm' 0 "$HILAB_DATA/jobs/common/boot-cycles.yaml" \
	--param soc=am335x --param build=am335x-twin --param cycles=1
says '"kind": "cold"' 'times of a cold start'
says '"kind": "warm"' 'times of a warm start'
is "$(ctl status | sed 's/.*power-ons \([0-9]*\).*/\1/')" 3 'a warm start is no power cycle'
stop_daemon "$daemon"
finish
