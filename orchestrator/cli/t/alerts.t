#!/bin/sh
# SPDX-License-Identifier: MIT
# What became worse, on two played boards with eight builds: it is run again, on the other board
# too, and the build that did it is found; the server is killed meanwhile. What a board prints hangs
# on the kernel that it booted.
set -u
. "$HILAB_DATA/labs/virtual/t/whole.sh"
cd "$dir" || exit 1
patience=120

start_player b=am62axx-sk-twin --count 2 --scale 0.01
lab=$dir/p/lab.yaml
start_server
start_agent
until_ok online b-1
until_ok online b-2

echo root >root
push() { # NUMBER: its kernel is in ./kernel
	cat >build.yaml <<-END
		build: sdk
		version: "1.$1"
		soc: am62axx
		images:
		  kernel: {path: kernel, sha256: $(sum kernel), release: 6.1.$1-a}
		  rootfs: {path: root, sha256: $(sum root)}
	END
	"$HILAB" builds push ./build.yaml --quiet >>pushed 2>&1
}
for k in 0 1 2 3 4 5 6 7; do
	printf 'x\0Linux version 6.1.%s-a (a@b) #1\n' $k >kernel
	push $k
done
is "$(wc -l <pushed)" 8 'eight builds are there'

# From 1.5 on it is slower, and the test fails; the second board is a tenth faster.
cat >speed.yaml <<'END'
job: speed
board: {type: am62axx-sk-twin}
build: sdk
timeout: 5m
steps:
  - power: off
  - deploy: {method: tftp, images: [kernel, rootfs]}
  - boot: u-boot
  - login
  - run:
      name: measure
      suite: speed
      command: |
        IFS=.- read -r a b n c </proc/sys/kernel/osrelease
        v=$((1000 + $(od -An -N1 -tu1 /dev/urandom) % 8))
        [ "$n" -lt 5 ] || v=$((v - 200))
        hil_metric mem.available $v MiB
        hil_result steady pass
        if [ "$n" -lt 5 ]; then hil_result quick pass; else hil_result quick fail slow; fi
END
first() { # BUILD BOARD: its job's number
	"$HILAB" submit speed.yaml --build "sdk@$1" --board "$2" >job 2>submit.err || fail "submit" "$(cat submit.err)"
	cat job
}
job=$(first 1.7 b-1)
until_ok all_done
state_of() { "$HILAB" alerts show "$1" --json | sed -n 's/^  "state": "\(.*\)",*/\1/p'; }
is_in() { [ "$(state_of "$1")" = "$2" ]; }
value_of() { "$HILAB" alerts show "$1" --json | sed -n "s/^  \"$2\": \"\(.*\)\",*/\1/p"; }

check 'a figure became worse' 0 1 "$HILAB" alerts open "$job" --metric mem.available --suite speed \
	--good 1.0 --before 1004 --after 804 --deviation 3
check 'once' 2 'open already' "$HILAB" alerts open "$job" --metric mem.available --suite speed \
	--good 1.0 --before 1004 --after 804 --deviation 3
check 'and a test' 0 2 "$HILAB" alerts open "$job" --test measure/quick --suite speed --good 1.0
check 'a job that is none' 2 'a job that has run' "$HILAB" alerts open 999 --test quick
check 'what it does not tell' 2 "tells nothing of 'quack'" "$HILAB" alerts open "$job" --test quack
check 'a metric without a level' 2 'needs --before' "$HILAB" alerts open "$job" --metric m
check 'a level that is none' 2 'no number' "$HILAB" alerts open "$job" --metric m --before x
check 'both are listed' 0 'speed mem.available' "$HILAB" alerts

# Killed at some moment of the search: it goes on where it was.
until_ok is_in 1 locating
kill_daemon "$server"
start_server
until_ok is_in 1 located
is "$(value_of 1 first_bad)" 1.5 'the build is found'
is "$(value_of 1 blame)" build 'which is to blame'
until_ok is_in 2 located
is "$(value_of 2 first_bad)" 1.5 'and by the test'
check 'with what was run' 0 'other-good' "$HILAB" alerts show 1
like "$(cat out 2>/dev/null; "$HILAB" alerts show 1)" '*b-2*' 'on the other board too'
check 'of the list' 0 '1.5' "$HILAB" alerts
until_ok all_done
is "$(sql "SELECT count(*) FROM job WHERE retry_of IS NOT NULL AND verdict IS NULL")" 0 'no run is left'
is "$(sql "SELECT count(*) FROM (SELECT body FROM alert WHERE body LIKE '%\"pending\"%')")" 0 \
	'and none is waited for'

