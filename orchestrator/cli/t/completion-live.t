#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion with what a controller has: boards, types, jobs, nights and schedules by their names.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
mkdir "$dir/bin" "$dir/work" "$dir/zsh"
ln -s "$HILAB" "$dir/bin/hilab"
PATH=$dir/bin:$PATH
cd "$dir/work" || exit 1

offers() { # what bash offers for the words given, the last of them being typed
	bash --norc -c '
		. <(hilab completion bash) || exit
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_hilab hilab "${@: -1}" "${@: -2:1}"
		IFS=,
		echo "${COMPREPLY[*]}"' bash "$@" 2>&1
}

is "$(offers hilab console '')" '' 'without a controller there is nothing'
start_player instant --count 2 >/dev/null
start_daemon server --listen 127.0.0.1:0
start_daemon agent --lab "$dir/p/lab.yaml" --name rack
printf 'job: never\nboard: {soc: am62axx, tags: [none]}\nsteps: [login]\n' >job.yaml
printf 'nightly: plan\nschedule: "0 1 * * *"\njobs: [job.yaml]\n' >plan.yaml
"$HILAB" nightly run plan.yaml --quiet >out && "$HILAB" nightly add plan.yaml --quiet >>out &&
	"$HILAB" submit job.yaml --quiet >>out && "$HILAB" cancel 2 >>out
ok $? 'a night, a schedule, and a job that was canceled'

is "$(offers hilab console '')" 'instant-1,instant-2' 'boards for console'
is "$(offers hilab release instant-1 '')" 'instant-1,instant-2' 'for release, each'
is "$(offers hilab power i)" 'instant-1,instant-2' 'for power'
is "$(offers hilab power instant-1 o)" 'off,on' 'and what to do with it'
is "$(offers hilab boards health instant-2)" 'instant-2' 'behind a verb'
is "$(offers hilab submit --board '')" 'instant-1,instant-2' 'for an option'
is "$(offers hilab submit --type '')" 'am62axx-sk-twin' 'types that there are boards of'
is "$(offers hilab cancel '')" '1' 'jobs to cancel: those that are open'
is "$(offers hilab show '')" '1,2' 'jobs to show: all'
is "$(offers hilab nightly show '')" '1' 'nights'
is "$(offers hilab nightly forget '')" 'plan' 'schedules'
is "$(offers hilab nightly run p)" 'plan.yaml' 'files of plans'

hilab completion zsh >"$dir/zsh/_hilab"
timeout 60 zsh -f "$HILAB_DATA/orchestrator/cli/t/completion.zsh" "$dir/zsh" "$dir/work" 'hilab console instant-1' \
	'hilab power instant-2 cy' 'hilab power instant-2' 'hilab nightly forget p' 'hilab nightly run p' 'hilab cancel ' \
	'hilab submit --type am' >"$dir/out" 2>&1 </dev/null
zsh_is() { is "$(grep -F "$1 => " "$dir/out" || tail -3 "$dir/out")" "$1 => $2" "zsh: $1"; }
zsh_is 'hilab console instant-1' 'hilab console instant-1 '
zsh_is 'hilab power instant-2 cy' 'hilab power instant-2 cycle '
zsh_is 'hilab power instant-2' 'hilab power instant-2 '
zsh_is 'hilab nightly forget p' 'hilab nightly forget plan '
zsh_is 'hilab nightly run p' 'hilab nightly run plan.yaml '
zsh_is 'hilab cancel ' 'hilab cancel 1 '
zsh_is 'hilab submit --type am' 'hilab submit --type am62axx-sk-twin '
finish
