#!/bin/sh
# SPDX-License-Identifier: MIT
# What a job may say of its steps, on an instant board: attempts, what a failure means for the steps
# after it, groups, several consoles, files both ways, the environment, boot modes.
set -u
. "$HILAB_DATA/agents/t/job.sh"
host=$HILAB_BUILD/labs/virtual/t/tool-host
cd "$dir" || exit 1

show() { tail -n 3 out | cut -c1-300; }
job() { # NAME [TIMEOUT]; steps on standard input
	{
		printf 'job: %s\nboard: {soc: am62axx}\ntimeout: %s\nsteps:\n  - power: cycle\n  - login\n' \
			"$1" "${2:-5m}"
		cat
	} >"$dir/$1.yaml"
}

start_player b=instant c=instant
# the second one is another processor of the first: its console, and a power of its own
cat >"$dir/mode" <<'EOT'
#!/bin/sh
[ "$1" != broken ] || { echo "no such pin"; exit 7; }
echo "$1" >>"$(dirname "$0")/modes"
EOT
chmod 755 "$dir/mode"
awk -v dir="$dir" '/^  c:/ { exit } { print }
	/port: .*b.console/ { print "      r5:\n        driver: serial\n        port: ./c.console" }
	/^    type:/ { print "    bootmode:\n      driver: command\n      default: usual\n      modes:\n" \
		"        usual: [" dir "/mode, usual]\n        sd: [" dir "/mode, sd]\n" \
		"        broken: [" dir "/mode, broken]" }' "$dir/p/lab.yaml" >"$dir/lab"
mv "$dir/lab" "$dir/p/lab.yaml"
"$HILAB" check "$dir/p/lab.yaml" >"$dir/out" 2>&1
ok $? "a lab file with two consoles and boot modes"

# ---- attempts

job flaky <<EOT
  - run: {name: flaky, retry: 3, command: "echo x >>$dir/tries; hil_metric tries 1 count; [ \$(wc -l <$dir/tries) -ge 3 ]"}
EOT
run flaky
ends "pass none off: " "a step that passes at its third attempt"
has '"kind":"flake","name":"flaky","attempts":3' "is a flake, on record"
has '"kind":"warn","text":"flake: step' "and told"
[ "$(grep -c '"kind":"attempt".*"of":"result"' "$dir/j/events.jsonl")" -eq 2 ]
ok $? "each result of the others is kept"
[ "$(grep -c '"kind":"result".*"name":"flaky"' "$dir/j/events.jsonl")" -eq 1 ]
ok $? "as no result of the run"
[ "$(grep -c '"kind":"metric"' "$dir/j/events.jsonl")" -eq 1 ]
ok $? "nor do their figures count"
has '"kind":"retry","name":"flaky","attempt":2' "why another attempt was made is told"

job failing <<EOT
  - run: {name: failing, retry: 2, command: "false"}
  - run: {name: hung, retry: 1, timeout: 700ms, command: "sleep 100"}
  - run: {name: wrong, retry: 5, command: "echo \${image.kernel}"}
EOT
run failing
ends "fail test off: 1 of 4 results failed, first 'failing': exit status 1" "the last attempt counts, not their sum"
[ "$(grep -c '"kind":"attempt"' "$dir/j/events.jsonl")" -eq 3 ]
ok $? "a step that hangs is tried again, too"
lacks '"kind":"retry","name":"wrong"' "what the job has wrong is not tried again"

# ---- programs that a command needs

job needs <<EOT
  - run: {name: there, needs: [sh, "cat -n x"], command: "true"}
  - run: {name: absent, needs: ["sh -c true", "netperf-both 10.0.2.2", other], command: "hil_metric tries 1 count", parse: netperf}
  - run: {name: quoted, needs: "it's;false", command: "false"}
  - run: {name: after, command: "true"}
EOT
run needs
ends "pass none off: " "a program that the board lacks is no failure"
has "\"name\":\"absent\",\"status\":\"skip\",\"why\":\"no program 'netperf-both' on the board\"" "but a skip that names it"
has "\"name\":\"quoted\",\"status\":\"skip\",\"why\":\"no program 'it's;false' on the board\"" "whatever it is called"
has '"name":"there","status":"pass"' "where all are there the command runs"
has '"name":"after","status":"pass"' "and the shell goes on"
lacks '"kind":"metric"' "what was skipped did not run"

# ---- what a failure means

job stops <<EOT
  - run: {name: one, command: "false", on-failure: stop}
  - run: {name: two, command: "true"}
  - run: {name: three, command: "echo \$HOME", always: yes}
EOT
run stops
ends "fail test off: *'one': exit status 1" "on-failure: stop"
has '"name":"two","outcome":"not-run"' "ends the run"
has '"name":"three","status":"pass"' "but for what is always done"

