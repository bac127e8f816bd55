#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab parse over cases of the parsers, and hilab reference over the installed figures.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
data=${HILAB_DATA:-.}/reports/parse/t/data

check 'a file is needed' 2 'needs FILE|-' "$hilab" parse
check 'which is there' 2 'no-such' "$hilab" parse "$dir/no-such"
check 'a parser must be one' 2 "unknown parser 'foi' (did you mean 'fio'?)" "$hilab" parse --as foi "$data/fio/write.in"
check 'what is found' 0 'fio.write.bw' "$hilab" parse "$data/fio/write.in"
check 'by which parser, how sure' 0 'parsed as fio (95 of 100 sure)' "$hilab" parse "$data/fio/write.in"
printf 'boot\nmore\n' | cat - "$data/fio/write.in" >"$dir/log"
check 'at which line' 0 '3     metric  fio.write.bw' "$hilab" parse "$dir/log"
check 'and what is beside it' 0 '2     warn    -                    -          -     more' "$hilab" parse "$dir/log"
check 'as JSON' 0 '"schema": "hilab.parse/1"' "$hilab" parse --json "$dir/log"
check 'with the line' 0 '"line": 3,' "$hilab" parse --json "$dir/log"
check 'from standard input' 0 'iperf3.bw' sh -c "'$hilab' parse --as iperf3 - <'$data/iperf3/tcp.in'"
check 'a text that nobody knows' 1 'no parser knows this text' sh -c "echo hello | '$hilab' parse -"
check 'nothing at all' 1 'no parser knows' "$hilab" parse /dev/null
check 'a text of another tool' 1 'no JSON in its output' "$hilab" parse --as iperf3 "$data/fio/write.in"
check 'a damaged one' 1 'cut off' "$hilab" parse --as fio "$data/fio/cut-off.in"
check 'bytes that are no text' 1 'x1b[2J' sh -c "printf '\\377\\000\\033[2J{\"jobs\":[]}' | '$hilab' parse --as fio --json -"

own='pattern=^(?P<name>[a-z]+): (?P<result>[A-Z]+)( (?P<value>[0-9]+) (?P<unit>[a-z]+))?$'
printf 'alpha: GOOD 7 ms\nbeta: SO 3 ms\n' >"$dir/mine"
check 'a pattern of ones own' 0 '1     result  alpha  pass' "$hilab" parse --as regex --set "$own" --set 'fixup={GOOD: pass}' "$dir/mine"
check 'an unknown word is a miss' 0 '2     result  beta   miss' "$hilab" parse --as regex --set "$own" --set 'fixup={GOOD: pass}' "$dir/mine"
check 'a metric of no table needs a direction' 0 'do not say which direction is better: a job would not store it' "$hilab" parse --as regex --set "$own" "$dir/mine"
check 'which settings give' 0 '2     metric  beta   3      ms    -' "$hilab" parse --as regex --set "$own" --set better=lower "$dir/mine"
grep -q 'would not store' "$dir/out"; is $? 1 'and then it is stored'
check 'a unit that nobody knows' 0 "unit 'parsec' is not known: a job would not store it" sh -c "echo 'fio.read.bw=3 parsec' | '$hilab' parse --as regex --set 'pattern=(?P<metric>[a-z.]+)=(?P<value>.) (?P<unit>.*)' -"
check 'nothing is found without settings' 2 "missing key 'pattern' in parser 'regex'" "$hilab" parse --as regex "$dir/mine"
check 'settings are checked' 2 "unknown group 'nam' (did you mean 'name'?)" "$hilab" parse --as regex --set 'pattern=(?P<nam>.)(?P<result>.)' "$dir/mine"
check 'each is one' 2 "needs KEY=VALUE, not 'x'" "$hilab" parse --as regex --set x "$dir/mine"
check 'and no other' 2 "unknown key 'patern' in parser 'regex'" "$hilab" parse --as regex --set patern=x "$dir/mine"
check 'of a parser that has some' 2 "unknown key 'pattern' in parser 'fio'" "$hilab" parse --as fio --set pattern=x "$data/fio/write.in"

