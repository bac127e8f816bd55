# SPDX-License-Identifier: MIT
# Kernel modules with what they depend on, into a root that busybox' modprobe serves; reads
# .modinfo itself, so the host needs no kmod. Sourced after lib.sh.

modinfo_of() { # FILE KEY: its values, one a line
	readelf -p .modinfo "$1" 2>/dev/null | sed -n "s/^ *\[ *[0-9a-f]*\]  $2=//p"
}

# modules_into TREE WORK NAME...: copy the modules and all that they need, write modules.dep and
# leave the names in WORK/loaded, but for those built into the kernel; one that the kernel does
# not have is an error.
modules_into() (
	tree=$1 work=$2; shift 2
	dir=lib/modules/$(release)
	mkdir -p "$tree/$dir"
	find "$stage/usr/$dir" -name '*.ko*' | awk -F/ '{
		n = $NF; sub(/\.ko.*/, "", n); gsub(/-/, "_", n); print n, $0 }' >"$work/modules"
	sed 's|.*/||; s|\.ko.*||; s|-|_|g' "$stage/usr/$dir/modules.builtin" >"$work/builtin"
	: >"$work/depends"
	printf '%s\n' "$@" >"$work/loaded"
	while [ $# -gt 0 ]; do
		name=$1; shift
		if grep -q "^$name " "$work/depends"; then continue; fi
		if grep -qx "$name" "$work/builtin"; then
			sed -i "/^$name\$/d" "$work/loaded"
			continue
		fi
		from=$(awk -v n="$name" '$1 == n { print $2; exit }' "$work/modules")
		to=$tree/$dir/$name.ko
		case $from in
		*.ko) cp "$from" "$to" ;;
		*.ko.xz) xz -dc "$from" >"$to" ;;
		*.ko.zst) zstd -qdc "$from" >"$to" ;;
		*) die "kernel $(release) has no module '$name'" ;;
		esac
		chmod 644 "$to"
		depends=$(modinfo_of "$to" depends | tr ',-' ' _')
		printf '%s %s\n' "$name" "$depends" >>"$work/depends"
		# shellcheck disable=SC2086
		set -- "$@" $depends
	done
	# modprobe wants all that a module stands on, the nearest first
	awk '
	{ order[NR] = $1; n[$1] = NF - 1; for (i = 2; i <= NF; i++) need[$1, i - 1] = $i }
	# each before all that it stands on, also where two ways lead to one
	function walk(m, i) {
		seen[m]
		for (i = 1; i <= n[m]; i++)
			if (!(need[m, i] in seen))
				walk(need[m, i])
		line = " " m ".ko" line
	}
	END {
		for (k = 1; k <= NR; k++) {
			split("", seen); line = ""; walk(order[k])
			sub(/\.ko/, ".ko:", line); print substr(line, 2)
		}
	}
	' "$work/depends" | sort >"$tree/$dir/modules.dep"
)
