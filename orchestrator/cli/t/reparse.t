#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab reparse: a run of a played board read again. Unchanged it says so; where its plan reads the
# same output otherwise, what changes is shown, recorded beside what was, and can be taken back.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1

played_images
manifest build.yaml
cat >own.yaml <<'EOT'
job: own
board: {soc: am62axx}
build: ./build.yaml
steps:
  - power: off
  - deploy: {method: tftp, images: [kernel, rootfs]}
  - boot: u-boot
  - login
  - run:
      name: checks
      labels: {bs: 4k}
      command: |
        hil_result framed pass; hil_metric fio.write.bw 5 MB/s
        printf 'alpha: OK 3 ms\nbeta: OK 4 ms\nfio.read.bw: OK 12 parsec\n'
      parse:
        regex:
          pattern: '^(?P<name>[a-z.]+): (?P<result>[A-Z]+) (?P<value>[0-9]+) (?P<unit>[a-z]+)$'
          fixup: {OK: pass, GOOD: fail}
          better: lower
  - run: {name: plain, command: echo fine}
  - run: {name: fails, command: "echo 'gamma: OK 3 ms'; exit 3", exit: 3, parse: {regex: {pattern: '^(?P<name>\w+): (?P<result>OK)', fixup: {OK: pass}}}}
EOT
start_player b=am62axx-sk-twin
check 'a run' 0 '' "$HILAB" run own.yaml --lab p/lab.yaml
check 'with a warning for a unit that nobody knows' 0 "fio.read.bw: unit 'parsec' is not known: 12 parsec is not stored" "$HILAB" report latest
"$HILAB" report latest --json >before.json
rundir=$(sed -n 's/^ *"dir": "\(.*\)",*$/\1/p' before.json | head -n 1)
[ -f "$rundir/artifacts/checks.txt" ]
ok $? 'its outputs are kept'
grep -q '"better": "lower"' before.json
ok $? 'a direction that the settings give is stored'

check 'nothing changed' 0 'run 1: 2 outputs read again,' "$HILAB" reparse latest
grep -q ', 0 changed$' out
ok $? 'and it says so' 
check 'as JSON' 0 '"changes": []' "$HILAB" reparse 1 --json
check 'nor is it to be recorded' 0 ' 0 changed' "$HILAB" reparse 1 --record --exit-code
check 'so there is no other reading' 0 'it was read once' "$HILAB" reparse 1 --readings

# Read otherwise: as if the parser had been mended since.
cp "$rundir/plan.json" plan.json
sed 's/"OK": *"pass"/"OK": "fail"/' plan.json >"$rundir/plan.json"
check 'another reading of the same' 0 'changed  result  checks/alpha ' "$HILAB" reparse 1
check 'tells the verdict that follows' 0 'verdict: fail, and was pass' "$HILAB" reparse 1
check 'and exits so when asked' 1 '' "$HILAB" reparse 1 --exit-code
check 'nothing is stored by that' 0 'it was read once' "$HILAB" reparse 1 --readings
"$HILAB" report latest --json | cmp -s - before.json
ok $? 'the report is as it was'
check 'it is recorded' 0 'recorded as reading 1' "$HILAB" reparse 1 --record
check 'and counts from then on' 1 'checks/alpha' "$HILAB" report 1 --exit-code
check 'which the list tells' 0 'fail' "$HILAB" reparse 1 --readings
check 'frames of the same step stay' 0 'checks/framed' "$HILAB" report 1
check 'and figures' 0 'fio.write.bw' "$HILAB" report 1
check 'now it is the same' 0 ', 0 changed' "$HILAB" reparse 1
check 'what was before counts again' 0 '' "$HILAB" reparse 1 --use 0
"$HILAB" report latest --json | cmp -s - before.json
ok $? 'and nothing of it was lost'
check 'and the other one again' 0 '' "$HILAB" reparse 1 --use 1
check 'which is there' 1 'checks/alpha' "$HILAB" report 1 --exit-code
check 'a reading that is not' 2 'run 1 has no reading 9' "$HILAB" reparse 1 --use 9
check 'a word that is none' 2 "'x' is no reading" "$HILAB" reparse 1 --use x
"$HILAB" reparse 1 --use 0

# A parser that is not there any more, and one that finds nothing.
sed 's/"regex"/"regexp"/' plan.json >"$rundir/plan.json"
check 'a parser that is not there' 0 "error: unknown parser 'regexp'" "$HILAB" reparse 1
grep -q '^gone  *result  *checks/beta' out
ok $? 'and what it had told is gone'
cp plan.json "$rundir/plan.json"

# What cannot be read.
check 'a run that is not there' 2 'holds no run 7' "$HILAB" reparse 7
check 'does not keep others from it' 2 ' 0 changed' "$HILAB" reparse 7 1
check 'no run at all' 2 "'x' is no run" "$HILAB" reparse x
cp "$rundir/artifacts/checks.txt" kept
printf x >>"$rundir/artifacts/checks.txt"
check 'an output that is damaged' 3 "run 1: step 'checks': '" "$HILAB" reparse 1
grep -q 'were kept' err out 2>/dev/null
ok $? 'which is told'
rm "$rundir/artifacts/checks.txt"
check 'one that is gone' 3 'No such file' "$HILAB" reparse 1 --record
cp kept "$rundir/artifacts/checks.txt"
echo '{' >"$rundir/plan.json"
check 'a plan that is damaged' 3 'plan.json' "$HILAB" reparse 1
cp plan.json "$rundir/plan.json"
check 'all is as it was' 0 ', 0 changed' "$HILAB" reparse 1 latest
mv "$rundir" moved
check 'a folder that is gone' 3 'run 1: ' "$HILAB" reparse 1
finish
