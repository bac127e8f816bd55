#!/bin/sh
# SPDX-License-Identifier: MIT
# `hilab run` with console and relay on unix sockets, among many boards, the lab file being read
# from another folder.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1

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
ok $? "two runs of one of 1000 boards"
grep -q '^run 2  over-sockets  pass' out
ok $? "pass"
grep -q 'port: unix:./a-7.console' lab/lab.yaml && grep -q 'port: unix:./relay-125' lab/lab.yaml
ok $? "their ports are sockets"
grep -q 'it-runs' state/hilab/runs/*/console-main.log
ok $? "the console went into the log"
finish