job goes-on <<EOT
  - expect: {pattern: never, timeout: 200ms, on-failure: continue}
  - run: {name: after, command: "true"}
EOT
run goes-on
ends "incomplete timeout off: *'expect': not done in 200 ms*" "on-failure: continue"
has '"name":"after","status":"pass"' "lets the next one run"

job late 2s <<EOT
  - run: {name: sleeps, timeout: 2s, command: "sleep 100"}
  - run: {name: never, command: "true"}
  - send: {name: last, text: "\\x03", always: yes}
EOT
run late
ends "incomplete timeout off: *" "the job's time is up"
has '"name":"never","outcome":"not-run"' "nothing more is done"
has '"name":"last","outcome":"ok"' "but for what is always done"

# ---- groups, environment, consoles

job many <<EOT
  - group:
      name: g
      repeat: 2
      labels: {kind: x}
      steps:
        - run: {name: m, env: {GREETING: "it's \$HOME", EMPTY: ""}, command: "hil_metric m \${cycle} s; [ \"\$GREETING\" = \"it's \\\\\$HOME\" ] && [ -z \"\$EMPTY\" ]"}
EOT
run many
ends "pass none off: " "a group that repeats, with an environment"
has '"test":"m-2","name":"m","value":2.0,"unit":"s","labels":{"cycle":"2","kind":"x"}' "its figures bear its labels"

"$host" "$dir/p/relay" type '\xa0\x01\x01\xa2' type '\xa0\x02\x01\xa3\xff' until 'CH2:ON' >"$dir/out" 2>&1
ok $? "the second processor has power"
job consoles <<EOT
  - send: {console: r5, text: "echo un''til"}
  - expect: {console: r5, pattern: "until"}
  - login: {console: r5}
  - run: {name: there, console: r5, command: "echo \$\$ >$dir/pid.r5"}
  - run: {name: here, command: "echo \$\$ >$dir/pid.main"}
  - run: {name: there-again, console: r5, command: "true"}
EOT
run consoles
ends "pass none off: " "two consoles, each with a shell of its own"
grep -q until "$dir/j/console-r5.log"
ok $? "each with its log"
aborts="echo '***** DATA'' ABORT *****'; echo dot''ted"
job core-aborts <<EOT
  - send: {console: r5, text: "$aborts"}
  - expect: {name: core, console: r5, pattern: "dotted"}
  - run: {name: goes-on, command: "true"}
EOT
run core-aborts
ends "fail test off: *'core/firmware': ?**** DATA ABORT *" "an abort of another core, on its own console, fails the run"
has '"crash":"firmware","console":"r5","log_offset":' "it is told with its console and place"
has '"name":"goes-on","status":"pass"' "the job goes on"
has '"name":"crash.firmware","value":"1"' "and it is counted"
job core-stops <<EOT
  - send: {console: r5, text: "$aborts"}
  - expect: {name: core, console: r5, pattern: "never", timeout: 60s}
  - run: {name: never, command: "true"}
crash: {firmware: stop}
EOT
run core-stops
ends "fail test off: *the job stops there: ?**** DATA ABORT *" "or ends it, where a job says so"
has '"name":"never","outcome":"not-run"' "and nothing more is done"
job no-console <<EOT
  - expect: {console: m4, pattern: x}
EOT
run no-console
ends "incomplete config off: *has no console 'm4'" "a console that the lab does not have"

# ---- files

awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%d%c", i * 7919 % 65537, i % 251 + 1 }' >"$dir/big"
head -c 9000 "$dir/big" >"$dir/sent"
job files <<EOT
  - put: {file: ./sent, to: "$dir/it's here", mode: "0750"}
  - fetch: {from: "$dir/big", as: fetched}
  - fetch: "$dir/it's here"
  - fetch: {from: /nonexistent, name: lost}
