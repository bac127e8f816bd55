#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab coverage: what it counts without a store, and how it ends.
set -u
. "$HILAB_DATA/orchestrator/base/t/tap.sh"
cd "$dir" || exit 1
export XDG_STATE_HOME="$dir/state"
unset HILAB_STORE

check 'all documents are counted' 0 '1534 figures of 108 tables: ' "$HILAB" coverage
grep -q '^0 have a result on silicon, 0 on a twin (of 0 runs)' out
ok $? 'no store, no result'
check 'one of them' 0 '28 figures of 3 tables: 28 have a job' "$HILAB" coverage adsp-sc5xx
check 'as JSON' 0 '"whole_tables": 3' "$HILAB" coverage adsp-sc5xx --json
check 'a document that is whole' 0 'seed 7' "$HILAB" coverage adsp-sc5xx --strict --seed 7
check 'all of them are' 0 'seed 7' "$HILAB" coverage --strict --seed 7
# The same data, but for the job of one table.
mkdir data
ln -s "$HILAB_DATA"/* data/
rm data/reports && mkdir data/reports
ln -s "$HILAB_DATA"/reports/* data/reports/
rm data/reports/reference && cp -r "$HILAB_DATA/reports/reference" data/reports/
sed -i '0,/^    job:/{/^    job:/d;}' data/reports/reference/am335x.yaml
check 'one that is not' 1 '' env HILAB_DATA="$PWD/data" "$HILAB" coverage am335x --strict
check 'a SoC without document' 2 "no figures of SoC 'am999'" "$HILAB" coverage am999
check 'a seed that is no number' 2 "needs a number, not 'x'" "$HILAB" coverage --seed x
check 'a store that is not there' 3 'coverage: ' "$HILAB" coverage --store none.db
finish
