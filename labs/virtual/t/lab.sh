# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # what it sets is for the tests
# For tests of whole labs: daemons that are waited for by their ready line and ended with the test,
# played boards, builds that they boot. All of tap.sh, and everything that hilab keeps (store, runs,
# locks, configuration, cache) in folders below $dir:
#
#	. "$HILAB_DATA/labs/virtual/t/lab.sh"
#
#	start_daemon COMMAND ARGS...  `hilab COMMAND ARGS...`, one that takes --ready-fd; returns
#	                          when it is ready: its pid in $daemon, the line in $ready. What it
#	                          prints is added to $dir/COMMAND.log. One that gives up fails the
#	                          test.
#	stop_daemon PID           SIGTERM; returns its exit status when it has gone. What is not
#	                          stopped is at the end of the test, newest first.
#	kill_daemon PID           the same by SIGKILL
#	wait_daemon PID           the same for one that ends by itself
#	start_player BOARDS...    played boards ([NAME=]TRANSCRIPT..., options) in $dir/p, its pid in
#	                          $player; their relays need 50 ms for off, to be quick
#	ctl LINE...               a line to that player; a refusal fails the test. Its answer is
#	                          added to $dir/ctl.log
#	power BOARD               what the player knows of it: "b off ...", "b on ..."
#	played_images             `kernel` and `root` in the current folder: the played shell is this
#	                          host's, and so is the kernel that it shows; $release is its
#	                          release
#	sum FILE                  its sha256
#	manifest FILE [SOC [RELEASE [SUM-OF-ROOT]]]
#	                          a build of these two images; further ones may be appended
#	has TEXT NAME, lacks TEXT NAME
#	                          by a fixed text in the journal of the job folder $dir/j
#	results                   NAME STATUS of each result in that journal
#	ends PATTERN NAME         by a shell pattern for $last, how the last run ended
. "$HILAB_DATA/orchestrator/base/t/tap.sh"

export HILAB_DATA HILAB_RUN_DIR="$dir/run" HILAB_STORE="$dir/db"
export XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config" XDG_CACHE_HOME="$dir/cache"
daemons=

start_daemon() {
	command=$1
	shift
	rm -f "$dir/ready"
	mkfifo "$dir/ready"
	"$HILAB" "$command" --ready-fd 3 "$@" 3>"$dir/ready" >>"$dir/$command.log" 2>&1 &
	daemon=$!
	daemons="$daemon $daemons"
	read -r ready <"$dir/ready" || {
		fail "hilab $command is ready" "$(cat "$dir/$command.log")"
		finish
	}
}
wait_daemon() {
	kept=
	for other in $daemons; do
		[ "$other" = "$1" ] || kept="$kept $other"
	done
	daemons=$kept
	wait "$1" 2>/dev/null
}
stop_daemon() {
	kill "$1" 2>/dev/null
	wait_daemon "$1"
}
kill_daemon() {
	kill -9 "$1" 2>/dev/null
	wait_daemon "$1"
}
at_end() {
	for left in $daemons; do
		stop_daemon "$left"
	done
}

start_player() {
	start_daemon player --dir "$dir/p" "$@"
	player=$daemon
	sed -i 's/model: lcus/&\n      off-time: 50ms/' "$dir/p/lab.yaml"
}
ctl() {
	"$HILAB" player ctl "$dir/p" "$@" >>"$dir/ctl.log" 2>&1 ||
		fail "ctl $*" "$(tail -n 3 "$dir/ctl.log")"
}
power() {
	"$HILAB" player ctl "$dir/p" status "$1" | head -n 1
}

played_images() {
	release=$(uname -r)
	printf 'x\0Linux version %s (a@b) #1\n' "$release" >kernel
	echo root >root
	chmod 644 kernel root
}
sum() {
	sha256sum "$1" | cut -d' ' -f1
}
manifest() {
	cat >"$1" <<-END
		build: played
		version: "1"
		soc: ${2:-am62axx}
		images:
		  kernel: {path: kernel, sha256: $(sum kernel), release: "${3:-$release}"}
		  rootfs: {path: root, sha256: ${4:-$(sum root)}}
	END
}

has() {
	grep -qF -- "$1" "$dir/j/events.jsonl"
	ok $? "$2"
}
lacks() {
	! grep -qF -- "$1" "$dir/j/events.jsonl"
	ok $? "$2"
}
results() {
	sed -n 's/.*"kind":"result".*"name":"\([^"]*\)","status":"\([^"]*\)".*/\1 \2/p' "$dir/j/events.jsonl"
}
ends() {
	like "$last" "$1" "$2"
}
