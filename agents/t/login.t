#!/bin/sh
# SPDX-License-Identifier: MIT
# Logging in on a board that was up before the job began: what shows a prompt there (an Enter into
# the silence) must not answer the next one.
set -u
. "$HILAB_DATA/agents/t/job.sh"
cd "$dir" || exit 1

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

start_player b=up.yaml
make_job in
printf '\240\001\001\242' >p/relay # on, before anybody looks
"$tool" run j >out 2>&1
last=$(tail -n 1 out)
ends "pass none off: " "a board that was up is logged into"
[ "$(grep -c "Password: " j/console-main.log)" -eq 1 ]
ok $? "its password was asked for once"
! grep -q 'open-sesame' j/console-main.log j/events.jsonl j/plan.json
ok $? "and is in no log"
finish
