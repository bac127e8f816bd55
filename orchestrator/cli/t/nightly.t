#!/bin/sh
# SPDX-License-Identifier: MIT
# `hilab nightly` against a real controller that has no boards: what is told, sent, listed, waited
# for and canceled.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"

mkdir "$dir/plan"
cd "$dir/plan" || exit 1
played_images
manifest build.yaml
cat >first.yaml <<'END'
job: first
board: {soc: am62axx, tags: [night]}
build: played
params: {size: {default: 4m}, note: none}
steps:
  - power: off
  - deploy: {method: tftp, images: [kernel]}
  - boot: u-boot
  - login
  - put: {file: data, to: /run/data}
  - run: {name: use, command: "cat /run/data ${size} ${note}"}
END
printf 'job: second\nboard: {soc: am335x}\nsteps: [login]\n' >second.yaml
echo payload >data
cat >plan.yaml <<'END'
nightly: small
schedule: "30 1 * * *"
deadline: 1h
jobs: [first.yaml, second.yaml]
types: [am62axx-sk-twin, am335x-evm-twin]
builds: [build.yaml]
params: {size: 64m}
END

check 'a plan is expanded without a controller' 0 'first   am62axx-sk-twin' "$HILAB" nightly expand plan.yaml
check 'with builds and params of the command line' 0 'size=1m' "$HILAB" nightly expand plan.yaml --param size=1m
check 'a build by its name' 0 '  other  ' "$HILAB" nightly expand plan.yaml --build other
check 'a param that no job has' 2 "--param: unknown param of the jobs 'siez' (did you mean 'size'?)" \
	"$HILAB" nightly expand plan.yaml --param siez=1m
check 'a build that is not there' 2 "--build: no build manifest" "$HILAB" nightly expand plan.yaml --build ./gone.yaml
check 'a job is no plan' 2 'not a nightly' "$HILAB" nightly expand first.yaml
check 'no controller' 2 'no controller' "$HILAB" nightly run plan.yaml

start_daemon server --listen 127.0.0.1:0
server=$daemon
check 'nothing yet' 0 'NIGHTLY  PLAN' "$HILAB" nightly list
printf 'nightly: x\njobs: [gone.yaml]\n' >wrong.yaml
check 'a wrong plan begins nothing' 2 'wrong.yaml:2:8' "$HILAB" nightly run wrong.yaml
check 'a format that is none begins nothing' 2 '--format is' "$HILAB" nightly run plan.yaml --wait --format tap
check 'nothing began' 0 '[]' "$HILAB" nightly list --json

is "$("$HILAB" nightly run plan.yaml 2>"$dir/err")" 1 'a plan begins'
"$HILAB" jobs --json >"$dir/out"
is "$(grep -c '"job":' "$dir/out")" 2 'with two jobs'
is "$(grep -c '"nightly": 1' "$dir/out")" 2 'of this night'
is "$(grep -c '"priority": -10' "$dir/out")" 2 'behind those of people'
"$HILAB" show 1 --json >"$dir/out"
like "$(cat "$dir/out")" '*"size": "64m"*' 'the first has the param of the plan'
like "$(cat "$dir/out")" '*"build": "played 1"*' 'and its build, which is with the controller'
check 'both wait, and the summary says so' 0 '2 jobs: 2 queued' "$HILAB" nightly show 1
check 'the list says that it goes on' 0 '1        small  local' "$HILAB" nightly list small
check 'of another plan there is none' 0 '[]' "$HILAB" nightly list other --json

mkfifo "$dir/said"
"$HILAB" nightly run plan.yaml --wait >"$dir/wait" 2>"$dir/said" &
waiter=$!
exec 4<"$dir/said"
read -r line <&4
like "$line" 'nightly 2 (*' 'another one is waited for'
check 'a night is canceled' 0 '' "$HILAB" nightly cancel 2
wait $waiter
is $? 3 'who waited is told that nothing ran'
like "$(cat "$dir/wait")" '*nightly 2 small: incomplete*2 canceled*' 'and how it ended'
like "$(cat <&4)" '*job * first: canceled*' 'and of each job when it was done'
check 'one that ended is shown with its status' 3 '2 canceled' "$HILAB" nightly show 2
check 'in Markdown too' 3 '# nightly 2 small: incomplete' "$HILAB" nightly show 2 --format markdown
check 'the other goes on' 0 '2 queued' "$HILAB" nightly show 1
check 'until it is canceled' 0 '' "$HILAB" nightly cancel 1
check 'waiting for one that ended' 3 '2 canceled' "$HILAB" nightly show 1 --wait
check 'one that is none' 2 'no nightly 77' "$HILAB" nightly show 77

check 'a plan is left with the controller' 0 'begins 2' "$HILAB" nightly add plan.yaml
check 'which lists it' 0 'small  30 1 * * *  local' "$HILAB" nightly schedules
check 'and forgets it' 0 '' "$HILAB" nightly forget small
check 'once' 2 "no schedule 'small'" "$HILAB" nightly forget small
check 'a plan without a schedule' 2 'has no schedule' sh -c 'grep -v ^schedule plan.yaml >now.yaml; "$HILAB" nightly add now.yaml'
check 'a verb that is none' 2 "did you mean 'list'" "$HILAB" nightly lits
check 'a verb without its operand' 2 'show needs NIGHTLY' "$HILAB" nightly show

# One job of the plan by itself: its build comes from its params.
sed -i 's/^build: played$/build: ${b}/; s/^params: {/params: {b: played, /' first.yaml
mkdir -p "$XDG_CONFIG_HOME/hilab/builds"
"$HILAB" builds add build.yaml >out 2>&1
is "$("$HILAB" submit first.yaml --quiet 2>"$dir/err")" 5 'a job whose build is a param is submitted'
check 'with that build' 0 'build      played 1' "$HILAB" show 5
check 'or with another' 2 "no build 'other'" "$HILAB" submit first.yaml --quiet --param b=other
stop_daemon "$server"
is $? 0 'the controller ends well'
finish
