#!/bin/sh
# SPDX-License-Identifier: MIT
# What a kernel says about itself and a board that starts anew, on a played board: verdict and blame
# of the run, what is failed and what is only missing, and that typed words change nothing.
set -u
tool=$HILAB_BUILD/agents/t/tool-job
dir=$(mktemp -d)
export HILAB_RUN_DIR="$dir/run" HILAB_DATA
cd "$dir" || exit 1
n=0
player=

end() {
	trap - EXIT
	[ -z "$player" ] || { kill "$player"; wait "$player"; } 2>/dev/null
	rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM

ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		grep -v '"note"' "$dir/j/events.jsonl" | tail -n 6 | sed 's/^/# /'
	fi
}
ctl() { "$HILAB" player ctl "$dir/p" "$@" >>"$dir/ctl" 2>&1 || echo "# ctl $*: refused"; }
run() { # FAULT
	rm -rf "$dir/j"
	ctl clear b
	[ -z "$1" ] || ctl fault b "$1"
	"$tool" make "$dir/job.yaml" "$dir/p/lab.yaml" "$dir/j" >"$dir/out" 2>&1
	"$tool" run "$dir/j" >"$dir/out" 2>&1
	last=$(tail -n 1 "$dir/out")
}
ends() { # PATTERN NAME
	case $last in
	$1) ok 0 "$2" ;;
	*)
		ok 1 "$2"
		echo "# ended: $last"
		;;
	esac
}
has() { grep -qE -- "$1" "$dir/j/events.jsonl"; ok $? "$2"; }
lacks() { ! grep -qE -- "$1" "$dir/j/events.jsonl"; ok $? "$2"; }

release=$(uname -r)
printf 'x\0Linux version %s (a@b) #1\n' "$release" >kernel
cat >build.yaml <<-EOT
	build: played
	version: "1"
	soc: am62axx
	images:
	  kernel: {path: kernel, sha256: $(sha256sum kernel | cut -d' ' -f1), release: "$release"}
	  rootfs: {path: kernel, sha256: $(sha256sum kernel | cut -d' ' -f1)}
EOT
cat >job.yaml <<-'EOT'
	job: crash
	board: {soc: am62axx}
	build: ./build.yaml
	steps:
	  - power: off
	  - deploy: {method: tftp, images: [kernel, rootfs]}
	  - boot: u-boot
	  - login
	  - run: {name: works, command: "hil_result inner pass; echo here''abouts; hil_result later pass", timeout: 8s}
	  - run: {name: after, command: "true"}
EOT
mkfifo ready
"$HILAB" player --dir p b=am62axx-sk-twin >ready 2>player.log &
player=$!
read -r line <ready
sed 's/model: lcus/&\n      off-time: 50ms/' p/lab.yaml >lab && mv lab p/lab.yaml

run ''
ends "pass none off: *" "a run that passes"
lacks '"kind":"warn"' "and warns of nothing"

run 'insert after=hereabouts count=1 text="[\s\s\s99.000001]\sWARNING:\sCPU:\s0\sPID:\s1\sat\sx.c:1\sf+0x1/0x2\n[\s\s\s99.000002]\sCall\strace:\n"'
ends "pass none off: *" "a warning of the kernel fails nothing"
has '"kind":"warn","text":"WARNING: CPU|"kind":"warn",.*WARNING: CPU.*Call trace.*"crash":"warning","console":"main","log_offset":[0-9]' "it is on record, with its trace and place"
has '"name":"kernel.warnings","value":"1"' "and counted"

run 'insert after=hereabouts count=1 text="[\s\s\s99.000001]\sBUG:\sKASAN:\sslab-out-of-bounds\sin\sf+0x1/0x2\n"'
ends "fail test off: *'works/kernel': *KASAN*" "what the kernel proves to be broken fails the run"
has '"name":"works/later","status":"pass"' "the step goes on"
has '"name":"after","status":"pass"' "and so does the job"

run 'panic after=hereabouts'
ends "fail test off: *'works/kernel': the kernel gave up: Kernel panic*" "a panic fails the run"
has '"name":"works/inner","status":"pass"' "what came before it counts"
has '"name":"works","status":"miss"' "what did not come is missing, not failed"
lacks '"name":"(works/later|after)","status"' "and nothing is made up"
has '"outcome":"not-run"' "the rest is not run"

run 'reboot after=hereabouts'
ends "incomplete infra off: *the board was reset while the step ran*" "a reset that nothing announced is nobody's failed test"
has '"name":"works","status":"miss"' "what did not come is missing"
ms=$(sed -n 's/.*"kind":"step-end".*"name":"works".*"took_ms":\([0-9]*\).*/\1/p' j/events.jsonl)
[ "${ms:-9999}" -lt 8000 ]
ok $? "and it is known at once, not at the deadline"

sed -i "s/echo here''abouts/echo 'Kernel panic - not syncing: typed'; echo '[   99.000001] BUG: KASAN: typed' >f; rm f/" job.yaml
run ''
ends "pass none off: *" "typed and printed words are none of the kernel's"
lacks '"kind":"warn"' "and on no record"

echo "1..$n"
