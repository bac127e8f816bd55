#!/bin/sh
# SPDX-License-Identifier: MIT
# `hilab run` with console and relay on unix sockets, among many boards, the lab file being read
# from another folder.
set -u
dir=$(mktemp -d)
export HILAB_RUN_DIR="$dir/run" HILAB_STORE="$dir/db" XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config"
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
cd "$dir" || exit 1
n=0

check() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		tail -n 8 "$dir/out" | sed 's/^/# /'
	fi
}

cat >job.yaml <<-'EOT'
	job: over-sockets
	board: {name: a-7}
	steps:
	  - power: on
	  - login
	  - run: {name: says, command: "echo it-runs && hil_metric n.count 7 count"}
	  - power: off
EOT
"$HILAB" player a=instant --count 1000 --sockets --dir lab -- \
	sh -c '"$HILAB" run job.yaml --lab "$HILAB_LAB" && "$HILAB" run job.yaml --lab "$HILAB_LAB"' >out 2>&1
check $? "two runs of one of 1000 boards"
grep -q '^run 2  over-sockets  pass' out
check $? "pass"
grep -q 'port: unix:./a-7.console' lab/lab.yaml && grep -q 'port: unix:./relay-125' lab/lab.yaml
check $? "their ports are sockets"
grep -q 'it-runs' state/hilab/runs/*/console-main.log
check $? "the console went into the log"
echo "1..$n"
