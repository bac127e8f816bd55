#!/bin/sh
# SPDX-License-Identifier: MIT
# Logging in on a board that was up before the job began: what shows a prompt there (an Enter into
# the silence) must not answer the next one.
set -u
tool=$HILAB_BUILD/agents/t/tool-job
dir=$(mktemp -d)
export HILAB_RUN_DIR="$dir/run" HILAB_DATA
cd "$dir" || exit 1
n=0
player=

end() {
	trap - EXIT
	[ -z "$player" ] || { kill "$player"; wait "$player"; } 2>/dev/null
	rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM

ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		tail -n 5 "$dir/out" | sed 's/^/# /'
	fi
}

cat >up.yaml <<'EOT'
transcript: up
type: am62axx-sk-twin
lab: {login: {user: tester, password: open-sesame}}
start: login
states:
  login:
    prompt: "box login: "
    rules:
      - {match: 'tester', do: [{goto: password}]}
      - {match: '\S.*', do: [{goto: refused}]}
  password:
    prompt: "Password: "
    echo: false
    rules:
      - {match: 'open-sesame', do: [{goto: shell}]}
    otherwise: [{goto: refused}]
  refused:
    enter: ["Login incorrect\n", {goto: login}]
  shell:
    prompt: "root@box:~# "
    shell: [sh]
EOT
cat >in.yaml <<'EOT'
job: in
board: {soc: am62axx}
steps:
  - login
  - run: {name: here, command: "echo here", expect: here}
EOT

mkfifo ready
"$HILAB" player --dir "$dir/p" "b=$dir/up.yaml" >ready 2>player.log &
player=$!
read -r line <ready
case $line in ready*) ok 0 "a played board" ;; *) ok 1 "a played board" ;; esac
"$tool" make in.yaml p/lab.yaml j >out 2>&1
printf '\240\001\001\242' >p/relay # on, before anybody looks
"$tool" run j >out 2>&1
last=$(tail -n 1 out)
case $last in "pass none off: ") ok 0 "a board that was up is logged into" ;; *) ok 1 "a board that was up is logged into" ;; esac
[ "$(grep -c "Password: " j/console-main.log)" -eq 1 ]
ok $? "its password was asked for once"
! grep -q 'open-sesame' j/console-main.log j/events.jsonl j/plan.json
ok $? "and is in no log"
echo "1..$n"
