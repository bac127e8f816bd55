#!/bin/sh
# SPDX-License-Identifier: MIT
# make install into a staging folder; the installed program alone, from another folder; uninstall.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
top=$(cd "${HILAB_DATA:-.}" && pwd)
build=$(cd "${HILAB_BUILD:-build/release}" && pwd)
unset HILAB_DATA HILAB_STORE
export XDG_CONFIG_HOME="$dir/config" XDG_STATE_HOME="$dir/state" XDG_CACHE_HOME="$dir/cache"
export HILAB_RUN_DIR="$dir/run" HOME="$dir"
mkdir "$dir/run" "$dir/elsewhere"
hilab=$dir/stage/opt/hilab/bin/hilab

installed() { make -s -C "$top" "$1" B="$build" DESTDIR="$dir/stage" PREFIX=/opt/hilab; }

check 'make install' 0 '' installed install-files
cd "$dir/elsewhere" || exit 1
data=$dir/stage/opt/hilab/share/hilab
check 'check finds the board types' 0 'smoke.yaml: ok (job)' "$hilab" check "$data/jobs/am62axx/smoke.yaml"
check 'and checks against them' 0 'am62axx-sk-twin.yaml: ok (type)' "$hilab" check "$data"/labs/types/*.yaml
check 'bench' 0 'page: ' "$hilab" bench power/serial-relay
check 'the page that it names is there' 0 '' test -f "$data/agents/power/doc/serial-relay.md"
check 'no lab file' 2 "put one at '$dir/config/hilab/lab.yaml' or '/etc/hilab/lab.yaml'" \
	env -u HILAB_LAB "$hilab" boards
printf 'job: installed\nsteps:\n  - power: on\n  - login\n  - run: echo it-runs\n' >job.yaml
# The player finds its transcript among the data and leaves its lab file where the user's belongs.
check 'a run with the user'"'"'s lab file' 0 'pass' \
	"$hilab" player a=instant --dir "$dir/config/hilab" -- "$hilab" run job.yaml
check 'is in the store' 0 'installed' "$hilab" report
check 'the page of the program' 0 '' mandoc -T lint -W warning "$dir/stage/opt/hilab/share/man/man1/hilab.1"
for c in $("$hilab" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
	check "the page of $c" 0 ".Nm hilab $c" cat "$dir/stage/opt/hilab/share/man/man1/hilab-$c.1"
done
for page in build job lab type; do
	check "hilab-$page(5)" 0 '' test -s "$dir/stage/opt/hilab/share/man/man5/hilab-$page.5"
done
check 'completion for bash' 0 '' bash -n "$dir/stage/opt/hilab/share/bash-completion/completions/hilab"
check 'completion for zsh' 0 '' zsh -n "$dir/stage/opt/hilab/share/zsh/site-functions/_hilab"
check 'nothing of the tests' 1 '' sh -c "find '$dir/stage' | grep /t/"
mv "$dir/stage" "$dir/moved"
check 'it may be moved' 0 'ok (job)' "$dir/moved/opt/hilab/bin/hilab" check "$top/jobs/am62axx/boot.yaml"
mv "$dir/moved" "$dir/stage"
mkdir -p "$dir/stage/opt/hilab/share/man/man1"
touch "$dir/stage/opt/hilab/share/man/man1/other.1"
check 'make uninstall' 0 '' installed uninstall
check 'leaves what is not its own, and no more' 0 '' test "$(find "$dir/stage" -type f)" = \
	"$dir/stage/opt/hilab/share/man/man1/other.1"
finish