{
	printf '[    0.000000] Linux version 6.1 x\n[    1.000000] Freeing unused kernel memory: 2048K\n'
	cat "$data/tap/tap13.in" "$data/ktap/kselftest.in" "$data/iperf3/text-tcp.in" "$data/iperf2/tcp-old.in" \
		"$data/fio/write.in" "$data/fio/text-3x.in" "$data/alsa/playback.in" "$data/coremark/too-short.in" \
		"$data/coremark/linux.in" "$data/junit/pytest.in"
} >"$dir/night.log"
all() { "$hilab" parse --all "$dir/night.log"; }
check 'all parsers over a log: the kernel' 0 '2     printk ' all
check 'results' 0 'tap       result  spi0 loopback at 24 MHz ' all
check 'those of KTAP behind them' 0 'timeout: 45 seconds' all
check 'JUnit among lines, with its suite' 0 'suite=pytest: assert 0 == 90' all
check 'two forms of one tool' 0 'rw=randwrite' all
check 'a run that failed hides not the next' 0 'coremark.score' all
check 'and is told' 0 'coremark: ERROR! Must execute' all
check 'what stands around a tool is told beside it' 0 'time.cpu_load' all
check 'lines that two know are the surer ones' 0 "are left to 'iperf3', 90 of 100 sure; this is 90, and had 1 " all
check 'and only those' 0 'iperf2.bw ' all
check 'as JSON' 0 '"schema": "hilab.parse-all/1"' "$hilab" parse --all --json "$dir/night.log"
check 'one parser for all is none' 2 'takes no --as' "$hilab" parse --all --as fio "$dir/night.log"
check 'all of nothing' 1 'no parser finds anything' "$hilab" parse --all /dev/null

check 'documents' 0 'am62axx     31      434' "$hilab" reference list
check 'as JSON' 0 '"soc": "j721e"' "$hilab" reference list --json
check 'one metric' 0 '13.68  13.50  13.97  s' "$hilab" reference show am62axx boot.linux_ms
check 'in its unit' 0 '"value": 13680.0' "$hilab" reference show --json am62axx boot
check 'what is doubtful' 0 'only MB/s fits the bus' "$hilab" reference show am275x storage.read
check 'a SoC must be named' 2 'show needs a SoC' "$hilab" reference show
check 'and have figures' 2 "no figures of SoC 'am62'" "$hilab" reference show am62
check 'of that metric' 1 "no figure of 'fi'" "$hilab" reference show am62axx fi
check 'a list is of all' 2 "list takes no 'am62axx'" "$hilab" reference list am62axx
check 'all are in order' 0 '5 documents, 1534 figures' "$hilab" reference check
mkdir "$dir/own"
printf 'soc: x\ntables:\n  - section: s\n    table: t\n    figures:\n      - {row: 1, metric: udma.bw, value: 1, unit: ms}\n' >"$dir/own/x.yaml"
check 'or it is said where not' 2 "x.yaml:6:9: udma.bw: 'ms' cannot be told in 'MB/s'" "$hilab" reference check "$dir/own"
printf 'TAP version 13\n1..2\n# selftests: a: b\nok 1 selftests: a: b\nnot ok 2 selftests: a: c # exit=1\n' >"$dir/selftests"
check 'kernel selftests begin as TAP' 0 'parsed as ktap (95 of 100 sure), or tap (60' "$hilab" parse "$dir/selftests"
grep -q '^5  *result  *selftests: a: c  *fail  *- *exit=1' "$dir/out"
ok $? 'and their names are without the exit status'
printf '[    1.000000][    T1] TAP version 14\n[    1.100000][    T1] 1..1\n[    1.200000][    T1]\t# Subtest: x\n[    1.200000][    T1]\t1..1\n[    1.300000][    T1]\tok 1 - y\n[    1.400000][    T1] ok 1 - x\n' >"$dir/kunit"
check 'so does an old KUnit' 0 'parsed as ktap (95' "$hilab" parse "$dir/kunit"
sed 1,2d "$dir/kunit" >"$dir/late"
check 'also where its beginning is lost' 0 'parsed as ktap (70' "$hilab" parse "$dir/late"
check 'and TAP is not of the kernel' 0 'parsed as tap (95' sh -c "printf 'TAP version 14\n1..1\nok 1 - x\n' | '$hilab' parse -"
awk 'BEGIN { print "1..250009"; for (i = 1; i < 250010; i++) print "ok", i }' >"$dir/many"
check 'more than is kept is told' 3 'it holds 9 findings more than the 250000 that are shown' "$hilab" parse --as tap "$dir/many"
finish
