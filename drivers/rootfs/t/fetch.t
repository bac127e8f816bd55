#!/bin/sh
# SPDX-License-Identifier: MIT
# Package lists that cannot be read, with an apt that plays the mirror: a suite is either read
# whole or, where the list allows, left out whole and said to be; never half read.
set -u
. "$(dirname "$0")/../../../orchestrator/base/t/tap.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
work=$dir

cat >"$work/host.list" <<-END
	deb http://m.example/debian bookworm main
	deb http://m.example/debian bookworm-updates main
	deb http://m.example/debian-security bookworm-security main
END
recipe=$work/recipe
cp -R "$here" "$recipe"
cat >"$recipe/sources.sh" <<-END
	CODENAME=bookworm exec sh '$here/sources.sh' '$work/host.list'
END
for list in strict lax; do
	printf 'kernel linux-image-any Image\nloader boot u-boot.bin\npackage prog\n' \
		>"$recipe/$list.list"
done
echo 'optional -security' >>"$recipe/lax.list"

# a mirror of four packages; BROKEN is a pattern of the suites that it cannot give
mkdir "$work/bin" "$work/mirror"
for p in linux-image-1 boot prog libprog; do
	echo "$p" >"$work/mirror/${p}_1%3a2_any.deb"
done
cat >"$work/bin/apt-get" <<-'END'
	#!/bin/sh
	case $1 in
	update)
		echo update >>"$WORK/asked"
		for s in "$(dirname "$APT_CONFIG")"/sources/*; do
			grep '^Suites:' "$s" >>"$WORK/asked"
			if grep -q "^Suites:.*$BROKEN" "$s"; then
				echo "E: Failed to fetch $BROKEN"
				exit 100
			fi
		done ;;
	install)
		echo "Inst libprog (1:2)"; echo "Inst prog (1:2)"; echo "Inst perl (1:2)" ;;
	download)
		shift
		for p; do cp "$WORK/mirror/${p}_1%3a2_any.deb" .; done ;;
	esac
END
cat >"$work/bin/apt-cache" <<-'END'
	#!/bin/sh
	[ "$1" = show ] || { echo "  Depends: linux-image-1"; exit; }
	shift 2
	for p; do
		f=$WORK/mirror/${p}_1%3a2_any.deb
		printf 'Package: %s\nVersion: 1:2\nArchitecture: any\nSize: %s\nSHA256: %s\n\n' \
			"$p" "$(wc -c <"$f")" "$(sha256sum "$f" | cut -d' ' -f1)"
	done
END
chmod +x "$work/bin/apt-get" "$work/bin/apt-cache"
WORK=$work CACHE=$work/cache OUT=$work/out PATH=$work/bin:$PATH
export WORK CACHE OUT PATH

fetch() { # ARCH BROKEN
	: >"$work/asked"
	ARCH=$1 BROKEN=$2 sh "$recipe/fetch.sh" >"$work/said" 2>&1
}
suites() { tr '\n' ' ' <"$work/asked" | sed 's/Suites: //g; s/bookworm/b/g; s/ $//'; }
packages() { sed '1d; s/_.*//' "$CACHE/$1/packages.lock" | tr '\n' ' '; }

fetch strict '-security$'
is "$? $([ -f "$CACHE/strict/packages.lock" ] && echo lock)" "1 " \
	"a suite that cannot be read stops it"
is "$(tail -n 1 "$work/said")" "rootfs: cannot read the package lists" "which is said"
fetch strict nothing
is "$? $(suites)" "0 update b b-updates b-security" "all suites are asked for"
is "$(packages strict)" "boot libprog linux-image-1 prog " \
	"taken: kernel, loader, the list's packages, and of the rest only libraries"
is "$(sed -n '1s/ [0-9a-f]\{12\}/ DIGEST/p' "$CACHE/strict/packages.lock")" \
	"# packages of DIGEST" "the lock tells the list that it answers"
fetch strict '-security$'
is "$? $(suites)" "0 " "a lock that fits asks for nothing"

fetch lax '-security$'
is "$? $(suites)" "0 update b b-updates b-security update b b-updates" \
	"the optional suite is left out whole, the others are read again"
is "$(grep -c "'\*-security' suite cannot be read: no package comes from it" "$work/said")" 1 \
	"which is said"
is "$(sed -n '1s/ [0-9a-f]\{12\}/ DIGEST/p' "$CACHE/lax/packages.lock")" \
	"# packages of DIGEST, without -security" "the lock remembers it"
fetch lax nothing
is "$? $(suites) $(cat "$work/said")" \
	"0  rootfs: lax: 4 packages, all in the cache, none from '*-security'" \
	"and says so whenever it is used"
rm "$CACHE/lax/packages.lock"
fetch lax bookworm-updates
is "$? $(tail -n 1 "$work/said")" \
	"1 rootfs: cannot read the package lists, not even without '-security'" \
	"another suite than the optional one stops it"
fetch lax nothing
is "$? $(suites) $(grep -c without "$CACHE/lax/packages.lock")" \
	"0 update b b-updates b-security 0" "a mirror that is whole gives all"

finish
