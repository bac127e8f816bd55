# SPDX-License-Identifier: MIT
# For scripts that run a whole lab: daemons in the background that end with the script, however it
# ends. The script sets $dir, the folder of their logs, and traps EXIT with `end`.
pids=

end() {
	rc=$?
	trap - EXIT INT TERM
	for pid in $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -f "$dir/ready"
	exit "$rc"
}
say() {
	printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[01]m//g'; fi
}
# start NAME COMMAND...: in the background, until it says that it is ready.
start() {
	name=$1
	shift
	rm -f "$dir/ready"
	mkfifo "$dir/ready"
	"$@" --ready-fd 3 3>"$dir/ready" >"$dir/$name.log" 2>&1 &
	pids="$! $pids"
	read -r line <"$dir/ready" || {
		cat "$dir/$name.log"
		exit 3
	}
	echo "$name: $line"
}
