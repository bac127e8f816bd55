#!/bin/sh
# SPDX-License-Identifier: MIT
# Nights on virtual boards: a twin of each type that the plans ask for, a controller and an agent;
# each plan is run and summed up. Store, run folders and the boards' disks stay in build/night, so
# that the next night has a history. Ends all that it started.
# usage: [JOBS=2] night.sh HILAB PLAN.yaml...
# JOBS: boards that work at a time
# exit status: 0 all passed, 1 the product failed, 3 only the lab did
set -eu

hilab=$1
shift
dir=$PWD/build/night
. "$(dirname "$0")/daemons.sh"

mkdir -p "$dir"
export HILAB_STORE="$dir/hilab.db" HILAB_RUN_DIR="$dir/run" XDG_STATE_HOME="$dir/state"
unset HILAB_SERVER HILAB_TOKEN
trap end EXIT
trap 'exit 130' INT TERM

say "1. The boards that $# plan(s) ask for"
types=$(for plan; do "$hilab" nightly expand --json "$plan"; done |
	sed -n 's/.*"type": "\(.*\)-twin".*/\1/p' | sort -u)
[ -n "$types" ] || { echo "no plan asks for a twin" >&2; exit 2; }
# shellcheck disable=SC2046
start twin "$hilab" twin --dir "$dir/twin" $(for t in $types; do echo "$t=$t"; done)
echo "$types"

say "2. The controller and the lab's agent"
start server "$hilab" server --listen 127.0.0.1:0
start agent "$hilab" agent --lab "$dir/twin/lab.yaml" --name night-host --max-jobs "${JOBS:-2}"

say "3. The night"
began=$(date +%s)
waiting=
for plan; do
	"$hilab" nightly run "$plan" --wait --quiet >"$dir/$(echo "$plan" | tr / -).txt" 2>&1 &
	waiting="$waiting $!:$plan"
done
failed=0
lab=0
for one in $waiting; do
	rc=0
	wait "${one%%:*}" || rc=$?
	plan=${one#*:}
	say "$plan: exit status $rc"
	cat "$dir/$(echo "$plan" | tr / -).txt"
	case $rc in
	0) ;;
	1) failed=1 ;;
	*) lab=3 ;;
	esac
done
took=$(($(date +%s) - began))
say "took $((took / 60)) min $((took % 60)) s; load $(cut -d' ' -f1-3 /proc/loadavg)"
cat <<EOT
What it left:  HILAB_STORE=$HILAB_STORE hilab report latest
EOT
[ $failed -eq 0 ] || exit 1
exit $lab
