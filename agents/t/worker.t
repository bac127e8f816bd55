#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole workers on a played board: relay and console on serial ports, U-Boot's dialogue, a real
# shell. What is shown: the verdict and blame of each way a run can end, that the board is off and
# the TFTP folder empty however it ended, and that a folder always tells.
set -u
. "$HILAB_DATA/agents/t/job.sh"
cd "$dir" || exit 1 # manifests are named beside here

is_free() { # NAME
	case "$(power b) $(ls p/tftp)" in
	"b off"*" ") ok 0 "$1: off, nothing staged" ;;
	*) ok 1 "$1: off, nothing staged" ;;
	esac
}

# ---- the board and its build: the played shell is this host's, and so is its kernel

played_images
build() { # FILE RELEASE
	manifest "$1" am62axx "$2"
	printf '  boot-loader: {path: kernel, sha256: %s, version: "U-Boot 2023.01"}\n' "$(sum kernel)" >>"$1"
}
build build.yaml "$release"
build build-other.yaml 5.10.0-other
sed 's/U-Boot 2023.01/U-Boot 2023.0/' build.yaml >build-loader.yaml

steps() { # NAME BUILD; further steps on standard input
	{
		printf 'job: %s\nboard: {soc: am62axx}\nbuild: ./%s\nsteps:\n' "$1" "$2"
		printf '  - %s\n' 'power: off' 'deploy: {method: tftp, images: [kernel, rootfs]}' \
			'boot: u-boot' login
		cat
	} >"$dir/$1.yaml"
}
steps good build.yaml <<'EOT'
  - run: {name: says, command: 'echo "a  b"; echo done', expect: ["^a  b$", done]}
  - run: {name: tells, command: "hil_result inner pass; hil_metric m 2 MB/s bs=4k"}
EOT
steps bad build.yaml <<'EOT'
  - run: {name: fails, command: "echo because; exit 3", expect: because}
  - run: {name: lacks, command: "echo one", expect: two}
  - run: {name: inner, command: "hil_result part fail 'too slow'"}
  - run: {name: goes-on, command: "true"}
EOT
steps other build-other.yaml </dev/null
steps loader build-loader.yaml </dev/null
steps hangs build.yaml <<'EOT'
  - run: {name: stuck, command: "echo here; sleep 1000", timeout: 1500ms}
  - run: {name: after, command: "true"}
EOT
steps silent build.yaml <<'EOT'
  - run: {name: dies, command: "echo 'last''words'; sleep 1000", timeout: 2s}
  - run: {name: after, command: "true"}
EOT
printf 'job: empty\nboard: {soc: am62axx}\nsteps:\n  - power: cycle\n' >"$dir/empty.yaml"

start_player b=am62axx-sk-twin

# ---- verdicts

run good
ends "pass none off: " "a good run passes"
is_free "a good run"
for text in '"kind":"identity","role":"kernel"' '"name":"good","status"' \
	'"name":"tells/inner","status":"pass"' '"name":"m","value":2' '"kind":"stage","name":"login"' \
	'"name":"boot.login_ms"' '"name":"says.txt","bytes":10' '"kind":"env","name":"boot-loader"'; do
	case $text in *'"name":"good"'*) continue ;; esac
	has "$text" "its journal has $text"
