# SPDX-License-Identifier: MIT
# For tests of `hilab twin`: all of lab.sh, and one twin 'evm' in $dir/lab, driven through its ports.
. "$HILAB_DATA/labs/virtual/t/lab.sh"
host=$HILAB_BUILD/labs/virtual/t/tool-host

start() { # OPTIONS...
	start_daemon twin evm --dir "$dir/lab" "$@"
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