check 'somebody looks after it' 0 'seen to' "$HILAB" alerts acknowledge 1 --why 'mine'
check 'a reason is needed' 2 'say why' "$HILAB" alerts accept 1
check 'it is meant to be so' 0 accepted "$HILAB" alerts accept 1 --why 'safer timing'
check 'it is over' 2 'cannot become' "$HILAB" alerts accept 1 --why again
lacks_line() { ! "$HILAB" alerts | grep -q "^1 "; }
lacks_line
ok $? 'and not listed'
check 'but with all' 0 accepted "$HILAB" alerts list --all
check 'it is opened again' 0 'not that much' "$HILAB" alerts reopen 1 --why 'not that much'
until_ok is_in 1 located
is "$(value_of 1 first_bad)" 1.5 'and found again'
check 'all of it is in the audit' 0 'safer timing' "$HILAB" audit

# Nothing is wrong with it.
job=$(first 1.3 b-1)
until_ok all_done
check 'a suspicion by chance' 0 3 "$HILAB" alerts open "$job" --test measure/steady --suite speed --good 1.0
until_ok is_in 3 refuted
check 'says why' 0 'it is as before' "$HILAB" alerts show 3

# A night is judged by itself: four with the good build, then one with the bad one.
cat >night.yaml <<'END'
nightly: speed
jobs: [speed.yaml]
boards: [b-1]
builds: [sdk@BUILD]
confirm: {same: 3, good: 3, other: 0, locate: 20}
END
night() { # BUILD: its exit status
	sed "s/BUILD/$1/" night.yaml >this.yaml
	"$HILAB" nightly run this.yaml --wait >night.out 2>night.err
}
for k in 1 2 3 4; do night 1.4; done
is $? 0 'nights that pass'
night 1.6
is $? 1 'one that does not'
found() { # KIND: an alert of a night is located
	[ "$(sql "SELECT count(*) FROM alert WHERE nightly=5 AND state='located' AND body LIKE '%\"kind\":\"$1\"%'")" = 1 ]
}
until_ok found test
pass 'opens an alert, whose build is found'
id=$(sql "SELECT id FROM alert WHERE nightly=5 AND body LIKE '%\"kind\":\"test\"%'")
is "$(value_of "$id" first_bad)" 1.5 'though no night ran it'
is "$(sql "SELECT count(*) FROM nightly WHERE judged=0")" 0 'every night is judged'
night 1.4
until_ok is_in "$id" fixed
pass 'a night with a good build ends it'

# From 1.9 on no kernel is in the image: nothing boots.
printf 'x\0Linux version 6.1.8-a (a@b) #1\n' >kernel
push 8
for k in 9 10; do
	echo "no kernel $k" >kernel
	push $k
done
job=$(first 1.10 b-1)
until_ok all_done
id=$("$HILAB" alerts open "$job" --good 1.7)
until_ok is_in "$id" located
is "$(value_of "$id" first_bad)" 1.9 'the build that does not boot is found'
check 'as one' 0 'no boot' "$HILAB" alerts show "$id"

check 'a known issue' 0 1 "$HILAB" known add --suite speed --test 'measure/qui*' --why 'bug 4711' --expires 14d
check 'is listed' 0 'bug 4711' "$HILAB" known
check 'what of it' 2 'job, suite, test, message' "$HILAB" known add --why x
check 'no time' 2 'no duration' "$HILAB" known add --test x --why x --expires soon
night 1.6
is $? 0 'a night whose failures are known passes'
like "$(cat night.out)" '*known issues (1)*bug 4711*' 'and tells them apart'
until_ok all_done
is "$(sql "SELECT count(*) FROM alert WHERE nightly=7 AND body LIKE '%\"kind\":\"test\"%'")" 0 'without an alert'
check 'it is deleted' 0 '' "$HILAB" known del 1
check 'once' 2 'no known issue' "$HILAB" known del 1
finish
