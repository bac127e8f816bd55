#!/bin/sh
# SPDX-License-Identifier: MIT
# `hilab log` from a controller: the same as from the folder, and followed while the run goes on.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1
unset HILAB_STORE # the controller's runs are meant

cat >job.yaml <<END
job: talk
board: {soc: am62axx}
steps:
  - power: cycle
  - login
  - run: {name: first, command: "echo fir''st line"}
  - run: {name: wait, command: "cat $dir/go"}
  - run: {name: second, command: "echo sec''ond line"}
END
mkfifo go followed
start_player instant --count 1
start_daemon server --listen 127.0.0.1:0
start_daemon agent --lab p/lab.yaml --name rack
check 'no run yet' 2 'no runs yet' "$HILAB" log latest

is "$("$HILAB" submit job.yaml --quiet)" 1 'a job'
until "$HILAB" log latest >out 2>&1 && grep -q 'first line' out; do
	sleep 0.1
done
pass 'the log of a run that goes on'
"$HILAB" log 1 --follow >followed 2>err &
follower=$!
exec 4<followed
while read -r line <&4; do
	case $line in *'first line'*) break ;; esac
done
like "$line" '*first line*' 'who follows sees what was there'
echo end >go
cat <&4 >rest
wait $follower
is $? 0 'and is done when the run is'
is "$(grep -c 'second line' rest)" 1 'having seen what came'

folder=state/hilab/server/runs/1
[ -e $folder/console-main.log ] || folder=$(dirname "$(find state -name console-main.log)")
same() { # NAME OPTIONS...
	name=$1
	shift
	"$HILAB" log 1 "$@" >out 2>err && "$HILAB" log "$folder" "$@" >want 2>>err && cmp -s out want && [ -s out ]
	ok $? "$name"
}
same 'as from the folder'
same 'with times' --time
same 'the last lines' --tail 3
same 'with times, the last lines' --time --tail 2
same 'the bytes' --raw
same 'a console by its name' --console main
"$HILAB" log 1 >out
! grep -qE '@hil |^hil=|"hil=' out
ok $? 'without what hilab says to its helper'
grep -q "printf 'echo fir" out && grep -q '^first line' out && grep -q "of hilab's own: --raw" out
ok $? 'with what the job ran, what came of it, and a word of what is left out'
grep -q '@hil ' $folder/console-main.log
ok $? 'which its bytes have'
"$HILAB" log 1 --raw | cmp -s - $folder/console-main.log
ok $? 'which are those of the file'
"$HILAB" log 1 --raw --follow | cmp -s - $folder/console-main.log
ok $? 'followed too, when it has ended'
"$HILAB" log 1 --follow --tail 1 >out && "$HILAB" log 1 --tail 1 | cmp -s - out
ok $? 'the last line, followed'
check 'another console' 2 "no console 'aux': it has main" "$HILAB" log 1 --console aux
check 'a role that is none' 2 "of role client" "$HILAB" log 1 --role client
check 'a run that is none' 2 'no run 77' "$HILAB" log 77
check 'a folder cannot be followed' 2 'needs a controller' "$HILAB" log $folder --follow
check 'nor with a store' 2 'needs a controller' "$HILAB" log 1 --follow --store x
finish