done
[ "$(cat "$dir/j/artifacts/says.txt")" = "a  b
done" ]
ok $? "output is kept as it was"
[ "$(stat -c %a "$dir/j/board.json")" = 600 ]
ok $? "board.json is nobody else's"
"$HILAB" worker "$dir/j" >"$dir/out" 2>&1
[ $? -eq 2 ]
ok $? "an ended run is not run again"

run bad
ends "fail test off: 3 of 7 results failed, first 'fails': exit status 3: because" "a failed test fails the run"
has '"name":"lacks","status":"fail","why":"output lacks' "a missing text is a failure"
has '"name":"inner/part","status":"fail","why":"too slow"' "so is a failed part"
has '"name":"goes-on","status":"pass"' "and the job goes on"

run empty
ends "incomplete job off: nothing ran" "a job in which nothing ran is no pass"

run other
ends "incomplete build off: *another kernel runs*" "another kernel than the deployed one"
has '"same":false' "the difference is on record"
is_free "another kernel"

run loader
ends "incomplete infra off: *another boot-loader runs*" "a version is not one that only begins alike"

# ---- build ids: what the kernel and a module show of themselves

note='\004\0\0\0\004\0\0\0\003\0\0\0GNU\0' # printf's, and the id follows
shown=$dir/p/b.root/sys/kernel/notes
module=$dir/p/b.root/sys/module/snd_soc
mkdir -p "${shown%/*}" "$module/notes"
printf '\006\0\0\0\001\0\0\0\001\001\0\0Linux\0\0\0\007\0\0\0'"$note"'\336\255\276\357' >"$shown"
printf "$note"'\001\002\003\004' >"$module/notes/.note.gnu.build-id"
echo 0123456789ABCDEF0123456 >"$module/srcversion"
with_ids() { # ID-OF-KERNEL KEYS-OF-MODULES
	sed -e "s/release: /build-id: \"$1\", &/" build.yaml
	printf '  modules: {path: root, sha256: %s, %s}\n' "$(sum root)" "$2"
} >build-ids.yaml
steps ids build-ids.yaml </dev/null
sed -i 's/kernel, rootfs/&, modules/' ids.yaml
with_ids DEADBEEF 'module: snd-soc, version: 0123456789ABCDEF0123456, build-id: "01020304"'
run ids
ends "pass none off: " "a kernel and a module with the build's ids"
has '"role":"kernel","want":"deadbeef","got":"deadbeef","same":true' "the kernel's is on record"
has '"role":"modules","want":"01020304","got":"01020304","same":true' "so is the module's"
has '"role":"modules","want":"0123456789ABCDEF0123456","got":"0123456789ABCDEF0123456' \
	"and its version"
with_ids deadbee0 'module: snd_soc'
run ids
ends "incomplete build off: *another kernel runs*'deadbeef' is not 'deadbee0'*" "a kernel of another id"
with_ids deadbeef 'module: snd_soc, build-id: "0102"'
run ids
ends "incomplete build off: *another modules runs*" "a module of another id"
: >"$shown"
with_ids deadbeef 'module: none, version: x, build-id: "0102"'
run ids
ends "pass none off: " "a board that shows no ids"
has 'the board tells no build id of its kernel' "which is noted of the kernel"
has 'the board tells no build id of its modules' "and of a module that is not there"
has "the board tells no version of its module 'none'" "as of its version"
rm -rf "$dir/p/b.root/sys"

run good
echo changed >>"$dir/kernel"
"$HILAB" worker "$dir/j" >/dev/null 2>&1
make_job good
[ $? -eq 5 ]
ok $? "an image with a wrong digest is not taken into a plan"
printf 'x\0Linux version %s (a@b) #1\n' "$release" >"$dir/kernel"
make_job good k
echo changed >>"$dir/kernel"
"$HILAB" worker "$dir/k" >"$dir/out" 2>&1
[ $? -eq 5 ] && grep -q '"blame": "build"' "$dir/k/status"
ok $? "nor used when it changed since"
! grep -q '"state":"on"' "$dir/k/events.jsonl"
ok $? "the board was never switched on"
rm -rf "$dir/k"
printf 'x\0Linux version %s (a@b) #1\n' "$release" >"$dir/kernel"

run hangs
ends "incomplete timeout off: *stuck*" "a command that hangs meets its deadline"
has '"name":"stuck","status":"miss"' "its result is lost, not failed"
has '"name":"after","status":"pass"' "with the shell back the job goes on"

ctl fault b hang after=lastwords
run silent
ends "incomplete timeout off: *dies*" "a board that hangs"
has '"outcome":"not-run"' "ends the job"
is_free "a hung board"
ctl clear b

ctl fault b panic after=lastwords
run silent
ends "fail test off: *the kernel gave up: Kernel panic*" "a kernel that panics is a failure"
has 'Kernel panic - not syncing' "its words are on record"
is_free "a panic"
ctl clear b

ctl fault b panic at=kernel
run good
ends "fail test off: *the kernel gave up: Kernel panic*" "a kernel that panics while it boots"
has '"name":"boot","status":"fail"' "that is a failure of what is booted"
ctl clear b

cp "$dir/p/lab.yaml" "$dir/lab"
sed 's/root: \(.*tftp\)/&\n        prefix: elsewhere\//' "$dir/lab" >"$dir/p/lab.yaml"
run good
ends "incomplete infra off: *TFTP error*" "what the loader does not find is the lab's fault, in its own words"
cp "$dir/lab" "$dir/p/lab.yaml"
steps part build.yaml </dev/null
sed -i 's/images: .kernel, rootfs./images: [rootfs]/' "$dir/part.yaml"
run part
ends "incomplete job off: *image.kernel*" "an image that the job does not deploy is the job's"

ctl relay b dead
run good
ends "incomplete infra unknown: *" "a relay that does not answer: the lab's fault, never off"
! grep -q '"state":"off"' "$dir/j/events.jsonl"
ok $? "and nowhere told to be off"
ctl clear b
ctl relay b ok

# ---- a relay that cannot be read back: what the console says counts

cp "$dir/p/lab.yaml" "$dir/lab"
awk '/power:/ { print; skip = 1; next }
	skip && /^      / { next }
	skip { skip = 0 }
	{ print }' "$dir/lab" | sed "s|    power:|    power:\n      driver: command\n      off-time: 50ms\n      on: [sh, -c, 'printf \"\\\\240\\\\001\\\\001\\\\242\" >$dir/p/relay']\n      off: [sh, -c, 'printf \"\\\\240\\\\001\\\\000\\\\241\" >$dir/p/relay']|" >"$dir/p/lab.yaml"
run good
ends "pass none off: " "a board whose power only the console can tell"
grep -o '"kind":"power","state":"[a-z]*"' "$dir/j/events.jsonl" | cut -d'"' -f8 | tr '\n' ' ' >"$dir/out"
[ "$(cat "$dir/out")" = "unknown unknown on off " ]
ok $? "unknown until it talks, off when an Enter is not answered"
cp "$dir/lab" "$dir/p/lab.yaml"

# ---- a full disk

make_job good
(
	ulimit -f 4
	"$HILAB" worker "$dir/j" >"$dir/out" 2>&1
)
[ $? -eq 3 ] && grep -q '"blame": "infra"' "$dir/j/status"
ok $? "a disk that fills up ends the run, the lab's fault"
is_free "a full disk"

# ---- the same results however the console brings its bytes

run good
want=$(results)
[ "$(echo "$want" | wc -l)" -eq 5 ]
ok $? "a good run has five results"
for fault in "chunk 1" "chunk 65536" "insert every=900" "insert after=@hil offset=7" \
	"insert after=root@hil" "insert after=login: count=1" "drop after=inner count=1" \
	"corrupt after=@hil offset=9 count=2" "dup after=@hil\\s1 offset=9 count=2" "drop typed every=700"; do
	ctl fault b $fault
	run good
	[ "$(results)" = "$want" ]
	ok $? "the same results with '$fault'"
	ctl clear b
done

# ---- ends from outside

for at in '"step_kind":"power"' '"step_kind":"deploy"' '"step_kind":"boot"' '"state":"on"' \
	'"step_kind":"login"' '"kind":"identity"' '"step_kind":"run"'; do
	run good self 2 "$at"
	ends "canceled cancel off: *" "Ctrl-C at $at"
	is_free "Ctrl-C at $at"
done

i=0
while [ $i -lt 44 ]; do
	run good worker 9 "\"seq\":$i,"
	case $last in
	"incomplete bug off: the worker died "* | "pass none off: ") ok 0 "kill -9 at event $i" ;;
	*)
		ok 1 "kill -9 at event $i"
		echo "# ended: $last"
		;;
	esac
	is_free "kill -9 at event $i"
	[ "$(cut -d'"' -f3 "$dir/j/events.jsonl" | tr -d ':,' | awk '$1 != NR - 1' | wc -l)" -eq 0 ]
	ok $? "its journal has no gap"
	i=$((i + ${KILL_STEP:-6}))
done
echo "# kill -9 at every ${KILL_STEP:-6}th event"

# ---- one board, one worker

mkfifo "$dir/held"
rm -rf "$dir/j" "$dir/k"
make_job hangs
make_job good k
"$tool" run "$dir/j" >"$dir/held" 2>&1 &
first=$!
while read -r line; do
	case $line in
	*'"kind":"run-start"'*)
		"$HILAB" worker "$dir/k" >"$dir/out" 2>&1
		[ $? -eq 3 ] && grep -q "in use by pid [0-9]*, folder $dir/j" "$dir/k/status"
		ok $? "a second worker is refused, and told by whom"
		"$HILAB" worker "$dir/j" >"$dir/out" 2>&1
		[ $? -eq 3 ] && [ ! -e "$dir/j/status" ]
		ok $? "in the same folder, too, and it leaves that alone"
		"$HILAB" worker --release "$dir/j" >"$dir/out" 2>&1
		[ $? -eq 3 ]
		ok $? "and nobody releases under a worker that lives"
		;;
	esac
	last=$line
done <"$dir/held"
wait "$first"
ends "incomplete timeout off: *" "the first one goes on"

finish
