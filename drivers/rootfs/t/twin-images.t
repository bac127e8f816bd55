#!/bin/sh
# SPDX-License-Identifier: MIT
# The images that the twins really boot, after `make images`: the manifest says the truth about
# them, and a second build from the same packages, without a network, gives the same bytes.
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
images=${IMAGES:-$top/build/images}
cache=${IMAGE_CACHE:-$top/build/cache}
manifest=$images/am62axx-twin.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0

is() { # GOT WANT NAME
	n=$((n + 1))
	if [ "$1" = "$2" ]; then
		echo "ok $n - $3"
	else
		echo "not ok $n - $3"
		printf '%s\n' "got:" "$1" "want:" "$2" | sed 's/^/# /'
	fi
}

# of ROLE KEY: what the manifest says of an image
of() {
	awk -v role="$1:" -v key="$2:" '
		/^  [^ ]/ { here = $1 == role }
		here && $1 == key { sub(/^ *[^ ]* /, ""); gsub(/^"|"$/, ""); print }' "$manifest"
}
file() { printf '%s/%s\n' "$images" "$(of "$1" path)"; }

if [ ! -f "$manifest" ]; then
	echo "Bail out! no '$manifest': make images"
	exit 1
fi
for role in kernel rootfs tools boot-loader; do
	is "$(sha256sum "$(file $role)" | cut -d' ' -f1)" "$(of $role sha256)" "digest of the $role"
done
is "$(sed -n 's/^version: "\(.*\)"$/\1/p' "$manifest")" \
	"$(grep sha256: "$manifest" | sha256sum | cut -c1-12)" "the build's version is that of its images"

count() { grep -a -c -F -e "$2" "$(file "$1")"; }
is "$([ "$(count kernel "Linux version $(of kernel release) ")" -gt 0 ] && echo yes)" yes \
	"the kernel tells the manifest's release"
is "$([ "$(count kernel "$(of kernel version)")" -gt 0 ] && echo yes)" yes \
	"the kernel tells the manifest's version"
is "$([ "$(count boot-loader "$(of boot-loader version)")" -gt 0 ] && echo yes)" yes \
	"the boot loader tells the manifest's version"
is "$(gzip -dc "$(file rootfs)" | cpio --quiet -i --to-stdout etc/hilab-build)" \
	"$(of rootfs version)" "the root tells the manifest's version"
is "$(unsquashfs -cat "$(file tools)" hilab-build)" "$(of tools version)" \
	"the tools disk tells the manifest's version"
is "$([ "$(wc -c <"$(file rootfs)")" -lt 5000000 ] && echo small)" small \
	"the root is small enough for TFTP at each boot"

# no network: apt-get is one that fails
mkdir "$work/bin"
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
(
	umask 077
	PATH=$work/bin:$PATH ARCH=arm64 CACHE=$cache OUT=$work/out \
		sh "$top/drivers/rootfs/build.sh" am62axx
) >"$work/said" 2>&1
is "$?" 0 "a second build needs no network"
is "$(cat "$work/out/am62axx-twin.yaml" 2>/dev/null)" "$(cat "$manifest")" \
	"a second build gives the same bytes"

echo "1..$n"
