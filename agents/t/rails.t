#!/bin/sh
# SPDX-License-Identifier: MIT
# Power rails from an instrument to the journal and the store: a played board with the simulated
# instrument on TCP, jobs that read rails while the board does something, and while nothing is done.
# What the instrument reads is drawn from a seed (HILAB_SEED sets it): exactly that must be stored.
set -u
. "$HILAB_DATA/agents/t/job.sh"
cd "$dir" || exit 1

seed=${HILAB_SEED:-$(date +%s)}
echo "# seed $seed"
sed 's/^transcript: .*/transcript: metered/' "$HILAB_DATA/labs/virtual/player/instant.yaml" >metered.yaml
cat >>metered.yaml <<'END'
rails:
  vdd_core: {mv: 850, mw: 400}
  vdd_lpddr4: {mv: 1100, mw: 150}
  vdda_1v8: {mv: 1800, mw: 100}
END
start_player b=./metered.yaml
"$HILAB" check p/lab.yaml >out 2>&1
ok $? "the player's lab file names its instrument" || cat out
# quicker than a lab's, so that short steps have many readings
sed -i 's/model: hilab/&\n        interval: 10ms\n        answer: 1s/' p/lab.yaml

draw() { # N: hundredths, of 1.07 to 999.97, as they are printed
	awk -v s="$seed" -v n="$1" 'BEGIN {
		x = (s * 7919 + n * 104729) % 2147483647
		for (i = 0; i < 20; i++) x = (x * 16807) % 2147483647
		printf "%.2f", 1.07 + (x % 9990) / 10 }'
}
job() { # NAME; steps on standard input
	{
		printf 'job: %s\nboard: {soc: am62axx}\ntimeout: 2m\nsteps:\n  - power: cycle\n  - login\n' "$1"
		cat
	} >"$1.yaml"
}
# FIELD of the metric NAME whose labels have TEXT
field() {
	grep "\"kind\":\"metric\".*\"name\":\"$2\"" j/events.jsonl | grep -- "$3" |
		sed -n "s/.*\"$1\":\([-0-9.e+]*\)[,}].*/\1/p" | head -n 1
}
told() { # FIELD NAME TEXT WANT
	got=$(field "$1" "$2" "$3")
	awk -v a="${got:-x}" -v b="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit a == "x" || d > b * 1e-9 }'
	ok $? "$2 $3: its $1 is $4: ${got:-not told}"
}

core=$(draw 1) ddr=$(draw 2) vdda=$(draw 3)
core2=$(draw 4)
ctl="$HILAB player ctl $dir/p rail b"
set_all="$ctl vdd_core=$core && $ctl vdd_lpddr4=$ddr && $ctl vdda_1v8=$vdda"

# ---- while a step runs
job beside <<END
  - run: {name: set, command: "$set_all"}
  - run: {name: busy, command: "sleep 0.6", labels: {state: busy}, sample: all}
  - run: {name: change, command: "$ctl vdd_core=$core2"}
  - run:
      name: part
      command: sleep 1.2
      sample: {rails: [vdd_core, vdda_1v8], settle: 200ms, for: 500ms}
  - measure: {with: rails, name: still, for: 500ms, highest: yes, labels: {state: still}}
  - power: off
  - measure: {with: rails, name: dark, for: 500ms, highest: yes, labels: {state: dark}}
END
run beside
ends "pass none off: " "it passes"
has '"name":"busy/rails","status":"pass"' "reading rails is a result of the step's"
has '"name":"busy","status":"pass"' "beside its own"
for field in value min max; do
	told $field power.rail '\"state\":\"busy\",\"rail\":\"vdd_core\"' "$core"
	told $field power.rail '\"state\":\"busy\",\"rail\":\"vdd_lpddr4\"' "$ddr"
done
told value power.rail '\"state\":\"busy\",\"rail\":\"vdda_1v8\"' "$vdda"
told value power.voltage '\"state\":\"busy\",\"rail\":\"vdd_core\"' 0.85
sum=$(awk "BEGIN { printf \"%.2f\", $core + $ddr + $vdda }")
told value power.total '"state":"busy"' "$sum"
sed -n 's/^end \([0-9]*\) .*/\1/p' j/artifacts/busy.rails.txt >busy.ms
told value power.energy '\"state\":\"busy\",\"rail\":\"vdd_core\"' "$(awk "BEGIN { printf \"%.9g\", $core * $(cat busy.ms) / 1000 }")"
readings=$(grep -c ' vdd_core .* mW$' j/artifacts/busy.rails.txt)
[ "$readings" -ge 2 ]
ok $? "made of several readings: $readings, all kept"
has 'instrument.meter","value":"scpi hilab,simulated meter' "what the instrument is stands with the run"

