#!/bin/sh
# A whole lab for two minutes: a controller, an agent, one virtual board that boots and twenty that
# are played; a night on them in which a relay dies; the summary. Ends all that it started.
# usage: demo-lab.sh HILAB
set -eu

hilab=$1
dir=$PWD/build/demo-lab
. "$(dirname "$0")/daemons.sh"
# The boards of a lab file, its ports found from one folder higher.
boards_of() {
	sed -n '/^boards:/,$p' "$dir/$1/lab.yaml" | sed "1d; s|: \./|: ./$1/|"
}

rm -rf "$dir"
mkdir -p "$dir"
export HILAB_STORE="$dir/hilab.db" HILAB_RUN_DIR="$dir/run" XDG_STATE_HOME="$dir/state"
trap end EXIT
trap 'exit 130' INT TERM

say "1. A lab: a virtual AM62Ax board, and twenty played ones with a relay each"
start twin "$hilab" twin --dir "$dir/twin"
start player "$hilab" player --dir "$dir/player" --count 20 --channels 1 evm=instant
{
	echo "lab: demo"
	echo "boards:"
	boards_of twin
	boards_of player | sed 's/    type: .*/&\n    tags: [played]/'
} >"$dir/lab.yaml"

say "2. The controller and the lab's agent"
start server "$hilab" server --listen 127.0.0.1:0
start agent "$hilab" agent --lab "$dir/lab.yaml" --name demo-host

say "3. The relay of one board dies; then the night begins"
"$hilab" player ctl "$dir/player" relay evm-7 dead
rc=0
"$hilab" nightly run labs/virtual/demo/nightly.yaml --wait || rc=$?

say "4. The lab afterwards"
"$hilab" boards
cat <<EOF

The night's exit status is $rc: the product failed a test (by intent), whatever the lab's trouble.
EOF
[ "$rc" -eq 1 ]
