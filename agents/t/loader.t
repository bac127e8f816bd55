#!/bin/sh
# SPDX-License-Identifier: MIT
# The loader step on a played board: what its boot loader is asked, refuses, does not have.
set -u
. "$HILAB_DATA/agents/t/job.sh"
cd "$dir" || exit 1

job() { # NAME; the steps after the boot on standard input
	{
		printf 'job: %s\nboard: {soc: am62axx}\ntimeout: 5m\nsteps:\n' "$1"
		printf '  - power: off\n  - boot: {method: u-boot, until: prompt}\n'
		cat
	} >"$dir/$1.yaml"
}
says() { # STATUS NAME TEXT: that result is there
	has "\"name\":\"$2\",\"status\":\"$1\"" "$3"
}

start_player b=am62axx-sk-twin
job asked <<'EOT'
  - loader: {name: version, commands: version, expect: ['^U-Boot 20\d\d', 'Debian']}
  - loader: {name: several, commands: [setenv a 'b c', printenv a], expect: ['a=b c$']}
  - loader: {name: lacks, commands: version, expect: [never]}
  - loader: {name: refused, commands: [mmcc list, echo not typed]}
  - loader: {name: feature, feature: tftp, commands: dhcp, expect: [DHCP client bound]}
  - loader: {name: no-feature, feature: nand, commands: nand info}
  - loader: {name: parsed, commands: dhcp, parse: uboot}
  - loader: {name: after, commands: echo done, expect: ['^done']}
EOT
run asked
ends "fail test off: *of * results failed*" "what the boot loader refuses fails the run"
says pass version "an answer with all that must be in it"
says pass several "several commands"
says fail lacks "an answer without it"
has "output lacks 'never'" "and why"
says fail refused "a command that it refuses"
has "command 'mmcc list': boot loader says 'Unknown command'" "and what it said"
lacks '"not typed"' "no command is typed after that"
says pass feature "a feature that the type claims"
says skip no-feature "one that it does not"
has "the boot loader of a 'am62axx-sk-twin' has no nand" "and why"
says error parsed "an output without a figure, where there should be one"
says pass after "the prompt is there all the same"
grep -q '^=> version' "$dir/j/artifacts/version.txt"
ok $? "what it printed is kept"

job lost <<'EOT'
  - loader: {name: first, commands: reset, timeout: 1500ms}
  - loader: {name: second, commands: version}
EOT
run lost
ends "incomplete timeout off: *step 'first'*" "a prompt that does not come"
says miss second "what comes after it is missing"

job wrong <<'EOT'
  - power: cycle
  - loader: version
EOT
run wrong
grep -q "'loader' needs the boot loader's prompt: put .- boot: {method: ..., until: prompt}. before it" "$dir/out"
ok $? "a board that was switched off has no prompt"

printf 'job: none\nboard: {soc: am62axx}\nsteps:\n  - boot: {method: autoboot, until: prompt}\n' >"$dir/none.yaml"
run none
ends "incomplete job off: *boot method 'autoboot' has no prompt to stop at" "a boot method without one"
finish
