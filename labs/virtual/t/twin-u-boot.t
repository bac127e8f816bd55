#!/bin/sh
# SPDX-License-Identifier: MIT
# The boot loader jobs on the real twins: features one by one, and storage against the clock. What a
# twin does not have is skipped, with the reason; no figure is judged by its size.
. "$HILAB_DATA/labs/virtual/t/twin.sh"

has() { # PATTERN NAME
	grep -qE -- "$1" "$dir/report" && pass "$2" || fail "$2" "$(tail -n 20 "$dir/out" "$dir/report")"
}
features() { # SOC TYPE [MORE-FEATURES]
	"$HILAB" run "$HILAB_DATA/jobs/common/u-boot-features.yaml" --lab "$dir/lab/lab.yaml" \
		--param "soc=$1" --param "build=$1-twin" >"$dir/report" 2>"$dir/out"
	is $? 0 "$2: the features pass"
	for feature in uart tftp mmc $3; do has "^    pass  $feature *\$" "$2: $feature"; done
	for feature in dfu emmc spi-flash nand; do
		has "^    skip  $feature +the boot loader of a '$2' has no $feature" "$2: no $feature"
	done
	has '^  tftp +uboot\.read\.bw +[0-9.]+  KiB/s +bytes=0x[0-9a-f]+ fs=tftp' "$2: the rate of TFTP"
}

start
features am62axx am62axx-sk-twin usb-storage
"$HILAB" run "$HILAB_DATA/jobs/am62axx/u-boot-storage.yaml" --lab "$dir/lab/lab.yaml" \
	>"$dir/report" 2>"$dir/out"
is $? 0 'the storage job passes'
for bytes in 0x400000 0x800000 0x1000000; do
	has "^  fat-write-$bytes +uboot\.write\.bw +[0-9.]+  KiB/s +bytes=$bytes .*fs=fat media=sd" "FAT written: $bytes"
	has "^  fat-read-$bytes +uboot\.read\.bw +[0-9.]+  KiB/s +bytes=$bytes .*fs=fat media=sd" "FAT read: $bytes"
done
for bytes in 0x2000000 0x4000000; do
	has "^    skip  emmc-write-$bytes " "no eMMC to write $bytes to"
	has "^    skip  emmc-read-$bytes " "nor to read them from"
done
has '^  boot-loader +as deployed' 'and the boot loader is the one deployed'
stop_daemon "$daemon"

for twin in am335x-evm:am335x adsp-sc589-ezkit:adsp-sc5xx; do
	rm -rf "$dir/lab"
	start --type "${twin%:*}"
	features "${twin#*:}" "${twin%:*}-twin" ""
	stop_daemon "$daemon"
done
finish
