#!/bin/sh
# SPDX-License-Identifier: MIT
# Server, agent and workers are killed at any moment, again and again, while jobs come in and run:
# each job ends once, with the verdict that it must have, and nothing of it is lost. HILAB_SEED repeats
# the choices, HILAB_LONG makes it 1000 jobs.
set -u
. "$HILAB_DATA/labs/virtual/t/whole.sh"
export HILAB_LOG=info
if [ -n "$long" ]; then jobs=1000 kills=250 patience=1800; else jobs=60 kills=18; fi
echo "# $jobs jobs, $kills kills"
cd "$dir" || exit 1
mkdir a

start_player b=instant --count 7 --channels 1
sed '/^  b-7:/,$d' p/lab.yaml >lab.yaml # and the last one with another tag
sed -n '/^  b-7:/,$p' p/lab.yaml | sed 's/    type: .*/&\n    tags: [dead]/' >>lab.yaml
sed -i 's|port: \./|port: ./p/|; s|root: \./|root: ./p/|' lab.yaml
sed -i '/^  b-[1-6]:/,/type:/ s/    type: .*/&\n    tags: [good]/' lab.yaml
lab=$dir/lab.yaml
ctl "relay b-7 dead"
job pass '{tags: [good]}' 'seq 1 1500; true'
job fail '{tags: [good]}' 'seq 1 300; false'
job dead '{tags: [dead]}' 'true'
start_server
start_agent

# Jobs come while all of that happens; a key makes it safe to ask again.
submit() {
	name=$1
	key=$2
	shift 2
	until "$HILAB" submit "$name.yaml" --key "$key" "$@" >>submitted 2>>submit.err; do
		sleep 0.05
	done
}
submit_all() {
	submit dead dead-1 --queue-timeout 2s
	submit dead dead-2 --queue-timeout 2s
	i=2
	while [ $i -lt "$jobs" ]; do
		if [ $((i % 4)) = 0 ]; then name=fail; else name=pass; fi
		submit $name "$name-$i"
		i=$((i + 1))
	done
	touch all
}
submit_all &
submitter=$!

# One of the processes of a run: its folder's number goes on record.
kill_worker() {
	set -- $(processes)
	[ $# -gt 0 ] || return 1
	random $#
	shift "$random"
	{ tr '\0' '\n' <"/proc/$1/cmdline"; } 2>/dev/null | sed -n 's|.*/a/runs/\([0-9]*\)-0.*|\1|p' >>killed
	kill -9 "$1" 2>/dev/null
}
# Again at once, or after a while; one start in four is killed in its middle.
again() {
	random 4
	if [ "$random" = 0 ]; then
		"$@" 8>&1 >/dev/null 2>&1 &
		starting=$!
		random 60
		pause "$random"
		kill -9 "$starting" 2>/dev/null
		wait "$starting" 2>/dev/null
	fi
	random 300
	pause "$random"
}
: >killed
done_kills=0
while [ $done_kills -lt $kills ]; do
	random 600
	pause "$random"
	random 5
	case $random in
	0)
		kill_daemon "$server"
		again "$HILAB" server --listen 127.0.0.1:0
		start_server
		;;
	1)
		kill_daemon "$agent"
		again "$HILAB" agent --config agent.yaml --lab "$lab" --dir a --name host
		start_agent
		;;
	2)
		kill_daemon "$agent"
		kill_daemon "$server"
		kill_worker
		start_agent
		start_server
		;;
	*) kill_worker || continue ;;
	esac
	done_kills=$((done_kills + 1))
	[ ! -e all ] || ! all_done || break
done
echo "# $done_kills kills, $(wc -l <killed) of workers"
until_ok test -e all
wait "$submitter"
is "$(sort submitted | uniq -d)" "" "no job was taken twice"
is "$(sql "SELECT count(*) FROM job WHERE kind='job'")" "$jobs" "all jobs that came in are there"
until_ok all_done
pass "all of them are done"
whole

# What each run and each job has to be.
deaths=$(sort -u killed | tr '\n' ',')0
echo "# $(sql "SELECT count(*) FROM run") runs;" \
	"$(sql "SELECT group_concat(n) FROM (SELECT kind || ' ' || name || ' ' || verdict || ': ' || count(*) AS n FROM job GROUP BY kind, name, verdict)")"
is "$(sql "SELECT id, job, verdict, blame, message FROM run WHERE id NOT IN ($deaths) AND NOT CASE job
	WHEN 'pass' THEN verdict='pass'
	WHEN 'fail' THEN verdict='fail' AND blame='test'
	WHEN 'dead' THEN verdict='incomplete' AND blame='infra'
	ELSE 1 END")" "" "a run whose worker was let live has the verdict of its kind"
is "$(sql "SELECT id, verdict, blame FROM run WHERE id IN ($deaths)
	AND verdict='fail' AND blame<>'test'")" "" "a killed worker is no failure of what is tested"
is "$(sql "SELECT job.id, job.verdict, run.verdict FROM job JOIN run ON run.id=job.last_run
	WHERE job.kind='job' AND job.name<>'dead' AND job.verdict<>run.verdict")" "" \
	"a job has the verdict of its last run"
is "$(sql "SELECT id, name, verdict, attempts FROM job WHERE kind='job' AND last_run NOT IN ($deaths)
	AND NOT CASE name WHEN 'dead' THEN verdict='incomplete' ELSE verdict=name OR attempts=3 END")" "" \
	"a job whose last worker was let live passes, or fails, as it must"
is "$(sql "SELECT job.id FROM job JOIN run ON run.id=job.last_run WHERE job.verdict='pass' AND
	(SELECT count(*) FROM result WHERE run=run.id AND status='pass' AND name='work')<>1")" "" \
	"each job that passed has its result"
finish
