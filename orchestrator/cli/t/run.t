#!/bin/sh
# SPDX-License-Identifier: MIT
# `hilab run` from the command line to the store, on a played board: what is refused before power
# is touched, what each ending exits with, and that a full disk loses nothing.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1 # manifests are named beside here

run() { # STATUS-WANTED NAME ARGS...
	want=$1 name=$2
	shift 2
	"$HILAB" run "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" -eq "$want" ]
	ok $? "$name: exits with $want (got $got)"
}
err() { grep -qF -- "$1" "$dir/err"; ok $? "tells: $1"; }
out() { grep -qE -- "$1" "$dir/out"; ok $? "prints: $1"; }
is_off() { # NAME
	like "$(power b)" 'b off*' "$1"
}
untouched() { # NAME
	is_off "$1: the board is off"
}

# ---- the played shell is this host's, and so is its kernel

played_images
manifest build.yaml
manifest wrong.yaml am62axx "$release" "$(printf %064d 0)"
manifest other-soc.yaml am335x
head -c 3 root >short
sed 's/path: root/path: short/' build.yaml >truncated.yaml

job() { # NAME BOARD COMMAND
	cat >"$1.yaml" <<-EOT
		job: $1
		board: $2
		build: ./build.yaml
		params: {word: {default: hello, help: what is said}, bs: {default: 4k, help: a size}}
		steps:
		  - power: off
		  - deploy: {method: tftp, images: [kernel, rootfs]}
		  - boot: u-boot
		  - login
		  - run: {name: says, command: "$3", timeout: 20s}
	EOT
}
job good '{soc: am62axx}' 'echo \${word} && hil_metric fio.write.bw 12.5 MB/s bs=\${bs}'
sed -i 's/\\\$/$/g' good.yaml
job bad '{soc: am62axx}' 'exit 3'
job needs-can '{soc: am62axx, peripherals: [can]}' true
job hangs '{soc: am62axx}' 'hil_result started pass; sleep 1000'
sed 's/timeout: 20s/tiemout: 20s/' good.yaml >typo.yaml

start_player b=am62axx-sk-twin
lab="--lab p/lab.yaml"

# ---- refused before anything is touched

run 2 "a wrong key" typo.yaml $lab
err "typo.yaml:10:"
err "unknown key 'tiemout' in step 5 'run' (did you mean 'timeout'?)"
run 2 "a peripheral that no board has" needs-can.yaml $lab
err "no board of lab 'player' fits this job:"
err "can"
untouched "a missing peripheral"
run 2 "a board that is not there" good.yaml $lab --board bb
err "no board 'bb' in lab 'player' (p/lab.yaml), did you mean 'b'?"
run 2 "a param that is not there" good.yaml $lab --param wrod=x
err "wrod"
run 2 "a param without a value" good.yaml $lab --param word
err "--param needs NAME=VALUE"
run 2 "a file that is no job" p/lab.yaml $lab
err "not a job: there is no key 'job'"
run 2 "no lab file" good.yaml
err "no lab file: give --lab FILE"
run 2 "a format that is not there" good.yaml $lab --format tpa
err "tap"
run 5 "an image with a wrong sha256" good.yaml $lab --build ./wrong.yaml
err "build: "
err "rootfs"
run 5 "a truncated image" good.yaml $lab --build ./truncated.yaml
err "rootfs"
run 5 "a build for another SoC" good.yaml $lab --build ./other-soc.yaml
err "for soc 'am335x'"
run 5 "a build that is not there" good.yaml $lab --build ./none.yaml
untouched "a wrong build"
"$HILAB" report >out 2>err
[ ! -s out ] || ! grep -q RUN out
ok $? "none of these made a run"

# ---- endings