is "$(grep -c '"test":"part","name":"power.rail"' j/events.jsonl)" 2 "rails by name: those alone"
is "$(grep -c '"test":"part","name":"power.total"' j/events.jsonl)" 0 "and no sum of them"
told value power.rail '"test":"part".*"rail":"vdd_core"' "$core2"
is "$(sed -n 's/^end \([0-9]*\) .*/\1/p' j/artifacts/part.rails.txt)" 500 "for as long as it says"
told value power.rail '\"state\":\"still\",\"rail\":\"vdda_1v8\"' "$vdda"
told value power.rail '\"state\":\"dark\",\"rail\":\"vdd_core\"' 0
told value power.voltage '\"state\":\"still\",\"rail\":\"all\"' 1.8
told value power.voltage '\"state\":\"dark\",\"rail\":\"all\"' 0
told value power.total '"state":"dark"' 0

# ---- steps that are not what they should be
job wrong <<END
  - run: {name: fails, command: "sleep 0.2; false", sample: all}
  - run: {name: skips, command: "hil_result opp skip 'no cpufreq'", sample: {settle: 2s, for: 5s}}
  - run: {name: short, command: "true", sample: {for: 5s}}
  - run: {name: other, command: "true", sample: [vdd_mpu]}
  - run: {name: good, command: "true"}
END
run wrong
ends "fail test off: *" "the job is what its steps are"
has '"name":"fails/rails","status":"skip","why":"the step did not pass"' "a step that fails has no figures"
has '"name":"skips/rails","status":"skip","why":"the step skipped"' "nor has one that skips"
has '"name":"short/rails","status":"error","why":"it ended after' "one that is too short is an error of the test"
has '"name":"other/rails","status":"skip","why":"no instrument reads rail '"'vdd_mpu'" "a rail that nobody reads is a skip"
has '"name":"good","status":"pass"' "the others are done"
lacks '"kind":"metric"' "no figure is stored of any"

# ---- instruments that are not what they should be
meter="$HILAB player ctl $dir/p meter b"
job ill <<END
  - run: {name: silent, command: "$meter silent; sleep 1.5; $meter ok", sample: all}
  - run: {name: garbage, command: "sleep 0.1; $meter garbage; sleep 0.2; $meter ok", sample: all}
  - run: {name: gone, command: "sleep 0.1; $meter gone; sleep 0.2", sample: all}
  - run: {name: away, command: "true", sample: all}
  - measure: {with: rails, name: alone, for: 500ms}
  - run: {name: good, command: "$meter ok"}
  - run: {name: again, command: "sleep 0.5", sample: all, labels: {state: again}}
END
run ill
ends "incomplete infra off: *" "a run with a broken instrument is incomplete, and it is the lab's"
has '"name":"silent/rails","status":"miss","why":"instrument '"'meter': no answer in 1 s" "silent"
has '"name":"garbage/rails","status":"miss","why":"instrument '"'meter': asked 'MEAS:ALL? CH" "answers that are no numbers"
has '"name":"gone/rails","status":"miss","why":"instrument '"'meter': " "gone in mid-step"
has '"name":"away/rails","status":"miss"' "not there"
has '"name":"alone","status":"miss"' "nor for a step of its own"
for step in silent garbage gone away good again; do
	has "\"name\":\"$step\",\"status\":\"pass\"" "$step: the step itself is unharmed"
done
told value power.rail '\"state\":\"again\",\"rail\":\"vdd_lpddr4\"' "$ddr"
is "$(grep -c '"kind":"metric".*power.rail' j/events.jsonl)" 3 "no figure of the broken ones is stored"

# ---- read again out of the store
check 'a run that is stored' 0 '' "$HILAB" run beside.yaml --lab p/lab.yaml
"$HILAB" report latest --json >stored.json
folder=$(sed -n 's/^ *"dir": "\(.*\)",*$/\1/p' stored.json | head -n 1)
check 'what was read says the same again' 0 ', 0 changed' "$HILAB" reparse latest
other=$(echo "$core" | tr 0-8 1-9)
sed -i "s/ vdd_core $core mW/ vdd_core $other mW/" "$folder/artifacts/busy.rails.txt"
check 'and its figures are made of it' 0 'power.energy' "$HILAB" reparse latest
grep -q "changed .* power.rail .*$other" out
ok $? "with what stands there: $other"

# ---- no instrument at all
sed '/instruments:/,/channel: 3/d' p/lab.yaml >p/none.yaml
mv p/none.yaml p/lab.yaml
run beside
ends "pass none off: " "a lab without instruments runs the job"
has '"name":"busy/rails","status":"skip","why":"the lab has no instrument at this board"' "and says so"
has '"name":"still","status":"skip"' "a measurement of its own too"
finish
