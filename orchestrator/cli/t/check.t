#!/bin/sh
# SPDX-License-Identifier: MIT
# `hilab check`: what it says, on which stream, with which status.
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"

judged() { # STATUS-WANTED NAME ARGS...
	want=$1 name=$2
	shift 2
	"$HILAB" check "$@" >"$dir/out" 2>&1
	got=$?
	[ "$got" -eq "$want" ]
	ok $? "$name: status $want (got $got)"
}
said() { # TEXT
	grep -qF -- "$1" "$dir/out"
	ok $? "said: $1"
}
XDG_CONFIG_HOME=$dir
export XDG_CONFIG_HOME

judged 0 'the library and the types' "$HILAB_DATA"/jobs/*x/*.yaml "$HILAB_DATA"/jobs/nightly.yaml \
	"$HILAB_DATA"/labs/types/*.yaml
said 'smoke.yaml: ok (job)'
said 'am62axx-sk-twin.yaml: ok (type)'
said 'jobs/nightly.yaml: ok (nightly)'

printf 'job: x\nborad: {soc: am62axx}\nsteps:\n  - login\n  - run: {command: fio, parse: fioo}\n' >"$dir/job.yaml"
printf 'job: x\nboard: {type: am62axx-ks, soc: am26axx}\nsteps: [login]\n' >"$dir/match.yaml"
printf 'lab: x\nboards: {a: {type: am62axx-skk, power: {driver: serial-relay, port: x, chanel: 1}, consoles: {main: {driver: serail, port: x}}}}\n' >"$dir/lab.yaml"
printf 'build: x\nversion: 1\nsoc: am62axx\nimages: {kernel: {path: Image}}\n' >"$dir/build.yaml"
ln -s "$HILAB_DATA/jobs" "$dir/jobs"
printf 'nightly: x\njobs: [jobs/am62axx/smoke.yaml]\ntypes: [am62axx-skt]\n' >"$dir/nightly.yaml"
printf 'jbo: x\n' >"$dir/none.yaml"
judged 2 'wrong files' "$dir/job.yaml" "$dir/match.yaml" "$dir/lab.yaml" "$dir/build.yaml" "$dir/nightly.yaml" "$dir/none.yaml" "$dir/gone.yaml" "$HILAB_DATA/jobs/am62axx/boot.yaml"
said "job.yaml:2:1: unknown key 'borad' in job (did you mean 'board'?)"
said "job.yaml:5:32: unknown parser 'fioo' (did you mean 'fio'?)"
said "match.yaml:2:15: unknown board type 'am62axx-ks' (did you mean 'am62axx-sk'?)"
said "match.yaml:2:32: unknown soc 'am26axx' (did you mean 'am62axx'?)"
said "lab.yaml:2:20: unknown board type 'am62axx-skk' (did you mean 'am62axx-sk'?)"
said "unknown key 'chanel' in power driver 'serial-relay' (did you mean 'channel'?)"
said "unknown console driver 'serail' (did you mean 'serial'?)"
said "build.yaml:4:18: missing key 'sha256' in image 'kernel'"
said "nightly.yaml:3:9: unknown board type 'am62axx-skt' (did you mean 'am62axx-sk'?)"
said 'none.yaml:1:1: neither a job, a lab, a type, a build nor a nightly'
said 'gone.yaml: '
said 'boot.yaml: ok (job)'

judged 2 'as JSON' --json "$dir/job.yaml" "$HILAB_DATA/jobs/am62axx/boot.yaml"
said '"line": 2'
said '"ok": true'

judged 2 'no file'
judged 0 'help' -h
said 'usage: hilab check'

for page in jobs/doc/hilab-job jobs/doc/hilab-nightly labs/doc/hilab-lab labs/doc/hilab-type orchestrator/builds/doc/hilab-build; do
	rm -f "$dir"/example*
	awk -v to="$dir/example" '/^\.Bd -literal/ { on = 1; n++; next } /^\.Ed/ { on = 0 }
		on { print >(to n ".yaml") }' "$HILAB_DATA/$page.5"
	judged 0 "the examples of ${page##*/}(5)" "$dir"/example*.yaml
done

# 64 MiB that are no YAML: told, and before anybody waits
head -c 67108864 /dev/zero | tr '\0' '{' >"$dir/garbage.yaml"
timeout 5 "$HILAB" check "$dir/garbage.yaml" >"$dir/out" 2>&1
[ $? -eq 2 ]
ok $? '64 MiB of garbage are refused'
said 'garbage.yaml: larger than 1 MiB'

finish