run 0 "a good run" good.yaml $lab
out '^run 1  good  pass'
out 'fio\.write\.bw +12\.5'
err "fio.write.bw                         12.50 MB/s"
is_off "and the board is off"
run 0 "its TAP" good.yaml $lab --tap --quiet --param word=again
out '^TAP version 13'
out '^ok [0-9]+ - .*says'
[ ! -s err ]
ok $? "quiet is quiet"
run 0 "its JSON" good.yaml $lab --json -q
"$HILAB" report latest --json >again
cmp -s out again
ok $? "what run prints is what report reads from the store"
run 1 "a failed test" bad.yaml $lab -q
out '^run 4  bad  fail'
ctl relay b dead
run 3 "a dead relay" good.yaml $lab -q
out '^run 5  good  incomplete'
out 'blame +infra'
ctl relay b ok

# ---- Ctrl-C, while the command runs

mkfifo progress
"$HILAB" run hangs.yaml $lab >out 2>progress &
pid=$!
while read -r line; do
	case $line in *says/started*) kill -INT "$pid" ;; esac
	echo "$line" >>err
done <progress
wait "$pid"
got=$?
[ "$got" -eq 130 ]
ok $? "Ctrl-C: exits with 130 (got $got)"
out '^run 6  hangs  canceled'
is_off "and the board is off"
[ -e "$(sed -n 's/^ *folder *//p' out)/status" ]
ok $? "its folder is complete"

# ---- a terminal that goes away

"$HILAB" run hangs.yaml $lab >out 2>progress &
pid=$!
while read -r line; do
	case $line in *says/started*) kill -HUP "$pid" && kill -HUP "$pid" ;; esac
	echo "$line" >>err
done <progress
wait "$pid"
got=$?
[ "$got" -eq 130 ]
ok $? "a hang-up cancels: exits with 130 (got $got)"
out '^run 7  hangs  canceled'
is_off "and the board is off"

# ---- a board in use, and another lab's board of that name

"$HILAB" run hangs.yaml $lab >out2 2>progress &
pid=$!
exec 3<progress
while read -r line <&3; do
	case $line in *says/started*) break ;; esac
done
run 3 "a board in use" good.yaml $lab
out '^run 9  good  incomplete'
out "infra: board 'b' is in use by pid [0-9]+"
! grep -q "run 9: run" err
ok $? "the report begins its own line"
"$HILAB" player --dir q b=am62axx-sk-twin -- sh -c 'exec "$HILAB" run good.yaml --lab "$HILAB_LAB" -q' >out 2>err
ok $? "a board of the same name in another virtual lab is another board"
kill -INT "$pid"
cat <&3 >/dev/null
exec 3<&-
wait "$pid"

# ---- the lock is for all users of the host, and nobody's way into another file

lock=$(ls run/hilab-player-b-*.lock | head -n 1)
[ "$(stat -c %a "$lock")" = 666 ]
ok $? "any user may take it next"
echo precious >victim
ls run/*.lock >locks
while read -r lock; do ln -sf "$dir/victim" "$lock"; done <locks
run 3 "a link in the lock's place" good.yaml $lab -q
out 'blame +infra: cannot open lock'
[ "$(cat victim)" = precious ]
ok $? "what it points at is as it was"
rm run/*.lock

# ---- import: a folder has one run, and one that cannot be read has none

first=$("$HILAB" report 1 | sed -n 's/^ *folder *//p')
"$HILAB" import "$first" >out 2>err
out ': run 1$'
cp -r "$first" broken
echo '{' >broken/status
before=$("$HILAB" report --limit 0 | wc -l)
"$HILAB" import broken >out 2>err
[ $? -eq 3 ] && [ "$("$HILAB" report --limit 0 | wc -l)" -eq "$before" ]
ok $? "a folder whose status is damaged leaves no run behind"
err "'broken/status'"

# ---- the store may not grow: no run begins that could not be kept

# Not a page fits into the store's log, the small files of the job's folder do.
(
	ulimit -f 8
	exec "$HILAB" run good.yaml $lab -q
) >out 2>err
got=$?
[ "$got" -eq 3 ]
ok $? "a full disk: exits with 3 (got $got)"
err "'$dir/db'"
is_off "the board is off all the same"
"$HILAB" report 1 >out 2>err
out '^run 1  good  pass'
finish
