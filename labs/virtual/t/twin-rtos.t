#!/bin/sh
# SPDX-License-Identifier: MIT
# The twin with real-time cores: its smoke job from the card, XMODEM over the console, what frames and
# tables tell of one run, what its ROM refuses and who is blamed for it, and a QEMU that is killed.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

images=$HILAB_DATA/build/images
run() { # JOB OPTIONS...: into $dir/out, its exit status
	job=$1
	shift
	"$HILAB" run "$job" --lab "$dir/lab/lab.yaml" "$@" >"$dir/out" 2>&1
}
report_has() { # PATTERN NAME
	grep -qE -- "$1" "$dir/report" && pass "$2" || fail "$2" "$(tail -n 30 "$dir/report")"
}

start --type am275x-evm
run "$HILAB_DATA/jobs/am275x/smoke.yaml"
is $? 0 'the smoke job passes'
"$HILAB" report latest >"$dir/report"
report_has '^run 1  am275x-smoke  pass' 'the report says so'
report_has 'a twin' 'and that the board is a twin'
for role in rom firmware; do report_has "^  $role +as deployed" "the $role is the one deployed"; done
for stage in rom firmware; do report_has "^  login +boot.${stage}_ms +[0-9.]+ +ms" "stage $stage has a time"; done
report_has '^  boot-profile +sbl.total +[0-9.]+ +us +media=sd' 'the boot profile is read'
report_has '^  ipc-notify +ipc.notify +[0-9.]+ +us +from=r5f0-0 messages=1000 to=r5f0-1' 'so is the table of notifications'
for size in 32 64 112; do report_has "ipc.rpmsg_max +[0-9.]+ +us +.*size=$size" "and that of messages of $size bytes"; done
for size in 256k 1024k; do report_has "storage.write.bw +[0-9.]+ +MB/s +bs=$size media=sd mode=HS" "and that of the card by $size"; done
for case in cached uncached uncached-1-of-10; do report_has "xip.cycles +[0-9.]+ +cycles +case=$case op=fir" "and FIR $case"; done
report_has '^ +skip +interrupts/latency' 'what the machine has not is skipped'
! grep -qE '^ +(fail|error|miss) ' "$dir/report" && pass 'no result but pass and skip' || fail 'a result' "$(cat "$dir/report")"

# the figures in frames and those in the table of one run are the same
relay on
console until 'r5f> ' type 'run ipc-rpmsg messages=50\r' until 'failed' until 'r5f> ' type 'version\r' until 'r5f> ' |
	tr -d '\r' >"$dir/typed"
relay off
grep '^# metric ipc.rpmsg ' "$dir/typed" | awk '{printf "%.3f\n", $4}' >"$dir/framed"
"$HILAB" parse --as ipc "$dir/typed" | awk '$3 == "ipc.rpmsg" {printf "%.3f\n", $4}' >"$dir/read"
is "$(wc -l <"$dir/framed")" 3 'three sizes have a figure'
is "$(cat "$dir/read")" "$(cat "$dir/framed")" 'the parser reads from the table what the frames say'

run "$HILAB_DATA/jobs/am275x/uart-boot.yaml"
is $? 0 'XMODEM over the console boots it'
"$HILAB" report latest >"$dir/report"
report_has '^  firmware +as deployed' 'as deployed'
report_has 'sbl.stage +[0-9.]+ +us +media=uart stage=R5FSS0_0 Image Load' 'its profile says where it came from'

