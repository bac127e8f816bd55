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

check 'documents' 0 'am62axx     31      434' "$hilab" reference list
check 'as JSON' 0 '"soc": "j721e"' "$hilab" reference list --json
check 'one metric' 0 '13.68  13.50  13.97  s' "$hilab" reference show am62axx boot.linux_ms
check 'in its unit' 0 '"value": 13680.0' "$hilab" reference show --json am62axx boot
check 'what is doubtful' 0 'only MB/s fits the bus' "$hilab" reference show am275x storage.read
check 'a SoC must be named' 2 'show needs a SoC' "$hilab" reference show
check 'and have figures' 2 "no figures of SoC 'am62'" "$hilab" reference show am62
check 'of that metric' 1 "no figure of 'fi'" "$hilab" reference show am62axx fi
check 'all are in order' 0 '5 documents, 1534 figures' "$hilab" reference check
mkdir "$dir/own"
printf 'soc: x\ntables:\n  - section: s\n    table: t\n    figures:\n      - {row: 1, metric: udma.bw, value: 1, unit: ms}\n' >"$dir/own/x.yaml"
check 'or it is said where not' 2 "x.yaml:6:9: udma.bw: 'ms' cannot be told in 'MB/s'" "$hilab" reference check "$dir/own"
finish
