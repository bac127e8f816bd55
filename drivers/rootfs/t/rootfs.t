#!/bin/sh
# SPDX-License-Identifier: MIT
# The recipe without a network: which sources are taken, what a missing library or module says,
# and that packing gives equal bytes from equal input, whatever the umask and the files' order.
set -u
. "$(dirname "$0")/../../../orchestrator/base/t/tap.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
work=$dir

# ---- sources
cat >"$work/a.list" <<-END
	deb [arch=amd64 signed-by=/k.gpg] http://m.example/debian bookworm main contrib # note
	deb-src http://m.example/debian bookworm main
	# deb http://m.example/debian bookworm-backports main
	deb http://other.example/apt foo-bookworm main
	deb cdrom:[disc]/ bookworm main
END
is "$(CODENAME=bookworm sh "$here/sources.sh" "$work/a.list")" "Types: deb
URIs: http://m.example/debian
Suites: bookworm
Signed-By: /k.gpg
Components: main" "one-line sources: the host's release only, without its architecture"
cat >"$work/b.sources" <<-END
	Types: deb deb-src
	# a comment
	URIs: http://m.example/debian
	Suites: bookworm bookworm-updates bookworm-backports
	Components: main non-free
	Architectures: amd64
	Signed-By: /k.gpg

	Enabled: no
	Types: deb
	URIs: http://off.example/debian
	Suites: bookworm
	Components: main
END
is "$(CODENAME=bookworm sh "$here/sources.sh" "$work/b.sources")" "Types: deb
URIs: http://m.example/debian
Suites: bookworm bookworm-updates
Signed-By: /k.gpg
Components: main" "deb822 sources: suites, types and architectures cut to what is wanted"
is "$(CODENAME=trixie sh "$here/sources.sh" "$work/a.list" "$work/b.sources")" "" \
	"no source of the host's release: nothing"

# ---- a small stage of the host's own programs under the names that the recipe looks for
recipe=$work/recipe
cp -R "$here" "$recipe"
cat >"$recipe/tiny.list" <<-END
	module two none
	late one four
	root usr/bin/busybox usr/bin/dash
	tool usr/bin/tool
END
ARCH=tiny CACHE=$work/cache OUT=$work/out
export ARCH CACHE OUT
stage=$CACHE/tiny/stage
ld=$(readelf -lW /bin/dash | sed -n 's/.*program interpreter: \(.*\)]$/\1/p')
mkdir -p "$stage/usr/bin" "$stage/usr/lib/any" "$stage/boot" "$stage/usr/lib/modules/1.2-tiny/x"
ln -s usr/lib "$stage/lib"
cp /bin/dash "$stage/usr/bin/dash"
cp /bin/dash "$stage/usr/bin/busybox"
cp /bin/dash "$stage/usr/bin/tool"
case $ld in
/lib64/*) ln -s usr/lib64 "$stage/lib64"; mkdir "$stage/usr/lib64" ;;
esac
cp "$ld" "$stage$ld"
libc=$(ldd /bin/dash | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
cp "$libc" "$stage/usr/lib/any/libc.so.6"
: >"$stage/boot/vmlinuz-1.2-tiny"
echo "# packages" >"$CACHE/tiny/packages.lock"
echo kernel/x/none.ko >"$stage/usr/lib/modules/1.2-tiny/modules.builtin"
module() { # NAME DEPENDS
	printf 'license=GPL\0depends=%s\0name=%s\0' "$2" "$1" >"$work/modinfo"
	printf '' | as -o "$work/m.o" -
	objcopy --add-section .modinfo="$work/modinfo" "$work/m.o" \
		"$stage/usr/lib/modules/1.2-tiny/x/$1.ko"
}
module one "two-a,three"
module two "three"
module two-a "three"
module three ""
module four "three,one"

step() { sh "$recipe/$1.sh" >"$work/said" 2>&1; }
from_root() { gzip -dc "$OUT/tiny/rootfs.cpio.gz" | cpio --quiet -i --to-stdout "$1"; }

step root
is "$?" 0 "the root is packed"
is "$(from_root lib/modules/1.2-tiny/modules.dep)" "four.ko: one.ko two_a.ko three.ko
one.ko: two_a.ko three.ko
three.ko:
two.ko: three.ko
two_a.ko: three.ko" "modules.dep lists all that a module stands on, the nearest first"
is "$(from_root etc/modules.module) $(from_root etc/modules.late)" "two one four" \
	"what is loaded at boot: not what is built into the kernel"
is "$(gzip -dc "$OUT/tiny/rootfs.cpio.gz" | cpio --quiet -t | grep -c 'libc\.so\.6$')" 1 \
	"the library that the programs need is in it"
is "$(from_root etc/hilab-build)" "$(cat "$OUT/tiny/rootfs.version")" "the root says its build"
step tools
is "$?" 0 "the tools disk is packed"
sha256sum "$OUT/tiny/rootfs.cpio.gz" "$OUT/tiny/tools.img" >"$work/first" ||
	echo "nothing packed" >"$work/first"

find "$stage" "$recipe" -type f -exec touch -d '2001-02-03' {} +
mv "$stage/usr/lib/modules/1.2-tiny/x" "$stage/usr/lib/modules/1.2-tiny/y"
mkdir "$stage/usr/lib/modules/1.2-tiny/x"
cp "$stage"/usr/lib/modules/1.2-tiny/y/t*.ko "$stage/usr/lib/modules/1.2-tiny/x/"
cp "$stage"/usr/lib/modules/1.2-tiny/y/[fo]*.ko "$stage/usr/lib/modules/1.2-tiny/x/"
rm -r "$stage/usr/lib/modules/1.2-tiny/y" "$OUT/tiny"
(umask 077 && export TZ=Asia/Tokyo && step root && step tools)
is "$(sha256sum "$OUT/tiny/rootfs.cpio.gz" "$OUT/tiny/tools.img")" "$(cat "$work/first")" \
	"other times, umask and order of files: the same bytes"

echo "late nosuch" >>"$recipe/tiny.list"
step root
is "$? $(sed 1q "$work/said")" "1 rootfs: kernel 1.2-tiny has no module 'nosuch'" \
	"a module that the kernel lacks is named"
sed -i '$d' "$recipe/tiny.list"
rm "$stage/usr/lib/any/libc.so.6"
step tools
is "$? $(sed "1s/ of '.*//;1q" "$work/said")" \
	"1 rootfs: library 'libc.so.6' is in none of the packages" "a library that is missing is named"

finish