# ---- what the ROM refuses --------------------------------------------------------------------------
rom_says() { # IMAGE NAME REASON: with IMAGE on an empty card
	truncate -s 0 "$dir/lab/evm/sd.img"
	truncate -s 64M "$dir/lab/evm/sd.img"
	dd if="$1" of="$dir/lab/evm/sd.img" bs=512 seek=256 conv=notrunc status=none
	console until 'waits for a reset' | tr -d '\r' >"$dir/said" &
	reader=$!
	relay on
	wait $reader
	relay off
	grep -q "^ROM: refused: $3" "$dir/said" && pass "$2" || fail "$2" "$(cat "$dir/said")"
}
good=$images/r5f/am275x.img
change() { # BYTES AT: into $dir/bad
	cp "$good" "$dir/bad"
	printf "$1" | dd of="$dir/bad" bs=1 seek="$2" conv=notrunc status=none
}
: >"$dir/bad"
rom_says "$dir/bad" 'an empty card' 'no image: magic 00000000'
change 'X' 0
rom_says "$dir/bad" 'wrong magic' 'no image: magic '
change 'X' 40
rom_says "$dir/bad" 'a damaged header' 'header damaged: '
change 'XYZ' 5000
rom_says "$dir/bad" 'a wrong checksum' 'payload damaged: checksum '
head -c 20000 "$good" >"$dir/bad"
rom_says "$dir/bad" 'a truncated image' 'truncated: no end mark after '
rom_says "$images/r5f/j721e.img" "another SoC's image" "wrong SoC: image of 'j721e', chip is 'am275x'"

# ---- whose fault it is -----------------------------------------------------------------------------
manifest() { # IMAGE: a build whose firmware that is
	sed "s#path: r5f/#path: $images/r5f/#; s#path: .*am275x.img#path: $1#" "$images/am275x-twin.yaml" |
		awk -v sum="$(sha256sum "$1" | cut -d' ' -f1)" '
		/^  [a-z]/ { role = $1 } role == "firmware:" && /sha256/ { $0 = "    sha256: " sum } { print }' \
		>"$dir/build.yaml"
}
head -c 20000 "$good" >"$dir/bad"
manifest "$dir/bad"
run "$HILAB_DATA/jobs/am275x/uart-boot.yaml" --param "build=$dir/build.yaml"
is $? 5 "a job with a truncated image cannot use its build"
"$HILAB" report latest >"$dir/report"
report_has '^  blame +build: .*the ROM refuses the image: truncated: ' "by the build's fault, in the ROM's words"
manifest "$images/r5f/j721e.img"
run "$HILAB_DATA/jobs/am275x/smoke.yaml" --param "build=$dir/build.yaml"
"$HILAB" report latest >"$dir/report"
report_has "^  blame +build: .*wrong SoC: image of 'j721e'" "and one of another SoC"
# what is on the card is not what was deployed
cp "$good" "$dir/old"
sed 's/r5f-[0-9a-f]*/r5f-000000000000/' "$images/am275x-twin.yaml" |
	sed "s#path: r5f/#path: $images/r5f/#" >"$dir/build.yaml"
run "$HILAB_DATA/jobs/am275x/smoke.yaml" --param "build=$dir/build.yaml"
is $? 3 'a firmware that tells another version is incomplete'
"$HILAB" report latest >"$dir/report"
report_has "^  blame +[a-z]+: .*another firmware runs than the one deployed" 'and says so'

# ---- QEMU is killed --------------------------------------------------------------------------------
cat >"$dir/long.yaml" <<END
job: long
board: {soc: am275x}
build: am275x-twin
timeout: 60s
steps:
  - deploy: {method: card, images: firmware}
  - bootmode: sd
  - boot: rtos
  - login
  - run: {name: long, command: run ipc-rpmsg messages=2000000000}
END
run "$dir/long.yaml" &
job=$!
until grep -q "  firmware is the one deployed" "$dir/out" || ! kill -0 $job; do :; done 2>/dev/null
qemu=$(pid)
[ "$qemu" -gt 1 ] && kill -9 "$qemu"
wait $job
is $? 3 'a QEMU that is killed in mid-test leaves the run incomplete'
"$HILAB" report latest >"$dir/report"
report_has '^  blame +infra: ' "by the lab's fault"
run "$HILAB_DATA/jobs/am275x/smoke.yaml"
is $? 0 'and the next run is good'
stop_daemon "$daemon"
finish
