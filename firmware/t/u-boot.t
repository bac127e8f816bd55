#!/bin/sh
# SPDX-License-Identifier: MIT
# u-boot.sh where it need not build: a result in the cache, a mirror without sources, damage.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
sh=${HILAB_DATA:-.}/firmware/u-boot.sh
config=${HILAB_DATA:-.}/firmware/u-boot.config
export ARCH=arm64 CACHE="$dir/cache"
mkdir -p "$CACHE/u-boot" "$dir/bin"

# an apt-get that never gives anything, and tells that it was asked
cat >"$dir/bin/apt-get" <<END
#!/bin/sh
echo asked >>"$dir/asked"
echo "E: no such suite"
exit 100
END
chmod 755 "$dir/bin/apt-get"
PATH=$dir/bin:$PATH
asked() { wc -l <"$dir/asked" 2>/dev/null || echo 0; }

printf 'xxU-Boot 2023.01+dfsg-2 (Jan 01 2023 - 00:00:00 +0000)yy' >"$dir/packaged"
check 'no source: the packaged one' 0 'is taken, without mmc' sh "$sh" "$dir/packaged" "$dir/u-boot.bin"
check 'is what it makes' 0 '' cmp "$dir/packaged" "$dir/u-boot.bin"
check 'and its version is told' 0 'U-Boot 2023.01+dfsg-2 (Jan' cat "$dir/u-boot.version"
[ "$(asked)" -ge 1 ]
ok $? "the mirror was asked"

printf source >"$CACHE/u-boot/u-boot_1.orig.tar.xz"
(cd "$CACHE/u-boot" && sha256sum u-boot_1.orig.tar.xz >source.lock)
digest=$(cat "$sh" "$config" "$CACHE/u-boot/source.lock" | sha256sum | cut -c1-8)
printf 'U-Boot 2023.01-hilab-%s (Jan 01 2023 - 00:00:00 +0000)' "$digest" >"$CACHE/u-boot/arm64-$digest.bin"
: >"$dir/asked"
check 'a result in the cache' 0 "hilab-$digest" sh "$sh" "$dir/packaged" "$dir/u-boot.bin"
check 'is what it makes' 0 "hilab-$digest" cat "$dir/u-boot.version"
check 'and nobody is asked' 0 '' cmp /dev/null "$dir/asked"

printf damaged >"$CACHE/u-boot/u-boot_1.orig.tar.xz"
check 'a damaged source is not built' 0 'is taken, without mmc' sh "$sh" "$dir/packaged" "$dir/u-boot.bin"
check 'but asked for again' 0 'asked' cat "$dir/asked"

printf none >"$dir/packaged"
check 'one that tells no version' 1 'does not tell its version' sh "$sh" "$dir/packaged" "$dir/other.bin"
[ ! -e "$dir/other.bin" ]
ok $? "is not handed on"
check 'none at all' 1 'no boot loader' sh "$sh" "$dir/gone" "$dir/other.bin"
ARCH=mips
check 'another architecture' 1 "no boot loader for 'mips'" sh "$sh" "$dir/packaged" "$dir/other.bin"

# what the jobs of the boot loader need
for option in CMD_MMC MMC_WRITE FAT_WRITE CMD_TIME CMD_TFTPPUT CMD_FASTBOOT CMD_UBI CMD_SETEXPR; do
	grep -qx "CONFIG_$option=y" "$config"
	ok $? "the configuration has $option"
done
finish
