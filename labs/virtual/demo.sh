#!/bin/sh
# The main job from end to end on a virtual board: power on, deploy, boot, test, report.
# usage: demo.sh HILAB
set -eu

hilab=$1
job=jobs/am62axx/smoke.yaml
dir=build/demo
twin=

end() {
	rc=$?
	trap - EXIT INT TERM
	if [ -n "$twin" ]; then
		kill "$twin" 2>/dev/null || true
		wait "$twin" 2>/dev/null || true
	fi
	rm -f "$dir/ready"
	exit "$rc"
}
say() {
	printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[01]m//g'; fi
}

mkdir -p "$dir"
export HILAB_STORE="$dir/hilab.db" HILAB_RUN_DIR="$dir" XDG_STATE_HOME="$PWD/$dir/state"
trap end EXIT
trap 'exit 130' INT TERM

say "1. A virtual AM62Ax board: a console and a relay on serial devices, QEMU behind them"
rm -f "$dir/ready"
mkfifo "$dir/ready"
"$hilab" twin --dir "$dir/twin" >"$dir/ready" &
twin=$!
# One line comes when all its devices are there; end of file means that it gave up.
read -r line <"$dir/ready" || { wait "$twin"; exit 3; }
echo "$line"
"$hilab" boards --lab "$dir/twin/lab.yaml"

say "2. The job and the lab are checked before anything is switched on"
"$hilab" check "$job" "$dir/twin/lab.yaml"

say "3. The job runs (watch the console meanwhile: $dir/twin)"
rc=0
"$hilab" run "$job" --lab "$dir/twin/lab.yaml" || rc=$?

say "4. What there is now"
"$hilab" report --store "$HILAB_STORE"
cat <<EOF

  $hilab report latest --format tap --store $HILAB_STORE    the same results as TAP
  $hilab log latest --store $HILAB_STORE                    the board's console
EOF
exit "$rc"
