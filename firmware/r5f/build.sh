#!/bin/sh
# SPDX-License-Identifier: MIT
# Build the ROM and the benchmark firmware of the real-time twins, and a boot image for each SoC.
# usage: build.sh OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cross=${R5F_CROSS:-arm-none-eabi-}

for p in "${cross}gcc:gcc-arm-none-eabi" "${cross}objcopy:binutils-arm-none-eabi" cc:gcc; do
	command -v "${p%%:*}" >/dev/null 2>&1 ||
		{ echo "firmware: '${p%%:*}' is not installed: apt-get install ${p#*:}" >&2; exit 1; }
done
printf '#include <stdio.h>\n' | "${cross}gcc" -E - >/dev/null 2>&1 ||
	{ echo 'firmware: no C library: apt-get install libnewlib-arm-none-eabi' >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# equal sources give equal images, wherever the tree stands
flags="-std=gnu11 -O2 -mcpu=cortex-r5 -mthumb -mfloat-abi=hard -mfpu=vfpv3-d16 -mno-unaligned-access
	-ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns -ffunction-sections
	-fdata-sections -Wall -Wextra -Werror -Wno-unused-function -ffile-prefix-map=$top=."
digest=$(cd "$here" && cat ./*.c ./*.h ./*.S ./*.ld build.sh "$top/drivers/tests/hil.h" | sha256sum | cut -c1-12)
version=r5f-$digest

# link ELF SCRIPT LIBRARY FLAGS SOURCE...
link() (
	elf=$1 script=$2 specs=$3 more=$4
	shift 4
	cd "$here"
	# shellcheck disable=SC2086
	"${cross}gcc" $flags $more $specs -I"$top" -nostartfiles -Wl,--gc-sections,-z,max-page-size=4096 \
		-Wl,--no-warn-rwx-segments -T "$script" -o "$elf" start.S "$@"
)
cc -std=gnu11 -O1 -I"$top" -o "$work/mkimage" "$here/mkimage.c" "$here/image.c"
for soc in am275x j721e; do
	case $soc in j721e) is=-DSOC_J721E ;; *) is=-DSOC_AM275X ;; esac
	link "$work/rom.elf" rom.ld --specs=nano.specs "-Wl,--build-id=none -DROM $is -DSOC=\"$soc\"" \
		rom.c board.c card.c image.c xmodem.c libc.c
	link "$work/firmware.elf" firmware.ld '' "-Wl,--build-id=sha1 $is -DSOC=\"$soc\" -DVERSION=\"$version\"" \
		main.c frames.c table.c ipc.c memory.c storage.c timer.c profile.c board.c card.c sleep.c libc.c
	id=$("${cross}readelf" -n "$work/firmware.elf" | sed -n 's/.*Build ID: //p')
	"${cross}objcopy" -O binary "$work/firmware.elf" "$work/firmware.bin"
	"$work/mkimage" "$work/firmware.bin" "$out/$soc.img" "$soc" "$version" "$id" 0 0
	"${cross}strip" -o "$out/$soc-rom.elf" "$work/rom.elf"
	printf '%s\n' "$version" >"$out/$soc.version"
	printf '%s\n' "$id" >"$out/$soc.build-id"
done
printf '%s\n' 'hilab ROM 1' >"$out/rom.version"
echo "firmware: $version"
