# SPDX-License-Identifier: MIT
# A private apt root for ARCH in the cache: its own lists, status and cache, the host's sources.
# Nothing is installed with it. Sourced after lib.sh; $rootfs is its folder where $here is another.

debs=$cache/debs
apt=$cache/apt

# apt_root: make it; apt's programs use it from here on
apt_root() {
	mkdir -p "$debs" "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/sources"
	: >"$apt/status"
	WITHOUT=${1:-} sh "${rootfs:-$here}/sources.sh" >"$apt/sources/host.sources"
	[ -s "$apt/sources/host.sources" ] ||
		die "no Debian mirror in /etc/apt/sources.list or sources.list.d"
	printf 'Package: *\nPin: release o=Debian\nPin-Priority: 990\n' >"$apt/preferences"
	cat >"$apt/apt.conf" <<-END
	Dir::State "$apt/state";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt/cache";
	Dir::Etc::SourceList "/dev/null";
	Dir::Etc::SourceParts "$apt/sources";
	Dir::Etc::Preferences "$apt/preferences";
	Dir::Etc::PreferencesParts "/dev/null";
	Acquire::Languages "none";
	APT::Architecture "$ARCH";
	APT::Architectures { "$ARCH"; };
	APT::Install-Recommends "false";
	APT::Sandbox::User "$(id -un)";
	Debug::NoLocking "true";
	END
	# read after the host's apt.conf.d, whose proxy and the like stay in force
	APT_CONFIG=$apt/apt.conf
	export APT_CONFIG
}

run() { # run WHAT COMMAND...: quiet when it works, whole when it fails
	what=$1; shift
	"$@" >"$apt/log" 2>&1 || { cat "$apt/log" >&2; die "$what"; }
}

update() { apt-get update -o APT::Update::Error-Mode=any; }
