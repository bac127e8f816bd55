# SPDX-License-Identifier: MIT
# For tests of `hilab twin`: one twin 'evm' in $dir/lab, driven through its ports. TAP.
host=$HILAB_BUILD/labs/virtual/t/tool-host
dir=$(mktemp -d)
n=0 bad=0 daemon=
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; rm -rf "$dir"' EXIT

pass() {
	n=$((n + 1))
	echo "ok $n - $1"
}
fail() { # NAME [WHY]
	n=$((n + 1)) bad=1
	echo "not ok $n - $1"
	printf '%s\n' "${2:-}" | sed 's/^/# /'
}
is() { # GOT WANT NAME
	[ "$1" = "$2" ] && pass "$3" || fail "$3" "got '$1', want '$2'"
}
finish() {
	echo "1..$n"
	exit $bad
}

start() { # OPTIONS...
	rm -f "$dir/ready"
	mkfifo "$dir/ready"
	"$HILAB" twin evm --dir "$dir/lab" --ready-fd 3 "$@" 3>"$dir/ready" >"$dir/daemon" 2>&1 &
	daemon=$!
	read -r line <"$dir/ready" || {
		fail 'the daemon is ready' "$(cat "$dir/daemon")"
		finish
	}
}
ctl() {
	"$HILAB" twin ctl "$dir/lab" "$@"
}
status() {
	ctl status | sed 's/ pid .*//'
}
pid() {
	ctl status | sed 's/.* pid \([0-9]*\) .*/\1/'
}
wait_status() {
	until [ "$(status)" = "$1" ]; do
		case $(status) in 'evm '*) ;; *) return 1 ;; esac
	done
}
# Switches by the module's bytes and waits for its read-back.
relay() {
	case $1 in
	on) "$host" "$dir/lab/relay" type '\xa0\x01\x01\xa2\xff' until 'CH1:ON' until 'CH8:OFF' ;;
	off) "$host" "$dir/lab/relay" type '\xa0\x01\x00\xa1\xff' until 'CH1:OFF' until 'CH8:OFF' ;;
	esac >/dev/null
}
relay_state() {
	"$host" "$dir/lab/relay" type '\xff' until 'CH8:OFF' | tr -d '\r' | head -n 1
}
console() {
	"$host" "$dir/lab/evm.console" "$@"
}
