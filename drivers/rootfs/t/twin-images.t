#!/bin/sh
# SPDX-License-Identifier: MIT
# The images that the twins really boot, after `make images`: each manifest says the truth about
# its own, and a second build from the same packages, without a network, gives the same bytes.
set -u
. "$(dirname "$0")/../../../orchestrator/base/t/tap.sh"
top=$(cd "$(dirname "$0")/../../.." && pwd)
images=${IMAGES:-$top/build/images}
cache=${IMAGE_CACHE:-$top/build/cache}
work=$dir

# of ROLE KEY: what the manifest says of an image
of() {
	awk -v role="$1:" -v key="$2:" '
		/^  [^ ]/ { here = $1 == role }
		here && $1 == key { sub(/^ *[^ ]* /, ""); gsub(/^"|"$/, ""); print }' "$manifest"
}
file() { printf '%s/%s\n' "$images" "$(of "$1" path)"; }

# tells ROLE TEXT: yes, when the image holds the text
tells() {
	case $arch.$1 in
	armhf.kernel)
		pieces "$(file kernel)" ;;
	*)
		cat "$(file "$1")" ;;
	esac | grep -a -q -F -e "$2" && echo yes
}

# pieces ZIMAGE: all that unpacks in it
pieces() {
	for at in $(grep -a -b -o "$(printf '\3757zXZ')" "$1" | cut -d: -f1); do
		tail -c "+$((at + 1))" "$1" | xz -dc 2>/dev/null
	done
}

twin() { # ARCH SOC
	arch=$1 soc=$2
	manifest=$images/$soc-twin.yaml
	if [ ! -f "$manifest" ]; then
		echo "Bail out! no '$manifest': make images"
		exit 1
	fi
	for role in kernel rootfs tools boot-loader; do
		is "$(sha256sum "$(file $role)" | cut -d' ' -f1)" "$(of $role sha256)" \
			"$soc: digest of the $role"
	done
	is "$(sed -n 's/^version: "\(.*\)"$/\1/p' "$manifest")" \
		"$(grep sha256: "$manifest" | sha256sum | cut -c1-12)" \
		"$soc: the build's version is that of its images"
	is "$(tells kernel "Linux version $(of kernel release) ")" yes \
		"$soc: the kernel tells the manifest's release"
	is "$(tells kernel "$(of kernel version)")" yes \
		"$soc: the kernel tells the manifest's version"
	is "$(tells boot-loader "$(of boot-loader version)")" yes \
		"$soc: the boot loader tells the manifest's version"
	is "$(gzip -dc "$(file rootfs)" | cpio --quiet -i --to-stdout etc/hilab-build)" \
		"$(of rootfs version)" "$soc: the root tells the manifest's version"
	is "$(unsquashfs -cat "$(file tools)" hilab-build)" "$(of tools version)" \
		"$soc: the tools disk tells the manifest's version"
	is "$([ "$(wc -c <"$(file rootfs)")" -lt 5000000 ] && echo small)" small \
		"$soc: the root is small enough for TFTP at each boot"
	is "$(sed -n 's/^# packages of [0-9a-f]*, without //p' "$cache/$arch/packages.lock")" \
		"$(sed -n 's/^# No package is from the suite \*\([^:]*\):.*/\1/p' "$manifest")" \
		"$soc: a suite that the packages do not come from is one that the manifest names"
	(
		umask 077
		PATH=$work/bin:$PATH ARCH=$arch CACHE=$cache OUT=$work/out \
			sh "$top/drivers/rootfs/build.sh" "$soc"
	) >"$work/said" 2>&1
	is "$?" 0 "$soc: a second build needs no network"
	is "$(cat "$work/out/$soc-twin.yaml" 2>/dev/null)" "$(cat "$manifest")" \
		"$soc: a second build gives the same bytes"
}

# no network: apt-get is one that fails
mkdir "$work/bin"
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
twin arm64 am62axx
twin armhf am335x

finish