EOT
run files
ends "incomplete test off: 'lost': '/nonexistent': there is no such file on the board" "files both ways"
[ "$(stat -c %a "$dir/it's here")" = 750 ] && cmp "$dir/sent" "$dir/it's here" >"$dir/out" 2>&1
ok $? "one sent is whole and has its permissions"
cmp "$dir/big" "$dir/j/artifacts/fetched" >"$dir/out" 2>&1 && cmp "$dir/sent" "$dir/j/artifacts/it's here"
ok $? "one fetched is whole"
has '"name":"fetched","bytes":' "and an artifact"
head -c 300000 /dev/zero >"$dir/huge"
job too-large <<EOT
  - put: {file: ./huge, to: /tmp/x}
EOT
run too-large
ends "incomplete job off: *larger than*" "a file that is too large to be typed"
rm "$dir/huge"
run too-large
[ "$last" = "not made" ] && grep -q "step 'put'" "$dir/out"
ok $? "a file that is not there is told before the run"

# ---- boot modes

rm -f "$dir/modes"
job mode <<EOT
  - bootmode: sd
  - run: {name: fine, command: "true"}
EOT
run mode
ends "pass none off: " "a boot mode"
[ "$(tr '\n' ' ' <"$dir/modes")" = "sd usual " ]
ok $? "is set, and put back at the end"
job mode-unknown <<EOT
  - bootmode: nand
EOT
run mode-unknown
ends "incomplete config off: *no boot mode 'nand' (known: usual, sd, broken)" "one that the board does not have"
job mode-broken <<EOT
  - bootmode: broken
EOT
run mode-broken
ends "incomplete infra off: *exit status 7: 'no such pin'" "a program that fails is the lab's fault"
[ "$(tail -n 1 "$dir/modes")" = usual ]
ok $? "and the mode is put back"
rm -f "$dir/modes"
make_job mode
"$tool" run "$dir/j" worker 9 '"kind":"bootmode"' >"$dir/out" 2>&1
last=$(tail -n 1 "$dir/out")
case $last in
"pass none off: ") ok 0 "a worker that ended before it could be killed" ;;
*) ends "incomplete bug off: the worker died *" "a worker that dies with the mode changed" ;;
esac
[ "$(tail -n 1 "$dir/modes")" = usual ]
ok $? "whoever frees the board puts the mode back"

# ---- very long, and wrong clocks

cat >"$dir/long.yaml" <<'EOT'
job: long
board: {soc: am62axx}
steps:
  - power: cycle
  - login
  - group:
      name: g
      repeat: 4998
      steps:
        - send: {text: "echo at''-${cycle};"}
        - expect: "at-${cycle}"
  - run: {name: last, command: "true"}
  - power: off
EOT
run long
ends "pass none off: " "a job of 10000 steps"
[ "$(grep -c '"kind":"step-end".*"outcome":"ok"' "$dir/j/events.jsonl")" -eq 10000 ]
ok $? "all of them done"
sed -i 's/repeat: 4998/repeat: 9999/' "$dir/long.yaml"
run long
[ "$last" = "not made" ] && grep -q "more than 20000 steps" "$dir/out"
ok $? "one over the limit is refused"

cp "$dir/p/lab.yaml" "$dir/lab"
sed 's/port: .*b.console/&\n        log-limit: 64KiB/' "$dir/lab" >"$dir/p/lab.yaml"
job floods <<EOT
  - run: {name: floods, command: "i=0; while [ \$i -lt 3000 ]; do echo line \$i of a very long talk; i=\$((i+1)); done"}
  - run: {name: after, command: "true"}
EOT
run floods
ends "incomplete test off: *'floods'*console 'main'*the log reached its cap of 64 KiB" "a console that passes its log's limit"
has '"name":"after","outcome":"not-run"' "ends the run"
[ "$(stat -c %s "$dir/j/console-main.log")" -eq 65536 ]
ok $? "with all that has room in the log"
cp "$dir/lab" "$dir/p/lab.yaml"
sed 's/port: .*b.console/&\n        log-limit: 1/' "$dir/lab" >"$dir/wrong.yaml"
"$HILAB" check "$dir/wrong.yaml" >"$dir/out" 2>&1
[ $? -eq 2 ] && grep -q "'log-limit' must be" "$dir/out"
ok $? "a limit that cannot be is told"

job clock <<EOT
  - run: {name: waits, command: "sleep 1", timeout: 60s}
  - run: {name: hangs, command: "sleep 1000", timeout: 1500ms}
  - run: {name: after, command: "true"}
EOT
make_job clock
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$HILAB_BUILD/agents/t/shim-clock.so" "$HILAB" worker "$dir/j" >"$dir/out" 2>&1
is_three=$?
[ "$(sed -n 's/.*"at":\([0-9]*\),.*/\1/p' "$dir/j/events.jsonl" | awk 'NR > 1 && ($1 - was > 80000000 || was - $1 > 80000000) { n++ } { was = $1 } END { print (n > 3) }')" -eq 1 ]
ok $? "somebody sets the host's clock all the time, a day at a time"
[ $is_three -eq 3 ] && grep -q '"message": "step .hangs.: not done in 1500 ms\|not done in 1.5 s\|not done in 1500 ms' "$dir/j/status"
ok $? "a step that hangs meets its deadline"
has '"name":"waits","status":"pass"' "one that waits is not cut short"
has '"name":"after","status":"pass"' "and the job goes on"
[ "$(sed -n 's/.*"ms":\([0-9]*\),"kind".*/\1/p' "$dir/j/events.jsonl" | awk '$1 < was || $1 > was + 60000 { n++ } { was = $1 } END { print n + 0 }')" -eq 0 ]
ok $? "times since the run's start only grow"

finish
