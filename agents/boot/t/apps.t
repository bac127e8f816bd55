#!/bin/sh
# SPDX-License-Identifier: MIT
# What an application of a real-time EVM, its loader and its build can do wrong: a board whose ROM
# asks for images on the console and whose applications have no command line, played. That the jobs
# of the published tables run on such boards is shown by reports/t/replay.t.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
. "$HILAB_DATA/reports/t/replay.sh"
cd "$dir" || exit 1

"$HILAB_BUILD/reports/t/tool-replay" 1 "$dir/p" >all 2>err
is "$?" 0 'boards are made' || sed 's/^/# /' err
for name in $(grep '^am275x' all); do
	[ "$(sed -n 2p "p/$name.args")" != jobs/am275x/audio.yaml ] || echo "$name"
done >boards
evm=$(cat boards)
app=$dir/p/$evm.root/answers/0.text
played_boards

one() { # the job of one application: its exit status in $rc, its report
	"$HILAB" run "$HILAB_DATA/jobs/am275x/audio.yaml" --lab p/lab.yaml --board "$evm" \
		--build build-am275x.yaml "$@" >out 2>&1
	rc=$?
	"$HILAB" report latest >report
}
says() { # PATTERN NAME
	if grep -qE -- "$1" report; then
		pass "$2"
	else
		fail "$2" "$(cat report)"
	fi
}
one
is $rc 0 'one that prints its table passes'
says 'pass +latency' 'as does its step'
cp "$app" table
printf 'McASP\nSome tests have failed!!\n' >"$app"
one
is $rc 1 'an application that says that it failed'
says "fail +latency +the application says 'Some tests have failed!!'" 'fails the step, in its words'
printf 'McASP (audio) Latency\n\n- nothing\n' >"$app"
one
says 'error +latency' 'one that ends without its table is an error of the test'
cp table "$app"
one --param 'images=sbl app'
says "skip +latency +the job deploys no application 'audio-latency'" 'one that is not deployed is skipped'
echo 'loader 9' >am275x-sbl
sed -i "s/ sbl: .*/ sbl: {path: am275x-sbl, sha256: $(sum am275x-sbl)}/" build-am275x.yaml
one
is $rc 3 'a ROM that does not take the loader'
says "^  blame +infra: step 'boot': .*waits for one more image than there are" 'is told: no image is left to send'
says 'miss +latency' 'and what was to be tested is missing'
finish
